/** The pages with which a member asks an admin of their company to approve an app: the form for the reason, and the page after it was sent. */
import type { Chrome } from "./chrome.ts";
import { clientHost } from "./client-host.ts";
import type { AskAdminView, AskedAdminView, AskedScope } from "./company/views.ts";
import { fill, type Messages, rich, sentences } from "./messages/index.ts";
import { hidden, notice, secrets, tile, titled } from "./parts/components.ts";
import { html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";

const HINT_ID = "reason-hint";
const ERROR_ID = "reason-error";
const BACK_FORM = "back";

/** Renders the form for the reason. The form goes to `/consent/ask`, or to `/device/ask` for a device. */
export function askAdminPage(view: AskAdminView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { askAdmin } = words;
  const company = visible(view.company, NAME_LENGTH);
  const wrong = view.problem === "reason";
  const count = view.longest;
  const leads = view.form.request === null ? "/device" : "/consent";
  const approved = view.scopes.filter((scope) => scope.approved);
  return cardPage(
    chrome,
    titled(fill(askAdmin.title, { company }), view.problem !== null, words),
    html`<div class="stack">
      <div class="heading asking">
        ${tile(view.client, "small", base)}
        <h1>${rich(askAdmin.title, { company: name(view.company) })}</h1>
        ${clientHost(view.client.host, words)}
        <p class="soft">${rich(approved.length > 0 ? askAdmin.textMore : view.keeps ? askAdmin.textKeeps : askAdmin.text, { app: name(view.client.name), company: name(view.company) })}</p>
      </div>
      ${view.problem === "too_many" && notice("danger", askAdmin.tooMany, { focus: true })}
      ${scopeList(
        view.scopes.filter((scope) => !scope.approved),
        approved.length > 0,
        words,
      )}
      ${approved.length > 0 && html`<div class="stack close"><p class="soft small">${askAdmin.approved}</p>${scopeList(approved, false, words)}</div>`}
      ${view.replaces !== undefined && replacing(view, view.replaces, words)}
      ${view.goOn !== undefined && goOnForm(view, view.goOn.scopes, chrome)}
      <form class="fields" method="post" action=${`${base}${leads}/ask`} novalidate>
        ${secrets(view.form)} ${hidden({ ...view.chosen, owner: view.owner })}
        ${view.scopes.map(({ name: scope }) => html`<input type="hidden" name="scope" value=${scope} />`)}
        <div class="field">
          <label for="reason">${askAdmin.reason}</label>
          <textarea id="reason" name="reason" dir="auto" rows="4" maxlength=${count} required aria-describedby=${wrong ? `${HINT_ID} ${ERROR_ID}` : HINT_ID}
            ...${wrong ? { "aria-invalid": "true", autofocus: true } : {}}>${view.reason}</textarea>
          <p class="soft small" id=${HINT_ID}>${fill(askAdmin.hint, { count })}</p>
          ${
            wrong &&
            html`<p class="field-error" id=${ERROR_ID} role="alert">${icon("circleAlert")}<span>${fill(askAdmin.wrong, { count })}</span></p>`
          }
        </div>
        <div class="decision">
          <button class="button" type="submit" name="decision" value="ask">${icon("check")}${askAdmin.submit}</button>
          <button class="button" type="submit" form=${BACK_FORM} name="decision" value="back">${icon("x")}${askAdmin.cancel}</button>
        </div>
      </form>
      <form id=${BACK_FORM} method="post" action=${answerPath(view, chrome)} hidden>${secrets(view.form)}</form>
    </div>`,
    { roomy: true },
  );
}

function answerPath({ form }: AskAdminView, { base }: Chrome): string {
  return `${base}${form.request === null ? "/device/consent" : "/consent"}`;
}

/** `marks`: permissions that the app requires are marked. */
function scopeList(scopes: readonly AskedScope[], marks: boolean, words: Messages): Markup {
  return html`<ul class=${scopes.some(({ approved }) => approved) ? "can" : "can not-yet"}>
    ${scopes.map(
      ({ description, required, approved }) =>
        html`<li>${icon(approved ? "check" : "clock")}<span><bdi>${visible(description)}</bdi>${marks && required && [" ", html`<span class="tag">${words.consent.required}</span>`]}</span></li>`,
    )}
  </ul>`;
}

/** Says that the open request goes, and what the member then no longer asks for. */
function replacing(
  { client }: AskAdminView,
  { lost, host }: NonNullable<AskAdminView["replaces"]>,
  words: Messages,
): Markup {
  const { replaces, dropped, droppedAt } = words.askAdmin;
  const first = rich(replaces, { app: name(client.name) });
  if (lost.length === 0) return notice("plain", first);
  return html`<div class="stack close">
    ${notice("warning", sentences(words.language, first, host === null ? dropped : droppedAt))}
    ${clientHost(host, words)}
    <ul class="can lost">${lost.map((text) => html`<li>${icon("x")}<span><bdi>${visible(text)}</bdi></span></li>`)}</ul>
  </div>`;
}

/** The answer of the consent page again, without the permissions that are not approved. */
function goOnForm(view: AskAdminView, scopes: readonly string[], chrome: Chrome): Markup {
  return html`<form class="buttons" method="post" action=${answerPath(view, chrome)}>
    ${secrets(view.form)} ${hidden({ ...view.chosen, owner: view.owner })}
    ${scopes.map((scope) => hidden({ scope }))}
    <button class="button" type="submit" name="decision" value="allow">${chrome.words.askAdmin.goOn}</button>
  </form>`;
}

/** Renders the page after asking. It leads back to the app, or for a device to the person's apps. */
export function askedAdminPage(view: AskedAdminView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { askAdmin } = words;
  return cardPage(
    chrome,
    fill(askAdmin.askedTitle, { company: visible(view.company, NAME_LENGTH) }),
    html`<div class="stack">
      <div class="heading">
        <span class="sign done">${icon("check")}</span>
        <h1>${rich(askAdmin.askedTitle, { company: name(view.company) })}</h1>
        <p class="soft">${rich(askAdmin.askedText, { app: name(view.client.name) })}</p>
      </div>
      ${
        view.form.request === null
          ? html`<a class="button" href=${`${base}/account/apps`}>${words.device.apps}</a>`
          : html`<form class="buttons" method="post" action=${`${base}/consent`}>
              ${secrets(view.form)}
              <button class="button" type="submit" name="decision" value="back"><span>${rich(askAdmin.back, { app: name(view.client.name) })}</span></button>
            </form>`
      }
    </div>`,
  );
}
