/** Opens the storage that a URL names. */

import { BECAUSE, type Cause } from "../events/event.ts";
import type { EarlierLifetime, Millis } from "../oauth/model.ts";
import { type DatabaseState, noteAccessTtl, STATES, selectStates, stateOf, writeState } from "./database-state.ts";
import type { Verb } from "./define-verbs.ts";
import type { Ended } from "./end-all-after-restore.ts";
import { type MigrationState, migrate, migrationStatus, planMigrations, type Reach } from "./migrations/migrate.ts";
import type { PlannedStep } from "./migrations/plan.ts";
import type { Exported } from "./move/export.ts";
import type { BeforeImport, Imported, ReplaceOptions } from "./move/import.ts";
import type { OneTransaction } from "./one-transaction.ts";
import { isPostgresUrl } from "./postgres/database-url.ts";
import type { PostgresEngine, PostgresStats } from "./postgres/engine.ts";
import type { Inventory } from "./record-counts.ts";
import { openSqlite, type SqliteEngine, type SqliteStats } from "./sqlite/engine.ts";
import { aggregates, type Ports } from "./verb-registry.ts";

export interface OpenOptions {
  /** `sqlite:<path>` or `postgres://user:password@host:port/database`, several hosts separated by commas. */
  readonly url: string;
  /** SQLite only: the thread on which writes run. Default: `thread`. */
  readonly writer?: "thread" | "main";
  /** Default: false. */
  readonly readonly?: boolean;
  /** Called after each group of writes, with the number of verbs and the duration in milliseconds. */
  readonly onBatch?: (size: number, milliseconds: number) => void;
}

/**
 * Counts groups of verbs, verbs in them, and verbs that wait for a group. Also SQLite writer threads started, or
 * PostgreSQL connections made.
 */
export type StorageStats = Pick<SqliteStats, "batches" | "verbs" | "waiting"> & Partial<SqliteStats & PostgresStats>;

type Engine = SqliteEngine | PostgresEngine;

/** The three ports on one database. Call `migrate` before the first verb, because verbs need the schema. */
export type Storage = Ports & {
  /**
   * Applies missing migrations as far as `reach` says (default `start`), and returns the names of the applied ones.
   * Throws `SchemaMismatch`.
   */
  migrate(args: { readonly now: Millis; readonly reach?: Reach }): Promise<readonly string[]>;
  /** The missing migrations, step by step, with rows, locks and an estimate. Throws `SchemaMismatch`. */
  migrationPlan(): Promise<readonly PlannedStep[]>;
  /** Every migration of this program, and when it was applied. Throws `SchemaMismatch`. */
  migrationStatus(): Promise<readonly MigrationState[]>;
  /** What the database records about itself. */
  state(): Promise<DatabaseState>;
  /** Notes the configured lifetime of access tokens (see `noteAccessTtl`). */
  noteAccessTtl(args: { readonly ttl: Millis; readonly now: Millis }): Promise<EarlierLifetime | null>;
  /** After a restore: ends everything that could have been revoked since the backup (see `endAllBefore`). */
  endAllBefore(args: { readonly now: Millis; readonly keepConsents: boolean }): Promise<Ended>;
  /** Writes the whole content into a new file (see `exportDatabase`). */
  exportTo(args: { readonly file: string; readonly now: Millis }): Promise<Exported>;
  /** Counts what the database holds. */
  inventory(): Promise<Inventory>;
  /** Fills the empty database from a file (see `importDatabase`). */
  importFrom(args: { readonly file: string }): Promise<Imported>;
  /** Reads the file, and says whether it can fill this database (see `beforeImport`). */
  beforeImport(args: { readonly file: string }): Promise<BeforeImport>;
  /** Replaces all data by a file's, and ends all access in it (see `replaceDatabase`). */
  replaceFrom(args: ReplaceOptions): Promise<Imported & { readonly ended: Ended }>;
  /** Marks the database as a copy for inspection, on which no server runs. */
  markForInspection(): Promise<void>;
  stats(): StorageStats;
  /** True: the file at the path is no longer the file that was opened, because it was moved or replaced. */
  displaced(): boolean;
  /**
   * The time that all processes on this database share, in epoch milliseconds: PostgreSQL's clock, or this machine's
   * clock for SQLite.
   */
  now(): Millis;
  /** Runs verbs in one transaction (see `inOneTransaction`). */
  inOneTransaction<T>(args: OneTransaction, work: (ports: Ports) => Promise<T>): Promise<T>;
  /** Completes the calls that are under way, then closes. */
  close(): Promise<void>;
};

/**
 * Opens the storage without migrating it. Throws a `TypeError` for a URL of an unknown kind, `UnsafeFileMode` for a
 * file that others may read, and `StorageUnavailable` for a file that can't be opened.
 */
export async function openStorage(options: OpenOptions): Promise<Storage> {
  const engine = await openEngine(options);
  const own = ownOf(engine);
  const of = (cause?: Cause): Storage =>
    Object.assign({ ...portsOf(engine, cause), ...own }, { [BECAUSE]: (other: Cause) => of(other) });
  return of();
}

async function openEngine(options: OpenOptions): Promise<Engine> {
  const { url, writer = "thread", readonly = false, onBatch } = options;
  const observed = onBatch === undefined ? {} : { onBatch };
  // Import the driver only if this URL needs it.
  if (isPostgresUrl(url)) return (await import("./postgres/engine.ts")).openPostgres({ url, readonly, ...observed });
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new TypeError("a storage URL begins with sqlite: and names a file, or with postgres:");
  return openSqlite({ path, writer, readonly, ...observed });
}

/** Makes one function for each verb. The type of `aggregates` guarantees that the cast is right. */
function portsOf(engine: Engine, cause?: Cause): Ports {
  const bound = Object.entries(aggregates).map(([aggregate, verbs]) => [
    aggregate,
    Object.fromEntries(
      Object.entries<Verb<never, unknown>>(verbs).map(([name, verb]) => [
        name,
        (args: never) => engine.call(verb, args, cause),
      ]),
    ),
  ]);
  return Object.fromEntries(bound) as Ports;
}

function ownOf(engine: Engine): Omit<Storage, keyof Ports> {
  return {
    migrate: ({ now, reach }) => migrate(engine, now, undefined, reach),
    migrationPlan: () => planMigrations(engine),
    migrationStatus: () => migrationStatus(engine),
    state: () => engine.reading(async (tx) => stateOf(await tx.all(selectStates))),
    noteAccessTtl: ({ ttl, now }) => noteAccessTtl(engine, ttl, now),
    // Only commands use these functions, so they are imported on demand.
    endAllBefore: async ({ now, keepConsents }) =>
      (await import("./end-all-after-restore.ts")).endAllBefore(engine, now, keepConsents),
    exportTo: async ({ file, now }) => (await import("./move/export.ts")).exportDatabase(engine, file, now),
    importFrom: async ({ file }) => (await import("./move/import.ts")).importDatabase(engine, file),
    beforeImport: async ({ file }) => (await import("./move/import.ts")).beforeImport(engine, file),
    replaceFrom: async (args) => (await import("./move/import.ts")).replaceDatabase(engine, args),
    inOneTransaction: async (args, work) => (await import("./one-transaction.ts")).inOneTransaction(engine, args, work),
    inventory: async () => (await import("./record-counts.ts")).inventory(engine),
    markForInspection: () => engine.exclusively((tx) => writeState(tx, STATES.inspection, true)),
    stats: () => engine.stats(),
    displaced: () => engine.displaced(),
    now: () => engine.now(),
    close: () => engine.close(),
  };
}
