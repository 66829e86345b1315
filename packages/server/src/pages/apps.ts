/** The dashboard: the apps that may use the account, and how to take that back. */
import type { Chrome } from "./chrome.ts";
import { hostWords } from "./client-host.ts";
import { hidden, notice, tile } from "./components.ts";
import { type Child, html, type Markup } from "./html.ts";
import { icon } from "./icons.ts";
import { accountPage } from "./layout.ts";
import { fill, type Messages, plural, rich } from "./messages/index.ts";
import { name, visible } from "./text.ts";
import { clock, timeElement } from "./time.ts";
import type { AppEntry, AppsView } from "./views.ts";

/** So many permissions stand open in an entry; the others are a click away, so that thirty apps stay readable. */
const OPEN_SCOPES = 4;

/** Renders `GET /account/apps`. */
export function appsPage(view: AppsView, chrome: Chrome): string {
  const { words } = chrome;
  const count = view.apps.length;
  return accountPage(
    chrome,
    words.apps.title,
    { ...view, here: "apps" },
    html`<div class="stack">
      <div class="heading">
        <h1>${words.apps.title}</h1>
        ${count > 0 && html`<p class="soft">${fill(plural(words.language, words.apps.intro, count), { count })}</p>`}
      </div>
      ${view.notice !== null && done(view.notice, view.now, words)}
      ${
        count === 0
          ? html`<div class="card empty">
              ${icon("shield")}
              <h2>${words.apps.emptyTitle}</h2>
              <p class="soft">${words.apps.emptyText}</p>
            </div>`
          : html`<div class="apps">${view.apps.map((app) => entry(app, view, chrome))}</div>`
      }
    </div>`,
  );
}

function done(what: NonNullable<AppsView["notice"]>, at: number, words: Messages): Markup {
  if (what.kind === "gone") return notice("done", words.apps.gone);
  const app = name(what.app);
  const [now, soon] =
    what.kind === "revoked"
      ? [words.apps.revoked, words.apps.revokedSoon]
      : [words.apps.narrowed, words.apps.narrowedSoon];
  const count = Math.ceil(what.minutes);
  if (count < 1) return notice("done", rich(now, { app }));
  const time = clock(words, at + count * 60_000);
  return notice("done", rich(plural(words.language, soon, count), { app, count, time }));
}

function entry(app: AppEntry, view: AppsView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  return html`<article class="card app" data-client-id=${app.clientId}>
    <div class="app-head">
      ${tile(app, "small", base)}
      <div class="app-name">
        <h2>${name(app.name)}</h2>
        ${app.host !== null && html`<p class="soft small">${hostWords(app.host, words)}</p>`}
      </div>
    </div>
    ${app.theftAt !== null && notice("warning", rich(words.apps.theft, { when: timeElement(words, app.theftAt, view.now) }))}
    ${scopeList(app, view.now, words)} ${facts(app, view.now, words)}
    <div class="app-actions">
      ${narrowing(app, view, chrome)}
      <form method="post" action=${`${base}/account/apps/revoke`}>
        ${hidden({ csrf: view.csrf, client_id: app.clientId })}
        <button class="button danger" type="submit" name="revoke" value="revoke">
          ${words.apps.revoke}<span class="unseen"> ${rich(words.apps.revokeOf, { app: name(app.name) })}</span>
        </button>
      </form>
    </div>
  </article>`;
}

function scopeList(app: AppEntry, now: number, words: Messages): Child {
  const items = app.scopes.map(
    (scope) =>
      html`<li>
        ${icon("check")}<span
          ><bdi>${visible(scope.description || scope.name)}</bdi>${
            scope.expiresAt !== null &&
            scope.expiresAt !== app.expiresAt && [
              " ",
              html`<span class="soft small">${rich(words.apps.until, { when: timeElement(words, scope.expiresAt, now) })}</span>`,
            ]
          }</span
        >
      </li>`,
  );
  const rest = items.length - OPEN_SCOPES;
  // Folding a single line away would cost the line that unfolds it.
  if (rest < 2) return html`<ul class="can">${items}</ul>`;
  return [
    html`<ul class="can">${items.slice(0, OPEN_SCOPES)}</ul>`,
    html`<details class="fold">
      <summary>${icon("chevronDown")}${fill(plural(words.language, words.apps.more, rest), { count: rest })}</summary>
      <ul class="can">${items.slice(OPEN_SCOPES)}</ul>
    </details>`,
  ];
}

function facts(app: AppEntry, now: number, words: Messages): Markup {
  const time = (at: number) => timeElement(words, at, now);
  const rows: readonly (readonly [string, Child])[] = [
    [words.apps.granted, time(app.grantedAt)],
    [words.apps.used, app.lastUsedAt === null ? words.apps.never : time(app.lastUsedAt)],
    [words.apps.ends, app.expiresAt === null ? words.apps.noEnd : time(app.expiresAt)],
  ];
  return html`<dl class="facts">
    ${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** Where one permission may go and another stays: a form with a tick for each. */
function narrowing(app: AppEntry, view: AppsView, chrome: Chrome): Child {
  const { words, base } = chrome;
  if (app.scopes.length < 2 || !app.scopes.some((scope) => scope.removable)) return null;
  return html`<details class="fold narrow">
    <summary>${icon("chevronDown")}${words.apps.narrow}<span class="unseen"> ${rich(words.apps.revokeOf, { app: name(app.name) })}</span></summary>
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
                </span>
              </label>
            </li>`,
        )}
      </ul>
      <button class="button" type="submit" name="narrow" value="narrow">${words.apps.narrowSubmit}</button>
    </form>
  </details>`;
}
