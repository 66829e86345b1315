/** The section about accounts at other providers, on the page about security. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { ProviderEntry, SecurityView } from "./views.ts";

/** Where no other provider is offered, the page has no such section. */
export function providersSection(view: SecurityView, chrome: Chrome): Markup | false {
  if (view.providers.length === 0) return false;
  const { elsewhere: said } = chrome.words;
  return html`<section class="card section" aria-labelledby="providers-title">
    <div>
      <h2 id="providers-title">${said.title}</h2>
      <p class="soft small">${said.intro}</p>
    </div>
    <ul class="ways">
      ${view.providers.map((one) => entry(one, view, chrome))}
    </ul>
  </section>`;
}

function entry(one: ProviderEntry, { csrf, now }: SecurityView, { words, base }: Chrome): Markup {
  const { elsewhere: said } = words;
  const provider = visible(one.name, NAME_LENGTH);
  const { identity } = one;
  return html`<li class="way">
    <div class="way-what">
      <p>${name(one.name)}</p>
      <p class="soft small">${identity === null ? said.open : rich(said.since, { when: timeElement(words, identity.since, now) })}</p>
      ${!one.offered && html`<p class="soft small">${said.paused}</p>`}
    </div>
    ${
      identity === null
        ? html`<form method="post" action=${`${base}/account/security/connect/begin`}>
            ${hidden({ csrf })}<button class="button" type="submit" name="provider" value=${one.provider} aria-label=${fill(said.connectNamed, { provider })}>${said.connect}</button>
          </form>`
        : one.fixed !== true &&
          html`<a class="button" href=${`${base}/account/security/identities/remove?${new URLSearchParams({ id: identity.id })}`} aria-label=${fill(said.disconnectNamed, { provider })}>${said.disconnect}</a>`
    }
  </li>`;
}
