/** In which order test files run: those that take longest first, those with a browser one by one in between. */

import { statSync } from "node:fs";
import type { TestSequencer, TestSpecification } from "vitest/node";

/**
 * Files that take longer than their size tells: they wait for processes, or repeat. The longest begin first, so that none is left over at the end, when
 * the others have nothing to do any more.
 */
const LONG = [
  "reliability/kill",
  "pages/pages.browser",
  "reliability/interrupted",
  "reliability/postgres-outage",
  "reliability/overload",
  "reliability/once",
  "contract/races",
  "test/examples",
  "reliability/drain",
  "contract/company-races",
  "contract/device",
  "cli/test/workers",
  "cli/test/serve",
  "reliability/nodes",
  "docs-commands",
  "attacks/sign-in-flood",
  "attacks/known-devices",
  "reliability/keys",
  "reliability/disk",
  "demo/test/start",
];

/** One browser alone keeps two processors busy: its files stand so far apart that they seldom meet. */
const BETWEEN_BROWSERS = 12;

export class Sequencer implements TestSequencer {
  /** Called where a run is split over machines; ours never is. */
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

/** One of the few in front of every so many of the others. */
function spread<T>(few: readonly T[], others: readonly T[]): T[] {
  return [
    ...few.flatMap((one, at) => [one, ...others.slice(at * BETWEEN_BROWSERS, (at + 1) * BETWEEN_BROWSERS)]),
    ...others.slice(few.length * BETWEEN_BROWSERS),
  ];
}
