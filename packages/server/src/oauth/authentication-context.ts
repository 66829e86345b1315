/** How surely an owner was recognized: `acr` (RFC 9470, RFC 9068 §2.2.1) and what proves it, `amr` (RFC 8176). */

/** From weak to strong: one factor, two factors, one that no look-alike site can pass on (OpenID EAP ACR Values `phr`). */
export const ACR_VALUES = ["1fa", "mfa", "phr"] as const;

export type Acr = (typeof ACR_VALUES)[number];

/** How one signed in. */
export interface Authentication {
  readonly acr: Acr;
  readonly amr: readonly string[];
}

/** A password alone. */
export const BY_PASSWORD: Authentication = { acr: "1fa", amr: ["pwd"] };
/** A password, then a one-time code: of an app, or one that was written down. */
export const BY_CODE: Authentication = { acr: "mfa", amr: ["pwd", "otp", "mfa"] };
