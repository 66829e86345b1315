/** Fields of forms: a label, a word of help, and what is wrong with what was typed. */
import { type Attributes, type Child, html, type Markup } from "./html.ts";
import { icon } from "./icons.ts";

export interface FieldShown {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** As browsers know it (HTML §4.10.18.7). */
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  /** What is wrong with it; absent or null: nothing. */
  readonly error?: string | null;
  /** The keyboard that a phone shows. */
  readonly inputmode?: "numeric";
  /** Another element that is read out with it: a message about the whole form. */
  readonly describedBy?: string | null;
  readonly autofocus?: boolean;
  readonly optional?: boolean;
}

/** One field. Its hint and its error are read out with it. */
export function field({
  name,
  label,
  type,
  autocomplete,
  value = "",
  hint,
  error = null,
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
    autofocus: autofocus || error !== null,
    required: !optional,
    // A password is never sent back to be shown again.
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

/** What is wrong, beside the field that it is about. */
export function fieldError(id: string, text: Child): Markup {
  return html`<p class="field-error" id=${id} role="alert">${icon("circleAlert")}<span>${text}</span></p>`;
}

/** A tick, with the line that says what it does. */
export function tick(name: string, label: string, checked: boolean, hint?: string): Markup {
  return html`<label class="choice">
    <input type="checkbox" name=${name} value="yes" checked=${checked} />
    <span class="choice-text"><span>${label}</span>${hint !== undefined && html`<span class="soft small">${hint}</span>`}</span>
  </label>`;
}
