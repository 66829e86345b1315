/** Grants that need no code: by password, assertion or device (RFC 6749 §4.3, RFC 7521 §4.1, RFC 8628 §3.4). */

import type { GrantedScope, Millis } from "../../oauth/model.ts";
import type { IssueDirect, IssueDirectOutcome } from "../../oauth/storage.ts";
import { blocksDirect, directScopes, recordDirect } from "../../owners/consent-record.ts";
import { lockedConsent, writeConsent } from "../consents/consents.ts";
import { note } from "../consents/history.ts";
import { AUTH_TIME_UNKNOWN, consentOf, DAY, flag, grantColumns, grantOf } from "../rows.ts";
import { sql, type Tx, transaction } from "../sql.ts";
import { latestEnd, ownerVerdict, supersede } from "./grants.ts";

/** The record first: a consent that the owner took back makes no grant, and scopes that they took back are in none. */
export const issueDirect = transaction<IssueDirect, IssueDirectOutcome>((tx, args) => makeDirect(tx, args));

/** As `issueDirect`, inside another verb's transaction. */
export async function makeDirect(tx: Tx, args: IssueDirect): Promise<IssueDirectOutcome> {
  const { grant, trustedFrom, now } = args;
  const { partition, ownerId, clientId } = grant;
  const { verdict, reach } = await ownerVerdict(tx, grant, now, trustedFrom);
  // People only: no password or assertion speaks for a company.
  if (ownerId !== grant.personId || verdict !== "decides" || reach === undefined) return { kind: "no_owner" };
  const before = await tx.one(lockedConsent, { partition, ownerId, clientId });
  const record = before && consentOf(before);
  if (blocksDirect(record, grant.scopes)) return { kind: "blocked" };
  const scopes = directScopes(record, args);
  const row = await insertRedeemed(tx, args, scopes);
  if (row === undefined) return { kind: "exists" };
  const after = recordDirect(record, args);
  await writeConsent(tx, after);
  // Told when it changes what the app may do, not each time that a program comes back with the same.
  const held = new Set(record?.scopes.map(({ name }) => name));
  if (record === undefined || after.scopes.some(({ name }) => !held.has(name))) {
    await note(tx, {
      ...{ partition, ownerId, clientId, entryId: grant.grantId, at: now, kind: "allowed" },
      record: {
        clientName: args.shown.clientName,
        by: after.grantedBy,
        via: args.via,
        scopes,
        removed: [],
        expiresAt: after.expiresAt,
      },
    });
  }
  await supersede(tx, grant, now);
  return { kind: "issued", grant: grantOf(row) };
}

/**
 * Inserts a grant without a code, at generation 1; undefined: the id exists. The hash of no salt is empty, so no code leads to it. `decidedAt`: when the
 * owner decided how long it holds.
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
  const { scopes: _, ceiling: _ceiling, amr, refreshable, authTime, ...rest } = grant;
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
