/** Verbs that count attempts at a secret, so that guesses run out. The window begins with the first attempt. */

import type { Millis } from "../../oauth/model.ts";
import type { Attempt, AttemptOutcome } from "../../owners/storage.ts";
import { partitionOfName } from "../partition.ts";
import { whole } from "../rows.ts";
import { sql, type Tx, transaction } from "../sql.ts";

/** Counts under each key, or under none. Keys are taken in one order, so that two callers never wait for each other. */
export const countAttempt = transaction<
  { readonly attempts: readonly Attempt[]; readonly now: Millis },
  AttemptOutcome
>(async (tx, { attempts, now }) => {
  const inOrder = attempts.map((attempt) => ({ ...attempt, partition: partitionOfKey(attempt.key) })).sort(byPlace);
  const counted: { partition: number; key: string }[] = [];
  for (const { partition, key, limit, window } of inOrder) {
    const row = await tx.one(
      sql`INSERT INTO attempts AS a (partition, key, count, window_until) VALUES (:partition, :key, 1, :windowUntil)
        ON CONFLICT (partition, key) DO UPDATE SET
          count = CASE WHEN a.count = 0 OR a.window_until <= :now THEN 1 ELSE a.count + 1 END,
          window_until = CASE WHEN a.count = 0 OR a.window_until <= :now THEN :windowUntil ELSE a.window_until END
        WHERE a.count < :limit OR a.window_until <= :now
        RETURNING count`,
      { partition, key, limit, now, windowUntil: now + window },
    );
    if (row === undefined) {
      for (const each of counted) await uncount(tx, each);
      return { kind: "throttled", until: await throttledUntil(tx, inOrder, now) };
    }
    counted.push({ partition, key });
  }
  return { kind: "allowed" };
});

async function throttledUntil(
  tx: Tx,
  attempts: readonly (Attempt & { readonly partition: number })[],
  now: Millis,
): Promise<Millis> {
  let until = now;
  for (const { partition, key, limit } of attempts) {
    const row = await tx.one(
      sql`SELECT window_until FROM attempts WHERE partition = :partition AND key = :key AND count >= :limit AND window_until > :now`,
      { partition, key, limit, now },
    );
    if (row !== undefined) until = Math.max(until, whole(row, "window_until"));
  }
  return until;
}

function uncount(tx: Tx, { partition, key }: { readonly partition: number; readonly key: string }): Promise<number> {
  return tx.run(sql`UPDATE attempts SET count = count - 1 WHERE partition = :partition AND key = :key AND count > 0`, {
    partition,
    key,
  });
}

/** Empties what a success proves harmless, and takes back the attempt that was none. */
export const forgiveAttempt = transaction<
  { readonly reset: readonly string[]; readonly undo: readonly string[] },
  void
>(async (tx, { reset, undo }) => {
  const places = (keys: readonly string[]) =>
    keys.map((key) => ({ key, partition: partitionOfKey(key) })).sort(byPlace);
  for (const { partition, key } of places(reset)) {
    await tx.run(sql`DELETE FROM attempts WHERE partition = :partition AND key = :key`, { partition, key });
  }
  for (const place of places(undo)) await uncount(tx, place);
});

function partitionOfKey(key: string): number {
  return partitionOfName("attempt", key);
}

function byPlace(
  a: { readonly partition: number; readonly key: string },
  b: { readonly partition: number; readonly key: string },
): number {
  return a.partition - b.partition || (a.key < b.key ? -1 : 1);
}
