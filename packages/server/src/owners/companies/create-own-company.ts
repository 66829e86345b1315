/** A person creates a company and becomes its admin, where the operator allows it. */

import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { nameKeys } from "../../oauth/names/look-alikes.ts";
import { canonicalSlug, MAX_COMPANY_NAME, MAX_FOUNDED } from "../company-rules.ts";
import type { Company } from "../company-storage.ts";
import type { Person } from "../person.ts";
import type { Session } from "../storage.ts";
import { identityProvidersOf } from "./app-details.ts";
import type { CompanyContext } from "./context.ts";

/** `similar`: another company's name is the same, or looks like it. `slug`: it can't be in an address. */
export type FoundProblem = "name" | "similar" | "slug" | "taken" | "tooMany";

export type Founded =
  | { readonly kind: "founded"; readonly slug: string }
  | { readonly kind: "wrong"; readonly problem: FoundProblem };

/** What is wrong with the texts, whoever else has them. Undefined: nothing. */
export function foundProblem(name: string, slug: string): FoundProblem | undefined {
  if (displayTextProblem(name, MAX_COMPANY_NAME) !== undefined) return "name";
  return canonicalSlug(slug) === undefined ? "slug" : undefined;
}

export async function foundCompany(
  { person, session }: { readonly person: Person; readonly session: Pick<Session, "sessionId"> },
  { name, slug: typed }: { readonly name: string; readonly slug: string },
  context: CompanyContext,
): Promise<Founded> {
  const problem = foundProblem(name, typed);
  if (problem !== undefined) return { kind: "wrong", problem };
  const companyId = context.newCompanyId();
  const held = { keys: nameKeys(name), companyId, now: context.now() };
  // Of two simultaneous creations with similar names, neither would find the other's company.
  if (!(await context.storage.companies.holdName(held))) return { kind: "wrong", problem: "similar" };
  try {
    if (await isSimilar(name, context)) return { kind: "wrong", problem: "similar" };
    return await create({ person, session }, { name, typed, companyId }, context);
  } finally {
    await context.storage.companies.releaseName(held);
  }
}

async function create(
  { person, session }: Parameters<typeof foundCompany>[0],
  { name, typed, companyId }: { readonly name: string; readonly typed: string; readonly companyId: string },
  { storage, credentials, randomText, event, now: clock }: CompanyContext,
): Promise<Founded> {
  const now = clock();
  const slug = canonicalSlug(typed) ?? "";
  const company: Company = {
    ...{ partition: credentials.partitionOf(companyId), companyId, slug, name: name.normalize("NFC") },
    ...{ status: "active", defaultRule: "ask", createdAt: now, updatedAt: now },
  };
  const link = randomText(16);
  const { sessionId } = session;
  const outcome = await storage.companies.found({ company, person, sessionId, link, most: MAX_FOUNDED, now });
  if (outcome.kind === "founded") {
    event("company_created", { company: companyId, by: person.personId });
    return { kind: "founded", slug };
  }
  return { kind: "wrong", problem: outcome.kind === "taken" ? "taken" : "tooMany" };
}

const READ_AT_ONCE = 500;

/** True: a company has this name, or one that looks like it. */
async function isSimilar(name: string, { storage }: CompanyContext): Promise<boolean> {
  const keys = new Set(nameKeys(name));
  for (let after: string | null = null; ; ) {
    const some: readonly Company[] = await storage.companies.list({ limit: READ_AT_ONCE, after });
    if (some.some((one) => nameKeys(one.name).some((key) => keys.has(key)))) return true;
    const last = some.at(-1);
    if (last === undefined || some.length < READ_AT_ONCE) return false;
    after = last.companyId;
  }
}

/** The person's only company, and the issuers that speak for its members: they do so for nobody who has two. Undefined: none. */
export async function vouchersOfOnlyCompany(
  { partition, personId, operator }: Person,
  { storage, catalog, now }: CompanyContext,
): Promise<{ readonly company: string; readonly issuers: readonly string[] } | undefined> {
  if (operator.length > 0) return undefined;
  const [only, ...others] = await storage.members.companiesOf({ partition, personId, clientId: null, now: now() });
  if (only === undefined || others.length > 0) return undefined;
  const { companyId, name } = only.company;
  const issuers = await identityProvidersOf(companyId, catalog);
  return { company: name, issuers: issuers.map(({ issuer }) => issuer) };
}
