/** The members of a company: admins change roles, remove and invite; invited people join. */

import type { Uses } from "../../storage-subset.ts";
import { canonicalLogin } from "../canonical-login.ts";
import { canonicalSlug, INVITATION_TTL, isInvited } from "../company-rules.ts";
import type { CompanySignInStorage } from "../company-sign-in-storage.ts";
import type {
  Acting,
  Company,
  CompanyKey,
  Invitation,
  JoinOutcome,
  Member,
  MemberOutcome,
  Role,
} from "../company-storage.ts";
import type { CompanyProvider } from "../identities/company-provider.ts";
import { mayInvite } from "../mail/mail-limits.ts";
import { pageOf } from "../paging.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage, Session } from "../storage.ts";
import {
  type AsMember,
  askedBy,
  type CompanyContext,
  type InvitationCredentials,
  isPersonId,
  toldOf,
} from "./context.ts";
import { type Inviter, inviterOf } from "./invitation-facts.ts";

/**
 * The person's membership in the company with that slug. Undefined: they are no active member, are signed out
 * meanwhile, or the company does not exist.
 */
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
  if (acting?.company.status !== "active" || acting.member.accountStatus !== "active") return undefined;
  // Check the session after the member was read. Otherwise the company could have learned of the session's end before
  // this read (`askedBy`).
  return (await storage.sessions.isOpen(session)) ? { key, acting } : undefined;
}

/** Whether the company has its own sign-in provider, or may have one. */
export async function hasOwnSignIn({ companyId }: CompanyKey, { storage }: CompanyContext): Promise<boolean> {
  const record = await storage.companySignIn.get({ companyId });
  return record !== undefined && (record.ownProvider || record.provider !== null);
}

/** The active companies of a person, sorted by name. */
export function companiesOf({ partition, personId }: Person, { storage, now }: CompanyContext) {
  return storage.members.companiesOf({ partition, personId, clientId: null, now: now() });
}

/** The same with those that the operator disabled. */
export function allCompaniesOf({ partition, personId }: Person, { storage, now }: CompanyContext) {
  return storage.members.companiesOf({ partition, personId, clientId: null, disabled: true, now: now() });
}

/** One member with any standing. Undefined: the person does not belong to the company. */
export async function memberOf(
  { key }: AsMember,
  personId: string,
  { storage }: CompanyContext,
): Promise<Member | undefined> {
  return (await storage.members.findActing({ ...key, personId, clientId: null }))?.member;
}

/** What a member's sign-in at the company's own provider does here. */
export interface SignInThere {
  /** The provider's name. */
  readonly provider: string;
  /** True: after the membership ended, the next sign-in there makes the person a member again. */
  readonly makesMember: boolean;
}

interface SignInThereContext {
  readonly storage: Uses<CompanySignInStorage, "companySignIn.get"> & Uses<OwnerStorage, "subjectLinks.ofPerson">;
  readonly credentials: Pick<InvitationCredentials, "partitionOf">;
}

/** Undefined: the company's own provider doesn't sign that person in. */
export async function signInThere(
  key: Pick<CompanyKey, "companyId">,
  personId: string,
  context: SignInThereContext,
): Promise<SignInThere | undefined> {
  const provider = await ownProvider(key, context);
  return provider && signInAt(provider, personId, context);
}

async function ownProvider({ companyId }: Pick<CompanyKey, "companyId">, { storage }: SignInThereContext) {
  const provider = (await storage.companySignIn.get({ companyId }))?.provider;
  return provider?.status === "active" ? provider : undefined;
}

async function signInAt(
  provider: CompanyProvider,
  personId: string,
  { storage, credentials }: SignInThereContext,
): Promise<SignInThere | undefined> {
  const links = await storage.subjectLinks.ofPerson({ partition: credentials.partitionOf(personId), personId });
  const theirs = links.filter(({ issuerId, claim }) => issuerId === provider.id && claim === provider.issuer);
  if (theirs.length === 0) return undefined;
  // As `signInAtCompany` decides: somebody who connected an account of their own doesn't come back by it.
  const makesMember = theirs.some(({ madeBy }) => madeBy === "first use");
  return { provider: provider.name, makesMember };
}

