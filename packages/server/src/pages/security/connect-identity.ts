/** `/account/security/connect`: which account elsewhere would be connected, and what that allows. */
import type { Chrome } from "../chrome.ts";
import { rich } from "../messages/index.ts";
import { hidden, notice } from "../parts/components.ts";
import { html } from "../parts/html.ts";
import { cardPage } from "../parts/layout.ts";
import { bothNames } from "../parts/person-names.ts";
import { name } from "../untrusted-text.ts";
import type { ConnectIdentityView, DisconnectIdentityView } from "./views.ts";

export function connectIdentityPage(view: ConnectIdentityView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { elsewhere: said } = words;
  const provider = name(view.provider);
  const account = view.account === null ? said.nameless : name(view.account);
  return cardPage(
    chrome,
    said.ask,
    html`<div class="stack">
      <div class="heading">
        <h1>${said.ask}</h1>
        <p>${rich(said.asks, { provider, account, person: bothNames(view.person) })}</p>
        ${view.company !== null && notice("plain", rich(words.companySignIn.warning, { company: name(view.company), provider }))}
        <p class="soft">${rich(said.notYours, { provider })}</p>
      </div>
      <form class="fields" method="post" action=${`${base}/account/security/connect`}>
        ${hidden({ csrf: view.csrf, identity: view.identity })}
        <button class="button primary" type="submit">${said.connect}</button>
        <a class="button" href=${`${base}/account/security`}>${words.cancel}</a>
      </form>
    </div>`,
    { signOut: view.csrf },
  );
}

export function disconnectIdentityPage(view: DisconnectIdentityView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { elsewhere: said } = words;
  return cardPage(
    chrome,
    said.askDisconnect,
    html`<div class="stack">
      <div class="heading">
        <h1>${said.askDisconnect}</h1>
        <p>${rich(view.creates ? said.endsNew : said.ends, { provider: name(view.provider) })}</p>
        ${view.reconnects && html`<p>${rich(said.reconnects, { provider: name(view.provider) })}</p>`}
        <p class="soft">${said.stays}</p>
      </div>
      <form class="fields" method="post" action=${`${base}/account/security/identities/remove`}>
        ${hidden({ csrf: view.csrf, id: view.id })}
        <button class="button danger" type="submit">${said.disconnect}</button>
        <a class="button" href=${`${base}/account/security`}>${words.cancel}</a>
      </form>
    </div>`,
    { signOut: view.csrf },
  );
}
