/** `/company/{slug}`: what apps may do in a company's name, the search for apps, the members' requests, and the rule for other apps. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, plural, rich, sentences } from "../messages/index.ts";
import { goneHint, goneTag, scopeEnd } from "../parts/access-ends.ts";
import { hidden, notice, tile } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { bothNames } from "../parts/person-names.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { askButton, companyPage, companyPath, oneButton } from "./company-layout.ts";
import { connectedServices, lastsThere } from "./connections.ts";
import type {
  CompanyAppsView,
  CompanyAppView,
  CompanyFrame,
  CompanyRequestView,
  CompanyScope,
  EndingScope,
} from "./views.ts";

/** Renders `GET /company/{slug}`. Admins see everything. Members see the apps that act for them. */
export function companyAppsPage(view: CompanyAppsView, chrome: Chrome): string {
  const { company } = chrome.words;
  const content = view.admin
    ? [
        view.requests.length > 0 &&
          html`<section class="stack" aria-labelledby="requests">
            <h2 id="requests">${company.requests}</h2>
            ${view.requests.map((request) => requestCard(request, view, chrome))}
          </section>`,
        html`<section class="stack" aria-labelledby="apps">
          <h2 id="apps">${company.apps}</h2>
          ${search(view, chrome)} ${appRows(view, chrome)}
        </section>`,
        view.query === "" && defaults(view, chrome),
      ]
    : forMember(view, chrome);
  return companyPage(view, "apps", company.appsTitle, content, chrome);
}

/** A member's own requests, the apps that act for them, those that they can use, and those that nobody can use. */
function forMember(view: CompanyAppsView, chrome: Chrome): Child {
  const { company } = chrome.words;
  const blocked = view.apps.filter(({ state }) => state === "block");
  const others = view.apps.filter(({ state }) => state !== "block");
  const used = others.filter(({ mine }) => mine !== null);
  // Nobody can connect an app that the operator turned off.
  const usable = others.filter(({ mine, off }) => mine === null && off !== true);
  const [open = [], refused = []] = [false, true].map((is) =>
    view.requests.filter(({ refusedAt = null }) => (refusedAt !== null) === is),
  );
  return [
    ownRequests("requests", company.yourRequests, open, view, chrome),
    ownRequests("refused", company.refusedRequests, refused, view, chrome),
    html`<section class="stack" aria-labelledby="apps">
      <h2 id="apps">${company.yourApps}</h2>
      ${
        used.length === 0
          ? html`<div class="card empty">${icon("shield")}<p class="soft">${company.noAppsYours}</p></div>`
          : html`<div class="apps">${used.map((app) => memberCard(app, view, chrome))}</div>`
      }
    </section>`,
    usable.length > 0 &&
      html`<section class="stack" aria-labelledby="usable">
        <h2 id="usable">${company.usableApps}</h2>
        <p class="soft">${company.usableHint}</p>
        <div class="apps">${usable.map((app) => memberCard(app, view, chrome))}</div>
      </section>`,
    blocked.length > 0 &&
      html`<section class="stack" aria-labelledby="blocked">
        <h2 id="blocked">${company.blockedApps}</h2>
        <p class="soft">${rich(company.blockedHint, { company: name(view.company.name) })}</p>
        <ul class="card rows">
          ${blocked.map((app) => html`<li class="row app-row" data-client-id=${app.clientId}>${head(app, view, chrome)}</li>`)}
        </ul>
      </section>`,
    html`<section class="stack">${leave(view, chrome)}</section>`,
  ];
}

function ownRequests(
  id: string,
  title: string,
  requests: readonly CompanyRequestView[],
  view: CompanyAppsView,
  chrome: Chrome,
): Child {
  if (requests.length === 0) return null;
  return html`<section class="stack" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <div class="apps">${requests.map((request) => ownRequestCard(request, view, chrome))}</div>
  </section>`;
}

