/** Makes text safe to show if strangers chose it: names of apps and people, and hosts. */
import { type Child, html, type Markup } from "./parts/html.ts";

/** Replaces a character that is invisible or reorders the text around it. */
const SHOWN = "\u{FFFD}";

/**
 * Controls, lone surrogates, private use, line and paragraph separators, and all code points that Unicode calls ignorable: bidi controls,
 * zero-width characters, fillers, tags.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFC]--[\u200C\u200D\uFE0E\uFE0F]]/gv;

/** Joiners and variation selectors belong to emoji and to Persian or Indic words. After plain ASCII they are only invisible. */
const STRAY_JOINER = /(?<=\p{ASCII}|^)(?:\u200C|\u200D|\uFE0E|\uFE0F)+/gu;

/** No name needs more than four marks on one letter. Hundreds of marks cover the lines around the name. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Maximum number of characters shown of a name. */
export const NAME_LENGTH = 100;

/**
 * Replaces every hidden character by U+FFFD, and cuts the text after `limit` characters with an ellipsis.
 * Trimming comes before the search for stray joiners: a joiner behind a leading space is then the first character.
 */
export function visible(text: string, limit: number = Number.POSITIVE_INFINITY): string {
  // The text is trimmed first. Otherwise a character behind a leading space could become the first one.
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

/** Alphabets whose letters look alike. A word in an honest name uses letters of only one of them. */
const ALIKE = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** True if a word mixes alphabets that look alike, as names do that imitate other names. */
export function mixesAlphabets(text: string): boolean {
  return text.split(/[^\p{L}\p{M}]+/u).some((word) => ALIKE.filter((alphabet) => alphabet.test(word)).length > 1);
}

/** A name with its own text direction, so that a right-to-left name doesn't reorder the text around it. */
export function name(text: string): Markup {
  return html`<bdi class="name">${visible(text, NAME_LENGTH) || SHOWN}</bdi>`;
}

/** A host as the browser writes it: always left to right. It can break if it is too long for the line. */
export function hostText(host: string): Markup {
  return html`<bdi class="host" dir="ltr">${visible(host)}</bdi>`;
}

/** Hosts with commas between them. */
export function hostList(hosts: readonly string[]): Child {
  return hosts.map((host, at) => [at > 0 && ", ", hostText(host)]);
}

/** First letter or digit of a name, for its tile. `?` if the name has none. */
export function initial(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0].toLocaleUpperCase() ?? "?";
}

/** The tile colour of a name, 0–5. The same name always gets the same colour. */
export function tint(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 6;
}

/** Returns an http(s) address unchanged, or null. No other address may become a link to another site. */
export function webAddress(uri: string | null): string | null {
  if (uri === null || !URL.canParse(uri)) return null;
  return /^https?:$/.test(new URL(uri).protocol) ? uri : null;
}

/** Maximum path length in characters; a sealed request fits. No server, ours included, would accept a redirect to a longer path. */
const PATH_LENGTH = 12_288;

/** Returns a path on this server unchanged, or null. `//host` and `/\host` would leave the server. */
export function localPath(path: string | null): string | null {
  return path !== null && path.length <= PATH_LENGTH && /^\/(?![/\\])[\u0021-\u005B\u005D-\u007E]*$/.test(path)
    ? path
    : null;
}
