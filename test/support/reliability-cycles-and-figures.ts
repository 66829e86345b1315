/** Prints the results of reliability tests, and says how often a test repeats a case. */

import { appendFileSync } from "node:fs";

/** True if the long form was requested. */
export const inFull = process.env["ASSENT_TEST_CYCLES"] !== undefined;

/** True in `npm run test:reliability`, with any options. `npm test` has time for less. */
export const inReliability = process.env["ASSENT_TEST_RELIABILITY"] !== undefined;

/**
 * Number of repetitions: `everyRun` in `npm test`, `usual` in `npm run test:reliability`. There, `--cycles N` sets
 * another number.
 */
export function cyclesOf(usual: number, everyRun = usual): number {
  const otherwise = inReliability ? usual : everyRun;
  const asked = Number(process.env["ASSENT_TEST_CYCLES"] ?? otherwise);
  return Number.isInteger(asked) && asked > 0 ? asked : otherwise;
}

/** The value of `--rows N` or `--minutes N`. Default: `otherwise`. */
export function asked(what: "rows" | "minutes", otherwise: number): number {
  const value = Number(process.env[`ASSENT_TEST_${what.toUpperCase()}`] ?? otherwise);
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}

/** Prints `REL-01 …: …`, even if the test runner captures the output. */
export function figure(id: string, what: string, seen: Readonly<Record<string, number | string>>): void {
  const line = `${id} ${what}: ${Object.entries(seen)
    .map(([name, value]) => `${typeof value === "number" ? round(value) : value} ${name}`)
    .join(", ")}`;
  console.info(line);
  const file = process.env["ASSENT_TEST_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}

/** The value below which this share of the list lies; 0 for an empty one. */
export function quantile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
