/** Verbs of the history. Each entry is written in the transaction of its event, and is only read after that. */

import { createHash } from "node:crypto";
import type { Consent, Grant, GrantedScope, Millis } from "../../oauth/model.ts";
import type { CompanyKey } from "../../owners/company-storage.ts";
import { latestOf } from "../../owners/consent-after-decision.ts";
import type { CompanyHappening, EndCause, HistoryEntry, HistoryPage } from "../../owners/storage.ts";
import { type Params, query, type Row, type Sql, sql, type Tx } from "../define-verbs.ts";
import { tellDecision } from "../events/tell.ts";
import { inPieces } from "../grants/end-in-batches.ts";
import { partitionOf } from "../partition.ts";
import { DAY, isActive, json, text, whole, wholeOrNull } from "../row-conversion.ts";

/** How long an entry is kept. */
export const HISTORY_KEPT: Millis = 5 * 365 * DAY;

export const historyColumns = sql`partition, entry_id, owner_id, at, kind, client_id, record`;

/**
 * Writes the entry of an event. The entry's id derives from the event, so that a repeated step writes one entry.
 *
 * @param entry `entryId` is the grant's id if the event made a grant.
 */
export async function note(
  tx: Tx,
  entry: Omit<HistoryEntry, "entryId"> & { readonly entryId?: string },
): Promise<string> {
  const entryId = entry.entryId ?? derivedId(entry);
  tx.later(
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
  await tellDecision(tx, { ...entry, entryId });
  return entryId;
}

/** Notes a member's answer on a page under their company's approval. Each answer has its entry and its receipt. */
export async function noteConnected(
  tx: Tx,
  {
    partition,
    ownerId,
    clientId,
    personId,
    grantId,
  }: Pick<Grant, "partition" | "ownerId" | "clientId" | "personId"> & { readonly grantId: string },
  {
    now,
    scopes,
    ...told
  }: Pick<HistoryEntry["record"], "clientName" | "via" | "scopes" | "removed" | "shown"> & { readonly now: Millis },
): Promise<void> {
  const expiresAt = latestOf(scopes.map((scope) => scope.expiresAt)) ?? null;
  await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "connected", entryId: grantId },
    record: { ...told, by: personId, personId, scopes, expiresAt },
  });
}

/**
 * Writes the same entry for each owner whose live grants to a client ended with it at `at`. The client has one version
 * for each change, so the version and the owner's id name the entry.
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

/** Grants that ended without a decision about their app. */
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
  /** The app's name, if all these grants are of one app and the caller has read its consent. */
  readonly clientName?: string;
  readonly now: Millis;
}

/**
 * Writes one entry for each app, in the transaction that ended the grants.
 *
 * @param ended rows with `endedColumns`. Grants that had expired before get no entry.
 */
export async function noteEnded(tx: Tx, end: End, ended: readonly Row[]): Promise<void> {
  const { partition, ownerId, now, cause, by, personId, grantId, clientName } = end;
  const live = ended.filter((row) => Math.min(whole(row, "idle_until"), whole(row, "absolute_until")) > now);
  if (live.length === 0) return;
  const names = clientName === undefined ? await namesOf(tx, partition, ownerId) : undefined;
  for (const clientId of new Set(live.map((row) => text(row, "client_id")))) {
    await note(tx, {
      ...{ partition, ownerId, clientId, at: now, kind: "ended" },
      record: {
        ...{
          clientName: clientName ?? names?.get(clientId) ?? null,
          by,
          via: null,
          scopes: [],
          removed: [],
          expiresAt: null,
          cause,
        },
        ...(personId === undefined ? {} : { personId }),
        ...(grantId === undefined ? {} : { grantId }),
      },
    });
  }
}

/**
 * The same for recent grants. An app that has older ones is not disconnected, so its entry has the cause `recent`.
 * `personId`: only this member's grants count.
 */
export async function noteRecentEnded(
  tx: Tx,
  end: Omit<End, "grantId">,
  recent: EndCause,
  ended: readonly Row[],
): Promise<void> {
  if (ended.length === 0) return;
  const { partition, ownerId, personId = null, now } = end;
  const rows = await tx.all(
    sql`SELECT DISTINCT client_id FROM grants WHERE partition = :partition AND owner_id = :ownerId AND ${isActive}
      AND idle_until > :now AND absolute_until > :now AND (person_id = :personId OR :personId IS NULL)`,
    { partition, ownerId, personId, now },
  );
  const connected = new Set(rows.map((row) => text(row, "client_id")));
  const isConnected = (row: Row) => connected.has(text(row, "client_id"));
  await noteEnded(tx, { ...end, cause: recent }, ended.filter(isConnected));
  await noteEnded(
    tx,
    end,
    ended.filter((row) => !isConnected(row)),
  );
}

