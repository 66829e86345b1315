/** The report as Markdown, for a terminal and for a page. */

import type { Figure, LatencyReport, Report, RowReport, Spread } from "./report-as-json.ts";
import { peerNames } from "./rows/peer-rows.ts";

const HEAD = [
  "requests/s (min–max)",
  "× reference (min–max)",
  "by CPU",
  "goal",
  "CPU µs",
  "× oidc-provider",
  "goal",
  "p50 ms",
  "p99 ms",
  "load's CPU",
];

/** The rows below the heading of their server. */
export function tableOf(report: Report): string {
  const groups = groupsOf(report).filter(({ rows }) => rows.length > 0);
  return markdown(
    HEAD,
    groups.flatMap(({ title, rows }) => [[`**${title}**`, ...HEAD.map(() => "")], ...rows.map(cellsOf)]),
  );
}

function groupsOf(report: Report): { readonly title: string; readonly rows: readonly RowReport[] }[] {
  const of = (...servers: string[]) => report.rows.filter(({ server }) => servers.includes(server));
  return [
    { title: "limits of the machine", rows: of("bare", "inline", "batched") },
    { title: `Assent on SQLite ${report.sqlite}, \`synchronous=FULL\``, rows: of("assent") },
    {
      title: `Assent on PostgreSQL ${report.postgres}, \`fsync\` on; CPU: server + database`,
      rows: of("postgres", "postgres-statements"),
    },
    ...report.peers.map(({ name, label }) => ({ title: `${label}, in memory: stores nothing`, rows: of(name) })),
  ];
}

function cellsOf(row: RowReport): string[] {
  const { label, goal, rate, ratio, cpuRatio, peerRatio, peerGoal, cpu, databaseCpu, p50, p99, p99Goal } = row;
  const requests = row.requests === 1 ? "" : ` (${row.requests} requests)`;
  const share = row.server === "inline" ? null : ratio;
  return [
    label + requests,
    range(rate, rate.median < 1000 ? 1 : 0),
    share === null ? "" : range(share, 2),
    share === null || cpuRatio === null ? "" : cpuRatio.median.toFixed(2),
    goal === null ? "" : `≥ ${goal}`,
    cpu.median.toFixed(0) + (databaseCpu === null ? "" : ` + ${databaseCpu.median.toFixed(0)}`),
    peerRatio === null ? "" : peerRatio.median.toFixed(1),
    peerGoal === null || peerRatio === null ? "" : `≥ ${peerGoal}`,
    p50.median.toFixed(1),
    p99.median.toFixed(1) + (p99Goal === null ? "" : ` (goal ≤ ${p99Goal})`),
    `${(row.loadCpu.median * 100).toFixed(0)} %`,
  ];
}

export function figuresTable(figures: readonly Figure[]): string {
  return markdown(
    ["measured, median (min–max)", "goal"],
    figures.map(({ label, value, unit, goal }) => [
      label,
      `${range(value, unit === "×" ? 2 : 0)} ${unit}`,
      goal === null ? "" : "least" in goal ? `≥ ${goal.least} ${unit}` : `≤ ${goal.most} ${unit}`,
    ]),
  );
}

export function latencyTable(latency: readonly LatencyReport[]): string {
  return markdown(
    ["arrivals/s", "p50 ms", "p99 ms (min–max)", "p99.9 ms (min–max)", "refused (max)"],
    latency.map(({ label, server, rate, p50, p99, p999, refused }) => [
      peerNames.includes(server) ? `${server}: ${label}` : label,
      rate.toLocaleString("en"),
      p50.median.toFixed(2),
      range(p99, 1),
      range(p999, 1),
      refused === undefined ? "" : `${(refused.max * 100).toFixed(1)} %`,
    ]),
  );
}

/** The machine and the method of the measurement, one sentence each. */
export function notesOf(report: Report): string[] {
  const { machine, node, sqlite, postgres, pinned, connections, rounds, seconds, at, commit, command } = report;
  const database = postgres === null ? "" : `, PostgreSQL ${postgres}`;
  return [
    `${at.slice(0, 10)}, commit ${commit}: \`${command}\`.`,
    `${machine.cores} × ${machine.cpu}, ${(machine.memory / 2 ** 30).toFixed(0)} GiB, Linux ${machine.kernel}; Node ${node.slice(1)}, SQLite ${sqlite}${database}.`,
    `${connections} connections, ${rounds} rounds of ${seconds} s a row; ${pinned ? "servers and load on a core each" : "nothing pinned to cores"}; load average before the first round: ${machine.load.toFixed(1)}.`,
  ];
}

/** The whole report, for a terminal. */
export function textOf(report: Report): string {
  const parts = [tableOf(report), notesOf(report).join("\n")];
  if (report.figures.length > 0) parts.push(figuresTable(report.figures));
  if (report.latency.length > 0) {
    parts.push("Latency at half of the capacity, with requests at a constant rate:", latencyTable(report.latency));
  }
  return parts.join("\n\n");
}

export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [["", ...head], ["---", ...head.map(() => "---:")], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function range({ median, min, max }: Spread, digits: number): string {
  const text = (value: number) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const [low, high] = [text(min), text(max)];
  return low === high ? text(median) : `${text(median)} (${low}–${high})`;
}
