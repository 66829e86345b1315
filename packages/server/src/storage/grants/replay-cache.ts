/**
 * What may be accepted once: ids of assertions (RFC 7522 §3, RFC 7523 §3).
 *
 * Ids live for minutes and come by the million, so they sit in a ring of tables, one for each quarter of an hour, and a table is emptied whole when all in
 * it is over. An id is written to every table from the present quarter to that of its end: any two acceptances of the same id, whatever ends they
 * claim, meet in the table of the later one's present, and its primary key lets one of them in. Ids that live beyond the ring are also written to
 * `accepted`, where the table of a later present doesn't reach back to; by then they have long been committed, so that looking there is enough.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Once } from "../../oauth/storage.ts";
import { partitionOfName } from "../partition.ts";
import { MINUTE } from "../rows.ts";
import { type Params, type Sql, sql, statement, steps, transaction, words } from "../sql.ts";

/** The time that one table stands for. */
export const SPAN: Millis = 15 * MINUTE;
/** Tables of the ring: the present, those ahead, the one that whoever is late may still empty, the one that may be emptied now, and the one just past. */
export const RING = 8;
/** How many tables an id is written to at most. */
const AHEAD = RING - 3;

const unlessFar = sql`SELECT :partition, :kind, :key, :until
  WHERE NOT EXISTS (SELECT 1 FROM accepted WHERE partition = :partition AND kind = :kind AND key = :key AND until > :now)
  ON CONFLICT (partition, kind, key) DO UPDATE SET until = excluded.until WHERE a.until <= :now
  RETURNING key`;

/** By table: the first of all callers gets the row. One that has passed its time is as good as gone. */
const insertions: readonly Sql[] = [
  sql`INSERT INTO accepted_0 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_1 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_2 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_3 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_4 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_5 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_6 AS a (partition, kind, key, until) ${unlessFar}`,
  sql`INSERT INTO accepted_7 AS a (partition, kind, key, until) ${unlessFar}`,
];

const looks: readonly Sql[] = [
  sql`SELECT 1 AS found FROM accepted_0 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_1 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_2 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_3 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_4 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_5 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_6 LIMIT 1`,
  sql`SELECT 1 AS found FROM accepted_7 LIMIT 1`,
];

const emptyings: readonly Sql[] = [
  sql`${words.empty} accepted_0`,
  sql`${words.empty} accepted_1`,
  sql`${words.empty} accepted_2`,
  sql`${words.empty} accepted_3`,
  sql`${words.empty} accepted_4`,
  sql`${words.empty} accepted_5`,
  sql`${words.empty} accepted_6`,
  sql`${words.empty} accepted_7`,
];

function spanOf(at: Millis): number {
  return Math.floor(at / SPAN);
}

/** The one of a ring's statements that is for a span. */
function at<T>(ring: readonly T[], span: number): T {
  const found = ring[span % RING];
  if (found === undefined) throw new RangeError("times are after 1970");
  return found;
}

function bound({ kind, key, until, now }: Once): Params {
  return { partition: partitionOfName(kind, key), kind, key, until, now };
}

/** Most ids begin and end in one quarter of an hour: one statement. */
export const onceWithin = insertions.map((insertion) =>
  statement<Once, boolean>({ lock: "key", sql: insertion, bind: bound, outcome: (row) => row !== undefined }),
);

/** In the order of time, so that two callers never wait for each other. What a refused one has left in earlier tables is refused there, too. */
export const onceAcross = transaction<Once, boolean>(async (tx, args) => {
  const from = spanOf(args.now);
  const last = spanOf(args.until);
  for (let span = from; span <= Math.min(last, from + AHEAD - 1); span += 1) {
    if ((await tx.one(at(insertions, span), bound(args))) === undefined) return false;
  }
  if (last < from + AHEAD) return true;
  const far = await tx.one(
    sql`INSERT INTO accepted AS a (partition, kind, key, until) VALUES (:partition, :kind, :key, :until)
      ON CONFLICT (partition, kind, key) DO UPDATE SET until = excluded.until WHERE a.until <= :now
      RETURNING key`,
    bound(args),
  );
  return far !== undefined;
});

export const once = steps<Once, boolean>((call, args) => {
  const span = spanOf(args.now);
  return spanOf(args.until) <= span ? call(at(onceWithin, span), args) : call(onceAcross, args);
});

/**
 * Empties the table that is next to be reached from behind: all in it ended in the last span but one, so that a node whose clock is up to a span ahead
 * takes nothing that counts; nobody writes to it for two spans to come, so that one that is as late takes nothing either. True: there was something.
 */
export const emptyRing = transaction<{ readonly now: Millis }, boolean>(async (tx, { now }) => {
  const past = spanOf(now) - 2 + RING;
  if ((await tx.one(at(looks, past))) === undefined) return false;
  await tx.run(at(emptyings, past));
  return true;
});
