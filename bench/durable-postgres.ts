/**
 * A PostgreSQL for the benchmark only, as durable as in production: fsync and page images are on. It runs on the load's
 * core.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { type Cluster, startCluster } from "../test/support/postgres-server.ts";
import { usageOf } from "./process-usage.ts";

export interface Database {
  /** For example `15.14`. */
  readonly version: string;
  url(name: string): string;
  create(name: string): Promise<void>;
  /** Microseconds of processor time of all its processes so far. */
  cpu(): number;
  remove(): Promise<void>;
}

export async function startDatabase(): Promise<Database> {
  const cluster = await startCluster({
    durable: true,
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", checkpoint_timeout: "30min", wal_compression: "on" },
  });
  const ask = async (text: string) => {
    const client = new Client({ connectionString: cluster.url("postgres") });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  const postmaster = postmasterOf(cluster);
  const [{ server_version: version }] = await ask("SHOW server_version");
  return {
    version: String(version).split(" ")[0] ?? "",
    url: (name) => cluster.url(name),
    create: async (name) => void (await ask(`CREATE DATABASE ${name}`)),
    cpu: () => usageOf(postmaster).cpu,
    remove: () => cluster.remove(),
  };
}

/** The parent process of all other processes of a server. */
export function postmasterOf({ directory }: Pick<Cluster, "directory">): number {
  return Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
}