/** A member's own request: what waits for an answer or was refused, and what is approved already. */
function ownRequestCard(request: CompanyRequestView, view: CompanyAppsView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  const { approved = [], refusedAt = null, scopes } = request;
  const when = timeElement(words, request.askedAt, view.now);
  const answer =
    refusedAt !== null
      ? rich(company.youWereRefused, { when, refused: timeElement(words, refusedAt, view.now) })
      : rich(request.mayDecide ? company.youMayDecide : approved.length > 0 ? company.youAskedMore : company.youAsked, {
          when,
        });
  const isRefused = refusedAt !== null;
  const heading = isRefused ? company.refusedScopes : approved.length > 0 ? company.waiting : company.asksFor;
  return html`<article class="card app" data-client-id=${request.clientId}>
    ${head({ ...request, name: request.app }, view, chrome)}
    <p>${answer}</p>
    ${newAddress(request, chrome)} ${reasonOf(request)} ${scopes.length > 0 && titledScopes(heading, scopes, isRefused ? "x" : "clock")}
    ${approved.length > 0 && titledScopes(words.askAdmin.approved, approved)}
  </article>`;
}

function titledScopes(title: string, scopes: readonly CompanyScope[], sign: ScopeSign = "check"): Markup {
  return html`<div class="stack close">
    <p class="soft small">${title}</p>
    ${scopeList(scopes, sign)}
  </div>`;
}

/** Path of the page about one app. */
export function appPath(
  frame: Pick<CompanyFrame, "company">,
  { clientId }: { readonly clientId: string },
  chrome: Chrome,
): string {
  return `${companyPath(frame, chrome)}/apps/${encodeURIComponent(clientId)}`;
}

/** Allowed, waiting for an answer, or refused. */
type ScopeSign = "check" | "clock" | "x";

/** A list of permissions. */
export function scopeList(scopes: readonly CompanyScope[], sign: ScopeSign = "check"): Markup {
  return html`<ul class=${sign === "check" ? "can" : "can not-yet"}>
    ${scopes.map((scope) => html`<li>${icon(sign)}<span><bdi>${visible(scope.description || scope.name)}</bdi></span></li>`)}
  </ul>`;
}

/** A list of permissions that can end at different times. */
export function endingScopes(scopes: readonly EndingScope[], now: number, { words }: Chrome): Child {
  const end = (at: number | null) => (at === null ? words.company.endless : scopeEnd(at, now, words));
  return [
    html`<ul class="can">
      ${scopes.map(
        (scope) =>
          html`<li>${icon("check")}<span><bdi>${visible(scope.description || scope.name)}</bdi> <span class="soft small">${end(scope.expiresAt)}</span>${goneTag(scope, words)}</span></li>`,
      )}
    </ul>`,
    goneHint(scopes, words),
  ];
}

/** Who asked, when, why, and for what. */
export function requestText(request: CompanyRequestView, now: number, chrome: Chrome): Child {
  const { words } = chrome;
  const { company } = words;
  return [
    html`<p>${rich(company.requestBy, { person: bothNames({ ...request, name: request.personName }), when: timeElement(words, request.askedAt, now) })}</p>`,
    request.mayDecide && html`<p>${rich(company.mayDecide, { person: name(request.username) })}</p>`,
    newAddress(request, chrome),
    wishOf(request, chrome),
  ];
}

/** Names the address of a request that the approval of the app does not cover. */
function newAddress({ host, isNewHost = false }: CompanyRequestView, { words }: Chrome): Child {
  if (host === null || !isNewHost) return null;
  return html`<p><span class="tag warn">${words.company.newAddress}</span> ${hostWords(host, words)}</p>`;
}

/** The reason of a request, and its permissions. */
function wishOf(request: CompanyRequestView, { words: { askAdmin, company } }: Chrome): Child {
  const { approved = [], scopes } = request;
  const heading = approved.length > 0 ? company.waiting : company.asksFor;
  return [
    reasonOf(request),
    scopes.length > 0 && titledScopes(heading, scopes, "clock"),
    approved.length > 0 && titledScopes(askAdmin.approved, approved),
  ];
}

function reasonOf({ reason }: CompanyRequestView): Markup {
  return html`<blockquote class="reason">${reason.split("\n").map((line) => html`<p><bdi>${visible(line)}</bdi></p>`)}</blockquote>`;
}

