/** The type of a translation: each English message with the same placeholders, each plural in all its forms. */

/** Names of the `{placeholders}` in a message. */
export type Holes<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

/** Text with a certain placeholder. A union of names gives a union of texts. */
type With<Name extends string> = Name extends string ? `${string}{${Name}}${string}` : never;

type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** Text that has every placeholder of the English text. A test finds additional placeholders. */
export type Said<T extends string> = [Holes<T>] extends [never] ? string : All<With<Holes<T>>>;

interface Counted {
  readonly one: string;
  readonly other: string;
}

/** The forms for 0, 1 and 2 need no placeholder for the number, like `one` in English. */
type Form<T extends Counted, Category> = Category extends "zero" | "one" | "two" ? Said<T["one"]> : Said<T["other"]>;

/**
 * The messages of a language. `Categories` are the plural forms (Unicode CLDR) that our numbers need. French and Spanish
 * use `many` only for millions, so they leave it out.
 */
export type Translation<T, Categories extends Intl.LDMLPluralRule> = {
  readonly [K in keyof T]: T[K] extends string
    ? Said<T[K]>
    : T[K] extends Counted
      ? { readonly [C in Categories]: Form<T[K], C> }
      : Translation<T[K], Categories>;
};
