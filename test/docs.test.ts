/** The documentation says what the code does: generated pages are current, and what pages tell one to type works. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { referencePages } from "../scripts/docs.ts";

const root = join(import.meta.dirname, "..");

test.each([...referencePages()])("docs/reference/%s → is what `node scripts/docs.ts` makes", (name, text) => {
  expect(readFileSync(join(root, "docs", "reference", name), "utf8")).toBe(text);
});
