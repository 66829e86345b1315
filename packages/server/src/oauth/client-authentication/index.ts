/** Client authentication: exactly one method in a request, the registered one (RFC 6749 §2.3). */

import { refuse } from "../errors.ts";
import type { Client, ClientAuthMethod } from "../model.ts";
import type { Parameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import { type Assertion, checkAssertion, presentedAssertion, type WorkloadAssertion } from "./client-assertion.ts";
import { type ClientCertificate, checkCertificate } from "./client-certificate.ts";
import { compareSecret } from "./client-secret.ts";
import { readBasic } from "./client-secret-basic.ts";

/** The parts of an HTTP request that can carry credentials. */
export interface CredentialsSent {
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
  readonly parameters: Parameters;
  /** The certificate of its connection. Undefined: there is none. Call it only for clients that need it. */
  certificate(): ClientCertificate | undefined;
}

/** The client that a caller claims to be, and the means of proof. */
export interface Presented {
  readonly clientId: string;
  /** The means that was sent. The registration says which method this is. */
  readonly by: Exclude<Means, "certificate">;
  /** Null: there is no secret. */
  readonly secret: string | null;
  /** Null: there is no assertion. */
  readonly assertion: Assertion | WorkloadAssertion | null;
}

/** `nothing`: client_id alone. `certificate`: client_id alone, on a connection with a certificate. */
type Means = "secret" | "assertion" | "certificate" | "nothing";

/**
 * The means that each registered method accepts. A secret may come by Basic or in the body, because real clients mix
 * the two. Any means other than the registered one is refused, so that nobody can use a weaker one.
 */
const methods = {
  client_secret_basic: "secret",
  client_secret_post: "secret",
  client_secret_jwt: "assertion",
  private_key_jwt: "assertion",
  workload_jwt: "assertion",
  tls_client_auth: "certificate",
  self_signed_tls_client_auth: "certificate",
  none: "nothing",
} as const satisfies Partial<Record<ClientAuthMethod, Means>>;

/** A method that this server supports. */
export type SupportedMethod = keyof typeof methods;

/** All methods that work if certificates can arrive, in the order of the metadata. */
export const authenticationMethods = Object.keys(methods) as readonly SupportedMethod[];

/** Reads what was presented, before any lookup (RFC 6749 §2.3.1). */
export function presentedCredentials(
  { authorization, parameters }: Pick<CredentialsSent, "authorization" | "parameters">,
  context: Pick<OAuthContext, "hashes" | "foreignJwts">,
): Presented {
  const clientId = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  const header = authorization[0];
  if (authorization.length > 1) refuse("two_credentials", "two Authorization headers");
  const assertion = parameters.has("client_assertion") || parameters.has("client_assertion_type");
  if (Number(header !== undefined) + Number(secret !== undefined) + Number(assertion) > 1) refuse("two_credentials");
  if (header !== undefined) {
    const basic = readBasic(header, context.hashes);
    if (clientId !== undefined && clientId !== basic.clientId)
      refuse("two_credentials", "client_id differs from the header's");
    return { clientId: basic.clientId, by: "secret", secret: basic.secret, assertion: null };
  }
  const read = presentedAssertion(parameters, context);
  if (read !== null) return { clientId: read.clientId, by: "assertion", secret: null, assertion: read };
  if (clientId === undefined) return refuse("client_id_missing");
  if (secret !== undefined) return { clientId, by: "secret", secret, assertion: null };
  return { clientId, by: "nothing", secret: null, assertion: null };
}

/** The client that sent the request. Every failure is `invalid_client` for the caller; the log names the condition. */
export async function authenticateClient(sent: CredentialsSent, context: OAuthContext): Promise<Client> {
  const presented = presentedCredentials(sent, context);
  const { catalog, documents } = context;
  const { clientId } = presented;
  const client = await (documents?.client(clientId, "client_unknown") ?? catalog.client(clientId));
  if (client !== undefined && meansOf(client) === "certificate") checkByCertificate(presented, client, sent);
  else if (presented.assertion === null) checkSecret(presented, client, context);
  else await checkByAssertion(presented.assertion, client, context);
  // The other checks refuse an unknown client themselves.
  if (client === undefined) refuse("client_unknown");
  if (client.status !== "active") refuse("client_disabled");
  if (client.document !== undefined && documents === null)
    refuse("client_disabled", "client ID metadata documents are switched off");
  return client;
}

function meansOf({ authMethod }: Client): Means | undefined {
  return authMethod in methods ? methods[authMethod as SupportedMethod] : undefined;
}

/** For the operator: what came, and what would be right. */
function otherMethod(sent: string, { authMethod }: Client): string {
  return `the request has ${sent}, and the client is registered for ${authMethod}`;
}

function checkSecret({ by, secret }: Presented, client: Client | undefined, context: OAuthContext): void {
  // The same work for an unknown client: the response takes as long as for a wrong secret.
  const secrets = client?.secrets ?? [];
  const matched = secret === null ? "wrong" : compareSecret(secret, secrets, context);
  if (client === undefined) refuse("client_unknown");
  const registered = meansOf(client);
  if (by === "nothing") {
    if (registered !== "nothing") refuse("client_secret_missing");
  } else if (registered === "nothing") {
    refuse("client_has_no_secret");
  } else if (registered !== "secret") {
    // The secret of a client_secret_jwt client works for nothing else.
    refuse("client_method_not_registered", otherMethod("a secret", client));
  } else if (matched !== "valid") {
    refuse(matched === "expired" ? "client_secret_expired" : "client_secret_wrong");
  }
}

/**
 * For other clients, the certificate of a connection is no credential: it may be there to bind tokens (RFC 8705 §3).
 */
function checkByCertificate({ by }: Presented, client: Client, sent: CredentialsSent): void {
  const certificate = sent.certificate();
  if (by !== "nothing")
    refuse(
      certificate === undefined ? "client_method_not_registered" : "two_credentials",
      otherMethod("a secret", client),
    );
  checkCertificate(client, certificate);
}

async function checkByAssertion(
  assertion: Assertion | WorkloadAssertion,
  client: Client | undefined,
  context: OAuthContext,
): Promise<void> {
  const method = client?.authMethod;
  if (assertion.jti === null) {
    if (client !== undefined && method === "workload_jwt") {
      const { checkWorkloadToken } = await import("./workload-token.ts");
      return checkWorkloadToken(assertion.jwt, client, context);
    }
  } else if (client !== undefined && (method === "client_secret_jwt" || method === "private_key_jwt")) {
    return checkAssertion(assertion, client, method, context);
  }
  // The same work for an unknown client, or one that signs nothing.
  await context.foreignJwts.pretend(assertion.jwt);
  if (client === undefined) refuse("client_unknown");
  if (assertion.jti === null && signsItself(method)) refuse("client_assertion_subject_wrong");
  refuse("client_method_not_registered", otherMethod("a client assertion", client));
}

/** True: the client signs its assertions, so each must name the client as issuer and subject. */
function signsItself(method: ClientAuthMethod | undefined): boolean {
  return method === "client_secret_jwt" || method === "private_key_jwt";
}
