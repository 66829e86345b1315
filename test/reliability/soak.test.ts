/**
 * REL-34: servers work for a long time with every grant type, backups and key rotations, one on each database, at once.
 * Memory, descriptors, response times and rows stay flat. `npm run test:reliability -- --minutes 120 soak`.
 */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usageOf } from "../../bench/process-usage.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { freePort } from "../support/free-port.ts";
import { aPostgresDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { asked, figure, inReliability, quantile } from "../support/reliability-cycles-and-figures.ts";
import { type ServerProcess, startProcess } from "../support/server-process.ts";
import { prepareSoak, SoakTraffic } from "../support/soak-traffic.ts";
import { startServer } from "../support/test-server.ts";

const SECONDS = asked("minutes", 0) * 60 || (inReliability ? 60 : 6);
/** A round has 20 requests. */
const ROUNDS_PER_SECOND = 2;
const OWNERS = inReliability ? 20 : 2;
const SAMPLES = 30;
/** Number of backups and rotations: one in five minutes of a long run. */
const INTERRUPTIONS = Math.max(2, Math.round(SECONDS / 300));
/** The first third warms up. A shorter run says nothing about growth. */
const LONG_ENOUGH = 600;
const MIB = 2 ** 20;

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "assent-soak-"));
const dumps = "/usr/lib/postgresql";

interface Sample {
  readonly mib: number;
  readonly descriptors: number;
  readonly p50: number;
  readonly p99: number;
  readonly rounds: number;
  readonly grants: number;
  readonly live: number;
  /** Rows that expired more than ten minutes ago and still exist. */
  readonly overdue: number;
}

interface Soaked {
  readonly name: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly server: ServerProcess;
  readonly traffic: SoakTraffic;
  readonly samples: Sample[];
  readonly failures: string[];
  shed: number;
  backups: number;
  rotations: number;
}

let database: TestDatabase;
const soaked: Soaked[] = [];

/** A server with its data and traffic. `databaseUrl`: PostgreSQL; otherwise an SQLite file in the data directory. */
async function begin(name: string, databaseUrl?: string): Promise<void> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { mode: 0o700 });
  const secret = randomBytes(32);
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const external = databaseUrl === undefined ? {} : { databaseUrl };
  const setUp = await startServer({ dataDir, config: { issuer, secret: [secret], ...external } });
  const data = await prepareSoak(setUp, OWNERS);
  await setUp.assent.close();
  const env = {
    ASSENT_ISSUER: issuer,
    ASSENT_LISTEN: `127.0.0.1:${port}`,
    ASSENT_DATA_DIR: dataDir,
    ASSENT_SECRET: secret.toString("base64"),
    ASSENT_LOG_LEVEL: "warn",
    ...(databaseUrl === undefined ? {} : { ASSENT_DATABASE_URL: databaseUrl }),
  };
  const server = await startProcess(dataDir, { ...env, ASSENT_LOG_LEVEL: "info" });
  const traffic = new SoakTraffic(issuer, data);
  await traffic.begin();
  const url = databaseUrl ?? `sqlite:${dataDir}/assent.db`;
  soaked.push({ name, url, env, server, traffic, samples: [], failures: [], shed: 0, backups: 0, rotations: 0 });
}

