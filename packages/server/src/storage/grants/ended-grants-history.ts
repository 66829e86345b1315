/**
 * Writes history entries for grants that ended without a decision about the app: one entry for each app, in the
 * transaction that ended them.
 */

import type { Consent, Millis } from "../../oauth/model.ts";
import type { EndCause } from "../../owners/storage.ts";
import { note } from "../consents/history.ts";
import { type Row, sql, type Tx } from "../define-verbs.ts";
import { json, text, whole } from "../row-conversion.ts";
import { lastGrantUse, useColumns } from "./uses.ts";

/** The columns that a statement that ends grants must return: for `noteEnded`, and for `keepUses`. */
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

export interface End {
  readonly partition: number;
  readonly ownerId: string;
  readonly cause: EndCause;
  /** A person's id, `operator` or `server`. */
  readonly by: string;
  /** The member of a company who made these grants. */
  readonly personId?: string;
  /** Set if only one of several grants ended. */
  readonly grantId?: string;
  readonly now: Millis;
}

/** @param ended rows with `endedColumns`. Grants that had expired before get no entry. */
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

/** The names that the owner's apps had when they were allowed. */
async function namesOf(tx: Tx, partition: number, ownerId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(
    sql`SELECT client_id, shown FROM consents WHERE partition = :partition AND owner_id = :ownerId`,
    { partition, ownerId },
  );
  return new Map(rows.map((row) => [text(row, "client_id"), json<Consent["shown"]>(row, "shown").clientName]));
}
