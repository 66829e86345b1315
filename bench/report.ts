/** What was measured, as a table and as JSON. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { RowName } from "./rows.ts";

/** One row in one round. */
export interface Window {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's CPU for one request, all threads. */
  readonly cpu: number;
  /** Bytes of memory that the server holds at the end. */
  readonly rss: number;
  /** Share of its core that the load used: near 1, it is the load that was measured. */
  readonly loadCpu: number;
}

/** Median, least and greatest of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface RowReport {
  readonly name: RowName;
  readonly label: string;
  readonly goal: number | null;
  readonly rate: Spread;
  /** To the reference of the same round; null: the reference was not measured. */
  readonly ratio: Spread | null;
  /** The same by the CPU that each took, which what else runs on the machine disturbs less. */
  readonly cpuRatio: Spread | null;
  readonly cpu: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly loadCpu: Spread;
}

export interface Report {
  readonly at: string;
  readonly command: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memory: number };
  readonly node: string;
  readonly pinned: boolean;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly RowReport[];
  /** Milliseconds; null: not measured. */
  readonly firstToken: Spread | null;
  /** Bytes. */
  readonly rss: { readonly idle: number; readonly loaded: number } | null;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The windows of a row, with those of the reference in the same rounds. */
export function rowReport(
  row: { readonly name: RowName; readonly label: string; readonly goal?: number },
  windows: readonly Window[],
  reference: readonly Window[] | undefined,
): RowReport {
  const of = (key: keyof Window) => spread(windows.map((window) => window[key]));
  const against = (ratio: (own: Window, other: Window) => number) =>
    reference === undefined
      ? null
      : spread(windows.flatMap((own, at) => (reference[at] === undefined ? [] : [ratio(own, reference[at])])));
  return {
    name: row.name,
    label: row.label,
    goal: row.goal ?? null,
    rate: of("rate"),
    ratio: against((own, other) => own.rate / other.rate),
    cpuRatio: against((own, other) => other.cpu / own.cpu),
    cpu: of("cpu"),
    p50: of("p50"),
    p99: of("p99"),
    loadCpu: of("loadCpu"),
  };
}

/** A Markdown table: the same on a terminal and on a page. */
export function tableOf(report: Report): string {
  const head = [
    "",
    "requests/s (min–max)",
    "× reference (min–max)",
    "by CPU",
    "goal",
    "CPU µs",
    "p50 ms",
    "p99 ms",
    "load's CPU",
  ];
  const rows = report.rows.map(({ label, goal, rate, ratio, cpuRatio, cpu, p50, p99, loadCpu }) => [
    label,
    range(rate, 0),
    ratio === null ? "" : range(ratio, 2),
    cpuRatio === null ? "" : cpuRatio.median.toFixed(2),
    goal === null ? "" : `≥ ${goal}`,
    cpu.median.toFixed(0),
    p50.median.toFixed(1),
    p99.median.toFixed(1),
    `${(loadCpu.median * 100).toFixed(0)} %`,
  ]);
  const lines = [head, head.map((_, at) => (at === 0 ? "---" : "---:")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function notesOf({ machine, node, pinned, connections, rounds, seconds, firstToken, rss }: Report): string {
  const lines = [
    `${machine.cores} × ${machine.cpu}, ${(machine.memory / 2 ** 30).toFixed(0)} GiB; Node ${node}`,
    `${connections} connections, ${rounds} rounds of ${seconds} s a row; ${pinned ? "server and load on a core each" : "not pinned to cores"}`,
  ];
  if (firstToken !== null) lines.push(`start to first token: ${range(firstToken, 0)} ms`);
  if (rss !== null)
    lines.push(`memory (RSS): ${mebibytes(rss.idle)} idle, ${mebibytes(rss.loaded)} at most under load`);
  return lines.join("\n");
}

export function save(report: Report, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}

function range({ median, min, max }: Spread, digits: number): string {
  const text = (value: number) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(median)} (${text(min)}–${text(max)})`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
