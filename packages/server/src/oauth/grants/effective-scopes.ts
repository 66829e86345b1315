/** The scopes and the audience that a token request gets (RFC 6749 §§3.3, 6; RFC 8707 §2.2). */

import { defaultScopes } from "../default-scopes.ts";
import { refuse } from "../errors.ts";
import type { Client, Grant, GrantedScope, Millis, Scope } from "../model.ts";
import { allowsOffline, isOpenIdRequest, isOpenIdScope, OPENID } from "../openid/scopes.ts";
import type { Parameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import { audienceOf, audienceOfScope, ownAudience, scopesOfResource } from "../resource-indicator.ts";
import { liveScopes, parseScope, scopesForClient } from "../scope.ts";

/** The scopes and the audience of a token. */
export interface EffectiveScopes {
  readonly scopes: readonly GrantedScope[];
  readonly audience: string;
  /** False: refresh tokens were a permission of their own, and it has ended (OpenID Connect Core §11). */
  readonly offline: boolean;
}

/** The scopes and the resource that a token request names. */
export interface Asked {
  /** The `scope` parameter. Undefined: all scopes of the grant. */
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  /**
   * How long a scope must still last. A refresh needs some time left; the first token of a grant takes the time that
   * the owner chose.
   */
  readonly margin?: Millis | undefined;
}

/**
 * The scopes of the grant that are still valid, limited to those that the request names and to its API. Refuses more
 * than the grant has. If nothing is left, the refusal is `invalid_grant`. Writes nothing.
 */
export async function effectiveScopes(
  grant: Pick<Grant, "scopes">,
  client: Client,
  asked: Asked,
  context: OAuthContext,
): Promise<EffectiveScopes> {
  const known = await context.catalog.scopes();
  let scopes = liveScopes(grant.scopes, client, known, context.now(), asked.margin ?? 0);
  const offline = allowsOffline(namesOf(grant.scopes), namesOf(scopes));
  if (asked.scope !== undefined) {
    const wanted = new Set(parseScope(asked.scope));
    for (const name of wanted)
      if (!grant.scopes.some((scope) => scope.name === name)) refuse("scope_exceeds_grant", name);
    scopes = scopes.filter(({ name }) => wanted.has(name));
  }
  if (scopes.length === 0) return refuse("scopes_all_ended");
  const names = namesOf(scopes);
  const openId = isOpenIdRequest(grant.scopes.flatMap(({ name }) => known.get(name) ?? []));
  const audience = asked.resource ?? onlyAudience(names, known, openId, context) ?? refuse("resource_needed");
  const own = new Set(scopesOfResource(names, audience, known, openId, context.issuer));
  if (own.size === 0) refuse("resource_exceeds_grant");
  return { scopes: scopes.filter(({ name }) => own.has(name)), audience, offline };
}

function namesOf(scopes: readonly GrantedScope[]): readonly string[] {
  return scopes.map(({ name }) => name);
}

/** The one audience of these scopes. Undefined: there are several. */
function onlyAudience(
  names: readonly string[],
  known: ReadonlyMap<string, Scope>,
  openId: boolean,
  { issuer }: Pick<OAuthContext, "issuer">,
): string | undefined {
  const audiences = new Set<string>();
  for (const name of names) {
    const audience = audienceOfScope(known.get(name), openId, issuer);
    if (audience !== undefined) audiences.add(audience);
  }
  if (audiences.size === 0) return ownAudience(openId, issuer);
  return audiences.size === 1 ? [...audiences][0] : undefined;
}

/**
 * True: a scope was taken from the client or deleted since, so the grant may have none left. Check its scopes before
 * the row is changed.
 */
export async function scopesWereTaken(
  client: Pick<Client, "reducedAt">,
  { catalog }: Pick<OAuthContext, "catalog">,
): Promise<boolean> {
  return client.reducedAt !== null || (await catalog.scopesReducedAt()) !== null;
}

/** The part of a token request that decides its scopes. */
export interface ScopeRequest {
  readonly client: Client;
  readonly single: Parameters;
  readonly resource: string | undefined;
}

/** Why a request without a page doesn't get a scope, for operators. */
export const BEYOND_ANSWERED = "is beyond what is answered for";
export const NOTHING_ANSWERED = "nothing that is answered for is the client's to ask for";
export const NEEDS_SIGN_IN = "is only for people who sign in";

/** The result for a request without a page: names of scopes, all of one audience. */
export interface Within {
  readonly scopes: readonly string[];
  readonly audience: string;
}

/**
 * The scopes of a request within `most`, the names of scopes for which an operator is responsible. Without `scope`, it
 * gets all of them that the client may ask for (of the API that it names). RFC 7521 §4.1: never more.
 */
export async function scopesWithin(
  most: readonly string[],
  { client, single, resource }: ScopeRequest,
  { catalog, issuer }: OAuthContext,
): Promise<Within> {
  const known = await catalog.scopes();
  if (resource !== undefined && resource !== issuer && !(await catalog.resources()).has(resource)) {
    refuse("resource_not_allowed");
  }
  // Without a page, no token gets a scope that only people with a role may grant. Nobody signed in here, so scopes that
  // demand a certain sign-in are left out, too.
  // Scopes of OpenID Connect are about a sign-in, too.
  const needsSignIn = (scope: Scope) => {
    const { ownerRole, acr = null, maxAge = null } = scope;
    const isOfSignIn = client.scopes.includes(OPENID) && isOpenIdScope(scope);
    return ownerRole !== null || acr !== null || maxAge !== null || isOfSignIn;
  };
  const grantable = (scope: Scope) => most.includes(scope.name) && !needsSignIn(scope);
  const text = single.get("scope");
  const asked =
    text === undefined
      ? client.scopes.map((name) => known.get(name)).filter((scope) => scope !== undefined && grantable(scope))
      : scopesForClient(text, client, known);
  const names = asked.flatMap((scope) => {
    if (scope === undefined) return [];
    if (needsSignIn(scope)) refuse("scope_not_allowed", `${scope.name} ${NEEDS_SIGN_IN}`);
    if (!most.includes(scope.name)) refuse("scope_not_allowed", `${scope.name} ${BEYOND_ANSWERED}`);
    return [scope.name];
  });
  if (names.length === 0) refuse("scope_not_allowed", NOTHING_ANSWERED);
  const audience = resource ?? onlyAudience(names, known, false, { issuer }) ?? refuse("resource_needed");
  const scopes = scopesOfResource(names, audience, known, false, issuer);
  if (scopes.length === 0) refuse("resource_not_allowed", "no scope belongs to it");
  return { scopes, audience };
}

/** The scopes of a token for the client itself, all of one audience. */
export interface ClientScopes {
  readonly scopes: readonly Scope[];
  /** The API's identifier, or the issuer. */
  readonly audience: string;
}

/**
 * The scopes of a request within `held`, the names of the client's own scopes. Refused for public clients (RFC 6749
 * §4.4).
 */
export async function clientScopes(
  held: readonly string[],
  { client, single, resource }: ScopeRequest,
  context: OAuthContext,
): Promise<ClientScopes> {
  if (client.type !== "confidential") refuse("grant_needs_confidential_client");
  const known = await context.catalog.scopes();
  const resources = await context.catalog.resources();
  const named = resource === undefined ? [] : [resource];
  const names = single.has("scope") ? undefined : await defaultScopes({ client, allowed: held, named }, context);
  if (names?.length === 0) refuse("scope_missing", "of the default scopes, none is left");
  const text = single.get("scope") ?? names?.join(" ");
  const scopes = ownScopes(text, held, known);
  const asked = text !== undefined || resource === undefined ? scopes : scopesOf(scopes, resource, context);
  const audience = audienceOf(asked, named, resources, context.issuer) ?? refuse("resource_needed");
  return { scopes: asked, audience };
}

/**
 * The requested scopes, all of which the client must have. Without `scope` and a default: all of its own scopes that
 * still exist (RFC 6749 §3.3 leaves this to the server).
 */
function ownScopes(
  text: string | undefined,
  held: readonly string[],
  known: ReadonlyMap<string, Scope>,
): readonly Scope[] {
  if (text !== undefined) {
    return parseScope(text).map((name) => {
      const scope = held.includes(name) ? known.get(name) : undefined;
      return scope ?? refuse("scope_not_allowed", `${name} is not the client's own`);
    });
  }
  const existing = held.map((name) => known.get(name)).filter((scope) => scope !== undefined);
  return existing.length > 0 ? existing : refuse("scope_not_allowed", "the client holds no scope of its own");
}

/** The scopes of the named API: without `scope`, a resource limits the request. */
function scopesOf(scopes: readonly Scope[], resource: string, { issuer }: OAuthContext): readonly Scope[] {
  const own = scopes.filter((scope) => (scope.resource ?? issuer) === resource);
  return own.length > 0 ? own : refuse("resource_not_allowed", "the client holds no scope of that API");
}
