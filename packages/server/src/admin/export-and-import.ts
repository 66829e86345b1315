/** Moves to another database: exports all data into a file, and imports the file into a database. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import { refuseUnready } from "../storage/database-state.ts";
import type { Ended } from "../storage/end-all-after-restore.ts";
import type { Exported } from "../storage/move/export.ts";
import { type BeforeImport, type Imported, ImportRefused } from "../storage/move/import.ts";
import { NotAnExport } from "../storage/move/read-export-file.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { copyDatabase, isAlone } from "../storage/sqlite/copy-database.ts";
import { refuse } from "./admin-error.ts";
import { kindOfFile, refuseInUse, replacedName } from "./backup.ts";
import { refuseMissing, refuseUnmade } from "./context.ts";
import { refuseBesideServers, type Waiting } from "./refuse-while-servers-run.ts";

/**
 * Writes the database, as it is at one moment, into a new file (mode 0600). Later writes of servers are not in it.
 * Throws `unknown` if there is no database, `taken` if the file exists; `DatabaseNotReady` if no server may run on the
 * database, because one could run on its file.
 */
export async function exportToFile(
  config: Config,
  file: string,
  now: Millis,
): Promise<Exported & { readonly file: string }> {
  const target = resolve(file);
  refuseMissing(config);
  if (existsSync(target)) refuseTaken(target);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    await refuseUnmade(storage, config);
    await storage.migrate({ now });
    refuseUnready(await storage.state(), { serve: true });
    return { file: target, ...(await storage.exportTo({ file: target, now })) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") refuseTaken(target);
    throw error;
  } finally {
    await storage.close();
  }
}

function refuseTaken(target: string): never {
  return refuse("taken", null, `${target} already exists: choose another name`);
}

/**
 * What an import of this file would meet in the configured database. Changes nothing. Throws `unknown`, `invalid` if the
 * file is no complete export of this schema.
 */
export async function checkImport(config: Config, file: string): Promise<BeforeImport> {
  const source = exportAt(file);
  refuseMissing(config);
  const storage = await openStorage({ url: config.databaseUrl, readonly: true });
  try {
    await refuseUnmade(storage, config);
    return await storage.beforeImport({ file: source });
  } catch (error) {
    return refused(error, source);
  } finally {
    await storage.close();
  }
}

/**
 * Fills the configured empty database, and compares it with the file. If this is interrupted, the same call continues;
 * no server starts on the database before it is done. Throws `unknown`, `invalid` if the file is no complete export of
 * this schema, `conflict` if the database is not empty or differs in the end.
 */
export function importFromFile(config: Config, file: string, now: Millis): Promise<Imported> {
  const source = exportAt(file);
  return onDatabase(config, now, (storage) => storage.importFrom({ file: source }));
}

export interface Replaced extends Imported {
  /** The file that keeps the replaced database. Null: the database is no file. */
  readonly replaced: string | null;
  /** What ended in the imported data. */
  readonly ended: Ended;
}

/**
 * Replaces the data of the configured database by the file's, and ends all access in it, like a restore. Keeps a copy of
 * an SQLite database beside it. If this is interrupted, the database holds the old data or the new data. Throws `in_use`
 * while a process has the SQLite file open or a server runs on the PostgreSQL database; otherwise like `importFromFile`.
 */
export async function replaceFromFile(
  config: Config,
  file: string,
  { waits, now }: Pick<Waiting, "waits"> & { readonly now?: Millis } = {},
): Promise<Replaced> {
  const source = exportAt(file);
  refuseMissing(config);
  const database = databaseFile(config);
  if (database !== undefined && !isAlone(database)) refuseInUse(database);
  const work = async (storage: Storage) => {
    // The database's own time, after it was read, because everything that servers issue is compared with it.
    const at = now ?? storage.now();
    if (database === undefined) return { ...(await storage.replaceFrom({ file: source, now: at })), replaced: null };
    const replaced = replacedName(database, at);
    const setAside = async () => {
      await copyDatabase(database, replaced);
    };
    return { ...(await storage.replaceFrom({ file: source, now: at, setAside })), replaced };
  };
  return onDatabase(config, now ?? Date.now(), work, async (storage) => {
    if (database !== undefined) return;
    await refuseBesideServers(storage, { ...(waits === undefined ? {} : { waits }), remedy: "stop it first" });
  });
}

function exportAt(file: string): string {
  const source = resolve(file);
  if (!existsSync(source)) refuse("unknown", null, `there is no file at ${source}`);
  if (kindOfFile(source) === "backup")
    refuse(
      "invalid",
      null,
      `${source} is an SQLite database, not an export: if it is a backup, run: assent db restore ${file}`,
    );
  return source;
}

/**
 * Opens the database, brings its whole schema up to date, and closes it after the work. `check` runs before the changes
 * that servers of the previous version can't run with.
 */
async function onDatabase<T>(
  config: Config,
  now: Millis,
  work: (storage: Storage) => Promise<T>,
  check: (storage: Storage) => Promise<void> = async () => undefined,
): Promise<T> {
  refuseMissing(config);
  prepareDataDir(config);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    await refuseUnmade(storage, config);
    await storage.migrate({ now, reach: "expand" });
    await check(storage);
    await storage.migrate({ now, reach: "contract" });
    return await work(storage);
  } catch (error) {
    return refused(error);
  } finally {
    await storage.close();
  }
}

/** Reports a refused file or database to the operator. Throws other errors as they are. */
function refused(error: unknown, source?: string): never {
  if (error instanceof NotAnExport)
    refuse("invalid", null, source === undefined ? error.message : `${source}: ${error.message}`);
  if (error instanceof ImportRefused) refuse("conflict", null, error.message);
  throw error;
}
