/**
 * Verbs of membership. The row in the company's partition decides; a link in the person's partition leads to it. The
 * link is written before the membership. If the membership ended or never began, the link is only marked: another
 * process may be between the two writes and rely on the link. An hour later nobody is. Then housekeeping keeps a link
 * that has a membership and deletes one that has none.
 */

import type { Millis } from "../../oauth/model.ts";
import type { InSession } from "../../owners/change-conditions.ts";
import type {
  Acting,
  ByAdmin,
  CompanyKey,
  Member,
  MemberOutcome,
  PersonRef,
  Role,
} from "../../owners/company-storage.ts";
import type { StoredMail } from "../../owners/mail/storage.ts";
import { noteMember } from "../consents/history.ts";
import { type Call, query, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { mayStill } from "../factors/lock-person-row.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { accountStanding } from "../people/person-row.ts";
import { HOUR, text, whole } from "../row-conversion.ts";
import { endGrantsOfMember } from "./acting-members.ts";
import { actingColumns, actingOf, memberColumns, memberOf } from "./company-row-conversion.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";

/** Maximum number of companies of one person: a page offers all of them. */
export const MAX_COMPANIES = 50;
/** How long a link may exist without its membership. After that, its writer has finished or crashed. */
const PENDING_FOR: Millis = HOUR;

const thisMember = sql`partition = :partition AND company_id = :companyId AND person_id = :personId`;

interface CompanyLinkKey {
  /** The partition of the person. */
  readonly partition: number;
  readonly personId: string;
  readonly companyId: string;
}

const thisCompanyLink = sql`partition = :partition AND person_id = :personId AND company_id = :companyId`;

/** Writes the link, the membership and the confirmation. If it is called again after a crash, it continues. */
export const addMember = steps<
  CompanyKey & {
    readonly person: PersonRef;
    readonly role: Role;
    readonly addedBy: string;
    readonly via?: string;
    readonly email?: string;
    readonly link: string;
    readonly now: Millis;
  },
  { readonly kind: "added" | "no_company" | "no_person" }
>(async (call, { partition, companyId, person, role, addedBy, via, email, link, now }) => {
  const key = { partition: person.partition, personId: person.personId, companyId };
  const version = await call(writeCompanyLink, { ...key, link, now });
  if (version === undefined) return { kind: "no_person" };
  const { personId, username } = person;
  const member = {
    partition,
    companyId,
    personId,
    username,
    role,
    addedBy,
    link,
    version,
    now,
    ...(via && { via }),
    ...(email && { email }),
  };
  // The link may belong to an earlier membership, so it is settled later.
  if (!(await call(insertMember, member))) return { kind: "no_company" };
  await call(confirmCompanyLink, { ...key, link, version, now });
  return { kind: "added" };
});

/**
 * Only an active person gets a link. Simultaneous calls for one person run one after the other, so that together they
 * stay below the limit. Returns the person's present standing, with which the membership begins. Undefined: there is no
 * such person, or they belong to too many companies.
 */
export const writeCompanyLink = transaction<
  CompanyLinkKey & InSession & { readonly link: string; readonly now: Millis },
  number | undefined
>(async (tx, { partition, personId, companyId, link, now, ...asked }) => {
  if (!(await mayStill(tx, { partition, personId }, asked))) return undefined;
  const person = await tx.one(
    sql`SELECT standing_version FROM people WHERE partition = :partition AND person_id = :personId AND status = 'active' ${words.forUpdate}`,
    { partition, personId },
  );
  if (person === undefined) return undefined;
  const others = await tx.all(
    sql`SELECT company_id FROM member_links WHERE partition = :partition AND person_id = :personId AND company_id <> :companyId LIMIT :limit`,
    { partition, personId, companyId, limit: MAX_COMPANIES },
  );
  if (others.length >= MAX_COMPANIES) return undefined;
  await tx.run(
    sql`INSERT INTO member_links (partition, person_id, company_id, link, status, written_at)
        VALUES (:partition, :personId, :companyId, :link, 'pending', :now)
        ON CONFLICT (partition, person_id, company_id) DO UPDATE SET link = excluded.link, status = 'pending', written_at = excluded.written_at`,
    { partition, personId, companyId, link, now },
  );
  return whole(person, "standing_version");
});

interface NewMember extends CompanyKey {
  readonly personId: string;
  readonly username: string;
  readonly role: Role;
  readonly addedBy: string;
  readonly via?: string;
  readonly email?: string;
  readonly link: string;
  readonly version: number;
  readonly now: Millis;
}

/**
 * False: there is no such active company. A member keeps the date of joining and gets the role that is named now. Invitations
 * of and to somebody who is an admin no more end, as with `setMemberRole`.
 */
export const insertMember = transaction<NewMember, boolean>(async (tx, member) => {
  const company = await lockCompany(tx, member);
  if (company?.status !== "active") return false;
  await putMember(tx, member);
  return true;
});

/**
 * The caller holds the company's lock. Writes a history entry only if something changes, so a step that is repeated
 * after a crash writes none.
 */
export async function putMember(tx: Tx, member: NewMember & { readonly by?: string }): Promise<void> {
  const { partition, companyId, personId, role, addedBy, via: clientName = null, now, by = addedBy } = member;
  const key = { partition, companyId, personId };
  const before = await tx.one(sql`SELECT role FROM members WHERE ${thisMember}`, key);
  await tx.run(
    sql`INSERT INTO members (partition, company_id, person_id, username, role, since, added_by, standing, standing_version, trusted_from, link)
      VALUES (:partition, :companyId, :personId, :username, :role, :now, :addedBy, 'active', :version, :now, :link)
      ON CONFLICT (partition, company_id, person_id) DO UPDATE SET role = excluded.role, link = excluded.link`,
    {
      ...{ ...key, username: member.username, role, now, addedBy },
      ...{ version: member.version, link: member.link },
    },
  );
  if (before === undefined) await noteMember(tx, { ...key, kind: "member_joined", by, clientName, role, now });
  else if (text(before, "role") !== role) {
    await noteMember(tx, { ...key, kind: "member_role", by, role, now });
    const names = [member.username, member.email ?? member.username];
    if (role !== "admin") await withdrawInvitationsOf(tx, { ...key, names, by, now });
  }
}

/**
 * The link leads to a membership now. If the person was disabled after the link was written, the company is told: it
 * may not have had the membership when that news was sent.
 */
export const confirmCompanyLink = transaction<
  CompanyLinkKey & { readonly link: string; readonly version: number; readonly now: Millis },
  void
>(async (tx, { partition, personId, companyId, link, version, now }) => {
  const person = await tx.one(
    sql`SELECT status, disabled_by, standing_version FROM people WHERE partition = :partition AND person_id = :personId ${words.forShare}`,
    { partition, personId },
  );
  const standing = person === undefined ? "gone" : accountStanding(person);
  const current = person === undefined ? version + 1 : whole(person, "standing_version");
  await tx.run(sql`UPDATE member_links SET status = 'active' WHERE ${thisCompanyLink} AND link = :link`, {
    partition,
    personId,
    companyId,
    link,
  });
  if (current !== version) {
    await putInOutbox(tx, { partition, personId, companyId, version: current, standing, cutAt: null, now });
  }
});

/** The membership of this link ended: whether another stands by it is settled when nobody can be adding one any more. */
export const doubtCompanyLink = statement<CompanyLinkKey & { readonly link: string; readonly now: Millis }, boolean>({
  lock: "personId",
  sql: sql`UPDATE member_links SET status = 'pending', written_at = :now WHERE ${thisCompanyLink} AND link = :link RETURNING company_id`,
  bind: ({ partition, personId, companyId, link, now }) => ({ partition, personId, companyId, link, now }),
  outcome: (row) => row !== undefined,
});

/** Deletes a link that has been in doubt for long enough. A link that was written or doubted since stays. */
export const dropCompanyLink = statement<CompanyLinkKey & { readonly link: string; readonly stale: Millis }, boolean>({
  lock: "personId",
  sql: sql`DELETE FROM member_links WHERE ${thisCompanyLink} AND link = :link AND status = 'pending' AND written_at < :stale RETURNING company_id`,
  bind: ({ partition, personId, companyId, link, stale }) => ({ partition, personId, companyId, link, stale }),
  outcome: (row) => row !== undefined,
});

/**
 * Why news about a person end their grants. `leaving`: the account is to be deleted. `revoked`: the person revoked the
 * access of these apps with a new password. `restored`: a removal of ways to sign in was undone.
 */
export type CutBy = "leaving" | "revoked" | "restored";

interface NewOutboxEntry extends CompanyLinkKey {
  readonly version: number;
  readonly standing: string;
  /**
   * Grants that the person made in companies' names before this time end. Null: if the standing is `active`, no grant
   * ends.
   */
  readonly cutAt: Millis | null;
  /** Null: a new password, or the news don't say it. */
  readonly cutBy?: CutBy | null;
  /**
   * Grants made before this time stay, and only grants that the person began before `cutAt` and finished after it end.
   * Default: null, so that all of them end.
   */
  readonly keptBefore?: Millis | null;
  /** The company withdraws the invitations that the person made since this time. Default: null, so that all of them hold. */
  readonly invitedSince?: Millis | null;
  readonly now: Millis;
}

/**
 * Stores what a company has to learn about a person. News that the company has not received yet are combined into one.
 */
export async function putInOutbox(
  tx: Tx,
  { cutBy = null, keptBefore = null, invitedSince = null, ...entry }: NewOutboxEntry,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO standings AS s (partition, person_id, company_id, version, standing, cut_at, cut_by, kept_before, invited_since, written_at)
      VALUES (:partition, :personId, :companyId, :version, :standing, :cutAt, :cutBy, :keptBefore, :invitedSince, :now)
      ON CONFLICT (partition, person_id, company_id) DO UPDATE SET version = excluded.version, standing = excluded.standing,
        kept_before = CASE WHEN excluded.cut_at IS NULL THEN s.kept_before WHEN s.cut_at IS NULL THEN excluded.kept_before
          WHEN s.kept_before < excluded.kept_before OR s.kept_before IS NULL THEN s.kept_before ELSE excluded.kept_before END,
        invited_since = CASE WHEN s.invited_since < excluded.invited_since OR excluded.invited_since IS NULL THEN s.invited_since
          ELSE excluded.invited_since END,
        cut_by = COALESCE(excluded.cut_by, s.cut_by),
        cut_at = COALESCE(excluded.cut_at, s.cut_at), written_at = excluded.written_at`,
    { ...entry, cutBy, keptBefore, invitedSince },
  );
}

export type EndOfMembership = CompanyKey &
  ByAdmin & {
    /** `email`: the address of the account. Invitations to it end with the membership. */
    readonly person: Pick<PersonRef, "partition" | "personId"> & { readonly email?: string };
    readonly mails?: readonly StoredMail[];
  };

/** Removes the membership and the grants that the person made, then the link. */
export const endMembership = steps<EndOfMembership, MemberOutcome>(
  async (call, { partition, companyId, person, mails = [], by, now, ...asked }) => {
    const { personId, email } = person;
    const gone = { partition, companyId, personId, ...(email !== undefined && { email }) };
    const { outcome, link } = await call(eraseMember, { ...gone, mails, by, now, ...asked });
    if (link !== null) await call(doubtCompanyLink, { partition: person.partition, personId, companyId, link, now });
    return outcome;
  },
);

export const eraseMember = transaction<
  CompanyKey & ByAdmin & { readonly personId: string; readonly email?: string; readonly mails?: readonly StoredMail[] },
  { readonly outcome: MemberOutcome; readonly link: string | null }
>(async (tx, { partition, companyId, personId, email, mails, by, now, ...asked }) => {
  const refused = (kind: "not_admin" | "last_admin" | "unknown") => ({ outcome: { kind }, link: null }) as const;
  const key = { partition, companyId, personId };
  const company = await lockCompany(tx, key);
  if (company === undefined) return refused("unknown");
  if (by !== personId && !(await isAdmin(tx, company, { by, ...asked }))) return refused("not_admin");
  const row = await tx.one(sql`SELECT link, trusted_from, username FROM members WHERE ${thisMember}`, key);
  if (row === undefined) return refused("unknown");
  if (by === personId && whole(row, "trusted_from") !== (asked.trustedFrom ?? whole(row, "trusted_from")))
    return refused("not_admin");
  if (by !== null && (await isLastAdmin(tx, key))) return refused("last_admin");
  await forgetMember(tx, key);
  const decidedBy = by ?? "operator";
  const cause = by === personId ? "member_left" : "member_removed";
  const grantsEnded = await endGrantsOfMember(tx, { ...key, by: decidedBy, cause, now });
  const username = text(row, "username");
  await withdrawInvitationsOf(tx, { ...key, names: [username, email ?? username], by, now });
  await noteMember(tx, { ...key, kind: "member_left", by, now });
  await post(tx, mails, now);
  return { outcome: { kind: "done", grantsEnded }, link: text(row, "link") };
});

/**
 * Withdraws the open invitations that the person made, and those to one of `names`: with these, somebody who was removed
 * could come back, and somebody who is an admin no more could become one again.
 */
async function withdrawInvitationsOf(
  tx: Tx,
  {
    names: [one = "", other = ""],
    by,
    now,
    ...key
  }: CompanyKey & {
    readonly personId: string;
    readonly names: readonly string[];
    readonly by: string | null;
    readonly now: Millis;
  },
): Promise<void> {
  const { partition, companyId } = key;
  const rows = await tx.all(
    sql`UPDATE invitations SET status = 'withdrawn' WHERE ${thisCompany} AND status = 'open'
      AND (invited_by = :personId OR addressee = :one OR addressee = :other) RETURNING invitation_id`,
    { ...key, one, other },
  );
  for (const row of rows) {
    const invitationId = text(row, "invitation_id");
    await noteMember(tx, { partition, companyId, kind: "invitation_withdrawn", by, invitationId, now });
  }
}

/** Deletes the membership, and what the person chose and asked for in it. */
export async function forgetMember(tx: Tx, key: CompanyKey & { readonly personId: string }): Promise<void> {
  await tx.run(sql`DELETE FROM members WHERE ${thisMember}`, { ...key });
  await tx.run(sql`DELETE FROM company_rule_members WHERE ${thisCompany} AND person_id = :personId`, { ...key });
  await tx.run(sql`DELETE FROM company_opt_outs WHERE ${thisCompany} AND person_id = :personId`, { ...key });
  await tx.run(sql`DELETE FROM company_choices WHERE ${thisCompany} AND person_id = :personId`, { ...key });
  await tx.run(sql`DELETE FROM company_requests WHERE ${thisCompany} AND person_id = :personId`, { ...key });
}

/** Without this admin, nobody could change the company any more. */
export async function isLastAdmin(tx: Tx, key: CompanyKey & { readonly personId: string }): Promise<boolean> {
  const admins = await tx.all(
    sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin' AND standing = 'active' LIMIT 2`,
    { partition: key.partition, companyId: key.companyId },
  );
  return admins.length === 1 && admins.some((row) => text(row, "person_id") === key.personId);
}

