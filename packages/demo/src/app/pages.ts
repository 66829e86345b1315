/** The app's pages: before the connection, with the photos, and for addresses that don't exist. */

import { API_NAME, APP_NAME, OWNER, SCOPES } from "../demo-names-and-texts.ts";
import { clock } from "./explain-token.ts";
import { type Child, html, type Markup, renderDocument } from "./html.ts";
import type { Notice, Session, Tokens } from "./sessions.ts";
import { timeline } from "./timeline-view.ts";

/** Addresses that the pages show. */
export interface PageFacts {
  readonly issuer: string;
  readonly url: string;
  readonly apiUrl: string;
  /** Path of demo.json. */
  readonly file: string;
}

interface Layout {
  readonly title: string;
  readonly main: Markup;
  /** Content at the right of the header. */
  readonly corner?: Child;
}

function document({ title, main, corner }: Layout): string {
  return renderDocument(html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>${title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href="/assets/logo.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/assets/style.css" />
      <script src="/assets/countdown.js" defer></script>
    </head>
    <body>
      <header class="top">
        <a class="brand" href="/"><img src="/assets/logo.svg" alt="" width="36" height="36" /><span>${APP_NAME}</span></a>
        <span class="tag">a demo app</span>
        <div class="corner">${corner}</div>
      </header>
      ${main}
    </body>
  </html>`);
}

/** A button in a form of its own, so that it works without JavaScript. */
function action(path: string, label: Child, hint: string | null, kind = "button"): Markup {
  return html`<form method="post" action=${path}>
    <button class=${kind} type="submit">${label}${hint !== null && [" ", html`<small>${hint}</small>`]}</button>
  </form>`;
}

function noticeBox({ tone, title, text }: Notice): Markup {
  return html`<div class=${`notice ${tone}`} role="status"><strong>${title}</strong><p>${text}</p></div>`;
}

/** The page before the app has a token. If the session has steps, the timeline follows. */
export function startPage(session: Session, facts: PageFacts): string {
  return document({
    title: `${APP_NAME}: your best photos, on paper`,
    main: html`<main class="start">
      <div class="hero">
        <div class="pitch">
          ${session.notice !== null && noticeBox(session.notice)}
          <h1>Your best photos, on paper.</h1>
          <p class="lead">
            ${APP_NAME} would like to print your photos. They are not here: the ${API_NAME} keeps them. So the app asks for
            permission, and you decide at Assent what it gets and for how long. It never sees your password.
          </p>
          ${action("/connect", "Connect with Assent", null, "button primary big")}
          <p class="soft">
            Sign in as <strong>${OWNER.username}</strong>. The password is in your terminal, and in
            ${" "}<code>${facts.file}</code>.
          </p>
        </div>
        <div class="prints" aria-hidden="true">
          <span class="print one"></span><span class="print two"></span><span class="print three"></span>
          <span class="caption">nothing to print yet</span>
        </div>
      </div>
      ${session.steps.length > 0 && timeline(session)} ${cast(facts)} ${plot()}
    </main>`,
  });
}

/** The parties, with their names in OAuth. */
function cast({ issuer, url, apiUrl }: PageFacts): Markup {
  const rows = [
    ["You", "resource owner", "The photos are yours. Nobody gets them before you allow it.", null],
    [APP_NAME, "client", "Wants to use your photos. Gets a token for one API, for a limited time.", url],
    ["Assent", "authorization server", "Asks you, stores your decision, and issues tokens.", issuer],
    [API_NAME, "resource server", "Has the photos. Gives them to apps with a valid token.", apiUrl],
  ] as const;
  return html`<section class="cast" aria-labelledby="cast">
    <h2 id="cast">Who is who</h2>
    <ul>
      ${rows.map(
        ([name, role, text, address]) => html`<li>
          <h3>${name}</h3>
          <p class="role">${role}</p>
          <p>${text}</p>
          ${address !== null && html`<p class="address">${new URL(address).host}</p>`}
        </li>`,
      )}
    </ul>
    <p class="soft">The words below the names are those of <a href="https://www.rfc-editor.org/rfc/rfc6749#section-1.1" target="_blank" rel="noopener">RFC 6749 §1.1</a>.</p>
  </section>`;
}

function plot(): Markup {
  const lines = [
    ["Connect", "Your browser goes to Assent. Sign in, read what the app wants, and choose what you give it."],
    ["Look", "Back here you see your photos, and beside them every request and answer that made it happen."],
    ["Break things", "Refresh the token, tamper with it, try what you left out."],
    ["Take it back", "Revoke the app at Assent, and watch what it can still do, and for how long."],
  ] as const;
  return html`<section class="plot" aria-labelledby="plot">
    <h2 id="plot">What you can do here</h2>
    <ol>
      ${lines.map(([title, text]) => html`<li><strong>${title}.</strong> ${text}</li>`)}
    </ol>
  </section>`;
}

/** The page with a token: photos, the app's permissions, buttons, and the timeline. */
export function albumPage(session: Session, tokens: Tokens, facts: PageFacts): string {
  const { profile, photos } = session;
  const amount = photos.length === 1 ? "1 photo is" : `${photos.length} photos are`;
  return document({
    title: `${APP_NAME}: ${profile?.album ?? "your photos"}`,
    corner: action("/start-over", "Start over", null, "button quiet"),
    main: html`<main class="album">
      <div class="desk">
        <h1>${profile === null || profile.name === null ? "Hello" : `Hello ${profile.name}`}</h1>
        <p class="lead">${photos.length === 0 ? "There is nothing left to print" : `${amount} ready to print`}${profile !== null && [": ", html`<em>${profile.album}</em>`]}.</p>
        ${gallery(session)} ${session.ended && endedBox(tokens)} ${session.notice !== null && noticeBox(session.notice)}
        ${actions(session, tokens, facts)} ${permissions(session, tokens)}
      </div>
      <div>
        ${timeline(session)}
        <p class="up"><a href="#actions">Back to the buttons</a></p>
      </div>
    </main>`,
  });
}

function gallery({ photos }: Session): Markup {
  if (photos.length === 0) {
    return html`<p class="bare">All photos are deleted. The ${API_NAME} has them again when the demo is started anew.</p>`;
  }
  return html`<ul class="gallery">
    ${photos.map(
      ({ title, place, image }) => html`<li>
        <img src=${image} alt="" width="480" height="360" />
        <span class="shot">${title}<span class="place">${place}</span></span>
      </li>`,
    )}
  </ul>`;
}

function actions({ ended }: Session, tokens: Tokens, { issuer }: PageFacts): Markup {
  const mayDelete = tokens.scopes.includes("photos:delete");
  return html`<section class="actions" aria-labelledby="actions">
    <h2 id="actions">Now try this</h2>
    <div class="grid">
      ${action("/call", "Call the API again", "GET /photos")}
      ${
        tokens.refresh === null
          ? action("/connect", "Connect with Assent again", "GET /authorize", "button primary")
          : action("/refresh", "Refresh the token", "POST /token")
      }
      ${action("/forged", "Try with a wrong token", "claims changed, old signature")}
      ${
        mayDelete
          ? action("/delete", "Delete a photo", "you allowed it: photos:delete")
          : action("/delete", "Try to delete a photo", "you didn’t allow it: photos:delete")
      }
      <a class="button wide" href=${`${issuer}/account/apps`} target="_blank" rel="noopener">Open my apps at Assent <small>${ended ? "what is still allowed (new tab)" : "revoke the app there, then refresh (new tab)"}</small></a>
      ${!mayDelete && !ended && action("/connect", "Ask for that permission again", "GET /authorize", "button wide")}
    </div>
  </section>`;
}

function permissions({ ended }: Session, tokens: Tokens): Markup {
  return html`<section class="permissions" aria-labelledby="permissions">
    <h2 id="permissions">What the app holds</h2>
    <ul>
      ${SCOPES.map(({ name, description }) => {
        const granted = tokens.scopes.includes(name);
        return html`<li class=${granted ? "granted" : "declined"}>
          <span>${description}</span> <em>${granted ? "in the token" : "declined"}</em> <code>${name}</code>
        </li>`;
      })}
    </ul>
    <p>Access token: ${untilTime(tokens)}</p>
    <p>Refresh token: ${tokens.refresh === null ? (ended ? "ended, and thrown away" : "none") : "kept by the app’s server; your browser never gets it"}</p>
  </section>`;
}

/** A script counts down. Without the script, the page shows the time of day. */
function untilTime({ expiresAt }: Tokens): Markup {
  const over = expiresAt <= Date.now();
  const exact = new Date(expiresAt).toISOString();
  return html`<span>${over ? "timed out at " : "valid until "}<time datetime=${exact}>${clock(expiresAt)}</time>${!over && html`<span class="countdown" data-until=${expiresAt}></span>`}</span>`;
}

function endedBox(tokens: Tokens): Markup {
  const over = tokens.expiresAt <= Date.now();
  return html`<div class="notice bad" role="status">
    <strong>The app can’t renew its access any more</strong>
    ${
      over
        ? html`<p>You took back what you had allowed, or it ran out. The last access token has timed out as well: the app can do nothing more.</p>`
        : html`<p>
            You took back what you had allowed, or it ran out: Assent answers “invalid_grant”. What is left is the last access
            token. The API checks that by itself and asks nobody, so it is ${untilTime(tokens)}. Call the API and see; then wait, and
            call it again.
          </p>`
    }
  </div>`;
}

/** The page for an unknown address, or for a form from another site. */
export function wrongPage(title: string, text: string): string {
  return document({
    title: `${title} – ${APP_NAME}`,
    main: html`<main class="start">
      <h1>${title}</h1>
      <p class="lead">${text}</p>
      <p><a class="button primary" href="/">Go to the start page</a></p>
    </main>`,
  });
}
