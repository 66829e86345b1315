/** Commands on the database are killed before each of their statements. Running them again gives the same result. */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aCommandHost, type CommandHost } from "../../packages/cli/test/support/run-command.ts";
import { migrations } from "../../packages/server/src/storage/migrations/index.ts";
import { migrate } from "../../packages/server/src/storage/migrations/migrate.ts";
import { openStorage, type Storage } from "../../packages/server/src/storage/open.ts";
import { openPostgres } from "../../packages/server/src/storage/postgres/engine.ts";
import { openSqlite } from "../../packages/server/src/storage/sqlite/engine.ts";
import { OWN_TABLES, TABLES } from "../../packages/server/src/storage/tables.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { aLiveGrant, aSession, NOW, statusOf } from "../../packages/server/test/storage/support/record-builders.ts";
import { OF_EVENTS } from "../support/front-channel.ts";
import { aPostgresDatabase } from "../support/postgres-database.ts";
import { MAIN } from "../support/published-packages.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";

/** Of all statements, so many are died before, evenly spread; 10,000 is each of them. */
const POINTS = cyclesOf(4, 3);
const root = join(import.meta.dirname, "..", "..");

let folder: string;
let host: CommandHost;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-interrupted-"));
  host = aCommandHost(folder, envOf(folder));
});
afterAll(() => {
  host.end();
  rmSync(folder, { recursive: true, force: true });
});

const envOf = (dataDir: string) => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  HOME: folder,
  ASSENT_DATA_DIR: dataDir,
});

/** A copy of the data directory before the command. */
function copyOf(base: string, name: string): string {
  const dataDir = join(folder, name);
  rmSync(dataDir, { recursive: true, force: true });
  cpSync(base, dataDir, { recursive: true });
  return dataDir;
}

/** Runs a command in its own process, which dies before that statement; 0: it counts its statements. */
function assent(dataDir: string, args: readonly string[], killAt: number, more: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, ["--import", join(root, "test/support/kill-process-at.ts"), MAIN, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...envOf(dataDir), ASSENT_TEST_KILL_AT: String(killAt), ...more },
  });
}

/** The whole database without times and the log of events, which has tests of its own: schema, rows, migrations. */
function fingerprint(dataDir: string): string {
  const database = new DatabaseSync(join(dataDir, "assent.db"));
  const hash = createHash("sha256");
  const add = (rows: readonly unknown[]) => hash.update(JSON.stringify(rows));
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  add(database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all());
  add(database.prepare("SELECT id, name, checksum, floor FROM migrations ORDER BY id").all());
  const named = [...TABLES.map((table) => table.name), ...OWN_TABLES.filter((own) => own !== "migrations")];
  for (const name of named.filter((one) => !OF_EVENTS.includes(one))) {
    const rows = database.prepare(`SELECT * FROM ${name}`).all();
    // Leaves out times and counts of this run.
    add(
      rows
        .map((row) =>
          JSON.stringify(row).replace(
            /"(ended_at|collect_at|revoked_at|updated_at|at)":\d+|"entry_id":"[^"]*"|\\"(at|count)\\":\d+/g,
            "",
          ),
        )
        .sort(),
    );
  }
  database.close();
  return hash.digest("hex");
}

/**
 * Kills the command before statements that are spread over all of it. Returns the number of kills. `again` does what an
 * operator does next.
 */
async function everyPoint(
  base: string,
  args: readonly string[],
  again: (dataDir: string) => Promise<void>,
): Promise<number> {
  const whole = copyOf(base, "whole");
  const lived = assent(whole, args, 0);
  expect(lived.status, lived.stderr).toBe(0);
  const statements = Number(/statements: (\d+)/.exec(lived.stderr)?.[1]);
  const wanted = fingerprint(whole);
  const step = Math.max(1, Math.ceil(statements / POINTS));
  let killed = 0;
  for (let at = 1 + (killed % step); at <= statements; at += step) {
    const dataDir = copyOf(base, "killed");
    const died = assent(dataDir, args, at);
    expect(died.signal, `statement ${at}: ${died.stderr}`).toBe("SIGKILL");
    await again(dataDir);
    expect(fingerprint(dataDir), `killed before statement ${at}`).toBe(wanted);
    killed += 1;
  }
  const command = args.slice(0, args[0] === "db" ? 2 : 1).join(" ");
  figure("REL-17", `assent ${command} killed at ${killed} of its ${statements} statements`, { "differ afterwards": 0 });
  return killed;
}

/** Runs a command to its end. */
const run =
  (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  async (dataDir: string) => {
    const done = await host.run({ args, env: { ...envOf(dataDir), ...more }, input: "", terminal: false });
    expect(done.code, done.stderr).toBe(0);
  };

async function aBase(name: string, fill: (storage: Storage) => Promise<void>): Promise<string> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { mode: 0o700 });
  const storage = await openStorage({ url: `sqlite:${join(dataDir, "assent.db")}`, writer: "main" });
  await storage.migrate({ now: NOW });
  await fill(storage);
  await storage.close();
  return dataDir;
}

