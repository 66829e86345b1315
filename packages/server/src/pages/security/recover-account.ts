/** The pages on which a person recovers an account: which factors may be an intruder's, which stay, and a new password. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, plural, rich, sentences } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { hidden, localTimes, notice, passwordScript, titled } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { leavingNotice } from "../parts/leaving-notice.ts";
import { elsewhereNotice, nextLine } from "../parts/what-waits.ts";
import { relative, shownTime, timeElement } from "../shown-time.ts";
import { name, visible } from "../untrusted-text.ts";
import { newPasswordFields } from "./password-fields.ts";
import type { AppEntry, CompanyAppEntry, CompanyEntry, TakeBackView, WayEntry } from "./recover-account-views.ts";
import { facts, seenFrom, wayName } from "./sign-in-way-names.ts";

/** Renders the decision, and every response to it except the final page. */
export function takeBackPage(view: TakeBackView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { takeBack, recover, confirm } = words;
  const undo = view.what === "undo";
  const title = undo ? confirm.undoTitle : recover.title;
  const person = name(view.person);
  const text = undo ? rich(takeBack.undoText, { person, email: name(view.email) }) : rich(takeBack.text, { person });
  const problem = view.problem === "stale" ? recover.stale : view.problem === "changed" ? takeBack.changed : null;
  return cardPage(
    chrome,
    titled(title, problem !== null || view.fault !== null, words),
    html`<div class="stack">
      <div class="heading"><h1>${title}</h1><p class="soft">${text}</p>${nextLine(view.waiting, chrome, null)}</div>
      ${view.waiting?.state === "elsewhere" && elsewhereNotice(view.waiting, chrome)}
      ${problem !== null && notice("danger", problem, { focus: true })}
      ${leavingNotice(view.leavesAt, words)}
      <form class="fields" method="post" action=${base + (undo ? "/undo" : "/recover/new")} novalidate>
        ${hidden({ csrf: view.csrf, link: view.link, proof: view.proof, shown: view.shown })}
        ${waysSection(view, chrome)} ${browsersSection(view, chrome)} ${appsSection(view, chrome)}
        <input class="unseen" type="text" name="username" value=${view.person} autocomplete="username" readonly tabindex="-1" aria-hidden="true" />
        ${newPasswordFields(view.fault, words)}
        <button class="button primary" type="submit">${undo ? confirm.undoSubmit : recover.submitNew}</button>
      </form>
      ${hasTimes(view) && localTimes(chrome)} ${passwordScript(chrome)}
    </div>`,
  );
}

/** True if the page shows any time. */
function hasTimes({ ways, apps, companies, browsers, leavesAt }: TakeBackView): boolean {
  return leavesAt !== null || [ways, apps, companies, browsers].some((all) => all.length > 0);
}

function waysSection(view: TakeBackView, chrome: Chrome): Child {
  const { takeBack } = chrome.words;
  if (view.ways.length === 0) return null;
  const doubtful = view.ways.filter((way) => way.doubtful);
  const kept = view.ways.filter((way) => !way.doubtful);
  return html`<section class="review" aria-labelledby="ways-title">
    <h2 id="ways-title">${takeBack.ways}</h2>
    ${doubtful.length > 0 && html`<p class="soft small" id="ways-hint">${takeBack.waysDoubtful}</p>`}
    ${doubtful.length > 0 && html`<div class="ticks removing">${doubtful.map((way) => wayChoice(way, view.now, chrome))}</div>`}
    ${doubtful.length > 0 && kept.length > 0 && html`<p class="soft small">${takeBack.waysKept}</p>`}
    ${
      kept.length > 0 &&
      html`<ul class="ways">${kept.map((way) => html`<li class="way">${wayText(way, view.now, chrome)}</li>`)}</ul>`
    }
  </section>`;
}

function wayChoice(way: WayEntry, now: number, chrome: Chrome): Markup {
  const label = fill(chrome.words.takeBack.remove, { way: wayName(way, chrome.words) });
  return html`<label class="choice">
    <input type="checkbox" name="remove" value=${way.value} checked=${way.chosen} aria-label=${label} />
    ${wayText(way, now, chrome, states(chrome.words.takeBack.waysStates))}
  </label>`;
}

/** What happens to a row, in words. Styles show the one that agrees with its tick. */
function states({ ticked, open }: { readonly ticked: string; readonly open: string }): Child {
  return [
    html`<span class="tag warn if-ticked">${icon("x")}${ticked}</span>`,
    html`<span class="tag if-open">${icon("check")}${open}</span>`,
  ];
}

function wayText(way: WayEntry, now: number, { words }: Chrome, state: Child = null): Markup {
  const { takeBack } = words;
  const used = way.lastUsedAt !== null && rich(takeBack.used, { when: timeElement(words, way.lastUsedAt, now) });
  return html`<div class="way-what">
    <p>${wayName(way, words)} ${state}</p>
    <p class="soft small">${facts([...seenFrom(way, way.addedAt, now, words), used])}</p>
    ${way.doubtful && way.bringsBack && html`<p class="soft small">${way.kind === "codes" ? takeBack.backCodes : takeBack.back}</p>`}
  </div>`;
}

