/** Subject tokens of this server (RFC 8693 §2.1): access tokens, refresh tokens, ID tokens. */

import { SHORTEST_TOKEN } from "../assertion.ts";
import { ceilingOf, underCeiling } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import type { OwnerEntitlement } from "../grants/grant-type.ts";
import { actorOf, agentsIn, isFor, mayAllAct } from "../issue-access-token.ts";
import type { Client, Grant, Millis } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import type { OAuthContext, SenderConstraint, VerifiedAccessToken } from "../ports.ts";
import { type ActedFor, actorsOf, isBoundTo, MAX_AGENTS, mustNotBeStopped } from "./actor.ts";
import type { Exchange } from "./exchange-request.ts";
import { consentedScopes, scopesFrom } from "./target.ts";

/** A token that stands for a grant. */
export interface GrantSubject extends ActedFor {
  /** As its client's ceiling leaves it now. */
  readonly grant: Grant;
  /** The client of the grant: the app that the owner allowed. */
  readonly app: Client;
  /** The end of the token. */
  readonly until: Millis;
  /**
   * The scopes of the presented token, and the APIs that it is for. The new token has no other scope for these APIs, because
   * the app may have asked for fewer scopes on purpose. Null: the token stands for the whole grant.
   */
  readonly limit: { readonly audiences: readonly string[]; readonly scopes: readonly string[] } | null;
  /** The key that the token is bound to, and that the request has proven. Absent: any bearer can use it. */
  readonly constraint?: SenderConstraint;
  /** True: the grant's own client uses the grant, not a token of it. */
  readonly isUse: boolean;
}

const refused = (detail: string) => refuse("subject_token_refused", detail);

export async function grantOfAccessToken(
  token: string,
  { request, policy }: Exchange,
  context: OAuthContext,
): Promise<GrantSubject> {
  const verified = await context.accessTokens.verify(token, context.now());
  if (verified === undefined) return refused("not an access token of this server, or it has expired");
  const { claims, grantId } = verified;
  if (grantId === null) return refused("an access token of a client itself");
  if (!policy.sources.some((api) => isFor(claims.aud, api))) refused("for an API that is not among the sources");
  const partition = context.credentials.partitionOf(grantId);
  const found = await context.storage.grants.find({ partition, grantId, saltHash: null });
  const { grant, app } = await liveGrant(found, context);
  if (context.restoredAt > 0 && claims.iat * 1000 <= context.restoredAt)
    refused("from before the database was restored");
  const until = claims.exp * 1000;
  if (until < context.now() + SHORTEST_TOKEN) refused("about to expire");
  const { cnf } = claims;
  const thumbprint = cnf === undefined ? undefined : request.thumbprint();
  // Otherwise somebody who stole a bound token could exchange it for one that is not bound.
  if (cnf !== undefined && !isBoundTo(cnf, thumbprint, context)) refuse("exchange_proof_missing");
  const agents = agentsOf(verified, grant);
  const others = new Set([claims.client_id, ...agents]);
  others.delete(app.clientId);
  // An agent that may not act any more can't let another one go on either.
  if (!(await mayAllAct(others, grant, context)))
    refused("a client in its chain was disabled, or the owner stopped it");
  return {
    ...{ grant, app, until },
    ...{ agents, mayAct: claims["may_act"] },
    limit: { audiences: [claims.aud].flat(), scopes: claims.scope.split(" ") },
    isUse: false,
    ...(thumbprint === undefined ? {} : { constraint: { certificateThumbprint: thumbprint } }),
  };
}

/** The clients in the chain of the claim `act`. The innermost actor is a person if the owner is a company. */
function agentsOf({ claims }: VerifiedAccessToken, grant: Grant): readonly string[] {
  const agents = agentsIn(claims["act"], actorOf(grant));
  return agents.length > MAX_AGENTS ? refuse("exchange_chain_too_long") : agents;
}

