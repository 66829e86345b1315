/** Copies of an SQLite file: made while others write to it, checked, and restored. */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StorageUnavailable } from "../errors.ts";
import { Connection, told } from "./connection.ts";

/** Number of pages copied before the event loop of this process gets a turn. */
const PAGES = 2000;
const BUSY_TIMEOUT = 5_000;

/**
 * Copies a database into a new file (mode 0600) that needs no log beside it, and checks every page of the copy. Others
 * can read and write meanwhile: the copy is the database at one moment. Resolves with the copy's size. Throws
 * `StorageUnavailable`. Never changes a target that exists.
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

/**
 * Gives a file its name. If the file system has links, it uses a link instead of a rename, so that it never replaces a
 * file that another process made meanwhile.
 */
function publish(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code) || existsSync(target)) throw error;
    renameSync(draft, target);
  }
}

/** Like `copyDatabase`, but overwrites the rest of an interrupted copy. */
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

/** Replaces the whole content of a database by that of another file, in one transaction of SQLite. */
export async function putBack(from: string, into: string): Promise<void> {
  // Other users must not be able to read the new file from its first byte on.
  closeSync(openSync(into, "a", 0o600));
  try {
    await copyPages(from, into);
  } catch (error) {
    throw told(error);
  }
  chmodSync(into, 0o600);
}

/**
 * The open transaction keeps the pages as they are. Without it, a write by another process would start the copy again.
 */
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

/**
 * Reads a database that nobody writes. Leaves no file beside it, and needs no permission to write there. SQLite reads an
 * immutable file without its logs, so a database that has one is read in a temporary copy.
 */
export async function readUnchanged<T>(path: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const logs = ["-wal", "-journal"].filter(
    (end) => (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  if (logs.length === 0) {
    const file = pathToFileURL(path);
    file.searchParams.set("immutable", "1");
    return reading(file, work);
  }
  const folder = mkdtempSync(join(tmpdir(), "assent-backup-"));
  try {
    const copy = join(folder, "copy.db");
    for (const end of ["", ...logs]) copyFileSync(`${path}${end}`, `${copy}${end}`);
    return await reading(copy, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reading<T>(file: string | URL, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection(file, { readOnly: true });
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** Writes the log into the file and reads all of it. */
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

/** Renames a database and the files that SQLite keeps beside it: for a database that is too damaged to copy. */
export function moveAside(path: string, aside: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
}

/** SQLite's codes for a file that it can't read. */
const DAMAGED = [11, 26];

/**
 * False: another process has the database open, for example a server, a command or a shell. The function checks this by
 * leaving the write-ahead log, which needs the file for this process alone. SQLite uses the system's own locks for
 * that, which end with their process, however it ends.
 */
export function isAlone(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return database.prepare("PRAGMA journal_mode = DELETE").get()?.["journal_mode"] === "delete";
  } catch (error) {
    const { errcode = 0 } = error as { readonly errcode?: number };
    if ((errcode & 0xff) === 5) return false;
    // No process can run on it.
    if (DAMAGED.includes(errcode & 0xff)) return true;
    throw told(error);
  } finally {
    database.close();
  }
}

/** Deletes the file and the files that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
}

/** A file's name is safe on the disk only after its folder was written. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
