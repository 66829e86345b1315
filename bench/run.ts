/**
 * The benchmark: `npm run bench`, with `-- --help` for its options. Servers run on one core, the load on another.
 * docs/operate/performance.md describes the servers and the comparison.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compare, verdictText } from "./compare-with-recorded-run.ts";
import { growthTables, measureGrowth } from "./cost-as-database-grows.ts";
import { writeFlameGraph } from "./cpuprofile-as-flame-graph.ts";
import { memoryFigure, relationFigures } from "./derived-figures.ts";
import { listsTable, measureLists, SIZES, slowLists } from "./lists/admin-lists.ts";
import { measureLatency } from "./load/latency-at-half-capacity.ts";
import { measureWorkers } from "./one-worker-or-two.ts";
import { goalsText } from "./reached-and-missed-goals.ts";
import { circumstances, type Figure, load, type Report, reportOf, save } from "./report-as-json.ts";
import { textOf } from "./report-as-markdown.ts";
import { REFERENCE } from "./rows/bare-http-rows.ts";
import { openSite, rowNames } from "./start-measured-servers.ts";
import { measureStarts } from "./start-time-and-memory.ts";
import { inRounds, type Rounds } from "./take-turns.ts";
import { writeDocs } from "./write-docs.ts";

const RESULTS = join(import.meta.dirname, "results");
/** The run that `--compare` compares with, and that the documentation shows. */
const RECORDED = join(RESULTS, "recorded.json");
const GROWN = join(RESULTS, "growth.json");
const LISTED = join(RESULTS, "lists.json");
/** The measurements besides the rows of the table. */
const PARTS = ["start", "latency", "workers"];

const help = `npm run bench -- [options]

  --only name,…       of ${rowNames.join(", ")},
                      ${PARTS.join(", ")}; beginnings of names will do (--only client-credentials,refresh)
  --rounds N          default 5
  --seconds S         of each row in each round, default 1
  --quick             2 rounds of 0.4 s: what has become very wrong is seen in two minutes
  --dir DIR           where databases lie: name the disk that you want to know about
  --json FILE         where the figures go, default bench/results/latest.json
  --compare           ends with 1 where a ratio is worse than the recorded one, beyond noise
  --write-docs        records the run, and writes it with its chart into the documentation
  --profile name      of that row: bench/results/<name>.cpuprofile, and <name>.html, a flame graph
  --growth            instead: what an operation costs among 1,000 to 1,000,000 grants, 10 to 100,000 clients, and for an owner
                      with 10 to 100,000 ended grants (fifteen minutes); goes to bench/results/growth.json, with --most N
                      up to that size
  --lists             instead: how long lists and searches of the admin API take among a million people and 10,000 clients,
                      on both databases (five minutes); goes to bench/results/lists.json. With --most N: N people
`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    quick: { type: "boolean", default: false },
    dir: { type: "string", default: tmpdir() },
    json: { type: "string", default: join(RESULTS, "latest.json") },
    compare: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
    profile: { type: "string" },
    growth: { type: "boolean", default: false },
    lists: { type: "boolean", default: false },
    most: { type: "string", default: "1000000" },
    help: { type: "boolean", default: false },
  },
});

/** An argument is wrong; the message says which ones are allowed. */
class Mistyped extends Error {}

/** The chosen rows and parts. Throws if a name is unknown. */
function chosen(): ReadonlySet<string> {
  const known = [...rowNames, ...PARTS];
  const asked = options.only?.split(",") ?? (options.profile === undefined ? known : [options.profile]);
  const matching = (one: string) => known.filter((name) => name === one || name.startsWith(`${one}-`));
  const stray = asked.find((one) => matching(one).length === 0);
  if (stray !== undefined) throw new Mistyped(`--only and --profile: nothing is called ${stray}\n\n${help}`);
  if (options.profile !== undefined && !rowNames.includes(options.profile))
    throw new Mistyped(`--profile takes the name of one row\n\n${help}`);
  const found = asked.flatMap(matching);
  // The results of other rows are shares of this one.
  return new Set(found.some((name) => rowNames.includes(name)) ? [REFERENCE, ...found] : found);
}

function roundsOf(): Rounds {
  const { quick, profile } = options;
  const rounds = Number(options.rounds ?? (quick ? 2 : 5));
  const seconds = Number(options.seconds ?? (quick ? 0.4 : 1));
  if (!(Number.isInteger(rounds) && rounds >= 1 && seconds > 0))
    throw new Mistyped(`--rounds 1, 2 …, --seconds above 0\n\n${help}`);
  const warmUp = quick ? 0.4 : 1.5;
  return {
    rounds,
    seconds,
    warmUp,
    ...(profile === undefined ? {} : { profile: { row: profile, file: join(RESULTS, `${profile}.cpuprofile`) } }),
  };
}

