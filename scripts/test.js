/**
 * `npm test`: formatting and lint, types, then every test; all run even when one fails. With arguments, those go to
 * vitest and nothing else runs (`npm test -- storage`). `--quick`, which is `npm run test:quick`: lint, types, and what
 * quick.js lists. The last line counts what passed and failed.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runsOnNewEnoughNode } from "../packages/cli/bin/runtime.js";
import { quick } from "./quick.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "node_modules", ".bin");

const checks = [
  { name: "lint", command: ["biome", "check", "--error-on-warnings", "."] },
  { name: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "types of oauth/ alone", command: ["tsc", "-p", "packages/server/src/oauth/tsconfig.json"] },
];

/** Runs one tool with its output on ours. Gives its name, whether it ended well, and how long it took. */
function run(name, [tool, ...args]) {
  console.log(`\n▸ ${name}: ${[tool, ...args].join(" ")}`);
  const started = performance.now();
  const { status, signal, error } = spawnSync(join(tools, tool), args, {
    cwd: root,
    stdio: "inherit",
    // The tools' own first lines ask for "node": let them have this one.
    env: { ...process.env, PATH: [dirname(process.execPath), tools, process.env.PATH].join(delimiter) },
  });
  if (error) console.error(`${tool} could not be started: ${error.message}`);
  if (signal) console.error(`${tool} was ended by ${signal}.`);
  return { name, ok: status === 0, seconds: (performance.now() - started) / 1000 };
}

/** What vitest's JSON report counts, and the names of what failed. A file that did not load counts as one failure. */
function readReport(file) {
  const report = JSON.parse(readFileSync(file, "utf8"));
  const cases = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (...statuses) => cases.filter(({ status }) => statuses.includes(status)).length;
  const failures = cases.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  for (const { status, name, assertionResults } of report.testResults) {
    const blamed = assertionResults.some((each) => each.status === "failed");
    if (status === "failed" && !blamed) failures.push(`${relative(root, name)} (did not load or clean up)`);
  }
  return { passed: count("passed"), skipped: count("skipped", "pending", "todo", "disabled"), failures };
}

/** Runs vitest with these arguments: its step, and its counts. */
function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "assent-test-"));
  const file = join(folder, "report.json");
  try {
    const own = ["skipped", "slowest"].map((name) => `./scripts/${name}-reporter.js`);
    const reporters = ["default", ...own, "json"].map((name) => `--reporter=${name}`);
    const step = run("tests", ["vitest", "run", ...reporters, `--outputFile.json=${file}`, ...args]);
    let counts;
    try {
      counts = readReport(file);
    } catch (error) {
      counts = { passed: 0, skipped: 0, failures: [`vitest left no report (${error.message})`] };
    }
    if (!step.ok && counts.failures.length === 0) counts.failures.push("vitest failed outside of any test");
    return { step, counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function main(asked) {
  const isQuick = asked[0] === "--quick";
  const args = isQuick ? ["--project", "node", ...quick, ...asked.slice(1)] : asked;
  const steps = isQuick || args.length === 0 ? checks.map(({ name, command }) => run(name, command)) : [];
  const { step, counts } = runTests(args);
  const failures = [...steps.filter(({ ok }) => !ok).map(({ name }) => name), ...counts.failures];
  const passed = steps.filter(({ ok }) => ok).length + counts.passed;

  console.log("");
  for (const { name, ok, seconds } of [...steps, step]) {
    console.log(`${ok ? "✓" : "✗"} ${name} (${seconds.toFixed(1)} s)`);
  }
  for (const failure of failures) console.log(`  failed: ${failure}`);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  console.log(`\n${passed} passed, ${failures.length} failed${skipped}`);
  process.exitCode = failures.length > 0 || !step.ok ? 1 : 0;
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) main(process.argv.slice(2));
