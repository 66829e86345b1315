/**
 * The benchmark: `npm run bench -- [--rounds N] [--seconds S] [--only name,…] [--json FILE] [--profile name] [--dir DIR]`.
 * Servers on one core, the load on another; the rows take turns, round after round, so that what else the machine does meets them all alike.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./load.ts";
import { ISSUER, prepare } from "./prepare.ts";
import { pinned, type ServerProcess, start } from "./processes.ts";
import { notesOf, type Report, rowReport, save, spread, tableOf, type Window } from "./report.ts";
import { IN_TURN, type Row, type RowName, rowNames, rowsOf } from "./rows.ts";
import { measureStarts } from "./start.ts";

const CONNECTIONS = 32;
/** Seconds before the first round, to let the compiler do its work. */
const WARM_UP = 2;
/** More than one core redeems in a second. */
const FRESH_A_SECOND = 9000;
/** One more than is counted. */
const STARTS = 6;

const usage = `--only takes ${rowNames.join(", ")}, start, and beginnings of them; --profile one of them; --rounds and --seconds numbers above 0`;
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1.5" },
    /** Names of rows; `start` is the time to the first token. */
    only: { type: "string" },
    json: { type: "string", default: join(import.meta.dirname, "results", "latest.json") },
    /** A row whose server is profiled in the last round: `bench/results/<name>.cpuprofile`. */
    profile: { type: "string" },
    /** Where the database lies. */
    dir: { type: "string", default: tmpdir() },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const known: readonly string[] = [...rowNames, "start"];
const asked = options.only?.split(",") ?? known;
/** The reference is always there: what is said of the others is their share of it. */
const only = new Set([
  "inline",
  ...known.filter((name) => asked.some((one) => name === one || name.startsWith(`${one}-`))),
]);
const matched = asked.every((one) => [...only].some((name) => name === one || name.startsWith(`${one}-`)));
if (!(rounds >= 1 && seconds > 0) || !matched || !known.includes(options.profile ?? "bare")) throw new Error(usage);

const folder = mkdtempSync(join(options.dir, "assent-bench-"));
try {
  const report = await measure();
  console.log(`\n${tableOf(report)}\n\n${notesOf(report)}`);
  save(report, options.json);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<Report> {
  const dataDir = join(folder, "data");
  const data = await prepare(dataDir, wanted());
  const env = {
    ASSENT_ISSUER: ISSUER,
    ASSENT_LISTEN: "127.0.0.1:0",
    ASSENT_DATA_DIR: dataDir,
    ASSENT_SECRET: data.secret,
    NODE_COMPILE_CACHE: join(folder, "compiled"),
  };
  const starts = only.has("start") ? await measureStarts(data, data.codes.slice(-STARTS), env) : undefined;
  const assent = await start("assent-server.ts", { env });
  const rows = (await rowsOf(data, assent.port)).filter(({ name }) => only.has(name));
  const servers: Record<Row["server"], ServerProcess> = {
    assent,
    bare: await start("bare-server.ts", { args: ["bare"] }),
    inline: await start("bare-server.ts", { args: ["inline"] }),
    batched: await start("bare-server.ts", { args: ["batched"] }),
  };
  const windows = await inRounds(rows, servers);
  for (const server of Object.values(servers)) await server.end();
  return {
    at: new Date().toISOString(),
    command: `npm run bench -- ${process.argv.slice(2).join(" ")}`.replace(/ -- $/, ""),
    machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory: totalmem() },
    node: process.version,
    pinned,
    connections: CONNECTIONS,
    rounds,
    seconds,
    rows: rows.map((row) => rowReport(row, windows.get(row.name) ?? [], windows.get("inline"))),
    firstToken: starts === undefined ? null : spread(starts.firstToken),
    rss: starts === undefined ? null : { idle: starts.idle, loaded: greatestRss(rows, windows) },
  };
}

function wanted() {
  const fresh = Math.ceil((rounds * seconds + WARM_UP) * FRESH_A_SECOND);
  return {
    codes: (only.has("redeem") ? fresh : IN_TURN) + STARTS,
    kept: IN_TURN + (only.has("refresh-recorded") ? fresh : 0),
    rotating: IN_TURN,
  };
}

async function inRounds(
  rows: readonly Row[],
  servers: Readonly<Record<Row["server"], ServerProcess>>,
): Promise<ReadonlyMap<RowName, readonly Window[]>> {
  const windows = new Map<RowName, Window[]>(rows.map(({ name }) => [name, []]));
  for (const row of rows) await window(row, servers[row.server], WARM_UP);
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of rows) {
      const server = servers[row.server];
      const profiled = row.name === options.profile && round === rounds;
      if (profiled) await server.profile();
      windows.get(row.name)?.push(await window(row, server, seconds));
      if (profiled) await server.save(join(import.meta.dirname, "results", `${row.name}.cpuprofile`));
    }
    const rates = rows.map(({ name }) => `${name} ${windows.get(name)?.at(-1)?.rate.toFixed(0)}`);
    console.error(`round ${round}: ${rates.join(", ")}`);
  }
  return windows;
}

async function window(row: Row, server: ServerProcess, length: number): Promise<Window> {
  row.prepare?.(length);
  const before = await server.usage();
  const {
    requests,
    seconds: took,
    p50,
    p99,
    ownCpu,
  } = await run({
    port: server.port,
    connections: CONNECTIONS,
    seconds: length,
    next: row.next,
  });
  if (requests === 0) throw new Error(`${row.name}: nothing was left to send; make FRESH_A_SECOND greater`);
  const after = await server.usage();
  return {
    rate: requests / took,
    p50,
    p99,
    cpu: (after.cpu - before.cpu) / requests,
    rss: after.rss,
    loadCpu: ownCpu,
  };
}

function greatestRss(rows: readonly Row[], windows: ReadonlyMap<RowName, readonly Window[]>): number {
  const own = rows.filter(({ server }) => server === "assent").flatMap(({ name }) => windows.get(name) ?? []);
  return Math.max(0, ...own.map(({ rss }) => rss));
}