export const setMemberRole = transaction<
  CompanyKey & ByAdmin & { readonly personId: string; readonly role: Role; readonly email?: string },
  MemberOutcome
>(async (tx, { partition, companyId, personId, role, email, by, now, ...asked }) => {
  const key = { partition, companyId, personId };
  const company = await lockCompany(tx, key);
  if (company === undefined) return { kind: "unknown" };
  if (!(await isAdmin(tx, company, { by, ...asked }))) return { kind: "not_admin" };
  if (by !== null && role !== "admin" && (await isLastAdmin(tx, key))) return { kind: "last_admin" };
  const before = await tx.one(sql`SELECT role, username FROM members WHERE ${thisMember}`, key);
  if (before === undefined) return { kind: "unknown" };
  if (text(before, "role") === role) return { kind: "done", grantsEnded: 0 };
  await tx.run(sql`UPDATE members SET role = :role WHERE ${thisMember}`, { ...key, role });
  await noteMember(tx, { ...key, kind: "member_role", by, role, now });
  const username = text(before, "username");
  if (role !== "admin") await withdrawInvitationsOf(tx, { ...key, names: [username, email ?? username], by, now });
  return { kind: "done", grantsEnded: 0 };
});

export const listMembers = query<
  CompanyKey & { readonly limit: number; readonly after: string | null },
  readonly Member[]
