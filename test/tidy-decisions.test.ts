/** Decision pages are numbered without gaps, and titles, links and both lists of the index use the number of the file. */

import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as tidy from "./support/tidy-rules.ts";

const pages = tidy.filesOf(join(import.meta.dirname, ".."), /\.md$/);
const decisions = pages.filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path));
const index = pages.find(({ path }) => path === "docs/decisions/README.md")?.text ?? "";

const numberOf = (path: string) => basename(path).slice(0, 4);

/** The page's title without its number, or undefined if the title has another number. */
const titleOf = ({ path, text }: tidy.SourceFile) => new RegExp(`^# ${numberOf(path)}: (.+)\n`).exec(text)?.[1];

/** Links whose text is a number, or ends with one, and that lead to a page with another number. */
const wrongLinks = ({ path, text }: tidy.SourceFile) =>
  [...text.matchAll(/\b(\d{4})\]\((?:[^()\s]*\/)?(\d{4})-[a-z-]+\.md[^()]*\)/g)]
    .filter(([, written, led]) => written !== led)
    .map(([link]) => `${path}: ${link}`);

/** Numbers in the running text of a decision page that no link explains, so that nothing would notice a wrong one. */
const looseNumbers = ({ path, text }: tidy.SourceFile) =>
  [...text.replace(/^# \d{4}:/, "").matchAll(/(?<![\w[./-])0\d{3}\b(?![\w\]-]|\.\d)/g)].map(
    ([number]) => `${path}: ${number}`,
  );

describe("wrong numbers", () => {
  const path = "docs/decisions/0007-sample.md";

  test.each([
    ["another number", "# 0008: Sample\n"],
    ["no number", "# Sample\n"],
    ["a smaller heading", "## 0007: Sample\n"],
  ])("a title with %s → refused", (_, text) => {
    expect(titleOf({ path, text })).toBeUndefined();
  });

  test.each(["[0008](0007-sample.md)", "[decision 0008](../decisions/0007-sample.md#costs)"])(
    "%s → refused",
    (text) => {
      expect(wrongLinks({ path, text })).toHaveLength(1);
    },
  );

  test("a number without a link → refused", () => {
    expect(looseNumbers({ path, text: "# 0007: Sample\n\n0008 replaces it (as 0009 says).\n" })).toHaveLength(2);
  });

  test("a number with its link, another number → allowed", () => {
    const text = "# 0007: Sample\n\n[0008](0008-other.md) and [why](0009-why.md) since 2026, 0.0012 ms, `0400`-like.\n";
    expect([titleOf({ path, text }), wrongLinks({ path, text })]).toEqual(["Sample", []]);
  });
});

test("decisions are numbered from 0001 without gaps", () => {
  expect(decisions.map(({ path }) => numberOf(path))).toEqual(
    decisions.map((_, place) => String(place + 1).padStart(4, "0")),
  );
});

test.each(decisions)("$path → its title has its number, and both lists of the index have its title", (page) => {
  const title = titleOf(page);
  expect(title).toBeDefined();
  const link = `[${numberOf(page.path)}](${basename(page.path)})`;
  expect(index).toContain(`\n| ${link} | ${title} |`);
  expect(index.replace(/\s+/g, " ")).toContain(`- ${link} ${title}`);
});

test("a link with a decision's number → leads to that page", () => {
  expect(pages.length).toBeGreaterThan(80);
  expect(pages.flatMap(wrongLinks)).toEqual([]);
});

test("decision pages name no other decision without a link", () => {
  expect(decisions.flatMap(looseNumbers)).toEqual([]);
});
