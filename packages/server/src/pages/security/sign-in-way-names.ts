/** Names of the ways to sign in, for pages and messages about recovery. */
import type { ProvingCodes, SeenFrom } from "../factor-views.ts";
import { fill, type Messages, plural, rich } from "../messages/index.ts";
import { type Child, html } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, visible } from "../untrusted-text.ts";
import type { NamedWay } from "./recover-account-views.ts";

/** Returns plain text. A stranger may have chosen a passkey's name, so the caller must escape it. */
export function wayName({ kind, name }: NamedWay, { takeBack }: Messages): string {
  if (kind !== "passkey") return takeBack[kind];
  return fill(takeBack.passkey, { name: visible(name ?? "", NAME_LENGTH) });
}

/** Where "Cancel" leads on a page that adds a way to sign in, below the issuer's path: to the app's request that needs it. */
export function backFrom(request: string | null): string {
  return request === null ? "/account/security" : `/consent?${new URLSearchParams({ request })}`;
}

/** Says which recovery codes confirm who recovers the account, if not just the present ones do. */
export function codesAtRecovery(proving: ProvingCodes | null | undefined, { recovery }: Messages): readonly string[] {
  if (proving === null || proving === undefined) return [];
  return [...(proving.earlierCodes ? [recovery.newOldKept] : []), ...(proving.codes ? [] : [recovery.untrusted])];
}

/** The same right after the person replaced the codes. */
export function codesReplaced(proving: ProvingCodes | null | undefined, words: Messages): readonly string[] {
  return [...(proving?.earlierCodes ? [] : [words.recovery.newOld]), ...codesAtRecovery(proving, words)];
}

/** The apps that a person connected for a company. Plain text, as the company chose its name. */
export function companyApps(company: string, { takeBack }: Messages): string {
  return fill(takeBack.company, { company: visible(company, NAME_LENGTH) });
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

/** The facts that are present, with a dot after each but the last. A line breaks between two facts, not inside one. */
export function facts(all: readonly (Child | false | null)[]): readonly Child[] {
  const present = all.filter((one) => one !== false && one !== null);
  return present.flatMap((one, at): readonly Child[] =>
    at === present.length - 1
      ? [html`<span class="fact">${one}</span>`]
      : [html`<span class="fact">${one} ·</span>`, " "],
  );
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
  const { apps } = words;
  const language: string = words.language;
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  if (more === 0) return joined(list.formatToParts(names));
  // Before "and 3 more", the list has no "and" of its own: only the separator between the first two of several names.
  const [, separator = { type: "literal", value: ", " }] = list.formatToParts(["1", "2", "3"]);
  const parts = names.flatMap((value, at) => [...(at === 0 ? [] : [separator]), { type: "element", value }]);
  const rest = fill(plural(language, apps.more, more), { count: more });
  const before = language === "ja" ? separator : { type: "literal", value: " " };
  return joined([...parts, before, { type: "literal", value: rest }]);
}

function joined(parts: readonly { readonly type: string; readonly value: string }[]): ReturnType<typeof listed> {
  return {
    text: parts.map(({ value }) => value).join(""),
    html: parts.map(({ type, value }) => (type === "element" ? html`<bdi>${value}</bdi>` : value)),
  };
}
