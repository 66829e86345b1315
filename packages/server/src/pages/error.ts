/** The error page: what went wrong, what the reader can do, and what to tell the person who can fix it. */
import type { Chrome } from "./chrome.ts";
import { html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { localPath, visible, webAddress } from "./untrusted-text.ts";
import type { ProblemView } from "./views.ts";

/** Renders 400, 403, 404, 405, 500 and so on for people. The door's `href` is a path of this server or an http(s) address. */
export function problemPage(view: ProblemView, chrome: Chrome): string {
  const { words, base } = chrome;
  const local = localPath(view.door?.href ?? null);
  const href = local !== null ? base + local : webAddress(view.door?.href ?? null);
  return cardPage(
    chrome,
    visible(view.title),
    html`<div class="stack">
      <div class="heading">
        <span class="sign">${icon(view.status >= 500 ? "alert" : "circleAlert")}</span>
        <h1>${visible(view.title)}</h1>
        <p class="soft">${visible(view.text)}</p>
      </div>
      ${view.door && href && html`<a class="button primary" href=${href}>${visible(view.door.label)}</a>`}
      <dl class="reference">
        ${
          view.condition !== null &&
          html`<div>
            <dt>${words.problem.forDevelopers}</dt>
            <dd><a class="alone" href=${`${base}/errors/${encodeURIComponent(view.condition)}?id=${encodeURIComponent(view.requestId)}`}>${view.condition}</a>${view.description && html`<p lang="en" dir="ltr">${view.description}</p>`}</dd>
          </div>`
        }
        <div>
          <dt>${words.problem.reference}</dt>
          <dd><code>${visible(view.requestId)}</code></dd>
        </div>
      </dl>
    </div>`,
  );
}
