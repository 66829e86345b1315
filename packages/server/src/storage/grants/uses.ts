/** Verbs that record which scopes an app used, and when the app last used what an owner allowed. */

import type { Consent, ListedGrant, Millis } from "../../oauth/model.ts";
import {
  type RecordApiUse,
  type RecordIntrospection,
  type RecordScopeUses,
  USE_RECORDED_EVERY,
} from "../../oauth/storage.ts";
import type { ApiUse, ConsentWithHeld, ScopeUse } from "../../owners/storage.ts";
import { query, type Row, sql, statement, type Tx, transaction, words } from "../define-verbs.ts";
import {
  consentColumns,
  consentOf,
  grantColumns,
  grantOf,
  isActive,
  text,
  textOrNull,
  whole,
  wholeOrNull,
} from "../row-conversion.ts";

/**
 * Scopes that the owner removed meanwhile are not recorded: the record would outlive them, or count as a use of a later
 * consent.
 */
export const recordScopeUses = transaction<RecordScopeUses, void>(async (tx, { scopes, ...args }) => {
  const { partition, ownerId, clientId } = args;
  const consent = await tx.one(
    sql`SELECT status FROM consents WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND status = 'active'
      ${words.forShare}`,
    { partition, ownerId, clientId },
  );
  if (consent === undefined) return;
  for (const scope of [...scopes].sort()) {
    await tx.run(
      sql`INSERT INTO scope_uses (partition, owner_id, client_id, scope, last_used_at)
        VALUES (:partition, :ownerId, :clientId, :scope, :now)
        ON CONFLICT (partition, owner_id, client_id, scope) DO UPDATE SET last_used_at = excluded.last_used_at`,
      { ...args, scope },
    );
  }
});

export const listScopeUses = query<{ readonly partition: number; readonly ownerId: string }, readonly ScopeUse[]>({
  sql: sql`SELECT client_id, scope, last_used_at FROM scope_uses WHERE partition = :partition AND owner_id = :ownerId`,
  bind: ({ partition, ownerId }) => ({ partition, ownerId }),
  outcome: (rows) =>
    rows.map((row) => ({
      clientId: text(row, "client_id"),
      scope: text(row, "scope"),
      lastUsedAt: whole(row, "last_used_at"),
    })),
});

/**
 * Records which API a grant was used at, where the grant's own row doesn't tell. The consent is locked first, so that no
 * record outlives it. Writes nothing if any process recorded the use a moment ago.
 */
export const recordApiUse = transaction<RecordApiUse, void>(async (tx, { partition, grantId, api, now }) => {
  const grant = await tx.one(
    sql`SELECT owner_id, client_id, audience FROM grants WHERE partition = :partition AND grant_id = :grantId AND status = 'active'`,
    { partition, grantId },
  );
  // A grant for one API tells itself when that was used.
  if (grant === undefined || textOrNull(grant, "audience") === api) return;
  const key = { partition, ownerId: text(grant, "owner_id"), clientId: text(grant, "client_id") };
  const consent = await tx.one(
    sql`SELECT status FROM consents WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND status = 'active'
      ${words.forShare}`,
    key,
  );
  if (consent === undefined) return;
  await tx.run(
    sql`INSERT INTO api_uses (partition, owner_id, client_id, api, last_used_at)
      VALUES (:partition, :ownerId, :clientId, :api, :now)
      ON CONFLICT (partition, owner_id, client_id, api) DO UPDATE SET last_used_at = excluded.last_used_at
        WHERE api_uses.last_used_at <= :before`,
    { ...key, api, now, before: now - USE_RECORDED_EVERY },
  );
});

export const listApiUses = query<{ readonly partition: number; readonly ownerId: string }, readonly ApiUse[]>({
  sql: sql`SELECT client_id, api, last_used_at FROM api_uses WHERE partition = :partition AND owner_id = :ownerId`,
  bind: ({ partition, ownerId }) => ({ partition, ownerId }),
  outcome: (rows) =>
    rows.map((row) => ({
      clientId: text(row, "client_id"),
      api: text(row, "api"),
      lastUsedAt: whole(row, "last_used_at"),
    })),
});