test("REL-17: db migrate, from the first schema with people in it", { timeout: 60_000 + POINTS * 4000 }, async () => {
  const base = join(folder, "old");
  mkdirSync(base, { mode: 0o700 });
  const engine = await openSqlite({ path: join(base, "assent.db"), writer: "main", readonly: false });
  await migrate(engine, NOW, migrations.slice(0, 1));
  await engine.close();
  const file = new DatabaseSync(join(base, "assent.db"));
  file.exec(`INSERT INTO people (partition, person_id, username, email, status, password_hash, must_change_password, operator, created_at, updated_at)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    SELECT i % 1024, 'p' || i, 'u' || i, 'e' || i, 'active', 'x', 0, '[]', i, i FROM n`);
  file.close();
  const args = ["db", "migrate", "--contract"];
  expect(await everyPoint(base, args, run(args))).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});

test("import: the killed process's rows stay, the next one goes on behind them", {
  timeout: 60_000 + POINTS * 4000,
}, async () => {
  const source = await aBase("source", async (storage) => {
    for (let at = 0; at < 30; at += 1) await aLiveGrant(storage);
  });
  const exported = join(folder, "all.jsonl");
  await run(["export", exported])(source);
  const empty = await aBase("empty", async () => undefined);
  const args = ["import", exported];
  expect(await everyPoint(empty, args, run(args))).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});

const removeReplaced = (dataDir: string) => execFileSync("find", [dataDir, "-name", "*.replaced-*", "-delete"]);

test("import over data: the old data stands, or the whole of the new", {
  timeout: 60_000 + POINTS * 8000,
}, async () => {
  const source = await aBase("replacing", async (storage) => {
    for (let at = 0; at < 30; at += 1) await aLiveGrant(storage);
  });
  const exported = join(folder, "replacing.jsonl");
  await run(["export", exported])(source);
  const base = await aBase("replaced", async (storage) => {
    const { person } = await aLiveGrant(storage);
    await storage.sessions.create(aSession(person));
  });
  const old = fingerprint(base);
  const args = ["import", exported, "--yes"];
  const whole = copyOf(base, "whole replaced");
  await run(args)(whole);
  const states = [old, fingerprint(whole)];
  const killed = await everyPoint(base, args, async (dataDir) => {
    expect(states).toContain(fingerprint(dataDir));
    removeReplaced(dataDir);
    await run(args)(dataDir);
  });
  expect(killed).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});

test("import over data on PostgreSQL: the old data stands, or the whole of the new", {
  timeout: 120_000 + POINTS * 12_000,
}, async () => {
  const source = await aBase("for postgres", async (storage) => {
    for (let at = 0; at < 30; at += 1) await aLiveGrant(storage);
  });
  const exported = join(folder, "for postgres.jsonl");
  await run(["export", exported])(source);
  const dataDir = join(folder, "beside postgres");
  mkdirSync(dataDir, { mode: 0o700 });
  const secret = Buffer.alloc(32, 1).toString("base64");
  /** Kills the import. Returns the content of the database. */
  const replaced = async (killAt: number) => {
    const database = await aPostgresDatabase();
    try {
      const storage = await openStorage({ url: database.url });
      const { grant } = await aLiveGrant(storage);
      const env = { ASSENT_DATABASE_URL: database.url, ASSENT_SECRET: secret };
      const first = assent(dataDir, ["import", exported, "--yes"], killAt, env);
      // The number of messages to PostgreSQL differs a little between runs, so the last kill may come too late.
      if (first.signal === null) expect(first.status, first.stderr).toBe(0);
      const { people, grants } = await storage.inventory();
      const state = await storage.state();
      const own = await statusOf(storage, grant);
      await storage.close();
      const left = JSON.stringify({ people, grants, own: own?.status, epochs: state.epoch?.count ?? 0 });
      return {
        left,
        signal: first.signal,
        importing: state.importing,
        writes: Number(/statements: (\d+)/.exec(first.stderr)?.[1]),
      };
    } finally {
      await database.drop();
    }
  };
  const { left, writes } = await replaced(0);
  expect(JSON.parse(left)).toEqual({ people: 30, grants: 0, epochs: 1 });
  const old = JSON.stringify({ people: 1, grants: 1, own: "active", epochs: 0 });
  const step = Math.max(1, Math.ceil(writes / POINTS));
  let killed = 0;
  for (let at = 2; at < writes; at += step) {
    const found = await replaced(at);
    expect([old, left], `killed before message ${at}`).toContain(found.left);
    expect(found.importing).toBe(false);
    if (found.signal === "SIGKILL") killed += 1;
  }
  figure("REL-17", `assent import over data on PostgreSQL killed at ${killed} of its ${writes} messages`, {
    "neither old nor new": 0,
  });
  expect(killed).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});

