/**
 * A vitest reporter that lists the skipped tests with the reason, so that the last line's number of them is explained.
 */

export default class SkippedReporter {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        console.log(`  skipped: ${test.fullName}: ${test.result().note ?? "no reason given"}`);
      }
    }
  }
}
