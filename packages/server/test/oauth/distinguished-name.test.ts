/** RFC 4514: all spellings of a name are equal, and different names never are. */

import { describe, expect, test } from "vitest";
import { canonicalName } from "../../src/oauth/distinguished-name.ts";

describe("spellings of one name → one text", () => {
  test.each([
    ["CN=a,O=b", "cn=a , o=b"],
    ["CN=a,O=b", "2.5.4.3=a,2.5.4.10=b"],
    ["CN=a\\,b,O=c", "CN=a\\2Cb,O=c"],
    ["CN=a\\\\,O=b", "CN=a\\\\ , O=b"],
    ["CN=a\\ ,O=b", "CN=a\\ \u0020,O=b"],
    ["CN=a+OU=b", "OU=b+CN=a"],
  ])("%s and %s", (a, b) => {
    expect(canonicalName(a)).toBeDefined();
    expect(canonicalName(b)).toBe(canonicalName(a));
  });
});

describe("other names → another text", () => {
  test.each([
    ["CN=a\\ ", "CN=a"],
    ["CN=a\\\\", "CN=a\\\\\\ "],
    ["CN=a", "CN=A"],
    ["CN=a,O=b", "O=b,CN=a"],
  ])("%s and %s", (a, b) => {
    expect(canonicalName(a)).toBeDefined();
    expect(canonicalName(b)).not.toBe(canonicalName(a));
  });
});

test("2,000 blanks in front, inside and behind → read at once", () => {
  const blanks = " ".repeat(2000);
  const before = process.cpuUsage();
  for (const text of [`CN=${blanks}a`, `CN=a${blanks}`, `CN=a${" b".repeat(900)}`, `CN=a${blanks.slice(40)}b`])
    expect(canonicalName(text)).toBeDefined();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(100);
});
