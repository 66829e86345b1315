/** `/company/{slug}/connections`: the apps that may act for members in other services. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, type Messages, rich, sentences } from "../messages/index.ts";
import { hidden, notice, tile } from "../parts/components.ts";
import { fieldError } from "../parts/fields.ts";
import { type Attributes, type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { day, durationLabel, shownTime, timeElement } from "../shown-time.ts";
import { hostText, NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { companyPage, companyPath, select } from "./company-layout.ts";
import type {
  CompanyConnectionsView,
  ConnectedPair,
  ConnectionFormView,
  ConnectionNotice,
  ConnectionRow,
  FindConnectionView,
  PartOfList,
  RemoveConnectionView,
} from "./connection-views.ts";
import type { AppAtService, CompanyFrame, ConnectedService } from "./views.ts";

const DONE: readonly ConnectionNotice[] = ["connected", "saved", "removed"];

/** Renders `GET /company/{slug}/connections`. */
export function companyConnectionsPage(view: CompanyConnectionsView, chrome: Chrome): string {
  const texts = chrome.words.companyConnections;
  const path = connectionsPath(view, chrome);
  const { said } = view;
  const wrong = said !== null && !DONE.includes(said);
  const content = [
    said !== null && notice(wrong ? "danger" : "done", texts.notices[said], wrong ? { focus: true } : {}),
    html`<section class="stack" aria-labelledby="connections">
      <h2 id="connections">${texts.heading}</h2>
      <p class="soft">${rich(texts.intro, { company: name(view.company.name) })}</p>
      ${
        view.offered
          ? html`<p><a class="button primary" href=${`${path}/find`}>${texts.connect}</a></p>`
          : html`<p class="soft">${texts.nothing}</p>`
      }
      ${
        view.rows.length === 0
          ? html`<div class="card empty">${icon("shield")}<p class="soft">${rich(texts.none, { company: name(view.company.name) })}</p></div>`
          : html`<div class="apps">${view.rows.map((row) => card(row, view, chrome))}</div>`
      }
      ${pager(view, path, {}, chrome)}
    </section>`,
  ];
  return companyPage({ ...view, notice: null }, "connections", texts.title, content, chrome, wrong);
}

/** Path of the list. */
function connectionsPath(view: CompanyFrame, chrome: Chrome): string {
  return `${companyPath(view, chrome)}/connections`;
}

function queryOf({ clientId, audience }: ConnectedPair): string {
  return `?${new URLSearchParams({ app: clientId, at: audience })}`;
}

function card(row: ConnectionRow, view: CompanyConnectionsView, chrome: Chrome): Markup {
  const { words } = chrome;
  const texts = words.companyConnections;
  const { state, made } = row;
  const path = connectionsPath(view, chrome);
  const warns = state !== "on" && state !== "operator";
  const about = rich(texts.pair, { app: name(row.name), server: name(row.server) });
  const offered = state !== "withdrawn" && state !== "operator" && made !== null;
  return html`<article class="card app" data-client-id=${row.clientId}>
    ${pairHead(row, "h3", chrome)}
    <p class="tags"><span class=${warns ? "tag warn" : "tag"}>${texts.states[state]}</span></p>
    ${can(rich(warns ? texts.could : texts.may, { server: name(row.server) }), row.can, warns ? "lost" : "has")}
    <p class="soft small">${sentences(words.language, hintOf(row, view, words), made !== null && madeBy(made, view.now, words))}</p>
    ${
      made !== null &&
      html`<div class="row-actions">
        ${
          offered &&
          state !== "blocked" &&
          html`<a class="button" href=${`${path}/app${queryOf(row)}`}>${state === "on" || state === "paused" ? texts.change : texts.again}<span class="unseen"> (${about})</span></a>`
        }
        <a class="button danger" href=${`${path}/remove${queryOf(row)}`}>${texts.remove}<span class="unseen"> (${about})</span></a>
      </div>`
    }
  </article>`;
}

