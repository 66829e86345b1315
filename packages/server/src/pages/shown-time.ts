/** Times for readers: relative times with the exact time in the tooltip, and durations. */

import { fill, type Messages, plural } from "./messages/index.ts";
import { html, type Markup } from "./parts/html.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time to come that is nearer than this is given in days. */
const IN_DAYS = 60 * DAY;

/** Units from largest to smallest. The first unit that the time reaches is used. */
const units = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 14 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

/** Languages in which a line could end between a number and its unit. Elsewhere the whole text stays on one line. */
const joinsUnit: ReadonlySet<string> = new Set(["ja"]);

interface Formats {
  readonly exact: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly month: Intl.DateTimeFormat;
  readonly always: Intl.RelativeTimeFormat;
  readonly auto: Intl.RelativeTimeFormat;
  readonly number: Intl.NumberFormat;
}

const made = new Map<string, Formats>();

/** One set of formats for each language. Creating a format costs more than rendering an entry with it. */
function formats(language: string): Formats {
  const known = made.get(language);
  if (known !== undefined) return known;
  const fresh: Formats = {
    exact: new Intl.DateTimeFormat(language, {
      year: "numeric",
      month: "long",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: "UTC",
      timeZoneName: "short",
    }),
    clock: new Intl.DateTimeFormat(language, {
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: "UTC",
      timeZoneName: "short",
    }),
    day: new Intl.DateTimeFormat(language, { year: "numeric", month: "long", day: "numeric", timeZone: "UTC" }),
    month: new Intl.DateTimeFormat(language, { year: "numeric", month: "long", timeZone: "UTC" }),
    always: new Intl.RelativeTimeFormat(language, { numeric: "always" }),
    auto: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
    number: new Intl.NumberFormat(language),
  };
  made.set(language, fresh);
  return fresh;
}

/** `3 days ago`, `in 2 months`, `just now`. `at` and `now` in epoch milliseconds. */
export function relative(words: Messages, at: number, now: number): string {
  const distance = at - now;
  const { always, auto } = formats(words.language);
  for (const [unit, length] of units) {
    if (Math.abs(distance) < length) continue;
    // An end that was chosen as 30 days reads as 30 days.
    if (distance > 0 && distance < IN_DAYS && (unit === "month" || unit === "week")) continue;
    // Weeks are used from 14 days on, but a week still has seven days.
    const count = Math.round(distance / (unit === "week" ? 7 * DAY : length));
    const text = (unit === "day" ? auto : always).format(count, unit);
    return joinsUnit.has(words.language) ? text.replaceAll(" ", "\u00a0") : text;
  }
  return distance > 0 ? words.time.soon : words.time.now;
}

/** The exact time with its zone, e.g. `July 14, 2026 at 09:30 UTC`. The server doesn't know the reader's time zone. */
export function exact(words: Messages, at: number): string {
  return formats(words.language).exact.format(at);
}

/** A date in UTC, e.g. `July 14, 2026`: for options of a menu, which have no room for the time. */
export function day(words: Messages, at: number): string {
  return formats(words.language).day.format(at);
}

/** The time of day with its zone, e.g. `09:40 UTC`. */
export function clock(words: Messages, at: number): string {
  return formats(words.language).clock.format(at);
}

/** A month, e.g. `March 2026`. */
export function month(words: Messages, at: number): string {
  return formats(words.language).month.format(at);
}

/** A number with the separators of the language, e.g. `10,000`. */
export function number(words: Messages, value: number): string {
  return formats(words.language).number.format(value);
}

/**
 * A time that is visible on the page. `shown`: date and time; or the time of day of an end, which is the next whole minute,
 * so that nothing goes on after it. A script converts it to the reader's time zone (`localTimes`).
 */
export function shownTime(words: Messages, at: number, shown: "exact" | "clock"): Markup {
  const told = shown === "exact" ? at : Math.ceil(at / MINUTE) * MINUTE;
  const text = shown === "exact" ? exact(words, told) : clock(words, told);
  return html`<time datetime=${new Date(told).toISOString()} data-shown=${shown}>${text}</time>`;
}

/** A relative time. The exact time is in the `datetime` attribute and in the tooltip. */
export function timeElement(words: Messages, at: number, now: number): Markup {
  return html`<time datetime=${new Date(at).toISOString()} title=${exact(words, at)}>${relative(words, at, now)}</time>`;
}

/**
 * The duration of a consent, in words for the owner.
 *
 * @param value seconds in decimal, `once` or `forever`, as the form contains it.
 * @returns `90 days`, `1 hour`. Any other value is returned unchanged.
 */
export function durationLabel(words: Messages, value: string): string {
  if (value === "once" || value === "forever") return words.duration[value];
  const known = labels.get(`${words.language} ${value}`);
  if (known !== undefined) return known;
  const label = labelOf(words, value);
  if (labels.size < LABELS_HELD) labels.set(`${words.language} ${value}`, label);
  return label;
}

/** A consent page shows each of the operator's durations once for each scope. */
const labels = new Map<string, string>();
const LABELS_HELD = 500;

function labelOf(words: Messages, value: string): string {
  const seconds = Number(value);
  if (!Number.isSafeInteger(seconds) || seconds < 1) return value;
  const { year, day, hour, minute, second } = words.duration;
  const [length, forms] = (
    [
      [31_536_000, year],
      [86_400, day],
      [3_600, hour],
      [60, minute],
    ] as const
  ).find(([unit]) => seconds % unit === 0) ?? [1, second];
  const count = seconds / length;
  return fill(plural(words.language, forms, count), { count });
}
