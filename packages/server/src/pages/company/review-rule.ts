/** The question before a rule is saved that takes access from somebody, or lets everybody in. */
import type { Chrome } from "../chrome.ts";
import { fill, rich } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { hidden } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { durationLabel, shownTime } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { companyPage, companyPath } from "./company-layout.ts";
import { lastsThere } from "./connections.ts";
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
    ${newRule(view, chrome)} ${effects(view, chrome)}
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
function newRule({ fields, app, company }: CompanyReviewView, { words }: Chrome): Child {
  const chosen = fields.find(([field]) => field === "rule")?.[1];
  const { decisions, decisionHints } = words.company;
  if (chosen === undefined || !Object.hasOwn(decisions, chosen)) return null;
  const rule = chosen as keyof typeof decisions;
  const hint = rule === "default" ? null : rich(decisionHints[rule], { app: name(app), company: name(company.name) });
  return html`<div>
    <p><strong>${decisions[rule]}</strong></p>
    ${hint !== null && html`<p class="soft small">${hint}</p>`} ${rule === "allow" && untilWhen(fields, words)}
  </div>`;
}

/** The end that the admin chose for the approval. Nothing where it stays as it was. */
function untilWhen(fields: CompanyReviewView["fields"], words: Chrome["words"]): Child {
  const chosen = fields.find(([field]) => field === "duration")?.[1] ?? "";
  if (chosen !== "forever" && !/^\d{1,10}$/.test(chosen)) return null;
  const { untilWhen: label, untilEnded } = words.company;
  const value = chosen === "forever" ? untilEnded : durationLabel(words, chosen);
  return html`<dl class="facts"><div><dt>${label}</dt><dd>${value}</dd></div></dl>`;
}

function effects(view: CompanyReviewView, chrome: Chrome): readonly Child[] {
  const { words } = chrome;
  const { reviewRule: review } = words.company;
  const names = { app: name(view.app), company: name(view.company.name) };
  const { opens, blocks, withdraws, loses, shortens } = view;
  const date = (at: number) => shownTime(words, at, "exact");
  const soon = html`<p class="soft small">${accessEnds(view.stopsIn, chrome)}</p>`;
  return [
    opens !== null && effect(rich(review.opens, names), null, opens, review.allowed, chrome),
    blocks !== null &&
      effect(rich(review.blocks, names), blocks.people, blocks.scopes, review.permissions, chrome, [
        soon,
        lastsThere(view.lasting, chrome),
      ]),
    withdraws !== null && effect(rich(review.withdraws, names), withdraws.people, [], "", chrome),
    loses !== null && effect(rich(review.loses, names), loses.people, loses.scopes, review.permissions, chrome, soon),
    shortens !== null &&
      effect(
        shortens.from === null
          ? rich(review.shortensForever, { ...names, to: date(shortens.to) })
          : rich(review.shortens, { ...names, to: date(shortens.to), from: date(shortens.from) }),
        shortens.people,
        [],
        "",
        chrome,
      ),
  ];
}

/** One consequence: a sentence, how many members it concerns, and which permissions. */
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
    <p>${sentence}</p>
    ${
      people === null
        ? html`<p class="soft small">${label}</p>`
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
      <span class="choice-lines"><span>${keep}</span></span>
    </label>
    <label class="choice">
      <input type="radio" name="members" value="end" />
      <span class="choice-lines"><span>${confirm.end}</span><span class="soft small">${accessEnds(view.stopsIn, chrome)}</span></span>
    </label>
  </fieldset>`;
}
