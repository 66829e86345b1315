/** Assertions of trusted issuers as authorization grants: what the two kinds share (RFC 7521 §§4.1, 5.2). */

import {
  type AssertedOwner,
  type AssertedSubject,
  type FoundOwner,
  type MappedSubject,
  mappedSubject,
} from "./asserted-subject.ts";
import { refuse } from "./errors.ts";
import { scopesWithin } from "./grants/effective-scopes.ts";
import type { GrantRequest, OwnerEntitlement } from "./grants/grant-type.ts";
import type { Client, Millis, TrustedIssuer } from "./model.ts";
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
 * The entitlement of a verified assertion (RFC 7521 §4.1). Nothing is written before everything that could refuse it has been checked, except the memory
 * of its id. There is no refresh token; the access token ends with the assertion.
 */
export function assertionEntitlement(
  assertion: Assertion,
  request: GrantRequest,
  context: OAuthContext,
): OwnerEntitlement {
  const { record } = assertion;
  const now = context.now();
  checkTimes(assertion, now, context.restoredAt);
  const subject = mappedSubject(record, assertion.subject);
  return {
    kind: "owner",
    within: () => scopesWithin(record.scopes, request, context),

    async owner() {
      const found = await context.assertedOwners.find(record, subject);
      checkOwner(found, record);
      const first = await context.storage.replayCache.useOnce({
        kind: assertion.kind,
        key: context.hashes.sha256(JSON.stringify([record.issuer, assertion.id])),
        until: assertion.end + REMEMBERED_LONGER,
        now,
      });
      if (!first) refuse("assertion_replayed");
      const { partition, ownerId } = await ownerOf(found, record, subject, context);
      const authTime = assertion.authTime === null ? null : Math.min(assertion.authTime, now);
      return { partition, ownerId, authTime, acr: null, amr: [] };
    },

    under: { record: "operator policy" },
    refreshable: false,
    // An assertion that is over by our clock alone may still hold by its issuer's. It yields the shortest token there is.
    until: Math.max(assertion.end, now + SHORTEST_TOKEN),
    address: null,
    refusals: { blocked: "assertion_consent_revoked", noOwner: "assertion_owner_disabled" },
  };
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
