/** `/company/{slug}/apps/{client}`: one app in a company, for its admins. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, plural, rich, sentences } from "../messages/index.ts";
import { notice, tile } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { bothNames } from "../parts/person-names.ts";
import { throughList, usedApps } from "../parts/through-list.ts";
import { timeElement } from "../shown-time.ts";
import { hostList, name } from "../untrusted-text.ts";
import { ruleForm } from "./app-rule-form.ts";
import {
  chosenForm,
  endingScopes,
  mineForm,
  mineHint,
  pausedNotice,
  refuseButton,
  requestText,
  stateTag,
  stillHeld,
} from "./company-apps.ts";
import { askButton, companyPage, companyPath, oneButton, ruleEnd } from "./company-layout.ts";
import { connectedServices } from "./connections.ts";
import type { CompanyAppPageView } from "./views.ts";

/** Renders `GET /company/{slug}/apps/{client}`. */
export function companyAppPage(view: CompanyAppPageView, chrome: Chrome): string {
  const { company } = chrome.words;
  const content = [
    heading(view, chrome),
    view.off === true && notice("warning", company.appOff),
    view.newHosts.length > 0 && notice("warning", rich(company.newHosts, { hosts: hostList(view.newHosts) })),
    view.requests.length > 0 &&
      html`<section class="stack" aria-labelledby="requests">
        <h3 id="requests">${company.requests}</h3>
        ${view.requests.map(
          (request) =>
            html`<article class="card app">
              ${requestText(request, view.now, chrome)}
              <div class="row-actions">${refuseButton(request, view, chrome)}</div>
            </article>`,
        )}
      </section>`,
    html`<div class="halves">${[
      html`<section class="stack" aria-labelledby="rule">
        <h3 id="rule">${company.rule}</h3>
        ${view.form === null ? html`<p class="card panel soft">${company.appGone}</p>` : ruleForm(view, view.form, chrome)}
      </section>`,
      html`<section class="stack" aria-labelledby="access">
        <h3 id="access">${company.access}</h3>
        ${access(view, chrome)}
        ${view.mine === "stopped" && [mineHint("stopped", view, chrome), html`<div class="row-actions">${mineForm(view.clientId, view.name, "stopped", view, chrome)}</div>`]}
        ${view.chosen && view.access?.pausedAt == null && view.off !== true && chosenForm(view, view, chrome)}
      </section>`,
    ]}</div>`,
  ];
  return companyPage(view, "apps", view.name, content, chrome, view.form !== null && view.form.problem !== null);
}

function heading(view: CompanyAppPageView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  const { company } = words;
  const { decided } = view;
  return html`<div class="stack close">
    <p><a class="alone" href=${companyPath(view, chrome)}>${company.allApps}</a></p>
    <div class="app-head" data-client-id=${view.clientId}>
      ${tile(view, "large", base)}
      <div class="app-name">
        <h2>${name(view.name)}</h2>
        ${view.host !== null && html`<p class="soft small">${hostWords(view.host, words)}</p>`}
        <p class="tags">
          ${stateTag(view.state, chrome)}
          ${view.verified && html`<span class="tag">${icon("badgeCheck")}${company.verified}</span>`}
        </p>
      </div>
    </div>
    ${decided !== null && html`<p class="soft small">${standing(view, decided, words)}</p>`}
  </div>`;
}

/** Who made the rule, and until when it holds; or that the approval has ended, and what holds now. */
function standing(
  view: CompanyAppPageView,
  { at, by }: NonNullable<CompanyAppPageView["decided"]>,
  words: Chrome["words"],
): Child {
  const { company } = words;
  const { defaultRule, endedAt = null, endsAt } = view;
  const time = (when: number) => timeElement(words, when, view.now);
  if (endedAt !== null) {
    // The state is that of members after an approval for selected members, where they would decide otherwise.
    const now = view.state === "ask" ? company.nowSelected : company.defaultRuleHints[defaultRule];
    const ended =
      by === null
        ? rich(company.endedAt, { when: time(endedAt) })
        : rich(company.endedBy, { when: time(endedAt), person: name(by) });
    return sentences(words.language, ended, rich(now, { app: name(view.name) }));
  }
  const end = endsAt !== undefined && ruleEnd({ endsAt, selected: view.state === "selected", defaultRule }, words);
  const set =
    by === null
      ? rich(company.decidedAt, { when: time(at) })
      : rich(company.decidedBy, { when: time(at), person: name(by) });
  return sentences(words.language, set, end);
}

