/** What ends an owner's grants without a word about them, told in the history: once for each app, in the transaction that ended them. */

import type { Consent, Millis } from "../../oauth/model.ts";
import type { EndCause } from "../../owners/storage.ts";
import { note } from "../consents/history.ts";
import { json, text, whole } from "../rows.ts";
import { type Row, sql, type Tx } from "../sql.ts";

/** What a statement that ends grants has to bring back of each. */
export const endedColumns = sql`client_id, idle_until, absolute_until`;

/**
 * Before an owner's grants end: what they tell of the last use goes to the records of consent, which outlive them. The consents first, as revoking
 * does.
 */
export async function keepLastUse(tx: Tx, partition: number, ownerId: string): Promise<void> {
  const used = sql`(SELECT MAX(g.last_used_at) FROM grants g WHERE g.partition = :partition AND g.owner_id = :ownerId
    AND g.client_id = consents.client_id AND g.status = 'active')`;
  await tx.run(
    sql`UPDATE consents SET last_used_at = ${used}
      WHERE partition = :partition AND owner_id = :ownerId AND status = 'active' AND ${used} > COALESCE(last_used_at, 0)`,
    { partition, ownerId },
  );
}

export interface End {
  readonly partition: number;
  readonly ownerId: string;
  readonly cause: EndCause;
  /** A person's id, `operator` or `server`. */
  readonly by: string;
  /** The member of a company whose grants these were. */
  readonly personId?: string;
  /** Where a single one of several ended. */
  readonly grantId?: string;
  readonly now: Millis;
}

/** @param ended rows with `endedColumns`. Those that had run out before are not worth a word. */
export async function noteEnded(tx: Tx, end: End, ended: readonly Row[]): Promise<void> {
  const { partition, ownerId, now, cause, by, personId, grantId } = end;
  const live = ended.filter((row) => Math.min(whole(row, "idle_until"), whole(row, "absolute_until")) > now);
  if (live.length === 0) return;
  const names = await namesOf(tx, partition, ownerId);
  for (const clientId of new Set(live.map((row) => text(row, "client_id")))) {
    await note(tx, {
      ...{ partition, ownerId, clientId, at: now, kind: "ended" },
      record: {
        ...{ clientName: names.get(clientId) ?? null, by, via: null, scopes: [], removed: [], expiresAt: null, cause },
        ...(personId === undefined ? {} : { personId }),
        ...(grantId === undefined ? {} : { grantId }),
      },
    });
  }
}

/** What the owner's apps called themselves when they were allowed. */
async function namesOf(tx: Tx, partition: number, ownerId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(
    sql`SELECT client_id, shown FROM consents WHERE partition = :partition AND owner_id = :ownerId`,
    { partition, ownerId },
  );
  return new Map(rows.map((row) => [text(row, "client_id"), json<Consent["shown"]>(row, "shown").clientName]));
}
