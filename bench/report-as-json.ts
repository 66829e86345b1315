/** The results, as written to JSON. Tables, chart and comparison use only these. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { dirname } from "node:path";
import { REFERENCE } from "./rows/bare-http-rows.ts";
import { RIVAL } from "./rows/peer-rows.ts";
import type { Row } from "./rows/row.ts";
import { pinned } from "./server-processes.ts";
import type { Site } from "./start-measured-servers.ts";
import { CONNECTIONS, type Rounds, type Window, type Windows } from "./take-turns.ts";

/** Median, minimum and maximum of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface RowReport {
  readonly name: string;
  readonly label: string;
  readonly server: string;
  readonly requests: number;
  readonly goal: number | null;
  readonly peerGoal: number | null;
  readonly p99Goal: number | null;
  readonly rate: Spread;
  /** The ratio to the reference of the same round; null: the reference was not measured. */
  readonly ratio: Spread | null;
  /** The same ratio in processor time, which other work on the machine affects less. */
  readonly cpuRatio: Spread | null;
  /** The ratio to the same work of oidc-provider in the same round. */
  readonly peerRatio: Spread | null;
  readonly cpu: Spread;
  readonly databaseCpu: Spread | null;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly loadCpu: Spread;
}

/** One value outside the table. */
export interface Figure {
  readonly name: string;
  readonly label: string;
  readonly value: Spread;
  readonly unit: "×" | "ms" | "MiB";
  /** The goal: at least or at most this value. */
  readonly goal: { readonly least: number } | { readonly most: number } | null;
}

/** Latency at half of the capacity, with requests at a constant rate. */
export interface LatencyReport {
  readonly name: string;
  readonly label: string;
  readonly server: string;
  /** Arrivals a second. */
  readonly rate: number;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly p999: Spread;
  /** The share of requests that the server refused because it was overloaded. Reports before 2026-11-26 lack it. */
  readonly refused?: Spread;
}

export interface Report {
  readonly at: string;
  readonly commit: string;
  readonly command: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memory: number;
    readonly kernel: string;
    /** The load average before the first round. Above 0.5, other programs were running. */
    readonly load: number;
  };
  readonly node: string;
  readonly sqlite: string;
  readonly postgres: string | null;
  readonly peers: readonly { readonly name: string; readonly label: string; readonly note: string }[];
  readonly pinned: boolean;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly RowReport[];
  readonly figures: readonly Figure[];
  readonly latency: readonly LatencyReport[];
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The relation of one row to another, computed within each round. */
export function against(
  own: readonly Window[] | undefined,
  others: readonly Window[] | undefined,
  ratio: (own: Window, other: Window) => number = (one, other) => one.rate / other.rate,
): Spread | null {
  const ratios = (own ?? []).flatMap((window, at) => {
    const other = others?.[at];
    return other === undefined ? [] : [ratio(window, other)];
  });
  return ratios.length === 0 ? null : spread(ratios);
}

export function rowReports(rows: readonly Row[], windows: Windows): RowReport[] {
  return rows.map((row) => {
    const own = windows.get(row.name) ?? [];
    const of = (key: keyof Window) => spread(own.map((window) => window[key]));
    const rival = rows.find(({ server, operation }) => server === RIVAL && operation === row.operation);
    const databaseCpu = of("databaseCpu");
    return {
      name: row.name,
      label: row.label,
      server: row.server,
      requests: row.requests ?? 1,
      goal: row.goal ?? null,
      peerGoal: row.peerGoal ?? null,
      p99Goal: row.p99Goal ?? null,
      rate: of("rate"),
      ratio: against(own, windows.get(REFERENCE)),
      cpuRatio: against(own, windows.get(REFERENCE), (one, other) => other.cpu / one.cpu),
      peerRatio: rival === undefined || row.server === RIVAL ? null : against(own, windows.get(rival.name)),
      cpu: of("cpu"),
      databaseCpu: databaseCpu.max > 0 ? databaseCpu : null,
      p50: of("p50"),
      p99: of("p99"),
      loadCpu: of("loadCpu"),
    };
  });
}

/** Everything except the results. Call it before the first round, because it reads how busy the machine is. */
export function circumstances(command: string, { rounds, seconds }: Rounds) {
  const [load = 0] = loadavg();
  return {
    at: new Date().toISOString(),
    commit: commit(),
    command,
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memory: totalmem(),
      kernel: release(),
      load,
    },
    node: process.version,
    sqlite: process.versions["sqlite"] ?? "",
    pinned: pinned(),
    connections: CONNECTIONS,
    rounds,
    seconds,
  };
}

export function reportOf(
  begun: ReturnType<typeof circumstances>,
  site: Pick<Site, "rows" | "peers" | "postgres">,
  windows: Windows,
  rest: Pick<Report, "figures" | "latency">,
): Report {
  return {
    ...begun,
    postgres: site.postgres ?? null,
    peers: site.peers,
    rows: rowReports(site.rows, windows),
    ...rest,
  };
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "";
  }
}

/** The results are not more exact than four digits. */
export function save(report: object, file: string): void {
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(5)) : value);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, rounded, 2)}\n`);
}

/** Undefined: there is no value. */
export function load<T = Report>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
