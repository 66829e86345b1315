/**
 * `npm test`: formatting and lint, then types beside every test; all run even when one fails, and the few files that
 * failed run once more by themselves. With arguments, those go to vitest and nothing else runs (`npm test -- storage`).
 * `--quick`, which is `npm run test:quick`: lint, types, and what quick-test-list.js lists. The last line counts what
 * passed and failed.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runsOnNewEnoughNode } from "../packages/cli/bin/runtime.js";
import { quick } from "./quick-test-list.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "node_modules", ".bin");

const lint = { name: "lint", command: ["biome", "check", "--error-on-warnings", "."] };
/** These use one core. The tests often wait, so both together take less time. */
const types = [
  { name: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "types of oauth/ alone", command: ["tsc", "-p", "packages/server/src/oauth/tsconfig.json"] },
];

/**
 * Runs one tool with these variables besides ours and shows its output, unless it is kept for `later`. Resolves with its
 * name, whether it succeeded, its duration, and what was kept.
 */
function run(name, [tool, ...args], { variables = {}, later = false } = {}) {
  const title = `\n▸ ${name}: ${[tool, ...args].join(" ")}`;
  if (!later) console.log(title);
  const started = performance.now();
  const child = spawn(join(tools, tool), args, {
    cwd: root,
    stdio: later ? ["inherit", "pipe", "pipe"] : "inherit",
    // The first line of a tool's file asks for "node", so put this Node.js first on the path.
    env: { ...process.env, ...variables, PATH: [dirname(process.execPath), tools, process.env.PATH].join(delimiter) },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => {
    const end = (ok, trouble) => {
      if (trouble) console.error(trouble);
      resolve({ name, ok, seconds: (performance.now() - started) / 1000, kept: later ? `${title}\n${output}` : "" });
    };
    child.on("error", (error) => end(false, `${tool} could not be started: ${error.message}`));
    child.on("close", (status, signal) => end(status === 0, signal ? `${tool} was ended by ${signal}.` : undefined));
  });
}

/** One after the other. */
async function checkTypes() {
  const steps = [];
  for (const { name, command } of types) steps.push(await run(name, command, { later: true }));
  return steps;
}

/**
 * The counts in vitest's JSON report, and the names and files of the failed tests. A file that did not load counts as
 * one failure.
 */
function readReport(file) {
  const report = JSON.parse(readFileSync(file, "utf8"));
  const cases = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (...statuses) => cases.filter(({ status }) => statuses.includes(status)).length;
  const failures = cases.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const files = new Set();
  for (const { status, name, assertionResults } of report.testResults) {
    if (status === "failed") files.add(relative(root, name));
    const blamed = assertionResults.some((each) => each.status === "failed");
    if (status === "failed" && !blamed) failures.push(`${relative(root, name)} (did not load or clean up)`);
  }
  return {
    passed: count("passed"),
    skipped: count("skipped", "pending", "todo", "disabled"),
    failures,
    files: [...files],
  };
}

/** The files in which an error escaped from every test (escaped-errors-reporter.js); none if vitest did not end its run. */
function readStrays(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

/** Runs vitest with these arguments, and variables besides ours. Returns its step and its counts. */
async function runTests(args, variables = {}) {
  const folder = mkdtempSync(join(tmpdir(), "assent-test-"));
  const file = join(folder, "report.json");
  try {
    const straysFile = join(folder, "strays.json");
    const own = ["skipped", "slowest", "escaped-errors"].map((name) => `./scripts/${name}-reporter.js`);
    const reporters = ["default", ...own, "json"].map((name) => `--reporter=${name}`);
    const command = ["vitest", "run", ...reporters, `--outputFile.json=${file}`, ...args];
    const step = await run("tests", command, { variables: { ASSENT_TEST_STRAYS: straysFile, ...variables } });
    let counts;
    try {
      counts = readReport(file);
    } catch (error) {
      counts = { passed: 0, skipped: 0, failures: [`vitest left no report (${error.message})`], files: [] };
    }
    for (const stray of readStrays(straysFile)) {
      counts.failures.push(`${stray} (an error outside of any test)`);
      if (!counts.files.includes(stray)) counts.files.push(stray);
    }
    if (!step.ok && counts.failures.length === 0) {
      counts = { ...counts, failures: ["vitest failed outside of any test"], files: [] };
    }
    return { step, counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** If more files fail, the cause is not chance. */
const MOST_UNSTEADY = 3;

/**
 * Runs the few files that failed in a whole run once more, without other files. A failure counts if it occurs again, or
 * if this run has another failure. A test that passes now is unsteady: it is printed, so that somebody fixes the test
 * or the race that it found.
 */
async function runAgain({ step, counts }) {
  if (counts.files.length === 0 || counts.files.length > MOST_UNSTEADY) return { step, counts, unsteady: [] };
  console.log("\nOnce more, without the other files:");
  const again = await runTests(["--no-file-parallelism", ...counts.files]);
  if (!again.step.ok) return { step, counts, unsteady: [] };
  const passed = counts.passed + counts.failures.length;
  return { step: { ...step, ok: true }, counts: { ...counts, passed, failures: [] }, unsteady: counts.failures };
}

async function main(asked) {
  const isQuick = asked[0] === "--quick";
  const args = isQuick ? ["--project", "node", ...quick, ...asked.slice(1)] : asked;
  const isWhole = asked.length === 0;
  const steps = [];
  if (isQuick || isWhole) steps.push(await run(lint.name, lint.command));
  const [checked, tested] = await Promise.all([
    isQuick || isWhole ? checkTypes() : [],
    runTests(args, isWhole ? { ASSENT_TEST_WHOLE: "1" } : {}),
  ]);
  for (const { kept } of checked) console.log(kept.trimEnd());
  steps.push(...checked);
  const { step, counts, unsteady = [] } = isWhole ? await runAgain(tested) : tested;
  const failures = [...steps.filter(({ ok }) => !ok).map(({ name }) => name), ...counts.failures];
  const passed = steps.filter(({ ok }) => ok).length + counts.passed;

  console.log("");
  for (const { name, ok, seconds } of [...steps, step]) {
    console.log(`${ok ? "✓" : "✗"} ${name} (${seconds.toFixed(1)} s)`);
  }
  for (const name of unsteady) console.log(`  unsteady, mend it: ${name} (failed, then passed by itself)`);
  for (const failure of failures) console.log(`  failed: ${failure}`);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  console.log(`\n${passed} passed, ${failures.length} failed${skipped}`);
  process.exitCode = failures.length > 0 || !step.ok ? 1 : 0;
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) await main(process.argv.slice(2));
