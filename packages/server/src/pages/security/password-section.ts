/** The section about the password, on the page about security. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { outsideLink } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { SecurityView } from "./views.ts";

export function passwordSection({ password, now }: SecurityView, { words, base }: Chrome): Markup | false {
  if (password === null) return false;
  const { security, kept } = words;
  const { keeper } = password;
  if (keeper !== undefined) {
    return html`<section class="card section" aria-labelledby="password-title">
      <div>
        <h2 id="password-title">${security.password}</h2>
        <p class="soft small">${rich(kept.password, { application: name(keeper.name) })}</p>
      </div>
      <p>${outsideLink(words, keeper.address, fill(kept.change, { application: visible(keeper.name, NAME_LENGTH) }), "alone")}</p>
    </section>`;
  }
  return html`<section class="card section" aria-labelledby="password-title">
    <div>
      <h2 id="password-title">${security.password}</h2>
      <p class="soft small">
        ${
          !password.set
            ? security.passwordNone
            : password.changedAt !== null &&
              rich(security.passwordSince, { when: timeElement(words, password.changedAt, now) })
        }
      </p>
    </div>
    <a class="button" href=${`${base}/account/security/password`}>
      ${password.set ? security.passwordChange : security.passwordSet}
    </a>
  </section>`;
}
