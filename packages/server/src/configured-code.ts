/** Code in the configuration: called with a deadline, and never trusted to return what its type says. */

import type { Millis } from "./oauth/model.ts";

export type Called =
  | { readonly kind: "returned"; readonly value: unknown }
  /** What the code threw may tell about a person, so this is only its kind. */
  | { readonly kind: "failed"; readonly why: string };

/** Waits for the code, but at most `timeout`. `signal` aborts when the time is over. */
export async function callCode(code: (signal: AbortSignal) => unknown, timeout: Millis): Promise<Called> {
  const stop = new AbortController();
  const late = Symbol("late");
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof late>((resolve) => {
    // Unlike that of AbortSignal.timeout, this timer keeps a command running until the code is late.
    timer = setTimeout(() => {
      resolve(late);
      stop.abort(new DOMException(`no answer after ${timeout} ms`, "TimeoutError"));
    }, timeout);
  });
  const given = async () => code(stop.signal);
  try {
    // The first of the two: code that stops at the signal is late, too.
    const value: unknown = await Promise.race([over, given()]);
    return value === late ? failed(`no answer after ${timeout} ms`) : { kind: "returned", value };
  } catch (error) {
    return failed(`the code threw ${error instanceof Error ? error.name : typeof error}`);
  } finally {
    clearTimeout(timer);
  }
}

function failed(why: string): Called {
  return { kind: "failed", why };
}

/** An object that is neither a list nor of a class. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another prototype, whose prototype is null.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
