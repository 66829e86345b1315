/** The authorization code grant at the token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.5, RFC 9700 §4.8). */

import { longestAccessTtl, type TokenResponse, tokenResponse } from "../access-token.ts";
import { refuse } from "../errors.ts";
import type { Client, Grant } from "../model.ts";
import { challengesOf } from "../pkce.ts";
import type { Credential, OAuthContext } from "../ports.ts";
import type { RedeemOutcome } from "../storage.ts";
import type { GrantRequest, GrantType } from "./index.ts";
import { judgeGrant, oneResource } from "./judge.ts";

export const authorizationCode: GrantType = {
  grantType: "authorization_code",

  async redeem(request, context): Promise<TokenResponse> {
    const { client, single } = request;
    const code = single.get("code") ?? refuse("code_missing");
    const redirectUri = single.get("redirect_uri") ?? refuse("redirect_uri_missing");
    const resource = oneResource(request);
    // A code that isn't ours, or isn't a code, is refused without asking the database.
    const credential = context.credentials.read("code", code) ?? refuse("code_unknown", "not one of ours");

    // §5.2's order: scope and resource are judged before the row is touched, so that their refusal burns nothing.
    if (resource !== undefined) await judgeBefore(credential, resource, client, context);

    const salt = context.credentials.newSalt();
    const outcome = await context.storage.redeemCode({
      partition: credential.partition,
      grantId: credential.grantId,
      codeSaltHash: credential.saltHash,
      clientId: client.clientId,
      redirectUri,
      network: context.networkOf(request.address),
      ...challengesOf(single.get("code_verifier"), context.hashes),
      resourceNamed: resource !== undefined,
      refreshSaltHash: salt.hash,
      ...lifetimes(client, await longestAccessTtl(context), context),
    });
    const grant = redeemed(outcome, redirectUri, request, context);

    const judged = await judgeGrant(grant, client, { scope: undefined, resource }, context);
    return tokenResponse(grant, judged, client, context, () =>
      context.credentials.make("refresh_token", grant.grantId, 1, salt.salt),
    );
  },
};

async function judgeBefore(
  credential: Credential,
  resource: string,
  client: Client,
  context: OAuthContext,
): Promise<void> {
  const grant = await context.storage.findGrant({ ...credential });
  if (grant === undefined || grant.clientId !== client.clientId || grant.status !== "active") return;
  await judgeGrant(grant, client, { scope: undefined, resource }, context);
}

/** A grant without refresh tokens is kept for as long as an access token of it can live. */
function lifetimes(client: Client, ttl: number, { policy, now }: OAuthContext) {
  const at = now();
  const idle = client.type === "public" ? policy.refreshIdlePublic : policy.refreshIdleConfidential;
  return { now: at, idleUntil: at + idle, accessUntil: at + ttl };
}

/** The grant, if this request redeemed it; each other outcome is a refusal of its own. */
function redeemed(outcome: RedeemOutcome, redirectUri: string, { single }: GrantRequest, context: OAuthContext): Grant {
  switch (outcome.kind) {
    case "redeemed":
      return outcome.grant;
    case "burned":
      return refuse(burnedBy(outcome.grant, redirectUri, single.has("code_verifier")));
    case "replayed":
      // Whoever redeemed it first may be the thief (OAuth 2.1 §7.5.2): the storage has ended the grant.
      context.event("code_replayed", { client_id: outcome.grant.clientId, grant_id: outcome.grant.grantId });
      return refuse("code_replayed");
    case "replay_invalid":
      return refuse("code_unknown", "a spent code, with a wrong redirect_uri or verifier");
    case "needs_resource":
      return refuse("resource_needed");
    case "unknown":
      return refuse("code_unknown");
  }
}

function burnedBy(grant: Grant, redirectUri: string, verifierSent: boolean) {
  if (grant.redirectUri !== redirectUri) return "code_redirect_uri_differs";
  if (grant.codeChallenge === null) return "code_verifier_unexpected";
  return verifierSent ? "code_verifier_wrong" : "code_verifier_missing";
}
