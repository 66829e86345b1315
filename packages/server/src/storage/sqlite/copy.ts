/** Copies of an SQLite file: made while it is written to, checked, and put back. */

import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StorageUnavailable } from "../errors.ts";
import { told } from "./connection.ts";

/** Pages copied before others get a turn of this process's event loop. */
const PAGES = 2000;
const BUSY_TIMEOUT = 5_000;

/**
 * Copies a database into a new file (mode 0600) that needs no log beside it, and checks every page of the copy. Others go on reading and writing: the
 * copy is the database as it was at one moment. Throws `StorageUnavailable`; a target that exists is left alone. Resolves with the copy's size.
 */
export async function copyDatabase(from: string, target: string): Promise<{ readonly bytes: number }> {
  const draft = `${target}.part`;
  try {
    await draftOf(from, draft);
    publish(draft, target);
    syncFolder(target);
  } finally {
    removeDatabase(draft);
  }
  return { bytes: statSync(target).size };
}

/** Gives a file its name. A link, not a rename, where the file system has links: what another put there meanwhile isn't replaced. */
function publish(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code) || existsSync(target)) throw error;
    renameSync(draft, target);
  }
}

/** As `copyDatabase`, over whatever was left there by one that was interrupted. */
export async function draftOf(from: string, draft: string): Promise<void> {
  removeDatabase(draft);
  closeSync(openSync(draft, "wx", 0o600));
  try {
    await copyPages(from, draft);
    check(draft);
  } catch (error) {
    throw told(error);
  }
}

/** Replaces all that a database holds by what another file holds, in one transaction of SQLite's own. */
export async function putBack(from: string, into: string): Promise<void> {
  // A new file is nobody else's from its first byte on.
  closeSync(openSync(into, "a", 0o600));
  try {
    await copyPages(from, into);
  } catch (error) {
    throw told(error);
  }
  chmodSync(into, 0o600);
}

/** The open transaction keeps the pages as they are: without it, a write by another process would begin the copy anew. */
async function copyPages(from: string, into: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT });
  try {
    source.exec("BEGIN");
    source.prepare("PRAGMA schema_version").get();
    await backup(source, into, { rate: PAGES });
  } finally {
    if (source.isTransaction) source.exec("COMMIT");
    source.close();
  }
}

/** Folds the copy into one file and reads all of it. */
function check(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = DELETE");
    const found = database.prepare("PRAGMA integrity_check").all();
    if (found.length !== 1 || found[0]?.["integrity_check"] !== "ok") {
      const first = String(found[0]?.["integrity_check"]).slice(0, 200);
      throw new StorageUnavailable(`${path} is damaged: ${first}`);
    }
  } finally {
    database.close();
  }
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Moves a database and what SQLite keeps beside it under another name, as it is: for one that is too damaged to be copied. */
export function moveAside(path: string, aside: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
}

/** SQLite's codes for a file that it can't make sense of. */
const DAMAGED = [11, 26];

/**
 * False: another process has the database open, be it a server, a command or a shell. Leaving the write-ahead log takes the file for oneself alone, which
 * SQLite grants by the system's own locks: they end with their process, however it ends.
 */
export function isAlone(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return database.prepare("PRAGMA journal_mode = DELETE").get()?.["journal_mode"] === "delete";
  } catch (error) {
    const { errcode = 0 } = error as { readonly errcode?: number };
    if ((errcode & 0xff) === 5) return false;
    // Nothing can run on it.
    if (DAMAGED.includes(errcode & 0xff)) return true;
    throw told(error);
  } finally {
    database.close();
  }
}

/** The file and what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
}

/** A name is on the disk when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
