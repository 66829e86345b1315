/** `/company/{slug}/members`, `/company/{slug}/history`, `/invitation`: who belongs to a company, who is asked to. */

import { sha256 } from "../../crypto/credential.ts";
import { newId } from "../../crypto/id.ts";
import { randomBytes, randomText } from "../../crypto/random.ts";
import { INVITATION_TTL } from "../../owners/company.ts";
import type { MemberOutcome, Role } from "../../owners/company-storage.ts";
import { canonicalLogin } from "../../owners/names.ts";
import type { HistoryEntry } from "../../owners/storage.ts";
import type { CompanyHistoryView, CompanyMembersView, InvitationView } from "../../pages/company-views.ts";
import { companyHistoryPage, companyMembersPage, invitationPage } from "../../pages/index.ts";
import type { Messages } from "../../pages/messages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { isFresh } from "../reauthentication.ts";
import { visitorOf } from "../visitor.ts";
import { type Account, signedIn } from "./account.ts";
import { signedInAs } from "./cards.ts";
import { backTo, forAdmins, forMembers, type InCompany, idIn, isPersonId, noLongerAdmin, unproved } from "./company.ts";
import { historyEntry, receiptAnswer } from "./history.ts";
import { confirmFirst } from "./security.ts";
import { signInAnswer } from "./sign-in-page.ts";

const MEMBERS_SHOWN = 50;
const ENTRIES_SHOWN = 25;

export const showMembers = forAdmins((at, assent) => membersAnswer(at, {}, assent));

type Invited = Partial<Pick<CompanyMembersView, "invited" | "addressee" | "problem">>;

async function membersAnswer(at: InCompany, shown: Invited, assent: Assent): Promise<Answer> {
  const { key, frame, person, http, visitor } = at;
  const named = http.method === "GET" ? new URLSearchParams(http.query).get("after") : null;
  const after = named === null ? null : (canonicalLogin(named) ?? null);
  const [members, invitations, soleAt] = await Promise.all([
    assent.storage.members.list({ ...key, limit: MEMBERS_SHOWN + 1, after }),
    assent.storage.invitations.list({ ...key, now: assent.now() }),
    assent.storage.people.soleAdminOf(person),
  ]);
  const page1 = members.slice(0, MEMBERS_SHOWN);
  const view: CompanyMembersView = {
    ...frame,
    members: page1.map(({ personId, username, role, since, standing }) => ({
      ...{ personId, username, role, since, disabled: standing === "disabled", self: personId === person.personId },
    })),
    next: members.length > MEMBERS_SHOWN ? (page1.at(-1)?.username ?? null) : null,
    first: after === null,
    lastAdmin: soleAt.some(({ slug }) => slug === at.acting.company.slug),
    invitations: invitations.map(({ invitationId, addressee, role, expiresAt }) => ({
      ...{ invitationId, addressee, role, expiresAt },
    })),
    ...{ invited: null, addressee: "", problem: null, ...shown },
  };
  const problem = view.problem !== null;
  return page(problem ? 400 : 200, companyMembersPage(view, assent.chrome(http)), "here", visitor.cookies);
}

function roleOf(form: URLSearchParams): Role | undefined {
  return (["member", "admin"] as const).find((one) => one === form.get("role"));
}

/** True: whoever has borrowed this browser must not make an admin, who could stay for good. */
async function isStaleFor(role: Role, at: InCompany, assent: Assent): Promise<boolean> {
  return role === "admin" && !(await isFresh(at, assent));
}

export const changeRole = forAdmins(async (at, assent) => {
  const { key, person, http } = at;
  const form = formOf(http);
  const role = roleOf(form);
  const personId = idIn(form, "person_id");
  if (role === undefined) return backTo(at, "/members", "nothing", assent);
  if (await isStaleFor(role, at, assent)) return confirmFirst(`company/${at.frame.company.slug}`, at, assent);
  const outcome = await assent.storage.members.setRole({
    ...key,
    personId,
    role,
    by: person.personId,
    now: assent.now(),
  });
  if (outcome.kind === "done") {
    assent.event("company_role_changed", { company: key.companyId, person: personId, role, by: person.personId });
  }
  return memberAnswer(at, outcome, "role", assent);
});

export const removeFromCompany = forAdmins(async (at, assent) => {
  const personId = idIn(formOf(at.http), "person_id");
  const unsure = await unproved(at, "/members/remove", assent);
  if (unsure !== undefined) return unsure;
  return memberAnswer(at, await removed(at, personId, assent), "removed", assent);
});

/** Every member may leave. */
export const leaveCompany = forMembers(async (at, assent) => {
  const outcome = await removed(at, at.person.personId, assent);
  if (outcome.kind === "last_admin") return backTo(at, "", "lastAdmin", assent);
  return redirect(303, `${assent.issuer}/account/companies`, at.visitor.cookies);
});

