/** The query of a request by its schema: every parameter once, none that is unknown. */

import type { TObject } from "typebox";
import { Check } from "typebox/schema";
import { isStorableText } from "./json-body.ts";
import { refuseFields } from "./problem.ts";
import { problemsOf } from "./validation.ts";

const MAX_QUERY = 8192;

export function queryOf(query: string, schema: TObject | undefined): Readonly<Record<string, unknown>> {
  if (query.length > MAX_QUERY) refuseFields([{ field: null, problem: "the query is too long" }]);
  const values: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(query)) {
    const declared = Object.hasOwn(schema?.properties ?? {}, name) ? schema?.properties[name] : undefined;
    if (declared === undefined) refuseFields([{ field: name.slice(0, 100), problem: "there is no such parameter" }]);
    if (Object.hasOwn(values, name)) refuseFields([{ field: name, problem: "was sent more than once" }]);
    // An undecodable escape becomes U+FFFD, which no stored text has.
    if (!isStorableText(text)) refuseFields([{ field: name, problem: "has a character that can't be stored" }]);
    values[name] = typedValue(text, declared as { readonly type?: string });
  }
  if (schema !== undefined && !Check(schema, values)) refuseFields(problemsOf(schema, values));
  return values;
}

function typedValue(text: string, { type }: { readonly type?: string }): unknown {
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
