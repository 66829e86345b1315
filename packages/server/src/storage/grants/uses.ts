/** Verbs that record which scopes an app used, and when the app last used what an owner allowed. */

import type { Consent, ListedGrant, Millis } from "../../oauth/model.ts";
import { type RecordIntrospection, type RecordScopeUses, USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type { ScopeUse } from "../../owners/storage.ts";
import { query, type Row, sql, statement, type Tx, transaction, words } from "../define-verbs.ts";
import { consentColumns, consentOf, grantColumns, grantOf, text, whole, wholeOrNull } from "../row-conversion.ts";

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

/** Deletes the records together with the owner. */
export async function eraseScopeUses(tx: Tx, partition: number, ownerId: string): Promise<void> {
  await tx.run(sql`DELETE FROM scope_uses WHERE partition = :partition AND owner_id = :ownerId`, {
    partition,
    ownerId,
  });
}

/** Deletes the records together with the consent: a new consent has not been used yet. */
export async function forgetScopeUses(
  tx: Tx,
  { partition, ownerId, clientId }: { readonly partition: number; readonly ownerId: string; readonly clientId: string },
): Promise<void> {
  await tx.run(
    sql`DELETE FROM scope_uses WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    { partition, ownerId, clientId },
  );
}

/**
 * The last use of the grant `g`: a token request, or an introspection of one of its tokens. A decision of the owner is no
 * use.
 */
const used = sql`CASE WHEN g.introspected_at > g.last_used_at THEN g.introspected_at ELSE g.last_used_at END`;

/**
 * The last use of any grant under a row of `consents`, from the grants that are still stored. Grants from before the
 * consent belong to an earlier consent, which was revoked.
 */
const underConsent = sql`g.owner_id = consents.owner_id AND g.client_id = consents.client_id AND g.created_at >= consents.created_at`;

/** For statements about consents in `:partition`. */
export const lastGrantUse = sql`(SELECT MAX(${used}) FROM grants AS g WHERE g.partition = :partition AND ${underConsent})`;

/** For statements about consents in any partition. */
export const lastGrantUseAnywhere = sql`(SELECT MAX(${used}) FROM grants AS g WHERE g.partition = consents.partition AND ${underConsent})`;

/** The columns of a consent in `:partition` for owners and operators, who see the last use. */
export const usedConsentColumns = sql`${consentColumns}, ${lastGrantUse} AS grants_used_at`;

/** The same for consents in any partition. */
export const usedConsentColumnsAnywhere = sql`${consentColumns}, ${lastGrantUseAnywhere} AS grants_used_at`;

export function usedConsentOf(row: Row): Consent {
  const consent = consentOf(row);
  return { ...consent, lastUsedAt: laterOf(consent.lastUsedAt, wholeOrNull(row, "grants_used_at")) };
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
