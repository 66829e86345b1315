/**
 * The cost of an operation as the database grows: `npm run bench -- --growth`. It is processor time, as a share of the
 * reference's in the same round.
 */

import { join } from "node:path";
import { endpoints } from "../packages/server/src/oauth/endpoints.ts";
import { type EndedGrants, endedGrantsTable, measureEndedGrants } from "./cost-of-ended-grants.ts";
import { type Exchange, run } from "./load/closed-loop.ts";
import { post } from "./load/http-bytes.ts";
import { collect, redemption, refresh, rotation } from "./load/token-endpoint-requests.ts";
import { type Prepared, prepare } from "./prepare-database.ts";
import { type circumstances, type Spread, spread } from "./report-as-json.ts";
import { markdown } from "./report-as-markdown.ts";
import { limitRows, REFERENCE } from "./rows/bare-http-rows.ts";
import { inTurn, mapped } from "./rows/row.ts";
import { type ServerProcess, startAssent, startScript } from "./server-processes.ts";
import { CONNECTIONS } from "./take-turns.ts";

const GRANTS = [1_000, 10_000, 100_000, 1_000_000];
const CLIENTS = [10, 100, 1_000, 10_000, 100_000];
/** Number of credentials made at a time. They are all in memory, and a sample of them is kept. */
const PART = 10_000;
const SAMPLE = 2_000;
/** Number of codes in a round. It is small, so that redeeming them doesn't make the database grow. */
const CODES = 500;

export interface Growth {
  /** Number of rows. */
  readonly size: number;
  readonly operations: readonly {
    readonly label: string;
    /** Microseconds of the server's processor time. */
    readonly cpu: Spread;
    /** The ratio to the reference. */
    readonly share: Spread;
    /** Operations a second. */
    readonly rate: Spread;
  }[];
}

export interface GrowthReport extends ReturnType<typeof circumstances> {
  readonly grants: readonly Growth[];
  readonly clients: readonly Growth[];
  /** Absent in runs before this was a part of them. */
  readonly ended?: EndedGrants;
}

interface Work {
  readonly label: string;
  readonly prepare?: () => Promise<void>;
  readonly next: () => Exchange | undefined;
}

/** `most`: larger sizes are left out. */
export async function measureGrowth(
  folder: string,
  { rounds, seconds, most }: { readonly rounds: number; readonly seconds: number; readonly most: number },
): Promise<Pick<GrowthReport, "grants" | "clients" | "ended">> {
  const reference = await startScript("machine-limit-process.ts", [REFERENCE]);
  const measure: Measure = (server, works, warmUp) => inTurns(server, reference, works, { warmUp, rounds, seconds });
  try {
    return {
      clients: await amongClients(join(folder, "clients"), measure, most),
      grants: await amongGrants(join(folder, "grants"), measure, most),
      ended: await measureEndedGrants(folder, most),
    };
  } finally {
    await reference.end();
  }
}

/** `warmUp`: number of turns that don't count. */
type Measure = (server: ServerProcess, works: readonly Work[], warmUp: number) => Promise<Growth["operations"]>;

/** Turns for a server that has just started. Its compiler needs a while, and would make the first size look slow. */
const FIRST_WARM_UP = 8;

async function amongGrants(dataDir: string, measure: Measure, most: number): Promise<Growth[]> {
  const data = await prepare({ dataDir });
  const server = await startAssent({ env: data.env });
  const growth: Growth[] = [];
  let there = 0;
  try {
    for (const size of GRANTS.filter((one) => one <= most)) {
      const { kept, rotating } = await grow(data, size - there);
      const once = kept.map((token) => refresh(endpoints.token, data.keeping, token));
      // The first use of each token is recorded. This measurement is not about that.
      await collect(server.port, once, "access_token");
      const operations = await measure(server, grantWorks(data, kept, rotating), there === 0 ? FIRST_WARM_UP : 1);
      growth.push({ size, operations });
      console.error(`${size} grants: ${told(operations)}`);
      there = size;
    }
    return growth;
  } finally {
    await server.end();
    await data.close();
  }
}

/**
 * Adds this number of grants, half of them for each client. Keeps a sample of the refresh tokens, spread over all of
 * them.
 */
async function grow(data: Prepared, count: number): Promise<Record<"kept" | "rotating", string[]>> {
  const sample = { kept: [] as string[], rotating: [] as string[] };
  const stride = Math.max(1, Math.floor(count / 2 / SAMPLE));
  for (let made = 0; made < count; ) {
    const part = Math.min(PART, count - made);
    const half = Math.floor(part / 2);
    const kept = await data.refreshTokens(data.keeping, half);
    const rotating = await data.refreshTokens(data.rotating, part - half);
    sample.kept.push(...kept.filter((_, at) => at % stride === 0));
    sample.rotating.push(...rotating.filter((_, at) => at % stride === 0));
    made += part;
    if (made % 100_000 === 0) console.error(`${made} of ${count} grants made`);
  }
  return sample;
}

