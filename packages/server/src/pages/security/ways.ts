/** Ways to sign in as the pages and messages about recovery name them. */
import type { SeenFrom } from "../factor-views.ts";
import { fill, type Messages, rich } from "../messages/index.ts";
import { type Child, html } from "../parts/html.ts";
import { NAME_LENGTH, visible } from "../text.ts";
import { timeElement } from "../time.ts";
import type { NamedWay } from "./recover-account-views.ts";

/** Plain text, as a stranger may have chosen a passkey's name: to be escaped where it stands. */
export function wayName({ kind, name }: NamedWay, { takeBack }: Messages): string {
  if (kind !== "passkey") return takeBack[kind];
  return fill(takeBack.passkey, { name: visible(name ?? "", NAME_LENGTH) });
}

/** When and with what something was added. */
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

/** What there is to say, with a dot between. */
export function facts(all: readonly (Child | false | null)[]): readonly Child[] {
  return all
    .filter((one) => one !== false && one !== null)
    .flatMap((one, at): readonly Child[] => (at === 0 ? [one] : [" · ", one]));
}

/** Names on one line, in the language's way of listing. */
export function listed(names: readonly string[], { language }: Messages): string {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
}
