/** `/account/security/password`: a new password, and what ends with the old one. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { hidden, notice, outsideLink, passwordScript, titled } from "../parts/components.ts";
import { field, tick } from "../parts/fields.ts";
import { html } from "../parts/html.ts";
import { cardPage } from "../parts/layout.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { faultText, isAboutProof, newPasswordFields } from "./password-fields.ts";
import type { ChangePasswordView, KeptPasswordView } from "./views.ts";

/** Renders the page for somebody whose password the operator's application keeps. */
export function keptPasswordPage({ csrf, keeper }: KeptPasswordView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { kept, password, security } = words;
  const label = fill(kept.change, { application: visible(keeper.name, NAME_LENGTH) });
  return cardPage(
    chrome,
    password.title,
    html`<div class="stack">
      <div class="heading">
        <h1>${password.title}</h1>
        <p>${rich(kept.password, { application: name(keeper.name) })}</p>
      </div>
      ${outsideLink(words, keeper.address, label, "button primary")}
      <a class="button" href=${`${base}/account/security`}>${security.back}</a>
    </div>`,
    { signOut: csrf },
  );
}

/** Renders the form, and every response to it that isn't a redirect. */
export function changePasswordPage(view: ChangePasswordView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { password } = words;
  const title = view.must ? password.titleMust : view.has ? password.title : password.titleSet;
  const proof = view.fault !== null && isAboutProof(view.fault) ? faultText(view.fault, words) : null;
  return cardPage(
    chrome,
    titled(title, view.fault !== null, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${title}</h1>
        ${view.must && html`<p class="soft">${password.introMust}</p>`}
      </div>
      ${proof !== null && !view.has && notice("danger", proof, { focus: true })}
      <form class="fields" method="post" action=${`${base}/account/security/password`} novalidate>
        ${hidden({ csrf: view.csrf, request: view.request, device: view.device, invitation: view.invitation })}
        <input class="unseen" type="text" name="username" value=${view.person.username} autocomplete="username" readonly tabindex="-1" aria-hidden="true" />
        ${
          view.has &&
          field({
            ...{ name: "current_password", label: password.current, type: "password" },
            ...{ autocomplete: "current-password", error: proof, autofocus: view.fault === null },
          })
        }
        ${newPasswordFields(view.fault, words)}
        <div class="ticks">
          ${tick("end_sessions", password.endSessions, view.endSessions)}
          ${tick("end_apps", password.endApps, view.endApps, view.has && !view.must ? password.endAppsHint : password.endAppsIf)}
        </div>
        <button class="button primary" type="submit">${view.has ? password.submit : words.recover.submitNew}</button>
        ${!view.must && html`<a class="button" href=${`${base}/account/security`}>${words.cancel}</a>`}
      </form>
      ${passwordScript(chrome)}
    </div>`,
    { signOut: view.csrf },
  );
}
