import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../test/support/postgres-database.ts";
import { startTcpProxy, type TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { byTheClock } from "../../../test/support/timing-test-retries.ts";
import type { Collected } from "../src/admin/storage.ts";
import { Housekeeping } from "../src/housekeeping.ts";
import { openStorage, type Storage } from "../src/storage/open.ts";
import { byHand } from "./storage/support/raw-statements.ts";
import { DAY, NOW } from "./storage/support/record-builders.ts";

const ROWS = 3000;

let database: TestDatabase;
let proxy: TcpProxy;
let storage: Storage;

beforeEach(async () => {
  database = await aPostgresDatabase();
  const url = new URL(database.url);
  proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  storage = await openStorage({ url: url.href });
});
afterEach(async () => {
  await storage.close();
  await proxy.close();
  await database.drop();
});

test(
  "a database that each question takes 6 ms to → batches grow all the same, and every row goes",
  byTheClock,
  async () => {
    await byHand(database.url, [
      `INSERT INTO sessions (partition, session_id, person_id, auth_time, acr, amr, created_at, last_seen_at, idle_until, absolute_until, secret_hash)
      SELECT i % 1024, 'session-' || i, 'nobody', 0, NULL, '[]', 0, 0, 0, ${NOW - DAY}, '\\x00' FROM generate_series(1, ${ROWS}) AS n(i)`,
    ]);
    proxy.delay(3);
    const batches: number[] = [];
    const collect: Storage["housekeeping"]["collect"] = (args) => {
      if (args.what === ("sessions" satisfies Collected)) batches.push(args.limit);
      return storage.housekeeping.collect(args);
    };
    const housekeeping = new Housekeeping({
      storage: { ...storage, housekeeping: { collect } },
      now: () => NOW,
      log: pino({ level: "silent" }),
      alsoDue: async () => undefined,
    });
    expect(await housekeeping.round()).toBe(ROWS);
    // Batches of the smallest size would be 60.
    expect(batches.length).toBeLessThan(40);
  },
);
