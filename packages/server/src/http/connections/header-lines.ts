/** The header lines of answers, in the flat form that node:http writes as it comes. */

import type { Answer } from "../message.ts";

/** Lines that are on every answer go before its own; a name stands once, as the answer has it. */
export class HeaderLines {
  readonly #common: Readonly<Record<string, string>>;
  /** Of headers that many answers share. */
  readonly #known = new WeakMap<object, readonly string[]>();

  constructor(common: Readonly<Record<string, string>>) {
    this.#common = common;
  }

  /** Name, value, name, value …: a new list for each call, or for frozen headers one that is not to be changed. */
  of(headers: Answer["headers"]): readonly string[] {
    const known = this.#known.get(headers);
    if (known !== undefined) return known;
    const lines = Object.entries({ ...this.#common, ...headers }).flat();
    if (Object.isFrozen(headers)) this.#known.set(headers, lines);
    return lines;
  }
}
