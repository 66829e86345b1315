import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StorageUnavailable, UnsafeFileMode } from "../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { aKey, NOW } from "./support/record-builders.ts";

let directory: string;
let path: string;
const open: Storage[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-file-"));
  path = join(directory, "assent.db");
});
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close();
  await rm(directory, { recursive: true });
});

async function opened(options: Partial<Parameters<typeof openStorage>[0]> = {}): Promise<Storage> {
  const storage = await openStorage({ url: `sqlite:${path}`, ...options });
  open.push(storage);
  return storage;
}

test.each(["", "assent.db", "sqlite:", "postgres://localhost/assent", "mysql://x"])("URL %j → refused", async (url) => {
  await expect(openStorage({ url })).rejects.toThrow(TypeError);
});

test.each(["", "-wal", "-shm"])("a file that others may read (%s) → refused, and says which", async (suffix) => {
  await writeFile(`${path}${suffix}`, "", { mode: 0o600 });
  await chmod(`${path}${suffix}`, 0o640);
  await expect(opened()).rejects.toThrow(UnsafeFileMode);
  await expect(opened()).rejects.toThrow(`${path}${suffix} has mode 0640`);
});

test("a directory that isn't there → StorageUnavailable", async () => {
  await expect(opened({ url: `sqlite:${join(directory, "no", "assent.db")}` })).rejects.toThrow(StorageUnavailable);
});

test("a file that is no database → StorageUnavailable", async () => {
  await writeFile(path, "not a database, but long enough to look at its header; ".repeat(40), { mode: 0o600 });
  await expect(opened()).rejects.toThrow(StorageUnavailable);
});

test.each(["thread", "main"] as const)(
  "created → database, log and index are their owner's alone (%s)",
  async (writer) => {
    const storage = await opened({ writer });
    await storage.migrate({ now: NOW });
    await storage.keys.add({ key: aKey() });
    for (const suffix of ["", "-wal", "-shm"]) expect((await stat(`${path}${suffix}`)).mode & 0o777).toBe(0o600);
  },
);

test("closed → the log is folded into the file", async () => {
  const storage = await opened();
  await storage.migrate({ now: NOW });
  await storage.close();
  await expect(stat(`${path}-wal`)).rejects.toThrow("ENOENT");
});

test("reading only → reads what is there, refuses to write, and needs a file", async () => {
  await expect(opened({ readonly: true })).rejects.toThrow(`${path} does not exist`);
  const writing = await opened();
  await writing.migrate({ now: NOW });
  const reading = await opened({ readonly: true });
  await writing.keys.add({ key: aKey() });
  expect(await reading.keys.list()).toHaveLength(1);
  expect((await reading.migrationStatus())[0]?.appliedAt).toBe(NOW);
  await expect(reading.keys.add({ key: aKey() })).rejects.toThrow(StorageUnavailable);
  await writing.close();
  expect(await reading.keys.list()).toHaveLength(1);
});

test.each(["thread"] as const)(
  "another process holds the write lock for too long → StorageUnavailable, nothing written; then it goes on (%s)",
  async (writer) => {
    const storage = await opened({ writer });
    await storage.migrate({ now: NOW });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const waiting = storage.keys.add({ key: aKey() });
    await expect(waiting).rejects.toThrow(StorageUnavailable);
    expect(await storage.keys.list()).toEqual([]);
    other.exec("ROLLBACK");
    other.close();
    expect(await storage.keys.add({ key: aKey() })).toBe(true);
  },
);

test("the disk takes no more → StorageUnavailable for all who wait, what was acknowledged is there, and reading goes on", async () => {
  const storage = await opened();
  await storage.migrate({ now: NOW });
  await storage.close();
  const filler = fileURLToPath(new URL("./support/fill-disk-process.ts", import.meta.url));
  // The shell limits the size of files to 2 MiB.
  const child = spawnSync("sh", ["-c", 'ulimit -f 2048; exec "$0" "$@"', process.execPath, filler, `sqlite:${path}`], {
    encoding: "utf8",
  });
  expect(child.stderr).toBe("");
  const told = JSON.parse(child.stdout);
  expect(told).toMatchObject({ error: "StorageUnavailable", others: ["StorageUnavailable", "StorageUnavailable"] });
  expect(told.acknowledged).toBeGreaterThan(3);
  expect(told.readable).toBe(told.acknowledged);
  const again = await opened();
  expect((await again.keys.list()).length).toBeGreaterThanOrEqual(told.acknowledged);
  expect(await again.keys.add({ key: aKey({ serial: 9999 }) })).toBe(true);
});
