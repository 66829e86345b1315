import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SchemaMismatch } from "../../src/storage/errors.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { migrate, migrationStatus } from "../../src/storage/migrations/migrate.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { openStorage } from "../../src/storage/open.ts";
import { sql } from "../../src/storage/sql.ts";
import { openSqlite, type SqliteEngine } from "../../src/storage/sqlite/engine.ts";
import { NOW } from "./support/builders.ts";

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
const next: Migration = { id: nextId, name: "second", statements: [sql`CREATE TABLE second (id INTEGER)`] };

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
    /migration \d+ \(second\).*other statements/,
  );
});

test("the database is newer than the program → refused, and says so", async () => {
  await migrate(engine, NOW, [...migrations, next]);
  await expect(migrate(engine, NOW)).rejects.toThrow(SchemaMismatch);
  await expect(migrate(engine, NOW)).rejects.toThrow(/migration \d+ \(second\).*newer version/);
});

test("a migration that fails half-way → nothing of it stays, nor of those before it", async () => {
  const broken: Migration = {
    id: nextId,
    name: "broken",
    statements: [sql`CREATE TABLE half (id INTEGER)`, sql`INSERT INTO nowhere VALUES (1)`],
  };
  await expect(migrate(engine, NOW, [...migrations, broken])).rejects.toThrow(/nowhere/);
  expect(tables()).toEqual([]);
  expect(await migrate(engine, NOW)).toEqual(migrations.map(({ name }) => name));
});

test("an empty file → status shows all as missing and writes nothing; migrated → all applied, once", async () => {
  expect(await migrationStatus(engine)).toEqual(migrations.map(({ id, name }) => ({ id, name, appliedAt: null })));
  expect(tables()).toEqual([]);
  expect(await migrate(engine, NOW)).toEqual(migrations.map(({ name }) => name));
  expect(await migrate(engine, NOW + 1)).toEqual([]);
  expect(await migrationStatus(engine)).toEqual(migrations.map(({ id, name }) => ({ id, name, appliedAt: NOW })));
});

test("a later version adds what is new, beside a server that runs", async () => {
  const storage = await openStorage({ url: `sqlite:${path}` });
  await storage.migrate({ now: NOW });
  await storage.ping();
  expect(await migrate(engine, NOW + 1, [...migrations, next])).toEqual(["second"]);
  await storage.ping();
  expect(await storage.listScopes()).toEqual([]);
  await storage.close();
});

test("the numbers rise by one from 1", () => {
  expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, at) => at + 1));
});

test("10 processes start on an empty file → one schema, and all go on", async () => {
  await engine.close();
  await rm(path);
  const file = fileURLToPath(new URL("./support/starter.ts", import.meta.url));
  const children = Array.from({ length: 10 }, () => fork(file, [`sqlite:${path}`], { execArgv: [] }));
  const applied = await Promise.all(children.map(async (child) => (await once(child, "message"))[0]));
  expect(applied.filter((names) => names.length > 0)).toEqual([migrations.map(({ name }) => name)]);
  engine = await openSqlite({ path, writer: "main", readonly: false });
  expect((await migrationStatus(engine)).every(({ appliedAt }) => appliedAt !== null)).toBe(true);
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
