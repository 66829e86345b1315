/** Client authentication: exactly one method in a request, the registered one (RFC 6749 §2.3). */

import { refuse } from "../errors.ts";
import type { Client, ClientAuthMethod } from "../model.ts";
import type { Parameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import { type Assertion, checkAssertion, presentedAssertion } from "./client-assertion.ts";
import { type ClientCertificate, checkCertificate } from "./client-certificate.ts";
import { compareSecret } from "./client-secret.ts";
import { readBasic } from "./client-secret-basic.ts";

/** The parts of an HTTP request that can carry credentials. */
export interface CredentialsSent {
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
  readonly parameters: Parameters;
  /** The certificate of its connection; undefined: there is none. Read only for clients that it matters for. */
  certificate(): ClientCertificate | undefined;
}

/** Who a caller claims to be, and by what. */
export interface Presented {
  readonly clientId: string;
  /** What was sent; which method that is, the registration says. */
  readonly by: Exclude<Means, "certificate">;
  /** Null where it is none. */
  readonly secret: string | null;
  /** Null where there is none. */
  readonly assertion: Assertion | null;
}

/** `nothing`: the bare client_id. `certificate`: the bare client_id, and a certificate beneath it. */
type Means = "secret" | "assertion" | "certificate" | "nothing";

/**
 * What each registered method takes. Whether a secret comes by Basic or in the body makes no difference, because real clients mix the two; any
 * other means than that of the registration is refused, so nobody can fall back to a weaker one.
 */
const methods = {
  client_secret_basic: "secret",
  client_secret_post: "secret",
  client_secret_jwt: "assertion",
  private_key_jwt: "assertion",
  tls_client_auth: "certificate",
  self_signed_tls_client_auth: "certificate",
  none: "nothing",
} as const satisfies Partial<Record<ClientAuthMethod, Means>>;

/** A method that works here. */
export type SupportedMethod = keyof typeof methods;

/** All that work here where certificates can arrive, in the order in which metadata names them. */
export const authenticationMethods = Object.keys(methods) as readonly SupportedMethod[];

/** What was presented, before anything is looked up (RFC 6749 §2.3.1). */
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

/** The client that sent the request. Every failure is `invalid_client` to the caller; the log has which. */
export async function authenticateClient(sent: CredentialsSent, context: OAuthContext): Promise<Client> {
  const presented = presentedCredentials(sent, context);
  const client = await context.catalog.client(presented.clientId);
  if (client !== undefined && meansOf(client) === "certificate") checkByCertificate(presented, client, sent);
  else if (presented.assertion === null) checkSecret(presented, client, context);
  else await checkByAssertion(presented.assertion, client, context);
  // The other checks refuse a client that isn't there.
  if (client === undefined) refuse("client_unknown");
  if (client.status !== "active") refuse("client_disabled");
  return client;
}

function meansOf({ authMethod }: Client): Means | undefined {
  return authMethod in methods ? methods[authMethod as SupportedMethod] : undefined;
}

function checkSecret({ by, secret }: Presented, client: Client | undefined, context: OAuthContext): void {
  // The same work for a client that isn't there: its answer takes as long as a wrong secret's.
  const secrets = client?.secrets ?? [];
  const matched = secret === null ? "wrong" : compareSecret(secret, secrets, context);
  if (client === undefined) refuse("client_unknown");
  const registered = meansOf(client);
  if (by === "nothing") {
    if (registered !== "nothing") refuse("client_secret_missing");
  } else if (registered === "nothing") {
    refuse("client_has_no_secret");
  } else if (registered !== "secret") {
    // The secret that signs a client_secret_jwt is good for nothing else.
    refuse("client_method_not_registered");
  } else if (matched !== "valid") {
    refuse(matched === "expired" ? "client_secret_expired" : "client_secret_wrong");
  }
}

/** A certificate beneath other clients' connections is no credential: it may be there to bind tokens to (RFC 8705 §3). */
function checkByCertificate({ by }: Presented, client: Client, sent: CredentialsSent): void {
  const certificate = sent.certificate();
  if (by !== "nothing") refuse(certificate === undefined ? "client_method_not_registered" : "two_credentials");
  checkCertificate(client, certificate);
}

async function checkByAssertion(
  assertion: Assertion,
  client: Client | undefined,
  context: OAuthContext,
): Promise<void> {
  const method = client?.authMethod;
  if (client !== undefined && (method === "client_secret_jwt" || method === "private_key_jwt")) {
    return checkAssertion(assertion, client, method, context);
  }
  // The same work again for a client that isn't there, or signs nothing.
  await context.foreignJwts.pretend(assertion.jwt);
  refuse(client === undefined ? "client_unknown" : "client_method_not_registered");
}
