/** The section about the browsers that are signed in, on the page about security. */
import type { Chrome } from "../chrome.ts";
import type { SessionEntry } from "../factor-views.ts";
import { fill, type Messages, rich } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { relative, timeElement } from "../shown-time.ts";
import { visible } from "../untrusted-text.ts";
import { facts } from "./sign-in-way-names.ts";
import type { SecurityView } from "./views.ts";

export function sessionsSection(view: SecurityView, chrome: Chrome): Markup {
  const { words, base } = chrome;
  const { sessions: said } = words;
  return html`<section class="card section" aria-labelledby="sessions-title">
    <div>
      <h2 id="sessions-title">${said.title}</h2>
      <p class="soft small">${rich(said.intro, { apps: html`<a href=${`${base}/account/apps`}>${said.apps}</a>` })}</p>
    </div>
    <ul class="ways">
      ${view.sessions.map((entry) => sessionEntry(entry, view, chrome))}
    </ul>
    <form class="way-all" method="post" action=${`${base}/account/security/sessions`}>
      ${hidden({ csrf: view.csrf })}
      ${view.others && html`<button class="button" type="submit" name="end" value="others">${said.endOthers}</button>`}
      <button class="button" type="submit" name="end" value="all">${said.endAll}</button>
    </form>
  </section>`;
}

function sessionEntry(entry: SessionEntry, { csrf, now }: SecurityView, { words, base }: Chrome): Markup {
  const { sessions: said } = words;
  const device = deviceOf(entry, words);
  const known = [
    entry.place !== null && rich(said.from, { place: html`<bdi dir="ltr">${visible(entry.place)}</bdi>` }),
    rich(said.since, { when: timeElement(words, entry.since, now) }),
    !entry.here && rich(said.seen, { when: timeElement(words, entry.seenAt, now) }),
  ];
  return html`<li class="way">
    <div class="way-what">
      <p>${device} ${entry.here && html`<span class="tag">${said.here}</span>`}</p>
      <p class="soft small">${facts(known)}</p>
    </div>
    ${
      !entry.here &&
      html`<form method="post" action=${`${base}/account/security/sessions`}>
        ${hidden({ csrf })}
        <button class="button" type="submit" name="end" value=${entry.id}
          aria-label=${fill(said.endNamed, { device, when: relative(words, entry.seenAt, now) })}>${said.end}</button>
      </form>`
    }
  </li>`;
}

function deviceOf({ browser, system }: SessionEntry, words: Messages): string {
  const { sessions: said } = words;
  if (browser !== null && system !== null) return fill(said.device, { browser, system });
  return browser ?? system ?? said.unknown;
}
