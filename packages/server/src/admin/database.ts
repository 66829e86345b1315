/** The operator's use-cases for the database as a whole. */

import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import type { DatabaseState } from "../storage/database-state.ts";
import type { MigrationState } from "../storage/migrations/migrate.ts";
import type { PlannedStep } from "../storage/migrations/plan.ts";
import { openStorage } from "../storage/open.ts";
import { isMissing } from "./context.ts";
import { refuseBesideServers, type Waiting } from "./refuse-while-servers-run.ts";
import type { RunningServer } from "./storage.ts";

export interface MigrateOptions extends Pick<Waiting, "waits"> {
  /** True: don't check whether servers run that don't know the new schema. */
  readonly force?: boolean;
}

/**
 * Brings the schema up to date, and creates the database if there is none. Returns the names of the applied migrations.
 * Reach `expand` leaves out migrations that programs of the previous version can't run with; `contract` is refused
 * (`in_use`) while such a server runs. Throws like `openAdmin`.
 */
export async function migrateDatabase(
  config: Config,
  now: Millis,
  reach: "expand" | "contract",
  { force = false, waits }: MigrateOptions = {},
): Promise<readonly string[]> {
  prepareDataDir(config);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    if (reach === "expand") return await storage.migrate({ now, reach });
    // Servers announce that they run in a table that an early expansion creates.
    const expanded = await storage.migrate({ now, reach: "expand" });
    if (!force) await refuseBesideOlder(storage, neededBy(await storage.migrationStatus()), waits);
    return [...expanded, ...(await storage.migrate({ now, reach }))];
  } finally {
    await storage.close();
  }
}

/** The newest migration that a program must know after all of these are applied. Applied ones don't count. */
export function neededBy(migrations: readonly MigrationState[]): number {
  return Math.max(0, ...migrations.filter(({ appliedAt }) => appliedAt === null).map(({ floor }) => floor));
}

/** Throws `in_use` while a server runs whose newest migration is below `floor`. */
export function refuseBesideOlder(
  storage: Parameters<typeof refuseBesideServers>[0],
  floor: number,
  waits?: Waiting["waits"],
): Promise<void> {
  return refuseBesideServers(storage, {
    matters: ({ schema }) => schema < floor,
    ...(waits === undefined ? {} : { waits }),
    remedy: "its version needs what this step removes: upgrade it first",
  });
}

/**
 * The pending migrations, step by step; changes nothing. Empty if there is no database yet: all of it would be created
 * at once.
 */
export async function migrationPlan(config: Config): Promise<readonly PlannedStep[]> {
  if (isMissing(config)) return [];
  const storage = await openStorage({ url: config.databaseUrl, readonly: true });
  try {
    return await storage.migrationPlan();
  } finally {
    await storage.close();
  }
}

export interface DatabaseStatus {
  readonly kind: string;
  /** Null: the database is no file. */
  readonly path: string | null;
  readonly exists: boolean;
  /** Empty if there is no database yet. */
  readonly migrations: readonly MigrationState[];
  /** Null if there is no database yet, or one from before this was recorded. */
  readonly state: DatabaseState | null;
  /** Servers that announce that they run on it. */
  readonly servers: readonly RunningServer[];
}

/** Reads the state and changes nothing. Throws `SchemaMismatch`, `StorageUnavailable`, `UnsafeFileMode`. */
export async function databaseStatus(config: Config): Promise<DatabaseStatus> {
  const path = databaseFile(config) ?? null;
  const kind = config.databaseUrl.split(":", 1)[0] ?? "";
  if (isMissing(config)) return { kind, path, exists: false, migrations: [], state: null, servers: [] };
  const storage = await openStorage({ url: config.databaseUrl, readonly: true });
  try {
    const migrations = await storage.migrationStatus();
    const noted = migrations.some(({ name, appliedAt }) => name === "upkeep" && appliedAt !== null);
    const servers = noted ? await storage.leases.runningServers({ now: storage.now() }) : [];
    return { kind, path, exists: true, migrations, state: noted ? await storage.state() : null, servers };
  } finally {
    await storage.close();
  }
}
