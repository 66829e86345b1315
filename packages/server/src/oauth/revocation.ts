/** Token revocation (RFC 7009). */

import { authenticateClient } from "./client-authentication/index.ts";
import { refuse } from "./errors.ts";
import { parseOrRefuse } from "./parameters.ts";
import type { OAuthContext } from "./ports.ts";
import type { TokenRequest } from "./token-endpoint/endpoint.ts";
import { missedByClient, missKey } from "./unknown-token-limit.ts";

/**
 * Ends the grant that a refresh token of any generation belongs to; the consent stays. Returns for unknown tokens, too (§2.2).
 * `token_type_hint` is not needed to know a token, so a wrong one does no harm (§2.1).
 */
export async function revoke(request: TokenRequest, context: OAuthContext): Promise<void> {
  const parameters = parseOrRefuse(request.body);
  const client = await authenticateClient({ ...request, parameters: parameters.single }, context);
  const token = parameters.single.get("token") ?? refuse("token_missing");
  const credential = context.credentials.read("refresh_token", token);
  if (credential === undefined) {
    // §2.2.1: a valid access token of ours only times out; saying 200 would be a promise that isn't kept.
    if ((await context.accessTokens.verify(token, context.now())) !== undefined) refuse("unsupported_token_type");
    return missedByClient(client, request.address, context);
  }
  // A client that missed too often gets no write for another miss.
  if (context.misses.isOver(missKey(client, request.address, context))) {
    const grant = await context.storage.grants.find({ ...credential, grantId: credential.id });
    if (grant?.clientId !== client.clientId) return missedByClient(client, request.address, context);
  }
  const outcome = await context.storage.grants.end({
    partition: credential.partition,
    grantId: credential.id,
    saltHash: credential.saltHash,
    clientId: client.clientId,
    now: context.now(),
  });
  if (outcome.kind === "unknown") return missedByClient(client, request.address, context);
  if (outcome.kind === "other_client") {
    missedByClient(client, request.address, context);
    context.event("revocation_of_other_clients_token", { client_id: client.clientId, grant_id: credential.id });
    refuse("token_of_other_client");
  }
  if (outcome.kind === "ended") {
    context.event("grant_revoked_by_client", { client_id: client.clientId, grant_id: credential.id });
  }
}
