/** The question before access ends for other people in a company: how many people it affects, what continues, and when access stops. */
import type { Chrome } from "../chrome.ts";
import { fill, plural, rich } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { NAME_LENGTH, name, visible } from "../text.ts";
import { shownTime } from "../time.ts";
import { companyPage, companyPath } from "./frame.ts";
import type { CompanyConfirmView } from "./views.ts";

/** Renders `GET /company/{slug}/revoke`, `/leave` and `/members/remove`, and the question after some decisions about an app. */
export function companyConfirmPage(view: CompanyConfirmView, chrome: Chrome): string {
  const { words } = chrome;
  const { confirm } = words.company;
  const { what, subject, company } = view;
  const plain = visible(subject, NAME_LENGTH);
  const names = { app: name(subject), person: name(subject), company: name(company.name) };
  const title = fill(confirm[`${what}Title`], {
    app: plain,
    person: plain,
    company: visible(company.name, NAME_LENGTH),
  });
  const path = companyPath(view, chrome);
  const here = what === "remove" ? "members" : "apps";
  const content = html`<section class="card panel stack" aria-labelledby="question">
    <h2 id="question">${rich(confirm[`${what}Title`], names)}</h2>
    <p>${rich(confirm[`${what}Text`], names)}</p>
    ${facts(view, chrome)}
    ${what !== "unapprove" && html`<p class="soft small">${stops(view, chrome)}</p>`}
    <form class="fields" method="post" action=${path + view.action}>
      ${hidden({ csrf: view.csrf, ...view.fields })} ${what === "unapprove" && choice(view, chrome)}
      <div class="row-actions">
        <button class=${what === "unapprove" ? "button" : "button danger"} type="submit"><span>${button(view, chrome)}</span></button>
        <a class="button" href=${path + (what === "remove" ? "/members" : "")}>${confirm.cancel}</a>
      </div>
    </form>
  </section>`;
  return companyPage({ ...view, notice: null }, here, title, content, chrome);
}

function facts({ what, people, apps }: CompanyConfirmView, { words }: Chrome): Child {
  const { company } = words;
  if (what === "remove" || what === "leave") {
    return [
      html`<p class="soft small">${company.confirm.apps}</p>`,
      apps.length === 0
        ? html`<p>${company.confirm.none}</p>`
        : html`<ul class="can">${apps.map((app) => html`<li>${icon("x")}<span>${name(app)}</span></li>`)}</ul>`,
    ];
  }
  const count = fill(plural(words.language, company.people, people), { count: people });
  const value = people === 0 ? company.nobody : count;
  return html`<dl class="facts"><div><dt>${company.usedBy}</dt><dd>${value}</dd></div></dl>`;
}

function stops({ stopsIn }: CompanyConfirmView, { words }: Chrome): string {
  if (stopsIn < 1) return words.apps.stopsAtOnce;
  return fill(plural(words.language, words.apps.stopsSoon, stopsIn), { count: stopsIn });
}

/** The choice for people who already use the app. Nothing ends unless the admin selects it. */
function choice(view: CompanyConfirmView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { confirm } = words.company;
  const keep =
    view.endsAt === null ? confirm.keepForever : rich(confirm.keep, { when: shownTime(words, view.endsAt, "exact") });
  return html`<fieldset class="group">
    <legend class="unseen">${rich(confirm.unapproveTitle, { app: name(view.subject) })}</legend>
    <label class="choice">
      <input type="radio" name="members" value="keep" checked />
      <span class="choice-text"><span>${keep}</span></span>
    </label>
    <label class="choice">
      <input type="radio" name="members" value="end" />
      <span class="choice-text"><span>${confirm.end}</span><span class="soft small">${stops(view, chrome)}</span></span>
    </label>
  </fieldset>`;
}

function button({ what, company }: CompanyConfirmView, { words }: Chrome): Child {
  switch (what) {
    case "revoke":
      return words.company.revokeAll;
    case "block":
      return words.company.block;
    case "unapprove":
      return words.company.save;
    case "remove":
      return words.company.remove;
    case "leave":
      return rich(words.company.leave, { company: name(company.name) });
  }
}
