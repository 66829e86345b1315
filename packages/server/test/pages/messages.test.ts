import { describe, expect, test } from "vitest";
import { en } from "../../src/pages/messages/en.ts";
import { fill, locales, messages, plural, rich } from "../../src/pages/messages/index.ts";
import { durationLabel, exact, relative } from "../../src/pages/time.ts";
import { NOW } from "./states.ts";

/** `path.to.message` → its holes, sorted. */
function holes(node: object, path = ""): Record<string, string[]> {
  return Object.assign(
    {},
    ...Object.entries(node).map(([key, value]) =>
      typeof value === "string"
        ? { [`${path}${key}`]: [...value.matchAll(/\{(\w+)\}/g)].map(([, hole]) => hole).sort() }
        : holes(value, `${path}${key}.`),
    ),
  );
}

describe("languages", () => {
  test.each(["xx", "", "zz-ZZ", "constructor", "../en"])("unknown locale %j → English", (locale) => {
    expect(messages(locale)).toBe(en);
  });

  test("a region of a known language → that language", () => {
    expect(messages("en-GB").language).toBe("en");
    expect(messages("EN").language).toBe("en");
  });

  test.each(locales)("%s has the keys and holes of English, and no empty text", (locale) => {
    const words = messages(locale);
    expect(holes(words)).toEqual(holes(en));
    expect(JSON.stringify(words)).not.toContain('""');
  });

  test("an owner's page speaks no jargon", () => {
    const { condition: _, problem: __, ...forOwners } = en;
    const texts = JSON.stringify(Object.values(forOwners), (_key, value) =>
      typeof value === "object" && !Array.isArray(value) ? Object.values(value) : value,
    );
    expect(texts).not.toMatch(/\b(scopes?|grants?|granted|tokens?|clients?|OAuth|authori[sz]\w*|consents?)\b/i);
  });
});

test("filling keeps `$` and holes inside values as they are", () => {
  expect(fill("{a} and {b}", { a: "$&{b}", b: "$1" })).toBe("$&{b} and $1");
  expect(rich("{a} and {b}", { a: "{b}", b: "x" })).toEqual(["", "{b}", " and ", "x", ""]);
});

test("one is singular, nought and others are plural", () => {
  const forms = { one: "app", other: "apps" } as const;
  expect([0, 1, 2].map((count) => plural("en", forms, count))).toEqual(["apps", "app", "apps"]);
});

describe("lengths of time", () => {
  test.each(["", "0", "-3600", "1.5", "1e400", "<b>", "soon"])("%j → as it is", (value) => {
    expect(durationLabel(en, value)).toBe(value);
  });

  test.each([
    ["once", "Only this once"],
    ["1", "1 second"],
    ["90", "90 seconds"],
    ["300", "5 minutes"],
    ["3600", "1 hour"],
    ["86400", "1 day"],
    ["604800", "7 days"],
    ["2592000", "30 days"],
    ["7776000", "90 days"],
    ["31536000", "1 year"],
    ["63072000", "2 years"],
    ["forever", "Until I revoke it"],
  ])("%s → %s", (value, label) => {
    expect(durationLabel(en, value)).toBe(label);
  });
});

describe("times", () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  test.each([
    [0, "just now"],
    [-59_000, "just now"],
    [30_000, "in a moment"],
    [-minute, "1 minute ago"],
    [-119 * minute, "2 hours ago"],
    [-day, "yesterday"],
    [5 * day, "in 5 days"],
    [-14 * day, "2 weeks ago"],
    [90 * day, "in 3 months"],
    [-400 * day, "1 year ago"],
  ])("%d ms from now → %s", (distance, text) => {
    expect(relative(en, NOW + distance, NOW)).toBe(text);
  });

  test("the exact time names its zone", () => {
    expect(exact(en, NOW)).toBe("July 14, 2026 at 09:30 UTC");
  });
});
