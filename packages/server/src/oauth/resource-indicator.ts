/** Resource indicators: one access token, one audience (RFC 8707 §2). */

import { endpoints } from "./endpoints.ts";
import { refuse } from "./errors.ts";
import type { Resource, Scope } from "./model.ts";
import { isOpenIdRequest, isOpenIdScope, OFFLINE_ACCESS } from "./openid/scopes.ts";

/**
 * The audience of scopes that belong to no API: the issuer, or the UserInfo endpoint for a request of OpenID Connect.
 */
export function ownAudience(openId: boolean, issuer: string): string {
  return openId ? issuer + endpoints.userInfo : issuer;
}

/**
 * The audience that a scope belongs to. Undefined: it goes with any, because it is about the person who signs in, or
 * about refresh tokens.
 */
export function audienceOfScope(scope: Scope | undefined, openId: boolean, issuer: string): string | undefined {
  if (scope !== undefined && isOpenIdScope(scope) && (openId || scope.name === OFFLINE_ACCESS)) return undefined;
  return scope?.resource ?? ownAudience(openId, issuer);
}

/**
 * The audience of tokens for these scopes. `resources`: the ones that the request names. If it names none: the one API
 * of all scopes. Scopes without an API belong to the server itself (`issuer`). Null: the scopes belong to several APIs,
 * so each token request must name one.
 */
export function audienceOf(
  scopes: readonly Scope[],
  resources: readonly string[],
  known: ReadonlyMap<string, Resource>,
  issuer: string,
): string | null {
  const openId = isOpenIdRequest(scopes);
  const own = ownAudience(openId, issuer);
  for (const resource of resources) {
    if (resource !== own && !known.has(resource)) refuse("resource_not_allowed");
  }
  const owners = new Set(
    scopes.map((scope) => audienceOfScope(scope, openId, issuer)).filter((one) => one !== undefined),
  );
  if (owners.size === 0) owners.add(own);
  const named = new Set(resources);
  if (named.size > 0) {
    for (const owner of owners)
      if (!named.has(owner)) refuse("resource_not_allowed", "a scope belongs to an API that isn't named");
    for (const resource of named) {
      // The scopes of OpenID Connect go with an API, and with the UserInfo endpoint.
      const forPerson = openId && resource === own;
      if (!forPerson && !owners.has(resource)) refuse("resource_not_allowed", "no scope belongs to a named API");
    }
  }
  const all = named.size > 0 ? named : owners;
  const [only] = all;
  return all.size === 1 && only !== undefined ? only : null;
}

/** The names among `scopes` that tokens for one API can have: its own, and those that go with any API. */
export function scopesOfResource(
  names: readonly string[],
  resource: string,
  known: ReadonlyMap<string, Scope>,
  openId: boolean,
  issuer: string,
): readonly string[] {
  const own = ownAudience(openId, issuer);
  const audiences = names.map((name) => audienceOfScope(known.get(name), openId, issuer));
  // Alone, the scopes of OpenID Connect make no token for an API.
  if (resource !== own && !audiences.includes(resource)) return [];
  return names.filter((_, at) => (audiences[at] ?? resource) === resource);
}
