/** The dashboard: the apps that may use the account, and how to revoke their access. */
import type { Chrome } from "./chrome.ts";
import { hostWords } from "./client-host.ts";
import { fill, type Messages, plural, rich, sentences } from "./messages/index.ts";
import {
  endedApps,
  endsTerm,
  formerName,
  goneHint,
  goneTag,
  hostLines,
  isHalted,
  mayHoldAccess,
  scopeEnd,
} from "./parts/access-ends.ts";
import { hidden, notice, tile } from "./parts/components.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { accountPage } from "./parts/layout.ts";
import { throughList } from "./parts/through-list.ts";
import { durationLabel, exact, shownTime, timeElement } from "./shown-time.ts";
import { hostText, NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { AppEntry, AppsView, DoneNotice, NextOwner } from "./views.ts";

/** Maximum number of permissions that an entry shows at first. A click shows the others, so that a list of thirty apps stays readable. */
const OPEN_SCOPES = 4;

/** Maximum number of companies in a sentence. */
const OPEN_COMPANIES = 3;

/** Minimum number of apps for which the page has a search field. */
const SEARCHED = 6;
/** Apps that were not used for this time are listed apart, in milliseconds. */
const UNUSED: number = 90 * 86_400_000;

/** Renders `GET /account/apps`. */
export function appsPage(view: AppsView, chrome: Chrome): string {
  const { words } = chrome;
  const { total } = view;
  return accountPage(
    chrome,
    words.apps.title,
    { ...view, here: "apps" },
    html`<div class="stack">
      <div class="heading">
        <h1>${words.apps.title}</h1>
        ${total > 0 && html`<p class="soft">${intro(view, words)}</p>`}
      </div>
      ${view.notice !== null && done(view.notice, view.now, chrome)}
      ${(total >= SEARCHED || view.query !== "") && search(view, chrome)}
      ${
        total === 0
          ? !mayHoldAccess(view) &&
            html`<div class="card empty">
              ${icon("shield")}
              <h2>${words.apps.emptyTitle}</h2>
              <p class="soft">${words.apps.emptyText}</p>
            </div>`
          : lists(view, chrome)
      }
      ${endedApps(view, words)}
      ${view.forCompanies.length > 0 && companyApps(view, chrome)}
    </div>`,
  );
}

/** An app that is paused or turned off gets no access now, but it can hold some. */
function intro({ total, halted, holds }: AppsView, words: Messages): Child {
  const { apps, language } = words;
  const count = total - halted;
  const active = count === 0 ? !holds && apps.introNone : fill(plural(language, apps.intro, count), { count });
  return sentences(
    language,
    ...(active === false ? [] : [active]),
    ...(halted === 0 ? [] : [fill(plural(language, apps.introHalted, halted), { count: halted })]),
  );
}

/** Apps in use come first. Apps that have not been used for long follow, with an explanation. */
function lists(view: AppsView, chrome: Chrome): Child {
  const { words } = chrome;
  const [used, unused] = [false, true].map((idle) => view.apps.filter((app) => isUnused(app, view.now) === idle));
  return [
    used !== undefined &&
      used.length > 0 &&
      html`<div class="apps">${used.map((app) => entry(app, view, chrome))}</div>`,
    unused !== undefined &&
      unused.length > 0 &&
      html`<section class="unused">
        <h2>${words.apps.unusedTitle}</h2>
        <p class="soft">${words.apps.unusedText}</p>
        <div class="apps">${unused.map((app) => entry(app, view, chrome))}</div>
      </section>`,
  ];
}

function isUnused({ lastUsedAt, grantedAt }: AppEntry, now: number): boolean {
  return (lastUsedAt ?? grantedAt) < now - UNUSED;
}

function search(view: AppsView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  const { query } = view;
  const count = view.apps.length;
  const found =
    count === 0
      ? fill(words.apps.foundNone, { query: visible(query, NAME_LENGTH) })
      : fill(plural(words.language, words.apps.found, count), { count });
  return html`<search class="search">
    <form method="get" action=${`${base}/account/apps`}>
      <label class="unseen" for="q">${words.apps.search}</label>
      <input id="q" name="q" type="search" value=${query} placeholder=${words.apps.search} maxlength="100" autocomplete="off" />
      <button class="button" type="submit">${icon("search")}<span class="unseen">${words.apps.searchSubmit}</span></button>
    </form>
    ${query !== "" && html`<p role="status">${sentences(words.language, found, html`<a href=${`${base}/account/apps`}>${words.apps.showAll}</a>`)}</p>`}
  </search>`;
}

function done(what: DoneNotice, now: number, { words, base }: Chrome): Markup {
  if (what.kind === "gone") return notice("done", words.apps.gone);
  if (what.kind === "asks_again") return notice("done", rich(words.apps.asksAgain, { app: name(what.app) }));
  if (what.kind === "asks_for_whom") {
    const { asksForWhom, asksForWhomGone } = words.apps;
    return notice("done", what.app === null ? asksForWhomGone : rich(asksForWhom, { app: name(what.app) }));
  }
  const receipt =
    what.entryId === null ? null : `${base}/account/history/receipt?entry=${encodeURIComponent(what.entryId)}`;
  const link = receipt !== null && html`<a href=${receipt} download>${words.apps.receipt}</a>`;
  const never = what.kind === "revoked" && what.neverAsks === true && words.apps.cantAskAgain;
  return notice("done", sentences(words.language, doneText(what, now, words), never, link));
}

/** Says what has already stopped and what will stop later, at the present time. A minute later the same page says less. */
function doneText(what: Extract<DoneNotice, { entryId: unknown }>, now: number, words: Messages): Child {
  const app = name(what.app);
  if (what.kind === "end_changed") {
    const { endForever, endForeverPaused, endChanged, endChangedPaused } = words.apps;
    if (what.endsAt === null) return rich(what.paused ? endForeverPaused : endForever, { app });
    const ends = rich(what.paused ? endChangedPaused : endChanged, { app, when: timeElement(words, what.endsAt, now) });
    const { openUntil } = what;
    if (openUntil === null || openUntil <= now) return ends;
    return sentences(words.language, ends, held(openUntil, words));
  }
  const [over, soon] =
    what.kind === "revoked"
      ? [words.apps.revoked, words.apps.revokedSoon]
      : [words.apps.narrowed, words.apps.narrowedSoon];
  const count = what.openUntil === null ? 0 : Math.ceil((what.openUntil - now) / 60_000);
  if (what.openUntil === null || count < 1) return rich(over, { app });
  const time = shownTime(words, what.openUntil, "clock");
  return rich(plural(words.language, soon, count), { app, count, time });
}

function entry(app: AppEntry, view: AppsView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  return html`<article class="card app" id=${`app-${app.clientId}`} data-client-id=${app.clientId}>
    <div class="app-head">
      ${tile(app, "small", base)}
      <div class="app-name">
        <h2>${name(app.name)}</h2>
        ${formerName(app, words)}
        ${hostLines(app, view.now, words)}
      </div>
    </div>
    ${app.theftAt !== null && notice("warning", theftText(app, app.theftAt, view.now, words))}
    ${app.pausedAt !== null && notice("warning", pausedText(app.pausedAt, view.now, chrome))}
    ${app.off && notice("warning", words.apps.off)}
    ${scopeList(app, view.now, words)} ${facts(app, view.now, words)}
    ${app.through.length > 0 && throughList(app, view.now, words)}
    ${app.idleScopes && keepUsed(app, view, chrome)}
    ${app.declined.length > 0 && declined(app, view, chrome)}
    ${app.next !== null && nextTime(app, app.next, view, chrome)}
    <div class="app-folds">${narrowing(app, view, chrome)} ${ending(app, view, chrome)}</div>
    <form class="app-end" method="post" action=${`${base}/account/apps/revoke`}>
      ${hidden({ csrf: view.csrf, client_id: app.clientId })}
      <p class="soft small">${sentences(words.language, stops(app, words), afterwards(app, words))}</p>
      <button class="button danger" type="submit" name="revoke" value="revoke">
        ${words.apps.revoke}<span class="unseen">: ${name(app.name)}</span>
      </button>
    </form>
  </article>`;
}

function pausedText(pausedAt: number, now: number, { words, base }: Chrome): Child {
  const agents = html`<a href=${`${base}/account/agents`}>${words.agents.title}</a>`;
  return rich(words.agents.pausedHere, { when: timeElement(words, pausedAt, now), agents });
}

/** Says what revoking does, before the owner does it. */
function stops(app: AppEntry, words: Messages): string {
  const { stopsIn } = app;
  if (stopsIn < 1) return isHalted(app) ? words.apps.revokeHalted : words.apps.revokeAtOnce;
  return fill(plural(words.language, words.apps.revokeSoon, stopsIn), { count: stopsIn });
}

/** Says whether the app can ask the owner once it is revoked. */
function afterwards({ neverAsks }: AppEntry, { apps }: Messages): string {
  return neverAsks === true ? apps.cantAskAgain : apps.canAskAgain;
}

/** A button that revokes the permissions that the app never used. */
function keepUsed(app: AppEntry, view: AppsView, { words, base }: Chrome): Markup {
  return html`<form class="keep-used" method="post" action=${`${base}/account/apps/narrow`}>
    ${hidden({ csrf: view.csrf, client_id: app.clientId })}
    ${app.scopes
      .filter(({ usedAt, removable }) => usedAt !== null || !removable)
      .map((scope) => hidden({ keep: scope.name }))}
    <p class="small">${words.apps.keepUsedHint}</p>
    <button class="button" type="submit" name="narrow" value="used">
      ${words.apps.keepUsed}<span class="unseen">: ${name(app.name)}</span>
    </button>
  </form>`;
}

/** A form to choose an earlier or later end. */
function ending(app: AppEntry, view: AppsView, { words, base }: Chrome): Markup | null {
  if (app.durations.length === 0) return null;
  return html`<details class="fold">
    <summary>${icon("chevronDown")}${words.apps.end}<span class="unseen">: ${name(app.name)}</span></summary>
    <form class="ending" method="post" action=${`${base}/account/apps/end`}>
      ${hidden({ csrf: view.csrf, client_id: app.clientId })}
      ${endsDiffer(app) && html`<p class="soft small">${endScope(app, words)}</p>`}
      <label>
        <span class="small">${words.apps.endLabel}</span>
        <span class="select">
          <select name="duration">
            <option value="keep" selected>${presentEnd(app, words)}</option>
            ${app.durations.map((value) => html`<option value=${value}>${durationLabel(words, value)}</option>`)}
          </select>
          ${icon("chevronDown")}
        </span>
      </label>
      <button class="button" type="submit" name="end" value="end">${words.apps.endSubmit}</button>
    </form>
  </details>`;
}

/** To which permissions another end applies. */
function endScope({ scopes }: AppEntry, words: Messages): Child {
  const fixed = scopes.filter(({ endStays }) => endStays === true);
  if (fixed.length === 0) return words.apps.endAll;
  const permissions = fixed.map(({ name: scope, description }, at) => [
    at > 0 && " · ",
    html`<bdi>${visible(description || scope)}</bdi>`,
  ]);
  return rich(words.apps.endExcept, { permissions });
}

/** True: some permissions end sooner than others, and another end would be the end of all. */
function endsDiffer({ scopes, expiresAt }: Pick<AppEntry, "scopes" | "expiresAt">): boolean {
  return scopes.some((scope) => scope.expiresAt !== expiresAt);
}

/** The permissions that the owner declined. The app gets them only if the owner wants to be asked again. */
function declined(app: AppEntry, view: AppsView, { words, base }: Chrome): Markup {
  return html`<form class="keep-used" method="post" action=${`${base}/account/apps/ask-again`}>
    ${hidden({ csrf: view.csrf, client_id: app.clientId })}
    <div class="small">
      <p>${words.apps.declined}</p>
      <ul>${app.declined.map((one) => html`<li><bdi>${visible(one.description)}</bdi>${declinedAt(one, words)}</li>`)}</ul>
    </div>
    <button class="button" type="submit" name="ask_again" value="ask_again">
      ${words.apps.askAgain}<span class="unseen">: ${name(app.name)}</span>
    </button>
  </form>`;
}

/** At which addresses a permission was declined, if the app has it at others. */
function declinedAt({ hosts }: AppEntry["declined"][number], words: Messages): Child {
  const names = hosts.map((host, at) => [at > 0 && ", ", hostWords(host, words)]);
  return hosts.length > 0 && [" ", html`<span class="soft">${rich(words.apps.declinedAt, { hosts: names })}</span>`];
}

/** Says for whom the app acts next time. If it could ask and would not, a button makes it ask. */
function nextTime(
  app: Pick<AppEntry, "clientId" | "name" | "neverAsks">,
  next: NextOwner,
  view: AppsView,
  { words, base }: Chrome,
): Markup {
  if (next.kind === "asks") return html`<p class="keep-used small">${words.apps.nextAsks}</p>`;
  if (app.neverAsks === true) return html`<p class="keep-used small">${nextText(next, words)}</p>`;
  return html`<form class="keep-used" method="post" action=${`${base}/account/apps/ask-for-whom`}>
    ${hidden({ csrf: view.csrf, client_id: app.clientId })}
    <p class="small">${nextText(next, words)}</p>
    <button class="button" type="submit" name="ask_for_whom" value="ask_for_whom">
      ${words.company.askNext}<span class="unseen">: ${name(app.name)}</span>
    </button>
  </form>`;
}

function nextText(next: Exclude<NextOwner, { kind: "asks" }>, words: Messages): Child {
  const { nextSelf, nextCompany, several, severalSelf, nextSeveral } = words.apps;
  if (next.kind === "self") return nextSelf;
  if (next.kind === "company") return rich(nextCompany, { company: name(next.company) });
  const shown = next.companies.slice(0, OPEN_COMPANIES).map((company, at) => [at > 0 && ", ", name(company)]);
  const more = next.companies.length - OPEN_COMPANIES;
  const companies = [shown, more > 0 && [" ", fill(plural(words.language, words.apps.more, more), { count: more })]];
  return sentences(words.language, rich(next.self ? severalSelf : several, { companies }), nextSeveral);
}

/** The apps that act for companies alone. */
function companyApps(view: AppsView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  return html`<section class="unused">
    <h2>${words.apps.companiesTitle}</h2>
    <p class="soft">${words.apps.companiesText}</p>
    <div class="apps">
      ${view.forCompanies.map(
        (app) =>
          html`<article class="card app" data-client-id=${app.clientId}>
            <div class="app-head">
              ${tile(app, "small", base)}
              <div class="app-name">
                <h3>${name(app.name)}</h3>
                ${app.companies.map(
                  (company) =>
                    html`<p class="small"><a class="alone" href=${`${base}/company/${company.slug}`}>${name(company.name)}</a></p>`,
                )}
              </div>
            </div>
            ${app.next !== null && nextTime(app, app.next, view, chrome)}
          </article>`,
      )}
    </div>
  </section>`;
}

/** The option that changes nothing. Permissions with ends of their own keep them. */
function presentEnd({ scopes, expiresAt }: Pick<AppEntry, "scopes" | "expiresAt">, words: Messages): string {
  if (endsDiffer({ scopes, expiresAt })) return words.consent.durationKeep;
  return fill(words.apps.endKeep, { when: expiresAt === null ? words.duration.forever : exact(words, expiresAt) });
}

/** Where ends differ, each permission has its own. */
function scopeList(app: AppEntry, now: number, words: Messages): Child {
  const differ = endsDiffer(app);
  const items = app.scopes.map(
    (scope) =>
      html`<li>
        ${icon("check")}<span
          ><bdi>${visible(scope.description || scope.name)}</bdi>${
            differ && [" ", html`<span class="soft small">${scopeEnd(scope.expiresAt, now, words)}</span>`]
          }${scope.usedAt === null && [" ", html`<span class="tag">${words.apps.scopeNever}</span>`]}${goneTag(scope, words)}</span
        >
      </li>`,
  );
  const rest = items.length - OPEN_SCOPES;
  // To hide a single line, the page would need a line that shows it again.
  if (rest < 2) return [html`<ul class="can">${items}</ul>`, goneHint(app.scopes, words)];
  return [
    html`<ul class="can">${items.slice(0, OPEN_SCOPES)}</ul>`,
    html`<details class="fold">
      <summary>${icon("chevronDown")}${fill(plural(words.language, words.apps.more, rest), { count: rest })}</summary>
      <ul class="can">${items.slice(OPEN_SCOPES)}</ul>
    </details>`,
    goneHint(app.scopes, words),
  ];
}

function facts(app: AppEntry, now: number, words: Messages): Child {
  const time = (at: number) => timeElement(words, at, now);
  const rows: readonly (readonly [string, Child])[] = [
    app.byRules
      ? [words.apps.since, rich(words.apps.byRules, { when: time(app.grantedAt) })]
      : [words.apps.granted, time(app.grantedAt)],
    [words.apps.used, usedText(app, time, words)],
    [endsTerm(app, words, endsDiffer(app)), app.expiresAt === null ? words.apps.noEnd : time(app.expiresAt)],
  ];
  return [
    html`<dl class="facts">
      ${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
    </dl>`,
    app.openUntil !== null && html`<p class="soft small">${held(app.openUntil, words)}</p>`,
    app.removedUntil !== null &&
      html`<p class="soft small">${rich(words.apps.removedHeld, { time: shownTime(words, app.removedUntil, "clock") })}</p>`,
  ];
}

/** Says how long tokens that the app already has outlive the end of its access. */
function held(openUntil: number, words: Messages): Child {
  return rich(words.apps.endHeld, { time: shownTime(words, openUntil, "clock") });
}

/** What happened, and whether the app has connected again since then. */
function theftText({ grantedAt, lastUsedAt }: AppEntry, theftAt: number, now: number, words: Messages): Child {
  const told = rich(words.apps.theft, { when: timeElement(words, theftAt, now) });
  const isBack = Math.max(grantedAt, lastUsedAt ?? 0) > theftAt;
  return sentences(words.language, told, ...(isBack ? [words.apps.theftSince] : []));
}

function usedText({ lastUsedAt, usedFrom, usedSince }: AppEntry, time: (at: number) => Markup, words: Messages): Child {
  if (lastUsedAt === null) return words.apps.never;
  if (usedFrom === null) return time(lastUsedAt);
  return rich(usedSince ? words.apps.usedSince : words.apps.usedFrom, {
    when: time(lastUsedAt),
    network: hostText(usedFrom),
  });
}

/** The form to revoke some permissions and keep others, with a checkbox for each. */
function narrowing(app: AppEntry, view: AppsView, chrome: Chrome): Child {
  const { words, base } = chrome;
  if (app.scopes.length < 2 || !app.scopes.some((scope) => scope.removable)) return null;
  return html`<details class="fold narrow">
    <summary>${icon("chevronDown")}${words.apps.narrow}<span class="unseen">: ${name(app.name)}</span></summary>
    <form method="post" action=${`${base}/account/apps/narrow`}>
      ${hidden({ csrf: view.csrf, client_id: app.clientId })}
      <p class="soft small">${words.apps.narrowHint}</p>
      <ul>
        ${app.scopes.map(
          (scope) =>
            html`<li>
              <label class="choice">
                <input type="checkbox" name="keep" value=${scope.name} checked disabled=${!scope.removable} />
                <span class="choice-text">
                  <span><bdi>${visible(scope.description || scope.name)}</bdi></span>
                  ${!scope.removable && html`<span class="tag">${words.apps.required}</span>`}
                  ${goneTag(scope, words)}
                </span>
              </label>
            </li>`,
        )}
      </ul>
      <button class="button" type="submit" name="narrow" value="narrow">${words.apps.narrowSubmit}</button>
    </form>
  </details>`;
}
