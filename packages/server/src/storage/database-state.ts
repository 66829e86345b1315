/** What the database records about itself: whether a server may run on it, and since when its grants count. */

import type { EarlierLifetime, Millis } from "../oauth/model.ts";
import { type Row, sql, type Tx } from "./define-verbs.ts";
import { DatabaseNotReady } from "./errors.ts";
import type { SchemaHost } from "./migrations/migration.ts";
import { text } from "./row-conversion.ts";

/** A restore replaced the database: grants made before `at` have ended. */
export interface Epoch {
  readonly at: Millis;
  /** Number of restores so far. */
  readonly count: number;
  /** True: everything from before has been ended. False: this work is not finished. */
  readonly done: boolean;
}

export interface DatabaseState {
  readonly epoch: Epoch | null;
  /** True: a copy for inspection. It lacks revocations made after its backup. */
  readonly inspection: boolean;
  /** True: an import has begun and has not finished. */
  readonly importing: boolean;
}

export const STATES = {
  epoch: "epoch",
  inspection: "inspection",
  importing: "import under way",
  accessTtl: "access token lifetime",
} as const;

/** The epoch as it is stored; `next` is the partition at which the work continues. */
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

/**
 * Throws `DatabaseNotReady` if a server must not run on the database. With `serve` false, an operator's command may use
 * a copy for inspection.
 */
export function refuseUnready(
  { epoch, inspection, importing }: DatabaseState,
  { serve }: { readonly serve: boolean },
): void {
  if (importing) {
    throw new DatabaseNotReady(
      "An import into this database was interrupted. To continue it, run the same assent import FILE again.",
    );
  }
  if (epoch !== null && !epoch.done && serve) {
    throw new DatabaseNotReady(
      "The database was restored, but the end of its old grants was interrupted. To continue it, run assent db epoch.",
    );
  }
  if (inspection && serve) {
    throw new DatabaseNotReady(
      "This database was restored for inspection, so access that was revoked after the backup still works in it. To serve people, restore the backup without --for-inspection.",
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

/** The lifetime of access tokens by the configuration of the servers, and the one before it. */
interface StoredAccessTtl {
  readonly ttl: Millis;
  readonly earlier: EarlierLifetime | null;
}

/**
 * Compares the configured lifetime with that of the last start, and notes a change. Returns the lifetime before: tokens
 * of that time may still be alive. Null: it has never changed.
 */
export async function noteAccessTtl(
  host: Pick<SchemaHost, "reading" | "exclusively">,
  ttl: Millis,
  now: Millis,
): Promise<EarlierLifetime | null> {
  const read = (tx: Tx) => readState<StoredAccessTtl>(tx, STATES.accessTtl);
  const noted = await host.reading(read);
  if (noted?.ttl === ttl) return noted.earlier;
  return host.exclusively(async (tx) => {
    const before = await read(tx);
    if (before?.ttl === ttl) return before.earlier;
    const earlier = before === undefined ? null : { ttl: before.ttl, changedAt: now };
    await writeState(tx, STATES.accessTtl, { ttl, earlier } satisfies StoredAccessTtl);
    return earlier;
  });
}
