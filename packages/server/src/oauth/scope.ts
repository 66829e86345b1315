/** Scopes: the list in a request, and which of its scopes can be granted (RFC 6749 §3.3). */

import { refuse } from "./errors.ts";
import type { Client, GrantedScope, Millis, Scope } from "./model.ts";
import { OFFLINE_ACCESS } from "./openid/scopes.ts";

/** scope-token of RFC 6749 §3.3: printable ASCII without space, quote and backslash. */
const SCOPE_TOKEN = /^[\u0021\u0023-\u005b\u005d-\u007e]{1,128}$/;

/** A scope with less time than this left is not granted again; it ends with the next token. */
export const SCOPE_MARGIN: Millis = 30_000;

/**
 * The names in a `scope` parameter, each once, in their order. Refuses a list that is not separated by single spaces.
 */
export function parseScope(text: string): readonly string[] {
  const names = text.split(" ");
  if (names.length > 200) refuse("scope_malformed", "more than 200 names");
  for (const name of names) if (!SCOPE_TOKEN.test(name)) refuse("scope_malformed");
  return [...new Set(names)];
}

export function isScopeName(name: string): boolean {
  return SCOPE_TOKEN.test(name);
}

/**
 * The requested scopes. Refuses if one is unknown, or not allowed to the client. `refreshes` false: no refresh token can
 * follow, so `offline_access` has no effect (OpenID Connect Core §11).
 */
export function scopesForClient(
  text: string,
  client: Client,
  known: ReadonlyMap<string, Scope>,
  refreshes = true,
): readonly Scope[] {
  const names = parseScope(text).filter((name) => refreshes || name !== OFFLINE_ACCESS);
  if (names.length === 0) refuse("scope_missing", "offline_access alone, which has no effect here");
  return names.map((name) => {
    const scope = known.get(name);
    if (scope === undefined || !client.scopes.includes(name)) return refuse("scope_not_allowed", name);
    return offeredTo(client, scope);
  });
}

/** The scope as this client's owners see it: optional if the operator or the client marked it so. */
export function offeredTo(client: Client, scope: Scope): Scope {
  return scope.optional || !client.optionalScopes?.includes(scope.name) ? scope : { ...scope, optional: true };
}

/**
 * The scopes of a grant that are still valid: not ended, with `margin` left, still allowed to the client, and still
 * existing.
 */
export function liveScopes(
  granted: readonly GrantedScope[],
  client: Client,
  known: ReadonlyMap<string, Scope>,
  now: Millis,
  margin: Millis,
): readonly GrantedScope[] {
  return granted.filter(
    ({ name, expiresAt }) =>
      (expiresAt === null || (expiresAt > now && expiresAt - now >= margin)) && isOffered(name, client, known),
  );
}

/** False: the scope was deleted, or taken from the client. The client gets no new token with it. */
export function isOffered(name: string, client: Pick<Client, "scopes">, known: ReadonlyMap<string, Scope>): boolean {
  return known.has(name) && client.scopes.includes(name);
}
