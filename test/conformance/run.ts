/**
 * `npm run test:conformance -- --suite https://localhost:8443 [--plan TEXT]`: runs the certification plans of the OpenID
 * Foundation's conformance suite against this checkout, and writes docs/reference/conformance.md. With `--plan`, it runs
 * only the plans whose name contains the text, and writes nothing. Exit code 1: a module failed, or has a result that
 * nothing explains.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { configurationOf, type PlanWish, plans } from "./plans.ts";
import { type Provider, startProvider } from "./provider.ts";
import { type PlanRun, resultsPage, unexplained } from "./results-page.ts";
import { NoSuite, Suite } from "./suite-api.ts";

const root = join(import.meta.dirname, "..", "..");
const PAGE = join(root, "docs", "reference", "conformance.md");
const DEFAULT_SUITE = "https://localhost:8443";

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { suite: { type: "string" }, plan: { type: "string" } } });
  const address = values.suite ?? DEFAULT_SUITE;
  const wanted = plans.filter(({ name, alias }) => `${name} ${alias}`.includes(values.plan ?? ""));
  if (!URL.canParse(address) || !address.startsWith("https://")) return wrong(`--suite wants an https URL: ${address}`);
  if (wanted.length === 0) return wrong(`no plan has “${values.plan}” in its name`);
  const suite = await Suite.at(address).catch((error: Error) => error);
  if (suite instanceof NoSuite)
    return wrong(
      `No conformance suite answers at ${address} (${suite.message}).\nStart the suite on this machine first, and name it with --suite. CONTRIBUTING.md says what it needs.`,
    );
  if (suite instanceof Error) throw suite;

  const provider = await startProvider(suite.certificate);
  const runs: PlanRun[] = [];
  try {
    for (const plan of wanted) runs.push(await runPlan(plan, suite, provider));
  } finally {
    await provider.stop();
  }
  if (values.plan === undefined) {
    writeFileSync(PAGE, resultsPage(runs, { assent: ownVersion(), suite: await suite.version(), date: today() }));
    console.log(`\nThe results are in ${PAGE}`);
  }
  return runs.some((run) => unexplained(run).length > 0) ? 1 : 0;
}

async function runPlan(wish: PlanWish, suite: Suite, provider: Provider): Promise<PlanRun> {
  console.log(`\n${wish.name}`);
  const plan = await suite.createPlan(wish.name, wish.variant, await configurationOf(wish, suite.url, provider));
  const modules: PlanRun["modules"][number][] = [];
  for (const module of plan.modules) {
    if (wish.without?.[module.testModule] !== undefined) continue;
    const prepare = module.testModule === "oidcc-server-rotate-keys" ? () => provider.rotateKeys() : undefined;
    const run = await suite.run(plan, module, prepare);
    modules.push({ ...run, testModule: module.testModule });
    console.log(`  ${run.result.padEnd(8)} ${module.testModule}`);
    if (run.result !== "FAILED" && run.result !== "WARNING") continue;
    console.log(`           ${new URL(`/log-detail.html?log=${run.id}`, suite.url)}`);
    for (const { src, msg } of run.log.filter(({ result }) => result === "FAILURE" || result === "WARNING"))
      console.log(`           ${src}: ${msg}`);
  }
  const result = { plan: wish, modules };
  for (const name of unexplained(result)) console.log(`  No explanation in test/conformance/explanations.ts: ${name}`);
  return result;
}

function wrong(message: string): 2 {
  console.error(message);
  return 2;
}

/** `0.1.0 (f3a41c2)`. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  return `${version} (${execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim()})`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

process.exitCode = await main(process.argv.slice(2));
