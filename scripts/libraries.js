/**
 * `npm run test:libraries`: people sign in at the apps of examples/sign-in in other languages. Prints the times. Needs Go,
 * Python or Java with Maven, and the network for their packages; a missing language is skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runsOnNewEnoughNode } from "../packages/cli/bin/runtime.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "node_modules", ".bin");

function main(args) {
  const folder = mkdtempSync(join(tmpdir(), "assent-figures-"));
  const figures = join(folder, "figures");
  const reporters = ["default", "./scripts/skipped-reporter.js"].map((name) => `--reporter=${name}`);
  const { status } = spawnSync(join(tools, "vitest"), ["run", "--project", "libraries", ...reporters, ...args], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ASSENT_TEST_LIBRARIES: "1",
      ASSENT_TEST_FIGURES: figures,
      PATH: [dirname(process.execPath), tools, process.env.PATH].join(delimiter),
    },
  });
  console.log(`\n${existsSync(figures) ? readFileSync(figures, "utf8").trimEnd() : "no figures"}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
}

if (runsOnNewEnoughNode(fileURLToPath(import.meta.url))) main(process.argv.slice(2));
