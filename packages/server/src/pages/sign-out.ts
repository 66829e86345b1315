/** Signing out: the question, and the page after it. */
import type { Chrome } from "./chrome.ts";
import { rich } from "./messages/index.ts";
import { hidden } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { name } from "./untrusted-text.ts";
import type { SignedOutView, SignOutView } from "./views.ts";

/** Renders `GET /account/sign-out`. A link never signs anybody out; only the button does. */
export function signOutPage(view: SignOutView, chrome: Chrome): string {
  const { words, base } = chrome;
  return cardPage(
    chrome,
    words.signOut.button,
    html`<div class="stack">
      <div class="heading">
        <h1>${words.signOut.title}</h1>
        <p class="soft">${rich(words.signOut.text, { person: name(view.person.name || view.person.username) })}</p>
      </div>
      <form class="buttons" method="post" action=${`${base}/account/sign-out`}>
        ${hidden({ csrf: view.csrf })}
        <button class="button primary" type="submit" name="sign_out" value="sign_out">${words.signOut.button}</button>
        <a class="button" href=${`${base}/account/apps`}>${words.signOut.stay}</a>
      </form>
    </div>`,
  );
}

/** Renders the page after signing out. */
export function signedOutPage(view: SignedOutView, chrome: Chrome): string {
  const { words } = chrome;
  return cardPage(
    chrome,
    words.signOut.doneTitle,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${words.signOut.doneTitle}</h1>
        <p class="soft">${words.signOut.doneText}</p>
      </div>
      <a class="button" href=${chrome.base + view.signIn}>${words.signOut.again}</a>
    </div>`,
  );
}
