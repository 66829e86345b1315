/** Verbs of the history: written with what happened, in one transaction, and then only read. */

import { createHash } from "node:crypto";
import type { Grant, GrantedScope, Millis } from "../../oauth/model.ts";
import type { HistoryEntry, HistoryPage } from "../../owners/storage.ts";
import { inPieces } from "../grants/end-in-batches.ts";
import { partitionOf } from "../partition.ts";
import { DAY, json, text, whole } from "../rows.ts";
import { type Params, query, type Row, type Sql, sql, statement, type Tx } from "../sql.ts";

/** How long an entry is kept. */
export const HISTORY_KEPT: Millis = 5 * 365 * DAY;

/**
 * Writes an entry beside what it tells of. Its id derives from it, so that a step that is repeated after a crash is told once.
 *
 * @param entry `entryId` is the grant's where one came of it.
 */
export async function note(
  tx: Tx,
  entry: Omit<HistoryEntry, "entryId"> & { readonly entryId?: string },
): Promise<string> {
  const entryId = entry.entryId ?? derivedId(entry);
  await tx.run(
    sql`INSERT INTO history (partition, entry_id, owner_id, at, kind, client_id, record)
      VALUES (:partition, :entryId, :ownerId, :at, :kind, :clientId, :record) ON CONFLICT (partition, entry_id) DO NOTHING`,
    {
      partition: entry.partition,
      entryId,
      ownerId: entry.ownerId,
      at: entry.at,
      kind: entry.kind,
      clientId: entry.clientId,
      record: JSON.stringify(entry.record),
    },
  );
  return entryId;
}

/**
 * An app connected again within what stands: told once for each app, person and day (UTC). It decides nothing, and an app that sends its people
 * through at each visit would bury what they did decide.
 */
export async function noteReconnected(
  tx: Tx,
  { partition, ownerId, clientId, personId }: Pick<Grant, "partition" | "ownerId" | "clientId" | "personId">,
  clientName: string,
  now: Millis,
): Promise<void> {
  const first = { partition, ownerId, clientId, kind: "reconnected" } as const;
  const record = { clientName, by: personId, via: null, scopes: [], removed: [], expiresAt: null };
  const day = now - (now % DAY);
  const told = { ...record, clientName: null };
  await note(tx, { ...first, at: now, record, entryId: derivedId({ ...first, at: day, record: told }) });
}

/**
 * Writes the same entry for each of some owners whose live grants to a client ended with it at `at`. The client has one version for each change, so
 * that with the owner's id it names an entry.
 *
 * @param owners selects partition, owner_id and client_id of consents, with the parameters `page`.
 */
export async function noteForOwners(
  tx: Tx,
  owners: Sql,
  page: Params,
  { at, version, record }: Pick<HistoryEntry, "at" | "record"> & { readonly version: number },
): Promise<void> {
  await tx.run(
    sql`INSERT INTO history (partition, entry_id, owner_id, at, kind, client_id, record)
      SELECT c.partition, c.owner_id || '.' || :version, c.owner_id, :at, 'ended', c.client_id, :record FROM consents c
      WHERE (c.partition, c.owner_id, c.client_id) IN (${owners}) AND EXISTS (SELECT 1 FROM grants g
        WHERE g.partition = c.partition AND g.owner_id = c.owner_id AND g.client_id = c.client_id
          AND g.status = 'client_ended' AND g.ended_at = :at AND g.idle_until > :at AND g.absolute_until > :at)
      ON CONFLICT (partition, entry_id) DO NOTHING`,
    { ...page, at, version: String(version), record: JSON.stringify(record) },
  );
}

function derivedId({ partition, ownerId, clientId, kind, at, record }: Omit<HistoryEntry, "entryId">): string {
  const hash = createHash("sha256").update(JSON.stringify([ownerId, clientId, kind, at, record]));
  const id = hash.digest().subarray(0, 16);
  id.writeUInt16BE(partition, 0);
  return id.toString("base64url");
}

const historyColumns = sql`partition, entry_id, owner_id, at, kind, client_id, record`;

function entryOf(row: Row): HistoryEntry {
  return {
    partition: whole(row, "partition"),
    entryId: text(row, "entry_id"),
    ownerId: text(row, "owner_id"),
    at: whole(row, "at"),
    kind: text(row, "kind") as HistoryEntry["kind"],
    clientId: text(row, "client_id"),
    record: json<HistoryEntry["record"]>(row, "record"),
  };
}