/** Deletes the records of scopes and APIs together with the owner. */
export async function eraseScopeUses(tx: Tx, partition: number, ownerId: string): Promise<void> {
  const owner = { partition, ownerId };
  await tx.run(sql`DELETE FROM scope_uses WHERE partition = :partition AND owner_id = :ownerId`, owner);
  await tx.run(sql`DELETE FROM api_uses WHERE partition = :partition AND owner_id = :ownerId`, owner);
}

/** Deletes the records of scopes and APIs together with the consent: a new consent has not been used yet. */
export async function forgetScopeUses(
  tx: Tx,
  { partition, ownerId, clientId }: { readonly partition: number; readonly ownerId: string; readonly clientId: string },
): Promise<void> {
  const key = { partition, ownerId, clientId };
  await tx.run(
    sql`DELETE FROM scope_uses WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    key,
  );
  await tx.run(
    sql`DELETE FROM api_uses WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    key,
  );
}

/**
 * The last use of the grant `g`: a token request, or an introspection of one of its tokens. A decision of the owner is no
 * use.
 */
export const used = sql`CASE WHEN g.introspected_at > g.last_used_at THEN g.introspected_at ELSE g.last_used_at END`;

/**
 * The grants of a row of `consents`. Grants from before the consent belong to an earlier consent, which was revoked.
 */
const underConsent = sql`g.owner_id = consents.owner_id AND g.client_id = consents.client_id AND g.created_at >= consents.created_at`;

/** The last use of an active grant under a row of `consents` in `:partition`. */
export const lastGrantUse = sql`(SELECT MAX(${used}) FROM grants AS g
  WHERE g.partition = :partition AND ${underConsent} AND ${isActive})`;

/** The same for consents in any partition. */
export const lastGrantUseAnywhere = sql`(SELECT MAX(${used}) FROM grants AS g
  WHERE g.partition = consents.partition AND ${underConsent} AND ${isActive})`;

/**
 * The last use of the newest grants that ended with an alarm. The statement that detects a replay writes no consent, so
 * housekeeping does, when it deletes the row.
 */
const alarming = sql`status IN ('theft', 'replayed') ORDER BY g.ended_at DESC LIMIT 20`;
export const lastAlarmUse = sql`(SELECT MAX(used_at) FROM (SELECT ${used} AS used_at FROM grants AS g
  WHERE g.partition = :partition AND ${underConsent} AND g.${alarming}) AS alarm_uses)`;
const lastAlarmUseAnywhere = sql`(SELECT MAX(used_at) FROM (SELECT ${used} AS used_at FROM grants AS g
  WHERE g.partition = consents.partition AND ${underConsent} AND g.${alarming}) AS alarm_uses)`;

/** The columns of a consent in `:partition` for owners and operators, who see the last use. */
export const usedConsentColumns = sql`${consentColumns}, ${lastGrantUse} AS grants_used_at, ${lastAlarmUse} AS alarms_used_at`;

/** The same for consents in any partition. */
export const usedConsentColumnsAnywhere = sql`${consentColumns}, ${lastGrantUseAnywhere} AS grants_used_at,
  ${lastAlarmUseAnywhere} AS alarms_used_at`;

export function usedConsentOf(row: Row): Consent {
  const consent = consentOf(row);
  const ofGrants = laterOf(wholeOrNull(row, "grants_used_at"), wholeOrNull(row, "alarms_used_at"));
  return { ...consent, lastUsedAt: laterOf(consent.lastUsedAt, ofGrants) };
}

/** The columns that `lastUseOf` and `keepUses` read. */
export const useColumns = sql`client_id, last_used_at, introspected_at`;

/** The columns that a statement that ends grants must return: for `noteEnded` (history.ts), and for `keepUses`. */
export const endedColumns = sql`${useColumns}, idle_until, absolute_until`;

/**
 * Call this before an owner's grants end: it copies the time of the last use to the consents, which outlive the grants.
 * It locks the consents first, as a revocation does.
 */