function access(view: CompanyAppPageView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  const used =
    view.actsThrough.length > 0 && usedApps(view.name, view.actsThrough, company.actsThrough, view.now, words);
  const { stopsIn = 0 } = view;
  const still = stillHeld(stopsIn, words);
  if (view.access === null) {
    const text = used === false ? still || company.noAccess : company.noOwnAccess;
    if (used === false && view.vouched === undefined) return html`<p class="card panel soft">${text}</p>`;
    return html`<div class="card app"><p class="soft">${text}</p>${used}${vouched(view, chrome)}</div>`;
  }
  const { scopes, standing, grantedAt, lastUsedAt, people, shown, through, pausedAt = null } = view.access;
  const time = (when: number) => timeElement(words, when, view.now);
  const count = (forms: Parameters<typeof plural>[1], value: number) =>
    fill(plural(words.language, forms, value), { count: value });
  const rows: readonly (readonly [string, Child])[] = [
    [company.usedBy, people === 0 ? nobody(view, words) : count(company.people, people)],
    ...(scopes.length === 0 ? [] : [[company.accessSince, time(grantedAt)] as const]),
    // Of uses by assertions, the company's record knows nothing.
    ...(lastUsedAt === null && view.vouched !== undefined
      ? []
      : [[words.apps.used, lastUsedAt === null ? words.apps.never : time(lastUsedAt)] as const]),
  ];
  const rest = people - shown.length;
  return html`<div class="card app">
    ${pausedNotice({ pausedAt, stopsIn }, view.now, chrome)}
    ${
      scopes.length > 0 &&
      html`<div class="stack close">
        <p class="soft small">${pausedAt === null ? company.may : words.agents.canResumed}</p>
        ${endingScopes(scopes, view.now, chrome)}
      </div>`
    }
    <dl class="facts lines">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
    ${pausedAt === null && people === 0 && still && html`<p class="small">${still}</p>`}
    ${
      shown.length > 0 &&
      html`<ul class="users">
        ${shown.map(
          (one) =>
            html`<li class="user">
              <span>${one.username === null ? company.formerMember : bothNames({ name: one.personName, username: one.username })}${one.paused && [" ", html`<span class="tag">${company.paused}</span>`]}</span>
              <span class="soft small">${rich(company.usesSince, { when: time(one.since) })}</span>
            </li>`,
        )}
        ${rest > 0 && html`<li class="soft small">${count(company.moreUsers, rest)}</li>`}
      </ul>`
    }
    ${shown.some((one) => one.paused) && html`<p class="soft small">${company.pausedText}</p>`}
    ${
      standing.length > 0 &&
      html`<div class="stack close">
        <p class="soft small">${rich(company.standing, { company: name(view.company.name) })}</p>
        ${endingScopes(standing, view.now, chrome)}
        ${pausedAt === null && html`<p class="soft small">${rich(company.standingText, { company: name(view.company.name) })}</p>`}
      </div>`
    }
    ${connectedServices({ ...view, acts: true }, view, chrome)} ${through.length > 0 && throughList({ name: view.name, through: through.map((one) => ({ ...one, href: `${companyPath(view, chrome)}/apps/${encodeURIComponent(one.clientId)}` })) }, view.now, words)}
    ${used}${vouched(view, chrome)}
    ${view.mine === "acts" && mineHint("acts", view, chrome)}
    <div class="row-actions">
      ${view.mine === "acts" && mineForm(view.clientId, view.name, "acts", view, chrome)}
      ${askButton(`${companyPath(view, chrome)}/revoke`, { client_id: view.clientId }, { text: company.revokeAll, about: name(view.name) })}
    </div>
  </div>`;
}

function nobody({ vouched: by }: CompanyAppPageView, { company }: Chrome["words"]): string {
  return by === undefined ? company.nobody : company.vouched.nobody;
}

/** Says that the company's identity provider lets the app use members' accounts, and what stops that. */
function vouched(view: CompanyAppPageView, chrome: Chrome): Child {
  const by = view.vouched;
  if (by === undefined) return null;
  const { language, company, agents } = chrome.words;
  const { access, stop, stopOrPause, stopped } = company.vouched;
  const names = { app: name(view.name), issuer: hostList(by.hosts), count: String(by.minutes) };
  const forms = by.stopped ? stopped : by.pausable ? stopOrPause : stop;
  const about = { text: agents.pause, about: name(view.name) };
  return html`<div class="stack close">
    ${!by.stopped && html`<p>${rich(access, names)}</p>`}
    <p class="soft small">${rich(plural(language, forms, by.minutes), names)}</p>
    ${by.pausable && html`<div class="row-actions">${oneButton(`${companyPath(view, chrome)}/agents/pause`, { csrf: view.csrf, client_id: view.clientId }, about)}</div>`}
  </div>`;
}
