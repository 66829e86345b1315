/**
 * REL-32, REL-33: a cluster of Citus. A statement that fails repeats no other one; a worker is killed under load; shards move while tokens are issued.
 */

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as PgClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newOwnerId } from "../../packages/server/src/crypto/ids.ts";
import { openStorage, type Storage } from "../../packages/server/src/storage/open.ts";
import { partitionOf } from "../../packages/server/src/storage/partition.ts";
import { aLiveGrant, aRefresh, statusOf } from "../../packages/server/test/storage/support/record-builders.ts";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { CITUS, distributeTables, say } from "../support/postgres-citus.ts";
import { aCitusDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { type RunningServer, serverAt } from "../support/postgres-server.ts";
import { figure, inReliability, quantile } from "../support/reliability-cycles-and-figures.ts";
import { Nodes } from "../support/server-nodes.ts";
import { authorizePath, nextCode, signedInAgent } from "../support/server-process.ts";
import { registering, type TestClient } from "../support/test-server.ts";

/** The data directory of a worker that the tests may kill. */
const WORKER = process.env["ASSENT_TEST_CITUS_WORKER"] ?? "";
/** Both tests use one database, whose keys are sealed under it. */
const SECRET = randomBytes(32).toString("base64");
/** Owners on each worker. */
const OWNERS = 4;

let database: TestDatabase;
let storage: Storage;

beforeAll(async () => {
  if (CITUS === "") return;
  database = await aCitusDatabase();
  storage = await openStorage({ url: database.url });
}, 180_000);
afterAll(async () => {
  await storage?.close();
  await database?.drop();
}, 60_000);

test("the documented statements → owners' tables are distributed, all in one group, others are plain; again → nothing changes", async ({
  skip,
}) => {
  if (CITUS === "") return skip("ASSENT_TEST_CITUS names no Citus cluster");
  const tables = `SELECT c.relname AS name, d.colocationid AS together, d.partmethod AS method,
      EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'partition') AS owned
    FROM pg_class c LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
  const before = await say(database.url, tables);
  const owned = before.filter((table) => table["owned"] === true);
  expect(owned.length).toBeGreaterThan(20);
  expect(new Set(owned.map(({ method }) => method))).toEqual(new Set(["h"]));
  expect(new Set(owned.map(({ together }) => together)).size).toBe(1);
  expect(before.filter((table) => table["owned"] === false && table["method"] !== null)).toEqual([]);
  await distributeTables(database.url);
  expect(await say(database.url, tables)).toEqual(before);
});

test("a statement waits too long for a lock → it alone is refused; those sent with it have happened once", async ({
  skip,
}) => {
  if (CITUS === "") return skip("ASSENT_TEST_CITUS names no Citus cluster");
  const all = await Promise.all(Array.from({ length: 9 }, async () => (await aLiveGrant(storage)).grant));
  const [held] = all;
  if (held === undefined) throw new Error("no grant");
  const holder = new PgClient({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM grants WHERE partition = $1 AND grant_id = $2 FOR UPDATE", [
      held.partition,
      held.grantId,
    ]);
    const outcomes = await Promise.allSettled(
      all.map((grant) => storage.grants.refresh({ ...aRefresh(grant), rotate: true })),
    );
    expect(outcomes.map((one) => (one.status === "fulfilled" ? one.value.kind : one.reason.name))).toEqual([
      "StorageUnavailable",
      ...Array.from({ length: 8 }, () => "rotated"),
    ]);
  } finally {
    await holder.end();
  }
  for (const grant of all.slice(1)) expect(await statusOf(storage, grant)).toMatchObject({ generation: 2, retries: 0 });
});

interface Answer {
  readonly worker: number;
  readonly status: number;
  readonly at: number;
  readonly took: number;
}

/** A server process, and owners on both workers, each with a refresh token that is rotated again and again. */
class Load {
  readonly answers: Answer[] = [];
  readonly #nodes: Nodes;
  readonly #client: TestClient;
  readonly #folder: string;
  readonly #tokens: { readonly worker: number; token: string }[] = [];
  #on = true;
  #rotating: readonly Promise<void>[] = [];

  private constructor(nodes: Nodes, client: TestClient, folder: string) {
    this.#nodes = nodes;
    this.#client = client;
    this.#folder = folder;
  }

  static async start(): Promise<Load> {
    const folder = mkdtempSync(join(tmpdir(), "assent-citus-"));
    const dataDir = join(folder, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const register = registering({ storage }, Date.now);
    await register.addStandardScopes();
    const client = await register.addClient({ refresh: "rotate" });
    const nodes = new Nodes(dataDir, {
      ASSENT_DATABASE_URL: database.url,
      ASSENT_SECRET: SECRET,
      // An outage may take longer than the usual 30 seconds in which a client can send its last token again.
      ASSENT_RETRY_WINDOW: "600",
    });
    await nodes.start(1);
    const load = new Load(nodes, client, folder);
    const path = authorizePath(client);
    for (const { personId, worker } of await ownersOnEachWorker()) {
      const person = await register.addPerson({ personId, partition: partitionOf(personId) });
      const agent = await signedInAgent(nodes.url(), person, path);
      const form = codeForm(client, await nextCode(agent, path));
      const token = bodyOf(await send(nodes.url(), { path: "/token", client, form }))["refresh_token"] ?? "";
      expect(token).not.toBe("");
      load.#tokens.push({ worker, token });
    }
    load.#rotating = load.#tokens.map((_, at) => load.#rotate(at));
    return load;
  }

  /** The answers from this time on. */
  since(at: number): readonly Answer[] {
    return this.answers.filter((one) => one.at >= at);
  }

  /** Resolves when every owner got a token after this time. */
  async untilAllGo(at: number): Promise<void> {
    const workers = [...new Set(this.#tokens.map(({ worker }) => worker))];
    const goes = (worker: number) =>
      this.since(at).filter((one) => one.worker === worker && one.status === 200).length >= 3 * OWNERS;
    for (const until = performance.now() + 90_000; !workers.every(goes); await sleep(50))
      if (performance.now() > until) throw new Error("owners of a worker get no tokens");
  }

  /** Ends the load. Returns the status of one more refresh with each token that was acknowledged last. */
  async end(): Promise<readonly number[]> {
    this.#on = false;
    await Promise.all(this.#rotating);
    return Promise.all(this.#tokens.map(async ({ token }) => (await this.#refresh(token)).status));
  }

  async remove(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#rotating);
    await this.#nodes.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #rotate(which: number): Promise<void> {
    const mine = this.#tokens[which];
    while (this.#on && mine !== undefined) {
      const at = performance.now();
      const answer = await this.#refresh(mine.token);
      this.answers.push({ worker: mine.worker, status: answer.status, at, took: answer.took });
      if (answer.status === 200) mine.token = bodyOf(answer)["refresh_token"] ?? "";
      await sleep(answer.status === 200 ? 10 : 100);
    }
  }

  #refresh(token: string) {
    return send(this.#nodes.url(), { path: "/token", client: this.#client, form: refreshForm(token) });
  }
}

/** The port of the worker that has the rows of a partition. */
async function workerOf(partition: number): Promise<number> {
  const [row] = await say(
    database.url,
    `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('grants', ${partition})`,
  );
  return Number(row?.["nodeport"]);
}

async function ownersOnEachWorker(): Promise<readonly { readonly personId: string; readonly worker: number }[]> {
  const found: { readonly personId: string; readonly worker: number }[] = [];
  for (const places = new Map<number, number>(); found.length < 2 * OWNERS; ) {
    const personId = newOwnerId();
    const worker = await workerOf(partitionOf(personId));
    if ((places.get(worker) ?? 0) === OWNERS) continue;
    places.set(worker, (places.get(worker) ?? 0) + 1);
    found.push({ personId, worker });
  }
  return found;
}

function counted(answers: readonly Answer[], status: number): number {
  return answers.filter((one) => one.status === status).length;
}

describe("under load", { timeout: 300_000 }, () => {
  test("REL-32 a worker is killed → its owners get 503 until it is back, owners elsewhere go on, nothing acknowledged is lost", async ({
    skip,
  }) => {
    if (CITUS === "") return skip("ASSENT_TEST_CITUS names no Citus cluster");
    if (WORKER === "") return skip("ASSENT_TEST_CITUS_WORKER names no data directory of a worker that may be killed");
    if (!inReliability) return skip("other test files use the cluster; npm run test:reliability kills a worker");
    const worker: RunningServer = serverAt(WORKER);
    const load = await Load.start();
    try {
      await load.untilAllGo(performance.now());
      const killed = performance.now();
      await worker.kill();
      await sleep(5_000);
      const down = load.since(killed);
      await worker.start();
      const back = performance.now();
      await load.untilAllGo(back);
      const ready = performance.now();
      const theirs = down.filter((one) => one.worker === worker.port);
      const others = down.filter((one) => one.worker !== worker.port);
      expect(counted(theirs, 503)).toBeGreaterThan(0);
      expect(others.filter(({ status }) => status !== 200)).toEqual([]);
      expect(others.length).toBeGreaterThan(5 * OWNERS);
      expect(load.answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      expect(await load.end(), "acknowledged and lost").toEqual(Array.from({ length: 2 * OWNERS }, () => 200));
      figure("REL-32", "a worker of Citus killed under load, down for 5 s", {
        "acknowledged and lost": 0,
        "acknowledged rotations": counted(load.answers, 200),
        "answers 503 to its owners": counted(load.answers, 503),
        "rotations of other owners meanwhile": counted(others, 200),
        "ms at most for them": Math.max(...others.map(({ took }) => took)),
        "ms until its owners go on": ready - back,
      });
    } finally {
      await load.remove();
    }
  });

  test("REL-33 shards move to another worker and back while tokens are issued → nothing acknowledged is lost, only 503 meanwhile", async ({
    skip,
  }) => {
    if (CITUS === "") return skip("ASSENT_TEST_CITUS names no Citus cluster");
    const [setting] = await say(database.url, "SELECT current_setting('wal_level') AS level");
    const modes = setting?.["level"] === "logical" ? ["block_writes", "force_logical"] : ["block_writes"];
    const load = await Load.start();
    try {
      for (const mode of modes) {
        await load.untilAllGo(performance.now());
        const began = performance.now();
        const before = await placements();
        await moveAllToOneWorker(mode);
        const moved = await placements();
        await say(
          database.url,
          `SELECT citus_rebalance_start(rebalance_strategy => 'by_shard_count', shard_transfer_mode => '${mode}')`,
          "SELECT citus_rebalance_wait()",
        );
        const ended = performance.now();
        await load.untilAllGo(ended);
        expect([moved.length, (await placements()).length]).toEqual([1, before.length]);
        const meanwhile = load.since(began).filter(({ at }) => at < ended);
        figure("REL-33", `shards moved under load, ${mode}`, {
          "rotations meanwhile": counted(meanwhile, 200),
          "answers 503": counted(meanwhile, 503),
          "ms at most": Math.max(...meanwhile.map(({ took }) => took)),
          "ms at 99 %": quantile(
            meanwhile.map(({ took }) => took),
            0.99,
          ),
          "s until all shards were back": (ended - began) / 1000,
        });
      }
      expect(load.answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      expect(await load.end(), "acknowledged and lost").toEqual(Array.from({ length: 2 * OWNERS }, () => 200));
    } finally {
      await load.remove();
    }
  });
});

/** The workers that have shards. */
function placements(): Promise<readonly Record<string, unknown>[]> {
  return say(database.url, "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'grants'::regclass");
}

async function moveAllToOneWorker(mode: string): Promise<void> {
  const shards = await say(
    database.url,
    "SELECT shardid, nodename, nodeport FROM citus_shards WHERE table_name = 'grants'::regclass ORDER BY nodeport",
  );
  const [target] = shards;
  for (const { shardid, nodename, nodeport } of shards) {
    if (nodeport === target?.["nodeport"]) continue;
    await say(
      database.url,
      `SELECT citus_move_shard_placement(${shardid}, '${nodename}', ${nodeport}, '${target?.["nodename"]}', ${target?.["nodeport"]}, '${mode}')`,
    );
  }
}