function grantWorks(data: Prepared, kept: readonly string[], rotating: readonly string[]): Work[] {
  const { token } = endpoints;
  const next = inTurn(kept);
  let codes: Iterator<string> = [].values();
  return [
    { label: "refresh, token rotated", next: rotation(token, data.rotating, rotating) },
    { label: "refresh, token kept", next: () => refresh(token, data.keeping, next()) },
    {
      label: "code redemption",
      prepare: async () => {
        codes = (await data.codes(data.keeping, CODES)).values();
      },
      next: () => {
        const code = codes.next();
        return mapped(code.done === true ? undefined : code.value, (one) => redemption(token, data.keeping, one));
      },
    },
  ];
}

async function amongClients(dataDir: string, measure: Measure, most: number): Promise<Growth[]> {
  const data = await prepare({ dataDir });
  const server = await startAssent({ env: data.env });
  const growth: Growth[] = [];
  const requests: string[] = [];
  try {
    for (const size of CLIENTS.filter((one) => one <= most)) {
      for (const { clientId, secret } of await data.moreRobots(size - requests.length)) {
        const form = `grant_type=client_credentials&scope=read&client_id=${clientId}&client_secret=${secret}`;
        requests.push(post(endpoints.token, form));
      }
      const next = inTurn(requests);
      const [first = ""] = requests;
      const operations = await measure(
        server,
        [
          { label: "client credentials, one client", next: () => ({ request: first }) },
          { label: "client credentials, all clients in turn", next: () => ({ request: next() }) },
        ],
        growth.length === 0 ? FIRST_WARM_UP : 1,
      );
      growth.push({ size, operations });
      console.error(`${size} clients: ${told(operations)}`);
    }
    return growth;
  } finally {
    await server.end();
    await data.close();
  }
}

/** The operations take turns with the reference. */
async function inTurns(
  server: ServerProcess,
  reference: ServerProcess,
  works: readonly Work[],
  { warmUp, rounds, seconds }: { readonly warmUp: number; readonly rounds: number; readonly seconds: number },
): Promise<Growth["operations"]> {
  const [bare] = limitRows.filter(({ name }) => name === REFERENCE);
  const readings = works.map(() => [] as { cpu: number; rate: number; share: number }[]);
  const reading = async (process: ServerProcess, next: Work["next"]) => {
    const before = process.usage().cpu;
    const { count, seconds: took } = await run({ port: process.port, connections: CONNECTIONS, seconds, next });
    return { cpu: (process.usage().cpu - before) / count, rate: count / took };
  };
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const other = await reading(reference, () => bare?.next());
    for (const [at, work] of works.entries()) {
      await work.prepare?.();
      const own = await reading(server, work.next);
      if (round >= warmUp) readings[at]?.push({ ...own, share: own.cpu / other.cpu });
    }
  }
  return works.map(({ label }, at) => {
    const of = (key: "cpu" | "rate" | "share") => spread((readings[at] ?? []).map((one) => one[key]));
    return { label, cpu: of("cpu"), rate: of("rate"), share: of("share") };
  });
}

function told(operations: Growth["operations"]): string {
  return operations
    .map(({ label, cpu, share }) => `${label} ${cpu.median.toFixed(0)} µs, ${share.median.toFixed(2)} × reference`)
    .join("; ");
}

/** The tables of grants, of clients, and of ended grants if they were measured. */
export function growthTables({ grants, clients, ended }: Pick<GrowthReport, "grants" | "clients" | "ended">): string[] {
  const tables = [growthTable(grants, "grants"), growthTable(clients, "clients")];
  return ended === undefined ? tables : [...tables, endedGrantsTable(ended)];
}

/** One line for each operation, one column for each size, compared with the first size. */
function growthTable(growth: readonly Growth[], unit: string): string {
  const labels = growth[0]?.operations.map(({ label }) => label) ?? [];
  const rows = labels.map((label, at) => {
    const shares = growth.map(({ operations }) => operations[at]?.share.median ?? Number.NaN);
    const cpus = growth.map(({ operations }) => operations[at]?.cpu.median ?? Number.NaN);
    const [first = Number.NaN] = shares;
    const change = shares.map((share) => `${((share / first - 1) * 100).toFixed(0).replace(/^-0$/, "0")} %`);
    return [label, ...cpus.map((cpu, index) => `${cpu.toFixed(0)} µs${index === 0 ? "" : ` (${change[index]})`}`)];
  });
  return markdown(
    growth.map(({ size }) => `${size.toLocaleString("en")} ${unit}`),
    rows,
  );
}
