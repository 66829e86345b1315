/** Verbs of the log of events: one process appends to it, and nobody changes it. */

import { createHash } from "node:crypto";
import { DISORDER, GENESIS, SEALER_LEASE, type SealedEvent } from "../../events/event.ts";
import type { Checkpoint, EventFilter, EventPage, EventStorage } from "../../events/storage.ts";
import {
  type Call,
  type Params,
  query,
  type Row,
  type Sql,
  sql,
  steps,
  type Tx,
  transaction,
  words,
} from "../define-verbs.ts";
import { thisPerson } from "../people/person-row.ts";
import { bytes, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { tell } from "./tell.ts";
import { queueDeliveries } from "./webhooks.ts";

type Port = EventStorage["events"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

export const noteEvents = transaction<Args<"note">, void>(async (tx, { events }) => {
  for (const event of events) await tell(tx, event);
});

export const noteReuse = transaction<Args<"noteReuse">, void>(async (tx, key) => {
  const row = await tx.one(
    sql`SELECT ${reusedColumns} FROM grants WHERE partition = :partition AND grant_id = :grantId AND status || '' IN ('theft', 'replayed')`,
    { ...key },
  );
  if (row !== undefined) await tellReuse(tx, row);
});

/** Columns of a grant from which the event of its reuse is made. */
export const reusedColumns = sql`grant_id, owner_id, client_id, status, ended_at`;

/** The id derives from the grant, so the event exists once, whoever writes it. */
export function tellReuse(tx: Tx, row: Row): Promise<void> {
  const grantId = text(row, "grant_id");
  return tell(tx, {
    kind: "grant.reuse_detected",
    at: whole(row, "ended_at"),
    by: "anonymous",
    subject: text(row, "owner_id"),
    clientId: text(row, "client_id"),
    details: { grant_id: grantId, credential: text(row, "status") === "theft" ? "refresh_token" : "code" },
    eventId: createHash("sha256").update(`reuse ${grantId}`).digest().subarray(0, 16).toString("base64url"),
  });
}

export const eventsDue = query<void, Awaited<ReturnType<Port["due"]>>>({
  sql: sql`SELECT event_id FROM events_waiting WHERE +partition >= 0 AND at >= 0 ORDER BY at LIMIT 1`,
  also: sql`SELECT holder, until FROM leases WHERE name = :name`,
  bind: () => ({ name: SEALER_LEASE }),
  outcome: (rows, _, [lease]) => ({
    waiting: rows.length > 0,
    holder: lease === undefined ? null : text(lease, "holder"),
    until: lease === undefined ? 0 : whole(lease, "until"),
  }),
});

/** The newest checkpoint knows the head, also when retention has deleted every event. */
const newestCheckpoint = sql`SELECT kind, seq, at, hash, signed FROM event_checkpoints WHERE kind = 'sealed' ORDER BY seq DESC LIMIT 1`;

export const waitingEvents = query<Args<"waiting">, Awaited<ReturnType<Port["waiting"]>>>({
  // Citus looks for `known` only among the rows of a subquery: it doesn't join a distributed table with a local one.
  sql: sql`SELECT partition, event_id, at, record,
      (SELECT seq FROM events WHERE events.event_id = waiting.event_id) AS known
    FROM (SELECT partition, event_id, at, record FROM events_waiting WHERE +partition >= 0 AND at >= 0
      ORDER BY at, event_id LIMIT :limit) AS waiting
    ORDER BY at, event_id`,
  also: newestCheckpoint,
  bind: ({ limit }) => ({ limit }),
  outcome: (rows, _, [newest]) => ({
    newest: newest === undefined ? null : checkpointOf(newest),
    events: rows.map((row) => ({
      partition: whole(row, "partition"),
      eventId: text(row, "event_id"),
      at: whole(row, "at"),
      record: text(row, "record"),
      known: row["known"] !== null,
    })),
  }),
});

/** Locks the lease, so that two processes append one after the other, even if one has lost the lease meanwhile. */
async function holdsLease(tx: Tx, { holder, now }: Pick<Args<"seal">, "holder" | "now">): Promise<boolean> {
  const lease = await tx.one(sql`SELECT holder, until FROM leases WHERE name = :name ${words.forUpdate}`, {
    name: SEALER_LEASE,
  });
  return lease !== undefined && text(lease, "holder") === holder && whole(lease, "until") > now;
}

const HOUR = 3_600_000;

export const sealEvents = transaction<Args<"seal">, Awaited<ReturnType<Port["seal"]>>>(async (tx, args) => {
  const { head, events, done, checkpoint, replaces, now } = args;
  if (!(await holdsLease(tx, args))) return "lost";
  const newest = await tx.one(newestCheckpoint);
  if ((newest === undefined ? GENESIS.seq : whole(newest, "seq")) !== head.seq) return "lost";
  for (const event of events) {
    tx.later(
      sql`INSERT INTO events (seq, event_id, at, kind, actor, subject, client_id, record, hash)
        VALUES (:seq, :eventId, :at, :kind, :actor, :subject, :clientId, :record, :hash)`,
      { ...event },
    );
  }
  const queued = events.length > 0 && (await queueDeliveries(tx, events, now));
  for (const { partition, eventId } of done) {
    tx.later(sql`DELETE FROM events_waiting WHERE partition = :partition AND event_id = :eventId`, {
      partition,
      eventId,
    });
  }
  if (checkpoint !== null) writeCheckpoint(tx, checkpoint);
  // One checkpoint of each hour stays.
  if (checkpoint !== null && replaces !== null && replaces.at >= now - (now % HOUR)) {
    tx.later(sql`DELETE FROM event_checkpoints WHERE kind = 'sealed' AND seq = :seq`, { seq: replaces.seq });
  }
  return queued ? "queued" : "sealed";
});

function writeCheckpoint(tx: Tx, { kind, seq, at, hash, signed }: Checkpoint): void {
  tx.later(
    sql`INSERT INTO event_checkpoints (kind, seq, at, hash, signed) VALUES (:kind, :seq, :at, :hash, :signed)
      ON CONFLICT (kind, seq) DO NOTHING`,
    { kind, seq, at, hash, signed },
  );
}

const columns = sql`seq, event_id, at, kind, actor, subject, client_id, record, hash`;

function eventOf(row: Row): SealedEvent {
  return {
    seq: whole(row, "seq"),
    eventId: text(row, "event_id"),
    at: whole(row, "at"),
    kind: text(row, "kind"),
    actor: text(row, "actor"),
    subject: textOrNull(row, "subject"),
    clientId: textOrNull(row, "client_id"),
    record: text(row, "record"),
    hash: text(row, "hash"),
  };
}

/** Number of events that one page reads at most to find those that fit. */
const SCANNED = 2000;

interface Scan extends EventFilter {
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

/** A page of the events that one index finds; the other filters choose among them. @param which a condition on an index. */
function pageBy(which: Sql) {
  const scanned = sql`SELECT ${columns} FROM events WHERE ${which} AND seq < :before AND seq >= :from ORDER BY seq DESC LIMIT :scanned`;
  return query<Scan, EventPage>({
    sql: sql`SELECT ${columns} FROM (${scanned}) AS few
      WHERE (kind = :kind OR :kind IS NULL) AND (actor = :actor OR :actor IS NULL)
        AND (subject = :subject OR :subject IS NULL) AND (client_id = :clientId OR :clientId IS NULL)
        AND at >= :since AND at < :until ORDER BY seq DESC LIMIT :limit`,
    also: sql`SELECT COUNT(*) AS n, MIN(seq) AS last FROM (${scanned}) AS few`,
    bind: (args): Params => ({
      ...args,
      since: args.since ?? 0,
      until: args.until ?? Number.MAX_SAFE_INTEGER,
      scanned: SCANNED,
    }),
    outcome: (rows, { limit }, [walked]) => {
      const events = rows.map(eventOf);
      if (events.length === limit) return { events, before: events.at(-1)?.seq ?? null };
      const more = walked !== undefined && whole(walked, "n") === SCANNED;
      return { events, before: more ? wholeOrNull(walked, "last") : null };
    },
  });
}

export const eventsOfSubject = pageBy(sql`subject = :subject`);
export const eventsOfClient = pageBy(sql`client_id = :clientId`);
export const eventsOfActor = pageBy(sql`actor = :actor`);
export const eventsOfKind = pageBy(sql`kind = :kind`);
export const eventsOfAll = pageBy(sql`seq > 0`);

/** The first event of that time or later, by the index of times. */
export const seqAt = query<{ readonly at: number }, number | undefined>({
  sql: sql`SELECT seq FROM events WHERE at >= :at ORDER BY at LIMIT 1`,
  bind: ({ at }) => ({ at }),
  outcome: ([row]) => row && whole(row, "seq"),
});

export const pageOfEvents = steps<Args<"page">, EventPage>(async (call, { before, ...args }) => {
  const [from, to] = await Promise.all([seqFrom(call, args.since, -DISORDER), seqFrom(call, args.until, DISORDER)]);
  if (args.since !== null && from === undefined) return { events: [], before: null };
  const scan = {
    ...args,
    from: from ?? 0,
    before: Math.min(before ?? Number.MAX_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER),
  };
  if (args.subject !== null) return call(eventsOfSubject, scan);
  if (args.clientId !== null) return call(eventsOfClient, scan);
  if (args.actor !== null) return call(eventsOfActor, scan);
  return args.kind === null ? call(eventsOfAll, scan) : call(eventsOfKind, scan);
});

async function seqFrom(call: Call, at: number | null, by: number): Promise<number | undefined> {
  return at === null ? undefined : call(seqAt, { at: Math.max(0, at + by) });
}

export const chainOfEvents = query<Args<"chain">, readonly SealedEvent[]>({
  sql: sql`SELECT ${columns} FROM events WHERE seq > :after ORDER BY seq LIMIT :limit`,
  bind: ({ after, limit }) => ({ after, limit }),
  outcome: (rows) => rows.map(eventOf),
});

export const getEvent = query<Args<"get">, SealedEvent | undefined>({
  sql: sql`SELECT ${columns} FROM events WHERE event_id = :eventId`,
  bind: ({ eventId }) => ({ eventId }),
  outcome: ([row]) => row && eventOf(row),
});

const checkpointColumns = sql`kind, seq, at, hash, signed`;

function checkpointOf(row: Row): Checkpoint {
  return {
    kind: text(row, "kind") as Checkpoint["kind"],
    seq: whole(row, "seq"),
    at: whole(row, "at"),
    hash: text(row, "hash"),
    signed: text(row, "signed"),
  };
}

export const listCheckpoints = query<Args<"checkpoints">, readonly Checkpoint[]>({
  sql: sql`SELECT ${checkpointColumns} FROM event_checkpoints WHERE kind = :kind AND seq > :after ORDER BY seq LIMIT :limit`,
  bind: ({ kind, after, limit }) => ({ kind, after, limit }),
  outcome: (rows) => rows.map(checkpointOf),
});

/** Reads backwards. There is one checkpoint for each hour. */
export const lastCheckpoint = query<Args<"lastCheckpoint">, Checkpoint | undefined>({
  sql: sql`SELECT ${checkpointColumns} FROM event_checkpoints WHERE kind = :kind AND at <= :at ORDER BY seq DESC LIMIT 1`,
  bind: ({ kind, at }) => ({ kind, at }),
  outcome: ([row]) => row && checkpointOf(row),
});

export const unsealedTail = query<Args<"tail">, Awaited<ReturnType<Port["tail"]>>>({
  sql: sql`SELECT COUNT(*) AS n, MIN(at) AS oldest FROM
    (SELECT at FROM events_waiting WHERE +partition >= 0 AND at >= 0 ORDER BY at LIMIT :most) AS few`,
  bind: ({ most }) => ({ most }),
  outcome: ([row]) => ({
    count: row === undefined ? 0 : whole(row, "n"),
    oldest: row === undefined ? null : wholeOrNull(row, "oldest"),
  }),
});

export const personsEventKey = query<Args<"personsKey">, Uint8Array | undefined>({
  sql: sql`SELECT event_key FROM people WHERE ${thisPerson} AND event_key IS NOT NULL`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row]) => row && bytes(row, "event_key"),
});

export const retireEvents = transaction<Args<"retire">, boolean>(async (tx, { note, ...args }) => {
  if (!(await holdsLease(tx, args))) return false;
  writeCheckpoint(tx, note);
  return true;
});

/** The facts stay: only the signature is another one. */
export const renewCheckpoints = transaction<Args<"renew">, boolean>(async (tx, { checkpoints, ...args }) => {
  if (!(await holdsLease(tx, args))) return false;
  for (const { kind, seq, hash, at, signed } of checkpoints) {
    tx.later(
      sql`UPDATE event_checkpoints SET signed = :signed WHERE kind = :kind AND seq = :seq AND hash = :hash AND at = :at`,
      { kind, seq, hash, at, signed },
    );
  }
  return true;
});

const retired = sql`SELECT seq FROM event_checkpoints WHERE kind = 'dropped' ORDER BY seq DESC LIMIT 1`;

/** Only what a signed note allows. Deletes from the beginning of the log. */
export const dropEvents = transaction<Args<"drop">, number>(async (tx, { limit }) => {
  const note = await tx.one(retired);
  if (note === undefined) return 0;
  return tx.run(
    sql`DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE seq > 0 AND seq <= :seq ORDER BY seq LIMIT :limit)`,
    { seq: whole(note, "seq"), limit },
  );
});
