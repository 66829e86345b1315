/**
 * Statements for SQLite alone. SQLite rewrites an index entry if a statement names an indexed column, even if the value stays the same. A fast path
 * covers the most frequent outcome of a verb and names no indexed column. The writer tries it first, in the same transaction. If it changes no row, the
 * verb's own statement decides.
 */

import { type Sql, sql } from "../define-verbs.ts";
import { firstUse, newestUsed, redeemCode, refreshGrant } from "../grants/grant-lifecycle.ts";
import { grantColumns } from "../row-conversion.ts";

const redeemFirst = sql`UPDATE grants SET
      refresh_salt_hash = :refreshSaltHash, last_used_at = :now, used_from = :network, uses = uses + 1, generation = 1,
      absolute_until = CASE WHEN refreshable = 1 OR absolute_until < :accessUntil THEN absolute_until ELSE :accessUntil END,
      idle_until = CASE WHEN refreshable = 1 THEN :idleUntil ELSE :accessUntil END
    WHERE ${firstUse}
    RETURNING ${grantColumns}`;

const refreshNewest = sql`UPDATE grants SET
      retries = CASE WHEN :rotate = 1 THEN 0 ELSE retries END,
      rotated_at = CASE WHEN :rotate = 1 THEN :now ELSE rotated_at END,
      whole_used_at = CASE WHEN :whole = 1 THEN :now ELSE whole_used_at END,
      last_used_at = :now, used_from = :network, uses = uses + 1, idle_until = :idleUntil, generation = generation + :rotate
    WHERE ${newestUsed}
    RETURNING ${grantColumns}`;

/** By verb. */
export const fastPaths: ReadonlyMap<unknown, Sql> = new Map<unknown, Sql>([
  [redeemCode, redeemFirst],
  [refreshGrant, refreshNewest],
]);
