/** The languages of the pages, and the functions that fill the placeholders of a message. */
import type { Child } from "../parts/html.ts";
import { ar } from "./ar/index.ts";
import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import { es } from "./es/index.ts";
import { fr } from "./fr/index.ts";
import { ja } from "./ja/index.ts";
import type { Holes } from "./translation.ts";

/** Keys and placeholders of every message. */
export type Messages = typeof en;

// The compiler checks each file against English (`Translation`): the same keys and placeholders.
const languages: ReadonlyMap<string, Messages> = new Map(
  [en, de, fr, es, ja, ar].map((one) => [one.language, one as unknown as Messages]),
);

/** The available languages, in the order of the language menu. */
export const locales: readonly string[] = [...languages.keys()];

/** The available language for a locale (BCP 47): itself, else its base (`de-AT` → `de`). Undefined: not available. */
export function spoken(locale: string): string | undefined {
  const lower = locale.toLowerCase();
  return [lower, lower.split("-")[0] ?? ""].find((one) => languages.has(one));
}

/** The messages of a locale; English if its language isn't available. */
export function messages(locale: string): Messages {
  return languages.get(spoken(locale) ?? "en") ?? en;
}

/** Fills the placeholders with plain text, for titles and attributes. */
export function fill<T extends string>(message: T, values: Readonly<Record<Holes<T>, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, hole: Holes<T>) => String(values[hole]));
}

/** Fills the placeholders with elements or text, for the content of an element. */
export function rich<T extends string>(message: T, values: Readonly<Record<Holes<T>, Child>>): readonly Child[] {
  return message.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part as Holes<T>]));
}

/** Joins the sentences of a paragraph, without those that are null or false. Japanese puts no space between sentences. */
export function sentences(locale: string, ...all: readonly Child[]): readonly Child[] {
  const said = all.filter((one) => one !== null && one !== false);
  return locale === "ja" ? said : said.flatMap((one, at) => (at === 0 ? [one] : [" ", one]));
}

/** The plural form of a message for a number, by the language's rules (Unicode CLDR). */
export function plural<One extends string, Other extends string>(
  locale: string,
  forms: { readonly one: One; readonly other: Other },
  count: number,
): One | Other {
  const form = rulesOf(locale).select(count);
  const chosen: One | Other | undefined = (forms as Partial<Record<Intl.LDMLPluralRule, One | Other>>)[form];
  // French and Spanish have a separate form for millions, which our pages never need.
  return chosen ?? forms.other;
}

const rules = new Map<string, Intl.PluralRules>();

/** Creates the rules of each language once. */
function rulesOf(locale: string): Intl.PluralRules {
  const known = rules.get(locale) ?? new Intl.PluralRules(locale);
  rules.set(locale, known);
  return known;
}
