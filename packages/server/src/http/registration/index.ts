/** The client registration endpoint, and the client configuration endpoint below it (RFC 7591 §3, RFC 7592 §2). */

import type { IncomingMessage } from "node:http";
import { clientInformation } from "../../client-registration/answer.ts";
import { type ClientRegistration, type Registrant, RegistrationRefusal } from "../../client-registration/index.ts";
import type { ClientMetadata, MetadataProblem } from "../../oauth/client-registration/metadata.ts";
import { conditions, errorParameters, refuse } from "../../oauth/errors.ts";
import { jsonBody } from "../admin-api/json-body.ts";
import { receiveBytes } from "../admin-api/receive-body.ts";
import { originOf } from "../connections/client-address.ts";
import { MAX_BODY } from "../connections/request-body.ts";
import { type Answer, type HttpRequest, json, type Upload } from "../http-message.ts";
import { problemJson, type Refusal, refusalOf, retryAfterOf } from "../refusal.ts";

export interface RegistrationTools {
  readonly issuer: string;
  readonly basePath: string;
  /** Null: it is switched off. */
  readonly registration: ClientRegistration | null;
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}

const ROOT = "/register";
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const CHALLENGE = 'Bearer realm="assent registration"';

export function receive(raw: IncomingMessage): Promise<Upload> {
  return receiveBytes(raw, MAX_BODY);
}

export async function answer(http: HttpRequest, tools: RegistrationTools): Promise<Answer> {
  try {
    return await respond(http, tools);
  } catch (error) {
    const refusal = refusalOf(error);
    tools.refused(refusal, http, error);
    const { condition } = refusal;
    const headers: Record<string, string> = { ...retryAfterOf(error) };
    const { status } = conditions[condition];
    if (status === 401)
      headers["www-authenticate"] = condition.endsWith("_missing")
        ? CHALLENGE
        : `${CHALLENGE}, error="${conditions[condition].error}"`;
    const problems = error instanceof RegistrationRefusal ? error.problems : [];
    if (problems.length === 0) return problemJson(condition, tools.issuer, http.id, headers);
    return json(
      status,
      { ...errorParameters(condition, tools.issuer, http.id), errors: problems.slice(0, MOST_PROBLEMS).map(shown) },
      headers,
    );
  }
}

async function respond(http: HttpRequest, tools: RegistrationTools): Promise<Answer> {
  const { registration, issuer } = tools;
  const clientId = clientIdIn(http, tools);
  if (registration === null || clientId === undefined) return problemJson("not_found", issuer, http.id);
  if (http.insecure) refuse("insecure_transport");
  const allowed = clientId === "" ? ["POST"] : ["GET", "PUT", "DELETE"];
  const method = http.method === "HEAD" ? "GET" : http.method;
  const allow = [...allowed, ...(clientId === "" ? [] : ["HEAD"]), "OPTIONS"].join(", ");
  if (method === "OPTIONS") return { status: 204, headers: { allow }, body: "" };
  if (!allowed.includes(method)) return problemJson("method_not_allowed", issuer, http.id, { allow });
  const registrant = registrantOf(http);
  if (method === "DELETE") {
    await registration.delete(clientId, registrant);
    return { ...json(204, ""), body: "" };
  }
  const made =
    method === "POST"
      ? await registration.register(() => metadataOf(http), registrant)
      : method === "PUT"
        ? await registration.replace(clientId, () => metadataOf(http), registrant)
        : await registration.read(clientId, registrant);
  return json(method === "POST" ? 201 : 200, clientInformation(made.client, made, issuer));
}

/** Empty: the registration endpoint. Undefined: there is nothing at this path. */
function clientIdIn({ path }: HttpRequest, { basePath }: RegistrationTools): string | undefined {
  const rest = path.slice(basePath.length + ROOT.length);
  if (rest === "") return "";
  try {
    const id = decodeURIComponent(rest.slice(1));
    return /^[\w-]{1,100}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function registrantOf(http: HttpRequest): Registrant {
  const headers = http.headers("authorization");
  if (headers.length > 1) refuse("access_token_sent_twice");
  const [header] = headers;
  const bearer = header === undefined ? undefined : (BEARER.exec(header)?.[1] ?? "");
  return { ...originOf(http.address), address: http.address, requestId: http.id, bearer };
}

/** RFC 7591 §3.1: JSON. Everything that is not one JSON object has the same error code. */
function metadataOf(http: HttpRequest): ClientMetadata {
  const { upload } = http;
  if (upload?.file === "too_large") refuse("registration_metadata_invalid", `more than ${MAX_BODY} bytes`);
  const bytes = upload === undefined || typeof upload.file === "string" ? new Uint8Array() : upload.file;
  const metadata = read(http, bytes);
  // Programs that read the client later could take it for the object's prototype.
  if (Object.hasOwn(metadata, "__proto__")) refuse("registration_metadata_invalid", "__proto__");
  return metadata;
}

function read(http: HttpRequest, bytes: Uint8Array): ClientMetadata {
  try {
    return jsonBody(http, bytes);
  } catch (error) {
    return refuse("registration_metadata_invalid", refusalOf(error).condition);
  }
}

/** Maximum number of problems and of characters of one that an answer names. */
const MOST_PROBLEMS = 20;
const LONGEST = 300;

/** A name of a member that the request chose freely is not repeated. */
function shown({ field, problem }: MetadataProblem) {
  return { field: /^[a-z_]{1,60}$/.test(field) ? field : "client_name", problem: problem.slice(0, LONGEST) };
}
