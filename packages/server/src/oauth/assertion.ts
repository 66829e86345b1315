/** Assertions of trusted issuers as authorization grants: what the two kinds share (RFC 7521 §§4.1, 5.2). */

import { accessTokenTtl, type TokenResponse, tokenResponse } from "./access-token.ts";
import { type ConditionName, refuse } from "./errors.ts";
import type { GrantRequest } from "./grants/index.ts";
import { judgeGrant, oneResource, scopesWithin } from "./grants/judge.ts";
import { type Client, type Grant, type Millis, NEVER, type TrustedIssuer } from "./model.ts";
import type { OAuthContext } from "./ports.ts";

/** How far the issuer's clock may differ from ours. */
export const CLOCK_SKEW: Millis = 30_000;
/** An id is remembered for that much longer than its assertion could be accepted. */
const REMEMBERED_LONGER: Millis = 60_000;

/** Ends are cut to whole seconds, and the answer takes its time: less would be a token that is over when it arrives. */
const SHORTEST_TOKEN: Millis = 2000;

/** What a verified assertion says, whatever it is written in. Times are on the issuer's clock. */
export interface Assertion {
  readonly record: TrustedIssuer;
  /** `issuer jti` or `saml id`: whose ids are remembered together. */
  readonly kind: "issuer jti" | "saml id";
  readonly id: string;
  readonly subject: string;
  /** For an owner who is made now; null: not said. */
  readonly email: string | null;
  readonly authTime: Millis | null;
  readonly issuedAt: Millis | null;
  readonly notBefore: Millis | null;
  readonly end: Millis;
}

/** A bearer or other confirmation of a SAML subject (SAML Core §2.4.1). */
export interface SamlConfirmation {
  readonly method: string;
  readonly recipient: string | null;
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
}

/** SAML Core §2.5.1. `audiences`: one list for each restriction; `unknown`: names of conditions that nobody here understands. */
export interface SamlConditions {
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
  readonly audiences: readonly (readonly string[])[];
  readonly unknown: readonly string[];
}

/** What of a SAML assertion was signed. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  readonly issuedAt: Millis | null;
  readonly nameId: string | null;
  readonly email: string | null;
  readonly confirmations: readonly SamlConfirmation[];
  readonly conditions: SamlConditions | null;
  readonly authenticatedAt: Millis | null;
  readonly sessionEnds: readonly Millis[];
}

export type SamlReading =
  | { readonly kind: "verified"; readonly assertion: SamlAssertion }
  | { readonly kind: "refused"; readonly condition: ConditionName; readonly detail: string };

/** Reads base64url of a SAML assertion, verified by one of its issuer's certificates (PEM). */
export interface SamlReader {
  read(encoded: string, certificatesOf: ReadonlyMap<string, readonly string[]>): Promise<SamlReading>;
}

/** An owner as the subject of an assertion. */
export interface AssertedOwner {
  readonly partition: number;
  readonly ownerId: string;
  readonly active: boolean;
  /** Operators don't act through assertions: whoever holds an issuer's key would be one of them. */
  readonly operator: boolean;
}

/** The owners that assertions speak of. */
export interface AssertedOwners {
  find(by: TrustedIssuer["mapSubject"], subject: string): Promise<AssertedOwner | undefined>;
  /** Makes an owner without a password. Undefined: the subject can't be one's name, or its names are others'. */
  create(by: TrustedIssuer["mapSubject"], subject: string, email: string | null): Promise<AssertedOwner | undefined>;
}

/** The active record of an issuer, if its assertions may come by this client (RFC 7521 §3). */
export function trustedIssuer(
  issuers: ReadonlyMap<string, TrustedIssuer>,
  issuer: string,
  type: TrustedIssuer["type"],
  client: Client,
): TrustedIssuer {
  const record = issuers.get(issuer);
  if (record === undefined || record.type !== type) return refuse("assertion_issuer_unknown");
  if (record.status !== "active") refuse("assertion_issuer_unknown", "disabled");
  if (record.clients.length > 0 && !record.clients.includes(client.clientId)) refuse("assertion_client_not_allowed");
  return record;
}

/** RFC 7521 §5.2, items 3–6 and what the operator allows of the issuer: times, subject. */
function checkAssertion(assertion: Assertion, now: Millis, forgottenBefore: Millis): void {
  const { record, subject, issuedAt, notBefore, end } = assertion;
  const longest = record.maxLifetime * 1000;
  // The shortest token must fit in: none ends later than its assertion could still have been accepted.
  if (end + CLOCK_SKEW < now + SHORTEST_TOKEN) refuse("assertion_expired");
  if (end > now + longest + CLOCK_SKEW) refuse("assertion_lifetime_too_long");
  if (notBefore !== null && notBefore > now + CLOCK_SKEW) refuse("assertion_not_yet_valid");
  if (issuedAt !== null && issuedAt > now + CLOCK_SKEW) refuse("assertion_not_yet_valid", "issued in the future");
  if (issuedAt !== null && issuedAt < now - longest - CLOCK_SKEW) refuse("assertion_lifetime_too_long", "too old");
  if ((issuedAt ?? end - longest) < forgottenBefore + CLOCK_SKEW && forgottenBefore > 0)
    refuse("assertion_expired", "it is from before the database was restored, and may have been used");
  if (subject === "") refuse("assertion_subject_missing");
  if (!mayAssert(record.subjects, subject)) refuse("assertion_subject_not_allowed");
}