async function removed(
  { key, person, acting: { company } }: InCompany,
  personId: string,
  assent: Assent,
): Promise<MemberOutcome> {
  const now = assent.now();
  if (!isPersonId(personId)) return { kind: "unknown" };
  const whom = { partition: assent.credentials.partitionOf(personId), personId };
  const { companyId, slug, name } = company;
  const by = { personId: person.personId, username: person.username };
  const notice = { kind: "company_removal", company: { companyId, slug, name }, by, personId } as const;
  // Who leaves knows it.
  const mails = personId === person.personId ? [] : await assent.noticeLetters(notice);
  const outcome = await assent.storage.members.remove({ ...key, person: whom, mails, by: person.personId, now });
  if (outcome.kind === "done") {
    if (personId !== person.personId) assent.notify(notice);
    const { grantsEnded } = outcome;
    assent.event("company_member_removed", {
      company: companyId,
      person: personId,
      by: person.personId,
      grants_ended: grantsEnded,
    });
  }
  return outcome;
}

function memberAnswer(at: InCompany, outcome: MemberOutcome, done: "role" | "removed", assent: Assent): Answer {
  switch (outcome.kind) {
    case "done":
      return backTo(at, "/members", done, assent);
    case "last_admin":
      return backTo(at, "/members", "lastAdmin", assent);
    case "unknown":
      return backTo(at, "/members", "gone", assent);
    case "not_admin":
      return noLongerAdmin(at, assent);
  }
}

/** The link stands on this page and in the notice, once; the database keeps a hash. */
export const invite = forAdmins(async (at, assent) => {
  const { key, person, http, frame } = at;
  const form = formOf(http);
  const typed = (form.get("addressee") ?? "").trim().slice(0, 254);
  const addressee = canonicalLogin(typed);
  const role = roleOf(form);
  if (addressee === undefined || role === undefined) {
    return membersAnswer(at, { addressee: typed, problem: "addressee" }, assent);
  }
  if (await isStaleFor(role, at, assent)) return confirmFirst(`company/${frame.company.slug}`, at, assent);
  const now = assent.now();
  const invitationId = newId(key.partition);
  const salt = randomBytes(32);
  const expiresAt = now + INVITATION_TTL;
  const invitedBy = person.personId;
  const token = assent.credentials.make("invitation", invitationId, 0, salt);
  const link = `${assent.issuer}/invitation?token=${token}`;
  const { companyId } = key;
  const notice = {
    kind: "company_invitation",
    company: { companyId, ...frame.company },
    ...{ addressee, role, link, expiresAt },
    by: { personId: person.personId, username: person.username },
  } as const;
  const mails = await assent.noticeLetters(notice);
  const outcome = await assent.storage.invitations.create({
    invitation: { ...key, invitationId, addressee, role, invitedBy, createdAt: now, expiresAt, status: "open" },
    ...{ saltHash: sha256(salt), by: person.personId, now },
    mails,
  });
  if (outcome.kind === "not_admin") return noLongerAdmin(at, assent);
  if (outcome.kind === "too_many") return membersAnswer(at, { addressee: typed, problem: "tooMany" }, assent);
  assent.event("company_invitation_made", {
    company: companyId,
    invitation: invitationId,
    role,
    by: person.personId,
  });
  assent.notify(notice);
  // Of a username it isn't said: who invites would learn which names have an account.
  const mailed = addressee.includes("@") && mails.length > 0;
  return membersAnswer(at, { invited: { addressee, link, expiresAt, mailed } }, assent);
});

export const withdraw = forAdmins(async (at, assent) => {
  const { key, person, http } = at;
  const invitationId = idIn(formOf(http), "invitation");
  const now = assent.now();
  const outcome = await assent.storage.invitations.withdraw({ ...key, invitationId, by: person.personId, now });
  if (outcome.kind === "not_admin") return noLongerAdmin(at, assent);
  return backTo(at, "/members", outcome.kind === "done" ? "withdrawn" : "gone", assent);
});

/** The invitation of a token, as the storage is asked for it; undefined: none of ours. */
function placeOf(token: string, assent: Assent) {
  const credential = assent.credentials.read("invitation", token);
  if (credential === undefined) return undefined;
  const { partition, grantId: invitationId, saltHash } = credential;
  return { partition, invitationId, saltHash, now: assent.now() };
}

function gone({ http }: Account, assent: Assent): Answer {
  return problemAnswer("invitation_unknown", http, assent);
}

