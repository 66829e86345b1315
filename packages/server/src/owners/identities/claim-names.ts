/** Which claim of a provider becomes what here (OpenID Connect Core §5.1). */

import type { DetailName } from "../../oauth/model.ts";

/** What a claim can become, each with the detail of a profile that it is, if it is one. */
export const DETAIL_FIELDS = [
  ["given_name", "givenName"],
  ["middle_name", "middleName"],
  ["family_name", "familyName"],
  ["nickname", "nickname"],
  ["birthdate", "birthdate"],
  ["gender", "gender"],
  ["locale", "locale"],
  ["zoneinfo", "zoneinfo"],
  ["website", "website"],
  ["phone_number", "phoneNumber"],
] as const satisfies readonly (readonly [string, DetailName])[];

export const CLAIM_FIELDS = [
  ...(["subject", "username", "name", "email", "email_verified", "picture"] as const),
  ...DETAIL_FIELDS.map(([field]) => field),
] as const;

export type ClaimField = (typeof CLAIM_FIELDS)[number];

/** An empty name: the field has no claim. */
export type ClaimNames = Readonly<Partial<Record<ClaimField, string>>>;

/** Without settings, these claims count. More of somebody's life is taken only if the operator asks for it. */
const USUAL: ClaimNames = {
  ...{ subject: "sub", username: "preferred_username", name: "name", email: "email", email_verified: "email_verified" },
  ...{ given_name: "given_name", family_name: "family_name", locale: "locale", zoneinfo: "zoneinfo" },
};

/** The claim that becomes this field. Undefined: none. */
export function claimOf(field: ClaimField, { claims }: { readonly claims?: ClaimNames }): string | undefined {
  // `email_verified` speaks of `email`. Of another address only a claim that the operator names can say it.
  if (field === "email_verified" && claims?.email !== undefined && claims.email !== "email")
    return claims.email_verified || undefined;
  return (claims?.[field] ?? USUAL[field]) || undefined;
}

/** The name of a claim: ASCII, as providers use them. Also namespaced ones, which are URLs. */
export function isClaimName(text: string): boolean {
  return /^[\u0021-\u007e]{1,200}$/.test(text);
}
