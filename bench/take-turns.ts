/** The rows take turns, round after round, so that other work on the machine affects all of them alike. */

import { type Measured, quantile, run } from "./load/closed-loop.ts";
import type { Row } from "./rows/row.ts";
import type { Site } from "./start-measured-servers.ts";

/** Number of connections, each with one request at a time. */
export const CONNECTIONS = 32;

/** One row in one round. */
export interface Window {
  /** Operations a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor time for one operation, all threads. */
  readonly cpu: number;
  /** The same for its database if that has its own processes, otherwise 0. */
  readonly databaseCpu: number;
  /** Bytes of the server's memory at the end. */
  readonly rss: number;
  /** The load's share of its core. Near 1, the result shows the load and not the server. */
  readonly loadCpu: number;
}

export type Windows = ReadonlyMap<string, readonly Window[]>;

export interface Rounds {
  readonly rounds: number;
  /** Seconds of each measurement. */
  readonly seconds: number;
  /** Seconds before the first round, in which code is compiled. */
  readonly warmUp: number;
  /** A row whose server is profiled in the last round, and the folder for the profile. */
  readonly profile?: { readonly row: string; readonly file: string };
}

/** The results of each row, one for each round. Reports each round on stderr. */
export async function inRounds(site: Site, { rounds, seconds, warmUp, profile }: Rounds): Promise<Windows> {
  const windows = new Map<string, Window[]>(site.rows.map(({ name }) => [name, []]));
  for (const row of site.rows) await windowOrAgain(site, row, warmUp);
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of site.rows) {
      const server = round === rounds && row.name === profile?.row ? site.servers.get(row.server) : undefined;
      await row.prepare?.(seconds);
      await server?.profile();
      windows.get(row.name)?.push(await windowOrAgain(site, row, seconds, false));
      await server?.save(profile?.file ?? "");
    }
    const rates = site.rows.map(({ name }) => `${name} ${windows.get(name)?.at(-1)?.rate.toFixed(0)}`);
    console.error(`round ${round} of ${rounds}: ${rates.join(", ")}`);
  }
  return windows;
}

/**
 * Repeats a failed measurement once, because other work on the machine can delay a request too long. A measurement that
 * fails twice is an error.
 */
async function windowOrAgain(site: Site, row: Row, seconds: number, prepares = true): Promise<Window> {
  try {
    return await oneWindow(site, row, seconds, prepares);
  } catch (error) {
    console.error(`${row.name} failed and is measured once more: ${error instanceof Error ? error.message : error}`);
    return oneWindow(site, row, seconds);
  }
}

async function oneWindow(site: Site, row: Row, seconds: number, prepares = true): Promise<Window> {
  const server = site.servers.get(row.server);
  if (server === undefined) throw new Error(`${row.name}: there is no server ${row.server}`);
  if (prepares) await row.prepare?.(seconds);
  const databaseBefore = site.databaseCpu(row.server);
  const before = server.usage();
  const measured = await (row.measure?.(seconds) ??
    run({ port: server.port, connections: CONNECTIONS, seconds, next: row.next }));
  const after = server.usage();
  return windowOf(row.name, measured, {
    cpu: after.cpu - before.cpu,
    databaseCpu: site.databaseCpu(row.server) - databaseBefore,
    rss: after.rss,
  });
}

/** `used`: resources used in the whole measurement. */
export function windowOf(
  name: string,
  { count, seconds, took, ownCpu }: Measured,
  used: { readonly cpu: number; readonly databaseCpu: number; readonly rss: number },
): Window {
  if (count === 0) throw new Error(`${name}: nothing was answered`);
  return {
    rate: count / seconds,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    cpu: used.cpu / count,
    databaseCpu: used.databaseCpu / count,
    rss: used.rss,
    loadCpu: ownCpu,
  };
}
