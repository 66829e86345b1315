/** What a provider says of a person, as this server reads it: which claim is what, and how long it may be. */

import { type ClaimField, claimOf, DETAIL_FIELDS } from "../owners/identities/claim-names.ts";
import { type ProviderPreset, presetOf } from "../owners/identities/provider-presets.ts";
import type { SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { UpstreamIdentity } from "../owners/identities/upstream-identity.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Characters of a claim. A longer one is not read. */
const MAX_CLAIM = 2_048;
/** Characters of a provider's session id. A longer one is not remembered. */
const MAX_SID = 255;

/** The fields whose claims the operator named, and that are not in these claims. Then more is asked for. */
export function missesNamed(provider: SignInProvider, claims: Claims): boolean {
  return Object.values(provider.claims ?? {}).some((name) => name !== "" && claims[name] === undefined);
}

/** The address is wanted and not in these claims. */
export function missesAddress(provider: SignInProvider, claims: Claims): boolean {
  const name = claimOf("email", provider);
  return name !== undefined && provider.scopes.includes("email") && claims[name] === undefined;
}

/** The claim that gives roles in a company is wanted and not in these claims. */
export function missesGroups({ company }: SignInProvider, claims: Claims): boolean {
  const name = company?.roles?.claim;
  return name !== undefined && claims[name] === undefined;
}

/**
 * `proved`: the claims of the ID token, which is signed. `more`: UserInfo's. The ID token's count first. Only it says how
 * and when the person signed in.
 */
export function identityOf(
  provider: SignInProvider,
  { issuer, subject }: Pick<UpstreamIdentity, "issuer" | "subject">,
  proved: Claims,
  more: Claims,
): UpstreamIdentity {
  const all = { ...more, ...proved };
  const read = (field: ClaimField) => textOf(all, claimOf(field, provider));
  // Whether an address is verified is said where the address is.
  const source = proved[claimOf("email", provider) ?? ""] === undefined ? more : proved;
  const details = DETAIL_FIELDS.flatMap(([field, detail]) => {
    const text = read(field);
    return text === null ? [] : [[detail, text] as const];
  });
  const authTime = proved["auth_time"];
  const sid = textOf(proved, "sid");
  return {
    ...{ issuer, subject, email: read("email"), emailVerified: isVerified(source, provider) },
    ...{ username: read("username"), name: read("name"), picture: read("picture") },
    details: Object.fromEntries(details),
    authTime: typeof authTime === "number" && Number.isFinite(authTime) ? authTime * 1000 : null,
    groups: textsOf(all, provider.company?.roles?.claim),
    mfa: isSecondFactor(proved, provider),
    sid: sid !== null && sid.length <= MAX_SID ? sid : null,
  };
}

/** A text that is not empty. */
function textOf(claims: Claims, name: string | undefined): string | null {
  const value = name === undefined ? undefined : claims[name];
  return typeof value === "string" && value !== "" && value.length <= MAX_CLAIM ? value : null;
}

/** Groups of one person that are looked at. */
const MAX_GROUPS = 1_000;

/** Texts of a claim that is a text or a list. Own properties only: the name of the claim is a company's. */
function textsOf(claims: Claims, name: string | undefined): readonly string[] {
  if (name === undefined || !Object.hasOwn(claims, name)) return [];
  const value = claims[name];
  const texts = Array.isArray(value) ? value : [value];
  return texts.filter((one) => typeof one === "string").slice(0, MAX_GROUPS);
}

/** Some providers send the text "true"; Entra ID's own claim may also be 1. */
function isVerified(source: Claims, provider: SignInProvider): boolean {
  const preset: ProviderPreset | undefined = presetOf(provider);
  const name = claimOf("email_verified", provider);
  const said = name === undefined ? undefined : source[name];
  if (said !== undefined || preset?.verifiedBy === undefined || claimOf("email", provider) !== "email")
    return said === true || said === "true";
  const own = source[preset.verifiedBy];
  return own === true || own === "true" || own === 1 || own === "1";
}

/** Exactly as the operator wrote the values: what they mean is the provider's matter. */
function isSecondFactor({ acr, amr }: Claims, { mfaAcr = [], mfaAmr = [] }: SignInProvider): boolean {
  if (typeof acr === "string" && mfaAcr.includes(acr)) return true;
  return Array.isArray(amr) && amr.some((one) => typeof one === "string" && mfaAmr.includes(one));
}