test("restore and epoch: what was there before stands, or the whole of the new", {
  timeout: 120_000 + POINTS * 8000,
}, async () => {
  const base = await aBase("serving", async (storage) => {
    for (let at = 0; at < 5; at += 1) {
      const { person } = await aLiveGrant(storage);
      await storage.sessions.create(aSession(person));
    }
  });
  const backup = join(folder, "backup.db");
  await run(["db", "backup", backup])(base);
  const restore = ["db", "restore", backup, "--yes"];
  await everyPoint(base, restore, async (dataDir) => {
    removeReplaced(dataDir);
    await run(restore)(dataDir);
  });
  await everyPoint(base, ["db", "epoch"], run(["db", "epoch"]));
});

test("backup: killed in the middle → no file of that name, and none in the way of the next one", async () => {
  const base = await aBase("to back up", async (storage) => {
    const { grant } = await aLiveGrant(storage);
    expect((await statusOf(storage, grant))?.status).toBe("active");
  });
  const target = join(folder, "killed backup.db");
  for (const at of [1, 2, 3]) {
    const died = assent(base, ["db", "backup", target], at);
    expect(died.signal).toBe("SIGKILL");
    expect(() => writeFileSync(target, "", { flag: "r+" })).toThrow(/ENOENT/);
  }
  await run(["db", "backup", target])(base);
});

/** Tables, columns, indexes and applied migrations. */
async function schemaOf(url: string): Promise<string> {
  const rows = [
    await byHand(url, [
      "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position",
    ]),
    await byHand(url, [
      "SELECT indexdef, indisvalid FROM pg_indexes JOIN pg_index ON indexrelid = CAST(quote_ident(indexname) AS regclass) WHERE schemaname = 'public' ORDER BY 1",
    ]),
    await byHand(url, ["SELECT id, name, checksum, floor FROM migrations ORDER BY id"]),
    await byHand(url, ["SELECT * FROM migration_steps"]),
    await byHand(url, ["SELECT * FROM people ORDER BY person_id"]),
  ];
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}

test("REL-17: db migrate on PostgreSQL", { timeout: 120_000 + POINTS * 10_000 }, async () => {
  const dataDir = join(folder, "nothing");
  mkdirSync(dataDir, { mode: 0o700 });
  const args = ["db", "migrate", "--contract"];
  const secret = Buffer.alloc(32, 1).toString("base64");
  /** Starts with the first schema and some people. Returns the state after the killed process and the next one. */
  const migrated = async (killAt: number) => {
    const database = await aPostgresDatabase("empty");
    try {
      const engine = openPostgres({ url: database.url, readonly: false });
      await migrate(engine, NOW, migrations.slice(0, 1));
      await engine.close();
      await byHand(database.url, [
        `INSERT INTO people (partition, person_id, username, email, status, password_hash, must_change_password, operator, created_at, updated_at)
          SELECT i % 1024, 'p' || i, 'u' || i, 'e' || i, 'active', 'x', 0, '[]', i, i FROM generate_series(1, 50) AS i`,
      ]);
      const env = { ASSENT_DATABASE_URL: database.url, ASSENT_SECRET: secret };
      const first = assent(dataDir, args, killAt, env);
      if (killAt > 0) {
        expect(first.signal, first.stderr).toBe("SIGKILL");
        await run(args, env)(dataDir);
      }
      return { schema: await schemaOf(database.url), writes: Number(/statements: (\d+)/.exec(first.stderr)?.[1]) };
    } finally {
      await database.drop();
    }
  };
  const { schema, writes } = await migrated(0);
  const step = Math.max(1, Math.ceil(writes / POINTS));
  let killed = 0;
  for (let at = 2; at < writes; at += step) {
    expect((await migrated(at)).schema, `killed before message ${at}`).toBe(schema);
    killed += 1;
  }
  figure("REL-17", `assent db migrate on PostgreSQL killed at ${killed} of its ${writes} messages`, {
    "differ afterwards": 0,
  });
  expect(killed).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});

test("AP-09 apply: the old configuration stands, or the whole of the new", {
  timeout: 60_000 + POINTS * 8000,
}, async () => {
  const scopes = (from: number, to: number, text: string) =>
    Array.from({ length: to - from }, (_, at) => `  scope-${from + at}:\n    description: ${text} ${from + at}\n`).join(
      "",
    );
  const head = "version: 1\nname: test\nresources:\n  https://api.test:\n    name: ";
  const [before, after] = [join(folder, "before.yaml"), join(folder, "after.yaml")];
  writeFileSync(before, `${head}Old\nscopes:\n${scopes(0, 10, "Old")}`);
  writeFileSync(after, `${head}New\nscopes:\n${scopes(5, 15, "New")}`);
  const base = await aBase("configured", async () => undefined);
  await run(["apply", "-f", before])(base);
  const old = fingerprint(base);
  const args = ["apply", "-f", after];
  const whole = copyOf(base, "whole configured");
  await run(args)(whole);
  const states = [old, fingerprint(whole)];
  expect(states[0]).not.toBe(states[1]);
  const killed = await everyPoint(base, args, async (dataDir) => {
    expect(states).toContain(fingerprint(dataDir));
    await run(args)(dataDir);
  });
  expect(killed).toBeGreaterThanOrEqual(Math.min(POINTS, 4));
});
