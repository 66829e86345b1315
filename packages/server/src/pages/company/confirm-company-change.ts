/** The question before access ends for other people in a company: how many people it affects, what continues, and when access stops. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, plural, rich } from "../messages/index.ts";
import { accessEnds } from "../parts/access-ends.ts";
import { hidden, notice } from "../parts/components.ts";
import { type Child, html } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { companyPage, companyPath } from "./company-layout.ts";
import { lastsThere } from "./connections.ts";
import type { CompanyConfirmView } from "./views.ts";

/** Renders `GET /company/{slug}/revoke`, `/leave` and `/members/remove`. */
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
    <p>${
      what === "leave" && view.returnsBy !== null
        ? rich(confirm.leaveReturns, { provider: name(view.returnsBy) })
        : rich(confirm[`${what}Text`], names)
    }</p>
    ${invitations(view, chrome)} ${
      what === "remove" &&
      view.returnsBy !== null &&
      notice("warning", rich(confirm.removeReturns, { ...names, provider: name(view.returnsBy) }))
    } ${view.rule !== null && html`<p>${rich(afterRevoking(view.rule, view.asksNobody === true, confirm), names)}</p>`}
    ${facts(view, chrome)}
    ${endsSomething(view) && [html`<p class="soft small">${accessEnds(view.stopsIn, chrome)}</p>`, lastsThere(view.lasting, chrome)]}
    <form class="fields" method="post" action=${path + view.action}>
      ${hidden({ csrf: view.csrf, ...view.fields })}
      <div class="row-actions">
        <button class="button danger" type="submit"><span>${button(view, chrome)}</span></button>
        <a class="button" href=${path + (what === "remove" ? "/members" : "")}>${confirm.cancel}</a>
      </div>
    </form>
  </section>`;
  return companyPage({ ...view, notice: null }, here, title, content, chrome);
}

/** Says how the app can get access again. */
function afterRevoking(
  rule: NonNullable<CompanyConfirmView["rule"]>,
  asksNobody: boolean,
  { revokeAfter, revokeAfterUnasked }: Messages["company"]["confirm"],
) {
  if (!asksNobody) return revokeAfter[rule];
  return rule === "members" ? revokeAfterUnasked.members : revokeAfterUnasked.admins;
}

function facts({ what, people, apps }: CompanyConfirmView, { words }: Chrome): Child {
  const { company } = words;
  if (what === "remove" || what === "leave") {
    if (apps.length === 0) return html`<p>${company.confirm.none}</p>`;
    return [
      html`<p class="soft small">${what === "leave" ? company.confirm.leaveApps : company.confirm.apps}</p>`,
      html`<ul class="can lost">${apps.map((app) => html`<li>${icon("x")}<span>${name(app)}</span></li>`)}</ul>`,
    ];
  }
  const count = fill(plural(words.language, company.people, people), { count: people });
  const value = people === 0 ? company.nobody : count;
  return html`<dl class="facts"><div><dt>${company.usedBy}</dt><dd>${value}</dd></div></dl>`;
}

/** Only admins send invitations. Those of a member who goes are withdrawn, and so are those to them. */
function invitations({ what, subject, admin }: CompanyConfirmView, { words }: Chrome): Child {
  const { confirm } = words.company;
  if (what === "remove") return html`<p>${rich(confirm.removeInvitations, { person: name(subject) })}</p>`;
  return what === "leave" && admin && html`<p>${confirm.leaveInvitations}</p>`;
}

/** True unless a member goes for whom no app acts. */
function endsSomething({ what, apps }: CompanyConfirmView): boolean {
  return what === "revoke" || apps.length > 0;
}

function button({ what, company }: CompanyConfirmView, { words }: Chrome): Child {
  switch (what) {
    case "revoke":
      return words.company.revokeAll;
    case "remove":
      return words.company.remove;
    case "leave":
      return rich(words.company.leave, { company: name(company.name) });
  }
}
