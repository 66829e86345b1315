/** `assent db …`, `export`, `import`: output and exit codes. */

import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../server/src/storage/migrations/index.ts";
import { aWorkspace, aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["user", "create", "--username", "alice", "--email", "alice@example.com", "--generate-password"]);
  await at.json(["export", "early.jsonl"]);
  writeFileSync(join(at.folder, "text.db"), "no database");
});
afterAll(() => at.remove());

const PASTS = [
  ["db", "backup"],
  ["db", "restore"],
  ["db", "restore", "x", "--keep-consents", "--for-inspection"],
  ["db", "migrate", "now"],
  ["export"],
  ["import"],
  ["import", "a", "b"],
] as const;

test.each(PASTS.map((args) => [args.join(" "), args] as const))("assent %s → wrong usage, 2", async (_, args) => {
  const { code, stdout, stderr } = await at.run(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: .+\n$/);
});

describe("what can't be done → 1, one line that says what to do", () => {
  test.each([
    [["db", "restore", "nowhere.db"], /there is no backup at/],
    [["import", "nowhere.jsonl"], /there is no file at/],
    [["db", "backup", "data/assent.db"], /already exists: choose another name/],
    [["db", "backup", "nowhere/b.db"], /there is no directory .*nowhere: create it first/],
    [["export", "data/assent.db"], /already exists/],
    [
      ["import", "data/assent.db"],
      /\/data\/assent\.db is an SQLite database, not an export: if it is a backup, run: assent db restore data\/assent\.db/,
    ],
    [
      ["db", "restore", "early.jsonl"],
      /\/early\.jsonl is an export, not a backup: to import it, run: assent import early\.jsonl/,
    ],
    [["import", "text.db"], /\/text\.db: the file is cut off/],
  ] as const)("%j", async (args, problem) => {
    const { code, stdout, stderr } = await at.run(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(problem);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("a configuration that names PostgreSQL → backup and restore lead to its own tools", async () => {
    const env = {
      ASSENT_DATABASE_URL: "postgres://u@127.0.0.1:1/x",
      ASSENT_SECRET: Buffer.alloc(32, 1).toString("base64"),
    };
    for (const verb of ["backup", "restore"]) {
      const { code, stderr } = await at.run(["db", verb, "x.db"], { env });
      expect(code).toBe(1);
      expect(stderr).toContain("assent db epoch");
    }
  });
});

test("backup, restore, epoch: each says what it did; the old database is kept", { timeout: 60_000 }, async () => {
  const made = await at.json(["db", "backup", "b.db"]);
  expect(made).toEqual({ file: join(at.folder, "b.db"), bytes: statSync(join(at.folder, "b.db")).size });
  const restored = await at.run(["db", "restore", "b.db", "--yes"]);
  expect([restored.code, restored.stdout]).toEqual([0, `Restored ${join(at.dataDir, "assent.db")}.\n`]);
  expect(restored.stderr).toMatch(/The previous database is in .*\.replaced-\d{8}T\d{6}Z/);
  expect(restored.stderr).toContain("and disabled people and clients are as they were at the backup");
  expect(restored.stderr).toMatch(
    /Ended with the replaced data: 0 grants, 0 consents and 0 sessions\.\nEnded in the data of the backup: 0/,
  );
  expect(restored.stderr).toMatch(/People, companies and clients that were deleted since the backup are back\./);
  expect(await at.json(["db", "epoch", "--keep-consents"])).toEqual({
    ended: {
      ...{ grants: 0, consents: 0, sessions: 0, invitations: 0, links: 0, codes: 0 },
      ...{ approvals: 0, connections: 0, tokens: 0 },
    },
  });
  expect(await at.json(["user", "list"])).toHaveLength(1);
});

test("for inspection: commands look, no server starts, no export leaves it", { timeout: 60_000 }, async () => {
  await at.json(["db", "backup", "c.db"]);
  const env = { ASSENT_DATA_DIR: join(at.folder, "drill") };
  expect(await at.json(["db", "restore", "c.db", "--for-inspection"], { env })).toMatchObject({
    replaced: null,
    ended: null,
  });
  expect(await at.json(["user", "list"], { env })).toHaveLength(1);
  for (const args of [["serve"], ["export", "drill.jsonl"]]) {
    const { code, stderr } = await at.run(args, { env });
    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toMatch(/restored for inspection/);
  }
  const doctor = await at.run(["doctor"], { env });
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("restored for inspection")]);
  expect(await at.json(["db", "status"], { env })).toMatchObject({
    for_inspection: true,
    importing: false,
  });
});

test("export and import: counted, verified; done again → said, nothing written", { timeout: 60_000 }, async () => {
  const exported = await at.json<{ rows: Record<string, number>; sha256: string }>(["export", "all.jsonl"]);
  expect(exported.rows).toMatchObject({ people: 1, names: 2 });
  const env = { ASSENT_DATA_DIR: join(at.folder, "moved") };
  expect((await at.run(["import", "all.jsonl"], { env })).code).toBe(1);
  await at.json(["db", "migrate"], { env });
  const done = {
    ...{ rows: exported.rows, resumed: false, unchanged: false },
    ...{ replaced: null, ended: null, verified: true },
  };
  expect(await at.json(["import", "all.jsonl"], { env })).toEqual(done);
  expect(await at.json(["user", "list"], { env })).toHaveLength(1);
  expect(await at.json(["import", "all.jsonl"], { env })).toEqual({ ...done, unchanged: true });
  // Also where the file came from: no earlier import wrote these rows.
  for (const where of [{ env }, {}]) {
    const again = await at.run(["import", "all.jsonl"], where);
    expect([again.code, again.stdout, again.stderr]).toEqual([
      0,
      "Nothing to import: the database already holds exactly the data of this file. Nothing was changed.\n",
      "",
    ]);
  }
  expect(existsSync(join(at.folder, "all.jsonl.part"))).toBe(false);
});

test("an import that was interrupted → said that the second one wrote the rest", async () => {
  await at.json(["export", "part.jsonl"]);
  const env = { ASSENT_DATA_DIR: join(at.folder, "part") };
  await at.json(["db", "migrate"], { env });
  const database = new DatabaseSync(join(env.ASSENT_DATA_DIR, "assent.db"));
  database.exec("CREATE TRIGGER power BEFORE INSERT ON people BEGIN SELECT RAISE(ABORT, 'the power went'); END");
  expect((await at.run(["import", "part.jsonl"], { env })).code).toBe(1);
  database.exec("DROP TRIGGER power");
  database.close();
  const { code, stdout, stderr } = await at.run(["import", "part.jsonl"], { env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Imported \d+ rows\. All tables match the file\.\n$/)]);
  expect(stderr).toBe("An interrupted import had written some of these rows. This import wrote the rest.\n");
});

