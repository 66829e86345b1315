/** `/company/{slug}/members`, `/company/{slug}/history`, `/invitation`: members of a company, and invitations. */

import { historyEntryOf, historyPage } from "../../owners/apps/history-page.ts";
import { canonicalLogin } from "../../owners/canonical-login.ts";
import {
  addresseeOf,
  changeRole as changeRoleOf,
  inviteMember,
  joinByInvitation,
  membersPage,
  nameOfActor,
  openInvitation,
  removeMember,
  withdrawInvitation,
} from "../../owners/companies/company-members.ts";
import { invitationEnd } from "../../owners/companies/ended-invitation.ts";
import { invitationFacts } from "../../owners/companies/invitation-facts.ts";
import type { MemberOutcome, Role } from "../../owners/company-storage.ts";
import { isHeldByAnother } from "../../owners/identities/sign-in-at-company.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import type { CompanyHistoryView, CompanyMembersView, InvitationView } from "../../pages/company/views.ts";
import { companyHistoryPage, companyMembersPage, invitationPage } from "../../pages/index.ts";
import type { Messages } from "../../pages/messages/index.ts";
import { visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../http-message.ts";
import { type ReceiptTools, receiptAnswer } from "../receipts/receipt-file.ts";
import { signedInAs } from "./client-and-person-views.ts";
import { historyEntry, memberIn } from "./history.ts";
import {
  backTo,
  type CompanyTools,
  forAdmins,
  forMembers,
  type InCompany,
  idIn,
  noLongerAdmin,
  unproved,
} from "./require-membership.ts";
import { type Account, signedIn } from "./require-sign-in.ts";
import { securityAfter } from "./security.ts";
import { signInAnswer } from "./sign-in-page.ts";

export const showMembers = forAdmins((at, tools: CompanyTools) => membersAnswer(at, {}, tools));

type Invited = Partial<Pick<CompanyMembersView, "invited" | "addressee" | "problem">>;

async function membersAnswer(at: InCompany, shown: Invited, tools: CompanyTools): Promise<Answer> {
  const { frame, person, http, visitor } = at;
  const named = http.method === "GET" ? new URLSearchParams(http.query).get("after") : null;
  const after = named === null ? null : (canonicalLogin(named) ?? null);
  const { members, next, invitations, lastAdmin } = await membersPage(at, after, tools.companies);
  const view: CompanyMembersView = {
    ...frame,
    members: members.map(({ personId, username, personName, role, roleFrom, since, accountStatus }) => ({
      ...{
        personId,
        username,
        personName,
        role,
        roleFrom,
        since,
        disabled: accountStatus === "disabled",
        self: personId === person.personId,
      },
    })),
    next,
    first: after === null,
    lastAdmin,
    invitations: invitations.map(({ invitationId, addressee, role, expiresAt }) => ({
      ...{ invitationId, addressee, role, expiresAt },
    })),
    ...{ invited: null, addressee: "", problem: null, ...shown },
  };
  const status = view.problem === null ? 200 : view.problem === "tooOften" ? 429 : 400;
  return page(status, companyMembersPage(view, tools.chrome(http)), "here", visitor.cookies);
}

function roleOf(form: URLSearchParams): Role | undefined {
  return (["member", "admin"] as const).find((one) => one === form.get("role"));
}

export const changeRole = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const role = roleOf(form);
  const personId = idIn(form, "person_id");
  if (role === undefined) return backTo(at, "/members", "nothing", tools);
  // A stranger at an open browser must not make an admin, who could stay for good.
  const unsure = await unproved(at, "/members/role", tools);
  if (unsure !== undefined) return unsure;
  const outcome = await changeRoleOf(at, personId, role, tools.companies);
  // The page of the members is for admins alone.
  if (outcome.kind === "done" && role === "member" && personId === at.person.personId)
    return backTo(at, "", "roleSelf", tools);
  return memberAnswer(at, outcome, role === "admin" ? "role" : "roleMember", tools);
});

export const removeFromCompany = forAdmins(async (at, tools: CompanyTools) => {
  const personId = idIn(formOf(at.http), "person_id");
  const unsure = await unproved(at, "/members/remove", tools);
  if (unsure !== undefined) return unsure;
  const outcome = await removeMember(at, personId, tools.companies);
  if (outcome.kind === "done" && personId === at.person.personId) return hasLeft(at, tools);
  return memberAnswer(at, outcome, outcome.returns ? "removedReturns" : "removed", tools);
});