function requestCard(request: CompanyRequestView, view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const about = rich(company.requestOf, { person: name(request.username) });
  return html`<article class="card app" data-client-id=${request.clientId}>
    ${head({ ...request, name: request.app }, view, chrome)}
    ${requestText(request, view.now, chrome)}
    <div class="row-actions">
      <form method="get" action=${appPath(view, request, chrome)}>
        ${hidden({ request: request.personId })}
        <button class="button primary" type="submit"><span>${company.review}</span><span class="unseen"> (${about})</span></button>
      </form>
      ${refuseButton(request, view, chrome)}
    </div>
  </article>`;
}

/** The button that refuses a request. */
export function refuseButton(request: CompanyRequestView, view: CompanyFrame, chrome: Chrome): Markup {
  const { company } = chrome.words;
  return oneButton(
    `${companyPath(view, chrome)}/refuse`,
    { csrf: view.csrf, client_id: request.clientId, person_id: request.personId, asked_at: String(request.askedAt) },
    { text: company.refuse, about: rich(company.requestOf, { person: name(request.username) }) },
  );
}

type Looks = Pick<CompanyAppView, "clientId" | "name" | "logo" | "host">;

function head(app: Looks, view: CompanyAppsView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  return html`<div class="app-head">
    ${tile(app, "small", base)}
    <div class="app-name">
      <h3>${view.admin ? html`<a class="plain-link alone" href=${appPath(view, app, chrome)}>${name(app.name)}</a>` : name(app.name)}</h3>
      ${app.host !== null && html`<p class="soft small">${hostWords(app.host, words)}</p>`}
    </div>
  </div>`;
}

function search(view: CompanyAppsView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  const { query } = view;
  const path = companyPath(view, chrome);
  const count = view.apps.length + view.found.length;
  const found =
    count === 0
      ? fill(words.apps.foundNone, { query: visible(query, NAME_LENGTH) })
      : fill(plural(words.language, words.apps.found, count), { count });
  return html`<search class="search">
    <form method="get" action=${path}>
      <label class="unseen" for="q">${company.search}</label>
      <input id="q" name="q" type="search" value=${query} placeholder=${company.search} maxlength="100" autocomplete="off" />
      <button class="button" type="submit">${icon("search")}<span class="unseen">${words.apps.searchSubmit}</span></button>
    </form>
    ${query !== "" && html`<p role="status">${sentences(words.language, found, view.more && company.searchMore, html`<a href=${path}>${words.apps.showAll}</a>`)}</p>`}
    ${count === 0 && query !== "" && html`<p class="soft small">${rich(company.searchHint, { company: name(view.company.name) })}</p>`}
  </search>`;
}

function appRows(view: CompanyAppsView, chrome: Chrome): Child {
  const { company } = chrome.words;
  if (view.apps.length + view.found.length === 0) {
    return (
      view.query === "" && html`<div class="card empty">${icon("shield")}<p class="soft">${company.noApps}</p></div>`
    );
  }
  return html`<ul class="card rows">
    ${view.apps.map((app) => appRow(app, view, chrome))}
    ${view.found.map(
      (app) =>
        html`<li class="row app-row" data-client-id=${app.clientId}>
          ${head(app, view, chrome)}
          <p class="app-tags"><span class="tag">${icon("badgeCheck")}${company.verified}</span></p>
        </li>`,
    )}
  </ul>`;
}

function appRow(app: CompanyAppView, view: CompanyAppsView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  const count = (forms: Parameters<typeof plural>[1], value: number) =>
    fill(plural(words.language, forms, value), { count: value });
  return html`<li class="row app-row" data-client-id=${app.clientId}>
    ${head(app, view, chrome)}
    <p class="app-tags">
      ${app.people > 0 && html`<span class="soft small">${count(company.people, app.people)}</span>`}
      ${app.requests > 0 && html`<span class="tag warn">${count(company.openRequests, app.requests)}</span>`}
      ${app.hasNewHosts && html`<span class="tag warn">${company.newAddress}</span>`}
      ${app.pausedAt != null && html`<span class="tag warn">${company.paused}</span>`}
      ${app.off === true && html`<span class="tag warn">${company.off}</span>`}
      ${stateTag(app.state, chrome)}
    </p>
  </li>`;
}

