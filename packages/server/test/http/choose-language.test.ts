import { describe, expect, test } from "vitest";
import { type LanguageHints, languageOf, writeChoice } from "../../src/http/choose-language.ts";

const NOW = Date.UTC(2026, 6, 14);
const hints = (change: Partial<LanguageHints> = {}): LanguageHints => ({
  uiLocales: null,
  startedAt: 0,
  chosen: undefined,
  acceptLanguage: undefined,
  ...change,
});

describe("nothing that is spoken here → English", () => {
  test.each([
    ["nothing said", {}],
    ["unknown languages", { uiLocales: "tlh", acceptLanguage: "nl, pt-BR;q=0.9" }],
    ["`*`", { acceptLanguage: "*" }],
    ["weight nought", { acceptLanguage: "de;q=0" }],
    ["malformed header", { acceptLanguage: "de;q=7, ;;;, fr;level=1, \u0000" }],
    ["malformed cookie", { chosen: "de" }],
    ["cookie with another language", { chosen: "nl.abc" }],
    ["cookie as an attacker writes it", { chosen: "../de.abc" }],
    ["names of an object's parts", { uiLocales: "constructor __proto__ toString" }],
  ])("%s", (_, said) => {
    expect(languageOf(hints(said))).toBe("en");
  });

  test("the language stands after 20 others → unread", () => {
    expect(languageOf(hints({ acceptLanguage: `${"nl,".repeat(20)}de` }))).toBe("en");
    expect(languageOf(hints({ uiLocales: `${"nl ".repeat(20)}de` }))).toBe("en");
  });
});

describe("Accept-Language (RFC 9110 §12.5.4)", () => {
  test.each([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en;q=0.5, fr;q=0.7", "fr"],
    ["nl, ja;q=0.3, es;q=0.3", "ja"],
    ["AR-eg", "ar"],
    ["zh-Hant-TW, fr-CA ; q=0.1", "fr"],
  ])("%s → %s", (acceptLanguage, language) => {
    expect(languageOf(hints({ acceptLanguage }))).toBe(language);
  });
});

describe("who says it", () => {
  const acceptLanguage = "fr";
  const chosen = writeChoice("de", NOW);

  test("the reader's choice → before the browser's", () => {
    expect(languageOf(hints({ acceptLanguage, chosen }))).toBe("de");
  });

  test("the request's ui_locales → before a choice that is older than the request", () => {
    expect(languageOf(hints({ acceptLanguage, chosen, uiLocales: "nl es-MX", startedAt: NOW + 1 }))).toBe("es");
  });

  test("chosen on a page of this request → the choice", () => {
    expect(languageOf(hints({ acceptLanguage, chosen, uiLocales: "es", startedAt: NOW - 1 }))).toBe("de");
  });

  test("ui_locales name nothing that is spoken here → the choice", () => {
    expect(languageOf(hints({ chosen, uiLocales: "nl", startedAt: NOW + 1 }))).toBe("de");
  });
});
