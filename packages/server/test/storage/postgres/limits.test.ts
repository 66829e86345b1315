/**
 * The limits of a server with PostgreSQL: the time of a statement, repeated conflicts, and attempts to connect to an
 * unreachable database.
 */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../../test/support/postgres-database.ts";
import { byTheClock } from "../../../../../test/support/timing-test-retries.ts";
import { query, sql, transaction } from "../../../src/storage/define-verbs.ts";
import { StorageUnavailable } from "../../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { aClient, NOW } from "../support/record-builders.ts";

let database: TestDatabase;
let storage: Storage;
let client: Client;

beforeAll(async () => {
  database = await aPostgresDatabase();
  storage = await openStorage({ url: database.url });
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await storage.close();
  await database.drop();
});

async function failureOf(work: Promise<unknown>): Promise<{ readonly error: unknown; readonly took: number }> {
  const began = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, took: performance.now() - began };
}

test(
  "a statement that takes longer than two seconds → cut off by the server, alone or in a transaction; the connection serves on",
  byTheClock,
  async () => {
    const engine = openPostgres({ url: database.url, readonly: false });
    const long = sql`SELECT CAST(pg_sleep(20) AS TEXT) AS slept`;
    const reading = query<void, number>({ sql: long, bind: () => ({}), outcome: (rows) => rows.length });
    const writing = transaction<void, number>(async (tx) => (await tx.all(long)).length);
    const both = [failureOf(engine.call(reading, undefined)), failureOf(engine.call(writing, undefined))];
    for (const { error, took } of await Promise.all(both)) {
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(String(error)).toMatch(/statement timeout \(57014\)/);
      expect(took).toBeGreaterThan(1500);
      expect(took).toBeLessThan(3500);
    }
    const short = query<void, number>({ sql: sql`SELECT 1 AS one`, bind: () => ({}), outcome: (rows) => rows.length });
    expect(await engine.call(short, undefined)).toBe(1);
    await engine.close();
  },
);

/** Makes the first `times` writes to a table fail with a conflict. Returns the number of attempts. */
async function conflicting(table: string, times: number, work: () => Promise<unknown>): Promise<number> {
  // A sequence keeps its value after a rollback, so it can count the attempts.
  await client.query("CREATE SEQUENCE tries");
  await client.query(`CREATE FUNCTION stand_in_the_way() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('tries') <= ${times} THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF;
      RETURN NEW;
    END $$`);
  await client.query(
    `CREATE TRIGGER in_the_way BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION stand_in_the_way()`,
  );
  try {
    await work();
    return Number((await client.query("SELECT last_value FROM tries")).rows[0].last_value);
  } finally {
    await client.query("DROP FUNCTION stand_in_the_way CASCADE; DROP SEQUENCE tries");
  }
}

test("40001 three times → begun anew, and done once: a transaction, and a group of statements", async () => {
  const one = aClient();
  const tries = await conflicting("clients", 3, async () => {
    expect((await storage.clients.put({ client: one, expect: 0 })).kind).toBe("stored");
  });
  expect(tries).toBe(4);
  const lease = (name: string) => storage.leases.claim({ name, holder: "x", until: NOW + 1000, now: NOW });
  await conflicting("leases", 3, async () => {
    expect(await Promise.all(["a", "b", "c"].map(lease))).toEqual([true, true, true]);
  });
  expect((await client.query("SELECT name FROM leases ORDER BY name")).rows).toHaveLength(3);
});

test("40001 without end → an outage after eight times", async () => {
  const tries = await conflicting("clients", 1000, async () => {
    const { error } = await failureOf(storage.clients.put({ client: aClient(), expect: 0 }));
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(String(error)).toContain("40001");
  });
  expect(tries).toBe(8);
});

test("nobody answers, and everybody asks all the time → knocks at most once a second in the end, and two processes not in step", {
  ...byTheClock,
  timeout: 30_000,
}, async () => {
  const knocked = async () => {
    const times: number[] = [];
    const door = createServer((socket) => {
      times.push(performance.now());
      socket.destroy();
    });
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    const at = await openStorage({ url: `postgres://a@127.0.0.1:${(door.address() as AddressInfo).port}/a` });
    const until = performance.now() + 6000;
    let asked = 0;
    while (performance.now() < until) {
      expect((await failureOf(at.catalog.ping())).error).toBeInstanceOf(StorageUnavailable);
      asked += 1;
      await sleep(5);
    }
    await at.close();
    await new Promise((resolve) => door.close(resolve));
    return { asked, gaps: times.slice(1).map((time, index) => time - (times[index] ?? 0)) };
  };
  const both = await Promise.all([knocked(), knocked()]);
  for (const { asked, gaps } of both) {
    expect(asked).toBeGreaterThan(100);
    expect(gaps.length).toBeLessThan(40);
    // Half of the pause is fixed, the other half is random.
    expect(Math.max(...gaps)).toBeGreaterThan(490);
    expect(gaps.at(-1)).toBeGreaterThan(490);
  }
  const [one, other] = both;
  expect(one?.gaps.map(Math.round)).not.toEqual(other?.gaps.map(Math.round));
});
