/**
 * Verbs of invitations. A person with the link and the invited name gets a place in the company. The first success uses
 * the invitation up.
 */

import type { Millis } from "../../oauth/model.ts";
import type { InSession } from "../../owners/change-conditions.ts";
import { isInvited } from "../../owners/company-rules.ts";
import type {
  ByAdmin,
  Company,
  CompanyKey,
  Invitation,
  JoinOutcome,
  PersonRef,
  Role,
  TracedInvitation,
} from "../../owners/company-storage.ts";
import type { StoredMail } from "../../owners/mail/storage.ts";
import { noteMember } from "../consents/history.ts";
import { query, sql, steps, transaction } from "../define-verbs.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { text, textOrNull, whole } from "../row-conversion.ts";
import { companyColumns, companyOf, invitationColumns, invitationOf } from "./company-row-conversion.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";
import { adoptCompanyLink, confirmCompanyLink, putMember, writeCompanyLink } from "./members.ts";
import { tellNow } from "./membership-outbox.ts";

/** Maximum number of open invitations of one company. */
const OPEN_INVITATIONS = 200;

export const createInvitation = transaction<
  ByAdmin & {
    readonly invitation: Invitation;
    readonly saltHash: Uint8Array;
    readonly mails?: readonly StoredMail[];
  },
  { readonly kind: "invited" | "not_admin" | "too_many" | "member" }
>(async (tx, { invitation, saltHash, mails, by, now, ...asked }) => {
  const company = await lockCompany(tx, invitation);
  if (company === undefined || !(await isAdmin(tx, company, { by, ...asked }))) return { kind: "not_admin" };
  const { partition, companyId, addressee } = invitation;
  // Admins know the usernames of members, and not their addresses.
  const member = await tx.one(sql`SELECT person_id FROM members WHERE ${thisCompany} AND username = :addressee`, {
    ...{ partition, companyId, addressee },
  });
  if (member !== undefined) return { kind: "member" };
  // A newer invitation of the same person replaces the older one.
  await tx.run(
    sql`UPDATE invitations SET status = 'withdrawn' WHERE ${thisCompany} AND addressee = :addressee AND status = 'open'`,
    { partition, companyId, addressee },
  );
  const open = await tx.all(
    sql`SELECT invitation_id FROM invitations WHERE ${thisCompany} AND status = 'open' AND expires_at > :now LIMIT :limit`,
    { partition, companyId, now, limit: OPEN_INVITATIONS },
  );
  if (open.length >= OPEN_INVITATIONS) return { kind: "too_many" };
  await tx.run(
    sql`INSERT INTO invitations (${invitationColumns}, salt_hash)
      VALUES (:partition, :invitationId, :companyId, :addressee, :role, :invitedBy, :createdAt, :expiresAt, :status, :saltHash)`,
    { ...invitation, saltHash },
  );
  const { invitationId, role } = invitation;
  await noteMember(tx, { partition, companyId, kind: "member_invited", by, role, invitationId, now });
  await post(tx, mails, now);
  return { kind: "invited" };
});

export const withdrawInvitation = transaction<
  CompanyKey & ByAdmin & { readonly invitationId: string },
  { readonly kind: "done" | "not_admin" | "unknown" }
>(async (tx, { partition, companyId, invitationId, by, now, ...asked }) => {
  const company = await lockCompany(tx, { partition, companyId });
  if (company === undefined) return { kind: "unknown" };
  if (!(await isAdmin(tx, company, { by, ...asked }))) return { kind: "not_admin" };
  const changed = await tx.run(
    sql`UPDATE invitations SET status = 'withdrawn'
      WHERE partition = :partition AND invitation_id = :invitationId AND company_id = :companyId AND status = 'open'`,
    { partition, invitationId, companyId },
  );
  if (changed === 0) return { kind: "unknown" };
  await noteMember(tx, { partition, companyId, kind: "invitation_withdrawn", by, invitationId, now });
  return { kind: "done" };
});

/**
 * The inviter is the operator, or is still an active admin. An invitation must not outlive the right to invite. The role
 * is an expression, so that PostgreSQL finds the member by their key, and not among all admins.
 */
const stillInvited = sql`(invitations.invited_by = 'operator' OR EXISTS (SELECT 1 FROM members AS m WHERE m.partition = :partition
  AND m.company_id = invitations.company_id AND m.person_id = invitations.invited_by AND m.role || '' = 'admin' AND m.standing = 'active'))`;

/** Those that still work. An admin who is disabled, or no admin any more, invites nobody. */
export const listInvitations = query<CompanyKey & { readonly now: Millis }, readonly Invitation[]>({
  sql: sql`SELECT ${invitationColumns} FROM invitations
    WHERE ${thisCompany} AND status = 'open' AND expires_at > :now AND ${stillInvited} ORDER BY created_at DESC, invitation_id`,
  bind: ({ partition, companyId, now }) => ({ partition, companyId, now }),
  outcome: (rows) => rows.map(invitationOf),
});

export interface InvitationLink {
  readonly partition: number;
  readonly invitationId: string;
  readonly saltHash: Uint8Array;
  readonly now: Millis;
}

