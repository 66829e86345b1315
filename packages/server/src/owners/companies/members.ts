/** Who belongs to a company: its admins change roles, remove, invite; whoever is invited joins. */

import { canonicalSlug, INVITATION_TTL } from "../company.ts";
import type { Acting, Company, CompanyKey, Invitation, Member, MemberOutcome, Role } from "../company-storage.ts";
import { canonicalLogin } from "../names.ts";
import type { Person } from "../person.ts";
import type { Session } from "../storage.ts";
import { type AsMember, askedBy, type CompanyContext, isPersonId, toldOf } from "./context.ts";

/** What a person is in the company of that slug; undefined: no active member, signed out since, or there is no such company. */
export async function membershipOf(
  slug: string,
  { person: { personId }, session }: { readonly person: Person; readonly session: Session },
  { storage }: CompanyContext,
): Promise<{ readonly key: CompanyKey; readonly acting: Acting } | undefined> {
  const canonical = canonicalSlug(slug);
  const company = canonical === undefined ? undefined : await storage.companies.find({ slug: canonical });
  if (company === undefined) return undefined;
  const { partition, companyId } = company;
  const key = { partition, companyId };
  const acting = await storage.members.findActing({ ...key, personId, clientId: null });
  if (acting?.company.status !== "active" || acting.member.standing !== "active") return undefined;
  // After the member was found: else what ended the session before that, the company may have heard of already (`askedBy`).
  return (await storage.sessions.isOpen(session)) ? { key, acting } : undefined;
}

/** The companies of a person, by name. */
export function companiesOf({ partition, personId }: Person, { storage, now }: CompanyContext) {
  return storage.members.companiesOf({ partition, personId, clientId: null, now: now() });
}

/** One member, whatever became of them; undefined: they don't belong to the company. */
export async function memberOf(
  { key }: AsMember,
  personId: string,
  { storage }: CompanyContext,
): Promise<Member | undefined> {
  return (await storage.members.findActing({ ...key, personId, clientId: null }))?.member;
}

/** Members of one page. */
const MEMBERS_SHOWN = 50;

export interface MembersPage {
  readonly members: readonly Member[];
  /** The last username of this page, where another one follows; else null. */
  readonly next: string | null;
  readonly invitations: readonly Invitation[];
  /** The reader is its only admin: without them nobody could change anything. */
  readonly lastAdmin: boolean;
}

/** A page of members by username. `after`: the last username of the page before; null: the first page. */
export async function membersPage(
  { key, person, acting: { company } }: AsMember,
  after: string | null,
  { storage, now }: CompanyContext,
): Promise<MembersPage> {
  const [members, invitations, soleAt] = await Promise.all([
    storage.members.list({ ...key, limit: MEMBERS_SHOWN + 1, after }),
    storage.invitations.list({ ...key, now: now() }),
    storage.people.soleAdminOf(person),
  ]);
  const shown = members.slice(0, MEMBERS_SHOWN);
  const next = members.length > MEMBERS_SHOWN ? (shown.at(-1)?.username ?? null) : null;
  return { members: shown, next, invitations, lastAdmin: soleAt.some(({ slug }) => slug === company.slug) };
}

export async function changeRole(
  at: AsMember,
  personId: string,
  role: Role,
  { storage, event, now }: CompanyContext,
): Promise<MemberOutcome> {
  const { key } = at;
  const by = at.person.personId;
  const outcome = await storage.members.setRole({ ...key, personId, role, ...askedBy(at), now: now() });
  if (outcome.kind === "done") event("company_role_changed", { company: key.companyId, person: personId, role, by });
  return outcome;
}

/** Removes a member; anybody may remove themselves. */
export async function removeMember(
  at: AsMember,
  personId: string,
  { storage, credentials, noticeLetters, notify, event, now: clock }: CompanyContext,
): Promise<MemberOutcome> {
  const now = clock();
  if (!isPersonId(personId)) return { kind: "unknown" };
  const { key, person } = at;
  const notice = { kind: "company_removal", ...toldOf(at), personId } as const;
  // Who leaves knows it.
  const leaves = personId === person.personId;
  const mails = leaves ? [] : await noticeLetters(notice);
  const whom = { partition: credentials.partitionOf(personId), personId };
  const by = person.personId;
  const outcome = await storage.members.remove({ ...key, person: whom, mails, ...askedBy(at), now });
  if (outcome.kind !== "done") return outcome;
  if (!leaves) notify(notice);
  const what = { company: key.companyId, person: personId, by };
  event("company_member_removed", { ...what, grants_ended: outcome.grantsEnded });
  return outcome;
}

