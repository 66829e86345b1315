import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sql } from "../../src/storage/define-verbs.ts";
import { SchemaMismatch } from "../../src/storage/errors.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { migrate, migrationStatus, planMigrations } from "../../src/storage/migrations/migrate.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { described, SMALL } from "../../src/storage/migrations/plan.ts";
import { openStorage } from "../../src/storage/open.ts";
import { openSqlite, type SqliteEngine } from "../../src/storage/sqlite/engine.ts";
import { NOW } from "./support/record-builders.ts";

let directory: string;
let path: string;
let engine: SqliteEngine;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-migrations-"));
  path = join(directory, "assent.db");
  engine = await openSqlite({ path, writer: "main", readonly: false });
});
afterEach(async () => {
  await engine.close();
  await rm(directory, { recursive: true });
});

const nextId = migrations.length + 1;
const next: Migration = {
  id: nextId,
  name: "second",
  phase: "expand",
  statements: [sql`CREATE TABLE second (id INTEGER)`],
};

const states = (appliedAt: number | null) =>
  migrations.map(({ id, name, phase }) => ({ id, name, phase, floor: 0, appliedAt, known: true }));

function tables(): readonly unknown[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  database.close();
  return rows.map(({ name }) => name);
}

test("an applied migration was changed since → refused, and says so", async () => {
  await migrate(engine, NOW, [...migrations, next]);
  const changed = { ...next, statements: [sql`CREATE TABLE second (id TEXT)`] };
  await expect(migrate(engine, NOW, [...migrations, changed])).rejects.toThrow(SchemaMismatch);
  await expect(migrationStatus(engine, [...migrations, changed])).rejects.toThrow(
    /migration \d+ \(second\).*differs from the one in this version/,
  );
});

test("a newer version took away what this one needs → refused, and says so", async () => {
  const contract: Migration = { ...next, phase: "contract", floor: nextId };
  await migrate(engine, NOW, [...migrations, contract]);
  await expect(migrate(engine, NOW)).rejects.toThrow(SchemaMismatch);
  await expect(migrate(engine, NOW)).rejects.toThrow(/migration \d+ \(second\).*newer version, which removed/);
});

test("a newer version took away what only older ones needed → this one goes on beside it", async () => {
  await migrate(engine, NOW, [...migrations, { ...next, phase: "contract", floor: migrations.length }]);
  expect(await migrate(engine, NOW)).toEqual([]);
});

test("a newer version added something → this one goes on beside it, and status tells of it", async () => {
  await migrate(engine, NOW, [...migrations, next]);
  expect(await migrate(engine, NOW)).toEqual([]);
  expect((await migrationStatus(engine)).at(-1)).toEqual({
    id: nextId,
    name: "second",
    phase: "expand",
    floor: 0,
    appliedAt: NOW,
    known: false,
  });
});

test("a database of before there were phases, one of its migrations unknown → refused; all known → goes on, and is noted", async () => {
  await migrate(engine, NOW, [...migrations, next]);
  const database = new DatabaseSync(path);
  database.exec("DROP TABLE migration_steps; ALTER TABLE migrations DROP COLUMN floor");
  database.close();
  await expect(migrate(engine, NOW)).rejects.toThrow(/newer version/);
  const third: Migration = {
    ...next,
    id: nextId + 1,
    name: "third",
    statements: [sql`CREATE TABLE third (id INTEGER)`],
  };
  expect(await migrate(engine, NOW, [...migrations, next, third])).toEqual(["third"]);
  expect(tables()).toContain("migration_steps");
});

test("a contract step → a start leaves it, and so does expand; it is applied when that is said", async () => {
  await migrate(engine, NOW);
  const contract: Migration = { ...next, phase: "contract", floor: nextId };
  const later: Migration = {
    ...next,
    id: nextId + 1,
    name: "later",
    statements: [sql`CREATE TABLE later (id INTEGER)`],
  };
  const known = [...migrations, contract, later];
  expect(await migrate(engine, NOW, known)).toEqual(["later"]);
  expect(await migrate(engine, NOW, known, "expand")).toEqual([]);
  expect(await migrate(engine, NOW, known, "contract")).toEqual(["second"]);
});