/** What became of the connection, in a sentence. */
function hintOf(row: ConnectionRow, { company, now }: CompanyConnectionsView, words: Messages): Child {
  const { hints, lasts } = words.companyConnections;
  const { state, endsAt } = row;
  const names = { company: name(company.name) };
  const until = endsAt !== null && rich(hints.on, { when: shownTime(words, endsAt, "exact") });
  if (state === "on") return until;
  if (state === "paused")
    return sentences(
      words.language,
      rich(hints.paused, names),
      rich(lasts, { app: name(row.name), server: name(row.server) }),
      until,
    );
  if (state === "ended") return rich(hints.ended, { when: timeElement(words, endsAt ?? now, now) });
  return rich(hints[state], names);
}

function madeBy({ at, by }: NonNullable<ConnectionRow["made"]>, now: number, words: Messages): Child {
  const { by: named, since } = words.companyConnections;
  const when = timeElement(words, at, now);
  return by === null ? rich(since, { when }) : rich(named, { person: name(by), when });
}

/** The app and the service, with the real addresses of both. */
function pairHead(pair: ConnectedPair, level: "h2" | "h3", chrome: Chrome): Markup {
  const { words, base } = chrome;
  const texts = words.companyConnections;
  const title = rich(texts.pair, { app: name(pair.name), server: name(pair.server) });
  return html`<div class="app-head">
    ${tile(pair, level === "h2" ? "large" : "small", base)}
    <div class="app-name">
      ${level === "h2" ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}
      ${pair.host !== null && html`<p class="soft small">${hostWords(pair.host, words)}</p>`}
      <p class="soft small">${rich(texts.at, { server: name(pair.server) })} ${hostText(pair.serverHost)}</p>
      ${pair.verified && html`<p class="tags"><span class="tag">${icon("badgeCheck")}${words.company.verified}</span></p>`}
    </div>
  </div>`;
}

function can(title: Child, texts: readonly string[], which: "has" | "lost" = "has"): Markup {
  return html`<div class="stack close">
    <p class="soft small">${title}</p>
    <ul class=${which === "lost" ? "can lost" : "can"}>${texts.map((text) => html`<li>${icon(which === "lost" ? "x" : "check")}<span><bdi>${visible(text, 200)}</bdi></span></li>`)}</ul>
  </div>`;
}

function pager(
  { page, more }: PartOfList,
  path: string,
  fields: Readonly<Record<string, string>>,
  { words }: Chrome,
): Child {
  if (page === 1 && !more) return null;
  const texts = words.companyConnections;
  const to = (number: number) => `${path}?${new URLSearchParams({ ...fields, page: String(number) })}`;
  return html`<p class="pager">
    ${page > 1 && html`<a class="button" href=${to(page - 1)}>${texts.previous}</a>`}
    ${more && html`<a class="button" href=${to(page + 1)}>${texts.next}</a>`}
  </p>`;
}

/** Renders `GET /company/{slug}/connections/find`. */
export function findConnectionPage(view: FindConnectionView, chrome: Chrome): string {
  const { words } = chrome;
  const texts = words.companyConnections;
  const place = connectionsPath(view, chrome);
  const { query, offers } = view;
  const content = html`<section class="stack" aria-labelledby="find">
    <p><a class="alone" href=${place}>${texts.back}</a></p>
    <h2 id="find">${texts.find}</h2>
    <p class="soft">${texts.findText}</p>
    <search class="search">
      <form method="get" action=${`${place}/find`}>
        <label class="unseen" for="q">${texts.search}</label>
        <input id="q" name="q" type="search" value=${query} placeholder=${texts.search} maxlength="100" autocomplete="off" />
        <button class="button" type="submit">${icon("search")}<span class="unseen">${words.apps.searchSubmit}</span></button>
      </form>
      ${
        query !== "" &&
        html`<p role="status">${sentences(words.language, offers.length === 0 && texts.searchNone, html`<a href=${`${place}/find`}>${words.apps.showAll}</a>`)}</p>`
      }
    </search>
    ${query === "" && offers.length === 0 && html`<p class="soft">${texts.nothing}</p>`}
    ${
      offers.length > 0 &&
      html`<ul class="card rows">
        ${offers.map(
          (offer) =>
            html`<li class="row app-row" data-client-id=${offer.clientId}>
              ${pairHead(offer, "h3", chrome)}
              <p class="app-tags">
                ${offer.connected && html`<span class="tag">${texts.connected}</span>`}
                <a class="button" href=${`${place}/app${queryOf(offer)}`}>${offer.connected ? texts.change : texts.choose}<span class="unseen"> (${rich(texts.pair, { app: name(offer.name), server: name(offer.server) })})</span></a>
              </p>
            </li>`,
        )}
      </ul>`
    }
    ${pager(view, `${place}/find`, query === "" ? {} : { q: query }, chrome)}
  </section>`;
  return companyPage({ ...view, notice: null }, "connections", texts.find, content, chrome);
}