/** Whom an admin invites, as a form names them; undefined: nobody can be called so. */
export function addresseeOf(typed: string): string | undefined {
  return canonicalLogin(typed);
}

export type InviteOutcome =
  /** `link`: shown once; the database keeps a hash. `mailed`: a message with it is on its way to the address. */
  | { readonly kind: "invited"; readonly link: string; readonly expiresAt: number; readonly mailed: boolean }
  | { readonly kind: "not_admin" }
  | { readonly kind: "too_many" };

/** `addressee`: canonical username or address. */
export async function inviteMember(
  at: AsMember,
  addressee: string,
  role: Role,
  context: CompanyContext,
): Promise<InviteOutcome> {
  const { storage, credentials, newId, invitationLink, noticeLetters, notify, event } = context;
  const { key, person } = at;
  const now = context.now();
  const invitationId = newId(key.partition);
  const { salt, hash: saltHash } = credentials.newSalt();
  const expiresAt = now + INVITATION_TTL;
  const by = person.personId;
  const link = invitationLink(credentials.make("invitation", invitationId, 0, salt));
  const notice = { kind: "company_invitation", ...toldOf(at), addressee, role, link, expiresAt } as const;
  const mails = await noticeLetters(notice);
  const made = { createdAt: now, expiresAt, status: "open" } as const;
  const invitation = { ...key, invitationId, addressee, role, invitedBy: by, ...made };
  const outcome = await storage.invitations.create({ invitation, saltHash, ...askedBy(at), now, mails });
  if (outcome.kind !== "invited") return { kind: outcome.kind };
  event("company_invitation_made", { company: key.companyId, invitation: invitationId, role, by });
  notify(notice);
  // Of a username it isn't said: who invites would learn which names have an account.
  return { kind: "invited", link, expiresAt, mailed: addressee.includes("@") && mails.length > 0 };
}

export function withdrawInvitation(
  at: AsMember,
  invitationId: string,
  { storage, now }: CompanyContext,
): Promise<{ readonly kind: "done" | "not_admin" | "unknown" }> {
  return storage.invitations.withdraw({ ...at.key, invitationId, ...askedBy(at), now: now() });
}

/** True: the token is one of ours, whatever became of its invitation. */
export function isInvitation(token: string, { credentials }: Pick<CompanyContext, "credentials">): boolean {
  return credentials.read("invitation", token) !== undefined;
}

function presentedInvitation(token: string, { credentials, now }: CompanyContext) {
  const credential = credentials.read("invitation", token);
  if (credential === undefined) return undefined;
  const { partition, id: invitationId, saltHash } = credential;
  return { partition, invitationId, saltHash, now: now() };
}

/** The open invitation of a link. `forReader`: it bears the reader's name; undefined: none that holds. */
export async function openInvitation(
  token: string,
  { username, email }: Pick<Person, "username" | "email">,
  context: CompanyContext,
): Promise<{ readonly company: Company; readonly role: Role; readonly forReader: boolean } | undefined> {
  const invitationKey = presentedInvitation(token, context);
  const found = invitationKey && (await context.storage.invitations.find(invitationKey));
  if (found === undefined) return undefined;
  const { addressee, role } = found.invitation;
  return { company: found.company, role, forReader: addressee === username || addressee === email };
}

/** The company that the person has joined; undefined: no invitation of theirs. */
export async function joinByInvitation(
  token: string,
  { person, session }: { readonly person: Person; readonly session: Pick<Session, "sessionId"> },
  context: CompanyContext,
): Promise<Pick<Company, "companyId" | "slug"> | undefined> {
  const invitationKey = presentedInvitation(token, context);
  if (invitationKey === undefined) return undefined;
  const link = context.randomText(16);
  const outcome = await context.storage.invitations.accept({
    ...invitationKey,
    person,
    sessionId: session.sessionId,
    link,
  });
  if (outcome.kind !== "joined") return undefined;
  context.event("company_member_joined", { company: outcome.company.companyId, person: person.personId });
  return outcome.company;
}

/** The name by which a company's admins know somebody who acted in it; undefined: the account is gone. */
export async function nameOfActor(
  { key }: AsMember,
  personId: string,
  { storage, credentials }: CompanyContext,
): Promise<string | undefined> {
  const acting = await storage.members.findActing({ ...key, personId, clientId: null });
  if (acting !== undefined) return acting.member.username;
  const partition = credentials.partitionOf(personId);
  return (await storage.people.get({ partition, personId }))?.username;
}
