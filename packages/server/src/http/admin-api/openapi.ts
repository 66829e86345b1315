/** The OpenAPI 3.1 document of the admin API, made from the table of operations. */

import type { TSchema } from "typebox";
import { ADMIN, adminScope, adminScopes } from "../../admin/api-access/admin-scopes.ts";
import { endpoints } from "../../oauth/endpoints.ts";
import type { Operation } from "./operation.ts";
import * as records from "./records.ts";

interface Declared {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** The body of every refusal. */
export const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "code"],
  properties: {
    type: { type: "string", format: "uri", description: "the page about this refusal" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", description: "the name of the refusal" },
    error: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { field: { type: ["string", "null"] }, problem: { type: "string" } },
      },
    },
  },
};

/** The scope that an operation needs. */
export function scopeOf({ group, access }: Pick<Operation, "group" | "access">): string {
  return group === null ? ADMIN : adminScope(group, access);
}

/** The statuses of refusals that an operation can have besides those of every operation. */
function refusalsOf({ method, path, body, takes, matches, access }: Operation): readonly number[] {
  const statuses = [400, 401, 403, 503];
  if (path.includes("{")) statuses.push(404);
  if (body !== undefined || takes !== undefined) statuses.push(413, 415);
  if (access === "write") statuses.push(409);
  if (method === "POST") statuses.push(422, 429);
  if (matches) statuses.push(412, 428);
  return statuses.sort((one, other) => one - other);
}

/**
 * Of a part of the path, in characters. The server takes longer ones, but 1,000 characters always fit into the 16 KiB of
 * address and headers, also if each has twelve bytes there.
 */
const MAX_PART = 1000;

function parametersOf({ path, query, method, matches }: Operation): readonly object[] {
  const { properties = {}, required = [] } = (query ?? {}) as Declared;
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      ...{ name, in: "path", required: true, schema: { type: "string", minLength: 1, maxLength: MAX_PART } },
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      ...{ name, in: "query", required: required.includes(name), schema },
      ...(schema.description === undefined ? {} : { description: schema.description }),
    })),
    ...(matches
      ? [{ name: "If-Match", in: "header", required: true, schema: { type: "string", minLength: 1, maxLength: 1000 } }]
      : []),
    ...(method === "POST"
      ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 200 } }]
      : []),
  ];
}

/** OpenAPI 3.1 has no schema for lines. The one of a line stands beside, for readers. */
function linesOf(line: TSchema): object {
  return { type: "string", description: "one JSON object on each line", "x-line": line };
}

/** Leads from a created record to the operations on it: the fields of the record have the names of the path's parts. */
function linksOf({ id, status, result, tagged }: Operation, all: readonly Operation[]): object | undefined {
  const group = `/${id.split(".")[0]}/`;
  const { properties = {} } = (result ?? {}) as Declared;
  if (status !== 201) return undefined;
  const links = all.flatMap((one) => {
    const name = /^\{(\w+)\}/.exec(one.path.startsWith(group) ? one.path.slice(group.length) : "")?.[1];
    if (name === undefined || !Object.hasOwn(properties, name)) return [];
    const parameters = {
      [`path.${name}`]: `$response.body#/${name}`,
      ...(one.matches && tagged ? { "header.If-Match": "$response.header.ETag" } : {}),
    };
    return [[one.id, { operationId: one.id, parameters }]];
  });
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** The name of each record by its schema as text: `userRecord` is `User`. */
const names = new Map(
  Object.entries(records)
    .filter(([, schema]) => Object.hasOwn(schema, "type"))
    .map(([name, schema]) => [
      JSON.stringify(schema),
      name.replace(/Record$/, "").replace(/^./, (first) => first.toUpperCase()),
    ]),
);

/**
 * The document with `$ref` where a record stands, and the schemas of these records. A record with something besides, such as
 * warnings, stays a schema of its own.
 */
function withReferences(document: object): { readonly document: object; readonly schemas: Record<string, object> } {
  const schemas: Record<string, object> = {};
  const replaced = (node: unknown, isRecord: boolean): unknown => {
    if (Array.isArray(node)) return node.map((one) => replaced(one, false));
    if (typeof node !== "object" || node === null) return node;
    const name = isRecord || !("type" in node) ? undefined : names.get(JSON.stringify(node));
    if (name === undefined)
      return Object.fromEntries(Object.entries(node).map(([field, one]) => [field, replaced(one, false)]));
    schemas[name] ??= replaced(node, true) as object;
    return { $ref: `#/components/schemas/${name}` };
  };
  return { document: replaced(document, false) as object, schemas };
}

function describe(operation: Operation, all: readonly Operation[]): object {
  const { id, summary, notes, body, takes, result, resultLine, status, tagged } = operation;
  const links = linksOf(operation, all);
  const content = body !== undefined ? { "application/json": { schema: body } } : undefined;
  const bytes =
    takes === undefined
      ? undefined
      : {
          [takes]: {
            // A line that is no JSON is not refused: the answer has a line about it.
            schema: takes.endsWith("ndjson")
              ? { description: "one JSON object on each line" }
              : { type: "string", format: "binary" },
          },
        };
  const refusals = refusalsOf(operation).map((one) => [
    String(one),
    {
      description: "refused",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]);
  return {
    operationId: id,
    summary,
    ...(notes === undefined ? {} : { description: notes }),
    tags: [id.split(".")[0]],
    security: [{ bearer: operation.anyToken ? [] : [scopeOf(operation)] }],
    parameters: parametersOf(operation),
    ...(content === undefined && bytes === undefined
      ? {}
      : { requestBody: { required: true, content: content ?? bytes } }),
    responses: {
      [status]: {
        description: "done",
        ...(tagged ? { headers: { ETag: { schema: { type: "string" } } } } : {}),
        ...(result === undefined ? {} : { content: { "application/json": { schema: result } } }),
        ...(resultLine === undefined ? {} : { content: { "application/x-ndjson": { schema: linesOf(resultLine) } } }),
        ...(links === undefined ? {} : { links }),
      },
      ...Object.fromEntries(refusals),
      // From the parser of HTTP, before the API: without a problem document.
      431: { description: "address and headers are longer than 16 KiB together" },
    },
  };
}

const made = new Map<string, string>();

/** As text, made once for each issuer. */
export function openApiDocument(operations: readonly Operation[], issuer: string): string {
  let text = made.get(issuer);
  if (text === undefined) {
    text = JSON.stringify(documentOf(operations, issuer));
    made.set(issuer, text);
  }
  return text;
}

function documentOf(operations: readonly Operation[], issuer: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method.toLowerCase()] = describe(operation, operations);
    paths[operation.path] = methods;
  }
  const { document, schemas } = withReferences(paths);
  const scopes = Object.fromEntries(adminScopes(issuer).map(({ name, description }) => [name, description]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Assent admin API",
      version: "1",
      description: "Refusals are problem details (RFC 9457); their code names the refusal.",
    },
    servers: [{ url: `${issuer}/admin/api/v1` }],
    paths: document,
    components: {
      schemas: { Problem: problemSchema, ...schemas },
      securitySchemes: {
        bearer: {
          type: "oauth2",
          flows: {
            clientCredentials: { tokenUrl: issuer + endpoints.token, scopes },
            authorizationCode: {
              ...{ authorizationUrl: issuer + endpoints.authorization, tokenUrl: issuer + endpoints.token, scopes },
            },
          },
        },
      },
    },
  };
}
