import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { quick } from "../scripts/quick-test-list.js";

const root = join(import.meta.dirname, "..");
const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const PASSES = `import { test } from "vitest"; test("passes", () => {});`;
const FAILS = `import { test } from "vitest"; test("fails", () => { throw new Error("on purpose"); });`;
const SKIPS = `import { test } from "vitest"; test("waits", ({ skip }) => skip("there is no moon tonight"));`;
const BREAKS = `import "./nowhere.ts";`;
const STRAYS = `import { test } from "vitest";
  test("leaves work behind", () => { setTimeout(() => { throw new Error("nobody caught this"); }, 10); });
  test("ends later", () => new Promise((resolve) => setTimeout(resolve, 100)));`;

/** A checkout with these tests instead of ours. Its sources pass the other steps, unless `source` is faulty. */
function runIn(tests: Record<string, string>, args: string[], source = "export const one = 1;\n") {
  const folder = mkdtempSync(join(tmpdir(), "assent-test-command-"));
  made.push(folder);
  for (const file of [
    ...["test", "quick-test-list", "skipped-reporter", "slowest-reporter", "escaped-errors-reporter"].map(
      (name) => `scripts/${name}.js`,
    ),
    "packages/cli/bin/runtime.js",
  ]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  const oauth = join(folder, "packages", "server", "src", "oauth");
  mkdirSync(oauth, { recursive: true });
  const compilerOptions = { strict: true, noEmit: true, types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["packages"] }));
  writeFileSync(join(oauth, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["."] }));
  writeFileSync(join(oauth, "one.ts"), source);
  writeFileSync(join(folder, "biome.json"), '{ "files": { "includes": ["packages/server/**/*.ts"] } }\n');
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(folder, "vitest.config.ts"),
    'export default { test: { name: "node", include: ["**/*.test.ts"] } };\n',
  );
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(tests)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, `${name}.test.ts`), text);
  }
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_ENV|TEST|DEV|PROD|MODE)/.test(name),
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, ["scripts/test.js", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1" },
    timeout: 60_000,
  });
  return { status, output: stdout + stderr, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

test("a failing test, a file that does not load, a skipped test → each counted, the reason shown, exit 1", () => {
  const tests = { passes: PASSES, fails: FAILS, skips: SKIPS, breaks: BREAKS };
  const { status, output, lastLine } = runIn(tests, ["--maxWorkers=1"]);
  expect(lastLine).toBe("1 passed, 2 failed, 1 skipped");
  expect(output).toContain("failed: breaks.test.ts (did not load or clean up)");
  expect(output).toContain("skipped: waits: there is no moon tonight");
  expect(status).toBe(1);
}, 60_000);

test("files that took longest → named at the end with their seconds, ten of them", () => {
  const slow = `import { test } from "vitest"; test("waits", () => new Promise((resolve) => setTimeout(resolve, 1500)));`;
  const quick = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`quick-${at}`, PASSES]));
  const { output } = runIn({ slow, ...quick }, ["--maxWorkers=1"]);
  const [, told = ""] = output.split("slowest files:");
  const lines = told.split("\n").filter((line) => line.includes(".test.ts"));
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/^ +\d+\.\d s {2}slow\.test\.ts \(node\)$/);
}, 60_000);

test("quick → lint, types and the tests that are listed; each on the list leads to a test", () => {
  const { output, lastLine } = runIn({ "test/flows/refresh": PASSES, "test/flows/other": FAILS }, ["--quick"]);
  expect(output).toMatch(/✓ lint/);
  expect(lastLine).toBe("4 passed, 0 failed");
  const files = globSync("{packages/*/test,test}/**/*.test.ts", { cwd: root });
  expect(quick.filter((part) => !files.some((path) => path.includes(part)))).toEqual([]);
}, 60_000);

test("in a whole run, a test that fails twice, and an error outside of any test that occurs twice → failures", () => {
  const { status, output, lastLine } = runIn({ fails: FAILS, strays: STRAYS, passes: PASSES }, []);
  expect(output).toContain("failed: strays.test.ts (an error outside of any test)");
  expect(lastLine).toBe("6 passed, 2 failed");
  expect(status).toBe(1);
}, 60_000);

test("in a whole run, what fails or escapes once → named as unsteady", () => {
  const once = `import { existsSync, writeFileSync } from "node:fs"; import { test } from "vitest";
    test("fails once", () => { if (existsSync("seen")) return; writeFileSync("seen", ""); throw new Error("by chance"); });`;
  const stray = `import { existsSync, writeFileSync } from "node:fs";
    if (!existsSync("escaped")) setTimeout(() => { writeFileSync("escaped", ""); throw new Error("by chance"); }, 10);
    ${STRAYS.replace("throw", "if (false) throw")}`;
  const { status, output, lastLine } = runIn({ once, stray, passes: PASSES }, []);
  expect(output).toContain("unsteady, mend it: fails once");
  expect(output).toContain("unsteady, mend it: stray.test.ts (an error outside of any test)");
  expect(lastLine).toMatch(/ 0 failed$/);
  expect(status).toBe(0);
}, 60_000);

test("an error outside of any test → a failure that names the file, exit 1", () => {
  const { status, output, lastLine } = runIn({ strays: STRAYS }, ["--maxWorkers=1"]);
  expect(output).toContain("failed: strays.test.ts (an error outside of any test)");
  expect(lastLine).toBe("2 passed, 1 failed");
  expect(status).toBe(1);
}, 60_000);

test("arguments that match no test → a failure, not a silent success", () => {
  const { status, lastLine } = runIn({ passes: PASSES }, ["nonexistent"]);
  expect(lastLine).toBe("0 passed, 1 failed");
  expect(status).toBe(1);
}, 60_000);

test("a type error in oauth/ → both steps of types fail, the tests run all the same", () => {
  const { status, output, lastLine } = runIn({ passes: PASSES }, [], "export const one: string = 1;\n");
  expect(output).toMatch(/✗ types \(\d+\.\d s\)/);
  expect(output).toMatch(/✓ tests \(\d+\.\d s\)/);
  expect(lastLine).toBe("2 passed, 2 failed");
  expect(status).toBe(1);
}, 60_000);

test("arguments → go to vitest, and nothing else runs; all passes → exit 0", () => {
  const { status, output, lastLine } = runIn({ passes: PASSES, fails: FAILS }, ["passes"]);
  expect(lastLine).toBe("1 passed, 0 failed");
  expect(output).not.toContain("biome");
  expect(status).toBe(0);
}, 60_000);
