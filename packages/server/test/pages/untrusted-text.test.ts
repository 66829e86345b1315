import { describe, expect, test } from "vitest";
import { initial, localPath, tint, visible, webAddress } from "../../src/pages/untrusted-text.ts";

describe("a hostile name", () => {
  test.each([
    ["right-to-left override", "a\u202Eb", "a\uFFFDb"],
    ["isolate", "a\u2066b\u2069", "a\uFFFDb\uFFFD"],
    ["left-to-right and Arabic letter marks", "a\u200Eb\u061Cc", "a\uFFFDb\uFFFDc"],
    ["zero-width space", "Pay\u200BPal", "Pay\uFFFDPal"],
    ["soft hyphen", "Pay\u00ADPal", "Pay\uFFFDPal"],
    ["byte order mark inside", "a\uFEFFb", "a\uFFFDb"],
    ["joiner between plain letters", "a\u200Db", "a\uFFFDb"],
    ["joiner behind a no-break space", "\u00A0\u200D", "\uFFFD"],
    ["NUL, escape, delete, C1", "a\u0000b\u001Bc\u007Fd\u0085e", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
    ["line feed and line separator", "a\nb\u2028c", "a\uFFFDb\uFFFDc"],
    ["Hangul filler and empty braille", "a\u3164b\u2800c", "a\uFFFDb\uFFFDc"],
    ["tag characters", "a\u{E0041}b", "a\uFFFDb"],
    ["lone surrogate", "a\uD800b", "a\uFFFDb"],
  ])("%s → shown as U+FFFD", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("forty marks on a letter → four and U+FFFD", () => {
    expect(visible(`a${"\u0301".repeat(40)}b`)).toBe(`a${"\u0301".repeat(4)}\uFFFDb`);
  });

  test("longer than the limit → cut at a whole character, with an ellipsis", () => {
    expect(visible("👩‍💻".repeat(5), 3)).toBe(`${"👩‍💻".repeat(3)}…`);
    expect(visible("abc  def", 4)).toBe("abc…");
  });
});

test.each([
  "Photo Printer",
  "طابعة الصور",
  "می‌خواهم",
  "写真プリンター",
  "👩‍💻 Code",
  "❤️ Health",
  "Žluťoučký kůň",
  "क्‍ष",
])("an honest name, %s → unchanged", (text) => {
  expect(visible(text)).toBe(text);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "//evil.example",
  "/path",
  "not a URL",
  "",
])("%j → no link to another site", (uri) => {
  expect(webAddress(uri)).toBeNull();
});

test("http and https → a link", () => {
  expect(webAddress("https://print.example.com/privacy?a=b")).toBe("https://print.example.com/privacy?a=b");
  expect(webAddress("http://127.0.0.1:8080/")).toBe("http://127.0.0.1:8080/");
});

test.each([
  "//evil.example/x",
  "/\\evil.example",
  "https://evil.example/x",
  "logos/x",
  "/a\nb",
  "/a b",
  "javascript:1",
  `/${"x".repeat(12_288)}`,
  "",
])("%j → no path of this server", (path) => {
  expect(localPath(path)).toBeNull();
});

test("a path of this server → itself", () => {
  expect(localPath("/logos/abc-DEF_123")).toBe("/logos/abc-DEF_123");
  expect(localPath(`/${"x".repeat(12_287)}`)).toHaveLength(12_288);
});

test("the initial is the first letter or digit, whatever stands before it", () => {
  expect(initial("photo")).toBe("P");
  expect(initial("\u202E 9 lives")).toBe("9");
  expect(initial("صور")).toBe("ص");
  expect(initial("🙂")).toBe("?");
});

test("the tile's colour is one of six, the same for the same name", () => {
  const tints = ["Photo", "Mail", "Task", "Music", "Map", "صور", ""].map(tint);
  expect(tints.every((one) => Number.isInteger(one) && one >= 0 && one < 6)).toBe(true);
  expect(tint("Photo")).toBe(tint("Photo"));
});
