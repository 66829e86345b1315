import { describe, expect, test } from "vitest";
import { en } from "../../src/pages/messages/en/index.ts";
import { fill, locales, messages, plural, rich } from "../../src/pages/messages/index.ts";
import { durationLabel, exact, relative } from "../../src/pages/shown-time.ts";
import { NOW } from "./page-states.ts";

interface Message {
  readonly path: string;
  /** The plural forms. Undefined: the message has a single text. */
  readonly forms: readonly string[] | undefined;
  readonly texts: readonly string[];
}

const isCounted = (node: object) => "other" in node && typeof node.other === "string";

function messagesOf(node: object, path = ""): Message[] {
  return Object.entries(node).flatMap(([key, value]: [string, string | object]) => {
    const here = `${path}${key}`;
    if (typeof value === "string") return [{ path: here, forms: undefined, texts: [value] }];
    if (!isCounted(value)) return messagesOf(value, `${here}.`);
    return [{ path: here, forms: Object.keys(value).sort(), texts: Object.values(value) as string[] }];
  });
}

const holesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, hole]) => hole ?? "");
const allHoles = ({ texts }: Message) => [...new Set(texts.flatMap(holesOf))].sort();

/** Plural forms that our numbers never reach: French and Spanish have one for millions. */
const UNREACHED: Readonly<Record<string, readonly string[]>> = { fr: ["many"], es: ["many"] };

/** Texts that are the same in both languages, or have no words. */
const SAME = new Set([
  "agents.details",
  "agents.title",
  "agents.useOne",
  "documentTitle",
  "errorTitle",
  "mail.facts.browser",
  "profile.name",
  "account.apps",
  "company.places.apps",
  "device.code",
  "duration.minute",
  "passkeys.title",
  "passkeys.name",
]);

describe("languages", () => {
  test.each(["xx", "", "zz-ZZ", "constructor", "../en"])("unknown locale %j → English", (locale) => {
    expect(messages(locale)).toBe(en);
  });

  test("a region of a known language → that language", () => {
    expect(messages("en-GB").language).toBe("en");
    expect(messages("EN").language).toBe("en");
  });

  test("six languages, English first", () => {
    expect(locales).toEqual(["en", "de", "fr", "es", "ja", "ar"]);
  });

  test.each(locales)("%s has the messages of English, each with its holes and no other, none empty", (locale) => {
    const own = messagesOf(messages(locale));
    const english = messagesOf(en);
    expect(own.map(({ path }) => path)).toEqual(english.map(({ path }) => path));
    const differing = own.filter(
      (one, at) => String(allHoles(one)) !== String(english.flatMap((e, i) => (i === at ? allHoles(e) : []))),
    );
    expect(differing.map(({ path }) => path)).toEqual([]);
    expect(own.flatMap(({ texts }) => texts).filter((text) => text.trim() === "" || text !== text.trim())).toEqual([]);
  });

  test("French: a space before a double mark stays with it", () => {
    const loose = messagesOf(messages("fr")).filter(({ texts }) => texts.some((text) => /« | [:;?!»]/.test(text)));
    expect(loose.map(({ path }) => path)).toEqual([]);
  });

  test("Japanese: a text before another sentence ends with its full stop, because no space follows it", () => {
    const { apps, company, takeBack, signIn, history, forWhom, consent, device } = messages("ja");
    const texts: string[] = [
      apps.found.other,
      apps.foundNone,
      apps.revokedSoon.other,
      apps.endForever,
      company.searchMore,
    ];
    texts.push(
      takeBack.doneEnded,
      takeBack.appsRevoked,
      takeBack.appsEnding,
      takeBack.appsHint,
      signIn.stays,
      history.receiptHint,
    );
    texts.push(forWhom.last, forWhom.lastSelf, consent.nextWeb, consent.nextDevice, consent.nextDeny, device.next);
    expect(texts.filter((text) => !text.endsWith("。"))).toEqual([]);
  });

  test("Japanese: a number and the word after it stay on one line", () => {
    const loose = messagesOf(messages("ja")).filter(({ texts }) =>
      texts.some((text) => /(?:\d|\{count\}) [\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)),
    );
    expect(loose.map(({ path }) => path)).toEqual([]);
    expect(relative(messages("ja"), NOW - 7_200_000, NOW)).toBe("2\u00a0時間前");
  });

  test.each(locales)("%s has every plural form of its language (Unicode CLDR), and none that it lacks", (locale) => {
    const wanted = new Intl.PluralRules(locale)
      .resolvedOptions()
      .pluralCategories.filter((form) => !UNREACHED[locale]?.includes(form))
      .sort();
    const counted = messagesOf(messages(locale)).filter(({ forms }) => forms !== undefined);
    expect(counted.length).toBeGreaterThan(10);
    for (const { path, forms } of counted) expect([path, forms]).toEqual([path, wanted]);
  });

  test.each(locales.filter((locale) => locale !== "en"))("%s: nothing is left in English", (locale) => {
    const english = new Map(messagesOf(en).map(({ path, texts }) => [path, texts[0]]));
    const left = messagesOf(messages(locale)).filter(({ path, texts }) => texts[0] === english.get(path));
    expect(left.map(({ path }) => path).filter((path) => !SAME.has(path))).toEqual(
      (messages(locale).direction as string) === "rtl" ? [] : ["direction"],
    );
  });

  test("the direction is that of the script", () => {
    expect(locales.filter((locale) => (messages(locale).direction as string) === "rtl")).toEqual(["ar"]);
  });

  test("an owner's page speaks no jargon", () => {
    const { problem: _, ...forOwners } = en;
    // The page on which an admin types what another system's administrators know under these names.
    const {
      scopes: _s,
      scopesHint: _h,
      clientId: _c,
      clientSecret: _d,
      fixed: _f,
      faults: _g,
      ...signIn
    } = en.companySignIn;
    const texts = JSON.stringify(Object.values({ ...forOwners, companySignIn: signIn }), (_key, value) =>
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
    [29.99 * day, "in 30 days"],
    [90 * day, "in 3 months"],
    [-400 * day, "1 year ago"],
  ])("%d ms from now → %s", (distance, text) => {
    expect(relative(en, NOW + distance, NOW)).toBe(text);
  });

  test("the exact time names its zone", () => {
    expect(exact(en, NOW)).toBe("July 14, 2026 at 09:30 UTC");
  });
});
