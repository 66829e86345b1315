/** Pieces that several pages share. */
import { type Attributes, type Child, html, type Markup } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import type { Messages } from "./messages/index.ts";
import { initial, localPath, tint, webAddress } from "./text.ts";
import type { FormSecrets } from "./views.ts";

/** Hidden fields, in the order given; null ones are left out. */
export function hidden(fields: Readonly<Record<string, string | null>>): Child {
  return Object.entries(fields).map(([field, value]) =>
    value === null ? null : html`<input type="hidden" name=${field} value=${value} />`,
  );
}

/** The fields that every form of an authorization sends back. */
export function secrets(form: FormSecrets): Child {
  return hidden({
    csrf: form.csrf,
    request: form.request,
    device: form.device ?? null,
    invitation: form.invitation ?? null,
    to: form.to ?? null,
  });
}

/** An app's logo, or its initial where it has none. The name stands beside it, so it has no text of its own. */
export function tile(
  app: { readonly name: string; readonly logo: string | null },
  size: "large" | "small",
  base: string,
): Markup {
  const logo = localPath(app.logo);
  if (logo !== null) {
    const pixels = size === "large" ? 56 : 40;
    return html`<img class=${`tile ${size}`} src=${base + logo} alt="" width=${pixels} height=${pixels} />`;
  }
  return html`<span class=${`tile ${size} tint-${tint(app.name)}`} aria-hidden="true">${initial(app.name)}</span>`;
}

const noticeIcons = { danger: "circleAlert", warning: "alert", done: "circleCheck", plain: "circleAlert" } as const;

/**
 * A boxed message. What went wrong interrupts a screen reader (`alert`), what was done waits its turn (`status`).
 *
 * @param id what a field's `aria-describedby` names.
 */
export function notice(kind: "danger" | "warning" | "done" | "plain", content: Child, id?: string): Markup {
  const role = kind === "danger" ? "alert" : kind === "done" ? "status" : null;
  const attributes: Attributes = { class: `notice ${kind}`, role, id };
  return html`<div ...${attributes}>${icon(noticeIcons[kind] satisfies IconName)}<p>${content}</p></div>`;
}

/** A link that leaves this page open, to an http(s) address; the words alone where it is anything else. */
export function outsideLink(words: Messages, uri: string | null, text: string): Markup {
  const href = webAddress(uri);
  if (href === null) return html`<span>${text}</span>`;
  return html`<a href=${href} target="_blank" rel="noopener noreferrer"
    >${text}${icon("externalLink")}<span class="unseen"> ${words.newTab}</span></a
  >`;
}
