/** Grants without a code: by password, assertion or device (RFC 6749 §4.3, RFC 7521 §4.1, RFC 8628 §3.4). */

import { underOffline } from "../../oauth/consent-reach.ts";
import type { Consent, GrantedScope, Millis } from "../../oauth/model.ts";
import type { IssueDirect, IssueDirectOutcome } from "../../oauth/storage.ts";
import { directScopes, recordDirect, startOf, stopOf } from "../../owners/consent-without-page.ts";
import { writeConsent } from "../consents/consents.ts";
import { noteOncePerDay, noteReconnected } from "../consents/entries-of-a-day.ts";
import { oneConsent } from "../consents/grants-of-consent.ts";
import { note } from "../consents/history.ts";
import { sql, type Tx, transaction, words } from "../define-verbs.ts";
import {
  AUTH_TIME_UNKNOWN,
  consentColumns,
  consentOf,
  DAY,
  flag,
  grantColumns,
  grantOf,
  wholeOrNull,
} from "../row-conversion.ts";
import { latestEnd, ownerVerdict } from "./grant-lifecycle.ts";
import { supersede } from "./supersede-oldest-grants.ts";

/**
 * Reads the consent record first: a consent that the owner revoked makes no grant, and scopes that the owner removed
 * are in no grant.
 */
export const issueDirect = transaction<IssueDirect, IssueDirectOutcome>((tx, args) => makeDirect(tx, args));

/**
 * The consent, locked, and when its access ended since the app's last token, as the history says. One statement reads both,
 * because each token of such an app runs it.
 */
const lockedConsentWithEnd = sql`SELECT ${consentColumns}, (SELECT MAX(at) FROM history
    WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND kind IN ('ended', 'given_up')
      AND at > COALESCE(consents.last_used_at, consents.created_at)) AS access_ended_at
  FROM consents WHERE ${oneConsent} ${words.forUpdate}`;

/** Does the work of `issueDirect` inside another verb's transaction. */
export async function makeDirect(tx: Tx, args: IssueDirect): Promise<IssueDirectOutcome> {
  const { grant, trustedFrom, now } = args;
  const { partition, ownerId, clientId } = grant;
  const { verdict, reach } = await ownerVerdict(tx, grant, now, trustedFrom);
  // Only people: no password or assertion acts for a company.
  if (ownerId !== grant.personId || verdict !== "decides" || reach === undefined) return { kind: "no_owner" };
  const found = await tx.one(lockedConsentWithEnd, { partition, ownerId, clientId });
  const stored = found && consentOf(found);
  const accessEndedAt = found && wholeOrNull(found, "access_ended_at");
  const record = startOf(stored, args);
  const by = stopOf(record, grant.scopes);
  if (by !== undefined) return { kind: "blocked", by };
  const scopes = directScopes(record, args);
  const names = scopes.map(({ name }) => name);
  const row = await insertRedeemed(tx, { ...args, grant: underOffline(grant, names, record) }, scopes);
  if (row === undefined) return { kind: "exists" };
  const after = recordDirect(record, args);
  writeConsent(tx, after);
  const known = knownBefore(record, args);
  const isFirst = record === undefined || record !== stored;
  if (isFirst || scopes.some(({ name }) => !known.has(name))) {
    const by = args.via === "operator policy" ? "operator" : grant.personId;
    const same = { clientName: null, by, via: args.via, scopes: [], removed: [], expiresAt: null };
    const entry = {
      ...{ partition, ownerId, clientId, at: now, kind: "allowed" as const },
      record: { ...same, clientName: args.shown.clientName, scopes, expiresAt: after.expiresAt },
    };
    // A permission that came back counts each time, also on one day: two decisions of the owner lie between.
    const returned = args.via === "operator policy" ? record?.shown.returned : undefined;
    if (isFirst || returned?.some((name) => names.includes(name)) === true)
      await note(tx, { ...entry, entryId: grant.grantId });
    else await noteOncePerDay(tx, entry, same, async (at) => (accessEndedAt ?? 0) > at);
  } else if (typeof accessEndedAt === "number") {
    await noteReconnected(tx, grant, { clientName: after.shown.clientName, scopes, now });
  }
  await supersede(tx, grant, after.shown.clientName, now);
  return { kind: "issued", grant: grantOf(row) };
}

/**
 * The permissions that the history names already, so that a program which comes back with the same ones gets no entry each
 * time. By the operator's policy, a permission is new as well if a page allowed it: it no longer ends with that answer. This is
 * so again after the owner removed it and a page gave it back.
 */
function knownBefore(record: Consent | undefined, { via }: IssueDirect): ReadonlySet<string> {
  if (via === "operator policy") {
    const { byRules = [], returned = [] } = record?.shown ?? {};
    return new Set(byRules.filter((name) => !returned.includes(name)));
  }
  return new Set(record?.scopes.map(({ name }) => name));
}

/**
 * Inserts a grant without a code, at generation 1. Undefined: the id exists. No salt has an empty hash, so no code
 * leads to this grant. `decidedAt`: when the owner decided how long it holds.
 */
export function insertRedeemed(
  tx: Tx,
  {
    grant,
    refreshSaltHash,
    accessUntil,
    idleUntil,
    now,
  }: Pick<IssueDirect, "grant" | "refreshSaltHash" | "accessUntil" | "idleUntil" | "now">,
  scopes: readonly GrantedScope[],
  decidedAt: Millis = now,
) {
  const {
    scopes: _,
    ceiling: _ceiling,
    claims: _claims,
    toldOfLogout: _told,
    amr,
    refreshable,
    authTime,
    ...rest
  } = grant;
  const end = latestEnd(scopes);
  return tx.one(
    sql`INSERT INTO grants (partition, grant_id, client_id, owner_id, person_id, status, generation, refreshable, code_salt_hash,
        refresh_salt_hash, redirect_uri, scopes, audience, auth_time, acr, amr, created_at, code_until, retries, last_used_at, uses, idle_until,
        absolute_until, collect_at, decided_at)
      VALUES (:partition, :grantId, :clientId, :ownerId, :personId, 'active', 1, :refreshable, :noSalt, :refreshSaltHash, '', :scopes, :audience,
        :authTime, :acr, :amr, :now, 0, 0, :now, 1, :idleUntil, :absoluteUntil, :collectAt, :decidedAt)
      ON CONFLICT (partition, grant_id) DO NOTHING RETURNING ${grantColumns}`,
    {
      ...rest,
      refreshable: flag(refreshable),
      noSalt: new Uint8Array(),
      refreshSaltHash,
      scopes: JSON.stringify(scopes),
      authTime: authTime ?? AUTH_TIME_UNKNOWN,
      amr: JSON.stringify(amr),
      decidedAt,
      now,
      idleUntil: refreshable ? idleUntil : accessUntil,
      absoluteUntil: refreshable ? end : Math.min(end, accessUntil),
      collectAt: accessUntil + DAY,
    },
  );
}
