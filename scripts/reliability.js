/**
 * `npm run test:reliability -- [--cycles N] [name…]`: the reliability suite with as many repetitions as you have time for (3,000 is a release's), and
 * its figures, one line each, at the end. A name is part of a file's in test/reliability: `npm run test:reliability -- --cycles 1000 kill`.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runsOnNewEnoughNode } from "../packages/cli/bin/runtime.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "node_modules", ".bin");

function main(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { cycles: { type: "string", default: "100" } },
    allowPositionals: true,
  });
  const cycles = Number(values.cycles);
  if (!Number.isInteger(cycles) || cycles < 1) {
    console.error("--cycles takes a whole number from 1 on");
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "assent-figures-"));
  const figures = join(folder, "figures");
  const names = positionals.length === 0 ? [""] : positionals;
  const { status } = spawnSync(
    join(tools, "vitest"),
    // One file at a time: they measure, and two cores are soon shared by too many.
    ["run", "--no-file-parallelism", ...names.map((name) => `test/reliability/${name}`)],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        ASSENT_TEST_CYCLES: String(cycles),
        ASSENT_TEST_FIGURES: figures,
        PATH: [dirname(process.execPath), tools, process.env.PATH].join(delimiter),
      },
    },
  );
  console.log(`\n${existsSync(figures) ? readFileSync(figures, "utf8").trimEnd() : "no figures"}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) main(process.argv.slice(2));
