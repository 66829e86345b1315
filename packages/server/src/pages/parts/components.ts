/** Components that several pages share. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages } from "../messages/index.ts";
import { initial, localPath, tint, webAddress } from "../untrusted-text.ts";
import type { FormSecrets, SignedInAs } from "../views.ts";
import { type Attributes, type Child, html, type Markup } from "./html.ts";
import { type IconName, icon } from "./icons.ts";

/** Hidden fields in the given order. Fields with null are left out. */
export function hidden(fields: Readonly<Record<string, string | null>>): Child {
  return Object.entries(fields).map(([field, value]) =>
    value === null ? null : html`<input type="hidden" name=${field} value=${value} />`,
  );
}

/** The hidden fields of every form of an authorization. */
export function secrets(form: FormSecrets): Child {
  return hidden({
    csrf: form.csrf,
    request: form.request,
    device: form.device ?? null,
    invitation: form.invitation ?? null,
    to: form.to ?? null,
    switch: form.switch ?? null,
  });
}

/** The button that leads to the sign-in of another account than the one that is signed in. `kind`: its classes. */
export function signInAsAnother(form: FormSecrets, kind: string, { words, base }: Chrome): Markup {
  return html`<form class="buttons" method="post" action=${`${base}/login/switch`}>
    ${secrets(form)}<button class=${kind} type="submit">${words.signIn.submit}</button>
  </form>`;
}

/** An app's logo, or its initial if it has none. The name stands beside it, so the image has no text of its own. */
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

/** A person's picture, or the initial of their name if they have none. The name stands beside it. */
export function avatar({ name, username, picture = null }: SignedInAs, base: string): Markup {
  const path = localPath(picture);
  return path === null
    ? html`<span class="avatar" aria-hidden="true">${initial(name || username)}</span>`
    : html`<img class="avatar" src=${base + path} alt="" width="28" height="28" />`;
}

const noticeIcons = { danger: "circleAlert", warning: "alert", done: "circleCheck", plain: "circleAlert" } as const;

/**
 * A boxed message. Screen readers read errors at once (`alert`) and results later (`status`).
 *
 * @param about.id the id that a field's `aria-describedby` names.
 * @param about.focus true if no field has an error: the message gets the focus, so that it is read first.
 */
export function notice(
  kind: "danger" | "warning" | "done" | "plain",
  content: Child,
  about: { readonly id?: string; readonly focus?: true } = {},
): Markup {
  const role = kind === "danger" ? "alert" : kind === "done" ? "status" : null;
  const focus: Attributes = about.focus === true ? { tabindex: -1, autofocus: true } : {};
  const attributes: Attributes = {
    class: `notice ${kind}`,
    role,
    id: about.id,
    ...focus,
  };
  return html`<div ...${attributes}>${icon(noticeIcons[kind] satisfies IconName)}<p>${content}</p></div>`;
}

/** The title of a page that shows an error. The error comes first, for tab lists and screen readers (WCAG 2.2, technique G88). */
export function titled(title: string, wrong: boolean, words: Messages): string {
  return wrong ? fill(words.errorTitle, { title }) : title;
}

/** The script that shows a page's times in the reader's time zone. */
export function localTimes({ timesScript }: Chrome): Markup {
  return html`<script src=${timesScript} defer></script>`;
}

/** The script that shows typed passwords and the strength of new ones. A page with a password field loads it. */
export function passwordScript({ passwordScript: src, words }: Chrome): Markup {
  const { show, hide, showLabel, hideLabel, strength } = words.password;
  return html`<script src=${src} defer data-show=${show} data-hide=${hide} data-show-label=${showLabel}
    data-hide-label=${hideLabel} data-strength=${[strength.short, strength.weak, strength.good, strength.strong].join("|")}></script>`;
}

/** A link to an http(s) address that opens in a new tab. For any other address, only the text. */
export function outsideLink(
  words: Messages,
  uri: string | null,
  text: string,
  look: "alone" | "button primary" | null = null,
): Markup {
  const href = webAddress(uri);
  if (href === null) return html`<span>${text}</span>`;
  return html`<a class=${look} href=${href} target="_blank" rel="noopener noreferrer"
    >${text}${icon("externalLink")}<span class="unseen"> ${words.newTab}</span></a
  >`;
}
