/** The authorization code grant at the token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.5, RFC 9700 §4.8). */

import { refuse } from "../errors.ts";
import type { Grant } from "../model.ts";
import { challengesOf } from "../pkce.ts";
import type { OAuthContext } from "../ports.ts";
import type { RedeemOutcome } from "../storage.ts";
import { scopesWereTaken } from "./effective-scopes.ts";
import { type GrantRequest, type GrantType, type Redemption, required } from "./grant-type.ts";

export const authorizationCode: GrantType = {
  grantType: "authorization_code",
  parameters: { code: "code_missing", redirect_uri: "redirect_uri_missing", code_verifier: null },
  refreshable: true,
  startsAt: "authorization",

  async entitle(request, context) {
    const { client, single } = request;
    const redirectUri = required(request, "redirect_uri");
    // A text that is not a code of this server is refused without a query.
    const credential =
      context.credentials.read("code", required(request, "code")) ?? refuse("code_unknown", "not one of ours");
    return {
      kind: "grant",
      checkScopesFirst: await scopesWereTaken(client, context),

      async read() {
        const grant = await context.storage.grants.find({ ...credential, grantId: credential.id });
        // A spent code is not judged here: the statement must see it, to detect the replay.
        const unspent = grant?.status === "active" && grant.generation === 0;
        return unspent && grant.clientId === client.clientId ? grant : undefined;
      },

      async redeem({ scopesChecked: judged, ...terms }) {
        const outcome = await context.storage.grants.redeem({
          partition: credential.partition,
          grantId: credential.id,
          codeSaltHash: credential.saltHash,
          clientId: client.clientId,
          redirectUri,
          network: context.networkOf(request.address),
          ...challengesOf(single.get("code_verifier"), context.hashes),
          resourceNamed: judged,
          ...terms,
        });
        return redeemed(outcome, redirectUri, request, context);
      },
    };
  },
};

/** The grant, if this request redeemed it. Each other outcome has its own refusal. */
function redeemed(
  outcome: RedeemOutcome,
  redirectUri: string,
  { single }: GrantRequest,
  context: OAuthContext,
): Redemption {
  switch (outcome.kind) {
    case "redeemed":
      return outcome;
    case "burned":
      return refuse(burnedBy(outcome.grant, redirectUri, single.has("code_verifier")));
    case "replayed":
      // The first caller may be the thief (OAuth 2.1 §7.5.2), so the storage has ended the grant.
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
