/**
 * The cost of single operations for the database, for the model in docs/operate/scale.md. `node bench/database-costs.ts
 * [owners]` makes this number of people on SQLite and on a PostgreSQL of its own (fsync and full-page images on). Each
 * person has a session, a consent, an entry of the history and an active grant. It prints the bytes of each row with
 * its indexes, and for each operation the processor time and the bytes of the write-ahead log.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import { openStorage, type Storage } from "../packages/server/src/storage/open.ts";
import {
  aGrant,
  anApproval,
  aRedemption,
  aRefresh,
  aSession,
  aStoredPerson,
  DAY,
  MINUTE,
  NOW,
} from "../packages/server/test/storage/support/record-builders.ts";
import { startCluster } from "../test/support/postgres-server.ts";
import { postmasterOf } from "./durable-postgres.ts";
import { usageOf } from "./process-usage.ts";

const OWNERS = Number(process.argv[2] ?? 5000);
const CALLERS = 128;
const ROUNDS = 10;
const TABLES = ["people", "names", "sessions", "consents", "history", "grants"];

/** The measured values of one database. */
interface Gauge {
  /** Bytes per row of each table with its indexes. */
  bytesPerRow(): Promise<ReadonlyMap<string, number>>;
  /** Microseconds of processor time of the database's own processes so far; 0 if it has none. */
  cpu(): Promise<number>;
  /** Bytes written to the write-ahead log so far; undefined if the database doesn't count them. */
  log(): Promise<number | undefined>;
  /** Called before each phase. */
  settle(): Promise<void>;
}

async function each<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
    }),
  );
}

async function measure(name: string, storage: Storage, gauge: Gauge): Promise<void> {
  const grants: NewGrant[] = [];
  const phase = async (what: string, count: number, work: () => Promise<void>) => {
    await gauge.settle();
    const before = { own: process.cpuUsage(), cpu: await gauge.cpu(), log: await gauge.log(), at: performance.now() };
    await work();
    const { user, system } = process.cpuUsage(before.own);
    const cpu = (await gauge.cpu()) - before.cpu;
    const log = await gauge.log();
    const parts = [
      `${Math.round((count / (performance.now() - before.at)) * 1000)} a second`,
      `${Math.round((user + system) / count)} µs here`,
      ...(cpu === 0 ? [] : [`${Math.round(cpu / count)} µs in the database`]),
      ...(log === undefined ? [] : [`${Math.round((log - (before.log ?? 0)) / count)} bytes of log`]),
    ];
    console.log(`${name}, ${what}: ${parts.join(", ")}`);
  };
  const people: Awaited<ReturnType<typeof aStoredPerson>>[] = [];
  await phase("a new person", OWNERS, () =>
    each(Array(OWNERS).keys(), async () => people.push(await aStoredPerson(storage))),
  );
  await phase("a sign-in (session)", OWNERS, () => each(people, (person) => storage.sessions.create(aSession(person))));
  await phase("a consent with its code and history", OWNERS, () =>
    each(people, async (person) => {
      const grant = aGrant(person);
      if ((await storage.grants.approve(anApproval(grant))).kind !== "issued") throw new Error("refused");
      grants.push(grant);
    }),
  );
  await phase("a redemption", OWNERS, () =>
    each(grants, async (grant) => {
      if ((await storage.grants.redeem(aRedemption(grant))).kind !== "redeemed") throw new Error("refused");
    }),
  );
  await gauge.settle();
  for (const [table, bytes] of await gauge.bytesPerRow())
    console.log(`${name}, a row of ${table}: ${Math.round(bytes)} bytes`);
  const rotateAll = async (generation: number) => {
    const now = NOW + generation * MINUTE;
    await each(grants, async (grant) => {
      if ((await storage.grants.refresh(aRefresh(grant, { generation, now }))).kind !== "rotated")
        throw new Error("refused");
    });
  };
  // After a checkpoint, the first change of a page writes an image of the whole page. Later changes write only the
  // change.
  await phase("a rotation, first of its page after a checkpoint", OWNERS, () => rotateAll(1));
  let generation = 1;
  const log = await gauge.log();
  await phase(`a rotation, ${ROUNDS} of each grant`, OWNERS * ROUNDS, async () => {
    while (generation <= ROUNDS) await rotateAll(++generation);
  });
  if (log === undefined) console.log(`${name}: its log is written over again after 16 MiB`);
  await phase("a look at a grant", OWNERS * ROUNDS, () =>
    each(Array(OWNERS * ROUNDS).keys(), (at) => {
      const { partition, grantId } = grants[at % grants.length] ?? aGrant(people[0] as never);
      return storage.grants.find({ partition, grantId, saltHash: null });
    }),
  );
  const rows = OWNERS * 2;
  await phase("a row collected (a session or a grant)", rows, async () => {
    let removed = 0;
    while (removed < rows) removed += await storage.housekeeping.collectGarbage({ now: NOW + 400 * DAY, limit: 1000 });
  });
}

async function onSqlite(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "assent-costs-"));
  const path = join(directory, "assent.db");
  const storage = await openStorage({ url: `sqlite:${path}` });
  await storage.migrate({ now: NOW });
  await measure("SQLite", storage, {
    bytesPerRow: async () => {
      const database = new DatabaseSync(path, { readOnly: true });
      const sizes = new Map(
        TABLES.map((table) => {
          const size = database
            .prepare(
              "SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)",
            )
            .get(table)?.["bytes"];
          const rows = database.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get()?.["rows"];
          return [table, Number(size) / Number(rows)] as const;
        }),
      );
      database.close();
      return sizes;
    },
    cpu: async () => 0,
    log: async () => undefined,
    settle: async () => {},
  });
  await storage.close();
  rmSync(directory, { recursive: true });
}

async function onPostgres(): Promise<void> {
  const cluster = await startCluster({
    durable: true,
    settings: { shared_buffers: "512MB", max_wal_size: "8GB", checkpoint_timeout: "1h", autovacuum: "off" },
  });
  const url = cluster.url("postgres");
  const storage = await openStorage({ url });
  await storage.migrate({ now: NOW });
  const admin = new Client({ connectionString: url });
  await admin.connect();
  const ask = async (text: string) => Number((await admin.query(text)).rows[0].value);
  const postmaster = postmasterOf(cluster);
  await measure("PostgreSQL", storage, {
    bytesPerRow: async () => {
      const sizes = new Map<string, number>();
      for (const table of TABLES) {
        sizes.set(
          table,
          await ask(`SELECT pg_total_relation_size('${table}')::float / COUNT(*) AS value FROM ${table}`),
        );
      }
      return sizes;
    },
    cpu: async () => usageOf(postmaster).cpu,
    log: () => ask("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS value"),
    settle: async () => {
      await admin.query("VACUUM ANALYZE");
      await admin.query("CHECKPOINT");
    },
  });
  await admin.end();
  await storage.close();
  await cluster.remove();
}

await onSqlite();
await onPostgres();
