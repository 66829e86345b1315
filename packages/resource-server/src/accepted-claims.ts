/** Remembers, for the adapters, which claims a request was accepted with. */

import type { AccessTokenClaims } from "./access-token.ts";

const accepted = new WeakMap<object, AccessTokenClaims>();

/** Notes the claims of a request that was accepted. */
export function setClaims(request: object, claims: AccessTokenClaims): void {
  accepted.set(request, claims);
}

/**
 * The claims of the access token that this request was accepted with.
 * @throws {Error} the route isn't protected: better a loud mistake than a handler that believes in a caller nobody checked.
 */
export function claimsOf(request: object): AccessTokenClaims {
  const claims = accepted.get(request);
  if (claims === undefined) throw new Error("claimsOf: this request was not accepted by requireToken");
  return claims;
}