async function measure(folder: string): Promise<Report> {
  const names = chosen();
  const rounds = roundsOf();
  const began = circumstances(commandLine(), rounds);
  const figures: Figure[] = [];
  if (names.has("start")) {
    console.error("starts");
    figures.push(...(await measureStarts(folder, { starts: options.quick ? 3 : 7, seconds: options.quick ? 1 : 3 })));
  }
  const site = await openSite(needed(names), { folder, profile: options.profile });
  try {
    console.error(`${site.rows.length} rows, ${rounds.rounds} rounds of ${rounds.seconds} s each`);
    const windows = await inRounds(site, rounds);
    figures.push(...memoryFigure(windows, site.rows), ...relationFigures(windows));
    const latency = names.has("latency")
      ? await part("latency at half of the capacity", () => measureLatency(site, windows, options.quick ? 1 : 4))
      : [];
    const { data } = site;
    if (names.has("workers") && data !== undefined)
      figures.push(...(await part("one process and two", () => measureWorkers(data, rounds.rounds, rounds.seconds))));
    return reportOf(began, site, windows, { figures, latency });
  } finally {
    await site.end();
  }
}

/** If a measurement after the table fails, it is reported and left out, and the table stays. */
async function part<T>(what: string, measureIt: () => Promise<readonly T[]>): Promise<readonly T[]> {
  console.error(what);
  try {
    return await measureIt();
  } catch (error) {
    console.error(`${what}: NOT MEASURED`, error);
    return [];
  }
}

function commandLine(): string {
  return `npm run bench -- ${process.argv.slice(2).join(" ")}`.replace(/ -- $/, "");
}

/** The chosen rows, and those that the other parts need. */
function needed(names: ReadonlySet<string>): ReadonlySet<string> {
  const rows = [...names].filter((name) => rowNames.includes(name));
  if (names.has("latency") && rows.length === 0) rows.push(REFERENCE, "client-credentials-post", "redeem");
  if (names.has("workers") && rows.length === 0) rows.push("client-credentials-post");
  return new Set(rows);
}

async function grow(folder: string): Promise<number> {
  const rounds = { ...roundsOf(), seconds: Number(options.seconds ?? 1) };
  const began = circumstances(commandLine(), rounds);
  const growth = await measureGrowth(folder, { ...rounds, most: Number(options.most) });
  console.log(growthTables(growth).join("\n\n"));
  save({ ...began, ...growth }, GROWN);
  if (options["write-docs"]) console.log(`\n${writeDocs().join("\n")}`);
  return 0;
}

async function list(folder: string): Promise<number> {
  const rounds = { ...roundsOf(), seconds: Number(options.seconds ?? 2) };
  const began = circumstances(commandLine(), rounds);
  const sizes = { ...SIZES, people: Number(options.most) };
  const measured = await measureLists(folder, { seconds: rounds.seconds, sizes });
  console.log(listsTable(measured));
  save({ ...began, ...measured }, LISTED);
  if (options["write-docs"]) console.log(`\n${writeDocs().join("\n")}`);
  const slow = slowLists(measured);
  if (slow.length > 0) console.log(`\nslower than the goal: ${slow.join("; ")}`);
  return slow.length > 0 && options.compare ? 1 : 0;
}

async function main(): Promise<number> {
  if (options.help) {
    console.log(help);
    return 0;
  }
  const recorded = load(RECORDED);
  if (options.compare && recorded === undefined)
    throw new Mistyped(`--compare: there is no ${RECORDED}; npm run bench -- --write-docs makes it`);
  // PostgreSQL's files are in the folder for temporary files, too.
  process.env["TMPDIR"] = resolve(options.dir);
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  // Clean up also after a signal.
  process.once("exit", clean);
  try {
    if (options.growth) return await grow(folder);
    if (options.lists) return await list(folder);
    const report = await measure(folder);
    console.log(`\n${textOf(report)}\n\n${goalsText(report)}`);
    save(report, options.json);
    if (options.profile !== undefined) console.log(`\n${writeFlameGraph(RESULTS, options.profile)}`);
    if (options["write-docs"]) {
      save(report, RECORDED);
      console.log(`\n${writeDocs().join("\n")}`);
    }
    if (!options.compare || recorded === undefined) return 0;
    const verdicts = compare(recorded, report);
    console.log(`\n${verdictText(verdicts, recorded)}`);
    return verdicts.some(({ worse }) => worse) ? 1 : 0;
  } finally {
    clean();
  }
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof Mistyped)) throw error;
  console.error(error.message);
  return 2;
});
