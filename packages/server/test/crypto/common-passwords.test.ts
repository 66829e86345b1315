import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commonPasswordFile } from "../../../../scripts/common-passwords.ts";
import { isCommonPassword } from "../../src/crypto/common-passwords.ts";
import { passwordProblem } from "../../src/owners/new-password.ts";

const file = join(import.meta.dirname, "../../src/crypto/common-passwords.bin");

test("the list in the program is what scripts/common-passwords.ts makes, and below a megabyte", () => {
  const list = readFileSync(file);
  expect(list.equals(commonPasswordFile())).toBe(true);
  expect(list.length).toBeLessThan(1_000_000);
  expect(list.length / 5).toBeGreaterThan(40_000);
});

describe("a password", () => {
  test.each([
    ["on the list", "qwertyuiop"],
    ["on the list, in capitals", "PASSWORD"],
    ["on the list, in full-width letters", "ｐａｓｓｗｏｒｄ"],
    ["on the list, with a digit and a sign behind", "Dragonfly1!"],
    ["on the list, with a year behind", "sunshine2024"],
    ["of one character", "zzzzzzzzzzzz"],
    ["of three characters", "abababacab"],
    ["that runs upwards", "23456789"],
    ["that runs downwards", "zyxwvuts"],
    ["of the account's name and a year", "josephine1987"],
  ])("%s → common", (_, password) => {
    expect(isCommonPassword(password, ["Josephine"])).toBe(true);
  });

  test.each([
    "correct horse battery staple",
    "a long passphrase",
    "Wq7-kd2-Mz9",
    "تفاحةبرتقالةموز",
    "2024-josephine-went",
  ])("%s → not common", (password) => {
    expect(isCommonPassword(password, ["josephine"])).toBe(false);
  });
});

describe("a chosen password", () => {
  const problemOf = (password: string) =>
    passwordProblem(password, { names: ["josephine.b", "jb@example.com"], isCommon: isCommonPassword });

  test.each([
    ["half a character", "\ud800 and more of it", "malformed"],
    ["NUL", "a password\0", "malformed"],
    ["7 characters", "Wq7-kd2", "short"],
    ["7 characters of two units each", "😀😁😂😃😄😅😆", "short"],
    ["1,025 bytes", "ä".repeat(512).concat("x"), "long"],
    ["the e-mail address", "JB@example.com", "name"],
    ["part of the username, with digits", "josephine12", "common"],
  ])("%s → %s is wrong", (_, password, problem) => {
    expect(problemOf(password)).toBe(problem);
  });

  test.each(["Wq7-kd2-", "😀😁😂😃😄😅😆🙂", `${"äbcd".repeat(200)}`])("%s → will do", (password) => {
    expect(problemOf(password)).toBeUndefined();
  });
});
