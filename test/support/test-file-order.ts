/** The order of test files: one project after another, in each the slowest files first. */

import { statSync } from "node:fs";
import type { TestSequencer, TestSpecification } from "vitest/node";

/**
 * Files that take longer than their size suggests, because they wait for processes or repeat cases. The slowest start
 * first, so that none of them runs alone at the end.
 */
const LONG = [
  "reliability/kill",
  "pages/pages.browser",
  "reliability/interrupted-operator-commands",
  "reliability/postgres-outage",
  "reliability/overload",
  "reliability/single-use-of-assertions",
  "contract/redemption-and-refresh-races",
  "test/examples",
  "reliability/drain",
  "contract/company-races",
  "contract/device",
  "cli/test/workers",
  "cli/test/serve",
  "reliability/several-nodes",
  "docs-commands",
  "attacks/sign-in-flood",
  "attacks/known-devices",
  "reliability/key-rotation",
  "reliability/full-disk",
  "demo/test/start",
];

/**
 * Vitest ends a worker when the next file in the list belongs to another project, and a new worker loads the whole
 * server again. So the files of a project follow each other. The browser projects run afterwards, in a group of their
 * own (vitest.config.ts).
 */
const PROJECTS = ["postgres", "citus", "alone", "node", "browser", "postgres-browser"];

export class Sequencer implements TestSequencer {
  /** Vitest calls it when a run is split over machines. Our runs never are. */
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files
      .map((file) => ({
        file,
        project: PROJECTS.indexOf(file.project.name),
        rank: rankOf(file.moduleId),
        size: statSync(file.moduleId).size,
      }))
      .toSorted((a, b) => a.project - b.project || a.rank - b.rank || b.size - a.size)
      .map(({ file }) => file);
  }
}

function rankOf(path: string): number {
  const at = LONG.findIndex((part) => path.includes(`${part}.`));
  return at === -1 ? LONG.length : at;
}
