/** Valid companies, members and invitations, which tests can change. */

import type { IssueGrant, NewGrant } from "../../../src/oauth/storage.ts";
import type { AppRule, Company, Invitation, Role } from "../../../src/owners/company-storage.ts";
import type { CompanyProvider } from "../../../src/owners/identities/company-provider.ts";
import type { Approve, Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { partitionOf } from "../../../src/storage/partition.ts";
import { aGrant, anApproval, anId, aRedemption, aStoredPerson, DAY, expectIssued, NOW } from "./record-builders.ts";

export function aCompany(changes: Partial<Company> = {}): Company {
  const companyId = changes.companyId ?? anId();
  return {
    partition: partitionOf(companyId),
    companyId,
    slug: `c-${Buffer.from(companyId, "base64url").toString("hex")}`,
    name: "Acme",
    status: "active",
    defaultRule: "ask",
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

export async function aStoredCompany(storage: Storage, changes: Partial<Company> = {}): Promise<Company> {
  const company = aCompany(changes);
  const outcome = await storage.companies.create({ company, now: company.createdAt });
  if (outcome.kind !== "created") throw new Error(`the company was not created: ${outcome.kind}`);
  return company;
}

/** A company's own provider, switched on. */
export function aCompanyProvider(changes: Partial<CompanyProvider> = {}): CompanyProvider {
  return {
    ...{ id: anId(), name: "Acme ID", issuer: `https://${anId()}.example`, clientId: "assent", sealedSecret: null },
    ...{ scopes: ["openid", "email"], roles: null, status: "active", triedAt: NOW, createdAt: NOW, changedAt: NOW },
    ...changes,
  };
}

/** Makes a person a member. */
export async function join(storage: Storage, company: Company, person: Person, role: Role = "member"): Promise<void> {
  const { partition, companyId } = company;
  const outcome = await storage.members.add({
    ...{ partition, companyId, person, role, addedBy: "operator", link: anId(), now: NOW },
  });
  if (outcome.kind !== "added") throw new Error(`the member was not added: ${outcome.kind}`);
}

export interface Staffed {
  readonly company: Company;
  readonly admin: Person;
  readonly member: Person;
}

/** A company with an admin and a member. */
export async function aStaffedCompany(storage: Storage, changes: Partial<Company> = {}): Promise<Staffed> {
  const company = await aStoredCompany(storage, changes);
  const admin = await aStoredPerson(storage);
  const member = await aStoredPerson(storage);
  await join(storage, company, admin, "admin");
  await join(storage, company, member);
  return { company, admin, member };
}

/** A grant that a person gives in a company's name. */
export function aCompanyGrant(company: Company, person: Person, changes: Partial<NewGrant> = {}): NewGrant {
  const { partition, companyId: ownerId } = company;
  return aGrant(person, { partition, ownerId, grantId: anId(partition), ...changes });
}

/** The same, approved and with a redeemed code. */
export async function aLiveCompanyGrant(
  storage: Storage,
  company: Company,
  person: Person,
  changes: Partial<NewGrant> = {},
  approval: Partial<Omit<Approve, "grant">> = {},
): Promise<NewGrant> {
  const grant = aCompanyGrant(company, person, changes);
  expectIssued(await storage.grants.approve(anApproval(grant, approval)));
  const outcome = await storage.grants.redeem(aRedemption(grant));
  if (outcome.kind !== "redeemed") throw new Error(`the code was not redeemed: ${outcome.kind}`);
  return grant;
}

export function anAppRule(changes: Partial<AppRule> = {}): Pick<AppRule, "rule" | "scopes" | "hosts" | "endsAt"> {
  const hosts = ["https://app.example"];
  return { rule: "allow", scopes: ["read"], hosts, endsAt: NOW + 365 * DAY, ...changes };
}

/** A member's answer on a page under an approval. */
export function anAnswerOfMember(declined: readonly string[] = []): NonNullable<IssueGrant["answer"]> {
  return { chosen: true, declined, read: { locale: "en", texts: { read: "See it" } } };
}

export const SHOWN = { locale: "en", clientName: "Photo Printer", logo: null } as const;

export function anInvitation(company: Company, changes: Partial<Invitation> = {}): Invitation {
  const { partition, companyId } = company;
  return {
    partition,
    invitationId: anId(partition),
    companyId,
    addressee: "somebody@example.com",
    role: "member",
    invitedBy: "operator",
    createdAt: NOW,
    expiresAt: NOW + 7 * DAY,
    status: "open",
    ...changes,
  };
}
