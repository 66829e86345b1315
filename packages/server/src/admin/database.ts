/** What an operator does with the database as a whole. */

import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import type { DatabaseState } from "../storage/database-state.ts";
import type { MigrationState } from "../storage/migrations/migrate.ts";
import type { PlannedStep } from "../storage/migrations/plan.ts";
import { openStorage } from "../storage/open.ts";
import { isMissing } from "./context.ts";
import { refuseBesideServers, type Waiting } from "./running.ts";
import type { RunningServer } from "./storage.ts";

export interface MigrateOptions extends Pick<Waiting, "waits"> {
  /** Servers that don't know the new schema aren't looked for. */
  readonly force?: boolean;
}

/**
 * Brings the schema up to date, making the database where there is none; the names of what was applied. Reach `expand` leaves out what programs of
 * the version before could not live with; `contract` is refused (`in_use`) while a server runs that could not. Throws as `openAdmin` does.
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
    // What servers say of themselves is in a table that an early expansion makes.
    const expanded = await storage.migrate({ now, reach: "expand" });
    if (!force) await refuseBesideOlder(storage, neededBy(await storage.migrationStatus()), waits);
    return [...expanded, ...(await storage.migrate({ now, reach }))];
  } finally {
    await storage.close();
  }
}

/** The newest migration that a program must know once all of these are applied; of what is applied already nothing is asked. */
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
    remedy: "its version needs what this would take away: replace it by the new version first",
  });
}

/** What is pending, step by step; changes nothing. Empty where there is no database yet: all of it would be made at once. */
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
  /** Null: it is no file. */
  readonly path: string | null;
  readonly exists: boolean;
  /** Empty where there is no database yet. */
  readonly migrations: readonly MigrationState[];
  /** Null where there is no database yet, or one of before this was noted. */
  readonly state: DatabaseState | null;
  /** Servers that say that they run on it. */
  readonly servers: readonly RunningServer[];
}

/** Looks, and changes nothing. Throws `SchemaMismatch`, `StorageUnavailable`, `UnsafeFileMode`. */
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
