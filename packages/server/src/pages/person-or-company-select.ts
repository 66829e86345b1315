/** The select for the owner of an answer: the person, or a company that they act for. */

import { fill, type Messages, rich, sentences } from "./messages/index.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { OwnerOption } from "./views.ts";

const HINT_ID = "owner-hint";
const ERROR_ID = "owner-error";

/** The select named `owner`. Null if the person can only answer for themselves. `wrong`: the form named an owner who can't be chosen. */
export function ownerSelect(owners: readonly OwnerOption[], wrong: boolean, words: Messages): Markup | null {
  if (owners.length === 0) return null;
  const described = wrong ? `${HINT_ID} ${ERROR_ID}` : HINT_ID;
  return html`<div class="field">
    <label for="owner">${words.forWhom.label}</label>
    <div class="select">
      <select id="owner" name="owner" autofocus=${wrong} aria-describedby=${described} ...${wrong ? { "aria-invalid": "true" } : {}}>
        ${owners.map(
          (owner) =>
            html`<option value=${owner.value} selected=${owner.selected} disabled=${owner.kind === "blocked"}>${labelOf(owner, words)}</option>`,
        )}
      </select>
      ${icon("chevronDown")}
    </div>
    <p class="soft small" id=${HINT_ID}>${sentences(words.language, lastTime(owners, words), words.forWhom.hint)}</p>
    ${
      wrong &&
      html`<p class="field-error" id=${ERROR_ID} role="alert">${icon("circleAlert")}<span>${words.forWhom.wrong}</span></p>`
    }
  </div>`;
}

function lastTime(owners: readonly OwnerOption[], words: Messages): Child {
  const last = owners.find((owner) => owner.last);
  if (last === undefined) return null;
  return last.kind === "self" ? words.forWhom.lastSelf : rich(words.forWhom.last, { owner: name(last.name) });
}

function labelOf({ kind, name }: OwnerOption, words: Messages): string {
  const { self, asks, blocked } = words.forWhom;
  if (kind === "self") return fill(self, { person: visible(name) });
  const owner = visible(name, NAME_LENGTH);
  if (kind === "company") return owner;
  return fill(kind === "ask" ? asks : blocked, { company: owner });
}
