/** Names of the ways to sign in, for pages and messages about recovery. */
import type { SeenFrom } from "../factor-views.ts";
import { fill, type Messages, plural, rich, sentences } from "../messages/index.ts";
import { type Child, html } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, visible } from "../untrusted-text.ts";
import type { NamedWay } from "./recover-account-views.ts";

/** Returns plain text. A stranger may have chosen a passkey's name, so the caller must escape it. */
export function wayName({ kind, name }: NamedWay, { takeBack }: Messages): string {
  if (kind !== "passkey") return takeBack[kind];
  return fill(takeBack.passkey, { name: visible(name ?? "", NAME_LENGTH) });
}

/** Says when a factor was added, and with which browser. */
export function seenFrom(
  { browser, system, place }: SeenFrom,
  at: number,
  now: number,
  words: Messages,
): readonly Child[] {
  const { takeBack, sessions } = words;
  const when = timeElement(words, at, now);
  const device = browser !== null && system !== null ? fill(sessions.device, { browser, system }) : (browser ?? system);
  return [
    device === null ? rich(takeBack.added, { when }) : rich(takeBack.addedFrom, { when, device }),
    place !== null && rich(takeBack.place, { place: html`<bdi dir="ltr">${visible(place)}</bdi>` }),
  ];
}

/** The facts that are present, with a dot between them. */
export function facts(all: readonly (Child | false | null)[]): readonly Child[] {
  return all
    .filter((one) => one !== false && one !== null)
    .flatMap((one, at): readonly Child[] => (at === 0 ? [one] : [" · ", one]));
}

/**
 * Joins names on one line, as the language lists them. `more`: the number of names that are not shown. For a page, each
 * name is apart, so that its letters don't change the order of the others.
 */
export function listed(
  names: readonly string[],
  words: Messages,
  more = 0,
): { readonly text: string; readonly html: Child } {
  const { language, apps } = words;
  // Before "and 3 more", the list has no "and" of its own.
  const list = new Intl.ListFormat(language, more === 0 ? { type: "conjunction" } : { type: "unit", style: "short" });
  const parts = list.formatToParts(names);
  const rest = more === 0 ? [] : sentences(language, "", fill(plural(language, apps.more, more), { count: more }));
  return {
    text: [...parts.map(({ value }) => value), ...rest].join(""),
    html: [...parts.map(({ type, value }) => (type === "element" ? html`<bdi>${value}</bdi>` : value)), ...rest],
  };
}
