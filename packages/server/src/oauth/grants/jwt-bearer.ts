/** JWTs as authorization grants (RFC 7523 §§2.1, 3). */

import { type Assertion, assertionEntitlement, trustedIssuer } from "../assertion.ts";
import { type ConditionName, refuse } from "../errors.ts";
import { PUBLIC_KEY_ALGS } from "../foreign-jwk-set.ts";
import type { AssertedSubject } from "../map-asserted-subject.ts";
import type { Client, Millis } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import type { ForeignJwt, OAuthContext, SignatureOutcome } from "../ports.ts";
import type { TrustedIssuer } from "../trusted-issuer.ts";
import { type GrantType, required } from "./grant-type.ts";

/** The type of a JWT for this purpose. Access tokens, proofs, and ID tokens with a type have another one. */
const TYPES = /^(?:application\/)?(?:jwt|authorization-grant\+jwt)$/i;
/** The type of an ID-JAG, in exactly this form (draft-ietf-oauth-identity-assertion-authz-grant §3.1). */
const ID_JAG_TYPE = "oauth-id-jag+jwt";
const MAX_JTI = 512;

export const jwtBearer: GrantType = {
  grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
  parameters: { assertion: "assertion_missing", scope: null },
  refreshable: false,
  startsAt: null,

  async entitle(request, context) {
    const jwt = read(required(request, "assertion"), context);
    if (jwt.typ !== ID_JAG_TYPE)
      return assertionEntitlement(await verified(jwt, "jwt", request, context), request, context);
    const assertion = await verified(jwt, "id-jag", request, context);
    const { identityAssertion } = await import("../identity-assertion/accept.ts");
    return identityAssertion(assertion, jwt.claims, request, context);
  },
};

const read = (text: string, { foreignJwts }: OAuthContext) => foreignJwts.read(text) ?? refuse("assertion_malformed");

/** The assertion of a JWT that this client may present, with all of its claims. Refuses as `assertion_refused` says. */
export async function verifiedAssertion(
  text: string,
  client: Client,
  context: OAuthContext,
): Promise<{ readonly assertion: Assertion; readonly claims: ForeignJwt["claims"] }> {
  const jwt = read(text, context);
  return { assertion: await verified(jwt, "jwt", { client }, context), claims: jwt.claims };
}

/** A record takes assertions of its own type alone: an issuer's ID-JAG is not its plain JWT, nor the other way round. */
async function verified(
  jwt: ForeignJwt,
  type: "jwt" | "id-jag",
  { client }: { readonly client: Client },
  context: OAuthContext,
): Promise<Assertion> {
  if (type === "jwt" && jwt.typ !== undefined && !TYPES.test(jwt.typ)) refuse("assertion_type_refused");
  const { iss } = jwt.claims;
  if (typeof iss !== "string") return refuse("assertion_issuer_unknown", "no iss");
  const issuers = await context.catalog.issuers();
  // The time of a refusal must not tell which issuers are trusted.
  if (issuers.get(iss)?.type !== type) await context.foreignJwts.pretend(jwt);
  const record = trustedIssuer(issuers, iss, type, client);
  const { jwks, jwksUri } = record;
  const outcome = await context.foreignJwts.verify(jwt, { algs: PUBLIC_KEY_ALGS, jwks, jwksUri });
  if (outcome !== "verified") refuse(REFUSALS[outcome]);
  return checked(jwt, record, context);
}

const REFUSALS: Readonly<Record<Exclude<SignatureOutcome, "verified">, ConditionName>> = {
  alg_refused: "assertion_algorithm_refused",
  key_unknown: "assertion_key_unknown",
  keys_unavailable: "assertion_keys_unavailable",
  keys_busy: "temporarily_unavailable",
  wrong: "assertion_signature_wrong",
};

/** The checks of §3, in its order. */
function checked({ claims }: ForeignJwt, record: TrustedIssuer, { issuer }: OAuthContext): Assertion {
  const { aud, jti } = claims;
  const subject = subjectOf(claims, record);
  // The JWT must be for this server alone. Otherwise another audience could present it here, or this server there
  // (draft-ietf-oauth-rfc7523bis).
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isUs = (one: unknown) => one === issuer || (record.audience !== null && one === record.audience);
  if (audiences.length === 0 || !audiences.every(isUs)) refuse("assertion_audience_wrong");
  const end = timeOf(claims, "exp");
  if (end === null) return refuse("assertion_expired", "no exp");
  // Item 7 makes jti optional; without it, the server could not detect a second use.
  if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI) return refuse("assertion_id_missing");
  return {
    record,
    kind: "issuer jti",
    id: jti,
    subject,
    authTime: timeOf(claims, "auth_time"),
    issuedAt: timeOf(claims, "iat"),
    notBefore: timeOf(claims, "nbf"),
    end,
  };
}

/** Item 2. `sub` is required even if another claim is the subject. */
function subjectOf(claims: ForeignJwt["claims"], { subjectClaim }: TrustedIssuer): AssertedSubject {
  const own = (name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);
  const [sub, email, verified] = [own("sub"), own("email"), own("email_verified")];
  if (typeof sub !== "string") return refuse("assertion_subject_missing");
  const value = subjectClaim === null ? sub : own(subjectClaim);
  if (typeof value !== "string") return refuse("assertion_subject_missing", `${subjectClaim} is not one string`);
  return {
    value,
    email: typeof email === "string" ? email : null,
    emailVerified: verified === undefined ? null : verified === true,
    lasting: true,
  };
}

/** Null: absent. */
function timeOf(claims: ForeignJwt["claims"], name: "exp" | "iat" | "nbf" | "auth_time"): Millis | null {
  const time = timeClaim(claims, name);
  return time === undefined ? refuse("assertion_malformed", `${name} is not a time`) : time;
}
