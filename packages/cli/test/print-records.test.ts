import { describe, expect, test } from "vitest";
import { cutTo, jsonText, shown, widthOf } from "../src/print-records.ts";

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

test("a JSON document → no control character but its own line feeds, and the same value when it is read", () => {
  const strange = {
    user_agent: "a\u009b31m\u0085\u007f\u202e\u2028\u001b[2J\r\n\u0000z",
    "key\u009b": ["é", "写真", "\u{1f600}"],
  };
  const text = jsonText(strange);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
  expect(JSON.parse(text)).toEqual(strange);
  expect(text.split("\n")).toHaveLength(8);
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

test.each([
  ["openid profile email", 20, "words", "openid profile email"],
  ["openid profile email phone", 20, "words", "openid profile +2"],
  ["openid profile email phone", 10, "words", "openid +3"],
  ["openid profile", 7, "words", "ope… +1"],
  ["openid profile", 3, "words", "op…"],
  ["写真のプリンター", 7, "text", "写真の…"],
  ["abcdef", 1, "text", "…"],
] as const)("%j in %i columns by %s → %j", (text, width, how, wanted) => {
  const cut = cutTo(text, width, how);
  expect(cut).toBe(wanted);
  expect(widthOf(cut)).toBeLessThanOrEqual(width);
});