/** Says that an admin paused the app for everyone, since when, what that means, and how long its tokens still work. */
export function pausedNotice(
  { pausedAt = null, stopsIn = 0 }: Pick<CompanyAppView, "pausedAt"> & { readonly stopsIn?: number },
  now: number,
  { words }: Chrome,
): Child {
  if (pausedAt === null) return null;
  const since = rich(words.agents.pausedSinceCompany, { when: timeElement(words, pausedAt, now) });
  return notice("warning", sentences(words.language, since, stillHeld(stopsIn, words)));
}

/** Says how many minutes an app's tokens still work. False: it has none. */
export function stillHeld(stopsIn: number, { language, agents }: Chrome["words"]): Child {
  return stopsIn >= 1 && fill(plural(language, agents.pausedStill, stopsIn), { count: stopsIn });
}

/** The state of a rule as a tag. */
export function stateTag(state: CompanyAppView["state"], { words }: Chrome): Child {
  if (state === null) return html`<span class="tag">${words.company.rules.none}</span>`;
  return html`<span class=${state === "block" ? "tag warn" : "tag"}>${words.company.rules[state]}</span>`;
}

/** An app as a member sees it: what it may do, or what they could allow it, and how they stop it for themselves. */
function memberCard(app: CompanyAppView, view: CompanyAppsView, chrome: Chrome): Markup {
  return html`<article class="card app" data-client-id=${app.clientId}>
    ${head(app, view, chrome)}
    <p class="tags">
      ${app.mine === "stopped" ? html`<span class="tag warn">${chrome.words.company.stoppedByYou}</span>` : stateTag(app.state, chrome)}
    </p>
    ${pausedNotice(app, view.now, chrome)}
    ${app.off === true && notice("warning", chrome.words.company.appOff)}
    ${app.scopes.length > 0 && (app.mine === null ? titledScopes(chrome.words.company.asksFor, app.scopes) : ownScopes(app.scopes, view.now, chrome))}
    ${app.grantedAt !== null && facts(app, app.grantedAt, view, chrome)}
    ${services(app, view, chrome)}
    ${app.mine !== null && mineHint(app.mine, view, chrome)}
    <div class="app-actions">${app.mine !== null && mineForm(app.clientId, app.name, app.mine, view, chrome)}</div>
    ${app.chosen && app.pausedAt == null && app.off !== true && chosenForm(app, view, chrome)}
  </article>`;
}

/** The other services in which the app may act for the reader, or those that they can't stop it in. */
function services({ mine, name: app, connections = [] }: CompanyAppView, view: CompanyAppsView, chrome: Chrome): Child {
  return mine === "stopped"
    ? lastsThere(
        connections.map((one) => ({ app, server: one.name })),
        chrome,
      )
    : connectedServices({ name: app, services: connections, acts: mine !== null }, view, chrome);
}

/** True: the reader's permissions end at different times. */
function endsDiffer(scopes: readonly CompanyScope[]): boolean {
  return new Set(scopes.map(({ expiresAt }) => expiresAt)).size > 1;
}

function ownScopes(scopes: readonly CompanyScope[], now: number, { words }: Chrome): Child {
  const differ = endsDiffer(scopes);
  const end = ({ expiresAt }: CompanyScope) =>
    differ &&
    expiresAt !== undefined && [" ", html`<span class="soft small">${scopeEnd(expiresAt, now, words)}</span>`];
  return [
    html`<ul class="can">
      ${scopes.map(
        (scope) =>
          html`<li>${icon("check")}<span><bdi>${visible(scope.description || scope.name)}</bdi>${end(scope)}${goneTag(scope, words)}</span></li>`,
      )}
    </ul>`,
    goneHint(scopes, words),
  ];
}