export async function keepLastUse(tx: Tx, partition: number, ownerId: string): Promise<void> {
  await tx.run(
    sql`UPDATE consents SET last_used_at = ${lastGrantUse}
      WHERE partition = :partition AND owner_id = :ownerId AND status = 'active' AND ${lastGrantUse} > COALESCE(last_used_at, 0)`,
    { partition, ownerId },
  );
}

/** The last use of any of these grants. Null: none was used. */
export function lastUseOf(grants: readonly Row[]): Millis | null {
  return grants.reduce<Millis | null>((last, row) => {
    const at = wholeOrNull(row, "last_used_at");
    return at === null ? last : laterOf(last, laterOf(at, wholeOrNull(row, "introspected_at")));
  }, null);
}

/**
 * Notes in the consents when their apps last used these grants, which have ended: statements about consents read only
 * active grants. The caller has locked the consents, because they are locked before grants.
 */
export async function keepUses(
  tx: Tx,
  { partition, ownerId }: { readonly partition: number; readonly ownerId: string },
  ended: readonly Row[],
): Promise<void> {
  for (const [clientId, grants] of Map.groupBy(ended, (row) => text(row, "client_id"))) {
    const usedAt = lastUseOf(grants);
    if (usedAt === null) continue;
    tx.later(
      sql`UPDATE consents SET last_used_at = :usedAt
        WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId
          AND created_at <= :usedAt AND COALESCE(last_used_at, 0) < :usedAt`,
      { partition, ownerId, clientId, usedAt },
    );
  }
}

/** The columns of a grant for owners. Requests of clients don't read `introspected_at`. */
export const listedGrantColumns = sql`${grantColumns}, introspected_at`;

export function listedGrantOf(row: Row): ListedGrant {
  return { ...grantOf(row), introspectedAt: wholeOrNull(row, "introspected_at") };
}

function laterOf(one: Millis | null, other: Millis | null): Millis | null {
  return Math.max(one ?? 0, other ?? 0) || null;
}

/** Writes nothing if any process recorded a use a moment ago. */
export const recordIntrospection = statement<RecordIntrospection, boolean>({
  lock: "grantId",
  sql: sql`UPDATE grants SET introspected_at = :now
    WHERE partition = :partition AND grant_id = :grantId AND status = 'active'
      AND COALESCE(last_used_at, 0) <= :before AND COALESCE(introspected_at, 0) <= :before
    RETURNING grant_id`,
  bind: ({ partition, grantId, now }) => ({ partition, grantId, now, before: now - USE_RECORDED_EVERY }),
  outcome: (row) => row !== undefined,
});

/** The apps of an owner with what they hold: one row for each app and API, because an app can have thousands of grants in a company. */
export const listHeld = query<
  { readonly partition: number; readonly ownerId: string; readonly now: number },
  readonly ConsentWithHeld[]
>({
  sql: sql`SELECT ${usedConsentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :ownerId AND status = 'active'
      AND (expires_at IS NULL OR expires_at > :now OR paused_at IS NOT NULL)
    ORDER BY client_id`,
  also: sql`SELECT g.client_id, g.audience, MAX(${used}) AS used_at,
      MAX(CASE WHEN g.scopes LIKE '%"offline_access"%' THEN g.refreshable ELSE 0 END) AS refreshable_by_scope,
      MAX(CASE WHEN g.scopes LIKE '%"offline_access"%' THEN 0 ELSE g.refreshable END) AS refreshable_always
    FROM grants AS g
    WHERE g.partition = :partition AND g.owner_id = :ownerId AND ${isActive} AND g.idle_until > :now AND g.absolute_until > :now
    GROUP BY g.client_id, g.audience`,
  bind: ({ partition, ownerId, now }) => ({ partition, ownerId, now }),
  outcome: (consents, _, grants) => {
    const byClient = Map.groupBy(grants, (row) => text(row, "client_id"));
    return consents.map(usedConsentOf).map((consent) => ({
      consent,
      held: (byClient.get(consent.clientId) ?? []).map((row) => ({
        api: textOrNull(row, "audience"),
        refreshableByScope: whole(row, "refreshable_by_scope") === 1,
        refreshableAlways: whole(row, "refreshable_always") === 1,
        lastUsedAt: wholeOrNull(row, "used_at"),
      })),
    }));
  },
});
