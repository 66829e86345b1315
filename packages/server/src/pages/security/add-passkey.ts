/** `/account/security/passkeys`: a field for the name, and the button with which the browser creates a passkey. */
import type { Chrome } from "../chrome.ts";
import type { AddPasskeyView } from "../factor-views.ts";
import { hidden, notice, titled } from "../parts/components.ts";
import { field } from "../parts/fields.ts";
import { html } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { backFrom } from "./sign-in-way-names.ts";

export function addPasskeyPage(view: AddPasskeyView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { passkeys } = words;
  const { fault } = view;
  const back = (label: string) => html`<a class="button" href=${base + backFrom(view.request)}>${label}</a>`;
  return cardPage(
    chrome,
    titled(passkeys.addTitle, fault !== null, words),
    html`<div class="stack">
      <div class="heading">
        <span class="sign plain">${icon("key")}</span>
        <h1>${passkeys.addTitle}</h1>
        <p class="soft">${view.options === null ? passkeys.unavailable : passkeys.addIntro}</p>
      </div>
      ${fault !== null && fault !== "name" && notice("danger", passkeys.wrong[fault], { focus: true })}
      ${
        view.options === null
          ? back(view.request === null ? words.security.back : words.cancel)
          : html`<div><form class="fields" method="post" action=${`${base}/account/security/passkeys`} data-passkey="create"
              data-options=${view.options}>
              ${hidden({ csrf: view.csrf, request: view.request, challenge: view.challenge, credential: "" })}
              ${field({
                ...{ name: "name", label: passkeys.name, type: "text", autocomplete: "off", hint: passkeys.nameHint },
                ...{
                  value: view.name,
                  autofocus: fault === null,
                  error: fault === "name" ? passkeys.wrong.name : null,
                },
              })}
              <p class="field-error" role="alert" hidden data-passkey-problem>${icon("circleAlert")}<span>${passkeys.wrong.cancelled}</span></p>
              <p class="soft small" data-passkey-without>${passkeys.addNoScript}</p>
              <button class="button primary" type="submit" hidden data-passkey-ready>${passkeys.add}</button>
              ${back(words.cancel)}
            </form>
            <script src=${chrome.passkeyScript} defer></script></div>`
      }
    </div>`,
    { signOut: view.csrf },
  );
}
