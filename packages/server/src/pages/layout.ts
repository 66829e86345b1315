/** The shell around every page: head, landmarks, the mark, and the account's header. */
import type { Chrome } from "./chrome.ts";
import { hidden } from "./components.ts";
import { type Child, html, type Markup, renderDocument } from "./html.ts";
import { icon } from "./icons.ts";
import { fill, rich } from "./messages/index.ts";
import { name } from "./text.ts";
import type { SignedInAs } from "./views.ts";

/** The mark and the word. */
export function wordmark(): Markup {
  return html`<span class="wordmark">
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" />
      <path d="M8.5 23.5 16 8.5l7.5 15" />
      <path d="m12.6 18.2 2.6 2.6 4.4-4.6" />
    </svg>
    <span>Assent</span>
  </span>`;
}

function page(chrome: Chrome, title: string, kind: string, body: readonly Child[]): string {
  const { words } = chrome;
  return renderDocument(html`
    <html lang=${words.language} dir=${words.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${fill(words.documentTitle, { title })}</title>
        <link rel="icon" href=${chrome.favicon} type="image/svg+xml" />
        <link rel="stylesheet" href=${chrome.stylesheet} />
      </head>
      <body class=${kind}>
        ${body}
      </body>
    </html>
  `);
}

/**
 * A page with one card: sign-in, consent, problems.
 *
 * @param title plain text for the tab, without the product's name.
 */
export function cardPage(chrome: Chrome, title: string, card: Child, wide = false): string {
  return page(chrome, title, wide ? "one wide" : "one", [
    html`<header class="top">${wordmark()}</header>`,
    html`<main class="card">${card}</main>`,
  ]);
}

/** A page of the account: who is signed in and the way out stand above it. */
export function accountPage(
  chrome: Chrome,
  title: string,
  account: { readonly csrf: string; readonly person: SignedInAs },
  content: Child,
): string {
  const { words, base } = chrome;
  return page(chrome, title, "account", [
    html`<header class="bar">
      <div class="bar-inner">
        <a class="home" href=${`${base}/account/apps`} aria-label=${words.home}>${wordmark()}</a>
        <p class="who">${rich(words.apps.signedIn, { person: name(account.person.name || account.person.username) })}</p>
        <form method="post" action=${`${base}/account/sign-out`}>
          ${hidden({ csrf: account.csrf })}
          <button class="button quiet" type="submit" name="sign_out" value="sign_out">
            ${icon("logOut")}<span>${words.signOut.button}</span>
          </button>
        </form>
      </div>
    </header>`,
    html`<main class="content">${content}</main>`,
  ]);
}
