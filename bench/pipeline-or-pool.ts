/**
 * Compares two ways to send concurrent statements to PostgreSQL: as one pipeline, like the engine, or separately on a
 * pool. `node bench/pipeline-or-pool.ts [grants] [callers]` starts its own PostgreSQL (fsync on) and prints rotations a
 * second.
 */

import { Client, Pool } from "pg";
import { compile } from "../packages/server/src/storage/define-verbs.ts";
import { postgres } from "../packages/server/src/storage/dialect.ts";
import { refreshGrant } from "../packages/server/src/storage/grants/grant-lifecycle.ts";
import { openStorage } from "../packages/server/src/storage/open.ts";
import { aLiveGrant, aRefresh, MINUTE, NOW } from "../packages/server/test/storage/support/record-builders.ts";
import { startCluster } from "../test/support/postgres-server.ts";

const GRANTS = Number(process.argv[2] ?? 2000);
const CALLERS = Number(process.argv[3] ?? 128);
const ROUNDS = 6;

const cluster = await startCluster({ durable: true });
const url = cluster.url("postgres");
const storage = await openStorage({ url });
await storage.migrate({ now: NOW });
const grants: Awaited<ReturnType<typeof aLiveGrant>>[] = [];
for (let at = 0; at < GRANTS; at += 50) {
  grants.push(...(await Promise.all(Array.from({ length: 50 }, () => aLiveGrant(storage)))));
}
const admin = new Client({ connectionString: url });
await admin.connect();
await admin.query("VACUUM ANALYZE");
const { rows } = await admin.query(
  "SELECT pg_relation_size('grants') AS heap, pg_indexes_size('grants') AS indexes, COUNT(*) AS rows FROM grants",
);
const { heap, indexes, rows: count } = rows[0];
console.log(`a grant: ${Math.round(heap / count)} bytes, ${Math.round(indexes / count)} in indexes`);

let generation = 0;
/** Rotates every grant once, `CALLERS` at a time. Returns rotations a second. */
async function round(rotate: (args: ReturnType<typeof aRefresh>) => Promise<boolean>): Promise<number> {
  generation += 1;
  const queue = grants.map(({ grant }) => aRefresh(grant, { generation, now: NOW + generation * MINUTE }));
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (!(await rotate(next))) throw new Error("a rotation was refused");
      }
    }),
  );
  return (GRANTS / (performance.now() - began)) * 1000;
}

async function measure(name: string, rotate: (args: ReturnType<typeof aRefresh>) => Promise<boolean>): Promise<void> {
  const results: number[] = [];
  for (let at = 0; at < ROUNDS; at += 1) results.push(await round(rotate));
  // The first round is a warm-up.
  const sorted = results.slice(1).sort((a, b) => a - b);
  console.log(
    `${name}: ${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)} rotations/s (best ${Math.round(sorted.at(-1) ?? 0)})`,
  );
}

const { text, names } = compile(refreshGrant.sql, postgres);
for (const size of [2, 16]) {
  const pool = new Pool({ connectionString: url, max: size });
  await measure(`pool of ${size}, a statement each`, async (args) => {
    const params = refreshGrant.bind(args);
    const values = names.map((name) => {
      const value = params[name];
      return value instanceof Uint8Array ? Buffer.from(value) : value;
    });
    return (await pool.query({ name: "refresh", text, values })).rowCount === 1;
  });
  await pool.end();
}
await measure(
  "pipelines on 2 connections (the engine)",
  async (args) => (await storage.grants.refresh(args)).kind === "rotated",
);

const { batches, verbs } = storage.stats();
console.log(`statements in a group: ${(verbs / batches).toFixed(1)}`);
await storage.close();
await admin.end();
await cluster.remove();
