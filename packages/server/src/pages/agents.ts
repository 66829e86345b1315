/** The apps that can act while their owner is away, each with a button that pauses or resumes it. */

import type { AgentEntry, AgentsView } from "./agents-view.ts";
import type { Chrome } from "./chrome.ts";
import { companyPage, companyPath } from "./company/company-layout.ts";
import type { CompanyFrame } from "./company/views.ts";
import { type Messages, plural, rich, sentences } from "./messages/index.ts";
import {
  type EndedApp,
  endedApps,
  endsTerm,
  formerName,
  goneHint,
  goneTag,
  hostLines,
  isHalted,
  lastAccess,
  mayHoldAccess,
  scopeEnd,
} from "./parts/access-ends.ts";
import { hidden, notice, tile } from "./parts/components.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { accountPage } from "./parts/layout.ts";
import { shownTime, timeElement } from "./shown-time.ts";
import { name, visible } from "./untrusted-text.ts";

/** Maximum number of permissions that an entry shows at first. */
const OPEN_SCOPES = 4;

/** Renders `GET /account/agents`. */
export function agentsPage(view: AgentsView, chrome: Chrome): string {
  const { words, base } = chrome;
  const about = {
    ...{ csrf: view.csrf, now: view.now, path: `${base}/account/agents`, detailsOf: detailsIn(base) },
    texts: {
      ...words.agents,
      ...(view.companies.length > 0 && { emptyTitle: words.agents.emptyTitleOwn }),
      noEnd: words.apps.noEnd,
    },
  };
  return accountPage(
    chrome,
    words.agents.title,
    { ...view, here: "agents" },
    html`<div class="stack">
      <div class="heading">
        <h1>${words.agents.title}</h1>
        ${view.agents.length > 0 && html`<p class="soft">${words.agents.intro}</p>`}
        ${view.companies.length > 0 && html`<p class="soft">${rich(words.agents.ownOnly, { companies: companyLinks(view.companies, base) })}</p>`}
      </div>
      ${view.notice !== null && done(view.notice, view.now, words)}
      ${(view.agents.length > 0 || !mayHoldAccess(view)) && list(view.agents, about, chrome)}
      ${endedApps(view, words)}
    </div>`,
  );
}

function companyLinks(companies: AgentsView["companies"], base: string): Child {
  return companies.map((company, at) => [
    at > 0 && ", ",
    html`<a href=${`${base}/company/${encodeURIComponent(company.slug)}`}>${name(company.name)}</a>`,
  ]);
}

/** The app's entry on the page of all apps. */
const detailsIn = (base: string) => (clientId: string) => `${base}/account/apps#app-${encodeURIComponent(clientId)}`;

/** Renders `GET /company/{slug}/agents`, for admins. */
export function companyAgentsPage(
  view: CompanyFrame & Pick<AgentsView, "agents" | "ended" | "restored"> & { readonly unused: readonly EndedApp[] },
  chrome: Chrome,
): string {
  const { words } = chrome;
  const { unused } = view;
  const company = companyPath(view, chrome);
  const about = {
    ...{ csrf: view.csrf, now: view.now, path: `${company}/agents` },
    detailsOf: (clientId: string) => `${company}/apps/${encodeURIComponent(clientId)}`,
    texts: {
      emptyTitle: words.agents.emptyTitleCompany,
      emptyText: rich(words.agents.emptyTextCompany, { company: name(view.company.name) }),
      pausedSince: words.agents.pausedSinceCompany,
      notAway: words.agents.notAwayCompany,
      noEnd: words.company.noEnd,
    },
  };
  const content = [
    view.agents.length > 0 &&
      html`<p class="soft">${rich(words.agents.introCompany, { company: name(view.company.name) })}</p>`,
    (view.agents.length > 0 || !(mayHoldAccess(view) || unused.length > 0)) && list(view.agents, about, chrome),
    unused.length > 0 &&
      html`<section class="unused">
        <h2>${words.agents.unusedTitle}</h2>
        <p class="soft">${rich(words.agents.unusedText, { company: name(view.company.name) })}</p>
        ${lastAccess(unused, view.now, words)}
      </section>`,
    endedApps(view, words),
  ];
  return companyPage(view, "agents", words.agents.title, content, chrome);
}

