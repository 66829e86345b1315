/** The admin API: finds the operation, and checks token, scope, parameters and body before the use-case runs. */

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Check } from "typebox/schema";
import { AdminError } from "../../admin/admin-error.ts";
import type { Authority } from "../../admin/api-access/authority.ts";
import { beginKeyed, finishKeyed, forgetKeyed, type StoredAnswer } from "../../admin/api-access/keyed-requests.ts";
import { causedBy } from "../../admin/context.ts";
import type { Cause } from "../../events/event.ts";
import { OAuthError, refuse } from "../../oauth/errors.ts";
import { MAX_BODY } from "../connections/request-body.ts";
import { isEncoded } from "../form-body.ts";
import { type Answer, type HttpRequest, json, type Upload } from "../http-message.ts";
import { refusalOf, retryAfterOf } from "../refusal.ts";
import { authenticate, requireScope } from "./bearer.ts";
import { etagOf, matcherOf } from "./etag.ts";
import { isStorableText, jsonBody } from "./json-body.ts";
import { openApiDocument } from "./openapi.ts";
import type { Call, Operation, Result } from "./operation.ts";
import { operations } from "./operations/index.ts";
import { ApiRefusal, problemAnswer, refusalOfUseCase, refuseFields } from "./problem.ts";
import { queryOf } from "./query.ts";
import { receiveBytes } from "./receive-body.ts";
import { find } from "./routes.ts";
import type { AdminApiTools } from "./tools.ts";
import { problemsOf } from "./validation.ts";
import { WriteTurns } from "./write-turns.ts";

const ROOT = "/admin/api/v1";
const NO_BYTES = new Uint8Array();
/** Of this process. */
const turns = new WriteTurns();

/** The path below the API. */
function pathOf(http: HttpRequest, { basePath }: AdminApiTools): string {
  return http.path.slice(basePath.length + ROOT.length);
}

/** Reads the body before the endpoint runs. */
export async function receive(
  raw: IncomingMessage,
  http: HttpRequest,
  _over: (callback: () => void) => void,
  tools: AdminApiTools,
): Promise<Upload> {
  return receiveBytes(raw, await mostBytes(http, tools));
}

/** A stranger's body stays small. */
async function mostBytes(http: HttpRequest, tools: AdminApiTools): Promise<number> {
  const found = find(pathOf(http, tools), http.method);
  if (found.kind !== "found" || found.operation.most === undefined) return MAX_BODY;
  const { most, group, access } = found.operation;
  try {
    requireScope(await authenticate(http, tools), group, access);
    return most;
  } catch {
    // The endpoint says what is wrong.
    return MAX_BODY;
  }
}

export async function answer(http: HttpRequest, tools: AdminApiTools): Promise<Answer> {
  let named = false;
  try {
    const path = pathOf(http, tools);
    const method = http.method === "HEAD" ? "GET" : http.method;
    if (path === "/openapi.json" && method === "GET") return json(200, openApiDocument(operations, tools.issuer));
    const authority = await authenticate(http, tools);
    const found = find(path, method);
    if (found.kind === "unknown") throw new ApiRefusal("record_unknown", [{ field: null, problem: noOperation(path) }]);
    if (found.kind === "other_method") {
      return problemAnswer("method_not_allowed", tools.issuer, http.id, { headers: { allow: found.allow } });
    }
    const { operation, params } = found;
    named = Object.keys(params).length > 0;
    if (!operation.anyToken) requireScope(authority, operation.group, operation.access);
    return await perform(operation, params, authority, http, tools);
  } catch (error) {
    const told = error instanceof AdminError ? refusalOfUseCase(error, named) : error;
    const refusal = refusalOf(told);
    tools.refused(refusal, http, told);
    const extra = told instanceof ApiRefusal ? { problems: told.problems, headers: told.headers } : {};
    const { headers = {} } = extra;
    return problemAnswer(refusal.condition, tools.issuer, http.id, {
      ...extra,
      headers: { ...retryAfterOf(told), ...headers },
    });
  }
}

function noOperation(path: string): string {
  return path.includes("://")
    ? "percent-encode the identifier in the path: https%3A%2F%2Fapi.example.com"
    : "there is no operation with this path; openapi.json lists all";
}

