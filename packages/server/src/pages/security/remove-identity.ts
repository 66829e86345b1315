/** `/account/security/identities/remove`: what the removal ends, and what stays. */
import type { Chrome } from "../chrome.ts";
import { rich } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { html } from "../parts/html.ts";
import { cardPage } from "../parts/layout.ts";
import { hostText } from "../untrusted-text.ts";
import type { RemoveIdentityView } from "./views.ts";

export function removeIdentityPage(view: RemoveIdentityView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { identities: said } = words;
  return cardPage(
    chrome,
    said.ask,
    html`<div class="stack">
      <div class="heading">
        <h1>${said.ask}</h1>
        <p>${rich(said.ends, { issuer: hostText(view.issuer) })}</p>
        <p class="soft">${said.stays}</p>
        <p class="soft">${said.again}</p>
      </div>
      <form class="fields" method="post" action=${`${base}/account/security/identities/remove`}>
        ${hidden({ csrf: view.csrf, id: view.id })}
        <button class="button danger" type="submit">${said.remove}</button>
        <a class="button" href=${`${base}/account/security`}>${words.cancel}</a>
      </form>
    </div>`,
    { signOut: view.csrf },
  );
}
