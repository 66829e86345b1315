/**
 * Entries of the history that a day (UTC) limits, so that no app and no person can hide decisions among them: an app that
 * connects again, that acts through another app or at another server, and refusals.
 */

import type { Grant, Millis } from "../../oauth/model.ts";
import type { RecordDelegation, RecordVouching } from "../../oauth/token-exchange/storage.ts";
import { latestOf } from "../../owners/consent-after-decision.ts";
import type { HistoryEntry, Refuse } from "../../owners/storage.ts";
import { sql, type Tx } from "../define-verbs.ts";
import { DAY } from "../row-conversion.ts";
import { derivedId, entryOf, historyColumns, note } from "./history.ts";

/**
 * Notes that an app connected again under an existing consent: once for each app, person and day (UTC), and again for
 * permissions that no such entry of the day names, or whose access ended since without a decision about the app. The owner
 * decides nothing here. Without this limit, an app that sends its people through at each visit would hide their decisions
 * among such entries. The caller holds the owner's lock.
 */
export async function noteReconnected(
  tx: Tx,
  { partition, ownerId, clientId, personId }: Pick<Grant, "partition" | "ownerId" | "clientId" | "personId">,
  { clientName, scopes, now }: Pick<HistoryEntry["record"], "clientName" | "scopes"> & { readonly now: Millis },
): Promise<void> {
  const same = { clientName: null, by: personId, via: null, scopes: [], removed: [], expiresAt: null };
  const expiresAt = latestOf(scopes.map((scope) => scope.expiresAt)) ?? null;
  const record = { ...same, clientName, scopes, expiresAt };
  const ended = sql`SELECT ended_at FROM grants WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId
    AND person_id = :personId AND ended_at > :at
    AND status IN ('owner_ended', 'client_ended', 'state_lost', 'client_revoked', 'theft', 'replayed') LIMIT 1`;
  const endedSince = async (at: Millis) =>
    (await tx.one(ended, { partition, ownerId, clientId, personId, at })) !== undefined;
  await noteOncePerDay(tx, { partition, ownerId, clientId, kind: "reconnected", at: now, record }, same, endedSince);
}

/** How many entries of the day are read at most to find out whether they name all scopes. */
const ENTRIES_READ = 20;

/**
 * Writes an entry, unless the entries of the same day (UTC) name all its scopes already. So a day has at most one entry
 * for each scope and each end of access. The caller holds the owner's lock.
 *
 * @param same the parts of the record that such entries have in common.
 * @param endedSince true if access ended after this time: then entries up to it don't count. Absent: it never does.
 */
export async function noteOncePerDay(
  tx: Tx,
  entry: Omit<HistoryEntry, "entryId">,
  same: HistoryEntry["record"],
  endedSince: (at: Millis) => Promise<boolean> = async () => false,
): Promise<void> {
  const { partition, at, record } = entry;
  const idOf = (place: number) => nthOfDay({ ...entry, at: at - (at % DAY), record: same }, place);
  const known = new Map<number, HistoryEntry | undefined>();
  const read = async (place: number) => {
    if (!known.has(place)) known.set(place, await earlierEntry(tx, partition, idOf(place)));
    return known.get(place);
  };
  // From the newest one back: entries before the last end of access don't count.
  const isNamed = async (newest: number) => {
    const missing = new Set(record.scopes.map(({ name }) => name));
    for (let place = newest; place >= 0 && place > newest - ENTRIES_READ; place--) {
      const earlier = await read(place);
      for (const { name } of earlier?.record.scopes ?? []) missing.delete(name);
      if (earlier !== undefined && missing.size === 0) return !(await endedSince(earlier.at));
    }
    return false;
  };
  // Most days have one entry at most, which names everything.
  if ((await read(0)) !== undefined && (await isNamed(0))) return;
  const count = await countEntries(read);
  if (count > 1 && (await isNamed(count - 1))) return;
  await note(tx, { ...entry, entryId: idOf(count) });
}

/**
 * How many entries of a day there are. Their places have no gaps, so few are read however many there are: an app that gives
 * up its access again and again must not make each later entry slower.
 */
async function countEntries(read: (place: number) => Promise<unknown>): Promise<number> {
  let most = 1;
  while ((await read(most - 1)) !== undefined) most *= 2;
  let least = most >> 1;
  most -= 1;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if ((await read(middle - 1)) === undefined) most = middle - 1;
    else least = middle;
  }
  return least;
}