/** Subjects by name, or `@domain`: all addresses of that domain. */
function mayAssert(subjects: readonly string[], subject: string): boolean {
  if (subjects.length === 0) return true;
  const folded = subject.toLowerCase();
  const domain = folded.slice(folded.lastIndexOf("@"));
  return subjects.some((one) =>
    one.startsWith("@") ? folded.includes("@") && one.toLowerCase() === domain : one === subject,
  );
}

/**
 * Exchanges a verified assertion for an access token (RFC 7521 §4.1). Nothing is written before all that could refuse it has been looked at,
 * but for the memory of its id. No refresh token; the access token ends with the assertion.
 */
export async function redeemAssertion(
  assertion: Assertion,
  request: GrantRequest,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { client } = request;
  const { record } = assertion;
  const now = context.now();
  checkAssertion(assertion, now, context.notBefore);
  const resource = oneResource(request);
  const { scopes, audience } = await scopesWithin(record.scopes, request, resource, context);
  const found = await context.assertedOwners.find(record.mapSubject, assertion.subject);
  if (found === undefined && !record.createOwners) refuse("assertion_subject_unknown");
  if (found?.operator) refuse("assertion_subject_not_allowed", "an operator");
  if (found?.active === false) refuse("assertion_owner_disabled");

  const first = await context.storage.once({
    kind: assertion.kind,
    key: context.hashes.sha256(JSON.stringify([record.issuer, assertion.id])),
    until: assertion.end + REMEMBERED_LONGER,
    now,
  });
  if (!first) refuse("assertion_replayed");

  const owner = found ?? (await makeOwner(assertion, context));
  // No token outlives its assertion. One that is over by our clock alone may live on by its issuer's: it yields the shortest token there is.
  const end = Math.max(assertion.end, now + SHORTEST_TOKEN);
  const ttl = accessTokenTtl((await context.catalog.resources()).get(audience), context.policy.accessTtl);
  const accessUntil = Math.min(now + ttl, end);
  const grant = await issue({ owner, client, scopes, audience, accessUntil, now }, assertion, context);
  const judged = await judgeGrant(grant, client, { scope: undefined, resource }, context);
  // A token ends with the first of its scopes.
  const capped = judged.scopes.map(({ name, expiresAt }) => ({
    name,
    expiresAt: Math.min(expiresAt ?? NEVER, end),
  }));
  return tokenResponse(grant, { ...judged, scopes: capped }, client, context, () => {
    throw new Error("a grant by assertion has no refresh token");
  });
}

async function makeOwner({ record, subject, email }: Assertion, context: OAuthContext): Promise<AssertedOwner> {
  const { assertedOwners: owners, event } = context;
  const made = await owners.create(record.mapSubject, subject, email);
  if (made !== undefined) {
    event("owner_created", { owner: made.ownerId, issuer: record.issuer });
    return made;
  }
  // Another assertion about the same subject may have been faster.
  const found = await owners.find(record.mapSubject, subject);
  return found?.active && !found.operator ? found : refuse("assertion_subject_unknown", "can't be made an owner");
}

interface Issuing {
  readonly owner: AssertedOwner;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly audience: string;
  readonly accessUntil: Millis;
  readonly now: Millis;
}

async function issue(
  { owner, client, scopes, audience, accessUntil, now }: Issuing,
  assertion: Assertion,
  context: OAuthContext,
): Promise<Grant> {
  const { partition, ownerId } = owner;
  const outcome = await context.storage.issueDirect({
    grant: {
      partition,
      grantId: context.newGrantId(partition),
      clientId: client.clientId,
      ownerId,
      personId: ownerId,
      refreshable: false,
      scopes,
      audience,
      authTime: assertion.authTime ?? assertion.issuedAt ?? now,
      acr: null,
      amr: [],
    },
    via: "operator policy",
    refreshSaltHash: null,
    accessUntil,
    idleUntil: accessUntil,
    consentUntil: null,
    shown: { locale: "en", clientName: client.name, logo: client.logo },
    address: null,
    now,
  });
  switch (outcome.kind) {
    case "issued":
      return outcome.grant;
    case "blocked":
      return refuse("assertion_consent_revoked");
    case "no_owner":
      return refuse("assertion_owner_disabled");
    case "exists":
      throw new Error("a random id of a grant came up twice");
  }
}
