/**
 * Measures rates and processor time on a Citus cluster on this machine, for docs/operate/scale.md. Run `node
 * bench/citus-costs.ts <coordinator's URL> [owners]`. It first measures plain tables on the coordinator, then tables
 * that are distributed over one worker, two workers, and so on. It creates and drops a database for each measurement.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NewGrant } from "../packages/server/src/oauth/storage.ts";
import { openStorage, type Storage } from "../packages/server/src/storage/open.ts";
import { aLiveGrant, aRefresh, MINUTE, NOW } from "../packages/server/test/storage/support/record-builders.ts";
import { distributeTables, makeDatabase, type Node, nodesOf, say } from "../test/support/postgres-citus.ts";
import { usageOf } from "./process-usage.ts";

const [coordinatorUrl = "", owners = "500"] = process.argv.slice(2);
const OWNERS = Number(owners);
const CALLERS = 32;
const ROUNDS = 10;
const DATABASE = "assent_costs";

/** The process id of a node's postmaster, which must be on this machine. */
async function postmasterAt(node: Node): Promise<number> {
  const [row] = await say(node.url("postgres"), "SHOW data_directory");
  return Number(readFileSync(join(String(row?.["data_directory"]), "postmaster.pid"), "utf8").split("\n")[0]);
}

async function each<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: CALLERS }, worker));
}

async function measure(name: string, storage: Storage, postmasters: readonly number[]): Promise<void> {
  const grants: NewGrant[] = [];
  const phase = async (what: string, count: number, work: () => Promise<void>) => {
    const used = () => [
      process.cpuUsage().user + process.cpuUsage().system,
      ...postmasters.map((pid) => usageOf(pid).cpu),
    ];
    const [before, at] = [used(), performance.now()];
    await work();
    const rate = Math.round((count / (performance.now() - at)) * 1000);
    const [own = 0, coordinator = 0, ...workers] = used().map((cpu, which) => (cpu - (before[which] ?? 0)) / count);
    const shares = [`server ${Math.round(own)}`, `coordinator ${Math.round(coordinator)}`];
    if (workers.length > 0) shares.push(`workers ${Math.round(workers.reduce((sum, one) => sum + one, 0))}`);
    console.log(`${name}, ${what}: ${rate} a second; µs of processor: ${shares.join(", ")}`);
  };
  await phase("a new person with a grant", OWNERS, () =>
    each(Array(OWNERS).keys(), async () => grants.push((await aLiveGrant(storage)).grant)),
  );
  let generation = 0;
  const rotate = async () => {
    generation += 1;
    const now = NOW + generation * MINUTE;
    await each(grants, async (grant) => {
      const { kind } = await storage.grants.refresh(aRefresh(grant, { generation, now }));
      if (kind !== "rotated") throw new Error(kind);
    });
  };
  await rotate();
  await phase("a rotation", OWNERS * ROUNDS, async () => {
    for (let round = 0; round < ROUNDS; round += 1) await rotate();
  });
  await phase("a look at a grant", OWNERS * ROUNDS, () =>
    each(Array(OWNERS * ROUNDS).keys(), (at) => {
      const grant = grants[at % OWNERS];
      return grant === undefined ? Promise.resolve() : storage.grants.find({ ...grant, saltHash: null });
    }),
  );
}

const nodes = await nodesOf(coordinatorUrl);
for (let workers = 0; workers < nodes.length; workers += 1) {
  const used = nodes.slice(0, workers + 1);
  const url = await makeDatabase(DATABASE, used);
  try {
    const storage = await openStorage({ url });
    await storage.migrate({ now: NOW });
    if (workers > 0) await distributeTables(url);
    const name = workers === 0 ? "plain tables" : `${workers} worker${workers === 1 ? "" : "s"}`;
    await measure(name, storage, await Promise.all(used.map(postmasterAt)));
    await storage.close();
  } finally {
    for (const node of used) await say(node.url("postgres"), `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  }
}
