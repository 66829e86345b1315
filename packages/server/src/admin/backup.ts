/** Backup and restore: a copy made while servers run, and a restore that brings no ended access back. */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../config.ts";
import { databaseFile, prepareDataDir } from "../data-dir.ts";
import type { Millis } from "../oauth/model.ts";
import { type Ended, NOTHING_ENDED, sumOfEnded } from "../storage/end-all-after-restore.ts";
import { StorageUnavailable } from "../storage/errors.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { type Inventory, inventory } from "../storage/record-counts.ts";
import {
  copyDatabase,
  draftOf,
  isAlone,
  moveAside,
  putBack,
  readUnchanged,
  removeDatabase,
} from "../storage/sqlite/copy-database.ts";
import { refuse } from "./admin-error.ts";
import { refuseMissing, refuseUnmade } from "./context.ts";
import { refuseBesideServers, type Waiting } from "./refuse-while-servers-run.ts";

export interface BackedUp {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Copies the database into a new file while servers write to it, and checks the copy page by page. Throws `unknown` if
 * there is no database, `taken` if the file exists, `invalid` if the database is no file; `StorageUnavailable`.
 */
export async function backupDatabase(config: Config, file: string): Promise<BackedUp> {
  const database = fileOf(config);
  const target = resolve(file);
  refuseMissing(config);
  if (existsSync(target)) refuse("taken", null, `${target} already exists: choose another name`);
  if (!existsSync(dirname(target)))
    refuse("unknown", null, `there is no directory ${dirname(target)}: create it first`);
  return { file: target, ...(await copyDatabase(database, target)) };
}

export interface RestoreOptions {
  /** For practice: nothing ends, the database must not exist yet, and no server will run on it. */
  readonly forInspection: boolean;
  /** The operator confirms that no owner has revoked a consent since the backup. */
  readonly keepConsents: boolean;
}

export interface Restored {
  readonly database: string;
  /** The file that keeps the replaced database. Null: there was none. */
  readonly replaced: string | null;
  /** Null: it was restored for inspection. */
  readonly ended: Ended | null;
}

/**
 * Replaces the database by a backup. First it brings the backup's schema up to date and, unless it is for inspection,
 * ends every grant, session and active consent in it. So nothing that was revoked, rotated or spent since the backup
 * works again. The replaced database is kept beside. If this is interrupted, either the old or the new database is in
 * place. Throws `in_use` while any process has the database open, `unknown`, `invalid`, `taken`; `SchemaMismatch` for a
 * backup of a newer version; `StorageUnavailable` for a damaged one.
 */
export async function restoreDatabase(
  config: Config,
  file: string,
  { forInspection, keepConsents }: RestoreOptions,
  now: Millis,
): Promise<Restored> {
  const { database, source } = refuseRestore(config, file, { forInspection });
  prepareDataDir(config);
  const there = existsSync(database);
  if (there && !isAlone(database)) refuseInUse(database);
  const draft = `${database}.restoring`;
  try {
    await draftOf(source, draft);
    const ended = await prepared(draft, source, { forInspection, keepConsents }, now);
    const replaced = there ? replacedName(database, now) : null;
    if (replaced !== null) await keep(database, replaced);
    if (existsSync(database) && !isAlone(database)) refuseInUse(database);
    await putBack(draft, database);
    return { database, replaced, ended };
  } finally {
    removeDatabase(draft);
  }
}

/**
 * Throws what a restore would throw, as far as this can be checked before anything is opened. So the operator is not
 * asked about a restore that can't work.
 */
export function refuseRestore(
  config: Config,
  file: string,
  { forInspection }: Pick<RestoreOptions, "forInspection">,
): { readonly database: string; readonly source: string } {
  const database = fileOf(config);
  const source = resolve(file);
  if (!existsSync(source)) refuse("unknown", null, `there is no backup at ${source}`);
  const kind = kindOfFile(source);
  if (kind === undefined) refuse("invalid", null, `${source} is no backup: it is not a database of SQLite`);
  if (kind === "export")
    refuse("invalid", null, `${source} is an export, not a backup: to import it, run: assent import ${file}`);
  if (forInspection && existsSync(database)) {
    refuse("taken", null, `${database} already exists: to inspect a backup, set ASSENT_DATA_DIR to another directory`);
  }
  return { database, source };
}

/**
 * Counts what a backup holds, and leaves no file beside it. `unreadable`: it is damaged, has an old schema, or belongs to
 * another program.
 */
export async function inventoryOfBackup(source: string): Promise<Inventory | "unreadable"> {
  try {
    return await readUnchanged(source, (connection) => inventory({ reading: (work) => work(connection) }));
  } catch {
    return "unreadable";
  }
}

/** What the first bytes of a file say. A backup is an SQLite database. */
export function kindOfFile(path: string): "backup" | "export" | undefined {
  const start = Buffer.alloc(17);
  const file = openSync(path, "r");
  try {
    const text = start.toString("latin1", 0, readSync(file, start));
    if (text.startsWith("SQLite format 3\0")) return "backup";
    return text.startsWith('{"assent_export":') ? "export" : undefined;
  } finally {
    closeSync(file);
  }
}

/** A damaged database can't be copied, so it is moved as it is. */
async function keep(database: string, aside: string): Promise<void> {
  try {
    await copyDatabase(database, aside);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    moveAside(database, aside);
  }
}

/** The copy as servers will use it. */
async function prepared(
  draft: string,
  source: string,
  { forInspection, keepConsents }: RestoreOptions,
  now: Millis,
): Promise<Ended | null> {
  const storage = await openStorage({ url: `sqlite:${draft}`, writer: "main" });
  try {
    const states = await storage.migrationStatus();
    if (states.every(({ appliedAt }) => appliedAt === null)) {
      refuse("invalid", null, `${source} is not an Assent database`);
    }
    await storage.migrate({ now, reach: "contract" });
    if (!forInspection) return await endAll(storage, now, keepConsents);
    await storage.markForInspection();
    return null;
  } finally {
    await storage.close();
    isAlone(draft);
  }
}

export interface EpochOptions extends Pick<RestoreOptions, "keepConsents">, Pick<Waiting, "waits"> {
  /** True: don't check whether servers run. */
  readonly force?: boolean;
}

/**
 * For a database that other tools restored (`pg_restore`, recovery to a point in time, a copied file): ends the same
 * access as `restoreDatabase`. Throws `in_use` if a server runs on it. Otherwise throws like `openAdmin`.
 */
export async function beginEpoch(
  config: Config,
  { keepConsents, force = false, waits }: EpochOptions,
  given?: Millis,
): Promise<Ended> {
  refuseMissing(config);
  prepareDataDir(config);
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  try {
    await refuseUnmade(storage, config);
    await storage.migrate({ now: given ?? storage.now(), reach: "expand" });
    const told = waits === undefined ? {} : { waits };
    if (!force) await refuseBesideServers(storage, { ...told, remedy: "stop it first" });
    // The database's own time, after it was read, because everything that servers issue is compared with it.
    return await endAll(storage, given ?? storage.now(), keepConsents);
  } finally {
    await storage.close();
  }
}

/** Finishes an interrupted run first: it may have kept consents that this one does not keep. */
async function endAll(storage: Storage, now: Millis, keepConsents: boolean): Promise<Ended> {
  const interrupted = (await storage.state()).epoch?.done === false;
  const before = interrupted ? await storage.endAllBefore({ now, keepConsents }) : NOTHING_ENDED;
  return sumOfEnded(before, await storage.endAllBefore({ now, keepConsents }));
}

export function refuseInUse(database: string): never {
  return refuse(
    "in_use",
    null,
    `nothing was changed: another process uses ${database} (a server, a command, a database shell); stop it first`,
  );
}

function fileOf(config: Config): string {
  const database = databaseFile(config);
  return (
    database ??
    refuse(
      "invalid",
      null,
      "for PostgreSQL, use PostgreSQL's own tools (docs/operate/backup.md); after a recovery, run assent db epoch",
    )
  );
}

/** The name of the file that keeps a database which is replaced at `now`. No file has it yet. */
export function replacedName(database: string, now: Millis): string {
  const name = `${database}.replaced-${new Date(now).toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "")}`;
  let free = name;
  for (let more = 2; existsSync(free); more += 1) free = `${name}-${more}`;
  return free;
}
