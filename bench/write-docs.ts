/**
 * The recorded run in the documentation: the tables of docs/operate/performance.md between their markers, the chart,
 * and the inputs of the model of capacity. `node bench/write-docs.ts` writes them from bench/results. `npm run bench --
 * --write-docs` does so after its run.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capacityCells } from "../test/support/documented-capacity-model.ts";
import { type GrowthReport, growthTables } from "./cost-as-database-grows.ts";
import { type ListsReport, listsTable } from "./lists/admin-lists.ts";
import { goalsText } from "./reached-and-missed-goals.ts";
import { chartOf } from "./report-as-chart.ts";
import { load, type Report } from "./report-as-json.ts";
import { figuresTable, latencyTable, notesOf, tableOf } from "./report-as-markdown.ts";

const root = join(import.meta.dirname, "..");
const PERFORMANCE = "docs/operate/performance.md";
const SCALE = "docs/operate/scale.md";
const CHART = "docs/images/performance.svg";

/** Inputs of the model of capacity, and the rows whose processor time they hold. */
const INPUTS = { us_request_write: "refresh-rotated", us_request_read: "refresh-kept" } as const;

export interface Recorded {
  readonly table: Report | undefined;
  readonly growth: GrowthReport | undefined;
  readonly lists?: ListsReport | undefined;
}

export function recorded(): Recorded {
  const read = <T>(name: string) => load<T>(join(import.meta.dirname, "results", name));
  return {
    table: read<Report>("recorded.json"),
    growth: read<GrowthReport>("growth.json"),
    lists: read<ListsReport>("lists.json"),
  };
}

/** Each file as the recorded runs make it, by its path. Parts without a recorded run stay as they are. */
export function documents({ table, growth, lists }: Recorded): ReadonlyMap<string, string> {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const page = table === undefined ? read(PERFORMANCE) : performancePage(read(PERFORMANCE), table);
  const grown = growth === undefined ? page : withGrowth(page, growth);
  const made = new Map([[PERFORMANCE, lists === undefined ? grown : withLists(grown, lists)]]);
  if (table === undefined) return made;
  return made.set(SCALE, scalePage(read(SCALE), table)).set(CHART, chartOf(table));
}

/** Writes the files, and returns which. */
export function writeDocs(): string[] {
  const all = [...documents(recorded())];
  for (const [path, text] of all) writeFileSync(join(root, path), text);
  return all.map(([path]) => `written: ${path}`);
}

export function performancePage(page: string, report: Report): string {
  const peers = report.peers.map(({ label, note }) => wrapped(`- **${label}** ${note}.`, "  ")).join("\n");
  const parts = {
    notes: wrapped(notesOf(report).join(" ")),
    table: `![The table as a chart: each row's share of the reference](../images/performance.svg)\n\n${tableOf(report)}`,
    peers,
    figures: figuresTable(report.figures),
    latency: report.latency.length === 0 ? "Not measured in this run." : latencyTable(report.latency),
    goals: goalsText(report),
  };
  return Object.entries(parts).reduce((text, [name, made]) => between(text, name, made), page);
}

function withGrowth(page: string, growth: GrowthReport): string {
  const { at, commit, command, machine, rounds, seconds } = growth;
  const when = `${at.slice(0, 10)}, commit ${commit}: \`${command}\`, medians of ${rounds} rounds of ${seconds} s; load average before it: ${machine.load.toFixed(1)} on ${machine.cores} cores.`;
  const [grants = "", clients = "", ended] = growthTables(growth);
  const text = between(page, "growth", [wrapped(when), grants, clients].join("\n\n"));
  return ended === undefined ? text : between(text, "ended-grants", ended);
}

function withLists(page: string, report: ListsReport): string {
  const { at, commit, command, machine, sqlite, postgres, sizes } = report;
  const count = (number: number) => number.toLocaleString("en");
  const when = `${at.slice(0, 10)}, commit ${commit}: \`${command}\`, ${count(sizes.people)} people and ${count(sizes.clients)} clients, SQLite ${sqlite}, PostgreSQL ${postgres}; load average before it: ${machine.load.toFixed(1)} on ${machine.cores} cores. Times in ms: median / 99th percentile; processor time of the server for one answer.`;
  return between(page, "lists", `${wrapped(when)}\n\n${listsTable(report)}`);
}

/** The text with lines of at most 120 columns, like the rest of the page. `indent`: before every line but the first. */
function wrapped(text: string, indent = ""): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 120) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines.join("\n");
}

/** Replaces the text between `<!-- bench:name -->` and `<!-- /bench:name -->`. Throws if the page has no such markers. */
export function between(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`no place for ${name}: ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}

/** The measured inputs, and every result that follows from them. */
function scalePage(page: string, report: Report): string {
  let text = page;
  for (const [input, row] of Object.entries(INPUTS)) {
    const cpu = report.rows.find(({ name }) => name === row)?.cpu.median;
    if (cpu !== undefined)
      text = text.replace(new RegExp(`^(\\| \`${input}\` \\|) [^|]+ \\|`, "m"), `$1 ${cpu.toFixed(0)} |`);
  }
  const results = new Map<string, string[]>();
  for (const { name, computed } of capacityCells(text)) results.set(name, [...(results.get(name) ?? []), computed]);
  for (const [name, values] of results) {
    const start = text.lastIndexOf(`\n| \`${name}\` | \``) + 1;
    const end = text.indexOf("\n", start);
    const [, label, formula] = text.slice(start, end).split("|");
    text = `${text.slice(0, start)}|${label}|${formula}| ${values.join(" | ")} |${text.slice(end)}`;
  }
  return text;
}

if (import.meta.main) console.log(writeDocs().join("\n"));