/** Every member may leave. */
export const leaveCompany = forMembers(async (at, tools: CompanyTools) => {
  const outcome = await removeMember(at, at.person.personId, tools.companies);
  if (outcome.kind === "last_admin") return backTo(at, "", "lastAdmin", tools);
  return hasLeft(at, tools);
});

function hasLeft({ visitor }: InCompany, tools: CompanyTools): Answer {
  return redirect(303, `${tools.issuer}/account/companies?done=left`, visitor.cookies);
}

function memberAnswer(
  at: InCompany,
  outcome: MemberOutcome,
  done: "role" | "roleMember" | "removed" | "removedReturns",
  tools: CompanyTools,
): Answer {
  switch (outcome.kind) {
    case "done":
      return backTo(at, "/members", done, tools);
    case "last_admin":
      return backTo(at, "/members", "lastAdmin", tools);
    case "unknown":
      return backTo(at, "/members", "gone", tools);
    case "not_admin":
      return noLongerAdmin(at, tools);
  }
}

/** The link appears once, on this page and in the notice; the database keeps a hash. */
export const invite = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const typed = (form.get("addressee") ?? "").trim().slice(0, 254);
  const addressee = addresseeOf(typed);
  const role = roleOf(form);
  if (addressee === undefined || role === undefined) {
    return membersAnswer(at, { addressee: typed, problem: "addressee" }, tools);
  }
  const unsure = await unproved(at, "/members/invite", tools);
  if (unsure !== undefined) return unsure;
  const outcome = await inviteMember(at, addressee, role, tools.companies);
  if (outcome.kind === "not_admin") return noLongerAdmin(at, tools);
  if (outcome.kind === "member") return membersAnswer(at, { addressee: typed, problem: "member" }, tools);
  if (outcome.kind === "too_many") return membersAnswer(at, { addressee: typed, problem: "tooMany" }, tools);
  if (outcome.kind === "too_often") return membersAnswer(at, { addressee: typed, problem: "tooOften" }, tools);
  const { link, expiresAt, mailed } = outcome;
  const username = addressee.includes("@") ? null : tools.mail.enabled ? "mail" : "noMail";
  return membersAnswer(at, { invited: { addressee, link, expiresAt, mailed, username } }, tools);
});

export const withdraw = forAdmins(async (at, tools: CompanyTools) => {
  const invitationId = idIn(formOf(at.http), "invitation");
  const outcome = await withdrawInvitation(at, invitationId, tools.companies);
  if (outcome.kind === "not_admin") return noLongerAdmin(at, tools);
  return backTo(at, "/members", outcome.kind === "done" ? "withdrawn" : "gone", tools);
});

/** An invitation that doesn't hold. The person who accepted it goes to the company. */
async function endedAnswer(
  token: string,
  { http, visitor }: Pick<Account, "http" | "visitor">,
  tools: CompanyTools,
): Promise<Answer> {
  const end = await invitationEnd(token, visitor.signedIn?.person, tools.companies);
  // A form that is sent again joins nothing, so it doesn't look like a success.
  if (end.kind === "joined" && http.method === "GET")
    return redirect(303, `${tools.issuer}/company/${end.slug}`, visitor.cookies);
  const { kind } = end;
  if (kind === "ended") return problemAnswer("invitation_unknown", http, tools);
  const door = (words: Messages) =>
    kind === "used" || kind === "usedByOther" || kind === "left" || kind === "joined"
      ? { door: { href: "/account/companies", label: words.company.yours } }
      : {};
  const closer = (words: Messages) => ({ ...words.invitationEnds[kind], ...door(words) });
  return problemAnswer("invitation_unknown", http, tools, null, closer);
}

/** A visitor who is not signed in signs in first and comes back. */
export async function showInvitation(http: HttpRequest, tools: FlowTools & CompanyTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const token = new URLSearchParams(http.query).get("token") ?? "";
  if (visitor.signedIn?.person.mustChangePassword === true) {
    const query = new URLSearchParams({ invitation: token });
    return redirect(303, `${tools.issuer}/account/security/password?${query}`, visitor.cookies);
  }
  if (visitor.signedIn !== undefined) return showToPerson(http, tools);
  // Before anybody makes an account for it.
  const invited = await invitationFacts(token, tools.companies);
  if (invited === undefined) return endedAnswer(token, { http, visitor }, tools);
  const continuation = { kind: "invitation", token } as const;
  return signInAnswer({ visitor, http, continuation, flow: undefined, invited }, tools, null);
}

