/** A vitest reporter that lists the ten slowest files, to show where to look if a run has become slow. */

import { relative } from "node:path";

const SHOWN = 10;

export default class SlowestReporter {
  onTestRunEnd(modules) {
    const slowest = modules
      .map((module) => ({ module, seconds: secondsOf(module) }))
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, SHOWN);
    if (slowest.length > 0) console.log("\nslowest files:");
    for (const { module, seconds } of slowest) {
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative(process.cwd(), module.moduleId)}${where(module)}`);
    }
  }
}

/** The duration, including imports and set-up. */
function secondsOf(module) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
}

/** A file may run once on each database. */
function where({ project }) {
  return project.name === "" ? "" : ` (${project.name})`;
}
