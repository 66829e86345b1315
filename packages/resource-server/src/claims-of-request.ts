/** Stores, for the adapters, the claims of each accepted request. */

import type { AccessTokenClaims } from "./access-token.ts";

const accepted = new WeakMap<object, AccessTokenClaims>();

/** Stores the claims of an accepted request. */
export function setClaims(request: object, claims: AccessTokenClaims): void {
  accepted.set(request, claims);
}

/**
 * The claims of the access token with which this request was accepted.
 * @throws {Error} the route isn't protected. A visible error is better than a handler that trusts an unchecked caller.
 */
export function claimsOf(request: object): AccessTokenClaims {
  const claims = accepted.get(request);
  if (claims === undefined) throw new Error("claimsOf: this request was not accepted by requireToken");
  return claims;
}