>({
  sql: sql`SELECT ${memberColumns} FROM members WHERE ${thisCompany} AND username > :after ORDER BY username LIMIT :limit`,
  bind: ({ partition, companyId, limit, after }) => ({ partition, companyId, limit, after: after ?? "" }),
  outcome: (rows) => rows.map(memberOf),
});

const acting = sql`SELECT ${actingColumns}
  FROM companies c
  JOIN members m ON m.partition = c.partition AND m.company_id = c.company_id AND m.person_id = :personId
  LEFT JOIN company_rules r ON r.partition = c.partition AND r.company_id = c.company_id AND r.client_id = :clientId
  LEFT JOIN company_opt_outs o ON o.partition = c.partition AND o.company_id = c.company_id AND o.client_id = :clientId
    AND o.person_id = :personId
  LEFT JOIN company_choices w ON w.partition = c.partition AND w.company_id = c.company_id AND w.client_id = :clientId
    AND w.person_id = :personId
  LEFT JOIN company_rule_members s ON s.partition = c.partition AND s.company_id = c.company_id AND s.client_id = :clientId
    AND s.person_id = :personId
  WHERE c.partition = :partition AND c.company_id = :companyId`;

type ActingKey = CompanyKey & { readonly personId: string; readonly clientId: string | null };

