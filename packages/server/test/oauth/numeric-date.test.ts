/** Times in JWTs (RFC 7519 §2). */

import { describe, expect, test } from "vitest";
import { timeClaim } from "../../src/oauth/numeric-date.ts";

describe("a time in a JWT", () => {
  test.each([
    ["text", "1795273318"],
    ["null", null],
    ["before the epoch", -1],
    ["past the year 9999", 253_402_300_800],
    ["NaN", Number.NaN],
  ])("%s → no time", (_, exp) => {
    expect(timeClaim({ exp }, "exp")).toBeUndefined();
  });

  test("absent, also where objects inherit something of that name → null", () => {
    expect(timeClaim({}, "exp")).toBeNull();
    expect(timeClaim({}, "constructor")).toBeNull();
  });

  test.each([
    [1795273318, 1_795_273_318_000],
    [1795273318.5, 1_795_273_318_500],
    [1795273318.9996, 1_795_273_318_999],
    [0, 0],
  ])("%d s → %d ms, whole: cut, never rounded up", (exp, milliseconds) => {
    expect(timeClaim({ exp }, "exp")).toBe(milliseconds);
  });
});
