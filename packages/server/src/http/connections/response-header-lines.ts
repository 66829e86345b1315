/** The header lines of responses, in the flat form that node:http writes without changes. */

import type { Answer } from "../http-message.ts";

/** Lines of every response come before its own. If both have a name, the response's own value is used. */
export class HeaderLines {
  readonly #common: Readonly<Record<string, string>>;
  /** The lines of headers that many responses share. */
  readonly #known = new WeakMap<object, readonly string[]>();

  constructor(common: Readonly<Record<string, string>>) {
    this.#common = common;
  }

  /**
   * Name, value, name, value …: a new list for each call. For frozen headers, the list is shared and must not be
   * changed.
   */
  of(headers: Answer["headers"]): readonly string[] {
    const known = this.#known.get(headers);
    if (known !== undefined) return known;
    const lines = Object.entries({ ...this.#common, ...headers }).flat();
    if (Object.isFrozen(headers)) this.#known.set(headers, lines);
    return lines;
  }
}
