/** Verbs that count attempts at a secret, to limit guesses. The window begins with the first attempt. */

import type { Millis } from "../../oauth/model.ts";
import type { Attempt, AttemptOutcome } from "../../owners/storage.ts";
import { type Call, query, sql, statement, steps } from "../define-verbs.ts";
import { partitionOfName } from "../partition.ts";
import { whole } from "../row-conversion.ts";

interface Key {
  readonly partition: number;
  readonly key: string;
}

type Counted = Key & Pick<Attempt, "limit"> & { readonly now: Millis };

const thisKey = sql`partition = :partition AND key = :key`;

export interface Counting {
  readonly attempts: readonly Attempt[];
  readonly ceilings?: readonly Attempt[];
  readonly now: Millis;
}

/**
 * Counts the attempt under all keys or under none: if one limit is reached, the verb takes the other counts back. The
 * keys are in different partitions, so each needs its own statement. After a crash in between, a refused attempt can
 * stay counted. In a flood, most attempts exceed a limit, so a read without locks refuses them first.
 */
export const countAttempt = steps<Counting, AttemptOutcome>(async (call, { attempts, ceilings = [], now }) => {
  const placed = (each: Attempt) => ({ ...each, partition: partitionOfKey(each.key), now });
  const above = ceilings.map(placed);
  const level = await levelOf(call, above);
  const all = attempts.map((each) => placed({ ...each, limit: each.narrowed?.[level - 1] ?? each.limit }));
  const full = await throttled(call, all, now);
  if (full !== undefined) return { ...full, level };
  // A ceiling that is reached does not refuse the attempt.
  const counters = [...all, ...above];
  const taken = await Promise.all(counters.map((each) => call(takeAttempt, each)));
  const counted = counters.filter((_, at) => taken[at]);
  if (all.every((_, at) => taken[at])) return { kind: "allowed", level, counted: counted.map(({ key }) => key) };
  await Promise.all(counted.map((each) => call(returnAttempt, each)));
  return { ...((await throttled(call, all, now)) ?? { kind: "throttled", until: now, full: [] }), level };
});

type Placed = Counted & Attempt;

async function levelOf(call: Call, ceilings: readonly Placed[]): Promise<number> {
  const ends = await Promise.all(ceilings.map((each) => call(fullUntil, each)));
  return ends.findLastIndex((end) => end !== undefined) + 1;
}

async function throttled(call: Call, all: readonly Placed[], now: Millis) {
  const ends = await Promise.all(all.map((each) => call(fullUntil, each)));
  const until = Math.max(now, ...ends.map((end) => end ?? now));
  const full = all.filter((_, at) => ends[at] !== undefined).map(({ key }) => key);
  return until > now ? ({ kind: "throttled", until, full } as const) : undefined;
}

/** The time at which the limit of a key no longer applies. Undefined: the limit is not reached. */
export const fullUntil = query<Counted, Millis | undefined>({
  sql: sql`SELECT window_until FROM attempts WHERE ${thisKey} AND count >= :limit AND window_until > :now`,
  bind: ({ partition, key, limit, now }) => ({ partition, key, limit, now }),
  outcome: ([row]) => row && whole(row, "window_until"),
});

/** False: the limit is reached, and the attempt is not counted. */
export const takeAttempt = statement<Counted & Pick<Attempt, "window">, boolean>({
  lock: "key",
  sql: sql`INSERT INTO attempts AS a (partition, key, count, window_until) VALUES (:partition, :key, 1, :windowUntil)
    ON CONFLICT (partition, key) DO UPDATE SET
      count = CASE WHEN a.count = 0 OR a.window_until <= :now THEN 1 ELSE a.count + 1 END,
      window_until = CASE WHEN a.count = 0 OR a.window_until <= :now THEN :windowUntil ELSE a.window_until END
    WHERE a.count < :limit OR a.window_until <= :now
    RETURNING count`,
  bind: ({ partition, key, limit, window, now }) => ({ partition, key, limit, now, windowUntil: now + window }),
  outcome: (row) => row !== undefined,
});

export const returnAttempt = statement<Key, void>({
  lock: "key",
  sql: sql`UPDATE attempts SET count = count - 1 WHERE ${thisKey} AND count > 0 RETURNING count`,
  bind: ({ partition, key }) => ({ partition, key }),
  outcome: () => undefined,
});

export const resetAttempts = statement<Key, void>({
  lock: "key",
  sql: sql`DELETE FROM attempts WHERE ${thisKey} RETURNING count`,
  bind: ({ partition, key }) => ({ partition, key }),
  outcome: () => undefined,
});

/** After a success: resets the counters that the success proves harmless, and takes back the count of this attempt. */
export const forgiveAttempt = steps<{ readonly reset: readonly string[]; readonly undo: readonly string[] }, void>(
  async (call, { reset, undo }) => {
    const place = (key: string): Key => ({ key, partition: partitionOfKey(key) });
    await Promise.all(reset.map((key) => call(resetAttempts, place(key))));
    await Promise.all(undo.map((key) => call(returnAttempt, place(key))));
  },
);

function partitionOfKey(key: string): number {
  return partitionOfName("attempt", key);
}
