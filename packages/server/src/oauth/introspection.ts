/** Token introspection (RFC 7662). */

import { compareSecret } from "./client-authentication/client-secret.ts";
import { authenticateClient, type CredentialsSent, presentedCredentials } from "./client-authentication/index.ts";
import { ceilingOf, underCeiling } from "./consent-reach.ts";
import { refuse } from "./errors.ts";
import { actorOf, agentsIn, isFor, mayAllAct } from "./issue-access-token.ts";
import type { Client, Resource } from "./model.ts";
import { allowsOffline, OFFLINE_ACCESS } from "./openid/scopes.ts";
import { parseOrRefuse } from "./parameters.ts";
import type { OAuthContext, VerifiedAccessToken } from "./ports.ts";
import { liveScopes, SCOPE_MARGIN } from "./scope.ts";
import type { TokenRequest } from "./token-endpoint/endpoint.ts";
import { missedByApi, missedByClient } from "./unknown-token-limit.ts";

/** The only answer for a token that is not live, or that the caller must not see (§2.2). */
export const INACTIVE = { active: false } as const;

/** The answer; a text holds it as JSON already. */
export type Introspection = typeof INACTIVE | Readonly<Record<string, unknown> & { active: true }> | string;

/** The caller: an API may ask about tokens meant for it, a confidential client about its own. */
type Caller = { readonly resource: Resource } | { readonly client: Client };

export async function introspect(request: TokenRequest, context: OAuthContext): Promise<Introspection> {
  const parameters = parseOrRefuse(request.body);
  const caller = await authenticateCaller({ ...request, parameters: parameters.single }, context);
  const token = parameters.single.get("token") ?? refuse("token_missing");
  const told =
    context.credentials.read("refresh_token", token) === undefined
      ? await introspectAccessToken(token, caller, context)
      : await introspectRefreshToken(token, caller, context);
  if (told !== INACTIVE) return told;
  if ("resource" in caller) missedByApi(caller.resource, context);
  else missedByClient(caller.client, request.address, context);
  return told;
}

async function authenticateCaller(sent: CredentialsSent, context: OAuthContext): Promise<Caller> {
  const presented = presentedCredentials(sent, context);
  const resource = apisByCaller(await context.catalog.resources()).get(presented.clientId);
  if (resource === undefined) {
    const client = await authenticateClient(sent, context);
    // §2.1: somebody who knows a public client's id must not be able to test tokens here.
    if (client.type === "public") refuse("client_has_no_secret", "a public client may not introspect");
    return { client };
  }
  const secret = { hash: resource.introspectionSecretHash, createdAt: resource.createdAt, expiresAt: null };
  if (presented.secret === null) refuse("client_secret_missing");
  if (compareSecret(presented.secret, [secret], context) !== "valid") refuse("client_secret_wrong");
  return { resource };
}

const callers = new WeakMap<ReadonlyMap<string, Resource>, ReadonlyMap<string, Resource>>();

/** APIs by the id with which they ask. Made once for each state of the catalog. */
function apisByCaller(resources: ReadonlyMap<string, Resource>): ReadonlyMap<string, Resource> {
  let known = callers.get(resources);
  if (known === undefined) {
    known = new Map([...resources.values()].map((one) => [one.introspectionClientId, one]));
    callers.set(resources, known);
  }
  return known;
}

async function introspectAccessToken(token: string, caller: Caller, context: OAuthContext): Promise<Introspection> {
  const verified = await context.accessTokens.verify(token, context.now());
  if (verified === undefined) return INACTIVE;
  const { claims, grantId } = verified;
  const isCallers =
    "resource" in caller ? isFor(claims.aud, caller.resource.identifier) : claims.client_id === caller.client.clientId;
  if (!isCallers) return INACTIVE;
  // Access tokens live until they expire. The exception is an API that wants to know about the grant's end.
  const resources = await context.catalog.resources();
  const bound = [claims.aud].flat().some((audience) => isGrantBound(resources.get(audience), claims.iat));
  if (bound) {
    const isLive =
      grantId === null
        ? (await context.catalog.client(claims.client_id))?.status === "active"
        : await accessIsLive(grantId, claims, context);
    if (!isLive) return INACTIVE;
  }
  if (grantId !== null) {
    context.noteIntrospection(grantId);
    if ("resource" in caller) context.noteApiUse(grantId, caller.resource.identifier);
  }
  let text = texts.get(claims);
  if (text === undefined) {
    text = JSON.stringify({ active: true, token_type: "Bearer", ...claims });
    texts.set(claims, text);
  }
  return text;
}

