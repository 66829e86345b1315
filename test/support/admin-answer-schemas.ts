/** Compares every answer of the admin API in tests with what its OpenAPI document promises. */

import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/schema";
import { problemSchema } from "../../packages/server/src/http/admin-api/openapi.ts";
import type { Operation } from "../../packages/server/src/http/admin-api/operation.ts";
import { find } from "../../packages/server/src/http/admin-api/routes.ts";

/** Operations whose success this process has compared. */
export const compared = new Set<string>();

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same schema, without fields that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isSchema(schema)) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closed(one)]));
  const isRecord = isSchema(schema["properties"]) && Object.keys(schema["properties"]).length > 0;
  return isRecord && schema["additionalProperties"] === undefined ? { ...inside, additionalProperties: false } : inside;
}

const made = new Map<unknown, TSchema>();

function exactly(schema: unknown): TSchema {
  const known = made.get(schema) ?? (closed(JSON.parse(JSON.stringify(schema))) as TSchema);
  made.set(schema, known);
  return known;
}

function requireFit(schema: unknown, value: unknown, what: string): void {
  const wanted = exactly(schema);
  if (Check(wanted, value)) return;
  const faults = JSON.stringify(Errors(wanted, value)[1], null, 1).slice(0, 2000);
  throw new Error(`${what}: the answer does not fit its schema: ${faults}\n${JSON.stringify(value).slice(0, 2000)}`);
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export function requireDocumented(method: string, path: string, { status, headers, text }: Answered): void {
  const [bare = ""] = path.split("?");
  const what = `${method} ${bare} → ${status}`;
  const type = headers.get("content-type") ?? "";
  if (status >= 400) {
    if (!type.startsWith("application/problem+json")) throw new Error(`${what}: the refusal is ${type}`);
    requireFit(problemSchema, JSON.parse(text), what);
    return;
  }
  const found = find(bare, method === "HEAD" ? "GET" : method);
  if (found.kind !== "found" || method === "HEAD") return;
  requireSuccess(found.operation, { status, headers, text }, what);
  compared.add(found.operation.id);
}

function requireSuccess(operation: Operation, { status, headers, text }: Answered, what: string): void {
  const { result, resultLine, tagged } = operation;
  if (status !== operation.status) throw new Error(`${what}: the document says ${operation.status}`);
  if ((headers.get("etag") !== null) !== (tagged === true)) throw new Error(`${what}: ETag ${headers.get("etag")}`);
  if (result !== undefined) requireFit(result, JSON.parse(text), what);
  else if (resultLine === undefined && text !== "") throw new Error(`${what}: the document says that there is no body`);
  if (resultLine === undefined) return;
  for (const line of text.split("\n").slice(0, -1)) requireFit(resultLine, JSON.parse(line), what);
}
