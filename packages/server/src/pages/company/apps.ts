/** `/company/{slug}`: what apps may do in a company's name, the members' requests, and the decisions. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, plural, rich } from "../messages/index.ts";
import { hidden, notice, tile } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { hostText, name, visible } from "../text.ts";
import { durationLabel, timeElement } from "../time.ts";
import type { DurationChoice } from "../views.ts";
import { askButton, companyPage, companyPath, oneButton, select } from "./frame.ts";
import type { CompanyAppsView, CompanyAppView, CompanyHost, CompanyRequestView, CompanyScope } from "./views.ts";

/** Renders `GET /company/{slug}`. Admins see everything. Members see the apps that act for them. */
export function companyAppsPage(view: CompanyAppsView, chrome: Chrome): string {
  const { company } = chrome.words;
  const content = [
    view.requests.length > 0 &&
      html`<section class="stack" aria-labelledby="requests">
        <h2 id="requests">${company.requests}</h2>
        ${view.requests.map((request, at) => requestCard(request, at, view, chrome))}
      </section>`,
    html`<section class="stack" aria-labelledby="apps">
      <h2 id="apps">${view.admin ? company.apps : company.yourApps}</h2>
      ${
        view.apps.length === 0
          ? html`<div class="card empty">${icon("shield")}<p class="soft">${view.admin ? company.noApps : company.noAppsYours}</p></div>`
          : html`<div class="apps">${view.apps.map((app, at) => appCard(app, at, view, chrome))}</div>`
      }
    </section>`,
    view.admin && defaults(view, chrome),
    !view.admin && html`<section class="stack">${leave(view, chrome)}</section>`,
  ];
  return companyPage(view, "apps", company.appsTitle, content, chrome);
}

function scopeList(scopes: readonly CompanyScope[]): Markup {
  return html`<ul class="can">
    ${scopes.map((scope) => html`<li>${icon("check")}<span><bdi>${visible(scope.description || scope.name)}</bdi></span></li>`)}
  </ul>`;
}

function head(
  app: { readonly name: string; readonly logo: string | null; readonly host: string | null },
  { words, base }: Chrome,
): Markup {
  return html`<div class="app-head">
    ${tile(app, "small", base)}
    <div class="app-name">
      <h3>${name(app.name)}</h3>
      ${app.host !== null && html`<p class="soft small">${hostWords(app.host, words)}</p>`}
    </div>
  </div>`;
}

function requestCard(request: CompanyRequestView, at: number, view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const path = companyPath(view, chrome);
  const about = rich(company.requestOf, { person: name(request.username) });
  return html`<article class="card app" data-client-id=${request.clientId}>
    ${head({ name: request.app, logo: request.logo, host: request.host }, chrome)}
    <p>${rich(company.requestBy, { person: name(request.username), when: timeElement(chrome.words, request.askedAt, view.now) })}</p>
    <blockquote class="reason">${request.reason.split("\n").map((line) => html`<p><bdi>${visible(line)}</bdi></p>`)}</blockquote>
    ${scopeList(request.scopes)}
    <div class="decision answers">
      <form method="post" action=${`${path}/rule`}>
        ${hidden({ csrf: view.csrf, client_id: request.clientId, rule: "allow" })}
        ${request.ceiling.map((scope) => html`<input type="hidden" name="scope" value=${scope} />`)}
        ${addresses(request.hosts, chrome)}
        ${durationSelect(`request-${at}`, request.durations, chrome)}
        <div class="ticks">${optOutBox(false, chrome)}</div>
        <button class="button" type="submit">${company.approve}<span class="unseen"> (${about})</span></button>
      </form>
      ${oneButton(
        `${path}/refuse`,
        { csrf: view.csrf, client_id: request.clientId, person_id: request.personId },
        { text: company.refuse, about },
      )}
    </div>
  </article>`;
}

/** The hosts that an approval for all members covers: those that the app has now. Later hosts are not covered. */
function addresses(hosts: readonly CompanyHost[], { words }: Chrome): Child {
  if (hosts.length === 0) return null;
  return html`<div class="small">
    <p class="soft">${words.company.hosts}</p>
    <ul class="plain">
      ${hosts.map(({ value, text }) => html`<li><input type="hidden" name="host" value=${value} />${hostWords(text, words)}</li>`)}
    </ul>
  </div>`;
}

function durationSelect(id: string, durations: readonly DurationChoice[], { words }: Chrome): Markup {
  const options = durations.map(({ value, selected }) => ({
    value,
    selected,
    label: durationLabel(words, value),
  }));
  return select({ id: `${id}-duration`, name: "duration", label: words.consent.duration }, options);
}

function optOutBox(checked: boolean, { words }: Chrome): Markup {
  return html`<label class="choice">
    <input type="checkbox" name="opt_out" value="yes" checked=${checked} />
    <span class="choice-text"><span>${words.company.optOut}</span></span>
  </label>`;
}

