/** Passwords that many people have, and that are tried first therefore (NIST SP 800-63B-4 §3.1.1.2): a list in the program, nobody is asked. */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Bytes of a hash that are kept: one password in twenty million is taken for a common one by mistake. */
export const LISTED_BYTES = 5;
/** Listed words are as long at least; shorter ones would be found inside everything. */
export const SHORTEST_LISTED = 4;
/** So many digits and signs at the end of a listed word make no new password of it. */
const TAIL = 4;
/** Fewer different characters are a pattern. */
const FEWEST_CHARACTERS = 4;

/** One spelling for all that guessers try as one. */
export function foldedPassword(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/**
 * True: on the list, with or without up to four digits or signs behind it; of fewer than four different characters; a run such as `23456789`; or
 * one of `words` (the account's own names, the service's) with such a tail.
 */
export function isCommonPassword(password: string, words: readonly string[] = []): boolean {
  const folded = foldedPassword(password);
  if (new Set(folded).size < FEWEST_CHARACTERS || isRun(folded)) return true;
  const own = new Set(words.map(foldedPassword).filter((word) => word.length >= SHORTEST_LISTED));
  return candidates(folded).some((one) => own.has(one) || isListed(one));
}

/** The password, and what is left of it without 1, 2, … characters at its end, as long as those are no letters. */
function candidates(folded: string): string[] {
  const tail = /[^\p{L}]{0,4}$/u.exec(folded)?.[0].length ?? 0;
  return Array.from({ length: Math.min(tail, TAIL) + 1 }, (_, cut) => folded.slice(0, folded.length - cut)).filter(
    (one) => one.length >= SHORTEST_LISTED,
  );
}

/** Each character follows the one before it, up or down. */
function isRun(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, at) => code - (codes[at] ?? 0)));
  const [step] = steps;
  return steps.size === 1 && (step === 1 || step === -1);
}

let list: Buffer | undefined;

function isListed(word: string): boolean {
  list ??= readFileSync(join(import.meta.dirname, "common-passwords.bin"));
  const wanted = hash("sha256", word, "buffer").subarray(0, LISTED_BYTES);
  let from = 0;
  let to = list.length / LISTED_BYTES;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = list.compare(wanted, 0, LISTED_BYTES, middle * LISTED_BYTES, (middle + 1) * LISTED_BYTES);
    if (order === 0) return true;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return false;
}
