/** The select for the owner of an answer: the person, or a company that they act for. */

import { fill, type Messages, plural, rich, sentences } from "./messages/index.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { shownTime } from "./shown-time.ts";
import { NAME_LENGTH, name, visible } from "./untrusted-text.ts";
import type { ConsentView, OwnerOption } from "./views.ts";

const HINT_ID = "owner-hint";
const NOTES_ID = "owner-notes";
const ERROR_ID = "owner-error";

/** Why the owner of a form can't be chosen. */
type Wrong = Extract<ConsentView["problem"], { readonly kind: "bad_owner" }>;

/** The select named `owner`. Null if the person can only answer for themselves. `problem`: the form named an owner who can't be chosen. `resumes`: as for `allowLabel`. */
export function ownerSelect(
  owners: readonly OwnerOption[],
  { app, problem, resumes }: { readonly app: string; readonly problem: Wrong | null; readonly resumes: boolean },
  words: Messages,
): Markup | null {
  if (owners.length === 0) return null;
  const wrong = problem !== null;
  const notes = owners.flatMap((owner, at) => [
    ...ofOwner(at, notesOn(owner, app, words)),
    // Nobody can select this owner, so the note always shows.
    ...closedNote(owner, words),
  ]);
  const described = [HINT_ID, ...(notes.length > 0 ? [NOTES_ID] : []), ...(wrong ? [ERROR_ID] : [])].join(" ");
  return html`<div class="field">
    <label for="owner">${words.forWhom.label}</label>
    <div class="select">
      <select id="owner" name="owner" autofocus=${wrong} aria-describedby=${described} ...${wrong ? { "aria-invalid": "true" } : {}}>
        ${owners.map(
          (owner) =>
            html`<option value=${owner.value} selected=${owner.selected} disabled=${isClosed(owner)}
              ...${marksOf(owner, resumes)}>${labelOf(owner, words)}</option>`,
        )}
      </select>
      ${icon("chevronDown")}
    </div>
    <p class="soft small" id=${HINT_ID}>${sentences(words.language, lastTime(owners, words), words.forWhom.hint)}</p>
    ${notes.length > 0 && html`<div class="owner-notes soft small" id=${NOTES_ID}>${notes}</div>`}
    ${
      wrong &&
      html`<p class="field-error" id=${ERROR_ID} role="alert">${icon("circleAlert")}<span>${wrongOwner(owners, problem.owner, words)}</span></p>`
    }
  </div>`;
}

/** True: the person is no admin of this company. They can stop an app for themselves there, but neither revoke nor pause it. */
export function isMemberOnly({ kind, admin }: Pick<OwnerOption, "kind" | "admin">): boolean {
  return (kind === "company" || kind === "ask") && admin !== true;
}

/** Says why the owner that the form named can't be chosen, and what to do. */
function wrongOwner(owners: readonly OwnerOption[], named: string | undefined, { forWhom }: Messages): Child {
  const paused = owners.find(({ value, kind }) => value === named && kind === "paused");
  return paused === undefined ? forWhom.wrong : rich(forWhom.wrongPaused, { company: name(paused.name) });
}

/**
 * The label of the button that allows. For an owner whose admins have to approve first, it leads to a form for them. Only
 * the owner whom the page shows resumes (`resumes`). The style sheet shows the label for the selected owner; a browser
 * without :has() shows one label for all.
 */
export function allowLabel(owners: readonly OwnerOption[], resumes: boolean, words: Messages): Child {
  const { consent, agents, forWhom } = words;
  const asks = owners.some(({ kind }) => kind === "ask");
  const allow = resumes ? agents.allowAndResume : consent.allow;
  if (!asks && (!resumes || owners.length === 0)) return allow;
  return [
    html`<span class="if-either">${asks ? forWhom.eitherButton : allow}</span>`,
    html`<span class="if-allows">${consent.allow}</span>`,
    resumes && html`<span class="if-resumes">${allow}</span>`,
    asks && html`<span class="if-asks">${forWhom.askButton}</span>`,
  ];
}

/**
 * How the reader ends an app's access. `revokes`: for their own account, and as an admin. `ends`: true for every owner. The style
 * sheet shows the text for the selected owner; a browser without :has() shows `ends`.
 */
export function endingText(owners: readonly OwnerOption[] = [], revokes: string, ends: string): Child {
  if (!owners.some(isMemberOnly)) return revokes;
  return [html`<span class="if-revokes">${revokes}</span>`, html`<span class="if-member">${ends}</span>`];
}

/** What differs for an owner: what the button does, and how the reader ends access. */
function marksOf(owner: OwnerOption, resumes: boolean): Readonly<Record<string, string>> {
  const member = isMemberOnly(owner) ? { "data-member": "yes" } : {};
  if (owner.kind === "ask") return { ...member, "data-asks": "yes" };
  return resumes && owner.selected ? { ...member, "data-resumes": "yes" } : member;
}

