/** Signing out: the question, and the page after it. */
import type { Chrome } from "./chrome.ts";
import { hostWords } from "./client-host.ts";
import { rich } from "./messages/index.ts";
import { hidden } from "./parts/components.ts";
import { type Child, html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { listed } from "./security/sign-in-way-names.ts";
import type { SignedOutView } from "./security/views.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { LogoutView, SignOutView } from "./views.ts";

/** Renders `GET /account/sign-out`. A link never signs anybody out; only the button does. */
export function signOutPage(view: SignOutView, chrome: Chrome): string {
  const text = rich(chrome.words.signOut.text, { person: name(view.person.name || view.person.username) });
  return askPage(text, { action: "/account/sign-out", fields: { csrf: view.csrf } }, chrome);
}

/** Renders `GET /logout`: an app may want to sign the person out. The page names nobody, as anybody can make such a link. */
export function logoutPage(view: LogoutView, chrome: Chrome): string {
  const { signOut: said } = chrome.words;
  const leads =
    view.host !== null &&
    html`<p>${rich(said.leads, { host: html`<strong>${hostWords(view.host, chrome.words)}</strong>` })}</p>`;
  return askPage(
    view.byApp ? said.asked : said.plain,
    { action: "/logout/confirm", fields: view.fields, leads },
    chrome,
  );
}

interface Asked {
  readonly action: string;
  readonly fields: Readonly<Record<string, string | null>>;
  /** Where the browser goes afterwards. Absent: it stays here. */
  readonly leads?: Child;
}

function askPage(text: Child, { action, fields, leads }: Asked, chrome: Chrome): string {
  const { words, base } = chrome;
  return cardPage(
    chrome,
    words.signOut.button,
    html`<div class="stack">
      <div class="heading">
        <h1>${words.signOut.title}</h1>
        <p class="soft">${text}</p>
      </div>
      ${leads}
      <form class="buttons" method="post" action=${base + action}>
        ${hidden(fields)}
        <button class="button primary" type="submit" name="sign_out" value="sign_out">${words.signOut.button}</button>
        <a class="button" href=${`${base}/account/apps`}>${words.signOut.stay}</a>
      </form>
    </div>`,
  );
}

/** Renders the page after signing out. */
export function signedOutPage(view: SignedOutView, chrome: Chrome): string {
  const { words } = chrome;
  const names = view.providers.map((one) => visible(one, NAME_LENGTH));
  return cardPage(
    chrome,
    words.signOut.doneTitle,
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${words.signOut.doneTitle}</h1>
        ${
          names.length === 0
            ? html`<p class="soft">${words.signOut.doneText}</p>`
            : html`<p>${rich(words.signOut.doneElsewhere, { provider: listed(names, words).html })}</p>`
        }
        <p class="soft">${words.signOut.doneApps}</p>
      </div>
      <a class="button" href=${chrome.base + view.signIn}>${words.signOut.again}</a>
    </div>`,
  );
}
