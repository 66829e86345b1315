/** Refreshing an access token (RFC 6749 §6, RFC 9700 §4.14.2). */

import { ceilingOf, underCeiling } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import { refreshLifetime } from "../issue-access-token.ts";
import { type Client, GRANTER_DISABLED, type Grant, type Millis } from "../model.ts";
import type { Credential, OAuthContext } from "../ports.ts";
import { SCOPE_MARGIN } from "../scope.ts";
import type { RefreshOutcome } from "../storage.ts";
import { scopesWereTaken } from "./effective-scopes.ts";
import { type GrantType, type Redemption, required } from "./grant-type.ts";

export const refreshToken: GrantType = {
  grantType: "refresh_token",
  parameters: { refresh_token: "refresh_token_missing", scope: null },
  refreshable: false,
  startsAt: null,

  async entitle(request, context) {
    const { client } = request;
    const token = required(request, "refresh_token");
    const scope = request.single.get("scope");
    const ceiling = ceilingOf(client, context.policy);
    const credential =
      context.credentials.read("refresh_token", token) ?? refuse("refresh_token_unknown", "not one of ours");
    return {
      kind: "grant",
      scope,
      margin: SCOPE_MARGIN,
      // Until a company has learned that a member was disabled, the member's grants are still active there.
      checkScopesFirst: (await scopesWereTaken(client, context)) || (await context.catalog.someSuspended()),

      read: () => presentedGrant(credential, client, context),

      async redeem({ now, idleUntil, scopesChecked: judged }) {
        const outcome = await context.storage.grants.refresh({
          partition: credential.partition,
          grantId: credential.id,
          refreshSaltHash: credential.saltHash,
          clientId: client.clientId,
          generation: credential.generation,
          resourceNamed: judged,
          rotate: client.type === "public" || client.refresh === "rotate",
          whole: scope === undefined,
          network: context.networkOf(request.address),
          now,
          retryFrom: retryFrom(client, context, now),
          decidedAfter: ceiling === null ? -1 : now - ceiling,
          idleUntil,
        });
        const { kind, grant } = refreshed(outcome, credential, client, context);
        return { kind, grant: underCeiling(grant, ceiling) };
      },

      refreshToken: (grant) => liveToken(grant, credential, token, context),
    };
  },
};

/** The grant, if a check must come before its row is changed: such a refusal writes nothing. */
async function presentedGrant(
  credential: Credential,
  client: Client,
  context: OAuthContext,
): Promise<Grant | undefined> {
  const grant = await context.storage.grants.find({ ...credential, grantId: credential.id });
  // If this client has no such live grant, the next statement finds the exact reason.
  if (grant === undefined || grant.clientId !== client.clientId || grant.status !== "active") return undefined;
  // A spent token is not judged here, unless it could be a retry: the statement must see it, to detect the theft.
  const from = retryFrom(client, context, context.now());
  const retried = grant.generation === credential.generation + 1 && (grant.rotatedAt ?? 0) >= from;
  if (grant.generation !== credential.generation && !retried) return undefined;
  if (grant.personId !== grant.ownerId && (await context.catalog.isSuspended(grant.personId))) {
    refuse("refresh_token_ended", GRANTER_DISABLED);
  }
  return grant;
}

/** A client that lost the response gets the same successor again, if it was made since this time. */
function retryFrom(client: Client, { policy }: OAuthContext, now: Millis): Millis {
  return now - (client.type === "public" ? policy.retryWindowPublic : policy.retryWindow);
}

/** The grant, if the token was valid. Each other outcome has its own refusal. */
function refreshed(outcome: RefreshOutcome, credential: Credential, client: Client, context: OAuthContext): Redemption {
  const fields = { client_id: client.clientId, grant_id: credential.id };
  switch (outcome.kind) {
    case "kept":
    case "rotated":
      return { kind: "redeemed", grant: outcome.grant };
    case "retried":
      context.event("refresh_retried", { ...fields, retries: outcome.grant.retries });
      return { kind: "redeemed", grant: outcome.grant };
    case "theft":
      context.event("refresh_token_replayed", { ...fields, owner: outcome.grant.ownerId });
      return refuse("refresh_token_replayed");
    case "needs_resource":
      return { kind: "ambiguous", grant: outcome.grant };
    case "ahead":
      context.event("state_lost", fields);
      return refuse("refresh_state_lost");
    case "other_client":
      context.event("refresh_token_of_other_client", { ...fields, owner_client_id: outcome.clientId });
      return refuse("refresh_token_of_other_client");
    case "ended":
      return refuse("refresh_token_ended", outcome.status);
    case "not_refreshable":
      return refuse("offline_access_ended");
    case "unknown":
      if (!mayBeLost(client, context)) return refuse("refresh_token_unknown", "this server made it, but has no grant");
      context.event("state_lost", fields);
      return refuse("refresh_state_lost", "no grant; it may be newer than the backup");
  }
}

/** True: the token may have been issued between a backup and its restore. Otherwise, it would have expired since. */
function mayBeLost(client: Client, { restoredAt, policy, now }: OAuthContext): boolean {
  return restoredAt > 0 && now() < restoredAt + refreshLifetime(client, policy);
}

/**
 * The valid refresh token: the same one, or the next. The next one can be made again for a client that lost the
 * response.
 */
function liveToken(grant: Grant, credential: Credential, presented: string, { credentials }: OAuthContext): string {
  if (grant.generation === credential.generation) return presented;
  return credentials.make("refresh_token", grant.grantId, grant.generation, credential.salt);
}