test("import over data: a process has it open → refused; else replaced, with a copy beside it that restore takes", {
  timeout: 60_000,
}, async () => {
  await at.json(["export", "before.jsonl"]);
  await at.json(["user", "create", "--username", "bob", "--email", "bob@example.com", "--generate-password"]);
  const open = new DatabaseSync(join(at.dataDir, "assent.db"));
  open.prepare("SELECT COUNT(*) FROM people").get();
  const beside = await at.run(["import", "before.jsonl", "--yes"]);
  expect([beside.code, beside.stderr]).toEqual([
    1,
    expect.stringMatching(/nothing was changed: another process uses .*assent\.db/),
  ]);
  open.close();
  expect(await at.json(["user", "list"])).toHaveLength(2);
  const { code, stdout, stderr } = await at.run(["import", "before.jsonl", "--yes"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Imported \d+ rows\. All tables match the file\.\n$/)]);
  // A second copy within the same second has a number at its end.
  const copy = /The previous database is in (.*\.replaced-\d{8}T\d{6}Z(?:-\d+)?)\.$/m.exec(stderr)?.[1] ?? "";
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(stderr).toMatch(/are as they were at the export/);
  expect(await at.json(["user", "list"])).toHaveLength(1);
  await at.json(["db", "restore", copy, "--yes"]);
  expect(await at.json(["user", "list"])).toHaveLength(2);
});

