/** The page before an error is sent to an app that nobody has verified: what was wrong, and where the link leads (RFC 9700 §4.11.2). */
import type { Chrome } from "./chrome.ts";
import { hostWords } from "./client-host.ts";
import { fill, rich } from "./messages/index.ts";
import { hidden, tile } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { HeldErrorView } from "./views.ts";

/** Renders the question whether to continue to the app. The form goes to `/authorize/error`. The other link leads to the person's apps. */
export function errorRedirectPage(view: HeldErrorView, chrome: Chrome): string {
  const { words, base, product } = chrome;
  const { heldError, problems, problem } = words;
  const title = view.denied ? words.device.deniedTitle : heldError.title;
  const { client } = view;
  const app = visible(client.name, NAME_LENGTH);
  return cardPage(
    chrome,
    fill(title, { app }),
    html`<div class="stack">
      <div class="heading">
        ${tile(client, "large", base)}
        <h1>${rich(title, { app: name(client.name) })}</h1>
        <p class="soft">${view.denied ? heldError.denied : heldError.wrong}</p>
      </div>
      <p class="standing unverified">${icon("circleAlert")}<span>${fill(words.consent.unverified, { product })}</span></p>
      ${client.host !== null && html`<p>${rich(heldError.leads, { host: html`<strong>${hostWords(client.host, words)}</strong>` })}</p>`}
      <form class="decision" method="post" action=${`${base}/authorize/error`}>
        ${hidden({ csrf: view.csrf, held: view.held })}
        <button class="button" type="submit">${heldError.submit}</button>
        <a class="button" href=${`${base}/account/apps`}>${problems.apps}</a>
      </form>
      <dl class="reference">
        <div>
          <dt>${problem.forDevelopers}</dt>
          <dd><a class="alone" href=${`${base}/errors/${encodeURIComponent(view.condition)}?id=${encodeURIComponent(view.requestId)}`}>${view.condition}</a><p lang="en" dir="ltr">${view.description}</p></dd>
        </div>
        <div>
          <dt>${problem.reference}</dt>
          <dd><code>${visible(view.requestId)}</code></dd>
        </div>
      </dl>
    </div>`,
  );
}
