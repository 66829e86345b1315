/** Usernames and addresses: two spellings of one name are one person. */

import { describe, expect, test } from "vitest";
import { canonicalEmail, canonicalLogin, canonicalUsername } from "../../src/owners/names.ts";

test.each([
  "",
  " ",
  "a b",
  "-x",
  ".x",
  "a@b",
  "a\u0000",
  "a\u202eb",
  "a\n",
  "<x>",
  "x".repeat(65),
  "\ud800",
  "a\u200bb",
])("username %j → refused", (name) => {
  expect(canonicalUsername(name)).toBeUndefined();
});

test.each([
  "",
  "x",
  "@x.test",
  "x@",
  "x@y@z.test",
  "x y@z.test",
  "x@z..test",
  "x@-z.test",
  `${"x".repeat(65)}@z.test`,
  "x@z.test.",
  "<x>@z.test",
])("address %j → refused", (address) => {
  expect(canonicalEmail(address)).toBeUndefined();
});

describe("EN-04 spellings of one name → one canonical form", () => {
  test.each([
    ["Alice", "alice"],
    ["ＡＬＩＣＥ", "alice"],
    ["ali\u0301ce", "al\u00edce"],
    ["STRASSE", "strasse"],
  ])("username %j → %j", (name, canonical) => {
    expect(canonicalUsername(name)).toBe(canonical);
  });

  test.each([
    ["Alice@X.test", "alice@x.test"],
    ["alice＠x.test", "alice@x.test"],
  ])("address %j → %j", (address, canonical) => {
    expect(canonicalEmail(address)).toBe(canonical);
  });

  test("a dotless ı is another letter, not another spelling", () => {
    expect(canonicalUsername("alıce")).not.toBe(canonicalUsername("alice"));
  });

  test("what is typed at sign-in may have spaces around it", () => {
    expect(canonicalLogin("  Alice ")).toBe("alice");
    expect(canonicalLogin(" Alice@X.test ")).toBe("alice@x.test");
  });

  test("canonical forms stay as they are", () => {
    for (const name of ["alice", "al\u00edce", "a.b-c_d", "дом", "用户"]) expect(canonicalUsername(name)).toBe(name);
  });
});