test("gc --dry-run counts and removes nothing; status names each migration's phase", async () => {
  expect(await at.json(["db", "gc", "--dry-run"])).toMatchObject({ grants: 0, sessions: 0, names: 0 });
  const status = await at.json<{ migrations: { phase: string; known: boolean }[] }>(["db", "status"]);
  expect(status.migrations[0]).toMatchObject({ id: 1, phase: "expand", known: true });
});

test("db: status of what isn't there makes nothing; migrate makes it, once; gc", async () => {
  const fresh = aWorkspace();
  try {
    const { code, stdout } = await fresh.run(["db", "status", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ exists: false, migrations: [] })]);
    expect(readdirSync(fresh.folder)).not.toContain("data");
    expect(await fresh.json(["db", "migrate"])).toEqual({
      applied: migrations.map(({ name }) => name),
      waiting: [],
    });
    expect(await fresh.json(["db", "migrate"])).toEqual({ applied: [], waiting: [] });
    expect(await fresh.json(["db", "migrate", "--plan"])).toEqual([]);
    expect(await fresh.json(["db", "status"])).toMatchObject({ exists: true, pending: 0, database: "sqlite" });
    expect(await fresh.json(["db", "gc"])).toEqual({ removed: 0 });
  } finally {
    fresh.remove();
  }
});

test("restore, import and epoch say what companies' admins and operators must do again", {
  timeout: 60_000,
}, async () => {
  const made = ["--type", "public", "--redirect-uri", "https://app.test/cb", "--scope", "profile"];
  const { client_id: printer } = await at.json(["client", "create", "--name", "Printer", ...made]);
  const { client_id: wiki } = await at.json(["client", "create", "--name", "Wiki", ...made]);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  await at.json(["company", "policy", "acme", String(printer), "--rule", "allow"]);
  await at.json(["company", "policy", "acme", String(wiki), "--rule", "block"]);
  await at.json(["admin", "create-token", "--scope", "admin"]);
  await at.json(["db", "backup", "approved.db"]);
  await at.json(["export", "approved.jsonl"]);
  const rules = async () => {
    const { rules: found } = await at.json<{ rules: { client_id: string; rule: string; scope: string }[] }>([
      ...["company", "show", "acme"],
    ]);
    return Object.fromEntries(found.map((one) => [one.client_id, one.rule]));
  };
  const question =
    /owners must give every consent again\. Apps that a company allowed become "on request"\. Members can't use them until an admin allows each again\. .*tokens of the admin API/;
  const approval =
    /^On request now: 1 app that companies allowed or paused\. Members can't use them until an admin allows each again\. .*--rule allow\. Apps that a company blocked in the (backup|export) stay blocked\.$/m;
  const token =
    /^These no longer work: 1 token of the admin API or for registration\. Create new tokens with assent admin create-token/m;
  for (const command of [
    ["db", "restore", "approved.db"],
    ["import", "approved.jsonl"],
  ]) {
    const refused = await at.run(command);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(question)]);
    expect(await rules()).toMatchObject({ [String(wiki)]: "block" });
    const { code, stderr } = await at.run([...command, "--yes"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(approval)]);
    expect(stderr).toMatch(token);
    expect(await rules()).toEqual({ [String(printer)]: "ask", [String(wiki)]: "block" });
  }
  await at.json(["company", "policy", "acme", String(printer), "--rule", "allow"]);
  const kept = await at.run(["db", "epoch", "--keep-consents"]);
  expect(kept.stderr).toMatch(
    /approvals are as they were at the backup: those that were given since then are gone\. Revoke again what was revoked since then\./,
  );
  expect(kept.stderr).not.toMatch(/On request|must give|no longer work/);
  expect(await rules()).toMatchObject({ [String(printer)]: "allow" });
  const asked = await at.run(["db", "epoch"], { input: "n\n", terminal: true });
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(question)]);
  expect(await rules()).toMatchObject({ [String(printer)]: "allow" });
  expect((await at.run(["db", "epoch"])).stderr).toMatch(approval);
  expect(await rules()).toMatchObject({ [String(printer)]: "ask" });
});
