/**
 * What may be as long as a company is large, inside one transaction: in pieces, so that each statement stays far below the time that PostgreSQL gives to
 * one. It happens as a whole or not at all; only the statements are short.
 */

import type { GrantStatus, Millis } from "../../oauth/model.ts";
import { ENDED_KEPT, text } from "../rows.ts";
import { type Params, type Row, type Sql, sql, type Tx, words } from "../sql.ts";

/** Rows of one statement. */
const MOST = 10_000;

/** The two statements that end grants; made once for each condition, since prepared statements are kept by them. */
export interface Ending {
  readonly lock: Sql;
  readonly end: Sql;
}

/** @param which condition on `grants` that says `partition = :partition`, and parameters of its own. */
export function endingOf(which: Sql): Ending {
  // By an expression, since SQLite would walk the whole partition to spare the sort.
  const some = sql`SELECT grant_id FROM grants
    WHERE ${which} AND status = 'active' AND grant_id || '' > :after ORDER BY grant_id || '' LIMIT :most`;
  return {
    lock: sql`${some} ${words.forUpdate}`,
    end: sql`UPDATE grants SET status = :status, ended_at = :now, collect_at = :endedKept WHERE partition = :partition AND grant_id IN (${some})
      RETURNING client_id, last_used_at, idle_until, absolute_until`,
  };
}

/** Ends them all, in the order in which groups of refreshes lock them. Of each: client_id, last_used_at, idle_until, absolute_until. */
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

/** Runs a statement that takes away `:most` rows at the most until there are none left. */
export async function inPieces(tx: Tx, statement: Sql, params: Params): Promise<void> {
  while ((await tx.run(statement, { ...params, most: MOST })) === MOST);
}
