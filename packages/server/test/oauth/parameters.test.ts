/** Parameters of requests: repeated, malformed, too long, too many. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseParameters } from "../../src/oauth/parameters.ts";

describe("what is wrong with the form is found, and the parameter counts as absent", () => {
  test.each([
    ["a=1&a=2", "parameter_repeated", "a"],
    ["a=1&a=", "parameter_repeated", "a"],
    ["a=&a=1", "parameter_repeated", "a"],
    ["a=%ZZ", "parameter_malformed", "a"],
    ["a=%", "parameter_malformed", "a"],
    ["a=%C0%AF", "parameter_malformed", "a"],
    ["a=%ED%A0%80", "parameter_malformed", "a"],
    ["a=%FF", "parameter_malformed", "a"],
    ["a=+\ud800", "parameter_malformed", "a"],
    ["a=%20\udc00", "parameter_malformed", "a"],
    ["a=%00", "parameter_malformed", "a"],
    ["a=%0A", "parameter_malformed", "a"],
    ["state=%00", "parameter_malformed", "state"],
    ["%ZZ=1", "parameter_malformed", ""],
    [`a=${"x".repeat(2049)}`, "parameter_too_long", "a"],
    [`state=${"x".repeat(4097)}`, "parameter_too_long", "state"],
    [`resource=${"x".repeat(2049)}`, "parameter_too_long", "resource"],
    [Array.from({ length: 101 }, (_, at) => `p${at}=1`).join("&"), "too_many_parameters", ""],
  ])("%.40s → %s", (text, condition, name) => {
    const parsed = parseParameters(text);
    expect(parsed.problem).toEqual({ condition, name });
    expect(parsed.single.has("a")).toBe(false);
  });
});

test("a parameter without a value counts as absent (RFC 6749 §3.1)", () => {
  const { single, problem } = parseParameters("a=&b&c=1&&d=2");
  expect([...single]).toEqual([
    ["c", "1"],
    ["d", "2"],
  ]);
  expect(problem).toBeNull();
});

test("resource may repeat (RFC 8707 §2)", () => {
  expect(parseParameters("resource=https%3A%2F%2Fa&resource=https%3A%2F%2Fb")).toMatchObject({
    resource: ["https://a", "https://b"],
    problem: null,
  });
});

test("names like __proto__ and constructor are names like others", () => {
  const { single } = parseParameters("__proto__=1&constructor=2&toString=3");
  expect([...single.keys()]).toEqual(["__proto__", "constructor", "toString"]);
  expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
});

test("a state keeps line feeds and every other character but NUL", () => {
  expect(parseParameters("state=a%0Ab%09%22%27%3B%C3%BC%F0%9F%98%80").single.get("state")).toBe("a\nb\t\"';ü😀");
});

test("what URLSearchParams encodes is read back as it was", () => {
  const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(value, (state) => {
      expect(parseParameters(new URLSearchParams({ state }).toString()).single.get("state")).toBe(state);
    }),
  );
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => void parseParameters(text)));
});