// No app has an empty id.
const actingParams = ({ partition, companyId, personId, clientId }: ActingKey) => ({
  ...{ partition, companyId, personId },
  clientId: clientId ?? "",
});

export const findActing = query<ActingKey, Acting | undefined>({
  sql: acting,
  bind: actingParams,
  outcome: ([row]) => row && actingOf(row),
});

/**
 * The same inside a transaction that makes a grant. The company's lock keeps the result valid until the transaction
 * ends.
 */
export async function lockActing(tx: Tx, key: ActingKey): Promise<Acting | undefined> {
  const { partition, companyId } = key;
  const [, row] = await Promise.all([
    tx.one(sql`SELECT status FROM companies WHERE ${thisCompany} ${words.forUpdate}`, { partition, companyId }),
    tx.one(acting, actingParams(key)),
  ]);
  return row && actingOf(row);
}

export interface CompaniesOf {
  readonly partition: number;
  readonly personId: string;
  readonly clientId: string | null;
  readonly disabled?: boolean;
  readonly now: Millis;
}

export const companiesOf = steps<CompaniesOf, readonly Acting[]>(async (call, { partition, personId, ...more }) => {
  const links = await call(companyLinksOf, { partition, personId });
  return companiesBehind(call, links, { partition, personId, ...more });
});

