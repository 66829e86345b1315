/** What waits for a person, in words. */
import type { Chrome } from "../chrome.ts";
import { type Messages, rich } from "../messages/index.ts";
import { name } from "../untrusted-text.ts";
import type { FormSecrets } from "../views.ts";
import type { InvitedTo, Waiting, WaitingWhat } from "../waiting-view.ts";
import { notice } from "./components.ts";
import { type Child, html } from "./html.ts";
import { bothNames } from "./person-names.ts";

/** The query with which a link takes along what a form carries. */
export function carriedQuery({ request, device, invitation, to }: FormSecrets): string {
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries({ request, device, invitation, to })) if (value) query.set(field, value);
  return query.size === 0 ? "" : `?${query}`;
}

/** Who invites, to which company, and as what. */
export function invitedLine({ company, role, by }: InvitedTo, { waiting }: Messages): Child {
  const holes = { company: name(company) };
  return by === null
    ? rich(waiting.invited[role], holes)
    : rich(waiting.invitedBy[role], { ...holes, person: bothNames(by) });
}

/** Sentences about what waits, one of each kind. */
type Sentences = Messages["waiting"]["sent" | "elsewhere" | "elsewhereFirst"];

/** The sentence about what waits, from one of these sets. */
function about(what: WaitingWhat, sentences: Sentences): Child {
  switch (what.kind) {
    case "app":
      return rich(sentences.app, { app: name(what.app) });
    case "device":
      return sentences.device;
    case "invitation":
      return rich(sentences.invitation, { company: name(what.company) });
  }
}

/** What comes after this page and its link. `typed`: the page asks for a username or an address. */
export function nextLine(waiting: Waiting | null, { words }: Chrome, typed: "login" | "email" | null): Child {
  if (waiting?.state !== "here") return null;
  const { what } = waiting;
  switch (what.kind) {
    case "app":
      return html`<p class="soft">${rich(words.waiting.next.app, { app: name(what.app) })}</p>`;
    case "device":
      return html`<p class="soft">${words.waiting.next.device}</p>`;
    case "invitation":
      return [
        html`<p>${invitedLine(what, words)}</p>`,
        typed !== null &&
          html`<p class="soft">${typed === "login" ? words.waiting.invitedOnly : words.waiting.invitedAddress}</p>`,
      ];
  }
}

/** What somebody who is already signed in can go on to. */
export function onwardLine(waiting: Waiting, chrome: Chrome): Child {
  if (waiting.state !== "here" || waiting.what.kind === "invitation") return nextLine(waiting, chrome, null);
  const { what } = waiting;
  const { onward } = chrome.words.waiting;
  return html`<p class="soft">${what.kind === "app" ? rich(onward.app, { app: name(what.app) }) : onward.device}</p>`;
}

/** On the page that says that the message is on its way. */
export function sentLine(waiting: Waiting | null, { words }: Chrome): Child {
  return waiting?.state === "here" ? about(waiting.what, words.waiting.sent) : null;
}

/** On the page on which an account is made, if nothing goes on from there. */
export function beforeLine(waiting: Waiting | null, { words }: Chrome): Child {
  switch (waiting?.state) {
    case undefined:
      return null;
    case "here":
      return null;
    case "elsewhere":
      return notice("plain", about(waiting.what, words.waiting.elsewhereFirst));
    case "expired":
      return notice("warning", rich(words.waiting.expiredFirst, { app: name(waiting.app) }));
    case "withdrawn":
      return notice("warning", rich(words.waiting.withdrawnFirst, { company: name(waiting.company) }));
  }
}

/** Where the person goes on, if not from here. */
export function elsewhereLine(waiting: Waiting | null, { words }: Chrome): Child {
  switch (waiting?.state) {
    case "elsewhere":
      return about(waiting.what, words.waiting.elsewhere);
    case "expired":
      return rich(words.waiting.expired, { app: name(waiting.app) });
    case "withdrawn":
      return rich(words.waiting.withdrawn, { company: name(waiting.company) });
    default:
      return null;
  }
}

/** The same in a box. */
export function elsewhereNotice(waiting: Waiting | null, chrome: Chrome): Child {
  const line = elsewhereLine(waiting, chrome);
  return line !== null && notice(waiting?.state === "elsewhere" ? "plain" : "warning", line);
}