interface About {
  readonly csrf: string;
  readonly now: number;
  /** Of the page: the forms go to addresses below it. */
  readonly path: string;
  detailsOf(clientId: string): string;
  /** The sentences that differ between a person and a company. */
  readonly texts: {
    readonly emptyTitle: string;
    readonly emptyText: Child;
    readonly pausedSince: Messages["agents"]["pausedSince" | "pausedSinceCompany"];
    readonly notAway: string;
    /** When access without an end is over. */
    readonly noEnd: string;
  };
}

function done(what: NonNullable<AgentsView["notice"]>, now: number, words: Messages): Markup {
  if (what.kind === "gone") return notice("done", words.apps.gone);
  const app = name(what.app);
  if (what.kind === "resumed" || what.kind === "resumedOver")
    return notice("done", rich(words.agents[what.kind], { app }));
  const count = what.openUntil === null ? 0 : Math.ceil((what.openUntil - now) / 60_000);
  if (what.openUntil === null || count < 1) return notice("done", rich(words.agents.paused, { app }));
  const time = shownTime(words, what.openUntil, "clock");
  const soon = rich(plural(words.language, words.agents.pausedSoon, count), { count, time });
  return notice("done", sentences(words.language, rich(words.agents.pausedNow, { app }), soon));
}

function list(agents: readonly AgentEntry[], about: About, chrome: Chrome): Markup {
  const { texts } = about;
  if (agents.length === 0) {
    return html`<div class="card empty">
      ${icon("bot")}
      <h2>${texts.emptyTitle}</h2>
      <p class="soft">${texts.emptyText}</p>
    </div>`;
  }
  return html`<div class="apps">${agents.map((agent) => entry(agent, about, chrome))}</div>`;
}

function entry(agent: AgentEntry, about: About, { words, base }: Chrome): Markup {
  return html`<article class="card app" data-client-id=${agent.clientId}>
    <div class="app-head">
      ${tile(agent, "small", base)}
      <div class="app-name">
        <h2>${name(agent.name)}</h2>
        ${formerName(agent, words)}
        ${hostLines(agent, about.now, words)}
      </div>
    </div>
    ${agent.pausedAt !== null && notice("warning", pausedText(agent, agent.pausedAt, about, words))}
    ${agent.off && notice("warning", words.apps.off)}
    ${permissions(agent, about.now, words)} ${facts(agent, about, words)}
    ${!isHalted(agent) && agent.awayUntil === undefined && html`<p class="small">${about.texts.notAway}</p>`}
    <p class="small">
      <a class="alone" href=${about.detailsOf(agent.clientId)}>${words.agents.details}<span class="unseen">: ${name(agent.name)}</span></a>
    </p>
    ${button(agent, about, words)}
  </article>`;
}