/** Renders `GET /company/{slug}/connections/app`. */
export function connectionFormPage(view: ConnectionFormView, chrome: Chrome): string {
  const { words } = chrome;
  const texts = words.companyConnections;
  const place = connectionsPath(view, chrome);
  const app = name(view.name);
  const names = { app, server: name(view.server) };
  const rule = `${companyPath(view, chrome)}/apps/${encodeURIComponent(view.clientId)}`;
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${rich(texts.question, names)}</h2>
    ${facts(view, chrome)}
    <p>${sentences(
      words.language,
      rich(texts.forWhom, { app, company: name(view.company.name) }),
      html`<a href=${rule}>${rich(texts.rule, { app })}</a>`,
    )}</p>
    <p>${rich(texts.learns, { server: name(view.server) })}</p>
    ${
      view.blocked
        ? notice("warning", rich(texts.blocked, { company: name(view.company.name) }))
        : html`<form class="fields" method="post" action=${`${place}/app`} novalidate>
            ${hidden({ csrf: view.csrf, app: view.clientId, at: view.audience, offer: view.offer, seen: view.seen === null ? "" : String(view.seen) })}
            ${permissions(view, chrome)}
            ${view.apis.length > 0 && html`<div class="small"><p class="soft">${texts.apis}</p><ul class="plain">${view.apis.map((api) => html`<li>${hostText(api)}</li>`)}</ul></div>`}
            ${until(view, chrome)}
            <div class="row-actions">
              <button class="button primary" type="submit">${view.seen === null ? texts.submit : texts.save}</button>
              <a class="button" href=${place}>${words.company.confirm.cancel}</a>
            </div>
          </form>`
    }
    ${view.blocked && html`<p><a class="button" href=${place}>${texts.back}</a></p>`}
  </section>`;
  const title = fill(texts.question, {
    app: visible(view.name, NAME_LENGTH),
    server: visible(view.server, NAME_LENGTH),
  });
  return companyPage({ ...view, notice: null }, "connections", title, content, chrome, view.problem !== null);
}

/** Who is connected with whom, by the addresses that neither of the two can choose freely. */
function facts(view: ConnectedPair, { words }: Chrome): Markup {
  const verified = html`<span class="tag">${icon("badgeCheck")}${words.company.verified}</span>`;
  return html`<ul class="plain small">
    ${view.host !== null && html`<li>${name(view.name)}: ${hostWords(view.host, words)}${view.verified && [" ", verified]}</li>`}
    <li>${name(view.server)}: ${hostText(view.serverHost)}</li>
  </ul>`;
}

function problemOf(kind: "scopes" | "duration", { problem }: ConnectionFormView, { words }: Chrome): Child {
  return problem === kind && fieldError(`${kind}-error`, words.companyConnections.problems[kind]);
}

function described(kind: "scopes" | "duration", { problem }: ConnectionFormView): Attributes {
  return problem === kind ? { "aria-describedby": `${kind}-error`, tabindex: -1, autofocus: true } : {};
}

function permissions(view: ConnectionFormView, chrome: Chrome): Markup {
  const texts = chrome.words.companyConnections;
  return html`<fieldset class="group choices" ...${described("scopes", view)}>
    <legend>${rich(texts.permissions, { app: name(view.name), server: name(view.server) })}</legend>
    ${view.scopes.map(
      (scope) =>
        html`<label class="choice">
          <input type="checkbox" name="scope" value=${scope.name} checked=${scope.checked} />
          <span class="choice-text"><span><bdi>${visible(scope.text, 200)}</bdi></span></span>
        </label>`,
    )}
    ${problemOf("scopes", view, chrome)}
  </fieldset>`;
}

function until(view: ConnectionFormView, chrome: Chrome): Markup {
  const { words } = chrome;
  const options = view.durations.map(({ value, selected }) => ({
    ...{ value, selected },
    label:
      value === "same" && view.endsNow !== null
        ? fill(words.company.sameEnd, { when: day(words, view.endsNow) })
        : durationLabel(words, value),
  }));
  return html`<fieldset class="group choices" ...${described("duration", view)}>
    ${select({ id: "duration", name: "duration", label: words.company.untilWhen }, options)}
    ${problemOf("duration", view, chrome)}
  </fieldset>`;
}

/** Renders `GET /company/{slug}/connections/remove`. */
export function removeConnectionPage(view: RemoveConnectionView, chrome: Chrome): string {
  const { words } = chrome;
  const texts = words.companyConnections;
  const place = connectionsPath(view, chrome);
  const names = { app: name(view.name), server: name(view.server) };
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${rich(texts.removeQuestion, names)}</h2>
    ${facts(view, chrome)}
    <p>${rich(texts.removeText, { ...names, company: name(view.company.name) })}</p>
    <p class="soft small">${rich(texts.removeStays, names)}</p>
    <form class="fields" method="post" action=${`${place}/remove`}>
      ${hidden({ csrf: view.csrf, app: view.clientId, at: view.audience, seen: String(view.seen) })}
      <div class="row-actions">
        <button class="button danger" type="submit"><span>${texts.remove}</span></button>
        <a class="button" href=${place}>${words.company.confirm.cancel}</a>
      </div>
    </form>
  </section>`;
  const title = fill(texts.removeQuestion, {
    app: visible(view.name, NAME_LENGTH),
    server: visible(view.server, NAME_LENGTH),
  });
  return companyPage({ ...view, notice: null }, "connections", title, content, chrome);
}