const showToPerson = signedIn(async (account, tools: CompanyTools) => {
  const token = new URLSearchParams(account.http.query).get("token") ?? "";
  const found = await openInvitation(token, account.person, tools.companies);
  if (found === undefined) return endedAnswer(token, account, tools);
  const { company, role, by, forReader, before } = found;
  const { name, slug } = company;
  const shown = { token, company: name, slug, role, by, before, wrongPerson: !forReader };
  return invitationAnswer(account, shown, tools);
});

function invitationAnswer(
  { person, session, http, visitor }: Account,
  shown: Omit<InvitationView, "csrf" | "person">,
  tools: CompanyTools,
): Answer {
  const csrf = formToken(session, tools);
  const view: InvitationView = { ...shown, csrf, person: signedInAs(person) };
  const html = invitationPage(view, tools.chrome(http, { here: `/invitation?token=${shown.token}` }));
  return page(shown.wrongPerson ? 403 : 200, html, "here", visitor.cookies);
}

export const acceptInvitation = signedIn(async (account, tools: CompanyTools & Pick<FlowTools, "elsewhere">) => {
  const { http, visitor, person } = account;
  const form = formOf(http);
  const token = form.get("token") ?? "";
  const invited = await openInvitation(token, person, tools.companies);
  // The other company could act in this one.
  if (invited !== undefined && (await isHeldByAnother(person, invited.company.companyId, tools.elsewhere)))
    return securityAfter("account-held", visitor.cookies, tools);
  const seen = (["member", "admin"] as const).find((one) => one === form.get("before")) ?? null;
  const outcome = await joinByInvitation(token, seen, account, tools.companies);
  const goTo = (path: string) => redirect(303, `${tools.issuer}${path}`, visitor.cookies);
  // The page says what accepting changes now.
  if (outcome.kind === "changed") return goTo(`/invitation?${new URLSearchParams({ token })}`);
  if (outcome.kind !== "joined") return endedAnswer(token, account, tools);
  const { before, role, company } = outcome;
  const done = before === null ? "?done=joined" : before === role ? "" : "?done=promoted";
  return goTo(`/company/${company.slug}${done}`);
});

export const showCompanyHistory = forAdmins(async (at, tools: CompanyTools) => {
  const { key, frame, http, visitor } = at;
  const query = new URLSearchParams(http.query);
  const before = query.has("before") ? idIn(query, "before") : null;
  const owner = { partition: key.partition, ownerId: key.companyId };
  const found = await historyPage(owner, before, tools.companies);
  if (found === undefined) return problemAnswer("not_found", http, tools);
  const chrome = tools.chrome(http);
  const nameOf = namesOf(at, chrome.words, tools);
  const view: CompanyHistoryView = {
    ...frame,
    entries: await Promise.all(
      found.entries.map(async (entry) => {
        const person = memberIn(entry);
        return {
          ...(await historyEntry(entry, chrome.words.language, tools.apps.oauth.catalog)),
          by: await byName(entry, chrome.words, nameOf),
          ...(person === undefined ? {} : { person: await nameOf(person) }),
        };
      }),
    ),
    older: found.older,
    first: before === null,
  };
  return page(200, companyHistoryPage(view, chrome), "here", visitor.cookies);
});

/** Downloads the receipt of an entry of the company's history, for its admins. */
export const downloadCompanyReceipt = forAdmins(async ({ key, http }, tools: CompanyTools & ReceiptTools) => {
  const entryId = idIn(new URLSearchParams(http.query), "entry");
  const entry = await historyEntryOf(key.companyId, entryId, tools.companies);
  return receiptAnswer(entry, http, tools);
});

/**
 * Names of people for a company's admins: a person who acted in its name keeps the name that they knew, until the
 * account is deleted.
 */
function namesOf(at: InCompany, { company }: Messages, tools: CompanyTools): (personId: string) => Promise<string> {
  const asked = new Map<string, Promise<string>>();
  const ask = async (personId: string) => (await nameOfActor(at, personId, tools.companies)) ?? company.formerMember;
  return (personId) => {
    const name = asked.get(personId) ?? ask(personId);
    asked.set(personId, name);
    return name;
  };
}

function byName(
  { clientId, record: { by, clientName } }: HistoryEntry,
  { company }: Messages,
  nameOf: (personId: string) => Promise<string>,
): Promise<string> | string {
  if (by === "operator") return company.byOperator;
  // A sign-in at the company's own provider.
  if (by === "server") return clientId === "" && clientName !== null ? clientName : company.byServer;
  return by === "client" ? (clientName ?? company.byApp) : nameOf(by);
}
