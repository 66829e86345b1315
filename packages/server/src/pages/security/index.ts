/** `/account/security`: how one signs in, a section for each way. */
import type { Chrome } from "../chrome.ts";
import { notice } from "../components.ts";
import { html } from "../html.ts";
import { accountPage } from "../layout.ts";
import { passwordSection } from "./password-section.ts";
import type { SecurityView } from "./views.ts";

/** Renders `GET /account/security`. A section is a function of the whole view, in a file of its own. */
export function securityPage(view: SecurityView, chrome: Chrome): string {
  const { words } = chrome;
  return accountPage(
    chrome,
    words.security.title,
    { ...view, here: "security" },
    html`<div class="stack">
      <div class="heading">
        <h1>${words.security.title}</h1>
        <p class="soft">${words.security.intro}</p>
      </div>
      ${view.notice !== null && notice("done", words.security.passwordDone)}
      <div class="apps">${passwordSection(view, chrome)}</div>
    </div>`,
  );
}
