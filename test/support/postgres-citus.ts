/**
 * Databases on the Citus cluster whose coordinator `ASSENT_TEST_CITUS` names. Each is a database of its own on every
 * node, with the tables distributed by the documented statements.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { documentedStatements } from "./postgres-sharded.ts";

/** The URL of a superuser's database on the coordinator of a cluster that is there for tests alone. */
export const CITUS = process.env["ASSENT_TEST_CITUS"] ?? "";

export const NO_CITUS = "ASSENT_TEST_CITUS names no Citus cluster";

/** Shards of each table in a test's database, so that it is made quickly. An operator uses Citus's default of 32. */
const SHARDS = 4;

/** A node of the cluster, and how to reach its databases. */
export interface Node {
  readonly host: string;
  readonly port: number;
  url(database: string): string;
}

/** The nodes of the cluster: the coordinator, then the workers. Throws if one does not use the coordinator's user. */
export async function nodesOf(coordinator: string): Promise<readonly Node[]> {
  const rows = await say(
    coordinator,
    "SELECT nodename, nodeport FROM pg_dist_node WHERE isactive AND noderole = 'primary' ORDER BY groupid",
  );
  return rows.map(({ nodename, nodeport }) => ({
    host: String(nodename),
    port: Number(nodeport),
    url: (database) => {
      const url = new URL(coordinator);
      url.hostname = String(nodename);
      url.port = String(nodeport);
      url.pathname = `/${database}`;
      return url.href;
    },
  }));
}

/** Runs statements on one connection, each by itself. Returns the rows of the last one. */
export async function say(url: string, ...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Distributes every table that is not distributed yet, by the statements of the documentation for operators. */
export async function distributeTables(url: string, shards?: number): Promise<void> {
  const setting = shards === undefined ? [] : [`SET citus.shard_count = ${shards}`];
  await say(url, ...setting, documentedStatements("create_distributed_table"));
}

/** Makes an empty database that is a cluster of its own on these nodes. Returns its URL. */
export async function makeDatabase(name: string, [coordinator, ...workers]: readonly Node[]): Promise<string> {
  if (coordinator === undefined) throw new Error("the Citus cluster has no nodes");
  for (const node of [coordinator, ...workers]) {
    await say(node.url("postgres"), `CREATE DATABASE ${name} TEMPLATE template0`);
    await say(node.url(name), "CREATE EXTENSION citus");
  }
  await say(
    coordinator.url(name),
    `SELECT citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `SELECT citus_add_node('${host}', ${port})`),
  );
  return coordinator.url(name);
}

/** Drops a database. It tries several times, because the nodes open connections to each other's databases. */
async function dropAt(node: Node, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await say(node.url("postgres"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if (attempt === 10) throw error;
      await sleep(500);
    }
  }
}

export class CitusDatabases {
  readonly #run = `assent_test_${randomBytes(4).toString("hex")}`;
  readonly #made = new Set<string>();
  #count = 0;
  #nodes: Promise<readonly Node[]> | undefined;
  #template: Promise<string> | undefined;
  /** Only one database at a time can be copied from a template. */
  #turn: Promise<unknown> = Promise.resolve();

  /** The new database's URL. */
  async create(): Promise<string> {
    const [coordinator] = await this.#all();
    this.#template ??= this.#makeTemplate();
    const template = await this.#template;
    const name = this.#name();
    const made = this.#turn.then(() =>
      this.#everywhere((node) => say(node.url("postgres"), `CREATE DATABASE ${name} TEMPLATE ${template}`)),
    );
    this.#turn = made.catch(() => undefined);
    await made;
    // Needs more connections than usual: calls about one owner wait for each other, and each statement takes longer.
    return `${coordinator?.url(name)}?max_connections=30`;
  }

  async drop(name: string): Promise<void> {
    if (!this.#made.delete(name)) return;
    await this.#everywhere((node) => dropAt(node, name));
  }

  async close(): Promise<void> {
    for (const name of this.#made) await this.drop(name);
  }

  async #makeTemplate(): Promise<string> {
    const name = this.#name();
    const url = await makeDatabase(name, await this.#all());
    const storage = await openStorage({ url });
    await storage.migrate({ now: 0 });
    await storage.close();
    await distributeTables(url, SHARDS);
    // PostgreSQL copies a template only if it has no connections. This ends the connections of the nodes and of Citus's
    // daemon, and prevents new ones.
    await this.#everywhere((node) =>
      say(
        node.url("postgres"),
        `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
      ),
    );
    return name;
  }

  #name(): string {
    this.#count += 1;
    const name = `${this.#run}_${this.#count}`;
    this.#made.add(name);
    return name;
  }

  async #everywhere<T>(work: (node: Node) => Promise<T>): Promise<readonly T[]> {
    return Promise.all((await this.#all()).map(work));
  }

  #all(): Promise<readonly Node[]> {
    this.#nodes ??= nodesOf(CITUS);
    return this.#nodes;
  }
}
