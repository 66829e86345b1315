/** What another language's file has to hold: each message of English, with the same holes; each plural, in all forms of that language. */

/** Names of the `{holes}` in a message. */
export type Holes<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

/** Text with a certain hole; a union of names makes a union of texts. */
type With<Name extends string> = Name extends string ? `${string}{${Name}}${string}` : never;

type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** Text that has every hole of the English one. A hole too many is found by a test. */
export type Said<T extends string> = [Holes<T>] extends [never] ? string : All<With<Holes<T>>>;

interface Counted {
  readonly one: string;
  readonly other: string;
}

/** The forms by which small numbers are said need no number in them, as English `one` needs none. */
type Form<T extends Counted, Category> = Category extends "zero" | "one" | "two" ? Said<T["one"]> : Said<T["other"]>;

/**
 * A language's messages. `Categories` are its plural forms (Unicode CLDR) as far as our numbers reach: French and Spanish have `many` for
 * millions alone.
 */
export type Translation<T, Categories extends Intl.LDMLPluralRule> = {
  readonly [K in keyof T]: T[K] extends string
    ? Said<T[K]>
    : T[K] extends Counted
      ? { readonly [C in Categories]: Form<T[K], C> }
      : Translation<T[K], Categories>;
};
