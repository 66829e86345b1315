/** Opens the storage that a URL names. */

import type { Millis } from "../oauth/model.ts";
import { aggregates, type Ports } from "./aggregates.ts";
import { type DatabaseState, STATES, selectStates, stateOf, writeState } from "./database-state.ts";
import type { Ended } from "./epoch.ts";
import { type MigrationState, migrate, migrationStatus, planMigrations, type Reach } from "./migrations/migrate.ts";
import type { PlannedStep } from "./migrations/plan.ts";
import type { Exported } from "./move/export.ts";
import type { Imported } from "./move/import.ts";
import { isPostgresUrl } from "./postgres/address.ts";
import type { PostgresEngine, PostgresStats } from "./postgres/engine.ts";
import type { Verb } from "./sql.ts";
import { openSqlite, type SqliteEngine, type SqliteStats } from "./sqlite/engine.ts";

export interface OpenOptions {
  /** `sqlite:<path>` or `postgres://user:password@host:port/database`, several hosts separated by commas. */
  readonly url: string;
  /** SQLite: where writes run. Default `thread`. */
  readonly writer?: "thread" | "main";
  /** Default false. */
  readonly readonly?: boolean;
  /** Told of each group of writes when it is over: how many verbs, how many milliseconds. */
  readonly onBatch?: (size: number, milliseconds: number) => void;
}

/** Groups of verbs, verbs in them, verbs that wait for one; SQLite: writer threads started; PostgreSQL: connections made. */
export type StorageStats = Pick<SqliteStats, "batches" | "verbs" | "waiting"> & Partial<SqliteStats & PostgresStats>;

type Engine = SqliteEngine | PostgresEngine;

/** The three ports on one database. Verbs need the schema: call `migrate` before the first one. */
export type Storage = Ports & {
  /** Applies what is missing of the schema, as far as `reach` says (default `start`); the names of what was applied. Throws `SchemaMismatch`. */
  migrate(args: { readonly now: Millis; readonly reach?: Reach }): Promise<readonly string[]>;
  /** What is missing, step by step, with rows, locks and an estimate. Throws `SchemaMismatch`. */
  migrationPlan(): Promise<readonly PlannedStep[]>;
  /** Every migration that this program has, and when it was applied. Throws `SchemaMismatch`. */
  migrationStatus(): Promise<readonly MigrationState[]>;
  /** What the database knows of itself. */
  state(): Promise<DatabaseState>;
  /** After it was put back: ends all that could since have been revoked (see `endAllBefore`). */
  endAllBefore(args: { readonly now: Millis; readonly keepConsents: boolean }): Promise<Ended>;
  /** Writes all that it holds into a new file (see `exportDatabase`). */
  exportTo(args: { readonly file: string; readonly now: Millis }): Promise<Exported>;
  /** Takes all that a file holds, empty as it is (see `importDatabase`). */
  importFrom(args: { readonly file: string }): Promise<Imported>;
  /** Marks it as a copy that is looked at and never served. */
  markForInspection(): Promise<void>;
  stats(): StorageStats;
  /** True: the database is not any more where it was opened (a file that was moved or replaced). */
  displaced(): boolean;
  /** The time that all who share this database go by, epoch milliseconds: PostgreSQL's clock, or this machine's. */
  now(): Millis;
  /** Answers what was asked before, then closes. */
  close(): Promise<void>;
};

/**
 * Opens, without migrating. Throws a `TypeError` for a URL of an unknown kind, `UnsafeFileMode` for a file that others may read,
 * `StorageUnavailable` for one that can't be opened.
 */
export async function openStorage(options: OpenOptions): Promise<Storage> {
  const engine = await openEngine(options);
  return { ...portsOf(engine), ...ownOf(engine) };
}

async function openEngine(options: OpenOptions): Promise<Engine> {
  const { url, writer = "thread", readonly = false, onBatch } = options;
  const observed = onBatch === undefined ? {} : { onBatch };
  // The driver is loaded by those who need it.
  if (isPostgresUrl(url)) return (await import("./postgres/engine.ts")).openPostgres({ url, readonly, ...observed });
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new TypeError("a storage URL begins with sqlite: and names a file, or with postgres:");
  return openSqlite({ path, writer, readonly, ...observed });
}

/** One function for each verb; the type of `aggregates` is what makes the cast true. */
function portsOf(engine: Engine): Ports {
  const bound = Object.entries(aggregates).map(([aggregate, verbs]) => [
    aggregate,
    Object.fromEntries(
      Object.entries<Verb<never, unknown>>(verbs).map(([name, verb]) => [
        name,
        (args: never) => engine.call(verb, args),
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
    // No server needs these: commands load them.
    endAllBefore: async ({ now, keepConsents }) => (await import("./epoch.ts")).endAllBefore(engine, now, keepConsents),
    exportTo: async ({ file, now }) => (await import("./move/export.ts")).exportDatabase(engine, file, now),
    importFrom: async ({ file }) => (await import("./move/import.ts")).importDatabase(engine, file),
    markForInspection: () => engine.exclusively((tx) => writeState(tx, STATES.inspection, true)),
    stats: () => engine.stats(),
    displaced: () => engine.displaced(),
    now: () => engine.now(),
    close: () => engine.close(),
  };
}
