/** `/account/security/passkeys/remove`, `/account/security/authenticator/remove`: what the removal ends, and what stays. */
import type { Chrome } from "../chrome.ts";
import { type Messages, rich } from "../messages/index.ts";
import { hidden, notice } from "../parts/components.ts";
import { type Child, html } from "../parts/html.ts";
import { cardPage } from "../parts/layout.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { listed, wayName } from "./sign-in-way-names.ts";
import type { RemoveAuthenticatorView, RemovePasskeyView, WayLeft } from "./views.ts";

export function removePasskeyPage(view: RemovePasskeyView, chrome: Chrome): string {
  const { words } = chrome;
  const { passkeys, takeBack } = words;
  const left = view.left.map((way) => leftName(way, words));
  const last = left.length === 0;
  const text = last
    ? notice("warning", passkeys.last)
    : html`<p class="soft">${rich(takeBack.doneKept, { list: listed(left, words).html })}</p>`;
  return askPage(
    {
      ...{
        title: passkeys.ask,
        text: last ? text : [html`<p>${rich(passkeys.ends, { name: name(view.name) })}</p>`, text],
      },
      ...{ action: "passkeys", fields: { csrf: view.csrf, id: view.id } },
      button: last ? null : passkeys.remove,
    },
    chrome,
  );
}

function leftName(way: WayLeft, words: Messages): string {
  if (way.kind === "password") return words.security.password;
  return way.kind === "passkey" ? wayName({ kind: "passkey", name: way.name }, words) : visible(way.name, NAME_LENGTH);
}

export function removeAuthenticatorPage({ csrf }: RemoveAuthenticatorView, chrome: Chrome): string {
  const { authenticator } = chrome.words;
  const text = html`<p>${authenticator.ends}</p>`;
  return askPage(
    {
      ...{ title: authenticator.ask, text, action: "authenticator", fields: { csrf }, button: authenticator.remove },
    },
    chrome,
  );
}

interface Asked {
  readonly title: string;
  readonly text: Child;
  readonly action: "passkeys" | "authenticator";
  readonly fields: Readonly<Record<string, string>>;
  /** Null: the factor can't be removed now. */
  readonly button: string | null;
}

function askPage({ title, text, action, fields, button }: Asked, chrome: Chrome): string {
  const { words, base } = chrome;
  return cardPage(
    chrome,
    title,
    html`<div class="stack">
      <div class="heading"><h1>${title}</h1>${text}</div>
      <form class="fields" method="post" action=${`${base}/account/security/${action}/remove`}>
        ${hidden(fields)} ${button !== null && html`<button class="button danger" type="submit">${button}</button>`}
        <a class="button" href=${`${base}/account/security`}>${button === null ? words.security.back : words.cancel}</a>
      </form>
    </div>`,
    { signOut: fields["csrf"] ?? "" },
  );
}
