/** What would end with something that an operator is about to take away: looked up and counted before they say yes. */

import type { Config } from "../config.ts";
import { databaseFile } from "../data-dir.ts";
import type { Client, Resource, TrustedIssuer } from "../oauth/model.ts";
import type { Company } from "../owners/company-storage.ts";
import type { Person } from "../owners/storage.ts";
import type { Inventory } from "../storage/database-inventory.ts";
import { openStorage } from "../storage/open.ts";
import { maskedUrl } from "../storage/postgres/database-url.ts";
import { allClients, clientOf } from "./clients.ts";
import { companyBySlug } from "./companies.ts";
import { type AdminContext, isMissing } from "./context.ts";
import { userOf } from "./people.ts";
import { refuseScopesOf, resourceOf, scopeOf } from "./scopes-and-resources.ts";
import type { OwnerCounts } from "./storage.ts";
import { linksOfIssuer } from "./subject-links.ts";
import { issuerOf } from "./trusted-issuers.ts";

/** Each kind is counted up to here; one more stands for "more than that". */
export const MOST_COUNTED = 100_000;
const most = MOST_COUNTED + 1;

/** Throws `unknown`. */
export async function impactOfClient(
  clientId: string,
  context: AdminContext,
): Promise<Pick<OwnerCounts, "consents" | "grants"> & { readonly client: Client }> {
  const client = await clientOf(clientId, context);
  return { client, ...(await context.storage.consents.countOfClient({ clientId, now: context.now(), most })) };
}

/** Throws `unknown`. */
export async function impactOfUser(
  login: string,
  context: AdminContext,
): Promise<OwnerCounts & { readonly person: Person }> {
  const person = await userOf(login, context);
  return { person, ...(await impactOfOwner(person.partition, person.personId, context)) };
}

/** Throws `unknown`. */
export async function impactOfCompany(
  slug: string,
  context: AdminContext,
): Promise<OwnerCounts & { readonly company: Company }> {
  const company = await companyBySlug(slug, context);
  return { company, ...(await impactOfOwner(company.partition, company.companyId, context)) };
}

function impactOfOwner(partition: number, ownerId: string, { storage, now }: AdminContext): Promise<OwnerCounts> {
  return storage.consents.countOfOwner({ partition, ownerId, now: now(), most });
}

/** Which clients name the scope. Throws `unknown`. */
export async function impactOfScope(name: string, context: AdminContext): Promise<readonly string[]> {
  await scopeOf(name, context);
  const naming: string[] = [];
  for await (const { clientId, scopes, ownScopes } of allClients(context)) {
    if (scopes.includes(name) || ownScopes.includes(name)) naming.push(clientId);
  }
  return naming;
}

/** Throws `unknown`; `in_use` while scopes belong to it. */
export async function impactOfResource(identifier: string, context: AdminContext): Promise<Resource> {
  const resource = await resourceOf(identifier, context);
  await refuseScopesOf(identifier, context);
  return resource;
}

/** How many of its subjects are linked to users. Throws `unknown`. */
export async function impactOfIssuer(
  issuer: string,
  context: AdminContext,
): Promise<{ readonly issuer: TrustedIssuer; readonly links: number }> {
  const record = await issuerOf(issuer, context);
  let links = 0;
  for await (const _ of linksOfIssuer(record.id, context)) {
    links += 1;
    if (links === most) break;
  }
  return { issuer: record, links };
}

/**
 * Counts what a restore or an import replaces. `place`: the file, or the URL without its password. `unreadable`: the
 * database is damaged, has an old schema, or belongs to another program. Null: there is no database.
 */
export async function inventoryOf(
  config: Config,
): Promise<{ readonly place: string; readonly holds: Inventory | "unreadable" } | null> {
  if (isMissing(config)) return null;
  const place = databaseFile(config) ?? maskedUrl(config.databaseUrl);
  try {
    const storage = await openStorage({ url: config.databaseUrl, readonly: true });
    try {
      return { place, holds: await storage.inventory() };
    } finally {
      await storage.close();
    }
  } catch {
    return { place, holds: "unreadable" };
  }
}
