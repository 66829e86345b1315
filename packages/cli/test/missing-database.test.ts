/**
 * A command must not create a database by mistake. In a wrong folder or with a wrong configuration, it says where it
 * looked for the database, and creates no file.
 */

import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPostgresDatabase } from "../../../test/support/postgres-database.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(() => {
  at = aWorkspace();
  writeFileSync(join(at.folder, "all.jsonl"), "{}\n");
  mkdirSync(join(at.folder, "other"));
});
afterAll(() => at.remove());

const COMMANDS: readonly (readonly string[])[] = [
  ["client", "create", "--name", "Printer", "--type", "public", "--redirect-uri", "https://app.test/cb"],
  ["client", "list"],
  ["client", "show", "x"],
  ["client", "delete", "x", "--yes"],
  ["client", "rotate-secret", "x"],
  ["user", "create", "--username", "a", "--email", "a@x.test", "--generate-password"],
  ["user", "list"],
  ["user", "delete", "a", "--yes"],
  ["company", "create", "--name", "Acme", "--slug", "acme"],
  ["company", "list"],
  ["scope", "create", "a", "--description", "See"],
  ["scope", "list"],
  ["resource", "create", "--identifier", "https://api.test", "--name", "Api"],
  ["resource", "list"],
  ["issuer", "list"],
  ["consent", "list"],
  ["receipt", "verify", "-"],
  ["session", "list", "a"],
  ["key", "list"],
  ["key", "rotate"],
  ["key", "retire", "x", "--yes"],
  ["db", "status"],
  ["db", "backup", "b.db"],
  ["db", "epoch"],
  ["db", "gc"],
  ["export", "e.jsonl"],
  ["import", "all.jsonl"],
];

test.each(COMMANDS.map((args) => [args.slice(0, 2).join(" "), args] as const))(
  "assent %s without a database → names the path and what to do, exit code 1, and makes no file and no folder",
  async (_, args) => {
    const before = readdirSync(at.folder);
    const { code, stderr } = await at.run(args);
    expect(stderr).toMatch(/^error: there is no Assent database at [^\n]*\n$/);
    for (const words of [join(at.dataDir, "assent.db"), "ASSENT_DATA_DIR", "--config", "assent db migrate"]) {
      expect(stderr).toContain(words);
    }
    expect(code).toBe(1);
    expect(readdirSync(at.folder)).toEqual(before);
  },
);

test("a backup that isn't there, restored where no database is → nothing is made", async () => {
  const before = readdirSync(at.folder);
  expect((await at.run(["db", "restore", "nowhere.db", "--yes"])).code).toBe(1);
  expect(readdirSync(at.folder)).toEqual(before);
});

test("doctor and a plan of the migration → say that there is none, and make nothing", async () => {
  const before = readdirSync(at.folder);
  const doctor = await at.run(["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`there is no Assent database at ${join(at.dataDir, "assent.db")}`);
  const plan = await at.run(["db", "migrate", "--plan"]);
  expect(plan.stderr).toContain(`There is no database at ${join(at.dataDir, "assent.db")} yet`);
  expect(readdirSync(at.folder)).toEqual(before);
});

test("a data directory without a database, and an empty file → refused, and left as they are", async () => {
  const env = { ASSENT_DATA_DIR: join(at.folder, "other") };
  expect((await at.run(["client", "list"], { env })).code).toBe(1);
  expect(readdirSync(env.ASSENT_DATA_DIR)).toEqual([]);
  const empty = join(env.ASSENT_DATA_DIR, "assent.db");
  writeFileSync(empty, "", { mode: 0o600 });
  const { code, stderr } = await at.run(["client", "list"], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`no Assent database at ${empty}`)]);
  expect(statSync(empty).size).toBe(0);
});

test("another program's database → refused, and gets no table of ours", async () => {
  const path = join(at.folder, "theirs.db");
  const theirs = new DatabaseSync(path);
  theirs.exec("CREATE TABLE notes (text TEXT)");
  theirs.close();
  const env = { ASSENT_DATABASE_URL: `sqlite:${path}`, ASSENT_SECRET: Buffer.alloc(32, 1).toString("base64") };
  // SQLite creates files that everybody can read.
  chmodSync(path, 0o600);
  const { code, stderr } = await at.run(["client", "list"], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`no Assent database at ${path}`)]);
  const after = new DatabaseSync(path, { readOnly: true });
  expect(after.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()).toEqual([{ name: "notes" }]);
  after.close();
});

test("a PostgreSQL database without our tables → refused, without the password, and gets none", async () => {
  const database = await aPostgresDatabase("empty");
  const env = { ASSENT_DATABASE_URL: database.url, ASSENT_SECRET: Buffer.alloc(32, 1).toString("base64") };
  for (const args of [
    ["client", "list"],
    ["db", "epoch"],
    ["export", "pg.jsonl"],
  ]) {
    const { code, stderr } = await at.run(args, { env });
    expect([args, code, stderr]).toEqual([
      args,
      1,
      expect.stringMatching(/^error: there is no Assent database at postgres:/),
    ]);
    expect(stderr).toContain("ASSENT_DATABASE_URL");
  }
  expect(await at.json(["db", "migrate"], { env })).toMatchObject({ waiting: [] });
  expect(await at.json(["client", "list"], { env })).toEqual([]);
  await database.drop();
});

test("--config before or behind the command → that file counts; one that isn't there → refused", async () => {
  const path = join(at.folder, "named.db");
  writeFileSync(join(at.folder, "named.json"), JSON.stringify({ databaseUrl: `sqlite:${path}` }), { mode: 0o600 });
  for (const args of [
    ["--config", "named.json", "client", "list"],
    ["client", "list", "--config", "named.json"],
  ]) {
    const { stderr } = await at.run(args);
    expect(stderr).toContain(`no Assent database at ${path}`);
  }
  const { code, stderr } = await at.run(["client", "list", "--config", "nowhere.json"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("nowhere.json")]);
});