test("a start finds more rows to touch than it should → refused, names the command; the command does it", async () => {
  await migrate(engine, NOW);
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO scopes (name, record) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${SMALL})
    SELECT 'scope-' || i, '{}' FROM n`);
  database.close();
  const large: Migration = { ...next, statements: [sql`CREATE INDEX scopes_by_record ON scopes (record)`] };
  const known = [...migrations, large];
  await expect(migrate(engine, NOW, known)).rejects.toThrow(/migration \d+ \(second\).*assent db migrate/);
  expect(await planMigrations(engine, known)).toMatchObject([
    { migration: nextId, phase: "expand", step: 1, table: "scopes", rows: SMALL + 1, eachRow: true },
  ]);
  expect((await planMigrations(engine, known))[0]?.estimateMs).toBeGreaterThan(0);
  expect(await migrate(engine, NOW, known, "expand")).toEqual(["second"]);
});

/** Moves the names of scopes to a table of their own. */
const moving: Migration = {
  id: nextId,
  name: "moving",
  phase: "expand",
  statements: [
    sql`CREATE TABLE moved (name TEXT PRIMARY KEY, batch INTEGER)`,
    {
      kind: "batches",
      what: "copies each name",
      table: "scopes",
      async batch(tx, after, limit) {
        const rows = await tx.all(sql`SELECT name FROM scopes WHERE name > :after ORDER BY name LIMIT :limit`, {
          after: after ?? "",
          limit,
        });
        for (const { name } of rows) await tx.run(sql`INSERT INTO moved (name) VALUES (:name)`, { name: name ?? null });
        return { after: rows.length < limit ? null : String(rows.at(-1)?.["name"]), rows: rows.length };
      },
    },
    { kind: "index", name: "moved_by_batch", table: "moved", on: sql`(batch)` },
  ],
};

test("rows are moved in batches: interrupted in the middle, it goes on behind the last one", async () => {
  await migrate(engine, NOW);
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO scopes (name, record) WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 4499)
    SELECT 'scope-' || i, '{}' FROM n`);
  let batches = 0;
  const [table, step, index] = moving.statements;
  if (table === undefined || step === undefined || index === undefined || !("batch" in step))
    throw new Error("no batches");
  const failing: Migration = {
    ...moving,
    statements: [
      table,
      {
        ...step,
        async batch(tx, after, limit) {
          batches += 1;
          if (batches === 3) throw new Error("the power went");
          return step.batch(tx, after, limit);
        },
      },
      index,
    ],
  };
  await expect(migrate(engine, NOW, [...migrations, failing])).rejects.toThrow("the power went");
  expect(database.prepare("SELECT COUNT(*) AS n FROM moved").get()).toEqual({ n: 2000 });
  expect(await migrate(engine, NOW, [...migrations, moving])).toEqual(["moving"]);
  expect(database.prepare("SELECT COUNT(*) AS n FROM moved").get()).toEqual({ n: 3500 });
  expect(database.prepare("SELECT COUNT(*) AS n FROM migration_steps").get()).toEqual({ n: 0 });
  database.close();
  expect((await migrationStatus(engine, [...migrations, moving])).at(-1)?.appliedAt).toBe(NOW);
});

test("the same on an empty database → one transaction with all else", async () => {
  expect(await migrate(engine, NOW, [...migrations, moving])).toContain("moving");
  expect(tables()).toContain("moved");
});

test("every statement of every migration is one that the plan can tell of", () => {
  for (const { statements } of migrations) for (const step of statements) described(step, engine.dialect);
  expect(() => described(sql`VACUUM`, engine.dialect)).toThrow(/unknown kind/);
});

test("a migration that fails half-way → nothing of it stays; on an empty database, nothing of those before it", async () => {
  const broken: Migration = {
    id: nextId,
    name: "broken",
    phase: "expand",
    statements: [sql`CREATE TABLE half (id INTEGER)`, sql`INSERT INTO nowhere VALUES (1)`],
  };
  await expect(migrate(engine, NOW, [...migrations, broken])).rejects.toThrow(/nowhere/);
  expect(tables()).toEqual([]);
  expect(await migrate(engine, NOW)).toEqual(migrations.map(({ name }) => name));
});

test("an empty file → status shows all as missing and writes nothing; migrated → all applied, once", async () => {
  expect(await migrationStatus(engine)).toEqual(states(null));
  expect(tables()).toEqual([]);
  expect(await migrate(engine, NOW)).toEqual(migrations.map(({ name }) => name));
  expect(await migrate(engine, NOW + 1)).toEqual([]);
  expect(await migrationStatus(engine)).toEqual(states(NOW));
});

