/**
 * One process and two (ASSENT_WORKERS), on the same data. With two cores, the load shares a core with the second
 * process. So there are two figures: the measured rate, and the rate with the load's share of the core added. With more
 * cores, both figures are equal.
 */

import { run } from "./load/closed-loop.ts";
import type { Prepared } from "./prepare-database.ts";
import { usageOf } from "./process-usage.ts";
import { type Figure, spread } from "./report-as-json.ts";
import { type AssentRowName, assentRows } from "./rows/assent-rows.ts";
import { loadCore, type ServerProcess, startAssent } from "./server-processes.ts";

/** The kernel distributes connections by chance. With this number, each process gets about half. */
const CONNECTIONS = 128;

/** The last operation writes. SQLite has one writer, for any number of processes. */
const measured: readonly AssentRowName[] = ["client-credentials-post", "refresh-kept", "redeem"];

/** Seconds of warm-up: each of the two processes compiles its own code and gets half of the requests. */
const WARM_UP = 3;

interface Reading {
  readonly rate: number;
  /** Microseconds of all server processes for one operation. */
  readonly cpu: number;
  /** The load's share of a core. */
  readonly load: number;
}

export async function measureWorkers(data: Prepared, rounds: number, seconds: number): Promise<Figure[]> {
  const one = await startAssent({ env: { ...data.env, ASSENT_WORKERS: "1" }, cores: "0" });
  const two = await startAssent({ env: { ...data.env, ASSENT_WORKERS: "2" }, cores: "0,1" });
  try {
    const figures: Figure[] = [];
    for (const row of await assentRows(data, "assent", one.port, new Set(measured))) {
      const reading = async (server: ServerProcess, length: number): Promise<Reading> => {
        await row.prepare?.(length);
        const before = usageOf(server.pid).cpu;
        const {
          count,
          seconds: took,
          ownCpu,
        } = await run({ port: server.port, connections: CONNECTIONS, seconds: length, next: row.next });
        return { rate: count / took, cpu: (usageOf(server.pid).cpu - before) / count, load: ownCpu };
      };
      for (const server of [one, two]) await reading(server, WARM_UP);
      const pairs: { readonly single: Reading; readonly double: Reading }[] = [];
      for (let round = 0; round < rounds; round += 1)
        pairs.push({ single: await reading(one, seconds), double: await reading(two, seconds) });
      figures.push(...figuresOf(row.name, row.label, pairs));
    }
    return figures;
  } finally {
    await one.end();
    await two.end();
  }
}

function figuresOf(
  name: string,
  label: string,
  pairs: readonly { readonly single: Reading; readonly double: Reading }[],
): Figure[] {
  // The ratio that two cores would give without the load on one of them.
  const shared = loadCore === 1;
  const given = ({ single, double }: (typeof pairs)[number]) =>
    (double.rate / single.rate) * (shared ? 2 / (2 - double.load) : 1);
  const of = (value: (pair: (typeof pairs)[number]) => number) => spread(pairs.map(value));
  return [
    {
      name: `workers-${name}`,
      label: `2 processes : 1, ${label}; measured rate`,
      value: of(({ single, double }) => double.rate / single.rate),
      unit: "×",
      goal: null,
    },
    {
      name: `workers-${name}-free`,
      label: `2 processes : 1, ${label}; rate with the load's share added`,
      value: of(given),
      unit: "×",
      goal: name === "client-credentials-post" ? { least: 1.7 } : null,
    },
    {
      name: `workers-${name}-cpu`,
      label: `2 processes : 1, ${label}; processor time of one operation, 1 process : 2`,
      value: of(({ single, double }) => single.cpu / double.cpu),
      unit: "×",
      goal: null,
    },
  ];
}
