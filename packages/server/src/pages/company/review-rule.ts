/** The question before a rule is saved that takes access from somebody, or lets everybody in. */
import type { Chrome } from "../chrome.ts";
import { fill, rich, sentences } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { hidden, notice } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { bothNames } from "../parts/person-names.ts";
import { usedApps } from "../parts/through-list.ts";
import { day, durationLabel, shownTime } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { endingScopes } from "./company-apps.ts";
import { afterEnd, companyPage, companyPath } from "./company-layout.ts";
import { lastsThere, onlyCovered } from "./connections.ts";
import type { CompanyReviewView } from "./views.ts";

/** Renders the answer to a rule that has consequences for others. Nothing is saved yet. */
export function companyReviewPage(view: CompanyReviewView, chrome: Chrome): string {
  const { words } = chrome;
  const { reviewRule: review, confirm, saveRule, block } = words.company;
  const app = name(view.app);
  const path = companyPath(view, chrome) + view.action;
  const danger = view.blocks !== null || view.loses !== null;
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${rich(review.title, { app })}</h2>
    ${newRule(view, chrome)} ${paused(view, chrome)} ${effects(view, chrome)}
    <form class="fields" method="post" action=${path}>
      ${hidden({ csrf: view.csrf, confirmed: "yes" })} ${view.fields.map(([field, value]) => hidden({ [field]: value }))}
      ${view.withdraws !== null && [choice(view, view.withdraws.endsAt, chrome), lastsThere(view.lasting, chrome)]}
      <div class="row-actions">
        <button class=${danger ? "button danger" : "button primary"} type="submit">${view.blocks === null ? saveRule : block}</button>
        <a class="button" href=${path}>${confirm.cancel}</a>
      </div>
    </form>
  </section>`;
  const title = fill(review.title, { app: visible(view.app, NAME_LENGTH) });
  return companyPage({ ...view, notice: null }, "apps", title, content, chrome);
}

/** The chosen rule, as the form before has it. */
function newRule({ fields, app, company, allows, opens, defaultRule }: CompanyReviewView, { words }: Chrome): Child {
  const chosen = fields.find(([field]) => field === "rule")?.[1];
  const { decisions, decisionHints, defaultRuleHints } = words.company;
  if (chosen === undefined || !Object.hasOwn(decisions, chosen)) return null;
  const rule = chosen as keyof typeof decisions;
  const names = { app: name(app), company: name(company.name) };
  const general = rich(rule === "default" ? defaultRuleHints[defaultRule] : decisionHints[rule], names);
  const selected = allows !== null && allows.members !== null;
  return html`<div class="stack close">
    <p><strong>${decisions[rule]}</strong></p>
    ${!selected && html`<p class="soft small">${general}</p>`}
    ${allows !== null && approval(allows, fields, opens === null, words)}
    ${
      allows !== null &&
      allows.endsAt !== null &&
      html`<p class="soft small">${afterEnd({ selected: allows.members !== null, defaultRule }, words)}</p>`
    }
  </div>`;
}

/** Says that the rule lets nobody connect the app before an admin resumes it. A block needs no such warning. */
function paused({ paused: isPaused, blocks, company }: CompanyReviewView, { words }: Chrome): Child {
  if (!isPaused || blocks !== null) return null;
  const note = rich(words.forWhom.pausedNote, { company: name(company.name) });
  return notice("warning", sentences(words.language, note, words.company.reviewRule.pausedStays));
}

/** Who may use the app, what for, and until when. The permissions are left out where the page names them below. */
function approval(
  { members, scopes, endsAt }: NonNullable<CompanyReviewView["allows"]>,
  fields: CompanyReviewView["fields"],
  listed: boolean,
  words: Chrome["words"],
): Child {
  const { company } = words;
  const listOf = (items: readonly Child[]) =>
    html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  const who =
    members === null
      ? company.everybody
      : [
          listOf(members.map(({ username, personName }) => bothNames({ name: personName, username }))),
          html`<p class="soft small">${company.selectedHint}</p>`,
        ];
  const rows: readonly (readonly [string, Child])[] = [
    [company.who, who],
    ...(listed ? [[company.ceiling, listOf(scopes.map((text) => html`<bdi>${visible(text)}</bdi>`))] as const] : []),
    [company.untilWhen, untilWhen(fields, endsAt, words)],
  ];
  return rows.map(([term, value]) => html`<div><p class="soft small">${term}</p><div>${value}</div></div>`);
}

/** The end that the admin chose for the approval, in the words of the form. */
function untilWhen(fields: CompanyReviewView["fields"], endsAt: number | null, words: Chrome["words"]): string {
  const { sameEnd, sameForever, untilEnded } = words.company;
  const chosen = fields.find(([field]) => field === "duration")?.[1] ?? "";
  if (/^\d{1,10}$/.test(chosen)) return durationLabel(words, chosen);
  if (chosen === "same") return endsAt === null ? sameForever : fill(sameEnd, { when: day(words, endsAt) });
  return untilEnded;
}

function effects(view: CompanyReviewView, chrome: Chrome): readonly Child[] {
  const { words } = chrome;
  const { reviewRule: review } = words.company;
  const names = { app: name(view.app), company: name(view.company.name) };
  const { opens, blocks, withdraws, loses, shortens, stays } = view;
  const said = (text: string, more: Readonly<Record<string, Child>> = {}) =>
    html`<p>${rich(text, { ...names, ...more })}</p>`;
  const date = (at: number) => shownTime(words, at, "exact");
  const soon = html`<p class="soft small">${accessEnds(view.stopsIn, chrome)}</p>`;
  // Only admins keep what the rule takes from members.
  const isLost = ({ description }: (typeof stays)[number]) => loses?.scopes.includes(description) === true;
  const stay = (sentence: string, some: typeof stays) =>
    some.length > 0 && html`<div class="effect">${said(sentence)} ${endingScopes(some, view.now, chrome)}</div>`;
  return [
    opens !== null && effect(said(review.opens), null, opens, opens.length === 0 ? "" : review.allowed, chrome),
    blocks !== null && blocked(view, blocks, said(review.blocks), soon, chrome),
    withdraws !== null && effect(said(review.withdraws), withdraws.people, [], "", chrome),
    loses !== null && effect(said(review.loses), loses.people, loses.scopes, review.permissions, chrome, soon),
    shortens !== null &&
      effect(
        [said(review.shortens, { to: date(shortens.to) }), endingScopes(shortens.scopes, view.now, chrome)],
        shortens.people,
        [],
        "",
        chrome,
      ),
    stay(review.staysAdmins, stays.filter(isLost)),
    stay(
      withdraws === null ? review.stays : review.staysAllowed,
      stays.filter((one) => !isLost(one)),
    ),
  ];
}

/** Everything that a block ends. An app that acts through other apps alone has no members of its own. */
function blocked(
  { app, lasting, now }: CompanyReviewView,
  { people, scopes, through }: NonNullable<CompanyReviewView["blocks"]>,
  sentence: Child,
  soon: Child,
  chrome: Chrome,
): Markup {
  const { permissions, blocksThrough } = chrome.words.company.reviewRule;
  const used = through.length > 0 && usedApps(app, through, blocksThrough, now, chrome.words);
  const more = [used, soon, lastsThere(lasting, chrome)];
  return people === 0
    ? effect(sentence, null, [], "", chrome, more)
    : effect(sentence, people, scopes, permissions, chrome, more);
}

/** One consequence: a sentence in a paragraph, how many members it concerns, and which permissions. */
function effect(
  sentence: Child,
  people: number | null,
  scopes: readonly string[],
  label: string,
  { words }: Chrome,
  more: Child = null,
): Markup {
  const { company } = words;
  return html`<div class="effect">
    ${sentence}
    ${
      people === null
        ? label !== "" && html`<p class="soft small">${label}</p>`
        : html`<dl class="facts lines">
            <div><dt>${company.reviewRule.people}</dt><dd>${people}</dd></div>
            ${scopes.length > 0 && html`<div><dt>${label}</dt><dd>${scopes.length}</dd></div>`}
          </dl>`
    }
    ${scopes.length > 0 && html`<ul class=${people === null ? "can" : "can lost"}>${scopes.map((text) => html`<li>${icon(people === null ? "check" : "x")}<span><bdi>${visible(text)}</bdi></span></li>`)}</ul>`}
    ${more}
  </div>`;
}

/** The choice for members who use the app now. Nothing ends unless the admin selects it. */
function choice(view: CompanyReviewView, endsAt: number | null, chrome: Chrome): Markup {
  const { words } = chrome;
  const { confirm, reviewRule: review } = words.company;
  const keep = endsAt === null ? confirm.keepForever : rich(confirm.keep, { when: shownTime(words, endsAt, "exact") });
  return html`<fieldset class="group choices">
    <legend>${review.who}</legend>
    <label class="choice">
      <input type="radio" name="members" value="keep" checked />
      <span class="choice-lines"><span>${keep}</span>${onlyCovered(view.onlyCovered, chrome)}</span>
    </label>
    <label class="choice">
      <input type="radio" name="members" value="end" />
      <span class="choice-lines"><span>${confirm.end}</span><span class="soft small">${accessEnds(view.stopsIn, chrome)}</span></span>
    </label>
  </fieldset>`;
}
