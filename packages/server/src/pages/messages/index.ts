/** The languages that the pages speak, and how a message's holes are filled. */
import type { Child } from "../parts/html.ts";
import { ar } from "./ar/index.ts";
import { de } from "./de/index.ts";
import { en } from "./en/index.ts";
import { es } from "./es/index.ts";
import { fr } from "./fr/index.ts";
import { ja } from "./ja/index.ts";
import type { Holes } from "./translation.ts";

/** Keys and holes of every message. */
export type Messages = typeof en;

// Each file is held against English when it is compiled (`Translation`): the same keys and holes, only other words.
const languages: ReadonlyMap<string, Messages> = new Map(
  [en, de, fr, es, ja, ar].map((one) => [one.language, one as unknown as Messages]),
);

/** The languages there are, in the order in which they are offered. */
export const locales: readonly string[] = [...languages.keys()];

/** The language of these that a locale (BCP 47) means: itself, else its base (`de-AT` → `de`); undefined: it isn't spoken here. */
export function spoken(locale: string): string | undefined {
  const lower = locale.toLowerCase();
  return [lower, lower.split("-")[0] ?? ""].find((one) => languages.has(one));
}

/** The messages of a locale; English where it isn't spoken. */
export function messages(locale: string): Messages {
  return languages.get(spoken(locale) ?? "en") ?? en;
}

/** Fills the holes with plain text: for titles and attributes. */
export function fill<T extends string>(message: T, values: Readonly<Record<Holes<T>, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, hole: Holes<T>) => String(values[hole]));
}

/** Fills the holes with elements or text: for the inside of an element. */
export function rich<T extends string>(message: T, values: Readonly<Record<Holes<T>, Child>>): readonly Child[] {
  return message.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part as Holes<T>]));
}

/** The form of a message for a number, by the language's plural rules (Unicode CLDR). */
export function plural<One extends string, Other extends string>(
  locale: string,
  forms: { readonly one: One; readonly other: Other },
  count: number,
): One | Other {
  const form = rulesOf(locale).select(count);
  const chosen: One | Other | undefined = (forms as Partial<Record<Intl.LDMLPluralRule, One | Other>>)[form];
  // French and Spanish have a form for millions that no page of ours comes to.
  return chosen ?? forms.other;
}

const rules = new Map<string, Intl.PluralRules>();

/** Made once for each language: there are only a few. */
function rulesOf(locale: string): Intl.PluralRules {
  const known = rules.get(locale) ?? new Intl.PluralRules(locale);
  rules.set(locale, known);
  return known;
}