/** The newest refresh token of the client itself. It is not used up, and a spent one is no theft here. */
export async function grantOfRefreshToken(
  token: string,
  { request }: Exchange,
  context: OAuthContext,
): Promise<GrantSubject> {
  const credential = context.credentials.read("refresh_token", token);
  if (credential === undefined) return refused("not a refresh token of this server");
  const found = await context.storage.grants.find({ ...credential, grantId: credential.id });
  if (found?.clientId !== request.client.clientId) return refused("a refresh token of another client");
  if (!found.refreshable || found.generation !== credential.generation) refused("a spent refresh token");
  const { grant, app } = await liveGrant(found, context);
  return { grant, app, until: grant.idleUntil, agents: [], mayAct: undefined, limit: null, isUse: true };
}

/** The grant, if it gives tokens now. An exchange is a new issue, so a live access token of an ended grant is refused. */
async function liveGrant(
  found: Grant | undefined,
  { catalog, policy, now }: OAuthContext,
): Promise<Pick<GrantSubject, "grant" | "app">> {
  if (found === undefined) return refused("its grant is gone");
  const app = await catalog.client(found.clientId);
  if (app?.status !== "active") return refused("its client is disabled or deleted");
  const grant = underCeiling(found, ceilingOf(app, policy));
  if (grant.status !== "active") refused(`its grant is ${grant.status}`);
  if (grant.pausedAt !== null) refused("its grant is paused");
  if (Math.min(grant.idleUntil, grant.absoluteUntil) <= now()) refused("its grant has expired");
  if (grant.personId !== grant.ownerId && (await catalog.isSuspended(grant.personId)))
    refused("its person is disabled");
  return { grant, app };
}

/**
 * The person that an ID token of this server names to the client. The new token is under the owner's consent to the
 * client, because an ID token stands for no grant.
 */
export async function signedInSubject(
  token: string,
  exchange: Exchange,
  context: OAuthContext,
): Promise<OwnerEntitlement> {
  const { client } = exchange.request;
  const claims = await context.openId.claimsOf(token);
  if (claims === undefined) return refused("not an ID token of this server");
  const { aud, sub, organization } = claims;
  if (aud !== client.clientId || typeof sub !== "string") return refused("an ID token for another client");
  const now = context.now();
  const until = timeClaim(claims, "exp") ?? 0;
  if (until < now + SHORTEST_TOKEN) refused("an ID token that has expired");
  const issuedAt = timeClaim(claims, "iat") ?? 0;
  if (context.restoredAt > 0 && issuedAt <= context.restoredAt) refused("from before the database was restored");
  const ownerId = typeof organization === "string" ? organization : sub;
  const partition = context.credentials.partitionOf(ownerId);
  const consent = await context.storage.consents.find({ partition, ownerId, clientId: client.clientId });
  if (consent?.status !== "active") return refused("the owner does not allow the client any more");
  if (consent.pausedAt !== null) return refused("the owner has paused the client");
  const { agents, actor } = await actorsOf({ agents: [], mayAct: claims["may_act"] }, exchange, context);
  await mustNotBeStopped(actor, { partition, ownerId, personId: sub }, client, context);
  const own = consentedScopes(consent, client, context);
  const { scopes, audience } = await scopesFrom({ app: client, own, limit: null }, exchange, context);
  return {
    kind: "owner",
    within: async () => ({ scopes: scopes.map(({ name }) => name), audience }),
    async owner() {
      const { acr, amr } = claims;
      return {
        ...{ partition, ownerId, personId: sub, authTime: timeClaim(claims, "auth_time") ?? null },
        acr: typeof acr === "string" ? acr : null,
        amr: Array.isArray(amr) ? amr.filter((one) => typeof one === "string") : [],
      };
    },
    under: "consent",
    refreshable: false,
    ...{ until, agents, address: exchange.request.address },
    refusals: { blocked: "subject_token_refused", noOwner: "subject_token_refused" },
  };
}
