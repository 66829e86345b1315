/** Moves to another database: exports all data into a file, and imports the file into an empty database. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import { refuseUnready } from "../storage/database-state.ts";
import type { Exported } from "../storage/move/export.ts";
import { NotAnExport } from "../storage/move/export-file.ts";
import { type Imported, ImportRefused } from "../storage/move/import.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { maskedUrl } from "../storage/postgres/database-url.ts";
import { refuse } from "./admin-error.ts";
import { refuseMissing, refuseUnmade } from "./context.ts";

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
  return refuse("taken", null, `${target} exists already: choose another name`);
}

/**
 * Fills the configured empty database, and compares it with the file. If this is interrupted, the same call continues;
 * no server starts on the database before it is done. Throws `unknown`, `invalid` if the file is no complete export of
 * this schema, `conflict` if the database is not empty or differs in the end.
 */
export async function importFromFile(config: Config, file: string, now: Millis): Promise<Imported> {
  const source = resolve(file);
  if (!existsSync(source)) refuse("unknown", null, `there is no file ${source}`);
  refuseMissing(config);
  prepareDataDir(config);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    await refuseUnmade(storage, config);
    await storage.migrate({ now, reach: "contract" });
    return await storage.importFrom({ file: source });
  } catch (error) {
    if (error instanceof NotAnExport) refuse("invalid", null, error.message);
    if (!(error instanceof ImportRefused)) throw error;
    const { filled } = error;
    return refuse("conflict", null, filled === null ? error.message : await notEmpty(storage, config, filled));
  } finally {
    await storage.close();
  }
}

/**
 * The refusal of a database with data. An import over data would bring back what was revoked since the export, so it
 * leaves the decision about the old data to the operator.
 */
async function notEmpty(storage: Pick<Storage, "inventory">, config: Config, table: string): Promise<string> {
  const path = databaseFile(config);
  const { people, companies, clients, grants } = await storage.inventory();
  const holds = `people: ${people}, companies: ${companies}, clients: ${clients}, live grants: ${grants}`;
  const [place, own] =
    path === undefined
      ? [maskedUrl(config.databaseUrl), "create an empty database, set ASSENT_DATABASE_URL to it"]
      : [path, "set ASSENT_DATA_DIR (or ASSENT_DATABASE_URL) to a new place"];
  return `the database at ${place} isn't empty (${table} has rows; ${holds}). Import replaces no data, so nothing was changed: ${own}, run assent db migrate, and then this import. To put an earlier state of this database back, use a backup (docs/operate/backup.md)`;
}
