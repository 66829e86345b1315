/**
 * Characters that no name may have (UTS #39 §5), for RFC 7591 §5: invisible ones, too many marks, digits of several
 * systems.
 */

/** Maximum number of marks on one letter (UTS #39 §5.4). */
const MOST_MARKS = 4;

export const HIDING = "it has a control character, or an invisible one that changes how text reads";

/** Pictures of several characters (UTS #51): flags, keycaps, and sequences joined by U+200D. */
const EMOJI =
  /\p{RI}{2}|[0-9#*]\uFE0F?\u20E3|\u{1F3F4}(?:\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073}))\u{E007F}|\p{ExtPict}[\uFE0E\uFE0F\p{EMod}]?(?:\u200D\p{ExtPict}[\uFE0F\p{EMod}]?)*/gu;

/** The text without emoji, which the other rules don't concern. */
export function withoutEmoji(text: string): string {
  return text.replace(EMOJI, " ");
}

/** Letters that join no letter on the left, and those that join none at all (Joining_Type R and U). */
const ENDS_WORD =
  "\u0621-\u0625\u0627\u0629\u062F-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06C0\u06C3-\u06CB\u06CD\u06CF\u06D2-\u06D5\u06EE\u06EF";
const VIRAMA = "\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA";

/**
 * Invisible characters that change the shape of their neighbours: joiners in Persian (RFC 5892, appendix A.1) and in
 * Indic scripts (A.2, and RA with U+200D before a virama: Unicode 17, §12.2 and §12.8), variants of Chinese characters
 * in Japanese names, and of Mongolian letters.
 */
const SHAPING = new RegExp(
  [
    `(?<=(?![${ENDS_WORD}])\\p{Script=Arab}\\p{Mn}*)\\u200C(?=[\\p{Script=Arab}--[\\u0621\\u0674]])`,
    `(?<=[${VIRAMA}])[\\u200C\\u200D]`,
    "(?<=[\\u09B0\\u0CB0])\\u200D(?=[\\u09CD\\u0CCD])",
    "(?<=\\p{Script=Hani})[\\u{E0100}-\\u{E01EF}]",
    "(?<=\\p{Script=Mong})[\\u180B-\\u180D\\u180F]",
  ].join("|"),
  "gv",
);
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cn}\p{Cf}\u2800\uFFFC\u{1D159}]/u;
/** Spaces that look like others, except the no-break ones and the wide one. */
const ODD_SPACE = /[\p{Zs}--[\u0020\u00A0\u202F\u3000]]/v;

/** Undefined: every character is visible, or shapes its neighbours. */
export function hiddenProblem(text: string): string | undefined {
  const rest = withoutEmoji(text).replace(SHAPING, "");
  if (ODD_SPACE.test(rest)) return "it has a space of another kind: write an ordinary one";
  return INVISIBLE.test(rest) ? HIDING : undefined;
}

const PILED = new RegExp(`[\\p{Mn}\\p{Me}]{${MOST_MARKS + 1}}|([\\p{Mn}\\p{Me}])\\1`, "u");
/** A mark needs a letter: on a space it would be drawn over the character before. */
const LOOSE = /(?<![\p{L}\p{M}\p{N}\p{S}])\p{M}/u;

/** UTS #39 §5.4. */
export function markProblem(text: string): string | undefined {
  const decomposed = withoutEmoji(text).replace(SHAPING, "").normalize("NFD");
  if (PILED.test(decomposed)) return `it has more than ${MOST_MARKS} marks on one letter, or the same mark twice`;
  return LOOSE.test(decomposed) ? "it has a mark that stands on no letter" : undefined;
}

/** UTS #39 §5.3: all digits are of one system. */
export function digitProblem(text: string): string | undefined {
  const zeros = new Set((text.match(/\p{Nd}/gu) ?? []).map(zeroOf));
  return zeros.size > 1 ? "it has digits of several systems: use one" : undefined;
}

/** The code point of the zero of a digit's system. Systems have ten digits in a row, and some systems are adjacent. */
function zeroOf(digit: string): number {
  const at = digit.codePointAt(0) ?? 0;
  let first = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return at - ((at - first) % 10);
}
