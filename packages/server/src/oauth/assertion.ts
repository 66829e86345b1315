/** Assertions of trusted issuers as authorization grants: what the two kinds share (RFC 7521 §§4.1, 5.2). */

import { accessTokenTtl, type TokenResponse, tokenResponse } from "./access-token.ts";
import {
  type AssertedOwner,
  type AssertedSubject,
  type FoundOwner,
  type MappedSubject,
  mappedSubject,
} from "./asserted-subject.ts";
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
export const SHORTEST_TOKEN: Millis = 2000;

/** What a verified assertion says, whatever it is written in. Times are on the issuer's clock. */
export interface Assertion {
  readonly record: TrustedIssuer;
  /** `issuer jti` or `saml id`: whose ids are remembered together. */
  readonly kind: "issuer jti" | "saml id";
  readonly id: string;
  readonly subject: AssertedSubject;
  /** When the subject signed in at the issuer; null: it doesn't say so, or nobody did. */
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
  /** `Format` of the NameID; null: not said. */
  readonly nameIdFormat: string | null;
  readonly email: string | null;
  /** Values by the attribute's name; null: one that is more than text. */
  readonly attributes: ReadonlyMap<string, readonly (string | null)[]>;
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

/** RFC 7521 §5.2, items 4–6, and the longest life that the operator allows. */
function checkTimes(assertion: Assertion, now: Millis, forgottenBefore: Millis): void {
  const { record, authTime, issuedAt, notBefore, end } = assertion;
  const longest = record.maxLifetime * 1000;
  // The shortest token must fit in: none ends later than its assertion could still have been accepted.
  if (end + CLOCK_SKEW < now + SHORTEST_TOKEN) refuse("assertion_expired");
  if (end > now + longest + CLOCK_SKEW) refuse("assertion_lifetime_too_long");
  if (notBefore !== null && notBefore > now + CLOCK_SKEW) refuse("assertion_not_yet_valid");
  if (issuedAt !== null && issuedAt > now + CLOCK_SKEW) refuse("assertion_not_yet_valid", "issued in the future");
  // An API that wants a fresh sign-in would find this one fresh for ever.
  if (authTime !== null && authTime > now + CLOCK_SKEW) refuse("assertion_not_yet_valid", "signed in in the future");
  if (issuedAt !== null && issuedAt < now - longest - CLOCK_SKEW) refuse("assertion_lifetime_too_long", "too old");
  if ((issuedAt ?? end - longest) < forgottenBefore + CLOCK_SKEW && forgottenBefore > 0)
    refuse("assertion_expired", "it is from before the database was restored, and may have been used");
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
  checkTimes(assertion, now, context.notBefore);
  const subject = mappedSubject(record, assertion.subject);
  const resource = oneResource(request);
  const { scopes, audience } = await scopesWithin(record.scopes, request, resource, context);
  const found = await context.assertedOwners.find(record, subject);
  checkOwner(found, record);

  const first = await context.storage.once({
    kind: assertion.kind,
    key: context.hashes.sha256(JSON.stringify([record.issuer, assertion.id])),
    until: assertion.end + REMEMBERED_LONGER,
    now,
  });
  if (!first) refuse("assertion_replayed");

  const owner = await ownerOf(found, record, subject, context);
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

/** What is wrong with the owner, or with there being none. */
function checkOwner(found: FoundOwner, record: TrustedIssuer): void {
  if (found.kind === "unverified") refuse("assertion_email_unverified", `by the ${found.by}`);
  const owner = found.kind === "found" || found.kind === "unlinked" ? found.owner : undefined;
  if (owner === undefined && !record.createOwners) refuse("assertion_subject_unknown");
  if (owner?.operator) refuse("assertion_subject_not_allowed", "an operator");
  if (owner?.active === false) refuse("assertion_owner_disabled");
}

/** The owner, from now on linked to the subject where a link is what tells them from the next who has their address. */
async function ownerOf(
  found: FoundOwner,
  record: TrustedIssuer,
  subject: MappedSubject,
  { assertedOwners: owners, event }: OAuthContext,
): Promise<AssertedOwner> {
  if (found.kind === "found") return found.owner;
  if (found.kind === "unlinked") {
    const { owner } = found;
    if (!(await owners.tie(record, subject, owner))) refuse("assertion_subject_unknown", "linked to others");
    event("subject_linked", { owner: owner.ownerId, issuer: record.issuer });
    return owner;
  }
  const created = await owners.create(record, subject);
  if (created?.made) event("owner_created", { owner: created.owner.ownerId, issuer: record.issuer });
  // Another assertion about the same subject may have been faster.
  const again = created === undefined ? await owners.find(record, subject) : undefined;
  const owner = created?.owner ?? (again?.kind === "found" ? again.owner : undefined);
  return owner?.active && !owner.operator ? owner : refuse("assertion_subject_unknown", "can't be made an owner");
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
      authTime: assertion.authTime === null ? null : Math.min(assertion.authTime, now),
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
