/** Refreshing an access token (RFC 6749 §6, RFC 9700 §4.14.2). */

import { type TokenResponse, tokenResponse } from "../access-token.ts";
import { refuse } from "../errors.ts";
import type { Client, Grant } from "../model.ts";
import type { Credential, OAuthContext } from "../ports.ts";
import { SCOPE_MARGIN } from "../scope.ts";
import type { RefreshGrant, RefreshOutcome } from "../storage.ts";
import type { GrantType } from "./index.ts";
import { type Asked, judgeGrant, oneResource } from "./judge.ts";

export const refreshToken: GrantType = {
  grantType: "refresh_token",

  async redeem(request, context): Promise<TokenResponse> {
    const { client, single } = request;
    const token = single.get("refresh_token") ?? refuse("refresh_token_missing");
    const asked = { scope: single.get("scope"), resource: oneResource(request), margin: SCOPE_MARGIN };
    const credential =
      context.credentials.read("refresh_token", token) ?? refuse("refresh_token_unknown", "not one of ours");

    const judgedFirst =
      asked.scope !== undefined || asked.resource !== undefined || (await somethingWasTaken(client, context));
    const bounds = windows(client, context);
    if (judgedFirst) await judgeBefore(credential, client, { ...asked, ...bounds }, context);

    const args: RefreshGrant = {
      partition: credential.partition,
      grantId: credential.grantId,
      refreshSaltHash: credential.saltHash,
      clientId: client.clientId,
      generation: credential.generation,
      resourceNamed: judgedFirst,
      rotate: client.type === "public" || client.refresh === "rotate",
      whole: asked.scope === undefined,
      network: context.networkOf(request.address),
      ...bounds,
    };
    let outcome = await context.storage.refreshGrant(args);
    if (outcome.kind === "needs_resource") {
      // Several APIs once; unless narrowing left one, this refuses.
      await judgeGrant(outcome.grant, client, asked, context);
      outcome = await context.storage.refreshGrant({ ...args, resourceNamed: true });
    }
    const grant = refreshed(outcome, credential, client, context);
    const judged = await judgeGrant(grant, client, asked, context);
    if (asked.scope !== undefined)
      await context.noteUse(
        grant,
        judged.scopes.map(({ name }) => name),
      );
    return tokenResponse(grant, judged, client, context, () => liveToken(grant, credential, token, context));
  },
};

/**
 * Once a scope has been taken from the client or the service, a grant may have nothing left; and while a company hasn't heard yet that somebody who
 * acts for it was disabled, what they granted still stands there: judged before the row is touched.
 */
async function somethingWasTaken(client: Client, { catalog }: OAuthContext): Promise<boolean> {
  return client.reducedAt !== null || (await catalog.scopesReducedAt()) !== null || catalog.someSuspended();
}

/** A request that may be refused for its scope or resource is judged before the row is touched: no such refusal writes. */
async function judgeBefore(
  credential: Credential,
  client: Client,
  asked: Asked & Pick<RefreshGrant, "retryFrom">,
  context: OAuthContext,
): Promise<void> {
  const grant = await context.storage.findGrant({ ...credential });
  // Where it isn't this client's live grant, the statement that follows finds the exact reason.
  if (grant === undefined || grant.clientId !== client.clientId || grant.status !== "active") return;
  // Nor is a spent token judged, unless it could be a retry: it must reach the statement, which finds the theft.
  const retried = grant.generation === credential.generation + 1 && (grant.rotatedAt ?? 0) >= asked.retryFrom;
  if (grant.generation !== credential.generation && !retried) return;
  if (grant.personId !== grant.ownerId && (await context.catalog.isSuspended(grant.personId))) {
    refuse("refresh_token_ended", "who granted it was disabled");
  }
  await judgeGrant(grant, client, asked, context);
}

function windows(client: Client, { policy, now }: OAuthContext) {
  const at = now();
  const isPublic = client.type === "public";
  return {
    now: at,
    retryFrom: at - (isPublic ? policy.retryWindowPublic : policy.retryWindow),
    idleUntil: at + (isPublic ? policy.refreshIdlePublic : policy.refreshIdleConfidential),
  };
}

/** The grant, if the token was good; each other outcome is a refusal of its own. */
function refreshed(outcome: RefreshOutcome, credential: Credential, client: Client, context: OAuthContext): Grant {
  const fields = { client_id: client.clientId, grant_id: credential.grantId };
  switch (outcome.kind) {
    case "kept":
    case "rotated":
      return outcome.grant;
    case "retried":
      context.event("refresh_retried", { ...fields, retries: outcome.grant.retries });
      return outcome.grant;
    case "theft":
      context.event("refresh_token_replayed", { ...fields, owner: outcome.grant.ownerId });
      return refuse("refresh_token_replayed");
    case "needs_resource":
      return refuse("resource_needed");
    case "ahead":
      context.event("state_lost", fields);
      return refuse("refresh_state_lost");
    case "other_client":
      context.event("refresh_token_of_other_client", { ...fields, owner_client_id: outcome.clientId });
      return refuse("refresh_token_of_other_client");
    case "ended":
      return refuse("refresh_token_ended", outcome.status);
    case "unknown":
      return refuse("refresh_token_unknown");
  }
}

/** The valid refresh token: the same one, or the next, which can be made again for a client whose answer was lost. */
function liveToken(grant: Grant, credential: Credential, presented: string, { credentials }: OAuthContext): string {
  if (grant.generation === credential.generation) return presented;
  return credentials.make("refresh_token", grant.grantId, grant.generation, credential.salt);
}
