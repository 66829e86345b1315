/** Assertions of trusted issuers as authorization grants: the code that JWT and SAML share (RFC 7521 §§4.1, 5.2). */

import { ceilingOf } from "./consent-reach.ts";
import { refuse } from "./errors.ts";
import { scopesWithin } from "./grants/effective-scopes.ts";
import type { GrantRequest, OwnerEntitlement } from "./grants/grant-type.ts";
import {
  AN_OPERATOR,
  type AskedFor,
  type AssertedOwner,
  type AssertedSubject,
  type FoundOwner,
  type MappedSubject,
  mappedSubject,
} from "./map-asserted-subject.ts";
import type { Client, Millis } from "./model.ts";
import type { OAuthContext } from "./ports.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** Maximum difference between the issuer's clock and this server's clock. */
export const CLOCK_SKEW: Millis = 30_000;
/** An id is remembered for this much longer than its assertion could be accepted. */
const REMEMBERED_LONGER: Millis = 60_000;

/** Ends are cut to whole seconds, and the response takes time: a shorter token would have expired on arrival. */
export const SHORTEST_TOKEN: Millis = 2000;

/** The content of a verified assertion of either format. Times are on the issuer's clock. */
export interface Assertion {
  readonly record: TrustedIssuer;
  /** `issuer jti` or `saml id`: ids of one kind are remembered together. */
  readonly kind: "issuer jti" | "saml id";
  readonly id: string;
  readonly subject: AssertedSubject;
  /** When the subject signed in at the issuer. Null: the issuer does not say, or nobody signed in. */
  readonly authTime: Millis | null;
  readonly issuedAt: Millis | null;
  readonly notBefore: Millis | null;
  readonly end: Millis;
}

/** The active record of an issuer, if this client may present its assertions (RFC 7521 §3). */
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

/** RFC 7521 §5.2, items 4–6, and the maximum lifetime that the operator allows. */
function checkTimes(assertion: Assertion, now: Millis, forgottenBefore: Millis): void {
  const { record, authTime, issuedAt, notBefore, end } = assertion;
  const longest = record.maxLifetime * 1000;
  // Even the shortest token must not end later than the assertion could have been accepted.
  if (end + CLOCK_SKEW < now + SHORTEST_TOKEN) refuse("assertion_expired");
  if (end > now + longest + CLOCK_SKEW) refuse("assertion_lifetime_too_long");
  if (notBefore !== null && notBefore > now + CLOCK_SKEW) refuse("assertion_not_yet_valid");
  if (issuedAt !== null && issuedAt > now + CLOCK_SKEW) refuse("assertion_not_yet_valid", "issued in the future");
  // To an API that wants a recent sign-in, this one would look recent for ever.
  if (authTime !== null && authTime > now + CLOCK_SKEW) refuse("assertion_not_yet_valid", "signed in in the future");
  if (issuedAt !== null && issuedAt < now - longest - CLOCK_SKEW) refuse("assertion_lifetime_too_long", "too old");
  if ((issuedAt ?? end - longest) < forgottenBefore + CLOCK_SKEW && forgottenBefore > 0)
    refuse("assertion_expired", "it is from before the database was restored, and may have been used");
}

/**
 * The entitlement of a verified assertion (RFC 7521 §4.1). Every check that can refuse comes before the first write,
 * except the check of its id. There is no refresh token; the access token ends with the assertion.
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

    async owner({ scopes }) {
      const { client } = request;
      const asked = { client, scopes, ceiling: ceilingOf(client, context.policy) };
      const found = await context.assertedOwners.find(record, subject, asked);
      checkOwner(found, record);
      const first = await context.storage.replayCache.useOnce({
        kind: assertion.kind,
        key: context.hashes.sha256(JSON.stringify([record.issuer, assertion.id])),
        until: assertion.end + REMEMBERED_LONGER,
        now,
      });
      if (!first) refuse("assertion_replayed");
      const { active: _, operator: __, ...owner } = await ownerOf(found, { record, subject, asked }, context);
      const authTime = assertion.authTime === null ? null : Math.min(assertion.authTime, now);
      return { ...owner, authTime, acr: null, amr: [] };
    },

    under: { record: "operator policy" },
    refreshable: false,
    // An assertion that has expired by this server's clock may still be valid by its issuer's clock. It yields the
    // shortest token.
    until: Math.max(assertion.end, now + SHORTEST_TOKEN),
    address: null,
    refusals: { blocked: "assertion_consent_revoked", noOwner: "assertion_owner_disabled" },
  };
}

/** Refuses if the owner may not get a token, or does not exist. */
function checkOwner(found: FoundOwner, record: TrustedIssuer): void {
  if (found.kind === "refused") refuse(found.condition, found.why);
  if (found.kind === "unverified") refuse("assertion_email_unverified", `by the ${found.by}`);
  const owner = found.kind === "found" || found.kind === "unlinked" ? found.owner : undefined;
  if (owner === undefined && !record.createOwners) refuse("assertion_subject_unknown");
  if (owner?.operator) refuse("assertion_subject_not_allowed", AN_OPERATOR);
  if (owner?.active === false) refuse("assertion_owner_disabled");
}

/**
 * The owner. From now on the owner is linked to the subject, if only a link distinguishes them from a later owner of
 * the same address.
 */
async function ownerOf(
  found: FoundOwner,
  {
    record,
    subject,
    asked,
  }: { readonly record: TrustedIssuer; readonly subject: MappedSubject; readonly asked: AskedFor },
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
  const again = created === undefined ? await owners.find(record, subject, asked) : undefined;
  const owner = created?.owner ?? (again?.kind === "found" ? again.owner : undefined);
  return owner?.active && !owner.operator ? owner : refuse("assertion_subject_unknown", "can't be made an owner");
}
