/** Client authentication: exactly one method in a request, the registered one (RFC 6749 §2.3). */

import { refuse } from "../errors.ts";
import type { Client, ClientAuthMethod } from "../model.ts";
import type { Parameters } from "../parameters.ts";
import type { Hashes, OAuthContext } from "../ports.ts";
import { compareSecret } from "./client-secret.ts";
import { readBasic } from "./client-secret-basic.ts";

/** The parts of an HTTP request that can carry credentials. */
export interface CredentialsSent {
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
  readonly parameters: Parameters;
}

/** Who a caller claims to be, and by what. */
export interface Presented {
  readonly clientId: string;
  readonly method: ClientAuthMethod;
  /** Null where the method is `none`. */
  readonly secret: string | null;
}

/** What was presented, before anything is looked up (RFC 6749 §2.3.1). */
export function presentedCredentials({ authorization, parameters }: CredentialsSent, hashes: Hashes): Presented {
  const clientId = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  const header = authorization[0];
  if (authorization.length > 1) refuse("two_credentials", "two Authorization headers");
  const assertion = parameters.has("client_assertion") || parameters.has("client_assertion_type");
  if ([header, secret, assertion || undefined].filter((one) => one !== undefined).length > 1) refuse("two_credentials");
  if (header !== undefined) {
    const basic = readBasic(header, hashes);
    if (clientId !== undefined && clientId !== basic.clientId)
      refuse("two_credentials", "client_id differs from the header's");
    return { clientId: basic.clientId, method: "client_secret_basic", secret: basic.secret };
  }
  if (clientId === undefined) return refuse("client_id_missing");
  if (assertion) refuse("client_secret_missing", "no client here authenticates by assertion");
  if (secret !== undefined) return { clientId, method: "client_secret_post", secret };
  return { clientId, method: "none", secret: null };
}

/** A client registered for one way to send its secret may use the other; never a weaker method. */
const interchangeable: ReadonlySet<ClientAuthMethod> = new Set(["client_secret_basic", "client_secret_post"]);

/** The client that sent the request. Every failure is `invalid_client` to the caller; the log has which. */
export async function authenticateClient(sent: CredentialsSent, context: OAuthContext): Promise<Client> {
  const presented = presentedCredentials(sent, context.hashes);
  const client = await context.catalog.client(presented.clientId);
  checkCredentials(presented, client, context);
  return client;
}

function checkCredentials(
  presented: Presented,
  client: Client | undefined,
  context: OAuthContext,
): asserts client is Client {
  // The same work for a client that isn't there: its answer takes as long as a wrong secret's.
  const secrets = client?.secrets ?? [];
  const matched = presented.secret === null ? "wrong" : compareSecret(presented.secret, secrets, context);
  if (client === undefined) refuse("client_unknown");
  if (presented.method === "none") {
    if (client.authMethod !== "none") refuse("client_secret_missing");
  } else if (client.authMethod === "none") {
    refuse("client_has_no_secret");
  } else if (!interchangeable.has(client.authMethod) && client.authMethod !== presented.method) {
    refuse("client_secret_wrong", "not the registered method");
  } else if (matched !== "valid") {
    refuse(matched === "expired" ? "client_secret_expired" : "client_secret_wrong");
  }
  if (client.status !== "active") refuse("client_disabled");
}
