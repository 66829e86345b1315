/** The layout of every page: head, landmarks, the mark, and the account's header. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { shownTime } from "../shown-time.ts";
import type { SignedInAs } from "../views.ts";
import { hidden, localTimes } from "./components.ts";
import { type Child, html, type Markup, renderDocument } from "./html.ts";
import { icon } from "./icons.ts";
import { bothNames } from "./person-names.ts";

/** The letters of the wordmark as strokes of one width. The x-height is 13–23.5 of 32. */
const LETTERS = [
  "M53 18.2a5.2 5.2 0 1 1-10.4 0 5.2 5.2 0 0 1 10.4 0m0-5v10.2",
  "M65 15.1c-.6-1.3-1.9-2.1-3.7-2.1-2.1 0-3.6 1-3.6 2.6 0 3.6 7.6 1.5 7.6 5.2 0 1.7-1.6 2.7-3.9 2.7-2 0-3.4-.9-4-2.3",
  "M77 15.1c-.6-1.3-1.9-2.1-3.7-2.1-2.1 0-3.6 1-3.6 2.6 0 3.6 7.6 1.5 7.6 5.2 0 1.7-1.6 2.7-3.9 2.7-2 0-3.4-.9-4-2.3",
  "M81.8 18.2h10.3a5.2 5.2 0 1 0-1.6 3.8",
  "M97.2 13.2v10.2m0-6a4.3 4.3 0 0 1 8.6 0v6",
  "M112 9.4v10.4a3.6 3.6 0 0 0 3.6 3.6m-6.2-10.2h6",
];

/** The mark (an A whose bar is a tick) and the wordmark, or the operator's logo. */
function wordmark({ product, logo }: Chrome): Markup {
  if (logo !== null) return html`<img class="brand-logo" src=${logo} alt=${product} />`;
  return html`<svg class="wordmark" viewBox="0 0 118 32" role="img" aria-label=${product}>
    <rect class="mark-tile" width="32" height="32" rx="9" />
    <path class="mark-sign" d="M8.5 23.5 16 8.5l7.5 15m-10.9-5.3 2.6 2.6 4.4-4.6" />
    ${LETTERS.map((letter) => html`<path d=${letter} />`)}
  </svg>`;
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
        <title>${fill(words.documentTitle, { title, product: chrome.product })}</title>
        <link rel="icon" href=${chrome.favicon} type="image/svg+xml" />
        ${chrome.stylesheets.map((path) => html`<link rel="stylesheet" href=${path} />`)}
      </head>
      <body class=${kind}>
        ${body} ${languages(chrome)}
      </body>
    </html>
  `);
}

/** The link to the other languages. Null if the page can't be loaded again. */
function languages({ words, base, here }: Chrome): Markup | null {
  if (here === null) return null;
  return html`<footer class="foot">
    <a class="foot-link" href=${`${base}/language?${new URLSearchParams({ back: here })}`} rel="nofollow">
      ${icon("languages")}<span class="unseen">${words.languages.label}: </span>${words.name}
    </a>
  </footer>`;
}

export interface CardOptions {
  /** True: the page is as wide as an account page. */
  readonly wide?: boolean;
  /** True: the card is a little wider and starts higher, for a page that should fit a screen. */
  readonly roomy?: boolean;
  /** The CSRF token of the sign-out form. If present, the page shows that form in its header. */
  readonly signOut?: string;
}

/**
 * A page with one card: sign-in, consent, errors.
 *
 * @param title plain text for the tab, without the product's name.
 */
export function cardPage(
  chrome: Chrome,
  title: string,
  card: Child,
  { wide = false, roomy = false, signOut }: CardOptions = {},
): string {
  return page(chrome, title, wide ? "one wide" : roomy ? "one roomy" : "one", [
    html`<header class="top">${wordmark(chrome)}${signOut !== undefined && signOutForm(signOut, chrome)}</header>`,
    html`<main class="card">${card}</main>`,
  ]);
}

function signOutForm(csrf: string, { words, base }: Chrome): Markup {
  return html`<form method="post" action=${`${base}/account/sign-out`}>
    ${hidden({ csrf })}
    <button class="button quiet" type="submit" name="sign_out" value="sign_out">
      ${icon("logOut")}<span>${words.signOut.button}</span>
    </button>
  </form>`;
}

/** The account pages in the navigation bar. */
const PLACES = [
  ["apps", "/account/apps", "grid"],
  ["agents", "/account/agents", "bot"],
  ["companies", "/account/companies", "building"],
  ["history", "/account/history", "history"],
  ["security", "/account/security", "shield"],
  ["profile", "/account/profile", "user"],
] as const;

interface AccountFrame {
  readonly csrf: string;
  readonly person: SignedInAs;
}

/** A page of the account. Its header shows who is signed in, and a sign-out button. `here`: the current page in the navigation bar. */
export function accountPage(
  chrome: Chrome,
  title: string,
  account: AccountFrame & { readonly here: (typeof PLACES)[number][0] | null },
  content: Child,
): string {
  const { words, base } = chrome;
  return page(chrome, title, "account", [
    html`<a class="button skip" href="#content">${words.skip}</a>`,
    html`<header class="bar">
      <div class="bar-inner">
        <a class="home" href=${`${base}/account/apps`} aria-label=${fill(words.home, { product: chrome.product })}>${wordmark(chrome)}</a>
        <p class="who">${rich(words.apps.signedIn, { person: bothNames(account.person) })}</p>
        ${signOutForm(account.csrf, chrome)}
        <nav class="places" aria-label=${words.account.pages}>
          ${PLACES.map(
            ([place, path, sign]) =>
              html`<a class="place" href=${base + path} aria-current=${place === account.here ? "page" : null}>${icon(sign)}<span>${place === "agents" ? words.agents.title : words.account[place]}</span></a>`,
          )}
        </nav>
      </div>
    </header>`,
    html`<main class="content" id="content" tabindex="-1">${going(account, chrome)} ${content}</main>`,
    localTimes(chrome),
  ]);
}

/** The notice that the account will be deleted, on every account page. A person who didn't ask for the deletion sees it and can keep the account. */
function going({ csrf, person }: AccountFrame, { words, base }: Chrome): Markup | null {
  const at = person.deleteAt ?? null;
  if (at === null) return null;
  return html`<section class="card section going">
    <p>${rich(words.profile.pending, { when: shownTime(words, at, "exact") })}</p>
    <form method="post" action=${`${base}/account/profile/keep`}>
      ${hidden({ csrf })}<button class="button primary" type="submit">${words.profile.keep}</button>
    </form>
  </section>`;
}