test("a later version adds what is new, beside a server that runs", async () => {
  const storage = await openStorage({ url: `sqlite:${path}` });
  await storage.migrate({ now: NOW });
  await storage.catalog.ping();
  expect(await migrate(engine, NOW + 1, [...migrations, next])).toEqual(["second"]);
  await storage.catalog.ping();
  expect(await storage.scopes.list()).toEqual([]);
  await storage.close();
});

test("the numbers rise by one from 1", () => {
  expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, at) => at + 1));
});

test("10 processes start on an empty file → one schema, and all go on", async () => {
  await engine.close();
  await rm(path);
  const file = fileURLToPath(new URL("./support/migrate-on-start-process.ts", import.meta.url));
  const children = Array.from({ length: 10 }, () => fork(file, [`sqlite:${path}`], { execArgv: [] }));
  const applied = await Promise.all(children.map(async (child) => (await once(child, "message"))[0]));
  expect(applied.filter((names) => names.length > 0)).toEqual([migrations.map(({ name }) => name)]);
  engine = await openSqlite({ path, writer: "main", readonly: false });
  expect((await migrationStatus(engine)).every(({ appliedAt }) => appliedAt !== null)).toBe(true);
});

test("consents are no uses any more → the time of a consent on a page goes; that of a password, or of a later use, stays", async () => {
  const at = migrations.findIndex(({ name }) => name === "introspected");
  await migrate(engine, NOW, migrations.slice(0, at));
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    `INSERT INTO consents (partition, owner_id, client_id, status, granted_by, via, scopes, created_at, updated_at, last_used_at, uses, shown)
      VALUES (?, 'owner', ?, 'active', 'owner', ?, '[]', 7, 7, ?, 1, '{}')`,
  );
  for (let each = 0; each < 2500; each += 1) insert.run(each % 1024, `never-${each}`, "browser", 7);
  insert.run(3, "later", "browser", 8);
  insert.run(3, "typed", "password", 7);
  await migrate(engine, NOW, migrations.slice(0, at + 1));
  const rows = database.prepare("SELECT client_id, last_used_at FROM consents WHERE last_used_at IS NOT NULL").all();
  const [{ gone } = {}] = database.prepare("SELECT COUNT(*) AS gone FROM consents WHERE last_used_at IS NULL").all();
  database.close();
  expect(rows.map((row) => Object.values(row)).sort()).toEqual([
    ["later", 8],
    ["typed", 7],
  ]);
  expect(gone).toBe(2500);
});

test("the operator can end ways back → addresses that were left before the upgrade still have theirs", async () => {
  const at = migrations.findIndex(({ name }) => name === "ended ways back");
  await migrate(engine, NOW, migrations.slice(0, at));
  const database = new DatabaseSync(path);
  const insert = "INSERT INTO former_addresses (partition, person_id, address, since, until) VALUES (0, ?, ?, NULL, 7)";
  database.prepare(insert).run("before", "before@x.test");
  await migrate(engine, NOW, migrations.slice(0, at + 1));
  // A server of the previous version continues beside this one.
  database.prepare(insert).run("beside", "beside@x.test");
  const rows = database.prepare("SELECT person_id, ended FROM former_addresses ORDER BY person_id").all();
  database.close();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["before", 0],
    ["beside", 0],
  ]);
});

test("addresses become verifiable → those of people with a password are, since the account was made; others aren't", async () => {
  const at = migrations.findIndex(({ name }) => name === "verified email");
  await migrate(engine, NOW, migrations.slice(0, at));
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    `INSERT INTO people (partition, person_id, username, email, status, password_hash, must_change_password, operator, created_at, updated_at)
      VALUES (0, ?, ?, ?, 'active', ?, 0, '[]', 7, 7)`,
  );
  insert.run("typed", "typed", "typed@x.test", "$argon2id$");
  insert.run("asserted", "asserted", "asserted@x.test", null);
  await migrate(engine, NOW, migrations.slice(0, at + 1));
  const rows = database.prepare("SELECT person_id, email_verified_at FROM people ORDER BY person_id").all();
  database.close();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["asserted", null],
    ["typed", 7],
  ]);
});
