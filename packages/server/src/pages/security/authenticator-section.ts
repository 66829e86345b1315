/** The section about one-time codes and the recovery codes beside them, on the page about security. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, plural, sentences } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { codesAtRecovery, facts, seenFrom } from "./sign-in-way-names.ts";
import type { SecurityView } from "./views.ts";

export function authenticatorSection(view: SecurityView, { words, base }: Chrome): Markup {
  const { authenticator, csrf, now, password, providers } = view;
  const { authenticator: said, recovery } = words;
  // Where the first step is at another provider, nobody enters a password.
  const elsewhere = password?.set !== true && providers.some(({ identity }) => identity !== null);
  const atRecovery = codesAtRecovery(authenticator?.codes.proving, words);
  const path = `${base}/account/security`;
  return html`<section class="card section" aria-labelledby="authenticator-title">
    <div>
      <h2 id="authenticator-title">${said.title}</h2>
      <p class="soft small">
        ${sentences(words.language, elsewhere ? words.elsewhere.codeAfter : said.intro, authenticator === null && said.off)}
      </p>
      ${authenticator !== null && html`<p class="soft small">${facts(seenFrom(authenticator, authenticator.since, now, words))}</p>`}
      ${authenticator?.earlier && html`<p class="soft small">${said.earlier}</p>`}
    </div>
    <div class="way-all">
      <a class="button" href=${`${path}/authenticator`}>${authenticator === null ? said.setUp : said.replace}</a>
      ${authenticator !== null && html`<a class="button" href=${`${path}/authenticator/remove`} aria-label=${`${said.remove}: ${said.title}`}>${said.remove}</a>`}
    </div>
    ${
      authenticator !== null &&
      html`<ul class="ways">
        <li class="way">
          <div class="way-what">
            <p>${recovery.title}</p>
            <p class="soft small">${codesLeft(authenticator.codes, words)}</p>
            <p class="soft small">${facts(seenFrom(authenticator.codes, authenticator.codes.since, now, words))}</p>
            ${atRecovery.length > 0 && html`<p class="soft small">${sentences(words.language, ...atRecovery)}</p>`}
          </div>
          <form method="post" action=${`${path}/recovery-codes`}>
            ${hidden({ csrf, replaces: String(authenticator.codes.since) })}
            <button class="button" type="submit">${recovery.renew}</button>
          </form>
        </li>
      </ul>`
    }
  </section>`;
}

function codesLeft({ left: count }: { readonly left: number }, { language, recovery }: Messages): string {
  return count === 0 ? recovery.none : fill(plural(language, recovery.left, count), { count });
}
