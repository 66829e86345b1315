/** The guard: what has become slower than the last recorded run, told by ratios alone, so that it means the same on another machine. */

import type { Report, Spread } from "./report.ts";

/** Below this share of the recorded value nobody would notice a difference. */
const TRIFLE = 0.03;

export interface Verdict {
  readonly what: string;
  readonly recorded: Spread;
  readonly now: Spread;
  /** How far the median may fall. */
  readonly noise: number;
  readonly worse: boolean;
}

/**
 * Worse: the median fell by more than the wider of both runs is wide (min–max), and by more than a trifle. Of five rounds that takes more than twice the
 * standard deviation of a single one, so that fifty rows together seldom cry wolf. A row that one of the runs doesn't have isn't judged.
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

/** A line for each that is worse, and one for all. */
export function verdictText(verdicts: readonly Verdict[], recorded: Pick<Report, "at" | "commit">): string {
  const worse = verdicts.filter((verdict) => verdict.worse);
  const lines = worse.map(
    ({ what, recorded: was, now, noise }) =>
      `WORSE  ${what}: ${now.median.toFixed(3)}, was ${was.median.toFixed(3)} (noise ± ${noise.toFixed(3)})`,
  );
  const sum = `${verdicts.length} ratios compared with those of ${recorded.at.slice(0, 10)} (commit ${recorded.commit}): ${worse.length} worse`;
  return [...lines, sum].join("\n");
}