/** Number of members on one page. */
const MEMBERS_SHOWN = 50;

/** A member with their display name. Null: the person has none. */
export interface NamedMember extends Member {
  readonly personName: string | null;
  /** The company's own provider, if groups there decide the role at each sign-in. Null: admins decide it here. */
  readonly roleFrom: string | null;
}

export interface MembersPage {
  readonly members: readonly NamedMember[];
  /** The last username of this page if another page follows, otherwise null. */
  readonly next: string | null;
  readonly invitations: readonly Invitation[];
  /** True: the reader is the only admin. Without them nobody could change the company. */
  readonly lastAdmin: boolean;
}

/** A page of members, sorted by username. `after`: the last username of the previous page; null: the first page. */
export async function membersPage(
  { key, person, acting: { company } }: AsMember,
  after: string | null,
  context: CompanyContext,
): Promise<MembersPage> {
  const { storage, credentials, now } = context;
  const [provider, { items, last }, invitations, soleAt] = await Promise.all([
    ownProvider(key, context),
    pageOf(MEMBERS_SHOWN, (limit) => storage.members.list({ ...key, limit, after })),
    storage.invitations.list({ ...key, now: now() }),
    storage.people.soleAdminOf(person),
  ]);
  const members = items.map(async (member) => {
    const { personId } = member;
    const [account, there] = await Promise.all([
      storage.people.get({ partition: credentials.partitionOf(personId), personId }),
      provider?.roles && signInAt(provider, personId, context),
    ]);
    return { ...member, personName: account?.name ?? null, roleFrom: there?.provider ?? null };
  });
  const next = last?.username ?? null;
  return {
    members: await Promise.all(members),
    next,
    invitations,
    lastAdmin: soleAt.some(({ slug }) => slug === company.slug),
  };
}

export async function changeRole(
  at: AsMember,
  personId: string,
  role: Role,
  { storage, credentials, event, now }: CompanyContext,
): Promise<MemberOutcome> {
  if (!isPersonId(personId)) return { kind: "unknown" };
  const { key } = at;
  const by = at.person.personId;
  const email = (await storage.people.get({ partition: credentials.partitionOf(personId), personId }))?.email;
  const whose = { personId, ...(email !== undefined && { email }) };
  const outcome = await storage.members.setRole({ ...key, ...whose, role, ...askedBy(at), now: now() });
  if (outcome.kind === "done") event("company_role_changed", { company: key.companyId, person: personId, role, by });
  return outcome;
}

/** Removes a member. Members may remove themselves. `returns`: their next sign-in makes them a member again. */
export async function removeMember(
  at: AsMember,
  personId: string,
  context: CompanyContext,
): Promise<MemberOutcome & { readonly returns: boolean }> {
  const { storage, credentials, noticeLetters, notify, event } = context;
  const now = context.now();
  if (!isPersonId(personId)) return { kind: "unknown", returns: false };
  const { key, person } = at;
  const there = await signInThere(key, personId, context);
  const returnsBy = there?.makesMember === true ? there.provider : null;
  const notice = { kind: "company_removal", ...toldOf(at), personId, returnsBy } as const;
  // A person who leaves needs no message.
  const leaves = personId === person.personId;
  const mails = leaves ? [] : await noticeLetters(notice);
  const account = { partition: credentials.partitionOf(personId), personId };
  const email = (await storage.people.get(account))?.email;
  const whom = { ...account, ...(email !== undefined && { email }) };
  const by = person.personId;
  const outcome = await storage.members.remove({ ...key, person: whom, mails, ...askedBy(at), now });
  const returns = returnsBy !== null;
  if (outcome.kind !== "done") return { ...outcome, returns };
  if (!leaves) notify(notice);
  const what = { company: key.companyId, person: personId, by };
  event("company_member_removed", { ...what, grants_ended: outcome.grantsEnded });
  return { ...outcome, returns };
}

