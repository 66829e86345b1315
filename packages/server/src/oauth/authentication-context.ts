/** How strongly an owner was recognized: `acr` (RFC 9470, RFC 9068 §2.2.1) and its proofs, `amr` (RFC 8176). */

import type { Acr, Scope } from "./model.ts";

/** From weak to strong. */
export const ACR_VALUES = ["1fa", "mfa", "phr"] as const satisfies readonly Acr[];

/** How a person signed in. */
export interface Authentication {
  readonly acr: Acr;
  readonly amr: readonly string[];
}

/** A password alone. */
export const BY_PASSWORD: Authentication = { acr: "1fa", amr: ["pwd"] };

/** A sign-in at another provider, which does not prove here how strong it was. */
export const BY_PROVIDER: Authentication = { acr: "1fa", amr: ["fed"] };

/** A sign-in at another provider that says that it saw a second factor, in words that the operator has named. */
export const BY_PROVIDER_WITH_SECOND_FACTOR: Authentication = { acr: "mfa", amr: ["fed", "mfa"] };

/** A first step, then a one-time code from an app, or a recovery code. `amr`: of the first step. */
export function withCode(amr: readonly string[]): Authentication {
  return { acr: "mfa", amr: [...new Set([...amr, "otp", "mfa"])] };
}

/** True: a sign-in of level `had` is strong enough for `wanted`. */
export function isAsSure(had: Acr, wanted: Acr): boolean {
  return ACR_VALUES.indexOf(had) >= ACR_VALUES.indexOf(wanted);
}

/**
 * The level that `acr_values` asks for: the weakest that it names, because any of them is enough. Other values have no
 * effect, because they are voluntary (OpenID Connect Core §3.1.2.1): the token names the level, and the API decides.
 * Null: none.
 */
export function wantedAcr(acrValues: string | undefined): Acr | null {
  const named = acrValues?.split(" ") ?? [];
  return ACR_VALUES.find((one) => named.includes(one)) ?? null;
}

/** What scopes together demand of the sign-in of the person who grants them. */
export function signInPolicy(scopes: readonly Pick<Scope, "acr" | "maxAge">[]): SignInPolicy {
  const ages = scopes.map(({ maxAge }) => maxAge).filter((age) => age != null);
  return {
    acr: ACR_VALUES.findLast((one) => scopes.some(({ acr }) => acr === one)) ?? null,
    maxAge: ages.length === 0 ? null : Math.min(...ages),
  };
}

export interface SignInPolicy {
  readonly acr: Acr | null;
  /** In seconds. */
  readonly maxAge: number | null;
}
