/** The page docs/reference/conformance.md: the results of a run. */

import { explanationOf } from "./explanations.ts";
import type { PlanWish } from "./plans.ts";
import { type ModuleRun, RESULTS } from "./suite-api.ts";

export interface PlanRun {
  readonly plan: Pick<PlanWish, "name" | "variant" | "without">;
  readonly modules: readonly (Pick<ModuleRun, "result" | "log"> & { readonly testModule: string })[];
}

export interface Versions {
  readonly assent: string;
  readonly suite: string;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** The modules that did not pass, and have no explanation. */
export function unexplained({ modules }: PlanRun): readonly string[] {
  return modules
    .filter(({ testModule, ...run }) => run.result !== "PASSED" && explanationOf(testModule, run) === undefined)
    .map(({ testModule }) => testModule);
}

export function resultsPage(runs: readonly PlanRun[], { assent, suite, date }: Versions): string {
  const counts = runs.map(({ plan, modules }) => [
    `\`${plan.name}\``,
    variantText(plan.variant),
    modules.length,
    ...RESULTS.map((result) => modules.filter((one) => one.result === result).length),
  ]);
  return `# Conformance
<!-- Made by \`npm run test:conformance\`; run it again instead of editing this page. -->

These are the results of the [OpenID Foundation's conformance suite](https://gitlab.com/openid/conformance-suite), version
${suite}, with Assent ${assent}, on ${date}. Assent is not certified. [CONTRIBUTING](../../CONTRIBUTING.md#conformance-suite)
says how to repeat the run.

${table(["plan", "variant", "modules", "passed", "warnings", "review", "skipped", "failed"], counts)}

With \`static_client\`, the clients are registered before the run. With \`dynamic_client\`, and in the dynamic plan, each
module registers its own, with an initial access token that an operator made for clients that don't use PKCE. The suite's
own browser signs in and allows access on Assent's pages.

## Modules that were not run

${notRun(runs)}

## Every warning, review and skip

A *review* is a page that a person must look at for a certification; no program can pass it.

${table(["module", "plans", "result", "explanation"], explained(runs))}
`;
}

function notRun(runs: readonly PlanRun[]): string {
  const rows = runs.flatMap(({ plan }) =>
    Object.entries(plan.without ?? {}).map(([name, why]) => [`\`${name}\``, shortName(plan.name), why]),
  );
  return rows.length === 0 ? "None." : table(["module", "plan", "reason"], rows);
}

function shortName(plan: string): string {
  return plan.replace(/^oidcc-|-certification-test-plan$/g, "");
}

/** One row for each module and result; plans that agree share a row. */
function explained(runs: readonly PlanRun[]): readonly (readonly string[])[] {
  const rows = new Map<string, { readonly cells: readonly [string, string, string]; readonly plans: string[] }>();
  for (const { plan, modules } of runs)
    for (const { testModule, ...run } of modules) {
      if (run.result === "PASSED") continue;
      const why = explanationOf(testModule, run) ?? "**No explanation yet.**";
      const key = JSON.stringify([testModule, run.result, why]);
      const row = rows.get(key) ?? { cells: [testModule, run.result, why], plans: [] };
      if (!row.plans.includes(shortName(plan.name))) row.plans.push(shortName(plan.name));
      rows.set(key, row);
    }
  return [...rows.values()].map(({ cells: [testModule, result, why], plans }) => [
    `\`${testModule}\``,
    plans.join(", "),
    result.toLowerCase(),
    why,
  ]);
}

function variantText(variant: Readonly<Record<string, string>>): string {
  const parts = Object.entries(variant).map(([name, value]) => `\`${name}=${value}\``);
  return parts.length === 0 ? "none" : parts.join(", ");
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