const held = sql`partition = :partition AND invitation_id = :invitationId AND salt_hash = :saltHash AND status = 'open' AND expires_at > :now`;

export const findInvitation = query<
  InvitationLink,
  { readonly invitation: Invitation; readonly company: Company } | undefined
>({
  sql: sql`SELECT ${invitationColumns} FROM invitations WHERE ${held} AND ${stillInvited}`,
  also: sql`SELECT ${companyColumns} FROM companies WHERE partition = :partition AND status = 'active' AND company_id =
      (SELECT company_id FROM invitations WHERE partition = :partition AND invitation_id = :invitationId)`,
  bind: ({ partition, invitationId, saltHash, now }) => ({ partition, invitationId, saltHash, now }),
  outcome: ([invitation], _, [company]) =>
    invitation && company && { invitation: invitationOf(invitation), company: companyOf(company) },
});

/** What became of an invitation that may no longer hold. Undefined: it never existed, or was deleted. */
export const traceInvitation = query<Omit<InvitationLink, "now">, TracedInvitation | undefined>({
  sql: sql`SELECT status, expires_at, accepted_by FROM invitations
    WHERE partition = :partition AND invitation_id = :invitationId AND salt_hash = :saltHash`,
  also: sql`SELECT ${companyColumns} FROM companies WHERE partition = :partition AND status = 'active' AND company_id =
      (SELECT company_id FROM invitations WHERE partition = :partition AND invitation_id = :invitationId)`,
  bind: ({ partition, invitationId, saltHash }) => ({ partition, invitationId, saltHash }),
  outcome: ([row], _, [company]) =>
    row && {
      status: text(row, "status") as TracedInvitation["status"],
      expiresAt: whole(row, "expires_at"),
      acceptedBy: textOrNull(row, "accepted_by"),
      company: company === undefined ? null : companyOf(company),
    },
});

type Accept = InvitationLink &
  InSession & {
    readonly person: PersonRef & { readonly email: string; readonly createdAt: Millis };
    readonly seen?: Role | null;
    readonly link: string;
  };

/** Writes the link, then the membership (and ends the invitation), then the confirmation, as `addMember` does. */
export const acceptInvitation = steps<Accept, JoinOutcome>(async (call, args) => {
  const { person, link, sessionId, now } = args;
  const asked = sessionId === undefined ? {} : { sessionId };
  const found = await call(findInvitation, args);
  if (found === undefined) return { kind: "unknown" };
  if (!isInvited(found.invitation, person)) return { kind: "wrong_person" };
  const { invitedBy } = found.invitation;
  // The inviter's account may have been taken back a moment ago, or before a crash kept the company from hearing of it.
  if (invitedBy !== "operator") await tellNow(call, { partition: partitionOf(invitedBy), personId: invitedBy }, now);
  const { companyId } = found.company;
  const key = { partition: person.partition, personId: person.personId, companyId };
  const version = await call(writeCompanyLink, { ...key, ...asked, link, now });
  if (version === undefined) return { kind: "unknown" };
  const joined = await call(joinCompany, { ...args, companyId, version });
  // If the person is a member already, perhaps by this invitation, this link replaces the earlier one.
  const known =
    joined.kind === "joined"
      ? version
      : await call(adoptCompanyLink, { ...key, partition: partitionOf(companyId), link });
  if (known !== undefined) await call(confirmCompanyLink, { ...key, link, version: known, now });
  return joined.kind === "joined" ? { ...joined, company: found.company } : joined;
});

type Joined =
  | { readonly kind: "joined"; readonly before: Role | null; readonly role: Role }
  | { readonly kind: "changed" | "unknown" };

/**
 * If several people follow the link at once, one of them joins. An admin stays an admin, whatever the invitation says.
 */
export const joinCompany = transaction<Accept & { readonly companyId: string; readonly version: number }, Joined>(
  async (tx, { partition, companyId, invitationId, saltHash, person, seen, link, version, now }) => {
    const { personId, username } = person;
    const unknown = { kind: "unknown" } as const;
    if ((await lockCompany(tx, { partition, companyId }))?.status !== "active") return unknown;
    const key = { partition, invitationId, saltHash, now };
    const row = await tx.one(sql`SELECT ${invitationColumns} FROM invitations WHERE ${held} AND ${stillInvited}`, key);
    if (row === undefined) return unknown;
    const { role, invitedBy } = invitationOf(row);
    const member = await tx.one(sql`SELECT role FROM members WHERE ${thisCompany} AND person_id = :personId`, {
      partition,
      companyId,
      personId,
    });
    const before = member === undefined ? null : (text(member, "role") as Role);
    if (seen !== undefined && seen !== before) return { kind: "changed" };
    const used = await tx.run(
      sql`UPDATE invitations SET status = 'accepted', accepted_by = :personId WHERE ${held} AND ${stillInvited}`,
      { ...key, personId },
    );
    if (used === 0) return unknown;
    const kept = before === "admin" ? "admin" : role;
    await putMember(tx, {
      partition,
      companyId,
      personId,
      username,
      role: kept,
      addedBy: invitedBy,
      by: personId,
      link,
      version,
      now,
    });
    return { kind: "joined", before, role: kept };
  },
);
