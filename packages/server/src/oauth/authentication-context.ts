/** How surely an owner was recognized: `acr` (RFC 9470, RFC 9068 §2.2.1) and what proves it, `amr` (RFC 8176). */

import type { Acr, Scope } from "./model.ts";

/** From weak to strong. */
export const ACR_VALUES = ["1fa", "mfa", "phr"] as const satisfies readonly Acr[];

/** How one signed in. */
export interface Authentication {
  readonly acr: Acr;
  readonly amr: readonly string[];
}

/** A password alone. */
export const BY_PASSWORD: Authentication = { acr: "1fa", amr: ["pwd"] };
/** A password, then a one-time code: of an app, or one that was written down. */
export const BY_CODE: Authentication = { acr: "mfa", amr: ["pwd", "otp", "mfa"] };

/** True: who signed in like `had` may do what asks for `wanted`. */
export function isAsSure(had: Acr, wanted: Acr): boolean {
  return ACR_VALUES.indexOf(had) >= ACR_VALUES.indexOf(wanted);
}

/**
 * What `acr_values` asks for: the weakest that it names, since any of them will do. Values that are none of ours are another server's, and voluntary
 * (OpenID Connect Core §3.1.2.1): the token says what it was, and the API decides. Null: nothing.
 */
export function wantedAcr(acrValues: string | undefined): Acr | null {
  const named = acrValues?.split(" ") ?? [];
  return ACR_VALUES.find((one) => named.includes(one)) ?? null;
}

/** What scopes ask of the sign-in of whoever grants them, taken together. */
export function signInPolicy(scopes: readonly Pick<Scope, "acr" | "maxAge">[]): SignInPolicy {
  const ages = scopes.map(({ maxAge }) => maxAge).filter((age) => age != null);
  return {
    acr: ACR_VALUES.findLast((one) => scopes.some(({ acr }) => acr === one)) ?? null,
    maxAge: ages.length === 0 ? null : Math.min(...ages),
  };
}

export interface SignInPolicy {
  readonly acr: Acr | null;
  /** Seconds. */
  readonly maxAge: number | null;
}
