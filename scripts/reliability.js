/**
 * The reliability suite. It prints its figures at the end, one line each. A name is a part of a file name in
 * test/reliability, or one of `BESIDE`.
 *
 * `npm run test:reliability -- [--cycles N] [name…]`: N repetitions of each case; without N, a hundred of most.
 * `npm run test:reliability -- --release [name…]`: the number of repetitions for a release; `--plan` prints the numbers
 * and the time.
 * `--rows N`: number of expired rows for `garbage`. `--minutes N`: how long `restore` makes backups under load, `slow`
 * has slow clients, each of the two suites of `fuzz` tries inputs, and `soak` runs.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runsOnNewEnoughNode } from "../packages/cli/bin/runtime.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/**
 * The size of a release run: repetitions of each file's cases, and their approximate minutes on two processors without
 * other work.
 */
const RELEASE = [
  ["kill", 3000, 80],
  ["single-use-of-assertions", 500, 6],
  ["races-between-processes", 1000, 3],
  ["full-disk", 500, 3],
  ["drain", 100, 2],
  ["failover", 100, 4],
  ["postgres-outage", 200, 3],
  ["key-rotation", 100, 1],
  ["several-nodes", 50, 6],
  ["overload", 30, 3],
  ["slow-clients", 1, 3],
  ["database-growth", 200, 2],
  ["housekeeping-under-load", 10, 1],
  ["restore", 20, 1],
  ["upgrade", 10, 1],
  ["interrupted-operator-commands", 25, 2],
  ["wrong-configuration", 1, 1],
  ["first-start", 1, 1],
  ["secrets-in-logs-and-database", 1, 1],
  ["end-of-a-client", 20, 2],
  ["postgres-backup", 1, 1],
  ["password-time", 500, 3],
  ["sign-in-model", 300, 25],
  ["fuzz", 1, 20],
  ["contract", 200, 6],
  ["model", 450, 1],
  ["postgres", 1, 5],
  ["pages", 1, 3],
  ["citus", 3, 40],
];

/**
 * Tests in other folders that take too long for `npm test`: all four kinds of databases, more sequences, more of the
 * flows on PostgreSQL, every state of every page, and a Citus cluster.
 */
const BESIDE = {
  contract: ["packages/server/test/storage/contract/"],
  model: ["packages/server/test/storage/model.test.ts"],
  postgres: [
    ...["--project=postgres", "--project=postgres-browser"],
    ...["test/flows/", "test/attacks/", "test/browser/"],
  ],
  pages: ["--project=browser", "packages/server/test/pages/", "test/browser/every-page"],
  citus: ["--project=citus"],
};

/** The arguments of vitest for the tests that a name stands for. */
function testsOf(name) {
  return BESIDE[name.replace(/\.$/, "")] ?? [`test/reliability/${name}`];
}

const tools = join(root, "node_modules", ".bin");

/** Runs the files whose name contains this text. Returns vitest's exit code. */
function run(name, figures, cycles, { rows, minutes }) {
  const { status } = spawnSync(
    join(tools, "vitest"),
    // Run one file at a time: the tests measure, and other files would take their processor time.
    ["run", "--no-file-parallelism", ...testsOf(name)],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        ...(cycles === undefined ? {} : { ASSENT_TEST_CYCLES: String(cycles) }),
        ...(rows === undefined ? {} : { ASSENT_TEST_ROWS: rows }),
        ...(minutes === undefined ? {} : { ASSENT_TEST_MINUTES: minutes }),
        ASSENT_TEST_RELIABILITY: "1",
        ASSENT_TEST_FIGURES: figures,
        PATH: [dirname(process.execPath), tools, process.env.PATH].join(delimiter),
      },
    },
  );
  return status ?? 1;
}

function main(args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      ...{ cycles: { type: "string" }, rows: { type: "string" }, minutes: { type: "string" } },
      ...{ release: { type: "boolean" }, plan: { type: "boolean" } },
    },
    allowPositionals: true,
  });
  const wrong = ["cycles", "rows", "minutes"].find((name) => !/^[1-9]\d*$/.test(values[name] ?? "1"));
  if (wrong !== undefined) {
    console.error(`--${wrong} takes a whole number from 1 on`);
    process.exitCode = 2;
    return;
  }
  const wanted = RELEASE.filter(([name]) => positionals.length === 0 || positionals.some((one) => name.includes(one)));
  if (values.plan) {
    for (const [name, times, minutes] of wanted) console.log(`${name}: ${times} cycles, about ${minutes} min`);
    console.log(`together: about ${wanted.reduce((sum, [, , minutes]) => sum + minutes, 0)} min`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "assent-figures-"));
  const figures = join(folder, "figures");
  const runs = values.release
    ? wanted.map(([name, times]) => [`${name}.`, times])
    : (positionals.length === 0 ? ["", ...Object.keys(BESIDE)] : positionals).map((name) => [name, values.cycles]);
  const codes = runs.map(([name, times]) => run(name, figures, times, values));
  console.log(`\n${existsSync(figures) ? readFileSync(figures, "utf8").trimEnd() : "no figures"}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = codes.find((code) => code !== 0) ?? 0;
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) main(process.argv.slice(2));
