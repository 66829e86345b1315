/** The languages that the pages speak, and how a message's holes are filled. */
import type { Child } from "../html.ts";
import { en } from "./en.ts";

/** Keys and holes of every message. */
export type Messages = typeof en;

/** A language's file: the same keys, other words. */
export type Translation<T = Messages> = { readonly [K in keyof T]: T[K] extends string ? string : Translation<T[K]> };

/** Names of the `{holes}` in a message. */
export type Holes<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

const languages: ReadonlyMap<string, Translation> = new Map([[en.language as string, en]]);

/** The languages there are, for choosing one by the browser's preference. */
export const locales: readonly string[] = [...languages.keys()];

/** The messages of a locale (BCP 47): the exact language, else its base (`de-AT` → `de`), else English. */
export function messages(locale: string): Messages {
  const lower = locale.toLowerCase();
  const found = languages.get(lower) ?? languages.get(lower.split("-")[0] ?? "") ?? en;
  // A translation has the same keys and holes (a test compares them), only other words.
  return found as Messages;
}

/** Fills the holes with plain text: for titles and attributes. */
export function fill<T extends string>(message: T, values: Readonly<Record<Holes<T>, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, hole: Holes<T>) => String(values[hole]));
}

/** Fills the holes with elements or text: for the inside of an element. */
export function rich<T extends string>(message: T, values: Readonly<Record<Holes<T>, Child>>): readonly Child[] {
  return message.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part as Holes<T>]));
}

/** The form of a message for a number, by the language's plural rules. */
export function plural<One extends string, Other extends string>(
  locale: string,
  forms: { readonly one: One; readonly other: Other },
  count: number,
): One | Other {
  // Languages with more forms name them `few`, `many` …; where a file lacks one, `other` is right.
  const form = new Intl.PluralRules(locale).select(count);
  const chosen: One | Other | undefined = (forms as Partial<Record<Intl.LDMLPluralRule, One | Other>>)[form];
  return chosen ?? forms.other;
}
