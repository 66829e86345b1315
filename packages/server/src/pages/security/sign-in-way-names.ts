/** Names of the ways to sign in, for pages and messages about recovery. */
import type { SeenFrom } from "../factor-views.ts";
import { fill, type Messages, rich } from "../messages/index.ts";
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

/** Joins names on one line, as the language lists them. */
export function listed(names: readonly string[], { language }: Messages): string {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
}

/** The same for a page: each name is apart, so that its letters don't change the order of the others. */
export function listedApart(names: readonly string[], { language }: Messages): readonly Child[] {
  const parts = new Intl.ListFormat(language, { type: "conjunction" }).formatToParts(names);
  return parts.map(({ type, value }) => (type === "element" ? html`<bdi>${value}</bdi>` : value));
}
