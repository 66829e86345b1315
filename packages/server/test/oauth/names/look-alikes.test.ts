/**
 * UTS #39 §4: names that look the same are found, names that are only similar aren't. The table is the output of its
 * script.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lookAlikesFile } from "../../../../../scripts/look-alikes.ts";
import { looksLatin, nameKeys, skeleton, usernameLookAlike } from "../../../src/oauth/names/look-alikes.ts";

test("the table in the program is what scripts/look-alikes.ts makes, and below 32 kB", () => {
  const file = readFileSync(join(import.meta.dirname, "../../../src/oauth/names/look-alikes-table.ts"), "utf8");
  expect(file).toBe(lookAlikesFile());
  expect(file.length).toBeLessThan(32_768);
});

describe("the skeleton", () => {
  test.each([
    ["paypal", "раураl"],
    ["paypal", "p\u200baypal"],
    ["scope", "ѕсоре"],
    ["google", "ɡooɡle"],
    ["Apple", "Αρрlе"],
    ["PAYPAL", "РАУРАL"],
    ["paypal", "𝗽𝗮𝘆𝗽𝗮𝗹"],
    ["paypal", "ｐａｙｐａｌ"],
    ["zoë", "zoe\u0308"],
    ["o/OAlice", "%Alice"],
    ["arnold", "amold"],
    ["INK", "lNK"],
  ])("of %s and %s → the same", (a, b) => {
    expect(skeleton(b)).toBe(skeleton(a));
  });

  test.each([
    ["paypal", "paypa1s"],
    ["mueller", "müller"],
    ["jose", "josé"],
    ["App 1", "App 2"],
    ["дом", "том"],
  ])("of %s and %s → two", (a, b) => {
    expect(skeleton(b)).not.toBe(skeleton(a));
  });

  test("of half a surrogate pair, an invisible character and the other half → itself again", () => {
    const text = skeleton("\udb40\u200c\udff4");
    expect(text.isWellFormed()).toBe(true);
    expect(skeleton(text)).toBe(text);
  });

  test("of a skeleton → itself; of any text, whatever it holds, without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(skeleton(skeleton(text))).toBe(skeleton(text));
        nameKeys(text);
        usernameLookAlike(text);
        looksLatin(text);
      }),
    );
  });
});

describe("the username that another one looks like", () => {
  test.each([
    ["аdmin", "admin"],
    ["payраl", "paypal"],
    ["сара", "capa"],
    ["alıce", "alice"],
    ["οοο", "ooo"],
    ["ɡooɡle", "google"],
    ["ⲟscar", "oscar"],
  ])("%s → %s", (username, alike) => {
    expect(usernameLookAlike(username)).toBe(alike);
  });

  test.each(["alice", "anna1", "annal", "mike", "0x1", "a.b-c_d", "josé", "müller", "用户", "ผู้ใช้"])(
    "%s → none",
    (username) => {
      expect(usernameLookAlike(username)).toBeNull();
    },
  );

  test("ASCII, of any length → none: names that stand already keep what they have", () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z0-9._-]{1,64}$/), (name) => usernameLookAlike(name) === null));
  });
});

describe("names of clients", () => {
  const alike = (a: string, b: string) => nameKeys(a).some((key) => nameKeys(b).includes(key));

  test.each([
    ["PayPal", "paypal"],
    ["PayPal", "Раураl"],
    ["PayPal", "PayPaI"],
    ["PayPal", "Pay Pal!"],
    ["PayPal", "PayPa|"],
    ["PayPal", "PayPaⅼ"],
    ["Photo Printer", "photo-printer"],
    ["Photo Printer", "Photo | Printer"],
    ["Photo Printer", "Photo\u00a0Printer ✅"],
    ["Monzo", "Моnzо"],
    ["KHИГA", "Книга"],
    ["Google", "G00gle"],
    ["INK", "ink"],
    ["Straße", "STRAẞE"],
    ["🙂", "🙂"],
    ["+", "+"],
    ["! !", "!!"],
  ])("%s and %s → alike", (a, b) => {
    expect(alike(a, b)).toBe(true);
    expect(alike(b, a)).toBe(true);
  });

  test.each([
    ["Printer 1", "Printer 2"],
    ["Photo Printer", "Photo Editor"],
    ["Café", "Cafe"],
    ["🙂", "🙁"],
    ["+", "-"],
    ["कार", "पार"],
  ])("%s and %s → two names", (a, b) => {
    expect(alike(a, b)).toBe(false);
  });
});