/**
 * True: the API is grant-bound, or it was when the token was issued. Other servers learn of the change within a second, and
 * `issuedAt` is in whole seconds.
 */
function isGrantBound(api: Resource | undefined, issuedAt: number): boolean {
  if (api === undefined) return false;
  return api.grantBound || (api.grantBoundUntil !== undefined && issuedAt * 1000 <= api.grantBoundUntil + 1000);
}

/** The answer for a live access token is always the same. It is kept for as long as the claims are. */
const texts = new WeakMap<VerifiedAccessToken["claims"], string>();

type LiveAccessContext = Pick<OAuthContext, "catalog" | "credentials" | "now" | "policy" | "storage">;

/**
 * False: the grant has ended or is paused, a client is disabled, or the owner has ended the access of a client that acts by
 * the token. The client of the token can have exchanged the token of another client (RFC 8693).
 */
export async function accessIsLive(
  grantId: string,
  { client_id: clientId, act }: VerifiedAccessToken["claims"],
  context: LiveAccessContext,
): Promise<boolean> {
  // A client that was disabled a moment ago may have more grants than could be ended since.
  const asker = await context.catalog.client(clientId);
  if (asker?.status !== "active") return false;
  const partition = context.credentials.partitionOf(grantId);
  const found = await context.storage.grants.find({ partition, grantId, saltHash: null });
  if (found === undefined) return false;
  const client = found.clientId === clientId ? asker : await context.catalog.client(found.clientId);
  if (client?.status !== "active") return false;
  const others = new Set([clientId, ...agentsIn(act, actorOf(found))]);
  others.delete(found.clientId);
  if (others.size > 0 && !(await mayAllAct(others, found, context))) return false;
  // The ceiling may be lower now than when the token was issued.
  const grant = underCeiling(found, ceilingOf(client, context.policy));
  const now = context.now();
  return grant.status === "active" && grant.pausedAt === null && grant.idleUntil > now && grant.absoluteUntil > now;
}

async function introspectRefreshToken(token: string, caller: Caller, context: OAuthContext): Promise<Introspection> {
  const credential = context.credentials.read("refresh_token", token);
  // §4: only the client and this server know a refresh token; no API learns about it.
  if (credential === undefined || "resource" in caller) return INACTIVE;
  const found = await context.storage.grants.find({ ...credential, grantId: credential.id });
  const now = context.now();
  const { client } = caller;
  const grant = found && underCeiling(found, ceilingOf(client, context.policy));
  if (grant === undefined || grant.clientId !== client.clientId || grant.status !== "active") return INACTIVE;
  if (grant.pausedAt !== null) return INACTIVE;
  if (grant.generation !== credential.generation || grant.idleUntil <= now || grant.absoluteUntil <= now)
    return INACTIVE;
  const scopes = liveScopes(grant.scopes, client, await context.catalog.scopes(), now, SCOPE_MARGIN);
  const names = scopes.map(({ name }) => name);
  const asked = grant.scopes.map(({ name }) => name);
  // A refresh is refused if `offline_access` has ended, or the owner took it away.
  if (scopes.length === 0 || !grant.refreshable || !allowsOffline(asked, names)) return INACTIVE;
  context.noteIntrospection(grant.grantId);
  const actor = actorOf(grant);
  const awayUntil = scopes.find(({ name }) => name === OFFLINE_ACCESS)?.expiresAt ?? Number.POSITIVE_INFINITY;
  return {
    active: true,
    token_type: "refresh_token",
    client_id: grant.clientId,
    sub: grant.ownerId,
    ...(actor === null ? {} : { act: { sub: actor } }),
    iss: context.issuer,
    scope: names.join(" "),
    iat: Math.floor(grant.createdAt / 1000),
    exp: Math.floor(Math.min(grant.idleUntil, grant.absoluteUntil, awayUntil) / 1000),
  };
}
