import { describe, expect, test } from "vitest";
import { shown, widthOf } from "../src/output.ts";

describe("a cell", () => {
  test.each([
    ["an escape sequence", "a\u001b[2Jb", "a�[2Jb"],
    ["a C1 control", "a\u009b2Jb", "a�2Jb"],
    ["a line end", "a\r\nb", "a��b"],
    ["a direction override", "a\u202eb", "a�b"],
  ])("%s from outside → doesn't reach the terminal", (_, text, wanted) => {
    expect(shown(text)).toBe(wanted);
    expect(shown([{ user_agent: text }])).toBe(`user_agent ${wanted}`);
  });

  test.each([
    [null, "-"],
    ["", "-"],
    [[], "-"],
    [true, "yes"],
    [false, "no"],
    [0, "0"],
    [["a", "b"], "a, b"],
    [[{ created_at: "2026", expires_at: null }], "created_at 2026"],
  ])("%j → %s", (value, wanted) => {
    expect(shown(value)).toBe(wanted);
  });
});

test.each([
  ["abc", 3],
  ["写真", 4],
  ["👩‍👩‍👧", 2],
  ["e\u0301", 1],
  ["", 0],
])("%s → %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});
