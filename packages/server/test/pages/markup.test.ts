/**
 * The markup of every state of every page, without a browser: titles, headings, fields, errors and times for assistive
 * technology.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chrome, locales } from "../../src/pages/index.ts";
import { states } from "./page-states.ts";

const plain = chrome({ issuer: "http://localhost:9400", here: "/account/apps" });
const rendered = Object.entries(states).map(([name, render]) => [name, render(plain)] as const);
const tags = (html: string, kind: string) => html.match(new RegExp(`<(?:${kind})\\b(?:[^>"]|"[^"]*")*>`, "g")) ?? [];
const value = (tag: string, attribute: string) => new RegExp(` ${attribute}="([^"]*)"`).exec(tag)?.[1];
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

/** Alerts that are visible from the start, without those that a script shows. */
const alerts = (html: string) =>
  tags(html, "[a-z]+").filter((tag) => value(tag, "role") === "alert" && !/ hidden/.test(tag));

describe.each(rendered)("%s", (_, html) => {
  test("something is wrong → the title says so first; else it doesn't", () => {
    const title = /<title>(.*?)<\/title>/.exec(html)?.[1] ?? "";
    expect([title, title.startsWith("Error: ")]).toEqual([title, alerts(html).length > 0]);
  });

  test("a field at fault → its message is read out with it, and the page opens with it or with the message", () => {
    const ids = idsOf(html);
    const invalid = tags(html, "input|select|textarea").filter((tag) => tag.includes('aria-invalid="true"'));
    const described = tags(html, "input|select|textarea").flatMap(
      (tag) => value(tag, "aria-describedby")?.split(" ") ?? [],
    );
    for (const id of described) expect(ids).toContain(id);
    for (const tag of invalid) expect(value(tag, "aria-describedby")).toMatch(/error/);
    const [focused] = tags(html, "[a-z]+").filter((tag) => / autofocus/.test(tag));
    const messages = alerts(html).map((tag) => value(tag, "id"));
    if (messages.length === 0) return;
    const about = value(focused ?? "", "aria-describedby")?.split(" ") ?? [];
    expect(alerts(html).includes(focused ?? "") || about.some((id) => messages.includes(id))).toBe(true);
  });

  test("headings go down by one, from one h1", () => {
    const levels = tags(html, "h[1-6]").map((tag) => Number(tag[2]));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
  });

  test("every field has a label and says to browsers what it is for", () => {
    const fields = tags(html, "input|textarea|select").filter(
      (tag) => !/type="(?:hidden|checkbox|radio|file)"| aria-hidden="true"/.test(tag),
    );
    const labels = new Set(tags(html, "label").map((tag) => value(tag, "for")));
    for (const tag of fields) {
      const id = value(tag, "id");
      // A select without an id must be inside its label.
      if (id !== undefined || !tag.startsWith("<select")) expect(labels).toContain(id);
      if (tag.startsWith("<input")) expect(value(tag, "autocomplete"), tag).toMatch(/\w/);
    }
    for (const tag of fields.filter((one) => value(one, "autocomplete") === "one-time-code"))
      expect(value(tag, "inputmode")).toBe("numeric");
    for (const tag of fields.filter((one) => value(one, "type") === "password"))
      expect(value(tag, "autocomplete")).toMatch(/^(?:current|new)-password$/);
  });

  test("a link that leaves the page open gives the other no hold on it", () => {
    for (const tag of tags(html, "a").filter((one) => one.includes("target="))) {
      expect(tag).toMatch(/ target="_blank" rel="noopener noreferrer"/);
    }
  });

  test("times are written for machines, too", () => {
    for (const tag of tags(html, "time")) expect(value(tag, "datetime")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test("pages with a bar: the way past it comes first; landmarks have names of their own", () => {
    const first = tags(html, "a|button|input|summary").find((tag) => !/type="hidden"| tabindex="-1"/.test(tag)) ?? "";
    expect(/ href="#content"/.test(first)).toBe(html.includes('class="bar"'));
    if (html.includes('class="bar"')) expect(idsOf(html)).toContain("content");
    const names = tags(html, "nav").map((tag) => value(tag, "aria-label"));
    expect(names.every(Boolean)).toBe(true);
    expect(new Set(names).size).toBe(names.length);
  });
});

test.each(["profile", "profile-details", "profile-unverified"])(
  "%s: each part that opens and each button has a name of its own",
  (name) => {
    const english = chrome({ issuer: "http://localhost:9400", here: "/account/profile", locale: "en" });
    const main = (states[name]?.(english) ?? "").replace(/^[\s\S]*<main/, "<main");
    for (const kind of ["summary", "button"]) {
      const names = [...main.matchAll(new RegExp(`<${kind}\\b[^>]*>([\\s\\S]*?)</${kind}>`, "g"))].map(
        ([, text = ""]) => text.replaceAll(/<[^>]*>/g, "").trim(),
      );
      expect(names.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
    }
  },
);

describe("right to left", () => {
  /** Text that is left-to-right in every language: addresses, codes, hosts, links. */
  const FRAGMENTS = [
    /[\w.+-]+@[\w-]+\.[\w.-]+/,
    /\b(?:\d{1,3}\.){3}\d{1,3}\b/,
    /[A-Z]{4}-[A-Z]{4}/,
    /\bexample\.com\b/,
  ];
  const arabic = chrome({ issuer: "http://localhost:9400", here: "/account/apps", locale: "ar" });

  // Error pages for developers are in English.
  const names = Object.keys(states).filter((name) => !name.startsWith("condition"));
  test.each(names)("%s: what runs the other way is kept apart from the text around it", (name) => {
    const body = (states[name]?.(arabic) ?? "").replace(/^[\s\S]*<body[^>]*>/, "");
    const loose = body
      .replace(/<(bdi|code|textarea)\b[^>]*>[\s\S]*?<\/\1>/g, "")
      .replace(/<option\b[\s\S]*?<\/option>/g, "")
      .replace(/<[^>]*>/g, "\n")
      // This example is part of our own text, so no foreign name is beside it.
      .replaceAll("name@example.com", "");
    for (const fragment of FRAGMENTS) expect(loose.match(fragment)).toBeNull();
  });
});

test("no two pages of one language have the same title, whatever it is", () => {
  const pages = [
    "sign-in-alone",
    "recover",
    "sign-up",
    "second-step",
    "device",
    "apps",
    "history",
    "security",
    "profile",
    "verify-receipt",
    "receipt",
  ];
  const more = ["companies", "company-apps", "company-members", "company-history", "delete", "change-password"];
  for (const locale of locales) {
    const words = chrome({ issuer: "http://localhost:9400", locale });
    const titles = [...pages, ...more].map((name) => /<title>(.*?)<\/title>/.exec(states[name]?.(words) ?? "")?.[1]);
    expect(new Set(titles).size).toBe(titles.length);
  }
});

test.each(["recover-done", "recover-done-removed", "undone", "second-step-passkey-alone", "recover-prove-passkey"])(
  "%s: the only way on is the primary button",
  (name) => {
    const page = states[name]?.(chrome({ issuer: "http://localhost:9400", locale: "en" })) ?? "";
    expect([...page.matchAll(/class="(button[^"]*)"/g)].map(([, kind]) => kind)).toEqual(["button primary"]);
  },
);

test.each(["recover-kept-alone", "password-kept", "stronger-provider", "recover-prove-both"])(
  "%s: one of its buttons is primary",
  (name) => {
    const page = states[name]?.(chrome({ issuer: "http://localhost:9400", locale: "en" })) ?? "";
    expect(page.match(/class="button primary"/g)).toHaveLength(1);
  },
);

test("Japanese: no page has a space between two sentences", () => {
  const japanese = chrome({ issuer: "http://localhost:9400", here: "/account/apps", locale: "ja" });
  const spaced = Object.entries(states).flatMap(([name, render]) =>
    [...render(japanese).matchAll(/。 (?!<\/)[^<]*/g)].map(([text]) => `${name}: ${text}`),
  );
  expect(spaced).toEqual([]);
});

test("names in a list of Arabic → each is apart from its neighbours", () => {
  const arabic = chrome({ issuer: "http://localhost:9400", locale: "ar" });
  expect(states["recover-done-removed"]?.(arabic)).toContain("<bdi>Mail Export</bdi>");
});

test("each type of text field on a page → the style sheet names it, so that all look alike", () => {
  const css = readFileSync(new URL("../../src/pages/assets/assent.css", import.meta.url), "utf8");
  const others = new Set(["hidden", "checkbox", "radio", "file"]);
  const types = new Set(
    rendered.flatMap(([, html]) => [...html.matchAll(/<input\b[^>]*? type="(\w+)"/g)].map(([, of]) => of)),
  );
  expect([...types].filter((type) => !others.has(type ?? "") && !css.includes(`input[type="${type}"],`))).toEqual([]);
  expect(types).toContain("url");
});

test("the style sheet names no side: right to left, every rule is mirrored", () => {
  const css = readFileSync(new URL("../../src/pages/assets/assent.css", import.meta.url), "utf8");
  const sides =
    /^.*(?:\b(?:margin|padding|border|inset)-(?:left|right)|^\s*(?:left|right)|text-align: (?:left|right)|float):?.*$/gm;
  expect(css.match(sides) ?? []).toEqual([]);
  const uneven = [...css.matchAll(/(?:margin|padding|inset): (\S+) (\S+) (\S+) (\S+);/g)].filter(
    ([, , end, , start]) => end !== start,
  );
  expect(uneven.map(([rule]) => rule)).toEqual([]);
});