function facts(app: CompanyAppView, grantedAt: number, view: CompanyAppsView, { words }: Chrome): Markup {
  const time = (when: number) => timeElement(words, when, view.now);
  const rows: readonly (readonly [string, Child])[] = [
    [words.apps.granted, time(grantedAt)],
    [words.apps.used, app.lastUsedAt === null ? words.apps.never : time(app.lastUsedAt)],
    // No access is left that could end.
    ...(app.mine === "stopped"
      ? []
      : [
          [
            app.pausedAt == null
              ? endsDiffer(app.scopes)
                ? words.apps.endsLast
                : words.apps.ends
              : words.agents.endsResumed,
            app.expiresAt === null ? words.company.noEnd : time(app.expiresAt),
          ] as const,
        ]),
  ];
  return html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Says what the button of `mineForm` does, and what it leaves as it is. */
export function mineHint(mine: "acts" | "stopped", view: CompanyFrame, { words }: Chrome): Markup {
  const { stopMineHint, resumeMineHint } = words.company;
  const text = rich(mine === "acts" ? stopMineHint : resumeMineHint, { company: name(view.company.name) });
  return html`<p class="soft small">${text}</p>`;
}

/** The form with which a member stops the app from acting for them, or allows it again. */
export function mineForm(
  clientId: string,
  app: string,
  mine: "acts" | "stopped",
  view: CompanyFrame,
  chrome: Chrome,
): Markup {
  const { company } = chrome.words;
  const fields = { csrf: view.csrf, client_id: clientId, out: mine === "acts" ? "yes" : "no" };
  const text = mine === "acts" ? rich(company.stopMine, { company: name(view.company.name) }) : company.resumeMine;
  return oneButton(`${companyPath(view, chrome)}/opt-out`, fields, { text, about: name(app) });
}

/** Says that the company is chosen for the app, with a button to be asked next time. Nothing ends. */
export function chosenForm(
  app: Pick<CompanyAppView, "clientId" | "name" | "nextTime">,
  view: CompanyFrame,
  chrome: Chrome,
): Markup {
  const { company } = chrome.words;
  const fields = { csrf: view.csrf, client_id: app.clientId, out: "ask" };
  const texts = { connects: company.chosen, several: company.chosenElsewhere, asks: company.chosenAsks };
  return html`<div class="keep-used">
    <p class="small">${rich(texts[app.nextTime ?? "connects"], { company: name(view.company.name) })}</p>
    ${oneButton(`${companyPath(view, chrome)}/opt-out`, fields, { text: company.askNext, about: name(app.name) })}
  </div>`;
}

const DEFAULTS = ["members", "ask", "block"] as const;

/** The rule for apps that have none of their own. */
function defaults(view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  return html`<section class="stack" aria-labelledby="others">
    <h2 id="others">${company.otherApps}</h2>
    <div class="card panel">
      <form class="fields" method="post" action=${`${companyPath(view, chrome)}/default`}>
        ${hidden({ csrf: view.csrf })}
        <fieldset class="group choices">
          <legend>${company.undecided}</legend>
          ${DEFAULTS.map((value) => choice("rule", value, value === view.defaultRule, company.defaults[value], company.defaultHints[value]))}
        </fieldset>
        <p class="soft small">${sentences(
          chrome.words.language,
          company.defaultKeeps,
          view.connections === true && chrome.words.companyConnections.allOnlyCovered,
        )}</p>
        <button class="button" type="submit">${company.save}</button>
      </form>
    </div>
  </section>`;
}

/** A radio button with a sentence about its consequences. */
export function choice(field: string, value: string, checked: boolean, label: Child, hint: Child): Markup {
  return html`<label class="choice">
    <input type="radio" name=${field} value=${value} checked=${checked} />
    <span class="choice-lines"><span>${label}</span><span class="soft small">${hint}</span></span>
  </label>`;
}

function leave(view: CompanyAppsView, chrome: Chrome): Markup {
  const text = rich(chrome.words.company.leave, { company: name(view.company.name) });
  return askButton(`${companyPath(view, chrome)}/leave`, {}, { text });
}
