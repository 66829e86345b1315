/** The goals that the run reached, and those that it missed. */

import type { Report, RowReport } from "./report-as-json.ts";

export interface Goal {
  readonly what: string;
  readonly measured: number;
  readonly goal: number;
  /** True: the value should be at least this number. False: at most. */
  readonly least: boolean;
  readonly unit: string;
}

/** Every goal of a row or a figure, with the measured median. */
export function goalsOf({ rows, figures }: Report): Goal[] {
  return [
    ...rows.flatMap(goalsOfRow),
    ...figures.flatMap(({ label, value, unit, goal }): Goal[] => {
      if (goal === null) return [];
      const least = "least" in goal;
      return [{ what: label, measured: value.median, goal: least ? goal.least : goal.most, least, unit }];
    }),
  ];
}

function goalsOfRow({ label, ratio, goal, peerRatio, peerGoal, p99, p99Goal }: RowReport): Goal[] {
  const goals: Goal[] = [];
  if (goal !== null && ratio !== null)
    goals.push({ what: label, measured: ratio.median, goal, least: true, unit: "× reference" });
  if (peerGoal !== null && peerRatio !== null)
    goals.push({ what: label, measured: peerRatio.median, goal: peerGoal, least: true, unit: "× oidc-provider" });
  if (p99Goal !== null)
    goals.push({ what: `${label}, p99`, measured: p99.median, goal: p99Goal, least: false, unit: "ms" });
  return goals;
}

export function isReached({ measured, goal, least }: Goal): boolean {
  return least ? measured >= goal : measured <= goal;
}

/** Two lists, as Markdown. */
export function goalsText(report: Report): string {
  const goals = goalsOf(report);
  const lines = (some: readonly Goal[]) => some.map((goal) => `- ${told(goal)}`).join("\n");
  const missed = goals.filter((goal) => !isReached(goal));
  const reached = goals.filter(isReached);
  const parts = [`**Goals reached: ${reached.length} of ${goals.length}.**`];
  if (missed.length > 0) parts.push("Missed:", lines(missed));
  if (reached.length > 0) parts.push("Reached:", lines(reached));
  return parts.join("\n\n");
}

function told({ what, measured, goal, least, unit }: Goal): string {
  const digits = unit === "MiB" || (unit === "ms" && measured > 50) ? 0 : unit === "ms" ? 1 : 2;
  return `${what}: ${measured.toFixed(digits)} ${unit} (goal ${least ? "≥" : "≤"} ${goal})`;
}
