/** SAML 2.0 bearer assertions as authorization grants (RFC 7522 §§2.1, 3). */

import { type Assertion, assertionEntitlement, CLOCK_SKEW, trustedIssuer } from "../assertion.ts";
import { endpoints } from "../endpoints.ts";
import { refuse } from "../errors.ts";
import type { AssertedSubject } from "../map-asserted-subject.ts";
import type { Millis } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import type { SamlAssertion } from "../saml-assertion-model.ts";
import type { TrustedIssuer } from "../trusted-issuer.ts";
import { type GrantType, required } from "./grant-type.ts";

/** SAML Core §8.3.8: the issuer makes a new one each time. */
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

export const saml2Bearer: GrantType = {
  grantType: "urn:ietf:params:oauth:grant-type:saml2-bearer",
  parameters: { assertion: "assertion_missing", scope: null },
  refreshable: false,
  startsAt: null,

  async entitle(request, context) {
    const encoded = required(request, "assertion");
    const issuers = await context.catalog.issuers();
    const saml = [...issuers.values()].filter(({ type }) => type === "saml");
    const reading = await context.saml.read(
      encoded,
      new Map(saml.map(({ issuer, certificates }) => [issuer, certificates])),
    );
    if (reading.kind === "refused") return refuse(reading.condition, reading.detail);
    const record = trustedIssuer(issuers, reading.assertion.issuer, "saml", request.client);
    return assertionEntitlement(checked(reading.assertion, record, context), request, context);
  },
};

function tokenEndpointOf({ issuer }: OAuthContext): string {
  return issuer + endpoints.token;
}

/** The checks of §3, in its order. The signature (item 9) and the issuer (item 1) have been checked already. */
function checked(assertion: SamlAssertion, record: TrustedIssuer, context: OAuthContext): Assertion {
  const { conditions } = assertion;
  if (conditions === null) return refuse("assertion_audience_wrong", "no Conditions");
  // Item 2. Each restriction must name this server, because all restrictions must hold (SAML Core §2.5.1.4). None may
  // name anybody else, who could present the assertion here.
  const us = [context.issuer, tokenEndpointOf(context), ...(record.audience === null ? [] : [record.audience])];
  const { audiences } = conditions;
  if (audiences.length === 0) refuse("assertion_audience_wrong", "no AudienceRestriction");
  const isOurs = (names: readonly string[]) => names.length > 0 && names.every((one) => us.includes(one));
  if (!audiences.every(isOurs)) refuse("assertion_audience_wrong");
  // Item 11: an unknown condition could forbid anything.
  if (conditions.unknown.length > 0) refuse("assertion_condition_unknown", conditions.unknown.join(" ").slice(0, 200));
  const subject = subjectOf(assertion, record);
  const confirmedUntil = confirmed(assertion, context);
  const ends = [confirmedUntil, conditions.notOnOrAfter, ...assertion.sessionEnds].filter((end) => end !== null);
  return {
    record,
    kind: "saml id",
    id: assertion.id,
    subject,
    authTime: assertion.authenticatedAt,
    issuedAt: assertion.issuedAt,
    notBefore: conditions.notBefore,
    end: Math.min(...ends),
  };
}

/** The NameID is required even if an attribute is the subject. */
function subjectOf(assertion: SamlAssertion, { subjectClaim }: TrustedIssuer): AssertedSubject {
  const { nameId, nameIdFormat, attributes, email } = assertion;
  if (nameId === null) return refuse("assertion_subject_missing");
  // SAML can't say that an address is verified.
  const rest = { email, emailVerified: null };
  if (subjectClaim === null) return { ...rest, value: nameId, lasting: nameIdFormat !== TRANSIENT };
  const [value, ...more] = attributes.get(subjectClaim) ?? [];
  if (typeof value === "string" && more.length === 0) return { ...rest, value, lasting: true };
  return refuse("assertion_subject_missing", `${subjectClaim} is not one text`);
}

/** Item 5: a bearer confirmation for this endpoint that is valid now. Returns its end. */
function confirmed({ confirmations }: SamlAssertion, context: OAuthContext): Millis {
  const bearer = confirmations.filter(({ method }) => method === BEARER);
  if (bearer.length === 0) refuse("assertion_confirmation_wrong", "no bearer confirmation");
  const fitting = bearer.filter(
    ({ recipient, notBefore }) => recipient === tokenEndpointOf(context) && notBefore === null,
  );
  if (fitting.length === 0) refuse("assertion_confirmation_wrong", "another Recipient, none, or a NotBefore");
  const ends = fitting.map(({ notOnOrAfter }) => notOnOrAfter).filter((end) => end !== null);
  if (ends.length === 0) refuse("assertion_confirmation_wrong", "no NotOnOrAfter");
  const latest = Math.max(...ends);
  return latest + CLOCK_SKEW > context.now() ? latest : refuse("assertion_expired");
}