async function perform(
  operation: Operation,
  params: Readonly<Record<string, string>>,
  authority: Authority,
  http: HttpRequest,
  tools: AdminApiTools,
): Promise<Answer> {
  if (!Object.values(params).every(isStorableText)) refuse("record_unknown");
  const query = queryOf(http.query, operation.query);
  const bytes = bytesOf(http);
  const body = bodyOf(operation, bytes, http);
  const match = conditionOf(operation, http);
  const cause = operation.access === "write" ? causeOf(operation, body, authority, http, tools) : null;
  const admin = cause === null ? tools.admin : causedBy(tools.admin, cause);
  const call = { params, query, body, bytes, authority, admin, tools, cause, match } as unknown as Call<never, never>;
  const run = async (): Promise<Answer> => {
    const result = await operation.answer(call);
    if (operation.access === "write") {
      tools.changed();
      const target = Object.values(params).join(" ") || (result.location ?? "");
      tools.event("admin_change", { operation: operation.id, actor: authority.actor, target, address: http.address });
    }
    if (result.advice === undefined) return answered(operation, result, tools);
    return answered(
      operation,
      { ...result, record: { ...(result.record as object), ...(await result.advice()) } },
      tools,
    );
  };
  const key = http.header("idempotency-key");
  if (key !== undefined && operation.method === "POST" && !KEY.test(key)) refuse("idempotency_key_invalid");
  const once = key === undefined || operation.method !== "POST" || operation.repeats ? undefined : key;
  const act = once === undefined ? run : () => onlyOnce(once, operation, authority, http, bytes, tools, run);
  return operation.access === "write" ? turns.inTurn(authority.actor, act) : act();
}

/** Most field names that an event repeats. */
const MOST_FIELDS = 50;

/** Events of what the request changes name its caller. */
function causeOf(
  { id }: Operation,
  body: unknown,
  { actor }: Authority,
  { address, id: requestId }: HttpRequest,
  { now }: AdminApiTools,
): Cause {
  const fields = typeof body === "object" && body !== null ? Object.keys(body).slice(0, MOST_FIELDS) : [];
  return { actor, door: "api", operation: id, fields, address, at: now(), requestId };
}

function bytesOf({ upload }: HttpRequest): Uint8Array {
  if (upload === undefined || upload.file === "none") return NO_BYTES;
  if (typeof upload.file === "string") return refuse("body_too_large");
  return upload.file;
}

function bodyOf({ body: schema, takes }: Operation, bytes: Uint8Array, http: HttpRequest): unknown {
  if (takes !== undefined) {
    if (isEncoded(http.header("content-encoding"))) refuse("content_encoding_refused");
    const type = (http.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (takes.endsWith("/*") ? !type.startsWith(takes.slice(0, -1)) : type !== takes) refuse("content_type_not_json");
    return undefined;
  }
  if (schema === undefined) {
    if (bytes.length > 0) refuseFields([{ field: null, problem: "this operation has no body" }]);
    return undefined;
  }
  const value = jsonBody(http, bytes);
  if (!Check(schema, value)) refuseFields(problemsOf(schema, value));
  return value;
}

/** If-Match is required where it is checked, and refused where it would have no effect. */
function conditionOf({ matches }: Operation, http: HttpRequest): (record: unknown) => void {
  const header = http.header("if-match");
  if (matches) return matcherOf(header);
  if (header !== undefined) refuseFields([{ field: "If-Match", problem: "this operation does not check it" }]);
  return () => undefined;
}

function answered({ status }: Operation, { record, tagged, location, lines }: Result, tools: AdminApiTools): Answer {
  const headers = {
    ...(tagged === undefined ? {} : { etag: etagOf(tagged) }),
    ...(location === undefined ? {} : { location: `${tools.issuer}${ROOT}${location}` }),
  };
  if (lines !== undefined) {
    return { ...json(status, lines, { ...headers, "content-type": "application/x-ndjson; charset=utf-8" }) };
  }
  if (record === undefined) return { ...json(status, "", headers), body: "" };
  return json(status, record, headers);
}

const KEY = /^[\x21-\x7e]{1,200}$/;

/** The first request with a key is done; each repetition gets its answer. A refused one can be repeated with its key. */
async function onlyOnce(
  key: string,
  operation: Operation,
  { actor, scopes }: Authority,
  http: HttpRequest,
  bytes: Uint8Array,
  tools: AdminApiTools,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const request = { actor, key };
  const hash = createHash("sha256");
  // An answer can have what a narrower token of the same caller may not see.
  const facts = [operation.id, http.path, http.query, http.header("content-type") ?? "", [...scopes].sort().join(" ")];
  for (const part of facts) {
    hash.update(part).update("\0");
  }
  const begun = await beginKeyed(request, hash.update(bytes).digest("base64url"), tools.admin);
  switch (begun.kind) {
    case "full":
      return refuse("idempotency_keys_full");
    case "reused":
      return refuse("idempotency_key_reused");
    case "unfinished":
      return refuse("idempotency_key_unfinished");
    case "answered":
      return { ...begun.answer, headers: { ...begun.answer.headers, "idempotency-replayed": "true" } };
    case "begun":
  }
  let made: Answer;
  try {
    made = await run();
  } catch (error) {
    // A refusal has changed nothing. After any other error, nobody knows.
    if (error instanceof AdminError || error instanceof OAuthError) await forgetKeyed(request, tools.admin);
    throw error;
  }
  await finishKeyed(request, made as StoredAnswer, tools.admin);
  return made;
}
