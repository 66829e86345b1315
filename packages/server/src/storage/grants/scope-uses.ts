/** Verbs that record which scopes an app used, if it asked for fewer than it has. */

import type { RecordScopeUses } from "../../oauth/storage.ts";
import type { ScopeUse } from "../../owners/storage.ts";
import { text, whole } from "../rows.ts";
import { query, sql, type Tx, transaction, words } from "../sql.ts";

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
