/** The back channel: token, revocation, introspection and device authorization endpoints (RFC 6749 §3.2, RFC 7009, RFC 7662, RFC 8628). */

import { formDecode } from "../../oauth/client-authentication/client-secret-basic.ts";
import { authorizeDevice } from "../../oauth/device-authorization.ts";
import { conditions, OAuthError, refuse } from "../../oauth/errors.ts";
import { introspect } from "../../oauth/introspection.ts";
import type { Client } from "../../oauth/model.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import { revoke } from "../../oauth/revocation.ts";
import {
  exchange,
  type IssueObserver,
  type TokenEndpointContext,
  type TokenRequest,
} from "../../oauth/token-endpoint/endpoint.ts";
import type { FailedClients } from "../../owners/client-authentication-failures.ts";
import { originOf } from "../connections/client-address.ts";
import { backChannelForm } from "../form-body.ts";
import { type Answer, type HttpRequest, json } from "../http-message.ts";
import {
  factsOf,
  namesParameter,
  problemJson,
  type Refusal,
  type RefusalFacts,
  refusalOf,
  retryAfterOf,
} from "../refusal.ts";

export interface BackChannelTools {
  readonly issuer: string;
  readonly oauth: TokenEndpointContext;
  readonly metrics: IssueObserver;
  readonly failedClients: FailedClients;
  /** Logs why a request was refused, or the fault that it caused. */
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}

/** Resolves with the body of a 200: a value, or its JSON. */
type BackChannel<Tools> = (form: TokenRequest, tools: Tools, http: HttpRequest) => Promise<unknown>;

export const token = guarded((form, tools) => exchange(form, tools.oauth, tools.metrics));

// RFC 7009 §2.2: the body has no meaning, but clients that parse JSON get some.
export const revocation = guarded((form, tools) => revoke(form, tools.oauth).then(() => "{}"));

export const introspection = guarded((form, tools) => introspect(form, tools.oauth));

export const deviceAuthorization = guarded((form, tools, { address }) =>
  authorizeDevice({ ...form, address, ...originOf(address) }, tools.oauth),
);

/** The common part of these endpoints: the form, the count of failed authentications, refusals as JSON. */
export function guarded<Tools extends BackChannelTools = BackChannelTools>(
  respond: BackChannel<Tools>,
): (http: HttpRequest, tools: Tools) => Promise<Answer> {
  return async (http, tools) => {
    let form: TokenRequest | undefined;
    try {
      form = backChannelForm(http);
      return json(200, await respond(form, tools, http));
    } catch (error) {
      return refused(await countedFailure(error, form, http, tools), form, http, tools);
    }
  };
}

async function refused(
  error: unknown,
  form: TokenRequest | undefined,
  http: HttpRequest,
  tools: BackChannelTools,
): Promise<Answer> {
  const refusal = refusalOf(error);
  const facts = form === undefined ? {} : await factsFor(refusal.condition, form, tools);
  tools.refused({ ...refusal, facts }, http, error);
  return problemJson(refusal.condition, tools.issuer, http.id, retryAfterOf(error));
}

/** The form is parsed again only where a parameter of it is to be named. */
async function factsFor(
  condition: Refusal["condition"],
  form: TokenRequest,
  { oauth }: BackChannelTools,
): Promise<RefusalFacts> {
  const clientId = claimedClient(form);
  if (!namesParameter(condition)) return factsOf(condition, clientId, undefined, undefined);
  return factsOf(condition, clientId, parseParameters(form.body), await clientOf(clientId, oauth));
}

/** Undefined also in an outage, which the next request tells of. */
async function clientOf(clientId: string, { catalog }: TokenEndpointContext): Promise<Client | undefined> {
  try {
    return clientId === "" ? undefined : await catalog.client(clientId);
  } catch {
    return undefined;
  }
}

/** The error. After too many failed authentications, the error for that instead. */
async function countedFailure(
  error: unknown,
  form: TokenRequest | undefined,
  http: HttpRequest,
  tools: BackChannelTools,
): Promise<unknown> {
  if (form === undefined || !(error instanceof OAuthError) || !conditions[error.condition].countsAsGuess) return error;
  try {
    await countFailure(form, http, tools);
    return error;
  } catch (another) {
    return another;
  }
}

/**
 * A client that fails too often must wait. The server still accepts the right secret: it has 256 random bits, so nobody
 * can guess it, and nobody can lock a client out by failing in its name.
 */
async function countFailure(
  form: TokenRequest,
  { address }: HttpRequest,
  { failedClients }: BackChannelTools,
): Promise<void> {
  if (await failedClients.exceeded(originOf(address), claimedClient(form))) refuse("client_throttled");
}

/**
 * The decoded id alone, so that another spelling counts as the same client. The server keeps no secret, not even a
 * wrong one.
 */
function claimedClient({ body, authorization: [header] }: TokenRequest): string {
  if (header !== undefined) {
    const credentials = Buffer.from(header.slice(header.indexOf(" ") + 1, 1024), "base64").toString();
    return formDecode(credentials.slice(0, Math.min(600, Math.max(0, credentials.indexOf(":"))))).slice(0, 200);
  }
  // An id without escapes is found without reading the whole form; for any other the form is parsed.
  const plain = /(?:^|&)client_id=([\w.~-]{1,200})(?:&|$)/.exec(body)?.[1];
  if (plain !== undefined) return plain;
  const { single } = parseParameters(body);
  return (single.get("client_id") ?? subjectOf(single.get("client_assertion")))?.slice(0, 200) ?? "";
}

/**
 * The client that an assertion names, if client_id is left out (RFC 7521 §4.2). It is not verified; the failure only
 * counts under that name.
 */
function subjectOf(assertion: string | undefined): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion?.split(".")[1] ?? "", "base64url").toString());
    const sub = typeof claims === "object" && claims !== null && "sub" in claims ? claims.sub : undefined;
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}
