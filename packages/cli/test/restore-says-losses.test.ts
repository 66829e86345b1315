/** `assent db restore` says before what the backup holds, and what is lost that it doesn't have. */

import { chmodSync, copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
const person = (name: string) =>
  at.json(["user", "create", "--username", name, "--email", `${name}@x.test`, "--generate-password"]);
const asked = async (file: string, env: Record<string, string> = {}) => {
  const { code, stderr } = await at.run(["db", "restore", file], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("To continue, add --yes.")]);
  return stderr;
};
const LOST =
  "The command keeps a copy of that database beside it. Everything that was created or changed since the backup is then only in that copy, also passwords and settings: the server no longer has it.";

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await person("alice");
  await person("bob");
  await at.json(["db", "backup", "b.db"]);
});
afterAll(() => at.remove());

test("nothing is counted that is new → what both hold, and that changes are lost", async () => {
  await at.json(["user", "delete", "alice", "--yes"]);
  const told = await asked("b.db");
  expect(told).toContain(
    `${join(at.folder, "b.db")} (2 people, 0 companies, 0 clients, 0 grants, 0 consents, 0 sessions) replaces the database at`,
  );
  expect(told).toContain("assent.db (1 person, 0 companies, 0 clients,");
  expect(told).toContain(`${LOST} People, companies and clients that were deleted since the backup come back.`);
});

test("more people, companies and clients than in the backup, which others may read → how many are lost", async () => {
  chmodSync(join(at.folder, "b.db"), 0o644);
  for (const name of ["carol", "dan", "eve"]) await person(name);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  await at.json(["client", "create", "--name", "TV", "--type", "public", "--redirect-uri", "https://tv.test/cb"]);
  expect(await asked("b.db")).toContain(`${LOST} New since then: at least 2 people, 1 company, 1 client. People,`);
  expect(existsSync(join(at.folder, "b.db-wal"))).toBe(false);
});

test("a backup with a write-ahead log, or in that mode → counted with the log, and no file is left beside it", async () => {
  const [file, copy] = [join(at.folder, "wal.db"), join(at.folder, "copied.db")];
  copyFileSync(join(at.folder, "b.db"), file);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; DELETE FROM people WHERE username = 'bob'");
  for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
  database.close();
  const before = readdirSync(at.folder);
  expect(before).toEqual(expect.arrayContaining(["wal.db", "copied.db", "copied.db-wal"]));
  for (const one of [file, copy]) {
    expect(await asked(one)).toContain(`${one} (1 person, 0 companies,`);
    expect(readdirSync(at.folder)).toEqual(before);
  }
});

test("a backup that can't be counted; no database yet → nothing about losses that nobody knows", async () => {
  const other = new DatabaseSync(join(at.folder, "other.db"));
  other.exec("CREATE TABLE t (a)");
  other.close();
  const told = await asked("other.db");
  expect(told).toContain("other.db (which can't be read) replaces the database at");
  expect(told).toContain(`${LOST} People,`);
  const fresh = await asked("b.db", { ASSENT_DATA_DIR: join(at.folder, "new") });
  expect(fresh).toMatch(/This restores .*b\.db \(2 people, .*\) there\. People,/);
  expect(fresh).not.toMatch(/lost|copy/);
});
