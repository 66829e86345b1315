/** What would end with something that an operator is about to take away: looked up and counted before they say yes. */

import type { Config } from "../config.ts";
import { databaseFile } from "../data-dir.ts";
import type { Client, Connection, Consent, Millis, Resource } from "../oauth/model.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import { vouchingOf } from "../owners/companies/app-details.ts";
import { signInThere } from "../owners/companies/company-members.ts";
import { connectionsOfApp } from "../owners/companies/connections.ts";
import type { CompanyConnection } from "../owners/company-connection-storage.ts";
import { mayExchange, offerTo, partUnder, serverName } from "../owners/company-connections.ts";
import type { Company, DefaultRule } from "../owners/company-storage.ts";
import { consentUnder } from "../owners/consent-after-decision.ts";
import type { Person } from "../owners/storage.ts";
import { openStorage } from "../storage/open.ts";
import { partitionOf } from "../storage/partition.ts";
import { maskedUrl } from "../storage/postgres/database-url.ts";
import type { Inventory } from "../storage/record-counts.ts";
import { allClients, clientOf } from "./clients.ts";
import { type CompanyRef, companyBySlug, companyMembers, unknownMember } from "./companies.ts";
import { type AdminContext, ceilingFor, isMissing } from "./context.ts";
import { type UserRef, userOf } from "./people.ts";
import { clientsNaming, namesOfScope, resourceOf, scopesOfResource, scopeToDelete } from "./scopes-and-resources.ts";
import type { ClientCounts, OwnerCounts, ScopeCounts } from "./storage.ts";
import { linksOfIssuer } from "./subject-links.ts";
import { issuerOf } from "./trusted-issuers.ts";

/** Each kind is counted up to here; one more stands for "more than that". */
export const MOST_COUNTED = 100_000;
const most = MOST_COUNTED + 1;

/** Throws `unknown`. */
export async function impactOfClient(
  clientId: string,
  context: AdminContext,
): Promise<ClientCounts & { readonly client: Client }> {
  const client = await clientOf(clientId, context);
  return { client, ...(await context.storage.consents.countOfClient({ clientId, now: context.now(), most })) };
}

/**
 * How many consents that last now end at once by a new limit, and how many last on. Undefined: the new limit ends none sooner.
 * Counts up to `MOST_COUNTED`.
 */
export async function impactOfCeiling(
  before: Client,
  after: Client,
  context: AdminContext,
): Promise<{ readonly ends: number; readonly lasts: number; readonly ceiling: Millis } | undefined> {
  const [old, ceiling] = [ceilingFor(before, context), ceilingFor(after, context)];
  if (ceiling === null || (old !== null && old <= ceiling)) return undefined;
  const now = context.now();
  let [ends, lasts] = [0, 0];
  for await (const consent of consentsOf(before.clientId, context)) {
    if (!lastsUnder(consent, old, now)) continue;
    if (lastsUnder(consent, ceiling, now)) lasts += 1;
    else ends += 1;
  }
  return { ends, lasts, ceiling };
}

/** True: the consent lasts under a limit. */
export function lastsUnder(consent: Consent, limit: Millis | null, now: Millis): boolean {
  const { status, expiresAt } = consentUnder(consent, limit);
  return status === "active" && (expiresAt === null || expiresAt > now);
}

