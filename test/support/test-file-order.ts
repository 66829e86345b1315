/** The order of test files: the slowest first, with browser tests spread between the others. */

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

/** One browser keeps two processors busy, so browser tests are spaced widely enough that they seldom run at once. */
const BETWEEN_BROWSERS = 12;

export class Sequencer implements TestSequencer {
  /** Vitest calls it when a run is split over machines. Our runs never are. */
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const ordered = files
      .map((file) => ({ file, rank: rankOf(file.moduleId), size: statSync(file.moduleId).size }))
      .toSorted((a, b) => a.rank - b.rank || b.size - a.size)
      .map(({ file }) => file);
    const [browsers, others] = [true, false].map((wanted) =>
      ordered.filter(({ project }) => project.name.endsWith("browser") === wanted),
    );
    return spread(browsers ?? [], others ?? []);
  }
}

function rankOf(path: string): number {
  const at = LONG.findIndex((part) => path.includes(`${part}.`));
  return at === -1 ? LONG.length : at;
}

/** Puts one of the few before each group of the others. */
function spread<T>(few: readonly T[], others: readonly T[]): T[] {
  return [
    ...few.flatMap((one, at) => [one, ...others.slice(at * BETWEEN_BROWSERS, (at + 1) * BETWEEN_BROWSERS)]),
    ...others.slice(few.length * BETWEEN_BROWSERS),
  ];
}