function appCard(app: CompanyAppView, at: number, view: CompanyAppsView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  return html`<article class="card app" data-client-id=${app.clientId}>
    ${head(app, chrome)}
    ${app.rule !== null && html`<p><span class=${app.rule === "block" ? "tag warn" : "tag"}>${company.rules[app.rule]}</span></p>`}
    ${app.newHosts.length > 0 && view.admin && notice("warning", rich(company.newHosts, { hosts: hostList(app.newHosts) }))}
    ${app.scopes.length > 0 && scopeList(app.scopes)} ${app.grantedAt !== null && facts(app, app.grantedAt, view, chrome)}
    <div class="app-actions">
      ${view.admin ? [ruleForm(app, at, view, chrome), app.grantedAt !== null && revokeForm(app, view, chrome)] : null}
      ${app.mine !== null && mineForm(app, app.mine, view, chrome)}
    </div>
  </article>`;
}

function hostList(hosts: readonly string[]): Child {
  return hosts.map((host, at) => [at > 0 && ", ", hostText(host)]);
}

function facts(app: CompanyAppView, grantedAt: number, view: CompanyAppsView, { words }: Chrome): Markup {
  const time = (when: number) => timeElement(words, when, view.now);
  const people = fill(plural(words.language, words.company.people, app.people), { count: app.people });
  const rows: readonly (readonly [string, Child])[] = [
    ...(view.admin ? [[words.company.usedBy, app.people === 0 ? words.company.nobody : people] as const] : []),
    [words.apps.granted, time(grantedAt)],
    [words.apps.used, app.lastUsedAt === null ? words.apps.never : time(app.lastUsedAt)],
    [words.apps.ends, app.expiresAt === null ? words.company.noEnd : time(app.expiresAt)],
  ];
  return html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const RULES = ["allow", "ask", "block", "default"] as const;

/** The form for a decision about an app, for all members. */
function ruleForm(app: CompanyAppView, at: number, view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  return html`<details class="fold narrow">
    <summary>${icon("chevronDown")}${company.decide}<span class="unseen"> (${name(app.name)})</span></summary>
    <form class="fields" method="post" action=${`${companyPath(view, chrome)}/rule`}>
      ${hidden({ csrf: view.csrf, client_id: app.clientId })}
      <fieldset class="group">
        <legend>${company.forMembers}</legend>
        ${RULES.map(
          (rule) =>
            html`<label class="choice">
              <input type="radio" name="rule" value=${rule} checked=${rule === (app.rule ?? "default")} />
              <span class="choice-text"><span>${company.decisions[rule]}</span></span>
            </label>`,
        )}
      </fieldset>
      <fieldset class="group">
        <legend>${company.ceiling}</legend>
        ${app.choices.map(
          (scope) =>
            html`<label class="choice">
              <input type="checkbox" name="scope" value=${scope.name} checked=${scope.checked} />
              <span class="choice-text"><span><bdi>${visible(scope.description || scope.name)}</bdi></span></span>
            </label>`,
        )}
      </fieldset>
      ${addresses(app.hosts, chrome)} ${durationSelect(`app-${at}`, app.durations, chrome)}
      <div class="ticks">${optOutBox(app.optOut, chrome)}</div>
      <button class="button" type="submit">${company.save}</button>
    </form>
  </details>`;
}

function revokeForm(app: CompanyAppView, view: CompanyAppsView, chrome: Chrome): Markup {
  const button = { text: chrome.words.company.revokeAll, about: name(app.name) };
  return askButton(`${companyPath(view, chrome)}/revoke`, { client_id: app.clientId }, button);
}

/** The form with which a member stops the app from acting for them, or allows it again. */
function mineForm(app: CompanyAppView, mine: "acts" | "stopped", view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const fields = { csrf: view.csrf, client_id: app.clientId, out: mine === "acts" ? "yes" : "no" };
  const text = mine === "acts" ? company.stopMine : company.resumeMine;
  return oneButton(`${companyPath(view, chrome)}/opt-out`, fields, { text, about: name(app.name) });
}

const DEFAULTS = ["members", "ask", "block"] as const;

/** The default rule for apps without a decision, and a field to decide about an app that is not in the list. */
function defaults(view: CompanyAppsView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const path = companyPath(view, chrome);
  const options = DEFAULTS.map((value) => ({
    value,
    selected: value === view.defaultRule,
    label: company.defaults[value],
  }));
  return html`<section class="stack" aria-labelledby="others">
    <h2 id="others">${company.otherApps}</h2>
    <div class="card panel">
      <form class="fields" method="post" action=${`${path}/default`}>
        ${hidden({ csrf: view.csrf })}
        ${select({ id: "default-rule", name: "rule", label: company.undecided }, options)}
        <button class="button" type="submit">${company.save}</button>
      </form>
    </div>
    <div class="card panel">
      <form class="fields" method="post" action=${`${path}/rule`}>
        ${hidden({ csrf: view.csrf, rule: "block" })}
        <div class="field">
          <label for="block-client">${company.blockLabel}</label>
          <input id="block-client" name="client_id" type="text" maxlength="200" autocomplete="off" spellcheck="false" required />
        </div>
        <button class="button danger" type="submit">${company.block}</button>
      </form>
    </div>
  </section>`;
}

function leave(view: CompanyAppsView, chrome: Chrome): Markup {
  const text = rich(chrome.words.company.leave, { company: name(view.company.name) });
  return askButton(`${companyPath(view, chrome)}/leave`, {}, { text });
}
