/**
 * Passwords that many people use, and that attackers try first (NIST SP 800-63B-4 §3.1.1.2). The list is in the
 * program; no other server is asked.
 */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Number of stored bytes of each hash: one password in twenty million counts as common by mistake. */
export const LISTED_BYTES = 5;
/** Minimum length of a listed word; shorter ones would be found inside everything. */
export const SHORTEST_LISTED = 4;
/** Maximum number of digits and signs after a listed word that don't make it a new password. */
const TAIL = 4;
/** A password with fewer different characters is a pattern. */
const FEWEST_CHARACTERS = 4;

/** One spelling for all spellings that attackers try together. */
export function foldedPassword(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/**
 * True: on the list, with or without up to four digits or signs after it; with fewer than four different characters; a
 * sequence such as `23456789`; or one of `words` (the names of the account and the service) with such an ending.
 */
export function isCommonPassword(password: string, words: readonly string[] = []): boolean {
  const folded = foldedPassword(password);
  if (new Set(folded).size < FEWEST_CHARACTERS || isRun(folded)) return true;
  const own = new Set(words.map(foldedPassword).filter((word) => word.length >= SHORTEST_LISTED));
  return candidates(folded).some((one) => own.has(one) || isListed(one));
}

/** The password, and the rest of it without its last 1, 2, … characters, as long as these are not letters. */
function candidates(folded: string): string[] {
  const tail = /[^\p{L}]{0,4}$/u.exec(folded)?.[0].length ?? 0;
  return Array.from({ length: Math.min(tail, TAIL) + 1 }, (_, cut) => folded.slice(0, folded.length - cut)).filter(
    (one) => one.length >= SHORTEST_LISTED,
  );
}

/** True: each character follows the one before it, up or down. */
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