/** The person that an admin invites, as typed in a form. Undefined: the text can't be a name. */
export function addresseeOf(typed: string): string | undefined {
  return canonicalLogin(typed);
}

export type InviteOutcome =
  /** `link`: shown once; the database keeps a hash. `mailed`: a message with the link is on its way to the address. */
  | { readonly kind: "invited"; readonly link: string; readonly expiresAt: number; readonly mailed: boolean }
  | { readonly kind: "not_admin" }
  /** The name is the username of a member. */
  | { readonly kind: "member" }
  /** `too_many`: the company has as many open invitations as it can have. `too_often`: later, it may invite again. */
  | { readonly kind: "too_many" }
  | { readonly kind: "too_often" };

/** `addressee`: the canonical username or address. */
export async function inviteMember(
  at: AsMember,
  addressee: string,
  role: Role,
  context: CompanyContext,
): Promise<InviteOutcome> {
  const { storage, credentials, newId, invitationLink, noticeLetters, notify, event } = context;
  const { key, person } = at;
  if (!(await mayInvite(person.personId, key.companyId, context))) return { kind: "too_often" };
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
  // For a username this is not reported: the admin would learn which names have an account, and a verified address.
  return { kind: "invited", link, expiresAt, mailed: addressee.includes("@") && mails.length > 0 };
}

export function withdrawInvitation(
  at: AsMember,
  invitationId: string,
  { storage, now }: CompanyContext,
): Promise<{ readonly kind: "done" | "not_admin" | "unknown" }> {
  return storage.invitations.withdraw({ ...at.key, invitationId, ...askedBy(at), now: now() });
}

function presentedInvitation(token: string, { credentials, now }: CompanyContext) {
  const credential = credentials.read("invitation", token);
  if (credential === undefined) return undefined;
  const { partition, id: invitationId, saltHash } = credential;
  return { partition, invitationId, saltHash, now: now() };
}

/**
 * The open invitation of a link. `forReader`: it names the reader. `by`: as of `InvitationFacts`. `before`: the reader's
 * role in the company; null: none, or the invitation is for somebody else. Undefined: the link is not valid.
 */
export async function openInvitation(
  token: string,
  person: Pick<Person, "personId" | "username" | "email" | "createdAt">,
  context: CompanyContext,
): Promise<OpenInvitation | undefined> {
  const invitationKey = presentedInvitation(token, context);
  const found = invitationKey && (await context.storage.invitations.find(invitationKey));
  if (found === undefined) return undefined;
  const { company, invitation } = found;
  const by = await inviterOf(invitation, context);
  const forReader = isInvited(invitation, person);
  const key = { partition: company.partition, companyId: company.companyId, personId: person.personId };
  const acting = forReader ? await context.storage.members.findActing({ ...key, clientId: null }) : undefined;
  return { company, role: invitation.role, by, forReader, before: acting?.member.role ?? null };
}

interface OpenInvitation {
  readonly company: Company;
  readonly role: Role;
  readonly by: Inviter | null;
  readonly forReader: boolean;
  readonly before: Role | null;
}

/** `seen`: the role that the page said that the person has; null: none. */
export async function joinByInvitation(
  token: string,
  seen: Role | null,
  { person, session }: { readonly person: Person; readonly session: Pick<Session, "sessionId"> },
  context: CompanyContext,
): Promise<JoinOutcome> {
  const invitationKey = presentedInvitation(token, context);
  if (invitationKey === undefined) return { kind: "unknown" };
  const link = context.randomText(16);
  const outcome = await context.storage.invitations.accept({
    ...invitationKey,
    person,
    sessionId: session.sessionId,
    seen,
    link,
  });
  if (outcome.kind !== "joined") return outcome;
  const { before, role } = outcome;
  const what = { company: outcome.company.companyId, person: person.personId };
  if (before === null) context.event("company_member_joined", what);
  else if (before !== role) context.event("company_role_changed", { ...what, role, by: person.personId });
  return outcome;
}

/** The name by which a company's admins know somebody who acted in it. Undefined: the account was deleted. */
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
