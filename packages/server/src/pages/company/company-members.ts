/** `/company/{slug}/members`, `/company/{slug}/history`, `/account/companies`, `/invitation`: a company's members, and how people join. */
import type { Chrome } from "../chrome.ts";
import { historyList, receiptNote } from "../history.ts";
import { fill, rich, sentences } from "../messages/index.ts";
import { hidden, notice, titled } from "../parts/components.ts";
import { type Attributes, type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { accountPage, cardPage } from "../parts/layout.ts";
import { bothNames } from "../parts/person-names.ts";
import { invitedLine } from "../parts/what-waits.ts";
import { timeElement } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import { askButton, companyPage, companyPath, oneButton, select } from "./company-layout.ts";
import type { CompaniesView, CompanyHistoryView, CompanyMembersView, InvitationView } from "./views.ts";

const ADDRESSEE_ERROR = "addressee-error";

/** Renders `GET /company/{slug}/members`, for admins. */
export function companyMembersPage(view: CompanyMembersView, chrome: Chrome): string {
  const { company } = chrome.words;
  const path = companyPath(view, chrome);
  const content = [
    view.invited !== null && invited(view.invited, view, chrome),
    html`<section class="stack" aria-labelledby="members">
      <h2 id="members">${company.members}</h2>
      <ul class="card rows">${view.members.map((member) => memberRow(member, view, chrome))}</ul>
      ${
        (view.next !== null || !view.first) &&
        html`<p class="pager">
          ${!view.first && html`<a class="button" href=${`${path}/members`}>${company.firstPage}</a>`}
          ${view.next !== null && html`<a class="button" href=${`${path}/members?after=${encodeURIComponent(view.next)}`}>${company.nextPage}</a>`}
        </p>`
      }
    </section>`,
    invite(view, chrome),
    view.invitations.length > 0 &&
      html`<section class="stack" aria-labelledby="invitations">
        <h2 id="invitations">${company.invitations}</h2>
        <ul class="card rows">
          ${view.invitations.map(
            (one) =>
              html`<li class="row">
                <div>
                  <p>${name(one.addressee)} <span class="tag">${company.roles[one.role]}</span></p>
                  <p class="soft small">${rich(company.invitationEnds, { when: timeElement(chrome.words, one.expiresAt, view.now) })}</p>
                </div>
                ${oneButton(
                  `${path}/members/withdraw`,
                  { csrf: view.csrf, invitation: one.invitationId },
                  { text: company.withdraw, about: name(one.addressee) },
                )}
              </li>`,
          )}
        </ul>
      </section>`,
  ];
  return companyPage(view, "members", company.membersTitle, content, chrome, view.problem !== null);
}

function memberRow(member: CompanyMembersView["members"][number], view: CompanyMembersView, chrome: Chrome): Markup {
  const { words } = chrome;
  const { company } = words;
  const path = companyPath(view, chrome);
  const about = name(member.username);
  const other = member.role === "admin" ? "member" : "admin";
  const fields = { csrf: view.csrf, person_id: member.personId };
  return html`<li class="row">
    <div>
      <p>
        ${bothNames({ ...member, name: member.personName })} <span class="tag">${company.roles[member.role]}</span>
        ${member.self && [" ", html`<span class="tag">${company.you}</span>`]}
        ${member.disabled && [" ", html`<span class="tag warn">${company.disabled}</span>`]}
      </p>
      <p class="soft small">${rich(company.since, { when: timeElement(words, member.since, view.now) })}</p>
      ${member.roleFrom !== null && html`<p class="soft small">${rich(company.roleThere, { provider: name(member.roleFrom) })}</p>`}
    </div>
    ${
      member.self && view.lastAdmin
        ? html`<p class="soft small">${company.notices.lastAdmin}</p>`
        : html`<div class="row-actions">
      ${oneButton(`${path}/members/role`, { ...fields, role: other }, { text: other === "admin" ? company.makeAdmin : company.makeMember, about })}
      ${askButton(`${path}/members/remove`, { person_id: member.personId }, { text: company.remove, about })}
    </div>`
    }
  </li>`;
}

/** The link of a new invitation. Only this page shows it. */
function invited(
  { addressee, link, expiresAt, mailed, username }: NonNullable<CompanyMembersView["invited"]>,
  view: CompanyMembersView,
  { words }: Chrome,
): Markup {
  const { company } = words;
  const [title, text] = mailed
    ? [company.invitedMailed, company.invitedMailedText]
    : [company.invitedTitle, company.invitedText];
  const holes = { person: name(addressee), when: timeElement(words, expiresAt, view.now) };
  return html`<section class="card panel fields" aria-labelledby="invited">
    <h2 id="invited">${rich(title, holes)}</h2>
    <p>${sentences(words.language, rich(text, holes), rich(company.invitedAgain, holes))}</p>
    ${username !== null && html`<p>${rich(company.invitedUsername[username], holes)}</p>`}
    <p><code class="secret-link" dir="ltr">${link}</code></p>
  </section>`;
}

function invite(view: CompanyMembersView, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const wrong = view.problem === "addressee" || view.problem === "member";
  const fault =
    view.problem === "member" ? rich(company.memberAlready, { person: name(view.addressee) }) : company.wrongAddressee;
  const described: Attributes = wrong
    ? {
        "aria-describedby": ADDRESSEE_ERROR,
        "aria-invalid": "true",
        autofocus: true,
      }
    : {};
  return html`<section class="stack" aria-labelledby="invite">
    <h2 id="invite">${company.invite}</h2>
    <div class="card panel">
      <form class="fields" method="post" action=${`${companyPath(view, chrome)}/members/invite`} novalidate>
        ${hidden({ csrf: view.csrf })} ${view.problem === "tooMany" && notice("danger", company.tooManyInvitations, { focus: true })}
        ${view.problem === "tooOften" && notice("danger", company.tooOftenInvited, { focus: true })}
        <div class="field">
          <label for="addressee">${company.addressee}</label>
          <input id="addressee" name="addressee" type="text" value=${view.addressee} maxlength="254" autocomplete="off" autocapitalize="none"
            spellcheck="false" required ...${described} />
          ${
            wrong &&
            html`<p class="field-error" id=${ADDRESSEE_ERROR} role="alert">${icon("circleAlert")}<span>${fault}</span></p>`
          }
        </div>
        ${select({ id: "role", name: "role", label: company.role }, [
          { value: "member", label: company.roles.member, selected: true },
          { value: "admin", label: company.roles.admin, selected: false },
        ])}
        <button class="button primary" type="submit">${company.inviteSubmit}</button>
      </form>
    </div>
  </section>`;
}

/** Renders `GET /company/{slug}/history`, for admins. */
export function companyHistoryPage(view: CompanyHistoryView, chrome: Chrome): string {
  const { words } = chrome;
  const { company } = words;
  const path = `${companyPath(view, chrome)}/history`;
  const content: Child = [
    view.entries.length === 0
      ? html`<div class="card empty">${icon("history")}<p class="soft">${company.noHistory}</p></div>`
      : historyList(
          view.entries,
          view.now,
          (entryId) => `${path}/receipt?entry=${encodeURIComponent(entryId)}`,
          words,
          company.events,
        ),
    (view.older !== null || !view.first) &&
      html`<p class="pager">
        ${!view.first && html`<a class="button" href=${path}>${words.history.newest}</a>`}
        ${view.older !== null && html`<a class="button" href=${`${path}?before=${encodeURIComponent(view.older)}`}>${words.history.older}</a>`}
      </p>`,
    view.entries.length > 0 && receiptNote(chrome),
  ];
  return companyPage(view, "history", company.historyTitle, content, chrome);
}

/** Renders `GET /account/companies`. */
export function companiesPage(view: CompaniesView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { company } = words;
  return accountPage(
    chrome,
    company.yours,
    { ...view, here: "companies" },
    html`<div class="stack">
      <div class="heading"><h1>${company.yours}</h1></div>
      ${view.hasLeft && notice("done", company.confirm.hasLeft)}
      ${
        view.companies.length === 0
          ? html`<div class="card empty">${icon("building")}<p class="soft">${company.none}</p></div>`
          : html`<ul class="card rows">
              ${view.companies.map((one) =>
                one.off
                  ? html`<li class="row">
                    <div>
                      <p>${name(one.name)} <span class="tag warn">${company.companyOff}</span></p>
                      <p class="soft small">${company.companyOffText}</p>
                    </div>
                    <span class="tag">${company.roles[one.role]}</span>
                  </li>`
                  : html`<li class="row">
                    <a href=${`${base}/company/${encodeURIComponent(one.slug)}`}>${name(one.name)}</a>
                    <span class="tag">${company.roles[one.role]}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${view.mayCreate && html`<p><a class="button" href=${`${base}/account/companies/new`}>${company.create.link}</a></p>`}
    </div>`,
  );
}

/** Renders the page that the link of an invitation opens. */
export function invitationPage(view: InvitationView, chrome: Chrome): string {
  const { words, base } = chrome;
  const { company } = words;
  const person = bothNames(view.person);
  if (view.before !== null) return memberInvitationPage({ ...view, before: view.before }, chrome);
  return cardPage(
    chrome,
    titled(fill(company.invitationTitle, { company: visible(view.company, NAME_LENGTH) }), view.wrongPerson, words),
    html`<div class="stack">
      <div class="heading">
        <h1>${rich(company.invitationTitle, { company: name(view.company) })}</h1>
        <p>${invitedLine(view, words)}</p>
        <p class="soft">${rich(company.invitationText[view.role], { company: name(view.company) })}</p>
      </div>
      ${
        view.wrongPerson
          ? [
              notice("danger", rich(company.wrongPerson, { person }), {
                focus: true,
              }),
              html`<form class="buttons" method="post" action=${`${base}/login/switch`}>
                ${hidden({ csrf: view.csrf, invitation: view.token })}
                <button class="button" type="submit">${words.consent.switch}</button>
              </form>`,
            ]
          : html`<form class="buttons" method="post" action=${`${base}/invitation`}>
              ${hidden({ csrf: view.csrf, token: view.token })}
              <button class="button primary" type="submit"><span>${rich(company.join, { person })}</span></button>
              <a class="button" href=${`${base}/account/apps`}>${company.notNow}</a>
            </form>`
      }
    </div>`,
  );
}

/** What an invitation changes for somebody who belongs to the company already. */
function memberInvitationPage(view: InvitationView & { readonly before: "member" | "admin" }, chrome: Chrome): string {
  const { words, base } = chrome;
  const { company } = words;
  const { before, role, by } = view;
  const promotes = before === "member" && role === "admin";
  const holes = { company: name(view.company) };
  const { promoted, promotedBy } = words.waiting;
  const offer = by === null ? rich(promoted, holes) : rich(promotedBy, { ...holes, person: bothNames(by) });
  return cardPage(
    chrome,
    fill(company.belongsTitle[before], { company: visible(view.company, NAME_LENGTH) }),
    html`<div class="stack">
      <div class="heading">
        <h1>${rich(company.belongsTitle[before], holes)}</h1>
        ${
          promotes
            ? [
                html`<p>${sentences(words.language, offer, company.promotionText)}</p>`,
                html`<p class="soft">${rich(company.invitationText.admin, holes)}</p>`,
              ]
            : html`<p>${company.invitationChangesNothing}</p>`
        }
      </div>
      ${
        promotes
          ? html`<form class="buttons" method="post" action=${`${base}/invitation`}>
              ${hidden({ csrf: view.csrf, token: view.token, before })}
              <button class="button primary" type="submit">${company.becomeAdmin}</button>
              <a class="button" href=${`${base}/account/apps`}>${company.notNow}</a>
            </form>`
          : html`<div class="buttons"><a class="button primary" href=${companyPath({ company: { name: view.company, slug: view.slug } }, chrome)}><span>${rich(company.goTo, holes)}</span></a></div>`
      }
    </div>`,
  );
}
