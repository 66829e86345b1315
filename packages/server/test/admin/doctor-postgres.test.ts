import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../test/support/postgres-database.ts";
import { findingsFrom } from "../../src/admin/doctor-postgres.ts";
import { diagnose, type Finding } from "../../src/admin/index.ts";
import { configOf } from "../../src/config.ts";
import type { ServerFacts } from "../../src/storage/postgres/inspect-server.ts";

const good: ServerFacts = {
  address: "db.example:5432",
  version: 17,
  readOnly: false,
  standby: false,
  encrypted: true,
  encoding: "UTF8",
  synchronousCommit: "on",
  fsync: true,
  localAhead: 3,
  superuser: false,
  mayCreate: true,
  maxConnections: 100,
  ownConnections: 12,
};

describe("what is judged", () => {
  test.each<[string, Partial<ServerFacts>, Finding["status"], RegExp]>([
    ["PostgreSQL 14", { version: 14 }, "broken", /needs PostgreSQL 15 or newer/],
    ["PostgreSQL 19", { version: 19 }, "note", /newest tested version is/],
    ["a standby", { readOnly: true, standby: true }, "broken", /a standby, and no other host/],
    ["read-only", { readOnly: true }, "broken", /default_transaction_read_only/],
    ["another encoding", { encoding: "SQL_ASCII" }, "broken", /SQL_ASCII: create a new database with UTF8/],
    ["fsync off", { fsync: false }, "warning", /power failure/],
    ["synchronous_commit off", { synchronousCommit: "off" }, "warning", /turns it on for its own connections/],
    ["synchronous_commit local", { synchronousCommit: "local" }, "warning", /standby takes over/],
    ["our clock 5 minutes ahead", { localAhead: 300_000 }, "warning", /300 s ahead of/],
    ["our clock behind", { localAhead: -60_000 }, "warning", /60 s behind/],
    ["a superuser", { superuser: true }, "warning", /superuser/],
    ["no right to make tables", { mayCreate: false }, "note", /assent db migrate/],
    [
      "more connections than allowed",
      { maxConnections: 20 },
      "warning",
      /up to 12 connections, but the server allows 20/,
    ],
  ])("%s → said", (_, facts, status, detail) => {
    expect(findingsFrom({ ...good, ...facts }, 1)).toContainEqual({
      check: "database",
      status,
      detail: expect.stringMatching(detail),
    });
  });

  test("nothing wrong → one line", () => {
    expect(findingsFrom(good, 1)).toEqual([
      { check: "database", status: "ok", detail: "PostgreSQL 17 at db.example:5432, read-write, TLS" },
    ]);
  });

  test("eight processes → their connections together", () => {
    expect(findingsFrom(good, 8)).toContainEqual(
      expect.objectContaining({ status: "warning", detail: expect.stringContaining("96") }),
    );
  });
});

describe("doctor on a real server", () => {
  let database: TestDatabase;
  let dataDir: string;
  beforeEach(async () => {
    database = await aPostgresDatabase();
    dataDir = mkdtempSync(join(tmpdir(), "assent-doctor-"));
  });
  afterEach(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });
  const look = (databaseUrl: string) =>
    diagnose(
      async () => configOf({ dataDir, databaseUrl, secret: [Buffer.alloc(32, 1)], issuer: "http://localhost:9" }),
      "26.12.1",
      Date.now(),
    );

  test("one that answers → its version, its clock, and what its set-up lacks; no password is shown", async () => {
    const url = database.url.replace("assent@", "assent:hunter2@");
    const { ok, findings, configuration } = await look(url);
    expect(ok).toBe(true);
    const details = findings
      .filter(({ check }) => check === "database")
      .map(({ status, detail }) => `${status}: ${detail}`);
    expect(details).toContainEqual(
      expect.stringMatching(/^ok: PostgreSQL 1[5-8] at 127\.0\.0\.1:\d+, read-write, no TLS$/),
    );
    // The tests' PostgreSQL is configured for speed.
    expect(details).toContainEqual(expect.stringContaining("fsync is off"));
    expect(details).toContainEqual(expect.stringContaining("superuser"));
    expect(details.join()).not.toContain("clock");
    expect(configuration?.["ASSENT_DATABASE_URL"]).toBe(database.url);
    expect(JSON.stringify([findings, configuration])).not.toContain("hunter2");
  });

  test("read-only, with synchronous_commit off, by a role that owns nothing → each is said", async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const name = database.url.slice(database.url.lastIndexOf("/") + 1);
    const role = `guest_${name}`;
    await client.query(`CREATE ROLE ${role} LOGIN`);
    await client.query(`ALTER ROLE ${role} SET synchronous_commit = off`);
    await client.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    const { ok, findings } = await look(database.url.replace("assent@", `${role}@`));
    await client.query(`DROP OWNED BY ${role}`);
    await client.query(`DROP ROLE ${role}`);
    await client.end();
    expect(ok).toBe(false);
    const details = findings.map(({ status, detail }) => `${status}: ${detail}`);
    expect(details).toContainEqual(expect.stringMatching(/^broken: .* is read-only/));
    expect(details).toContainEqual(expect.stringMatching(/^warning: synchronous_commit is off/));
    expect(details).toContainEqual(expect.stringMatching(/^note: the role can't create tables/));
  });

  test("nobody there → broken, with the place", async () => {
    const { ok, findings } = await look("postgres://assent@127.0.0.1:1/assent");
    expect(ok).toBe(false);
    expect(findings).toContainEqual({
      check: "database",
      status: "broken",
      detail: expect.stringMatching(/PostgreSQL cannot be reached: 127\.0\.0\.1:1/),
    });
  });
});