function isOver({ expiresAt }: AgentEntry, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Says that nothing is lost, or what is, and how long the app can still use what it had before. */
function pausedText(agent: AgentEntry, pausedAt: number, { now, texts }: About, words: Messages): Child {
  const { stopsIn } = agent;
  const { agents } = words;
  const text = isOver(agent, now) && agent.stands !== true ? agents.pausedOver : texts.pausedSince;
  const since = rich(text, { when: timeElement(words, pausedAt, now) });
  if (stopsIn < 1) return since;
  const still = rich(plural(words.language, agents.pausedStill, stopsIn), { count: stopsIn });
  return sentences(words.language, since, still);
}

/** The term of the end of access while the owner is away. An app that is paused or turned off has none now. */
function keepsTerm(agent: AgentEntry, { agents }: Messages): string {
  if (!isHalted(agent)) return agents.keeps;
  return agent.pausedAt === null ? agents.keepsOn : agents.keepsResumed;
}

/** True: some permissions end sooner than the last. */
function endsDiffer({ scopes, expiresAt }: AgentEntry): boolean {
  return scopes.some((scope) => scope.expiresAt !== expiresAt);
}

function permissions(agent: AgentEntry, now: number, words: Messages): Child {
  const { scopes } = agent;
  if (scopes.length === 0) return null;
  const differ = endsDiffer(agent);
  const end = (expiresAt: number | null) => [
    " ",
    html`<span class="soft small">${scopeEnd(expiresAt, now, words)}</span>`,
  ];
  const items = scopes.map(
    (scope) =>
      html`<li>${icon("check")}<span><bdi>${visible(scope.description)}</bdi>${differ && end(scope.expiresAt)}${goneTag(scope, words)}</span></li>`,
  );
  const rest = items.length - OPEN_SCOPES;
  const { can, canResumed, canOn } = words.agents;
  const term = isHalted(agent) ? (agent.pausedAt === null ? canOn : canResumed) : can;
  const label = html`<p class="soft small">${term}</p>`;
  // To hide a single line, the page would need a line that shows it again.
  if (rest < 2) return [label, html`<ul class="can">${items}</ul>`, goneHint(scopes, words)];
  return [
    label,
    html`<ul class="can">${items.slice(0, OPEN_SCOPES)}</ul>`,
    html`<details class="fold">
      <summary>${icon("chevronDown")}${rich(plural(words.language, words.apps.more, rest), { count: rest })}</summary>
      <ul class="can">${items.slice(OPEN_SCOPES)}</ul>
    </details>`,
    goneHint(scopes, words),
  ];
}

function facts(agent: AgentEntry, { now, texts }: About, words: Messages): Markup {
  const { agents, apps } = words;
  const differ = endsDiffer(agent);
  const endOr = (at: number | null, forever: string) => (at === null ? forever : shownTime(words, at, "exact"));
  const keeps = html`<div><dt>${keepsTerm(agent, words)}</dt><dd>${endOr(agent.awayUntil ?? null, agents.keepsForever)}</dd></div>`;
  const last = endsTerm(agent, words, differ);
  const ends = html`<div><dt>${last}</dt><dd>${endOr(agent.expiresAt, texts.noEnd)}</dd></div>`;
  const showsKeeps = agent.awayUntil !== undefined && !(differ && agent.awayUntil === agent.expiresAt);
  const time = (at: number) => timeElement(words, at, now);
  const uses = agent.uses.map(
    ({ api, lastUsedAt }) => html`<dd>${rich(agents.useOne, { api: name(api), when: time(lastUsedAt) })}</dd>`,
  );
  const through = agent.through.map(
    (one) =>
      html`<dd>${rich(apps.throughOne, { app: name(one.name), through: name(agent.name), when: time(one.lastUsedAt) })}</dd>`,
  );
  return html`<dl class="facts lines">
    ${showsKeeps && keeps} ${!isOver(agent, now) && (differ || !showsKeeps) && ends}
    ${(agent.lastUsedAt !== null || agent.stands !== true) && html`<div><dt>${apps.used}</dt><dd>${agent.lastUsedAt === null ? apps.never : time(agent.lastUsedAt)}</dd></div>`}
    ${uses.length > 0 && html`<div><dt>${agents.uses}</dt>${uses}</div>`}
    ${through.length > 0 && html`<div><dt>${apps.through}</dt>${through}</div>`}
  </dl>`;
}

/** Says what the button does before it is pressed. */
function button(agent: AgentEntry, { csrf, path }: About, words: Messages): Markup {
  const { agents } = words;
  const fields = hidden({ csrf, client_id: agent.clientId });
  const about = html`<span class="unseen">: ${name(agent.name)}</span>`;
  if (agent.pausedAt !== null) {
    return html`<form class="app-end" method="post" action=${`${path}/resume`}>
      ${fields}
      <button class="button primary" type="submit" name="resume" value="resume">${icon("play")}<span>${agents.resume}</span>${about}</button>
    </form>`;
  }
  const count = agent.stopsIn;
  return html`<form class="app-end" method="post" action=${`${path}/pause`}>
    ${fields}
    <p class="soft small">
      ${sentences(
        words.language,
        count < 1 ? agents.pauseAtOnce : rich(plural(words.language, agents.pauseSoon, count), { count }),
        ...(agent.through.length === 0 ? [] : [agents.pauseAlso]),
      )}
    </p>
    <button class="button" type="submit" name="pause" value="pause">${icon("pause")}<span>${agents.pause}</span>${about}</button>
  </form>`;
}
