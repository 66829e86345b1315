/**
 * Ends as many rows as a large company can have, inside one transaction. It works in batches, so that each statement
 * stays far below PostgreSQL's time limit for a statement. The transaction as a whole is atomic.
 */

import type { GrantStatus, Millis } from "../../oauth/model.ts";
import { type Params, type Row, type Sql, sql, type Tx, words } from "../define-verbs.ts";
import { ENDED_KEPT, isActive, text } from "../row-conversion.ts";

/** Maximum number of rows of one statement. */
const MOST = 10_000;

/**
 * The two statements that end grants. Make them once for each condition, because prepared statements are cached by
 * object.
 */
export interface Ending {
  readonly lock: Sql;
  readonly end: Sql;
}

/** @param which a condition on `grants` with `partition = :partition` and its own parameters. */
export function endingOf(which: Sql): Ending {
  // The sort is by an expression, because SQLite would otherwise read the whole partition to avoid sorting.
  const some = sql`SELECT grant_id FROM grants
    WHERE ${which} AND ${isActive} AND grant_id || '' > :after ORDER BY grant_id || '' LIMIT :most`;
  return {
    lock: sql`${some} ${words.forUpdate}`,
    end: sql`UPDATE grants SET status = :status, ended_at = :now, collect_at = :endedKept WHERE partition = :partition AND grant_id IN (${some})
      RETURNING client_id, last_used_at, introspected_at, idle_until, absolute_until`,
  };
}

/**
 * Ends all these grants, in the order in which groups of refreshes lock them. Each row has client_id, last_used_at,
 * introspected_at, idle_until and absolute_until.
 */
export async function endGrants(
  tx: Tx,
  { lock, end }: Ending,
  params: Params,
  { status, now }: { readonly status: GrantStatus; readonly now: Millis },
): Promise<readonly Row[]> {
  const ended: Row[] = [];
  for (let after = ""; ; ) {
    const page = { ...params, after, most: MOST };
    const locked = await tx.all(lock, page);
    const last = locked.at(-1);
    if (last === undefined) return ended;
    for (const row of await tx.all(end, { ...page, status, now, endedKept: now + ENDED_KEPT })) ended.push(row);
    if (locked.length < MOST) return ended;
    after = text(last, "grant_id");
  }
}

/** The statements that pause grants, and let them go on. Make them once for each condition, as for an ending. */
export interface Pausing {
  readonly lock: Sql;
  readonly pause: Sql;
  readonly resume: Sql;
}

/** @param which as for `endingOf`. */
export function pausingOf(which: Sql): Pausing {
  const some = sql`SELECT grant_id FROM grants
    WHERE ${which} AND ${isActive} AND grant_id || '' > :after ORDER BY grant_id || '' LIMIT :most`;
  return {
    lock: sql`${some} ${words.forUpdate}`,
    pause: sql`UPDATE grants SET paused_at = :now WHERE partition = :partition AND grant_id IN (${some}) AND paused_at IS NULL`,
    resume: sql`UPDATE grants SET paused_at = NULL WHERE partition = :partition AND grant_id IN (${some}) AND paused_at IS NOT NULL`,
  };
}

/**
 * The same for the pause of an owner, which other systems neither see nor end. While an app is paused, its time to repeat a
 * lost refresh stands still: otherwise the token that it still holds would look stolen afterwards.
 */
export function ownersPausingOf(which: Sql): Pausing {
  const { lock } = pausingOf(which);
  const some = sql`SELECT grant_id FROM grants
    WHERE ${which} AND ${isActive} AND grant_id || '' > :after ORDER BY grant_id || '' LIMIT :most`;
  return {
    lock,
    pause: sql`UPDATE grants SET owner_paused_at = :now WHERE partition = :partition AND grant_id IN (${some}) AND owner_paused_at IS NULL`,
    resume: sql`UPDATE grants SET owner_paused_at = NULL,
        rotated_at = CASE WHEN rotated_at <= owner_paused_at AND :now > owner_paused_at THEN rotated_at + :now - owner_paused_at ELSE rotated_at END
      WHERE partition = :partition AND grant_id IN (${some}) AND owner_paused_at IS NOT NULL`,
  };
}

/**
 * Locks the grants in the order in which groups of refreshes do. `at`: since when they are paused; null: they go on.
 * `resuming`: parameters of the statement with which they go on.
 */
export async function pauseGrants(
  tx: Tx,
  pausing: Pausing,
  params: Params,
  at: Millis | null,
  resuming: Params = {},
): Promise<number> {
  const { lock, pause, resume } = pausing;
  let changed = 0;
  for (let after = ""; ; ) {
    const page = { ...params, after, most: MOST };
    const locked = await tx.all(lock, page);
    const last = locked.at(-1);
    if (last === undefined) return changed;
    changed += at === null ? await tx.run(resume, { ...page, ...resuming }) : await tx.run(pause, { ...page, now: at });
    if (locked.length < MOST) return changed;
    after = text(last, "grant_id");
  }
}

/** Repeats a statement that deletes at most `:most` rows until none are left. */
export async function inPieces(tx: Tx, statement: Sql, params: Params): Promise<void> {
  while ((await tx.run(statement, { ...params, most: MOST })) === MOST);
}
