/** `assent db restore` says before what the backup holds, and what is lost that it doesn't have. */

import { chmodSync, existsSync } from "node:fs";
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
const LOST = "Everything that was created or changed since the backup is lost, also passwords and settings.";

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
  expect(told).toContain(
    `beside it. ${LOST} People, companies and clients that were deleted since the backup come back.`,
  );
});

test("more people, companies and clients than in the backup, which others may read → how many are lost", async () => {
  chmodSync(join(at.folder, "b.db"), 0o644);
  for (const name of ["carol", "dan", "eve"]) await person(name);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  await at.json(["client", "create", "--name", "TV", "--type", "public", "--redirect-uri", "https://tv.test/cb"]);
  expect(await asked("b.db")).toContain(`${LOST} New since then: at least 2 people, 1 company, 1 client. People,`);
  expect(existsSync(join(at.folder, "b.db-wal"))).toBe(false);
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
  expect(fresh).not.toContain("lost");
});