/** Whoever isn't signed in signs in first and comes back; what isn't an invitation of ours leads to the plain sign-in. */
export async function showInvitation(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const token = new URLSearchParams(http.query).get("token") ?? "";
  if (visitor.signedIn === undefined && placeOf(token, assent) !== undefined) {
    const continuation = { kind: "invitation", token } as const;
    return signInAnswer({ visitor, http, continuation, flow: undefined }, assent, null);
  }
  return showToPerson(http, assent);
}

const showToPerson = signedIn(async (account, assent) => {
  const token = new URLSearchParams(account.http.query).get("token") ?? "";
  const place = placeOf(token, assent);
  const found = place && (await assent.storage.invitations.find(place));
  if (found === undefined) return gone(account, assent);
  const { username, email } = account.person;
  const { addressee, role } = found.invitation;
  const wrongPerson = addressee !== username && addressee !== email;
  return invitationAnswer(account, { token, company: found.company.name, role, wrongPerson }, assent);
});

function invitationAnswer(
  { person, session, http, visitor }: Account,
  shown: Pick<InvitationView, "token" | "company" | "role" | "wrongPerson">,
  assent: Assent,
): Answer {
  const csrf = formToken(assent.secrets, `session:${session.sessionId}`);
  const view: InvitationView = { ...shown, csrf, person: signedInAs(person) };
  const html = invitationPage(view, assent.chrome(http, { here: `/invitation?token=${shown.token}` }));
  return page(shown.wrongPerson ? 403 : 200, html, "here", visitor.cookies);
}

export const acceptInvitation = signedIn(async (account, assent) => {
  const { person, http, visitor } = account;
  const place = placeOf(formOf(http).get("token") ?? "", assent);
  if (place === undefined) return gone(account, assent);
  const outcome = await assent.storage.invitations.accept({ ...place, person, link: randomText(16) });
  if (outcome.kind !== "joined") return gone(account, assent);
  const { companyId, slug } = outcome.company;
  assent.event("company_member_joined", { company: companyId, person: person.personId });
  return redirect(303, `${assent.issuer}/company/${slug}?done=joined`, visitor.cookies);
});

export const showCompanyHistory = forAdmins(async (at, assent) => {
  const { key, frame, http, visitor } = at;
  const query = new URLSearchParams(http.query);
  const before = query.has("before") ? idIn(query, "before") : null;
  const ownerId = key.companyId;
  const last = before === null ? undefined : await assent.storage.history.get({ ownerId, entryId: before });
  if (before !== null && last === undefined) return problemAnswer("not_found", http, assent);
  const { partition } = key;
  const found = await assent.storage.history.list({
    partition,
    ownerId,
    before: last ?? null,
    limit: ENTRIES_SHOWN + 1,
  });
  const shown = found.slice(0, ENTRIES_SHOWN);
  const chrome = assent.chrome(http);
  const nameOf = namesOf(at, chrome.words, assent);
  const view: CompanyHistoryView = {
    ...frame,
    entries: await Promise.all(
      shown.map(async (entry) => ({
        ...(await historyEntry(entry, chrome.words.language, assent)),
        by: await byName(entry, chrome.words, nameOf),
        ...(entry.record.personId === undefined ? {} : { person: await nameOf(entry.record.personId) }),
      })),
    ),
    older: found.length > ENTRIES_SHOWN ? (shown.at(-1)?.entryId ?? null) : null,
    first: before === null,
  };
  return page(200, companyHistoryPage(view, chrome), "here", visitor.cookies);
});

/** An entry of the company's history to keep, for its admins. */
export const downloadCompanyReceipt = forAdmins(async ({ key, http }, assent) => {
  const entryId = idIn(new URLSearchParams(http.query), "entry");
  const entry = await assent.storage.history.get({ ownerId: key.companyId, entryId });
  return receiptAnswer(entry, http, assent);
});

/** Names of people for a company's admins: whoever acted in its name keeps the one that they knew, until the account is gone. */
function namesOf({ key }: InCompany, { company }: Messages, assent: Assent): (personId: string) => Promise<string> {
  const asked = new Map<string, Promise<string>>();
  const ask = async (personId: string) => {
    const acting = await assent.storage.members.findActing({ ...key, personId, clientId: null });
    if (acting !== undefined) return acting.member.username;
    const partition = assent.credentials.partitionOf(personId);
    return (await assent.storage.people.get({ partition, personId }))?.username ?? company.formerMember;
  };
  return (personId) => {
    const name = asked.get(personId) ?? ask(personId);
    asked.set(personId, name);
    return name;
  };
}

function byName(
  { record: { by, clientName } }: HistoryEntry,
  { company }: Messages,
  nameOf: (personId: string) => Promise<string>,
): Promise<string> | string {
  if (by === "operator") return company.byOperator;
  if (by === "server") return company.byServer;
  return by === "client" ? (clientName ?? company.byApp) : nameOf(by);
}
