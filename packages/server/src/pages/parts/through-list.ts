/** The other apps that use an app's access. */
import { type Messages, rich } from "../messages/index.ts";
import { timeElement } from "../shown-time.ts";
import { name } from "../untrusted-text.ts";
import { html, type Markup } from "./html.ts";

interface App {
  readonly name: string;
  readonly through: readonly { readonly name: string; readonly lastUsedAt: number }[];
}

/** Other apps that use this app's access, which end with it. */
export function throughList(app: App, now: number, words: Messages): Markup {
  return html`<div class="small">
    <p class="soft">${words.apps.through}</p>
    <ul class="can">
      ${app.through.map(
        (one) =>
          html`<li>
            <span>${rich(words.apps.throughOne, { app: name(one.name), through: name(app.name), when: timeElement(words, one.lastUsedAt, now) })}</span>
          </li>`,
      )}
    </ul>
  </div>`;
}
