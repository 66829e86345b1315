/** A vitest reporter that says which tests were skipped, and why: no figure in the last line goes unexplained. */

export default class SkippedReporter {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        console.log(`  skipped: ${test.fullName}: ${test.result().note ?? "no reason given"}`);
      }
    }
  }
}
