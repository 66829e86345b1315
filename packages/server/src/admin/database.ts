/** What an operator does with the database as a whole. */

import { existsSync } from "node:fs";
import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import type { MigrationState } from "../storage/migrations/migrate.ts";
import type { PlannedStep } from "../storage/migrations/plan.ts";
import { openStorage } from "../storage/open.ts";
import type { DatabaseState } from "../storage/state.ts";

/**
 * Brings the schema up to date, making the database where there is none; the names of what was applied. Reach `expand` leaves out what programs of
 * the version before could not live with. Throws as `openAdmin` does.
 */
export async function migrateDatabase(
  config: Config,
  now: Millis,
  reach: "expand" | "contract",
): Promise<readonly string[]> {
  prepareDataDir(config);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    return await storage.migrate({ now, reach });
  } finally {
    await storage.close();
  }
}

/** What is pending, step by step; changes nothing. Empty where there is no database yet: all of it would be made at once. */
export async function migrationPlan(config: Config): Promise<readonly PlannedStep[]> {
  const path = databaseFile(config);
  if (path !== undefined && !existsSync(path)) return [];
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
}

/** Looks, and changes nothing. Throws `SchemaMismatch`, `StorageUnavailable`, `UnsafeFileMode`. */
export async function databaseStatus(config: Config): Promise<DatabaseStatus> {
  const path = databaseFile(config) ?? null;
  const kind = config.databaseUrl.split(":", 1)[0] ?? "";
  if (path !== null && !existsSync(path)) return { kind, path, exists: false, migrations: [], state: null };
  const storage = await openStorage({ url: config.databaseUrl, readonly: true });
  try {
    const migrations = await storage.migrationStatus();
    const noted = migrations.some(({ name, appliedAt }) => name === "upkeep" && appliedAt !== null);
    return { kind, path, exists: true, migrations, state: noted ? await storage.state() : null };
  } finally {
    await storage.close();
  }
}