/** The id of one of several entries of a day. The first has the id that earlier versions gave it. */
function nthOfDay(entry: Omit<HistoryEntry, "entryId">, count: number): string {
  return derivedId(count === 0 ? entry : { ...entry, record: { ...entry.record, asked: [String(count)] } });
}

async function earlierEntry(tx: Tx, partition: number, entryId: string): Promise<HistoryEntry | undefined> {
  const found = sql`SELECT ${historyColumns} FROM history WHERE partition = :partition AND entry_id = :entryId`;
  const row = await tx.one(found, { partition, entryId });
  return row && entryOf(row);
}

/**
 * Notes that a client got a token through an app that the owner allowed (RFC 8693): for each of both and each person, as for
 * `reconnected`.
 */
export async function noteDelegated(
  tx: Tx,
  { partition, ownerId, clientId, personId, actorId, scopes, impersonation, now, ...names }: RecordDelegation,
): Promise<void> {
  const first = { partition, ownerId, clientId: actorId, kind: "delegated" } as const;
  const record = {
    ...{ clientName: names.actorName, by: "client", via: null, scopes, removed: [], expiresAt: null },
    through: { clientId, clientName: names.clientName },
    ...(personId === ownerId ? {} : { personId }),
    ...(impersonation ? { impersonation } : {}),
  } as const;
  const same = { ...record, clientName: null, scopes: [], through: { clientId, clientName: null } };
  await noteOncePerDay(tx, { ...first, at: now, record }, same);
}

/**
 * Notes once a day that an app may act for the owner at another server. Each server has its entry.
 *
 * @param company in a person's own history: the company whose connection it was.
 */
export async function noteVouched(
  tx: Tx,
  { partition, ownerId, clientId, personId, clientName, audience, audienceName, now }: RecordVouching,
  company?: HistoryEntry["record"]["company"],
): Promise<void> {
  const first = { partition, ownerId, clientId, kind: "vouched" } as const;
  const record = {
    ...{ clientName, by: "client", via: null, scopes: [], removed: [], expiresAt: null },
    through: { clientId: audience, clientName: audienceName ?? null },
    ...(personId === ownerId ? {} : { personId }),
    ...(company === undefined ? {} : { company }),
  } as const;
  const told = { ...record, clientName: null, through: { clientId: audience, clientName: null } };
  await note(tx, { ...first, at: now, record, entryId: derivedId({ ...first, at: now - (now % DAY), record: told }) });
}

/** Maximum number of refusals of one app by one person that a day (UTC) records, so that nobody can fill a history with them. */
const REFUSALS_A_DAY = 10;

/**
 * Notes the answer "Don't allow". The same answer about the same access is noted once a day. The caller holds the owner's
 * lock.
 *
 * @param present what the app can do, which the refusal does not change.
 */
export async function noteRefused(
  tx: Tx,
  refused: Refuse,
  present: Pick<HistoryEntry["record"], "scopes" | "expiresAt" | "paused">,
): Promise<void> {
  const { partition, ownerId, clientId, personId, via, clientName, scopes, shown, now } = refused;
  const first = { partition, ownerId, clientId, kind: "refused" } as const;
  const told = { clientName: null, by: personId, via: null, scopes: [], removed: [], expiresAt: null };
  const record: HistoryEntry["record"] = { ...told, ...present, clientName, via, asked: scopes, shown };
  for (let count = 0; count < REFUSALS_A_DAY; count++) {
    const entryId = nthOfDay({ ...first, at: now - (now % DAY), record: told }, count);
    const earlier = await earlierEntry(tx, partition, entryId);
    if (earlier === undefined) {
      await note(tx, { ...first, at: now, entryId, record });
      return;
    }
    if (sameRefusal(earlier.record, record)) return;
  }
}

function sameRefusal(one: HistoryEntry["record"], other: HistoryEntry["record"]): boolean {
  const parts = ({ via, asked = [], scopes, paused }: HistoryEntry["record"]) =>
    JSON.stringify([via, asked.toSorted(), scopes.map(({ name, expiresAt }) => [name, expiresAt]), paused === true]);
  return parts(one) === parts(other);
}
