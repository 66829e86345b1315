/** Companies on a test's server. Members are stored directly, as the operator's use-cases do. */

import { randomBytes } from "node:crypto";
import { newId, newOwnerId } from "../../packages/server/src/crypto/ids.ts";
import type { Company, NewRule, Role } from "../../packages/server/src/owners/company-storage.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { partitionOf } from "../../packages/server/src/storage/partition.ts";
import type { TestClient, TestServer } from "./test-server.ts";

/** The hosts of the redirect URI of test clients. */
const HOSTS = ["https://app.test"];

export interface TestCompany extends Company {
  readonly admin: Person;
  readonly member: Person;
}

export async function addMember(
  { assent, now }: TestServer,
  company: Company,
  person: Person,
  role: Role = "member",
): Promise<void> {
  const { partition, companyId } = company;
  const link = newId(person.partition);
  await assent.storage.members.add({ partition, companyId, person, role, addedBy: "operator", link, now: now() });
}

/** A company with an admin and a member. */
export async function addCompany(server: TestServer, changes: Partial<Company> = {}): Promise<TestCompany> {
  const companyId = newOwnerId();
  const company: Company = {
    partition: partitionOf(companyId),
    companyId,
    slug: `acme-${randomBytes(4).toString("hex")}`,
    name: "Acme Corp",
    status: "active",
    defaultRule: "ask",
    createdAt: server.now(),
    updatedAt: server.now(),
    ...changes,
  };
  await server.assent.storage.companies.create({ company, now: server.now() });
  const admin = await server.addPerson();
  const member = await server.addPerson();
  await addMember(server, company, admin, "admin");
  await addMember(server, company, member);
  return { ...company, admin, member };
}

export async function decide(
  { assent, now }: TestServer,
  { partition, companyId }: Company,
  client: TestClient,
  rule: Partial<NewRule> | null,
): Promise<void> {
  await assent.storage.companyApps.setRule({
    ...{ partition, companyId, clientId: client.clientId, by: null, now: now() },
    rule: rule === null ? null : { rule: "allow", scopes: ["read"], hosts: HOSTS, endsAt: null, ...rule },
    shown: { locale: "en", clientName: client.name, logo: null },
  });
}

/** The claims of a JWT, unverified. */
export function claimsOf(token: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}
