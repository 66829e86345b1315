/**
 * Finds rows that are slower than in the last recorded run. It compares only ratios, so that the result means the same
 * on another machine.
 */

import type { Report, Spread } from "./report-as-json.ts";

/** A smaller difference, as a share of the recorded value, doesn't count. */
const TRIFLE = 0.03;

export interface Verdict {
  readonly what: string;
  readonly recorded: Spread;
  readonly now: Spread;
  /** How much the median may fall. */
  readonly noise: number;
  readonly worse: boolean;
}

/**
 * A row is worse if its median fell by more than the wider min–max range of both runs, and by more than 3 %. For five
 * rounds, this is more than twice the standard deviation of one round, so that fifty rows together seldom give a false
 * alarm. A row that one of the runs doesn't have is not compared.
 */
export function compare(recorded: Report, now: Report): Verdict[] {
  const before = ratiosOf(recorded);
  return [...ratiosOf(now)].flatMap(([what, value]) => {
    const other = before.get(what);
    return other === undefined ? [] : [judge(what, other, value)];
  });
}

export function judge(what: string, recorded: Spread, now: Spread): Verdict {
  const noise = Math.max(width(recorded), width(now), recorded.median * TRIFLE);
  return { what, recorded, now, noise, worse: recorded.median - now.median > noise };
}

function width({ min, max }: Spread): number {
  return max - min;
}

/** Shares of the reference by rate and by processor time, and relations between rows. */
function ratiosOf(report: Report): ReadonlyMap<string, Spread> {
  const ratios = new Map<string, Spread>();
  for (const { name, server, ratio, cpuRatio } of report.rows) {
    if (server !== "assent" && server !== "postgres") continue;
    if (ratio !== null) ratios.set(`${name}, × reference`, ratio);
    if (cpuRatio !== null) ratios.set(`${name}, by CPU`, cpuRatio);
  }
  for (const { label, unit, value } of report.figures) if (unit === "×") ratios.set(label, value);
  return ratios;
}

/** One line for each worse row, and one line for all rows. */
export function verdictText(verdicts: readonly Verdict[], recorded: Pick<Report, "at" | "commit">): string {
  const worse = verdicts.filter((verdict) => verdict.worse);
  const lines = worse.map(
    ({ what, recorded: was, now, noise }) =>
      `WORSE  ${what}: ${now.median.toFixed(3)}, was ${was.median.toFixed(3)} (noise ± ${noise.toFixed(3)})`,
  );
  const sum = `${verdicts.length} ratios compared with those of ${recorded.at.slice(0, 10)} (commit ${recorded.commit}): ${worse.length} worse`;
  return [...lines, sum].join("\n");
}
