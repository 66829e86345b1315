/** What the consent page says about permissions that the app had before this request. */
import { fill, type Messages, plural, rich, sentences } from "./messages/index.ts";
import { endsTogether, presentEnd, withEnds } from "./parts/access-ends.ts";
import { type Child, html, type Markup } from "./parts/html.ts";
import { isMemberOnly } from "./person-or-company-select.ts";
import { timeElement } from "./shown-time.ts";
import { name } from "./untrusted-text.ts";
import type { ConsentView, ScopeChoice } from "./views.ts";

/** The company that the page shows as the owner. Undefined: the page shows the person. */
export function shownCompany({ owners = [] }: ConsentView): string | undefined {
  return owners.find(({ selected, kind }) => selected && kind !== "self")?.name;
}

/** True: the page shows a company as the owner, and the person is no admin there. */
function showsMember({ owners = [] }: ConsentView): boolean {
  return owners.some((owner) => owner.selected && isMemberOnly(owner));
}

/** True: the answer can be for a company where the person is no admin. */
export function offersMember({ owners = [] }: ConsentView): boolean {
  return owners.some(isMemberOnly);
}

/** True: the answer can be for a company of which the person is an admin. */
export function offersAdmin({ owners = [] }: ConsentView): boolean {
  return owners.some((owner) => (owner.kind === "company" || owner.kind === "ask") && !isMemberOnly(owner));
}

/** Says what becomes of access that was allowed for other addresses, or before the app looked different. */
export function earlierKeeps(view: ConsentView, { consent, company }: Messages): Child {
  const shown = shownCompany(view);
  const place = html`<strong>${shown === undefined ? consent.apps : company.yours}</strong>`;
  if (shown === undefined) return rich(consent.earlierStays, { place });
  return rich(showsMember(view) ? consent.earlierKeepsMember : consent.earlierKeeps, { place });
}

/** A scope's present end, or that of older access, for the owner whom the page shows. */
export function presentEndOf(scope: ScopeChoice, view: ConsentView, words: Messages): Child {
  return presentEnd(scope, { ...view, never: neverEnds(view, words) }, words);
}

/** A member can't revoke what the company keeps. */
function neverEnds(view: ConsentView, { consent, company }: Messages): string {
  return showsMember(view) ? company.endless : consent.endsNever;
}

/** Says what Allow does to a paused app, before the owner presses it. */
export function pausedText(view: ConsentView, pausedAt: number, words: Messages): Child {
  const when = timeElement(words, pausedAt, view.now);
  const company = shownCompany(view);
  const { allowAndResume: allow, asksPausedNotAsked, asksPausedForAll } = words.agents;
  const own = company === undefined;
  const permissions = withEnds((own ? view.notAsked : view.backForAll) ?? [], view.now, words);
  const back = own ? asksPausedNotAsked : asksPausedForAll;
  return [
    resumes(company, when, permissions !== null || view.scopes.some(comesBack), words),
    permissions && [html`<br />`, rich(back, { allow, permissions })],
  ];
}

function resumes(company: string | undefined, when: Child, isBack: boolean, { agents }: Messages): Child {
  if (company === undefined) return rich(isBack ? agents.asksPaused : agents.asksPausedOver, { when });
  return rich(isBack ? agents.asksPausedFor : agents.asksPausedOverFor, { company: name(company), when });
}

/** True: the app gets this permission back when it resumes, unless the owner unticks it. */
function comesBack({ granted, keptUntil, awayUntil, byPolicy = false }: ScopeChoice): boolean {
  return granted || byPolicy || keptUntil !== undefined || awayUntil !== undefined;
}

/**
 * Names what the app has that this request doesn't ask for, so that nobody takes the list above for all that it can do. It is about
 * the owner whom the page shows: the style sheet hides it while another one is selected.
 */
export function keepsToo(view: ConsentView, words: Messages): Child {
  const { notAsked = [], now, owners = [] } = view;
  const { consent } = words;
  const permissions = withEnds(notAsked, now, words, neverEnds(view, words));
  if (permissions === null) return null;
  const at = owners.findIndex(({ selected }) => selected);
  if (at < 0) return html`<p class="small">${rich(consent.notAsked, { permissions })}</p>`;
  const company = shownCompany(view);
  const says =
    company === undefined
      ? rich(consent.notAskedOwn, { permissions })
      : rich(consent.notAskedFor, { permissions, company: name(company) });
  return html`<p class="small" data-option=${at + 1}>${says}</p>`;
}

/** Counts the permissions that the app asks for and has, or had until it was paused, and says when they end. */
export function grantedBefore(old: readonly ScopeChoice[], view: ConsentView, words: Messages): Child {
  const { granted, grantedFor, grantedStay } = words.consent;
  const count = old.length;
  const asks = plural(words.language, shownCompany(view) === undefined ? granted : grantedFor, count);
  const stay = view.pausedAt === undefined && plural(words.language, grantedStay, count);
  const ends = html`<span class="soft">${endsTogether(old, view.now, words)}</span>`;
  return sentences(words.language, fill(asks, { count }), stay, ends);
}

/** Says what Allow does if no new scope is ticked. The style sheet shows it only then; a browser without :has() shows it always. */
export function nothingNew({ pausedAt, device }: ConsentView, { consent, agents }: Messages): Markup {
  const text =
    pausedAt === undefined
      ? fill(device === undefined ? consent.nothingNew : consent.nothingNewDevice, { allow: consent.allow })
      : fill(agents.nothingNew, { allow: agents.allowAndResume });
  return html`<p class="soft small nothing-new">${text}</p>`;
}
