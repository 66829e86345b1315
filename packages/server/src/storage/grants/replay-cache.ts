/**
 * Values that are accepted once: ids of assertions (RFC 7522 §3, RFC 7523 §3).
 *
 * Ids live for minutes, and there can be millions. So they are in a ring of tables, one for each quarter of an hour,
 * and the server empties a whole table when all its ids have expired. An id is written to every table from the present
 * quarter to the quarter of its end. So two acceptances of the same id meet in the table of the later one's present,
 * whatever ends they claim, and the primary key of that table lets one of them in. Ids that live longer than the ring
 * are also written to `accepted`, because the ring does not keep them. When such a table is gone, those rows have long
 * been committed, so a look into `accepted` is enough.
 */

import type { Millis } from "../../oauth/model.ts";
import type { SingleUse } from "../../oauth/storage.ts";
import { type Params, type Sql, sql, statement, steps, transaction, words } from "../define-verbs.ts";
import { partitionOfName } from "../partition.ts";
import { MINUTE } from "../row-conversion.ts";

/** The time that one table covers. */
export const SPAN: Millis = 15 * MINUTE;
/**
 * Number of tables in the ring: the present one, those ahead, one that a slow clock may still empty, one that may be
 * emptied now, and the one just past.
 */
export const RING = 8;
/** Maximum number of tables that one id is written to. */
const AHEAD = RING - 3;

const unlessFar = sql`NOT EXISTS (SELECT 1 FROM accepted WHERE partition = :partition AND kind = :kind AND key = :key AND until > :now)`;
const added = sql`SELECT :partition, :kind, :key, :until WHERE ${unlessFar}
  ON CONFLICT (partition, kind, key) DO NOTHING RETURNING key`;
const renewed = sql`SET until = :until WHERE partition = :partition AND kind = :kind AND key = :key AND until <= :now AND ${unlessFar}
  RETURNING key`;

/** One statement for each table. Of simultaneous callers, the first gets the row. */
const insertions: readonly Sql[] = [
  sql`INSERT INTO accepted_0 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_1 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_2 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_3 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_4 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_5 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_6 (partition, kind, key, until) ${added}`,
  sql`INSERT INTO accepted_7 (partition, kind, key, until) ${added}`,
];

/**
 * The same where the table has the row already: a row that has expired counts as absent. A statement of its own,
 * because Citus takes no parameters after ON CONFLICT of an INSERT with a SELECT.
 */
const renewals: readonly Sql[] = [
  sql`UPDATE accepted_0 ${renewed}`,
  sql`UPDATE accepted_1 ${renewed}`,
  sql`UPDATE accepted_2 ${renewed}`,
  sql`UPDATE accepted_3 ${renewed}`,
  sql`UPDATE accepted_4 ${renewed}`,
  sql`UPDATE accepted_5 ${renewed}`,
  sql`UPDATE accepted_6 ${renewed}`,
  sql`UPDATE accepted_7 ${renewed}`,
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

/** The statement of the ring for a span. */
function at<T>(ring: readonly T[], span: number): T {
  const found = ring[span % RING];
  if (found === undefined) throw new RangeError("times are after 1970");
  return found;
}

function bound({ kind, key, until, now }: SingleUse): Params {
  return { partition: partitionOfName(kind, key), kind, key, until, now };
}

const verbOf = (one: Sql) =>
  statement<SingleUse, boolean>({ lock: "key", sql: one, bind: bound, outcome: (row) => row !== undefined });

/** Most ids begin and end in the same quarter of an hour and need one statement. */
export const useInOneSpan = insertions.map(verbOf);
export const renewInOneSpan = renewals.map(verbOf);

/**
 * The statements are in the order of time, so that two callers never wait for each other. If one refuses, the rows in
 * earlier tables stay: the id is refused there, too.
 */
export const useAcrossSpans = transaction<SingleUse, boolean>(async (tx, args) => {
  const from = spanOf(args.now);
  const last = spanOf(args.until);
  for (let span = from; span <= Math.min(last, from + AHEAD - 1); span += 1) {
    const params = bound(args);
    const row = (await tx.one(at(insertions, span), params)) ?? (await tx.one(at(renewals, span), params));
    if (row === undefined) return false;
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

export const useOnce = steps<SingleUse, boolean>(async (call, args) => {
  const span = spanOf(args.now);
  if (spanOf(args.until) > span) return call(useAcrossSpans, args);
  return (await call(at(useInOneSpan, span), args)) || call(at(renewInOneSpan, span), args);
});

/**
 * Empties the oldest table of the ring. Its ids ended in the span before the last one, so a node whose clock is one
 * span ahead deletes nothing that counts. Nobody writes to it for two more spans, so a node whose clock is one span
 * late deletes nothing either. True: the table had rows.
 */
export const emptyRing = transaction<{ readonly now: Millis }, boolean>(async (tx, { now }) => {
  const past = spanOf(now) - 2 + RING;
  if ((await tx.one(at(looks, past))) === undefined) return false;
  await tx.run(at(emptyings, past));
  return true;
});
