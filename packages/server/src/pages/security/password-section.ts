/** The section about the password, on the page about security. */
import type { Chrome } from "../chrome.ts";
import { fill, rich, sentences } from "../messages/index.ts";
import { outsideLink } from "../parts/components.ts";
import { html, type Markup } from "../parts/html.ts";
import { shownTime, timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { SecurityView } from "./views.ts";

export function passwordSection({ password, now }: SecurityView, chrome: Chrome): Markup | false {
  const { words, base } = chrome;
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
  if (password.unknown !== undefined) return unknownPassword(password.unknown, password.movedAt, chrome);
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

/** The password that the undo of a removal has set. */
function unknownPassword(
  way: "by mail" | "ask",
  movedAt: number | undefined,
  { words, base, product }: Chrome,
): Markup {
  const { security } = words;
  const byMail =
    movedAt === undefined
      ? security.passwordByMail
      : rich(security.emailMoved, { when: shownTime(words, movedAt, "exact") });
  const how = way === "by mail" ? byMail : fill(security.passwordAsk, { product });
  return html`<section class="card section" aria-labelledby="password-title">
    <div>
      <h2 id="password-title">${security.password}</h2>
      <p class="soft small">${sentences(words.language, security.passwordUnknown, how)}</p>
    </div>
    ${way === "by mail" && html`<a class="button" href=${`${base}/recover`}>${words.password.titleMust}</a>`}
  </section>`;
}