/** The consents to a client, at most `MOST_COUNTED`. */
export async function* consentsOf(clientId: string, { storage }: AdminContext): AsyncGenerator<Consent> {
  let place: { readonly ownerId: string; readonly clientId: string } | null = null;
  for (let seen = 0; seen < MOST_COUNTED; ) {
    const page: readonly Consent[] = await storage.directory.consents({
      ...{ ownerId: null, clientId, after: place, limit: 1000 },
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < 1000) break;
    place = last;
    seen += page.length;
  }
}

/** What admins of companies chose of an offer. Companies with the same choice are counted together. */
export interface Choice extends Pick<CompanyConnection["record"], "clientIdThere" | "scopes" | "resources"> {
  readonly companies: number;
  /** Members of these companies. */
  readonly members: number;
}

/** For whom an app can act at another server by one connection or offer. */
export interface ConnectionImpact {
  readonly connection: Connection;
  readonly app: string;
  /** The company of the connection or offer. Null: it is for everybody. */
  readonly company: Company | null;
  /** Companies that an offer gives something, or the one company of the connection. */
  readonly companies: number;
  /** Members of these companies. */
  readonly members: number;
  /** People and companies whose consent to the app lasts. */
  readonly owners: number;
  /**
   * Of a company's connection: what its own admins chose of an offer for the same server. Of an offer: what admins of
   * companies without a connection of their own from the operator chose.
   */
  readonly choices: readonly Choice[];
}

/** All connections and offers of an app. Throws `unknown`. */
export async function impactOfConnections(
  clientId: string,
  context: AdminContext,
): Promise<readonly ConnectionImpact[]> {
  const { client, consents: owners } = await impactOfClient(clientId, context);
  const app = `${client.name} (${clientId})`;
  const connections = client.tokenExchange?.connections ?? [];
  return Promise.all(
    connections.map(async (connection) => {
      const { audience, company: companyId, status } = connection;
      const partition = companyId === null ? -1 : partitionOf(companyId);
      const found = companyId === null ? undefined : await context.storage.companies.get({ partition, companyId });
      const of = { connection, app, company: found ?? null, owners };
      if (status === "offered") {
        const there = connections.filter((one) => one.audience === audience);
        const others = companyId === null ? there.flatMap(({ company }) => company ?? []) : [];
        const choices = await choicesAt({ clientId, audience, companyId, others }, context);
        return { ...of, choices, ...sumOf(choices.filter((one) => partUnder(connection, one) !== undefined)) };
      }
      if (found === undefined) return { ...of, companies: 0, members: 0, choices: [] };
      const choices = await choicesAt({ clientId, audience, companyId, others: [] }, context);
      const { members } = await impactOfOwner(partition, found.companyId, context);
      return { ...of, companies: 1, members, choices };
    }),
  );
}

const CONNECTIONS_AT_ONCE = 500;

/** `others`: companies that are left out. */
async function choicesAt(
  {
    others,
    ...asked
  }: {
    readonly clientId: string;
    readonly audience: string;
    readonly companyId: string | null;
    readonly others: readonly string[];
  },
  { storage, now }: AdminContext,
): Promise<readonly Choice[]> {
  const choices = new Map<string, Choice>();
  let after: CompanyConnection | undefined;
  for (let seen = 0; seen < MOST_COUNTED; seen += CONNECTIONS_AT_ONCE) {
    const place = after ?? null;
    const some = await storage.companyConnections.listOfServer({
      ...{ ...asked, now: now(), limit: CONNECTIONS_AT_ONCE, after: place },
    });
    for (const { companyId, record, members } of some) {
      if (others.includes(companyId)) continue;
      const { clientIdThere, scopes, resources } = record;
      const key = JSON.stringify([clientIdThere, scopes.toSorted(), resources.toSorted()]);
      const { companies = 0, members: earlier = 0 } = choices.get(key) ?? {};
      choices.set(key, {
        ...{ clientIdThere, scopes, resources, companies: companies + 1, members: earlier + members },
      });
    }
    after = some.at(-1);
    if (some.length < CONNECTIONS_AT_ONCE) break;
  }
  return [...choices.values()];
}

/** False also if `after` has no limit at all. */
function isFewer(after: readonly string[], before: readonly string[]): boolean {
  return after.length > 0 && before.some((one) => !after.includes(one));
}

interface Counts {
  readonly companies: number;
  readonly members: number;
}

function sumOf(choices: readonly Counts[]): Counts {
  return {
    companies: choices.reduce((sum, one) => sum + one.companies, 0),
    members: choices.reduce((sum, one) => sum + one.members, 0),
  };
}

/** Who loses a company's connection or an offer by a change of the client's connections. */
export interface ConnectionLoss {
  readonly lost: Counts;
  /** Those whose choice an offer gives only in part from now on. */
  readonly less: Counts;
  /** What a company's own admins chose, which counts instead of the connection that ends. Undefined: there is none. */
  readonly instead: Connection | undefined;
}

/** `after`: all connections of the client. */
export function lossOf(
  { connection: before, choices, companies, members }: Pick<ConnectionImpact, "connection" | "choices"> & Counts,
  after: readonly Connection[],
): ConnectionLoss {
  const { audience, company, status } = before;
  const there = after.filter((one) => one.audience === audience);
  const offer =
    company === null ? there.find((one) => one.company === null && one.status === "offered") : offerTo(company, there);
  const partOf = (choice: Choice) => (offer === undefined ? undefined : partUnder(offer, choice));
  if (status === "offered") {
    const had = choices.filter((one) => partUnder(before, one) !== undefined);
    const isLess = (one: Choice) => {
      const [part, now] = [partUnder(before, one), partOf(one)];
      if (part === undefined || now === undefined) return false;
      // Without APIs, it is for all of the other server.
      const apis = part.resources.length === 0 ? now.resources.length > 0 : isFewer(now.resources, part.resources);
      return apis || isFewer(now.scopes, part.scopes);
    };
    return {
      lost: sumOf(had.filter((one) => partOf(one) === undefined)),
      less: sumOf(had.filter(isLess)),
      instead: undefined,
    };
  }
  const stays = there.some((one) => one.company === company && one.status === "active");
  const instead = stays ? undefined : choices.map(partOf).find((one) => one !== undefined);
  const isLost = status === "active" && !stays && instead === undefined;
  return { lost: isLost ? { companies, members } : sumOf([]), less: sumOf([]), instead };
}

interface UserImpact extends OwnerCounts {
  readonly person: Person;
  /** Number of grants that the person made in the names of companies. */
  readonly companyGrants: number;
  /** Slugs of the companies that have no other active admin. */
  readonly onlyAdminOf: readonly string[];
}

/** Throws `unknown`. */
export async function impactOfUser(login: UserRef, context: AdminContext): Promise<UserImpact> {
  const person = await userOf(login, context);
  const { partition, personId } = person;
  const counts = await impactOfOwner(partition, personId, context);
  const { storage } = context;
  const now = context.now();
  let companyGrants = 0;
  for (const { company } of await storage.members.companiesOf({ partition, personId, clientId: null, now })) {
    const { companyId } = company;
    const grants = await storage.companyApps.grantsOfMember({ partition: company.partition, companyId, personId, now });
    companyGrants += grants.length;
  }
  return { person, ...counts, companyGrants, onlyAdminOf: await companiesNeeding(person, context) };
}

/** Slugs of the companies that have no other active admin than this person. */
export async function companiesNeeding({ partition, personId }: Person, context: AdminContext): Promise<string[]> {
  const asked = { partition, personId, clientId: null, now: context.now() };
  const slugs: string[] = [];
  for (const { company, member } of await context.storage.members.companiesOf(asked))
    if (member.role === "admin" && !(await hasOtherAdmin(company.slug, personId, context))) slugs.push(company.slug);
  return slugs;
}

async function hasOtherAdmin(slug: string, personId: string, context: AdminContext): Promise<boolean> {
  for await (const { personId: other, role, accountStatus } of companyMembers(slug, context))
    if (other !== personId && role === "admin" && accountStatus === "active") return true;
  return false;
}

/** Throws `unknown`. */
export async function impactOfCompany(
  slug: CompanyRef,
  context: AdminContext,
): Promise<OwnerCounts & { readonly company: Company }> {
  const company = await companyBySlug(slug, context);
  return { company, ...(await impactOfOwner(company.partition, company.companyId, context)) };
}

/**
 * `grants`: those that the person made in the company's name. `returnsBy`: the company's own provider at which the next
 * sign-in makes them a member again; null: none does. `onlyAdmin`: without them, no active admin is left. Throws `unknown`.
 */
export async function impactOfMember(
  slug: CompanyRef,
  login: UserRef,
  context: AdminContext,
): Promise<{
  readonly company: Company;
  readonly person: Person;
  readonly grants: number;
  readonly returnsBy: string | null;
  readonly onlyAdmin: boolean;
}> {
  const company = await companyBySlug(slug, context);
  const person = await userOf(login, context);
  const { partition, companyId } = company;
  const { personId } = person;
  const { storage, now } = context;
  const acting = await storage.members.findActing({ partition, companyId, personId, clientId: null });
  if (acting === undefined) return unknownMember(person, company);
  const grants = await storage.companyApps.grantsOfMember({ partition, companyId, personId, now: now() });
  const there = await signInThere(company, personId, { storage, credentials: { partitionOf } });
  const returnsBy = there?.makesMember === true ? there.provider : null;
  const onlyAdmin = acting.member.role === "admin" && !(await hasOtherAdmin(company.slug, personId, context));
  return { company, person, grants: grants.length, returnsBy, onlyAdmin };
}

/** `grants`: those of a person's consent to one app. Undefined: there is no active consent. Throws `unknown`. */
export async function impactOfConsent(
  login: UserRef,
  clientId: string,
  context: AdminContext,
): Promise<{ readonly person: Person; readonly app: string; readonly grants: number | undefined }> {
  const person = await userOf(login, context);
  const { storage, now } = context;
  const key = { partition: person.partition, ownerId: person.personId };
  const app = await appName(clientId, context);
  if ((await storage.consents.find({ ...key, clientId }))?.status !== "active")
    return { person, app, grants: undefined };
  const listed = await storage.consents.list({ ...key, now: now() });
  return { person, app, grants: listed.find(({ consent }) => consent.clientId === clientId)?.grants.length ?? 0 };
}

export interface CompanyAppImpact {
  readonly company: Company;
  /** The app's name with its id. */
  readonly app: string;
  /** Number of members for whom the app acts. */
  readonly members: number;
  readonly active: boolean;
  /** True: an admin or the operator approved the app. */
  readonly approved: boolean;
  /** The rule that decides about the app once it is revoked. `own`: its own rule stays. */
  readonly afterwards: DefaultRule | "own";
  /**
   * The other servers at which the app gets access for members until the company blocks it, also by a connection for everybody.
   * None if it does already.
   */
  readonly servers: readonly { readonly name: string; readonly audience: string }[];
  /** The company's identity providers by which the app gets access to members' own accounts, in the same way. */
  readonly vouching: readonly string[];
}

/** `active`: the company has a consent to the app, or an approval. Throws `unknown`. */
export async function impactOfCompanyApp(
  slug: CompanyRef,
  clientId: string,
  context: AdminContext,
): Promise<CompanyAppImpact> {
  const company = await companyBySlug(slug, context);
  const { partition, companyId } = company;
  const { storage, now } = context;
  const consent = await storage.consents.find({ partition, ownerId: companyId, clientId });
  const rules = await storage.companyApps.listRules({ partition, companyId });
  const people = await storage.companyApps.countPeople({ partition, companyId, clientId, ceiling: null, now: now() });
  const rule = rules.find((one) => one.clientId === clientId);
  const approved = rule !== undefined && (rule.rule === "allow" || rule.forSelected === true);
  return {
    ...{ company, app: await appName(clientId, context), members: people, approved },
    active: consent?.status === "active" || rule?.rule === "allow",
    afterwards: rule === undefined || approved ? company.defaultRule : "own",
    ...(rule?.rule === "block" ? { servers: [], vouching: [] } : await elsewhere(company, clientId, context)),
  };
}

/** The other servers and the identity providers that give the app access for the company's members, without a consent here. */
async function elsewhere(
  { partition, companyId }: Company,
  clientId: string,
  context: AdminContext,
): Promise<Pick<CompanyAppImpact, "servers" | "vouching">> {
  const client = (await context.storage.clients.get({ clientId }))?.record;
  if (client === undefined) return { servers: [], vouching: [] };
  const own = await connectionsOfApp({ partition, companyId }, client, context);
  const all = (client.tokenExchange?.connections ?? []).filter(
    (one) => one.company === null && one.status === "active",
  );
  const named = [
    ...own.map((one) => ({ name: one.serverName, audience: one.audience })),
    ...(mayExchange(client) ? all : []).map((one) => ({ name: serverName(one), audience: one.audience })),
  ];
  return {
    servers: named.filter(({ audience }, at) => named.findIndex((one) => one.audience === audience) === at),
    vouching: vouchingOf(companyId, client, await context.storage.issuers.list()),
  };
}

export async function appName(clientId: string, { storage }: AdminContext): Promise<string> {
  const client = (await storage.clients.get({ clientId }))?.record;
  return client === undefined ? clientId : `${client.name} (${clientId})`;
}

function impactOfOwner(partition: number, ownerId: string, { storage, now }: AdminContext): Promise<OwnerCounts> {
  return storage.consents.countOfOwner({ partition, ownerId, now: now(), most });
}

/** Which clients name the scope, and how many consents and approvals. Throws `unknown`. */
export async function impactOfScope(
  name: string,
  context: AdminContext,
): Promise<ScopeCounts & { readonly clients: readonly string[] }> {
  await scopeToDelete(name, context);
  return { clients: await clientsNaming(name, context), ...(await namesOfScope(name, context)) };
}

/** `scopes`: those that belong to it. While there are some, it can't be deleted. Throws `unknown`. */
export async function impactOfResource(
  identifier: string,
  context: AdminContext,
): Promise<{ readonly resource: Resource; readonly scopes: readonly string[] }> {
  return {
    resource: await resourceOf(identifier, context),
    scopes: await scopesOfResource(identifier, context),
  };
}

/**
 * How many of its subjects are linked to users, and the names of clients that authenticate with its tokens. Throws
 * `unknown`.
 */
export async function impactOfIssuer(
  issuer: string,
  context: AdminContext,
): Promise<{ readonly issuer: TrustedIssuer; readonly links: number; readonly clients: readonly string[] }> {
  const record = await issuerOf(issuer, context);
  let links = 0;
  for await (const _ of linksOfIssuer(record.id, context)) {
    links += 1;
    if (links === most) break;
  }
  const clients: string[] = [];
  for await (const client of allClients(context)) {
    if (client.workload?.issuer === record.issuer) clients.push(`${client.name} (${client.clientId})`);
  }
  return { issuer: record, links, clients };
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
