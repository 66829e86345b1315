/** The page that posts an authorization response to the client (OAuth 2.0 Form Post Response Mode §2). */
import type { Chrome } from "./chrome.ts";
import { rich } from "./messages/index.ts";
import { hidden } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { cardPage } from "./parts/layout.ts";
import { hostText } from "./untrusted-text.ts";
import type { FormPostView } from "./views.ts";

/**
 * Renders a form that a script submits at once. Without scripts, the person presses its button.
 *
 * @throws TypeError if `action` is neither http(s) nor an app's own scheme with a dot: another scheme could run code in this page.
 */
export function formPostPage(view: FormPostView, chrome: Chrome): string {
  const { words } = chrome;
  const { protocol, host: named } = new URL(view.action);
  // An app's own scheme leads to the app, whatever host the address contains.
  const host = /^https?:$/.test(protocol) ? named : "";
  if (!/^https?:$|\./.test(protocol)) throw new TypeError("An answer goes to http(s) or to an app's own scheme.");
  return cardPage(
    chrome,
    words.formPost.title,
    html`<div class="stack">
      <div class="heading">
        <h1>${words.formPost.title}</h1>
        <p class="soft">${rich(words.formPost.text, { host: hostText(host || protocol.slice(0, -1)) })}</p>
      </div>
      <form class="buttons" method="post" action=${view.action}>
        ${hidden(view.fields)}
        <button class="button primary" type="submit" autofocus>${words.formPost.submit}</button>
      </form>
      <script src=${chrome.formPostScript} defer></script>
    </div>`,
  );
}
