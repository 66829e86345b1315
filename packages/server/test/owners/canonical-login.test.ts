/** Usernames and addresses: all spellings of a name are the same person. */

import { describe, expect, test } from "vitest";
import { canonicalEmail, canonicalLogin, canonicalUsername } from "../../src/owners/canonical-login.ts";
import { newEmail, newUsername, usernameProblem } from "../../src/owners/new-username-and-email.ts";

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

describe("a new username (UTS #39, highly restrictive)", () => {
  test.each([
    ["Cyrillic and Latin", "раураl", "from one script"],
    ["Greek and Latin", "νike", "from one script"],
    ["Hebrew and Latin", "danדן", "from one script"],
    ["Cyrillic and Han", "дом家", "from one script"],
    ["Hangul and kana", "한글かな", "from one script"],
    ["Cherokee", "ᏣᎳᎩ", "from one script"],
    ["runes", "ᚱᚢᚾ", "from one script"],
    ["a grapheme joiner", "pa\u034ful", "invisible"],
    ["a variation selector", "paul\ufe0f", "invisible"],
    ["a Hangul filler", "pa\u1160ul", "scripts|invisible"],
    ["a variant of a Chinese character", "日\u{e0100}", "invisible"],
    ["five marks on a letter", "e\u0300\u0301\u0302\u0303\u0304", "marks"],
    ["a mark twice", "e\u0323\u0323", "marks"],
    ["Arabic and ASCII digits", "علي1١", "digits"],
    ["a number that is no digit", "paul\u09f4", "number|script"],
    ["a character that no username has", "a b", "letters and digits"],
  ])("with %s → refused, while an older one like it still signs in", (_, name, problem) => {
    expect(newUsername(name)).toBeUndefined();
    expect(usernameProblem(name)).toMatch(new RegExp(problem));
  });

  test.each([
    ...[
      "alice",
      "o_brien-99",
      "anna1",
      "m.mueller",
      "müller",
      "josé",
      "nguyễn",
      "ọlá",
      "łukasz",
      "straße",
      "иван",
      "їжак",
    ],
    ...[
      "ελένη",
      "հայկ",
      "გიორგი",
      "דוד",
      "علی",
      "محمد١",
      "ዮሐንስ",
      "राम",
      "தமிழ்",
      "สมชาย",
      "ひろし",
      "山田太郎",
      "ヴィクトル",
    ],
    ...["tanaka田中", "김철수", "김kim", "李ㄌㄧ", "用户1"],
  ])("%s → accepted", (name) => {
    expect(newUsername(name)?.username).toBe(canonicalUsername(name));
  });

  test("→ with the name that it looks like; ASCII looks like itself alone", () => {
    expect(newUsername("сара")).toEqual({ username: "сара", lookAlike: "capa" });
    expect(newUsername("Sara")).toEqual({ username: "sara", lookAlike: null });
  });
});

describe("an address that is new", () => {
  test.each(["pa\u200bul@x.test", "paul@x\u034f.test", "p\u00adaul@x.test", "e\u0301\u0301@x.test"])(
    "%j → refused",
    (address) => {
      expect(newEmail(address)).toBeUndefined();
    },
  );

  test("with something invisible, as the account has it already → accepted", () => {
    const address = canonicalEmail("pa\u200bul@x.test");
    expect(address).toBeDefined();
    expect(newEmail(address ?? "", address)).toBe(address);
  });

  test.each(["paul@x.test", "jürgen@münchen.test", "用户@例え.test"])("%s → accepted", (address) => {
    expect(newEmail(address)).toBe(address);
  });
});
