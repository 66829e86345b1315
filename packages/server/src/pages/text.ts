/** Text that strangers chose (names of apps, people, hosts), made fit to be shown. */
import { html, type Markup } from "./parts/html.ts";

/** Stands for a character that would have been invisible, or would have reordered the text around it. */
const SHOWN = "\u{FFFD}";

/** Controls, lone surrogates, private use, line and paragraph separators, and all that Unicode calls ignorable: bidi controls, zero-width, fillers, tags. */
const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFC]--[\u200C\u200D\uFE0E\uFE0F]]/gv;

/** Joiners and variation selectors belong to emoji, Persian or Indic words; after plain ASCII they only hide. */
const STRAY_JOINER = /(?<=\p{ASCII}|^)(?:\u200C|\u200D|\uFE0E|\uFE0F)+/gu;

/** Four marks on one letter occur in no name; hundreds paint over the lines around it. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** How many characters of a name are shown; what a name needs more is not a name. */
export const NAME_LENGTH = 100;

/**
 * The text with every hidden character replaced by U+FFFD, cut after `limit` characters with an ellipsis.
 * It is still plain text: rendering escapes it.
 */
export function visible(text: string, limit: number = Number.POSITIVE_INFINITY): string {
  // Trimmed before: what stood behind a space of any kind may stand first now.
  const trimmed = text.replace(HIDDEN, SHOWN).trim();
  const shown = trimmed.replace(STRAY_JOINER, SHOWN).replace(PILED_MARKS, `$1${SHOWN}`);
  if (shown.length <= limit) return shown;
  const characters = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(shown)];
  if (characters.length <= limit) return shown;
  return `${characters
    .slice(0, limit)
    .map((part) => part.segment)
    .join("")
    .trimEnd()}…`;
}

/** Alphabets whose letters look alike; a word of one name has letters of one of them. */
const ALIKE = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** True: a word mixes alphabets that look alike, as names do that pretend to be others. */
export function mixesAlphabets(text: string): boolean {
  return text.split(/[^\p{L}\p{M}]+/u).some((word) => ALIKE.filter((alphabet) => alphabet.test(word)).length > 1);
}

/** A name in its own direction, so that a right-to-left one moves nothing around it. */
export function name(text: string): Markup {
  return html`<bdi class="name">${visible(text, NAME_LENGTH) || SHOWN}</bdi>`;
}

/** A host as the browser would write it: always left to right, breakable where it is too long for the line. */
export function hostText(host: string): Markup {
  return html`<bdi class="host" dir="ltr">${visible(host)}</bdi>`;
}

/** First letter or digit of a name for its tile; `?` where it has none. */
export function initial(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0].toLocaleUpperCase() ?? "?";
}

/** The tile colour of a name, 0–5: the same for the same name, everywhere. */
export function tint(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 6;
}

/** An http(s) address as it came, or null: nothing else may become a link to another site. */
export function webAddress(uri: string | null): string | null {
  if (uri === null || !URL.canParse(uri)) return null;
  return /^https?:$/.test(new URL(uri).protocol) ? uri : null;
}

/** Room for a sealed request; a redirect to more than that would not be read again by any server, nor by us. */
const PATH_LENGTH = 12_288;

/** A path on this server as it came, or null. `//host` and `/\host` would leave the server. */
export function localPath(path: string | null): string | null {
  return path !== null && path.length <= PATH_LENGTH && /^\/(?![/\\])[\u0021-\u005B\u005D-\u007E]*$/.test(path)
    ? path
    : null;
}
