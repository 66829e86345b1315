/** Form fields: a label, a hint, and the error message for the value. */
import { type Attributes, type Child, html, type Markup } from "./html.ts";
import { icon } from "./icons.ts";

export interface FieldShown {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password" | "date" | "tel" | "url";
  /** The `autocomplete` token (HTML §4.10.18.7). */
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  /** The error message. Absent or null if there is no error. */
  readonly error?: string | null;
  /** Whether the value is for machines, so that it is written from left to right in every language. */
  readonly technical?: boolean;
  /** The keyboard that a phone shows. */
  readonly inputmode?: "numeric";
  /** The id of another element that screen readers read with the field: a message about the whole form. */
  readonly describedBy?: string | null;
  readonly autofocus?: boolean;
  readonly optional?: boolean;
}

/** One field. Screen readers read its hint and its error with it. */
export function field({
  name,
  label,
  type,
  autocomplete,
  value = "",
  hint,
  error = null,
  technical = type === "url",
  inputmode,
  describedBy = null,
  autofocus = false,
  optional = false,
}: FieldShown): Markup {
  const described = [
    ...(describedBy === null ? [] : [describedBy]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(error === null ? [] : [`${name}-error`]),
  ];
  const attributes: Attributes = {
    "aria-describedby": described.length === 0 ? null : described.join(" "),
    "aria-invalid": error === null ? null : "true",
    inputmode,
    // A URL has Latin letters, so its slashes would move to the other side.
    dir: technical ? "ltr" : null,
    autofocus: autofocus || error !== null,
    required: !optional,
    // The server never sends a password back to the page.
    value: type === "password" ? null : value,
  };
  return html`<div class="field">
    <label for=${name}>${label}</label>
    ${hint !== undefined && html`<p class="soft small" id=${`${name}-hint`}>${hint}</p>`}
    <input id=${name} name=${name} type=${type} autocomplete=${autocomplete} autocapitalize="none" autocorrect="off"
      spellcheck="false" ...${attributes} />
    ${error !== null && fieldError(`${name}-error`, error)}
  </div>`;
}

/** A field for one file. Browsers never fill it in again after an error. */
export function fileField({
  name,
  label,
  hint,
  accept,
  error,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** The media types that the browser offers. */
  readonly accept: string;
  readonly error: string | null;
}): Markup {
  const described = error === null ? `${name}-hint` : `${name}-hint ${name}-error`;
  const attributes: Attributes = { "aria-invalid": error === null ? null : "true", autofocus: error !== null };
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <p class="soft small" id=${`${name}-hint`}>${hint}</p>
    <input id=${name} name=${name} type="file" accept=${accept} required aria-describedby=${described} ...${attributes} />
    ${error !== null && fieldError(`${name}-error`, error)}
  </div>`;
}

/** The error message beside its field. */
export function fieldError(id: string, text: Child): Markup {
  return html`<p class="field-error" id=${id} role="alert">${icon("circleAlert")}<span>${text}</span></p>`;
}

/** A checkbox with its label. */
export function tick(name: string, label: string, checked: boolean, hint?: string): Markup {
  return html`<label class="choice">
    <input type="checkbox" name=${name} value="yes" checked=${checked} />
    <span class="choice-text"><span>${label}</span>${hint !== undefined && html`<span class="soft small">${hint}</span>`}</span>
  </label>`;
}