/** Notes what another system did to a person's account. `name`: what people call it. Null: the operator did it. */
export function noteSystem(
  tx: Tx,
  { partition, personId, now }: { readonly partition: number; readonly personId: string; readonly now: Millis },
  kind: "signed_out" | "disabled" | "enabled",
  name: string | null,
): Promise<string> {
  const nothing = { via: null, scopes: [], removed: [], expiresAt: null };
  return note(tx, {
    ...{ partition, ownerId: personId, clientId: "", at: now, kind },
    record: { ...nothing, clientName: name, by: name === null ? "operator" : "server" },
  });
}

/** The names that the owner's apps had when they were allowed. */
async function namesOf(tx: Tx, partition: number, ownerId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(
    sql`SELECT client_id, shown FROM consents WHERE partition = :partition AND owner_id = :ownerId`,
    { partition, ownerId },
  );
  return new Map(rows.map((row) => [text(row, "client_id"), json<Consent["shown"]>(row, "shown").clientName]));
}

export function derivedId({ partition, ownerId, clientId, kind, at, record }: Omit<HistoryEntry, "entryId">): string {
  const hash = createHash("sha256").update(JSON.stringify([ownerId, clientId, kind, at, record]));
  const id = hash.digest().subarray(0, 16);
  id.writeUInt16BE(partition, 0);
  return id.toString("base64url");
}

export function entryOf(row: Row): HistoryEntry {
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

/**
 * Columns of an ended grant that somebody else may have used. The alarm is shown from the grant's row; when
 * housekeeping deletes the row, the alarm becomes an entry.
 */
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

/** The grant's id is the id of the entry about its beginning, so the alarm needs another one. */
function alarmId(grantId: string): string {
  const id = createHash("sha256").update(`alarm ${grantId}`).digest().subarray(0, 16);
  id.writeUInt16BE(Math.max(0, partitionOf(grantId)), 0);
  return id.toString("base64url");
}

/** Newest first, with the alarms of the last days. `before`: the last entry of the previous page. */
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

/** An app that was resumed. `wasPaused`: it was paused before the time that was asked for. */
export interface Resumed {
  readonly clientId: string;
  readonly at: Millis;
  readonly wasPaused: boolean;
}

const resumptions = sql`SELECT client_id, MAX(CASE WHEN kind = 'resumed' THEN at END) AS at,
    MIN(CASE WHEN kind = 'resumed' THEN at END) AS first_resumed, MIN(CASE WHEN kind = 'paused' THEN at END) AS first_paused
  FROM history WHERE partition = :partition AND owner_id = :ownerId AND at >= :since AND kind IN ('paused', 'resumed')
  GROUP BY client_id HAVING MAX(CASE WHEN kind = 'resumed' THEN at END) IS NOT NULL`;

function resumedOf(row: Row): Resumed {
  const paused = wholeOrNull(row, "first_paused");
  const wasPaused = paused === null || whole(row, "first_resumed") < paused;
  return { clientId: text(row, "client_id"), at: whole(row, "at"), wasPaused };
}

export const resumedSince = query<
  { readonly partition: number; readonly ownerId: string; readonly since: Millis },
  readonly Resumed[]
>({
  sql: resumptions,
  bind: ({ partition, ownerId, since }) => ({ partition, ownerId, since }),
  outcome: (rows) => rows.map(resumedOf),
});

/** The same, in a transaction. */
export async function resumptionsSince(
  tx: Tx,
  args: { readonly partition: number; readonly ownerId: string; readonly since: Millis },
): Promise<readonly Resumed[]> {
  return (await tx.all(resumptions, args)).map(resumedOf);
}

/** Deletes the history together with its owner: nobody remains who could read it. */
export async function eraseHistory(tx: Tx, partition: number, ownerId: string): Promise<void> {
  await inPieces(
    tx,
    sql`DELETE FROM history WHERE partition = :partition AND entry_id IN
      (SELECT entry_id FROM history WHERE partition = :partition AND owner_id = :ownerId LIMIT :most)`,
    { partition, ownerId },
  );
}

/** Writes the history entry of the company about one member or one invitation. */
export function noteMember(
  tx: Tx,
  {
    partition,
    companyId,
    kind,
    by,
    now,
    clientName = null,
    ...about
  }: CompanyKey &
    Pick<HistoryEntry["record"], "personId" | "role" | "cause" | "invitationId"> & {
      readonly kind: CompanyHappening;
      readonly by: string | null;
      /** The name of the company's provider that caused it. Absent: none did. */
      readonly clientName?: string | null;
      readonly now: Millis;
    },
): Promise<string> {
  const nothing = { clientName, via: null, scopes: [], removed: [], expiresAt: null };
  return note(tx, {
    ...{ partition, ownerId: companyId, clientId: "", at: now, kind },
    record: { ...nothing, by: by ?? "operator", ...about },
  });
}
