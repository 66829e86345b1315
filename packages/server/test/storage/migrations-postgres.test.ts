/** Migrations of a PostgreSQL schema while other programs use it. */

import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../test/support/postgres-database.ts";
import { byTheClock } from "../../../../test/support/timing-test-retries.ts";
import { sql } from "../../src/storage/define-verbs.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { migrate, migrationStatus, planMigrations } from "../../src/storage/migrations/migrate.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { openPostgres, type PostgresEngine } from "../../src/storage/postgres/engine.ts";
import { NOW } from "./support/record-builders.ts";

let database: TestDatabase;
let engine: PostgresEngine;
let client: Client;

beforeEach(async () => {
  database = await aPostgresDatabase("migrated");
  engine = openPostgres({ url: database.url, readonly: false });
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await engine.close();
  await database.drop();
});

const id = migrations.length + 1;
const indexed: Migration = {
  id,
  name: "indexed",
  phase: "expand",
  statements: [
    { kind: "index", name: "logos_by_type", table: "logos", on: sql`(type, created_at)`, unique: true },
    sql`ALTER TABLE logos ADD COLUMN note TEXT`,
  ],
};
const known = [...migrations, indexed];

const validity = async () =>
  (await client.query("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('logos_by_type')")).rows;
const insert = (hash: string, at: number) =>
  client.query("INSERT INTO logos (hash, type, bytes, created_at) VALUES ($1, 'png', '', $2)", [hash, at]);

test("the plan names what it locks, and what of it is online", async () => {
  await insert("a", 1);
  expect(await planMigrations(engine, known)).toMatchObject([
    { step: 1, table: "logos", rows: 1, online: true, locks: expect.stringContaining("CONCURRENTLY") },
    { step: 2, table: "logos", rows: 1, eachRow: false, estimateMs: 0, locks: expect.stringContaining("lock_timeout") },
  ]);
});

test("an index over duplicates → fails and leaves an unusable one; mended, the next run finds that and builds it anew", async () => {
  await insert("a", 1);
  await insert("b", 1);
  await expect(migrate(engine, NOW, known)).rejects.toThrow(/logos_by_type|duplicate/);
  expect(await validity()).toEqual([{ indisvalid: false }]);
  await client.query("DELETE FROM logos WHERE hash = 'b'");
  expect(await migrate(engine, NOW, known)).toEqual(["indexed"]);
  expect(await validity()).toEqual([{ indisvalid: true }]);
  expect((await migrationStatus(engine, known)).at(-1)?.appliedAt).toBe(NOW);
});

test("somebody's transaction has written to the table → the index waits for it, other writers don't wait for the index", async () => {
  await client.query("BEGIN");
  await insert("a", 1);
  const migrating = migrate(engine, NOW, known);
  await sleep(300);
  const other = new Client({ connectionString: database.url, statement_timeout: 1000 });
  await other.connect();
  await other.query("INSERT INTO logos (hash, type, bytes, created_at) VALUES ('b', 'png', '', 2)");
  await client.query("COMMIT");
  expect(await migrating).toEqual(["indexed"]);
  await other.end();
});

test(
  "a table that somebody holds for long → its change gives way to others again and again, and comes in the end",
  byTheClock,
  async () => {
    await migrate(engine, NOW, [...migrations, { ...indexed, statements: indexed.statements.slice(0, 1) }]).catch(
      () => undefined,
    );
    const changing: Migration = {
      ...indexed,
      id: id + 1,
      name: "changing",
      statements: [sql`ALTER TABLE scopes ADD COLUMN note TEXT`],
    };
    await client.query("BEGIN");
    await client.query("SELECT * FROM scopes");
    const before = [...migrations, { ...indexed, statements: indexed.statements.slice(0, 1) }, changing];
    const migrating = migrate(engine, NOW, before);
    const other = new Client({ connectionString: database.url });
    await other.connect();
    let slowest = 0;
    for (let at = 0; at < 20; at += 1) {
      const asked = performance.now();
      await other.query("SELECT * FROM scopes");
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(100);
    }
    await client.query("COMMIT");
    expect(await migrating).toEqual(["changing"]);
    // Statements that wait behind the migration wait no longer than its lock_timeout.
    expect(slowest).toBeLessThan(1900);
    await other.end();
  },
);

test("four processes at once → each step once, all of them done", async () => {
  const engines = Array.from({ length: 4 }, () => openPostgres({ url: database.url, readonly: false }));
  const applied = await Promise.all(engines.map((one) => migrate(one, NOW, known)));
  expect(applied.flat()).toEqual(["indexed"]);
  expect(await validity()).toEqual([{ indisvalid: true }]);
  await Promise.all(engines.map((one) => one.close()));
});
