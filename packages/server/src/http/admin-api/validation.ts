/** Describes the faults of a value, field by field, in words for a person. */

import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/schema";
import type { Remark } from "../../admin/admin-error.ts";

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
  if (told.size === 0) return [{ field: null, problem: "does not fit the schema" }];
  return [...told].map(([field, problem]) => ({ field: field === "" ? null : field.slice(0, 200), problem }));
}

function remarksOf({ keyword, instancePath, params, message }: SchemaError): readonly (readonly [string, string])[] {
  const at = instancePath.slice(1).replaceAll("/", ".");
  const below = (name: string) => (at === "" ? name : `${at}.${name}`);
  const names = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  if (keyword === "additionalProperties") {
    return names(params["additionalProperties"]).map((name) => [below(name), "can't be set"]);
  }
  if (keyword === "required") return names(params["requiredProperties"]).map((name) => [below(name), "is missing"]);
  if (keyword === "enum") return [[at, `must be one of ${names(params["allowedValues"]).join(", ")}`]];
  return [[at, message]];
}
