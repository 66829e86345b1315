import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../../test/support/postgres-database.ts";
import { configOf, createAssent } from "../../../src/index.ts";
import { migrations } from "../../../src/storage/migrations/index.ts";
import { openStorage } from "../../../src/storage/open.ts";
import { byHand } from "../support/raw-statements.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await aPostgresDatabase("empty");
});
afterEach(async () => {
  vi.useRealTimers();
  await database.drop();
});

test("10 processes start on an empty database → one schema, and all go on", async () => {
  const file = fileURLToPath(new URL("../support/migrate-on-start-process.ts", import.meta.url));
  const children = Array.from({ length: 10 }, () => fork(file, [database.url], { execArgv: [] }));
  const applied = await Promise.all(children.map(async (child) => (await once(child, "message"))[0]));
  expect(applied.filter((names) => names.length > 0)).toEqual([migrations.map(({ name }) => name)]);
});

test("10 servers start on an empty database → one schema, one signing key; what one makes, the others know", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "assent-start-"));
  const config = configOf({
    issuer: "http://localhost:9400",
    dataDir,
    databaseUrl: `${database.url}?max_connections=5`,
    secret: [Buffer.alloc(32, 7)],
    logLevel: "silent",
  });
  const servers = await Promise.all(Array.from({ length: 10 }, () => createAssent(config)));
  const keys = await Promise.all(servers.map(({ storage }) => storage.keys.list()));
  expect(new Set(keys.map((list) => list.map(({ kid }) => kid).join())).size).toBe(1);
  expect(keys[0]).toHaveLength(1);
  const applied = await byHand(database.url, ["SELECT id FROM migrations"]);
  expect(applied).toHaveLength(migrations.length);
  await Promise.all(servers.map((server) => server.close()));
  await rm(dataDir, { recursive: true });
});

test("this machine's clock is five minutes off, or is set while it runs → times are the database's", async () => {
  const storage = await openStorage({ url: database.url });
  const real = Date.now;
  const began = real() - performance.now();
  const truth = () => began + performance.now();
  await storage.migrate({ now: Math.round(truth()) });
  for (const skew of [5 * 60_000, -5 * 60_000, -3_600_000]) {
    vi.useFakeTimers({ toFake: ["Date"], now: truth() + skew });
    await storage.catalog.ping();
    // The reading's error is half of its duration, which is long on a busy machine.
    expect(Math.abs(storage.now() - truth()), `${skew}`).toBeLessThan(2_000);
    vi.useRealTimers();
  }
  await storage.close();
});

test("a time beyond whole milliseconds never comes out, and none is before the last", async () => {
  const storage = await openStorage({ url: database.url });
  await storage.migrate({ now: 0 });
  let last = storage.now();
  for (let at = 0; at < 200; at += 1) {
    if (at % 50 === 0) await storage.catalog.ping();
    const now = storage.now();
    expect(Number.isSafeInteger(now)).toBe(true);
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
  await storage.close();
});