/** The other services in which an app may act: for the reader, or for an admin's company. */
export function connectedServices(
  {
    name: app,
    services,
    acts,
  }: { readonly name: string; readonly services: readonly ConnectedService[]; readonly acts: boolean },
  { company, admin }: Pick<CompanyFrame, "company" | "admin">,
  { words }: Chrome,
): Child {
  const texts = words.companyConnections;
  return services.map(({ name: service, host, can: may, endsAt, uncovered = false }) => {
    const server = name(service);
    if (uncovered)
      return html`<div class="stack close connected-service">
        <p>${rich(texts.memberUncovered, { company: name(company.name), server })}</p>
        <p class="soft small">${sentences(
          words.language,
          [rich(texts.at, { server }), " ", hostText(host), "."],
          acts && rich(texts.lasts, { app: name(app), server }),
        )}</p>
      </div>`;
    return html`<div class="stack close connected-service">
      ${can(rich(admin ? texts.may : texts.memberText, { company: name(company.name), server }), may)}
      <p class="soft small">${sentences(
        words.language,
        [rich(texts.at, { server }), " ", hostText(host), "."],
        endsAt !== null && rich(texts.until, { when: shownTime(words, endsAt, "exact") }),
        rich(admin ? texts.learns : texts.learnsYou, { server }),
        acts && rich(texts.lasts, { app: name(app), server }),
      )}</p>
    </div>`;
  });
}

/** Says of each service that an admin connected that an app gets new access only for members who may connect it. */
export function onlyCovered(services: readonly AppAtService[], { words }: Chrome): Child {
  return services.map(
    ({ app, server }) =>
      html`<span class="soft small">${rich(words.companyConnections.onlyCovered, { app: name(app), server: name(server) })}</span>`,
  );
}

/** Says of each service in which an app acts that ending its access here doesn't end what it has there. */
export function lastsThere(services: readonly AppAtService[], { words }: Chrome): Child {
  return services.map(
    ({ app, server }) =>
      html`<p class="soft small">${rich(words.companyConnections.lasts, { app: name(app), server: name(server) })}</p>`,
  );
}
