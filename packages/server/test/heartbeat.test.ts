import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aPostgresDatabase } from "../../../test/support/postgres-database.ts";
import { neededBy, refuseBesideOlder } from "../src/admin/database.ts";
import { beginEpoch } from "../src/admin/index.ts";
import { PRESENCE_LASTS } from "../src/admin/storage.ts";
import { type Config, configOf } from "../src/config.ts";
import { Heartbeat } from "../src/heartbeat.ts";
import { NEWEST_MIGRATION } from "../src/storage/migrations/index.ts";
import { openStorage, type Storage } from "../src/storage/open.ts";
import { refusal } from "./admin/support/open-test-admin.ts";
import { byHand } from "./storage/support/raw-statements.ts";
import { aLiveGrant, statusOf } from "./storage/support/record-builders.ts";

describe.each(["SQLite", "PostgreSQL"])("servers that say that they run: %s", (kind) => {
  let folder: string;
  let config: Config;
  let storage: Storage;
  let drop: () => Promise<void>;
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });

  beforeEach(async () => {
    logged.length = 0;
    folder = mkdtempSync(join(tmpdir(), "assent-heartbeat-"));
    const database = kind === "SQLite" ? undefined : await aPostgresDatabase();
    drop = async () => database?.drop();
    config = configOf({
      dataDir: folder,
      issuer: "https://id.test",
      ...(database === undefined ? {} : { databaseUrl: database.url, secret: [Buffer.alloc(32, 1)] }),
    });
    storage = await openStorage({ url: config.databaseUrl });
    await storage.migrate({ now: storage.now() });
  });
  afterEach(async () => {
    await storage.close();
    await drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const aServer = async (schema = NEWEST_MIGRATION) => {
    const heartbeat = new Heartbeat({ storage, log, schema, every: 300 });
    await heartbeat.begin();
    return heartbeat;
  };
  const epoch = (more: { force?: boolean; waits?: (text: string) => void } = {}) =>
    beginEpoch(config, { keepConsents: false, ...more });

  test("a server runs → no new epoch beside it: who it is, what to do, nothing changed; by force all the same", async () => {
    const { grant } = await aLiveGrant(storage);
    const server = await aServer();
    const refused = await refusal(epoch());
    expect(refused.kind).toBe("in_use");
    expect(refused.problems.join()).toMatch(
      new RegExp(`process ${process.pid} on .+ uses this database; stop it first`),
    );
    expect((await statusOf(storage, grant))?.status).toBe("active");
    expect((await epoch({ force: true })).grants).toBe(1);
    // The server notices that the database has a new epoch.
    await expect.poll(() => server.unfit, { timeout: 5000 }).toMatch(/put back while this server ran/);
    await expect.poll(() => logged.filter((line) => line.includes("database_changed")).length).toBe(1);
    await server.end();
  });

  test("it stopped in order → a new epoch at once", async () => {
    const server = await aServer();
    await server.end();
    const waited: string[] = [];
    await epoch({ waits: (text) => waited.push(text) });
    expect(waited).toEqual([]);
  });

  test("it was killed → its word is waited out, and no longer", async () => {
    const now = storage.now();
    const holder = JSON.stringify({ host: "gone", pid: 7, schema: NEWEST_MIGRATION, since: now });
    const until = now + 2500;
    await storage.leases.claim({ name: "server gone", holder, until, now });
    const waited: string[] = [];
    const began = performance.now();
    await epoch({ waits: (text) => waited.push(text) });
    expect(waited.join()).toMatch(/process 7 on gone may still run/);
    expect(performance.now() - began).toBeLessThan(PRESENCE_LASTS);
    expect(storage.now()).toBeGreaterThanOrEqual(until);
    await storage.housekeeping.collect({ what: "leases", now: storage.now() + 7_200_000, limit: 10 });
    expect(await byHand(config.databaseUrl, ["SELECT name FROM leases"])).toEqual([]);
  });

  test("a contract step beside a server of an older version → refused; beside one that knows the new schema → done", async () => {
    const older = await aServer(NEWEST_MIGRATION - 1);
    const refused = await refusal(refuseBesideOlder(storage, NEWEST_MIGRATION));
    expect(refused).toMatchObject({
      kind: "in_use",
      problems: [expect.stringMatching(/upgrade it first/)],
    });
    await older.end();
    const newer = await aServer();
    await refuseBesideOlder(storage, NEWEST_MIGRATION);
    await newer.end();
    const state = { id: 20, name: "x", phase: "contract", floor: 19, known: true } as const;
    expect([neededBy([{ ...state, appliedAt: 1 }]), neededBy([{ ...state, appliedAt: null }])]).toEqual([0, 19]);
  });

  test("a contract step while it runs all the same → it says so, and is ready no more", async () => {
    const server = await aServer();
    expect(server.unfit).toBeUndefined();
    await byHand(config.databaseUrl, [
      `INSERT INTO migrations (id, name, checksum, applied_at, floor) VALUES (900, 'far', '', 0, 900)`,
    ]);
    await expect.poll(() => server.unfit, { timeout: 5000 }).toMatch(/start the newer version/);
    await server.end();
  });

  test("a contract step between its look at the schema and its first sign of life → it does not start, and leaves no sign", async () => {
    await byHand(config.databaseUrl, [
      `INSERT INTO migrations (id, name, checksum, applied_at, floor) VALUES (900, 'far', '', 0, 900)`,
    ]);
    const server = new Heartbeat({ storage, log, schema: NEWEST_MIGRATION, every: 300 });
    await expect(server.begin()).rejects.toThrow(/start the newer version/);
    await server.end();
    expect(await storage.leases.runningServers({ now: storage.now() })).toEqual([]);
  });

  test("a sign of life that is held up → its end waits for it, and nothing says any more that it runs", async () => {
    let held = 0;
    const slow = {
      leases: {
        claim: async (claim: Parameters<Storage["leases"]["claim"]>[0]) => {
          const wait = [0, 500][held++] ?? 0;
          await new Promise((resolve) => setTimeout(resolve, wait));
          return storage.leases.claim(claim);
        },
        release: storage.leases.release,
      },
      catalog: storage.catalog,
      now: storage.now,
      displaced: storage.displaced,
    };
    const server = new Heartbeat({ storage: slow, log, schema: NEWEST_MIGRATION, every: 100 });
    await server.begin();
    await expect.poll(() => held, { timeout: 5000 }).toBeGreaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 250));
    await server.end();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await storage.leases.runningServers({ now: storage.now() })).toEqual([]);
  });
});
