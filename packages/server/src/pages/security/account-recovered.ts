/** The page after a recovery, and the page that undoes a removal. */
import type { Chrome } from "../chrome.ts";
import { type Messages, rich, sentences } from "../messages/index.ts";
import { accessEnds, permissionsEnd } from "../parts/access-ends.ts";
import { hidden, localTimes, notice, signInAsAnother, titled } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { leavingNotice } from "../parts/leaving-notice.ts";
import { elsewhereNotice, nextLine } from "../parts/what-waits.ts";
import { shownTime } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { MovedView, RestoredView, RestoreView, TakenBackView } from "./recover-account-views.ts";
import { codesAtRecovery, companyApps, facts, listed, seenFrom, wayName } from "./sign-in-way-names.ts";

/** Maximum number of names in one sentence. */
const MOST_NAMED = 8;

export function takenBackPage(view: TakenBackView, chrome: Chrome): string {
  const { words } = chrome;
  const { takeBack, recover, confirm } = words;
  const undo = view.what === "undo";
  const title = undo ? confirm.undoneTitle : recover.doneTitle;
  const ways = (all: TakenBackView["kept"]) => all.map((way) => wayName(way, words));
  const accesses = (apps: readonly string[], companies: readonly string[]) => [
    ...apps.map((app) => visible(app, NAME_LENGTH)),
    ...companies.map((company) => companyApps(company, words)),
  ];
  const ended = accesses(view.ended, view.endedFor);
  const told = (message: string, all: readonly string[]) =>
    all.length > 0 &&
    html`<p class="soft small">${rich(message as typeof takeBack.doneKept, { list: some(all, words) })}</p>`;
  return cardPage(
    chrome,
    title,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${title}</h1>
        ${undo && html`<p class="soft">${rich(confirm.undoneText, { email: name(view.email) })}</p>`}
        ${!undo && html`<p class="soft">${takeBack.doneText}</p>`} ${nextLine(view.waiting, chrome, null)}
      </div>
      ${view.stays && notice("plain", takeBack.stays)}
      ${told(takeBack.doneRemoved, ways(view.removed))}
      ${told(
        takeBack.doneBack,
        view.back.map((kind) => takeBack.previous[kind]),
      )}
      ${told(takeBack.doneKept, ways(view.kept))}
      ${ended.length > 0 && html`<p class="soft small">${sentences(words.language, rich(takeBack.doneEnded, { list: some(ended, words) }), accessEnds(view.endsIn, chrome))}</p>`}
      ${told(takeBack.doneApps, accesses(view.apps, view.keptFor))}
      ${told(takeBack.donePaused, accesses(view.paused, view.pausedFor))}
      ${elsewhereNotice(view.waiting, chrome)}
      ${onward(view, chrome)}
    </div>`,
  );
}

function some(all: readonly string[], words: Messages) {
  const few = all.slice(0, MOST_NAMED);
  return listed(few, words, all.length - few.length).html;
}

/** The button that leads on. */
function onward({ waiting, signIn, switch: form }: TakenBackView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  // What waits elsewhere is continued there.
  const kind = waiting?.state === "elsewhere" ? "button" : "button primary";
  if (waiting?.state === "expired")
    return html`<a class=${kind} href=${base + waiting.startAgain}>${words.problems.startAgain}</a>`;
  if (form === null) return html`<a class=${kind} href=${base + signIn}>${words.signIn.submit}</a>`;
  return signInAsAnother(form, kind, chrome);
}

/** `GET /recover/undo`. Opening the link changes nothing, because mail scanners open links too. */
export function restorePage(view: RestoreView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { takeBack, recover } = words;
  const at = shownTime(words, view.at, "exact");
  return cardPage(
    chrome,
    titled(takeBack.restoreTitle, view.stale, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${takeBack.restoreTitle}</h1>
        <p>${rich(takeBack.restoreText, { when: at, person: name(view.person) })}</p>
      </div>
      ${view.stale && notice("danger", recover.stale, { focus: true })}
      <ul class="ways">
        ${view.ways.map(
          (way) => html`<li class="way"><div class="way-what">
            <p>${wayName(way, words)}</p>
            <p class="soft small">${facts(seenFrom(way, way.addedAt, view.now, words))}</p>
          </div></li>`,
        )}
      </ul>
      <p>${takeBack.restoreThen}</p>
      <p>${takeBack.restoreApps}</p>
      ${view.member && html`<p>${takeBack.companiesKeep}</p>`}
      ${leavingNotice(view.leavesAt, words)}
      ${view.moved !== null && movedNotice(view.moved, takeBack.movedThen, chrome)}
      <form class="buttons" method="post" action=${`${base}/recover/undo`}>
        ${hidden({ csrf: view.csrf, link: view.link })}
        <button class="button primary" type="submit">${takeBack.restoreYes}</button>
      </form>
      ${localTimes(chrome)}
    </div>`,
  );
}

export function restoredPage(view: RestoredView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { takeBack, recover } = words;
  const codes = codesAtRecovery(view.proving, words);
  const names = (all: readonly string[]) =>
    some(
      all.map((app) => visible(app, NAME_LENGTH)),
      words,
    );
  return cardPage(
    chrome,
    takeBack.restoredTitle,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${takeBack.restoredTitle}</h1>
        <p class="soft">${view.moved?.owed === true ? takeBack.restoredFirst : takeBack.restoredText}</p>
        ${codes.length > 0 && html`<p class="soft">${sentences(words.language, ...codes)}</p>`}
      </div>
      ${view.stays && notice("plain", takeBack.stays)}
      ${view.ended.length > 0 && html`<p class="soft small">${sentences(words.language, rich(takeBack.doneEnded, { list: names(view.ended) }), accessEnds(view.endsIn, chrome))}</p>`}
      ${view.narrowed.length > 0 && html`<p class="soft small">${sentences(words.language, rich(takeBack.doneLost, { list: names(view.narrowed) }), permissionsEnd(view.endsIn, chrome))}</p>`}
      ${view.paused.length > 0 && html`<p class="soft small">${rich(takeBack.pausedAgain, { list: names(view.paused) })}</p>`}
      <p class="soft small">${takeBack.restoredApps}</p>
      ${view.member && html`<p class="soft small">${takeBack.companiesKeep}</p>`}
      ${view.moved !== null && movedNotice(view.moved, takeBack.movedNow, chrome)}
      ${view.moved?.owed === true && backForm(view.moved, view.csrf, chrome)}
      <a class=${view.moved?.owed === true ? "button" : "button primary"} href=${`${base}/recover`}>${recover.title}</a>
      ${view.moved !== null && localTimes(chrome)}
    </div>`,
  );
}

/** Says that the account has another address now. `way`: how to get the earlier one back. */
function movedNotice(
  { email, at, owed }: MovedView,
  way: Messages["takeBack"]["movedThen" | "movedNow"],
  { words, product }: Chrome,
): Markup {
  const { takeBack } = words;
  return notice(
    "warning",
    sentences(
      words.language,
      rich(takeBack.moved, { email: name(email), when: shownTime(words, at, "exact") }),
      owed ? rich(way, { email: name(email) }) : rich(takeBack.movedLate, { product }),
    ),
  );
}

/** Asks for the link that takes the account back to the earlier address. With the username, it would go to the other one. */
function backForm({ email }: MovedView, csrf: string, { words, base }: Chrome): Markup {
  return html`<form class="buttons" method="post" action=${`${base}/recover`}>
    ${hidden({ csrf, login: email })}
    <button class="button primary" type="submit"><span>${rich(words.takeBack.movedSend, { email: name(email) })}</span></button>
  </form>`;
}
