/** Moves to another database: exports all data into a file, and imports the file into an empty database. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import { refuseUnready } from "../storage/database-state.ts";
import type { Exported } from "../storage/move/export.ts";
import { NotAnExport } from "../storage/move/export-file.ts";
import { type Imported, ImportRefused } from "../storage/move/import.ts";
import { openStorage } from "../storage/open.ts";
import { refuseMissing, refuseUnmade } from "./context.ts";
import { refuse } from "./problem.ts";

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
    if (error instanceof ImportRefused) refuse("conflict", null, error.message);
    throw error;
  } finally {
    await storage.close();
  }
}
