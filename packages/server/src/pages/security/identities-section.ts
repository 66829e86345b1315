/** The section about identities from trusted issuers, on the page about security. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { html, type Markup } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { hostText, NAME_LENGTH, visible } from "../untrusted-text.ts";
import type { SecurityView } from "./views.ts";

/** Most accounts have no such identity. Then the page has no such section. */
export function identitiesSection({ identities, now }: SecurityView, { words, base }: Chrome): Markup | false {
  if (identities.length === 0) return false;
  const { identities: said } = words;
  return html`<section class="card section" aria-labelledby="identities-title">
    <div>
      <h2 id="identities-title">${said.title}</h2>
      <p class="soft small">${said.intro}</p>
    </div>
    <ul class="ways">
      ${identities.map(
        ({ id, issuer, since }) => html`<li class="way">
          <div class="way-what">
            <p>${hostText(issuer)}</p>
            <p class="soft small">${rich(said.since, { when: timeElement(words, since, now) })}</p>
          </div>
          <a class="button" href=${`${base}/account/security/identities/remove?${new URLSearchParams({ id })}`} aria-label=${fill(said.removeNamed, { issuer: visible(issuer, NAME_LENGTH) })}>${said.remove}</a>
        </li>`,
      )}
    </ul>
  </section>`;
}
