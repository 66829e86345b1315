/** The history page: what the owner allowed and revoked, newest first. Each entry has a receipt. */
import type { Chrome } from "./chrome.ts";
import { type Messages, rich, sentences } from "./messages/index.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { accountPage } from "./parts/layout.ts";
import { exact, shownTime, timeElement } from "./shown-time.ts";
import { name, visible } from "./untrusted-text.ts";
import type { Happening, HistoryEntryView, HistoryView, PermissionThen } from "./views.ts";

/** Renders `GET /account/history`. */
export function historyPage(view: HistoryView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { history } = words;
  const path = `${base}/account/history`;
  return accountPage(
    chrome,
    history.title,
    { ...view, here: "history" },
    html`<div class="stack">
      <div class="heading">
        <h1>${history.title}</h1>
        ${view.entries.length > 0 && html`<p class="soft">${history.intro}</p>`}
      </div>
      ${
        view.entries.length === 0
          ? html`<div class="card empty">
              ${icon("history")}
              <h2>${history.emptyTitle}</h2>
              <p class="soft">${history.emptyText}</p>
            </div>`
          : historyList(
              view.entries,
              view.now,
              (entryId) => `${path}/receipt?entry=${encodeURIComponent(entryId)}`,
              words,
            )
      }
      ${
        (view.older !== null || !view.first) &&
        html`<p class="pager">
          ${!view.first && html`<a class="button" href=${path}>${history.newest}</a>`}
          ${view.older !== null && html`<a class="button" href=${`${path}?before=${encodeURIComponent(view.older)}`}>${history.older}</a>`}
        </p>`
      }
      ${view.inCompany && html`<p class="soft small">${history.companyHint}</p>`}
      ${view.entries.length > 0 && receiptNote(chrome)}
    </div>`,
  );
}

/** Renders what a receipt is for, and where it can be verified. */
export function receiptNote({ words, base }: Chrome): Markup {
  return html`<p class="soft small">
    ${sentences(words.language, words.history.receiptHint, html`<a href=${`${base}/receipts/verify`}>${words.verifyReceipt.title}</a>`)}
  </p>`;
}

/**
 * Renders the entries as a list. `receipt`: the address of an entry's receipt. `texts`: the sentences about each decision, for the reader of the
 * page.
 */
export function historyList(
  entries: readonly (HistoryEntryView & { readonly by?: string })[],
  now: number,
  receipt: (entryId: string) => string,
  words: Messages,
  texts: Readonly<Record<Happening, string>> = words.history,
): Markup {
  return html`<ol class="card history">
    ${entries.map((entry) => html`<li class="entry">${entryOf(entry, now, receipt(entry.entryId), words, texts)}</li>`)}
  </ol>`;
}

const icons = {
  allowed: "check",
  allowedByDevice: "check",
  allowedByPassword: "check",
  allowedByPolicy: "check",
  reconnected: "check",
  delegated: "check",
  vouched: "check",
  vouchedByCompany: "check",
  connected: "check",
  refused: "x",
  narrowed: "scissors",
  endChanged: "clock",
  paused: "pause",
  resumed: "play",
  revoked: "x",
  revokedByOther: "x",
  givenUp: "x",
  givenUpFor: "x",
  alarm: "alert",
} as const;

/** The entry's headline: what happened, in one line. */
function headline(
  { what, app, person, through, company: inCompany }: HistoryEntryView,
  texts: Readonly<Record<Happening, string>>,
  words: Messages,
): Child {
  const { history, company } = words;
  const names = {
    ...{ app: name(app), person: name(person ?? company.formerMember), through: name(through ?? app) },
    company: name(inCompany ?? ""),
  };
  if (typeof what === "string") return rich(texts[what], names);
  if ("connection" in what)
    return rich(words.companyConnections.events[what.connection], { app: names.app, server: names.through });
  if ("rule" in what) return rich(company.ruleEvents[what.rule], names);
  if ("account" in what) return rich(history.account[what.account], names);
  if ("signIn" in what) return rich(words.companySignIn.events[what.signIn], names);
  return rich("member" in what ? company.memberEvents[what.member] : history.ended[what.endedBy], names);
}