function browsersSection({ browsers, since, now }: TakeBackView, { words }: Chrome): Child {
  const { takeBack, sessions } = words;
  if (browsers.length === 0 || since === null) return null;
  return html`<section class="review" aria-labelledby="browsers-title">
    <h2 id="browsers-title">${takeBack.browsers}</h2>
    <p class="soft small">${rich(takeBack.browsersText, { when: shownTime(words, since, "exact") })}</p>
    <ul class="ways">
      ${browsers.map(
        ({ browser, system, place, since: at }) => html`<li class="way"><div class="way-what">
          <p>${browser !== null && system !== null ? fill(sessions.device, { browser, system }) : (browser ?? system ?? sessions.unknown)}</p>
          <p class="soft small">${facts([
            place !== null && rich(takeBack.place, { place: html`<bdi dir="ltr">${visible(place)}</bdi>` }),
            timeElement(words, at, now),
          ])}</p>
        </div></li>`,
      )}
    </ul>
  </section>`;
}

function appsSection(view: TakeBackView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { takeBack } = words;
  const { apps, companies, since } = view;
  const none = apps.length === 0 && companies.length === 0;
  const ticked = since !== null && [...apps, ...companies].some(({ chosen }) => chosen);
  return html`<section class="review" aria-labelledby="apps-title">
    <h2 id="apps-title">${takeBack.apps}</h2>
    <p class="soft small">
      ${sentences(words.language, none ? noApps(view.endsIn, chrome) : takeBack.appsHint, ticked && rich(takeBack.appsSince, { when: shownTime(words, since, "exact") }))}
    </p>
    ${!none && html`<div class="ticks removing">${apps.map((app) => appChoice(app, view, chrome))} ${companies.map((one) => companyChoice(one, view, chrome))}</div>`}
    ${view.hidden > 0 && html`<p class="soft small">${fill(takeBack.appsHidden, { count: view.hidden })}</p>`}
  </section>`;
}

/** No app has access, or only with what it still holds. */
function noApps(endsIn: number, chrome: Chrome): Child {
  const { appsNone, appsEnding } = chrome.words.takeBack;
  return endsIn < 1 ? appsNone : sentences(chrome.words.language, appsEnding, accessEnds(endsIn, chrome));
}

function appChoice(app: AppEntry, { now }: TakeBackView, { words }: Chrome): Markup {
  const { takeBack } = words;
  const when = (at: number) => timeElement(words, at, now);
  return html`<label class="choice">
    <input type="checkbox" name="app" value=${app.value} checked=${app.chosen} />
    <div class="way-what">
      <p>${name(app.name)} ${appStates(app, words)}</p>
      <p class="soft small">${facts([
        ...connectedAt(app, app.byDevice ? takeBack.connectedDevice : takeBack.connected, now, words),
        app.changedAt !== null && rich(takeBack.endChanged, { when: when(app.changedAt) }),
        app.resumedAt !== null && rich(takeBack.resumed, { when: when(app.resumedAt) }),
        app.lastUsedAt !== null && rich(takeBack.used, { when: when(app.lastUsedAt) }),
      ])}</p>
    </div>
  </label>`;
}

function appStates({ paused }: Pick<AppEntry, "paused">, { takeBack }: Messages): Child {
  return states(paused ? { ...takeBack.appsStates, open: takeBack.staysPaused } : takeBack.appsStates);
}

/** The second time is shown only if it differs from the first one. */
function connectedAt(
  app: CompanyAppEntry,
  connected: Messages["takeBack"]["connected" | "connectedDevice"],
  now: number,
  words: Messages,
): readonly (Child | false)[] {
  const when = (at: number) => timeElement(words, at, now);
  const again = relative(words, app.latestAt, now) !== relative(words, app.connectedAt, now);
  return [
    rich(connected, { when: when(app.connectedAt) }),
    again && rich(words.takeBack.latest, { when: when(app.latestAt) }),
  ];
}

function companyChoice(
  { value, name: company, apps, hidden: more, paused, chosen }: CompanyEntry,
  { now }: TakeBackView,
  { words }: Chrome,
): Markup {
  const { takeBack } = words;
  return html`<label class="choice">
    <input type="checkbox" name="company" value=${value} checked=${chosen} />
    <div class="way-what">
      <p>${rich(takeBack.company, { company: name(company) })} ${appStates({ paused }, words)}</p>
      ${apps.map((app) => html`<p class="soft small">${facts([name(app.name), ...connectedAt(app, takeBack.connected, now, words)])}</p>`)}
      ${more > 0 && html`<p class="soft small">${fill(plural(words.language, words.apps.more, more), { count: more })}</p>`}
    </div>
  </label>`;
}