beforeAll(async () => {
  database = await aPostgresDatabase();
  await begin("SQLite");
  await begin("PostgreSQL", database.url);
}, 120_000);
afterAll(async () => {
  for (const { server } of soaked) await server.end("SIGTERM");
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the operator beside the server. */
async function assent({ env }: Soaked, ...args: readonly string[]): Promise<void> {
  const inherited = { PATH: process.env["PATH"], HOME: folder, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  await run(process.execPath, [join(root, "packages/cli/src/main.ts"), ...args], { env: { ...inherited, ...env } });
}

function pgDump(): string | undefined {
  const versions = existsSync(dumps) ? readdirSync(dumps) : [];
  return versions.map((version) => join(dumps, version, "bin", "pg_dump")).find(existsSync);
}

async function interrupt(one: Soaked): Promise<void> {
  const file = join(folder, `${one.name}.backup`);
  const dump = pgDump();
  if (one.url.startsWith("sqlite:")) await assent(one, "db", "backup", file);
  else if (dump !== undefined) await run(dump, ["--format=custom", `--file=${file}`, one.url]);
  if (existsSync(file)) one.backups += 1;
  rmSync(file, { force: true });
  await assent(one, "key", "rotate", "--now");
  one.rotations += 1;
}

async function sample(one: Soaked): Promise<void> {
  const { rounds, latencies, shed, failures } = one.traffic.taken();
  one.failures.push(...failures);
  one.shed += shed;
  const late = Date.now() - 600_000;
  const [rows] = await byHand(one.url, [
    `SELECT (SELECT COUNT(*) FROM grants) AS grants, (SELECT COUNT(*) FROM grants WHERE status = 'active') AS live,
      (SELECT COUNT(*) FROM grants WHERE collect_at < ${late}) AS overdue`,
  ]);
  one.samples.push({
    mib: usageOf(one.server.pid).rss / MIB,
    descriptors: readdirSync(`/proc/${one.server.pid}/fd`).length,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    rounds,
    grants: Number(rows?.["grants"]),
    live: Number(rows?.["live"]),
    overdue: Number(rows?.["overdue"]),
  });
}

/** Starts a round every half second on each server, even if earlier rounds are still running. */
async function drive(until: number): Promise<void> {
  const underWay = new Set<Promise<void>>();
  while (performance.now() < until) {
    for (const { traffic } of soaked) {
      const round = traffic.round().finally(() => underWay.delete(round));
      underWay.add(round);
    }
    await sleep(1000 / ROUNDS_PER_SECOND);
  }
  await Promise.all(underWay);
}

async function every(seconds: number, until: number, what: (one: Soaked) => Promise<void>): Promise<void> {
  for (let due = performance.now() + seconds * 1000; due < until; due += seconds * 1000) {
    await sleep(Math.max(0, due - performance.now()));
    await Promise.all(soaked.map(what));
  }
}

const median = (samples: readonly Sample[], of: (one: Sample) => number) => quantile(samples.map(of), 0.5);

test("REL-34 every grant type, backups and key rotations for a long time → nothing fails, nothing grows", {
  timeout: (SECONDS + 300) * 1000,
}, async () => {
  const until = performance.now() + SECONDS * 1000;
  await Promise.all([
    drive(until),
    every(SECONDS / SAMPLES, until, sample),
    every(SECONDS / INTERRUPTIONS - 1, until, interrupt),
  ]);

  for (const one of soaked) {
    await sample(one);
    const samples = one.samples.slice(0, -1);
    const third = Math.floor(samples.length / 3);
    const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
    const end = one.samples.at(-1);
    figure("REL-34", `soak of ${SECONDS / 60} minutes on ${one.name}`, {
      rounds: one.samples.reduce((sum, { rounds }) => sum + rounds, 0),
      failed: one.failures.length,
      "turned away": one.shed,
      backups: one.backups,
      rotations: one.rotations,
      "MiB in the middle third": median(middle, ({ mib }) => mib),
      "MiB in the last third": median(last, ({ mib }) => mib),
      "descriptors in the middle third": median(middle, ({ descriptors }) => descriptors),
      "descriptors in the last third": median(last, ({ descriptors }) => descriptors),
      "ms p50 in the middle third": median(middle, ({ p50 }) => p50),
      "ms p50 in the last third": median(last, ({ p50 }) => p50),
      "ms p99 in the middle third": median(middle, ({ p99 }) => p99),
      "ms p99 in the last third": median(last, ({ p99 }) => p99),
      "live grants": end?.live ?? 0,
      "rows of grants": end?.grants ?? 0,
      "rows overdue": end?.overdue ?? 0,
    });
  }
  // All figures are printed before one of them is judged.
  for (const one of soaked) {
    const samples = one.samples.slice(0, -1);
    const third = Math.floor(samples.length / 3);
    const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
    const grown = (of: (one: Sample) => number) => median(last, of) / median(middle, of);
    expect([...new Set(one.failures)]).toEqual([]);
    expect(one.rotations).toBeGreaterThan(0);
    expect(one.samples.at(-1)?.overdue).toBe(0);
    expect(statSync(`/proc/${one.server.pid}`).isDirectory()).toBe(true);
    if (SECONDS < LONG_ENOUGH) continue;
    expect(grown(({ mib }) => mib)).toBeLessThan(1.1);
    expect(grown(({ descriptors }) => descriptors)).toBeLessThan(1.1);
    expect(grown(({ live }) => live)).toBeLessThan(1.1);
    // Response times are printed, and judged on a machine without other work.
  }
});