function iconOf(
  what: HistoryEntryView["what"],
): "check" | "scissors" | "clock" | "pause" | "play" | "x" | "alert" | "mail" {
  if (typeof what === "string") return icons[what];
  if ("rule" in what) return what.rule === "blocked" || what.rule === "default_block" ? "x" : "check";
  if ("account" in what) return what.account === "enabled" || what.account === "enabledByOperator" ? "check" : "x";
  if ("connection" in what) return what.connection === "removed" ? "x" : "check";
  if ("signIn" in what) return what.signIn === "off" || what.signIn === "removed" ? "x" : "check";
  if ("endedBy" in what || ["left", "removed", "deleted", "withdrawn"].includes(what.member)) return "x";
  return what.member === "invited" || what.member === "invitedAsAdmin" ? "mail" : "check";
}

function entryOf(
  entry: HistoryEntryView & { readonly by?: string },
  now: number,
  receipt: string,
  words: Messages,
  texts: Readonly<Record<Happening, string>>,
): Child {
  const { history } = words;
  const facts: readonly (readonly [Child, Child])[] = [
    ...permissionLines(entry.can, canTerm(entry, words), words),
    ...earlierLine(entry, words),
    ...(entry.refused === undefined ? [] : [[history.refusedTo, row(entry.refused)] as const]),
    ...(entry.takenAway.length === 0 ? [] : [[takenTerm(entry, words), row(entry.takenAway)] as const]),
    ...(entry.newHosts === undefined ? [] : [[history.newHost, row(entry.newHosts)] as const]),
  ];
  const { what } = entry;
  return [
    html`<span class=${what === "alarm" ? "event-sign warn" : "event-sign"}>${icon(iconOf(what))}</span>`,
    html`<div class="event">
      <h2>${headline(entry, texts, words)}</h2>
      <p class="soft small">
        ${entry.by !== undefined && [name(entry.by), " · "]}${timeElement(words, entry.at, now)}
      </p>
      ${facts.map(([term, text]) => html`<p class="small"><span class="soft">${term}: </span>${text}</p>`)}
    </div>`,
    what !== "reconnected" &&
      what !== "delegated" &&
      what !== "vouched" &&
      what !== "vouchedByCompany" &&
      html`<a class="receipt" href=${receipt} download>${icon("receipt")}${history.receipt}<span class="unseen"> ${rich(history.receiptOf, { when: exact(words, entry.at) })}</span></a>`,
  ];
}

/** The term of what the app can do. A refusal takes nothing away that was allowed before. */
export function canTerm({ what, paused }: Pick<HistoryEntryView, "what" | "paused">, { history }: Messages): string {
  if (paused === true) return history.canPaused;
  return what === "refused" ? history.canStill : history.can;
}

/** The term of what was taken away. */
export function takenTerm({ takenFrom }: Pick<HistoryEntryView, "takenFrom">, { history }: Messages): string {
  return takenFrom === "members" ? history.takenFromMembers : history.takenAway;
}

/** One line for each end: a term with the end, because it is the end of all permissions in the line, and these permissions. */
export function permissionLines(
  all: readonly PermissionThen[],
  can: string,
  words: Messages,
): readonly (readonly [Child, Child])[] {
  const { canUntil, canForever, canOnce } = words.history;
  const term = (end: PermissionThen["end"]): Child => {
    if (end === "once") return rich(canOnce, { can });
    return end === null ? rich(canForever, { can }) : rich(canUntil, { can, when: shownTime(words, end, "exact") });
  };
  const byEnd = Map.groupBy(all, ({ end }) => end);
  return [...byEnd].map(([end, same]) => [term(end), row(same.map(({ text }) => text))]);
}

/** The end of access that was allowed before, for other addresses or when the app looked different. */
export function earlierLine(
  { earlierUntil: end }: Pick<HistoryEntryView, "earlierUntil">,
  words: Messages,
): readonly (readonly [Child, Child])[] {
  if (end === undefined) return [];
  const { earlier, earlierEnd, earlierForever } = words.history;
  return [[earlier, end === null ? earlierForever : rich(earlierEnd, { when: shownTime(words, end, "exact") })]];
}

function row(texts: readonly string[]): Child {
  return texts.map((text, at) => [at > 0 && " · ", html`<bdi>${visible(text, 200)}</bdi>`]);
}
