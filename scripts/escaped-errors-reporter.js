/**
 * A vitest reporter that writes the test files in which an error escaped from every test, as a JSON list of paths, to the
 * file that ASSENT_TEST_STRAYS names. The JSON report does not name them.
 */

import { writeFileSync } from "node:fs";
import { relative } from "node:path";

export default class StraysReporter {
  onTestRunEnd(_modules, strays) {
    const files = new Set(strays.map((error) => error.VITEST_TEST_PATH).filter((path) => path !== undefined));
    const list = JSON.stringify([...files].map((path) => relative(process.cwd(), path)));
    if (process.env.ASSENT_TEST_STRAYS) writeFileSync(process.env.ASSENT_TEST_STRAYS, list);
  }
}