/** The notes on the owner whose option is at this place. The style sheet shows them only if that option is selected. */
function ofOwner(at: number, notes: readonly Markup[]): readonly Markup[] {
  return notes.length === 0 ? [] : [html`<div data-option=${at + 1}>${notes}</div>`];
}

/** Says what differs for a company. */
function notesOn(
  { kind, name: company, admin, stopped, beyond = [], later = [], services = [] }: OwnerOption,
  app: string,
  words: Messages,
): readonly Markup[] {
  const { forWhom, companyConnections, consent } = words;
  if (kind !== "company" && kind !== "ask") return [];
  const names = { company: name(company), allow: consent.allow };
  const needed = kind === "ask" ? rich(forWhom.needed, names) : rich(forWhom.leaveOut, names);
  return [
    ...(stopped === true && kind === "company"
      ? [html`<p>${rich(forWhom.stopped, { company: name(company) })}</p>`]
      : []),
    ...(admin === true && kind === "company"
      ? [html`<p>${rich(forWhom.ownOnly, { company: name(company) })}</p>`]
      : []),
    ...(beyond.length === 0 ? [] : [html`<p>${needed}</p>`, listOf(beyond)]),
    ...(kind === "ask" || later.length === 0 ? [] : [laterNote(later, company, app, words)]),
    ...(kind === "ask" ? [] : services).flatMap(({ name: service, can }) => {
      const names = { company: name(company), server: name(service) };
      return [html`<p>${rich(companyConnections.consentText, names)}</p>`, listOf(can)];
    }),
  ];
}

/** Says what an approval lets the app get without asking. The names are folded, so that the answers stay in sight. */
function laterNote(later: NonNullable<OwnerOption["later"]>, company: string, app: string, words: Messages): Markup {
  const count = later.length;
  const text = plural(words.language, words.forWhom.later, count);
  return html`<details class="fold">
    <summary>${icon("chevronDown")}<span>${rich(text, { company: name(company), app: name(app), count: String(count) })}</span></summary>
    <ul>
      ${later.map(({ text: one, sensitive }) => html`<li><bdi>${visible(one)}</bdi>${sensitive && [" ", html`<span class="tag warn">${icon("alert")}${words.consent.sensitive}</span>`]}</li>`)}
    </ul>
  </details>`;
}

function listOf(texts: readonly string[]): Markup {
  return html`<ul>${texts.map((one) => html`<li><bdi>${visible(one)}</bdi></li>`)}</ul>`;
}

function isClosed({ kind }: OwnerOption): boolean {
  return kind === "blocked" || kind === "adminsOnly" || kind === "paused";
}

/** Says why a company can't be chosen. */
function closedNote(owner: OwnerOption, { language, forWhom }: Messages): readonly Markup[] {
  if (!isClosed(owner)) return [];
  const { kind, keeps } = owner;
  const company = name(owner.name);
  if (kind === "adminsOnly")
    return [
      html`<p>${sentences(language, rich(forWhom.adminsNote, { company }), keeps === true && rich(forWhom.adminsKeeps, { company }))}</p>`,
    ];
  return [html`<p>${rich(kind === "blocked" ? forWhom.blockedNote : forWhom.pausedNote, { company })}</p>`];
}

/** Says where a company limits the time that the reader chooses. */
export function durationNotes(owners: readonly OwnerOption[], words: Messages): readonly Markup[] {
  const { forWhom } = words;
  const about = ({ kind, name: company, endsBy, standsUntil }: OwnerOption): readonly Markup[] => {
    const says = (text: Parameters<typeof rich>[0], until?: number) =>
      html`<p>${rich(text, { company: name(company), ...(until === undefined ? {} : { when: shownTime(words, until, "exact") }) })}</p>`;
    if (kind === "ask") return [says(forWhom.howLong)];
    if (kind !== "company") return [];
    if (endsBy !== undefined) return [says(forWhom.endsBy, endsBy)];
    return standsUntil === undefined ? [] : [says(forWhom.standsUntil, standsUntil)];
  };
  return owners.flatMap((owner, at) => ofOwner(at, about(owner)));
}

function lastTime(owners: readonly OwnerOption[], words: Messages): Child {
  const last = owners.find((owner) => owner.last);
  if (last === undefined) return null;
  return last.kind === "self" ? words.forWhom.lastSelf : rich(words.forWhom.last, { owner: name(last.name) });
}

function labelOf({ kind, name }: OwnerOption, words: Messages): string {
  const { self, asks, blocked, adminsOnly } = words.forWhom;
  if (kind === "self") return fill(self, { person: visible(name) });
  const owner = visible(name, NAME_LENGTH);
  if (kind === "company") return owner;
  if (kind === "paused") return fill(words.agents.ownerPaused, { company: owner });
  return fill(kind === "ask" ? asks : kind === "adminsOnly" ? adminsOnly : blocked, { company: owner });
}