/** An ended grant that somebody else may have used: it is told of from its own row, which becomes an entry when it is collected. */
export const alarmColumns = sql`partition, grant_id, owner_id, client_id, person_id, scopes, ended_at`;

export function alarmOf(row: Row): HistoryEntry {
  return {
    partition: whole(row, "partition"),
    entryId: alarmId(text(row, "grant_id")),
    ownerId: text(row, "owner_id"),
    at: whole(row, "ended_at"),
    kind: "alarm",
    clientId: text(row, "client_id"),
    record: {
      clientName: null,
      by: "server",
      via: null,
      scopes: json<readonly GrantedScope[]>(row, "scopes"),
      removed: [],
      expiresAt: null,
    },
  };
}

/** The grant's id is that of the entry that tells of its beginning. */
function alarmId(grantId: string): string {
  const id = createHash("sha256").update(`alarm ${grantId}`).digest().subarray(0, 16);
  id.writeUInt16BE(Math.max(0, partitionOf(grantId)), 0);
  return id.toString("base64url");
}

/** Newest first, the alarms of the last days among them; `before`: the entry behind which to go on. */
export const listHistory = query<HistoryPage, readonly HistoryEntry[]>({
  sql: sql`SELECT ${historyColumns} FROM history
    WHERE partition = :partition AND owner_id = :ownerId AND (at, entry_id) < (:at, :entryId) ORDER BY at DESC, entry_id DESC LIMIT :limit`,
  also: sql`SELECT ${alarmColumns} FROM grants
    WHERE partition = :partition AND owner_id = :ownerId AND status IN ('theft', 'replayed') AND ended_at <= :at
    ORDER BY ended_at DESC LIMIT :limit`,
  bind: ({ partition, ownerId, before, limit }) => ({
    partition,
    ownerId,
    at: before?.at ?? Number.MAX_SAFE_INTEGER,
    entryId: before?.entryId ?? "",
    limit,
  }),
  outcome: (rows, { before, limit }, alarms) => {
    const isBefore = ({ at, entryId }: HistoryEntry) =>
      before === null || at < before.at || (at === before.at && entryId < before.entryId);
    const all = [...rows.map(entryOf), ...alarms.map(alarmOf).filter(isBefore)];
    return all.sort((a, b) => b.at - a.at || (a.entryId < b.entryId ? 1 : -1)).slice(0, limit);
  },
});

/** One entry of this owner. */
export const getHistoryEntry = query<{ readonly ownerId: string; readonly entryId: string }, HistoryEntry | undefined>({
  sql: sql`SELECT ${historyColumns} FROM history WHERE partition = :partition AND entry_id = :entryId AND owner_id = :ownerId`,
  also: sql`SELECT ${alarmColumns} FROM grants WHERE partition = :partition AND owner_id = :ownerId AND status IN ('theft', 'replayed')`,
  bind: ({ ownerId, entryId }) => ({ partition: partitionOf(ownerId), ownerId, entryId }),
  outcome: ([row], { entryId }, alarms) =>
    row === undefined ? alarms.map(alarmOf).find((one) => one.entryId === entryId) : entryOf(row),
});

/** With the owner: nobody is left whom it could tell. */
export async function eraseHistory(tx: Tx, partition: number, ownerId: string): Promise<void> {
  await inPieces(
    tx,
    sql`DELETE FROM history WHERE partition = :partition AND entry_id IN
      (SELECT entry_id FROM history WHERE partition = :partition AND owner_id = :ownerId LIMIT :most)`,
    { partition, ownerId },
  );
}

/** The public key stays readable for as long as receipts may be shown. True: it wasn't there yet. */
export const keepReceiptKey = statement<
  { readonly kid: string; readonly publicJwk: string; readonly now: Millis },
  boolean
>({
  lock: null,
  sql: sql`INSERT INTO receipt_keys (kid, public_jwk, created_at) VALUES (:kid, :publicJwk, :now)
    ON CONFLICT (kid) DO NOTHING RETURNING kid`,
  bind: (args) => ({ ...args }),
  outcome: (row) => row !== undefined,
});

/** Public JWKs of every key that ever signed a receipt, oldest first. */
export const listReceiptKeys = query<void, readonly string[]>({
  sql: sql`SELECT public_jwk FROM receipt_keys ORDER BY created_at, kid`,
  bind: () => ({}),
  outcome: (rows) => rows.map((row) => text(row, "public_jwk")),
});