/** The companies that these links of a person lead to. */
export async function companiesBehind(
  call: Call,
  links: readonly CompanyLink[],
  { partition, personId, clientId, disabled = false, now }: CompaniesOf,
): Promise<readonly Acting[]> {
  const found = await Promise.all(
    links.map(async ({ companyId, link, pending }) => {
      const acting = await call(findActing, { partition: partitionOf(companyId), companyId, personId, clientId });
      // An interrupted removal left this link.
      if (acting === undefined && !pending) await call(doubtCompanyLink, { partition, personId, companyId, link, now });
      return acting;
    }),
  );
  return found
    .filter((one) => one !== undefined)
    .filter(({ company, member }) => (disabled || company.status === "active") && member.accountStatus === "active")
    .sort((a, b) => (a.company.name < b.company.name ? -1 : 1));
}

export interface CompanyLink {
  readonly companyId: string;
  readonly link: string;
  readonly pending: boolean;
}

export const companyLinksOf = query<{ readonly partition: number; readonly personId: string }, readonly CompanyLink[]>({
  sql: sql`SELECT company_id, link, status FROM member_links WHERE partition = :partition AND person_id = :personId ORDER BY company_id LIMIT :limit`,
  bind: ({ partition, personId }) => ({ partition, personId, limit: MAX_COMPANIES }),
  outcome: (rows) =>
    rows.map((row) => ({
      companyId: text(row, "company_id"),
      link: text(row, "link"),
      pending: text(row, "status") === "pending",
    })),
});

/**
 * Links that were never confirmed, or are in doubt. The verb confirms a link that has a membership and deletes one that
 * has none.
 */
export const settleCompanyLinks = steps<{ readonly now: Millis; readonly limit: number }, number>(
  async (call, { now, limit }) => {
    const stale = now - PENDING_FOR;
    const links = await call(staleCompanyLinks, { stale, limit });
    for (const link of links) {
      const { companyId, personId } = link;
      const version = await call(adoptCompanyLink, { ...link, partition: partitionOf(companyId), companyId, personId });
      if (version === undefined) await call(dropCompanyLink, { ...link, stale });
      else await call(confirmCompanyLink, { ...link, version, now });
    }
    return links.length;
  },
);

export const staleCompanyLinks = query<
  { readonly stale: Millis; readonly limit: number },
  readonly (CompanyLinkKey & { readonly link: string })[]
>({
  sql: sql`SELECT partition, person_id, company_id, link FROM member_links
    WHERE +partition >= 0 AND status = 'pending' AND written_at < :stale ORDER BY written_at LIMIT :limit`,
  bind: ({ stale, limit }) => ({ stale, limit }),
  outcome: (rows) =>
    rows.map((row) => ({
      partition: whole(row, "partition"),
      personId: text(row, "person_id"),
      companyId: text(row, "company_id"),
      link: text(row, "link"),
    })),
});

/** Writes the link's id into the membership that the link leads to. Returns the standing that the membership knows. */
export const adoptCompanyLink = statement<
  CompanyKey & { readonly personId: string; readonly link: string },
  number | undefined
>({
  lock: "companyId",
  sql: sql`UPDATE members SET link = :link WHERE ${thisMember} RETURNING standing_version`,
  bind: ({ partition, companyId, personId, link }) => ({ partition, companyId, personId, link }),
  outcome: (row) => row && whole(row, "standing_version"),
});
