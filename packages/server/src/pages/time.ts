/** Times as people read them: relative, with the exact one a pointer away, and lengths of time. */

import { fill, type Messages, plural } from "./messages/index.ts";
import { html, type Markup } from "./parts/html.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Coarsest first; the first unit that is reached names the time. */
const units = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 14 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

interface Formats {
  readonly exact: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
  readonly month: Intl.DateTimeFormat;
  readonly always: Intl.RelativeTimeFormat;
  readonly auto: Intl.RelativeTimeFormat;
}

const made = new Map<string, Formats>();

/** Making a format costs more than rendering an entry that uses it; there are only as many as languages. */
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
    month: new Intl.DateTimeFormat(language, { year: "numeric", month: "long", timeZone: "UTC" }),
    always: new Intl.RelativeTimeFormat(language, { numeric: "always" }),
    auto: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
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
    // A fortnight is where weeks begin to read better than days, but they still count by seven.
    const count = Math.round(distance / (unit === "week" ? 7 * DAY : length));
    return (unit === "day" ? auto : always).format(count, unit);
  }
  return distance > 0 ? words.time.soon : words.time.now;
}

/** The exact time with its zone, e.g. `July 14, 2026 at 09:30 UTC`: the server doesn't know where the reader is. */
export function exact(words: Messages, at: number): string {
  return formats(words.language).exact.format(at);
}

/** The time of day with its zone, e.g. `09:40 UTC`. */
export function clock(words: Messages, at: number): string {
  return formats(words.language).clock.format(at);
}

/** A month, e.g. `March 2026`. */
export function month(words: Messages, at: number): string {
  return formats(words.language).month.format(at);
}

/** An exact time that stands on the page itself; `shown`: all of it, or the time of day. A script says it in the reader's own zone (`localTimes`). */
export function shownTime(words: Messages, at: number, shown: "exact" | "clock"): Markup {
  const text = shown === "exact" ? exact(words, at) : clock(words, at);
  return html`<time datetime=${new Date(at).toISOString()} data-shown=${shown}>${text}</time>`;
}

/** A relative time; the exact one for machines and in the tooltip. */
export function timeElement(words: Messages, at: number, now: number): Markup {
  return html`<time datetime=${new Date(at).toISOString()} title=${exact(words, at)}>${relative(words, at, now)}</time>`;
}

/**
 * A length of consent as the owner reads it.
 *
 * @param value seconds in decimal, `once` or `forever`, as it stands in the form.
 * @returns `90 days`, `1 hour`; the value itself where it is none of these.
 */
export function durationLabel(words: Messages, value: string): string {
  if (value === "once" || value === "forever") return words.duration[value];
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
