/** Describes the faults of a value, field by field, in words for a person. */

import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/schema";
import type { Remark } from "../../admin/admin-error.ts";
import { nearest } from "./nearest-name.ts";

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Conditions that only repeat what another one says. */
const REPEATING: ReadonlySet<string> = new Set(["boolean", "anyOf"]);

/** For schemas that are plain JSON. */
export function check(schema: object, value: unknown): boolean {
  return Check(schema as TSchema, value);
}

export function problemsOf(schema: TSchema | object, value: unknown): readonly Remark[] {
  const errors = Errors(schema as TSchema, value)[1] as readonly SchemaError[];
  const told = new Map<string, string>();
  for (const error of errors) {
    if (REPEATING.has(error.keyword)) continue;
    for (const [field, problem] of remarksOf(error)) if (!told.has(field)) told.set(field, problem);
  }
  suggestNames(told, Object.keys((schema as { properties?: object }).properties ?? {}));
  if (told.size === 0) return [{ field: null, problem: "does not fit the schema" }];
  return [...told].map(([field, problem]) => ({ field: field === "" ? null : field.slice(0, 200), problem }));
}

const NOT_SETTABLE = "can't be set";
/** Wrong names for which the answer suggests another one. To compare names costs time. */
const MOST_SUGGESTIONS = 5;

/** Says which field was meant, or that there is none. */
function suggestNames(told: Map<string, string>, known: readonly string[]): void {
  const wrong = [...told].filter(([field, problem]) => problem === NOT_SETTABLE && !field.includes("."));
  for (const [field] of wrong.slice(0, MOST_SUGGESTIONS)) {
    const meant = nearest(field, known);
    const reason =
      meant === undefined ? "there is no such field, or only the server sets it" : `did you mean ${meant}?`;
    told.set(field, `${NOT_SETTABLE}: ${reason}`);
  }
}

function remarksOf({ keyword, instancePath, params, message }: SchemaError): readonly (readonly [string, string])[] {
  const at = instancePath.slice(1).replaceAll("/", ".");
  const below = (name: string) => (at === "" ? name : `${at}.${name}`);
  const names = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  if (keyword === "additionalProperties") {
    return names(params["additionalProperties"]).map((name) => [below(name), NOT_SETTABLE]);
  }
  if (keyword === "required") return names(params["requiredProperties"]).map((name) => [below(name), "is missing"]);
  if (keyword === "enum") return [[at, `must be one of ${names(params["allowedValues"]).join(", ")}`]];
  // Typebox says "must be array".
  return [
    [
      at,
      message
        .replace(/^must be (array|object|integer)$/, "must be an $1")
        .replace(/^must be (string|number|boolean)$/, "must be a $1"),
    ],
  ];
}
