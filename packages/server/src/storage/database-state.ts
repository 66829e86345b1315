/** What the database knows of itself: whether it may be served, and from when on its grants count. */

import type { Millis } from "../oauth/model.ts";
import { DatabaseNotReady } from "./errors.ts";
import { text } from "./rows.ts";
import { type Row, sql, type Tx } from "./sql.ts";

/** A restore put the database back: what was granted before `at` is over. */
export interface Epoch {
  readonly at: Millis;
  /** How many times that has happened. */
  readonly count: number;
  /** True: everything of before has been ended; false: that is under way. */
  readonly done: boolean;
}

export interface DatabaseState {
  readonly epoch: Epoch | null;
  /** A copy to look at: revocations of after its backup are not in it. */
  readonly inspection: boolean;
  /** An import that hasn't come to its end. */
  readonly importing: boolean;
}

export const STATES = { epoch: "epoch", inspection: "inspection", importing: "import under way" } as const;

/** The epoch as it is stored: `next` is the partition to go on with. */
export interface StoredEpoch {
  readonly at: Millis;
  readonly count: number;
  readonly next: number | null;
  readonly keepConsents: boolean;
}

export const selectStates = sql`SELECT name, value FROM database_state`;

export function stateOf(rows: readonly Row[]): DatabaseState {
  const values = new Map(rows.map((row) => [text(row, "name"), text(row, "value")]));
  const stored = values.get(STATES.epoch);
  const epoch = stored === undefined ? null : (JSON.parse(stored) as StoredEpoch);
  return {
    epoch: epoch && { at: epoch.at, count: epoch.count, done: epoch.next === null },
    inspection: values.has(STATES.inspection),
    importing: values.has(STATES.importing),
  };
}

/** Throws `DatabaseNotReady` where a server may not run on the database; an operator's command may on a copy for inspection (`serve` false). */
export function refuseUnready(
  { epoch, inspection, importing }: DatabaseState,
  { serve }: { readonly serve: boolean },
): void {
  if (importing) {
    throw new DatabaseNotReady(
      "An import into this database hasn't come to its end: run the same `assent import FILE` again, and it goes on.",
    );
  }
  if (epoch !== null && !epoch.done && serve) {
    throw new DatabaseNotReady(
      "What was granted before this database was put back is being ended, and that was interrupted: run `assent db epoch`, and it goes on.",
    );
  }
  if (inspection && serve) {
    throw new DatabaseNotReady(
      "This database was restored for inspection: access that was revoked after its backup is alive in it. Nobody may be served from it; restore the backup without --for-inspection.",
    );
  }
}

export async function writeState(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx.run(
    sql`INSERT INTO database_state (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    { name, value: JSON.stringify(value) },
  );
}

export async function readState<T>(tx: Tx, name: string): Promise<T | undefined> {
  const row = await tx.one(sql`SELECT value FROM database_state WHERE name = :name`, { name });
  return row && (JSON.parse(text(row, "value")) as T);
}

export async function dropState(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`DELETE FROM database_state WHERE name = :name`, { name });
}
