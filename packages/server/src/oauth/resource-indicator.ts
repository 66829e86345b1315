/** Resource indicators: one access token, one audience (RFC 8707 §2). */

import { refuse } from "./errors.ts";
import type { Resource, Scope } from "./model.ts";

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
  for (const resource of resources) {
    if (resource !== issuer && !known.has(resource)) refuse("resource_not_allowed");
  }
  const owners = new Set(scopes.map((scope) => scope.resource ?? issuer));
  if (resources.length > 0) {
    const named = new Set(resources);
    for (const owner of owners)
      if (!named.has(owner)) refuse("resource_not_allowed", "a scope belongs to an API that isn't named");
    for (const resource of named)
      if (!owners.has(resource)) refuse("resource_not_allowed", "no scope belongs to a named API");
  }
  const [only] = owners;
  return owners.size === 1 && only !== undefined ? only : null;
}

/** The names among `scopes` that belong to one API. */
export function scopesOfResource(
  names: readonly string[],
  resource: string,
  known: ReadonlyMap<string, Scope>,
  issuer: string,
): readonly string[] {
  return names.filter((name) => (known.get(name)?.resource ?? issuer) === resource);
}
