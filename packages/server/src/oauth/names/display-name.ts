/**
 * The rules for names and texts that owners read (RFC 7591 §2 `client_name`, §5), so that none passes for another (UTS
 * #39).
 */

import { digitProblem, HIDING, hiddenProblem, markProblem, withoutEmoji } from "./forbidden-characters.ts";
import { looksLatin } from "./look-alikes.ts";
import { scriptProblem } from "./mixed-scripts.ts";

/**
 * Why a page must not show a text to owners. Undefined: it can. `most`: maximum number of characters. `stands`: the
 * present text; if it is unchanged, only its form is checked, because rules become stricter and records stay.
 */
export function displayTextProblem(text: string, most: number, stands?: string | null): string | undefined {
  const form = formProblem(text, most);
  if (form !== undefined || PLAIN.test(text)) return form;
  const composed = text.normalize("NFC");
  if (composed === stands?.normalize("NFC")) return undefined;
  return (
    hiddenProblem(composed) ??
    markProblem(composed) ??
    digitProblem(composed) ??
    styleProblem(composed) ??
    scriptProblem(withoutEmoji(composed), looksLatin)
  );
}

/** Texts that need no further check. */
const PLAIN = /^[\x20-\x7e]+$/;

/**
 * Controls, line ends, and characters that change the direction of text or are hidden in it: a name must read as it is
 * written.
 */
const DECEIVING =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\u{e0000}-\u{e001f}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;

function formProblem(text: string, most: number): string | undefined {
  if (!text.isWellFormed()) return "it is not well-formed Unicode";
  const length = [...text].length;
  if (text.trim() === "") return "it is empty";
  if (length > most) return `it has ${length} characters; ${most} is the most`;
  if (text !== text.trim()) return "it begins or ends with a space";
  if (DECEIVING.test(text)) return HIDING;
  return undefined;
}

/**
 * Latin letters and digits in another style, as in formulas, and Roman numerals inside a word: they look like plain
 * letters.
 */
const STYLED =
  /[\u2102\u210A-\u2115\u2119-\u211D\u2124\u2128\u212C-\u2134\u2145-\u2149\u{1D400}-\u{1D7FF}]|[\u2160-\u217F](?=[a-z])|(?<=[a-z])[\u2170-\u217F]/u;

function styleProblem(text: string): string | undefined {
  return STYLED.test(withoutEmoji(text)) ? "it has letters in a style of their own: write plain ones" : undefined;
}
