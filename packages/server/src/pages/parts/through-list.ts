/** Apps that use the access of other apps (RFC 8693). */
import { type Messages, rich } from "../messages/index.ts";
import { timeElement } from "../shown-time.ts";
import { name } from "../untrusted-text.ts";
import { type Child, html, type Markup } from "./html.ts";

interface Used {
  readonly name: string;
  readonly lastUsedAt: number;
}

interface App {
  readonly name: string;
  /** `href`: the page about the other app. Absent: there is none. */
  readonly through: readonly (Used & { readonly href?: string })[];
}

/** Other apps that use this app's access, which end with it. */
export function throughList(app: App, now: number, words: Messages): Markup {
  const items = app.through.map(({ href, ...one }) => {
    const actor = href === undefined ? name(one.name) : html`<a href=${href}>${name(one.name)}</a>`;
    return use(actor, name(app.name), one.lastUsedAt, now, words);
  });
  return list(words.apps.through, items);
}

/** The other way round: the apps whose access this app uses, below a sentence. */
export function usedApps(app: string, used: readonly Used[], label: string, now: number, words: Messages): Markup {
  return list(
    label,
    used.map((one) => use(name(app), name(one.name), one.lastUsedAt, now, words)),
  );
}

function use(app: Markup, through: Markup, lastUsedAt: number, now: number, words: Messages): Child {
  return rich(words.apps.throughOne, { app, through, when: timeElement(words, lastUsedAt, now) });
}

function list(label: string, items: readonly Child[]): Markup {
  return html`<div class="small">
    <p class="soft">${label}</p>
    <ul class="can">
      ${items.map((item) => html`<li><span>${item}</span></li>`)}
    </ul>
  </div>`;
}
