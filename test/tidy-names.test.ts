/** Names that the project replaced by the usual terms of its field don't come back. The glossary in CONTRIBUTING.md has the terms. */

import { join } from "node:path";
import { expect, test } from "vitest";
import * as tidy from "./support/tidy-rules.ts";

const RETIRED: tidy.RetiredNames = {
  files: [
    ...["gathering", "wire", "place", "standings", "bearers", "direct", "afterwards", "interaction", "offered"],
    ...["judge", "underway", "wish", "loosen", "standing", "door", "rounds", "hash-for", "code-secrets", "factor-lock"],
    ...["person-lock", "company-lock", "take-back", "way-back", "restore", "published", "documents", "cards", "epoch"],
  ],
  identifiers: [
    "[gG]athering",
    "[iI]nteraction",
    "Underway",
    "Wish",
    "Bearers",
    "Standings",
    "placeOf",
    "placesOf",
    "[jJ]udge[A-Z]\\w*",
    "standingOf\\w*",
  ],
};

const sources = tidy
  .filesOf(join(import.meta.dirname, ".."), /\.(?:ts|js)$/)
  .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path));

test.each([
  ["a type", { path: "packages/server/src/owners/sample.ts", text: "const a: Underway = b;" }],
  ["a file", { path: "packages/server/src/storage/gathering.ts", text: "" }],
])("a retired name of %s → refused", (_, file) => {
  expect(tidy.retiredNames(file, RETIRED)).toHaveLength(1);
});

test("a retired name in a comment or a text, a longer identifier → allowed", () => {
  const text = '// Underway\nconst underWay = "interaction";\ninteraction_unknown();\n';
  expect(tidy.retiredNames({ path: "packages/server/src/owners/sample.ts", text }, RETIRED)).toEqual([]);
});

test("no file and no identifier has a retired name", () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap((file) => tidy.retiredNames(file, RETIRED))).toEqual([]);
});
