/** One app of a company, as its admins see it, and what a new rule about it would end. */

import type { Client, Consent, Millis } from "../../oauth/model.ts";
import type { Catalog } from "../../oauth/storage.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import type { TrustedIssuer } from "../../oauth/trusted-issuer.ts";
import { mayConnect } from "../apps/remembered-owner-choice.ts";
import { canonicalLogin } from "../canonical-login.ts";
import { approvedScopes, MAX_SELECTED, standingRule } from "../company-rules.ts";
import type { ActingPerson, HeldScope, ListedRule, Member, NewRule } from "../company-storage.ts";
import { consentUnder, isPaused } from "../consent-after-decision.ts";
import { pageOf } from "../paging.ts";
import { maySee } from "./app-search.ts";
import { liveUnder, type NamedRequest, requestsOf } from "./company-apps.ts";
import type { AsMember, CompanyContext } from "./context.ts";
import { keptUntil, loses, peopleIn, type RuleChange, ruleChange } from "./rule-change.ts";

/** The grant of an identity assertion (RFC 7523 §2.1). */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Maximum number of people whose use of the app a page shows. */
const PEOPLE_SHOWN = 20;
/** Maximum number of clients that act through the app that a page shows. */
const THROUGH_SHOWN = 20;
/** Maximum number of members that a page offers to select. Others are named by their usernames. */
const MEMBERS_OFFERED = 50;

/** A person with the name that they gave themselves. Null: none but the username. */
export type Named<T> = T & { readonly personName: string | null };

export interface CompanyAppDetails {
  readonly rule: ListedRule | undefined;
  /** The company's active consent, whether or not somebody has access under it now. Undefined: there is none. */
  readonly consent: Consent | undefined;
  /** True: an admin paused the app, also where the consent has no access any more. */
  readonly isPaused: boolean;
  /** What the app can do now. */
  readonly access: readonly HeldScope[];
  /** Number of people for whom the app acts, and some of them. */
  readonly people: number;
  readonly acting: readonly Named<ActingPerson>[];
  /** Clients that act for the company through the app, the latest first (RFC 8693). */
  readonly through: readonly Delegation[];
  /** Its own uses of other apps' access for the company, the latest first. Those of apps that have ended are left out. */
  readonly asActor: readonly Delegation[];
  /** Those that it can repeat now: neither is it stopped, nor do the other apps act for nobody. */
  readonly actsThrough: readonly Delegation[];
  /** The name of the person who made the rule. Undefined: there is no rule, or the person is no member any more. */
  readonly decidedBy: string | undefined;
  /** The company's identity providers whose assertions give the app access to members' accounts (RFC 7523). */
  readonly vouching: readonly string[];
  readonly requests: readonly NamedRequest[];
  /** The reader's own state: the app acts for them, or they stopped it. Null: neither. */
  readonly mine: "acts" | "stopped" | null;
  /** True: the reader chose the company for the app last time. */
  readonly chosen: boolean;
}

/** Undefined: the company's admins may not see the app, or it does not exist. */
export async function companyApp(
  at: AsMember,
  { clientId, ceilingOf }: { readonly clientId: string; ceilingOf(clientId: string): Promise<Millis | null> },
  context: CompanyContext,
): Promise<CompanyAppDetails | undefined> {
  if (clientId === "" || !(await maySee(at, clientId, context))) return undefined;
  const { storage } = context;
  const { key, person } = at;
  const { personId } = person;
  const now = context.now();
  const ceiling = await ceilingOf(clientId);
  const [rules, consent, people, acting, requests, reader, grants, access, delegations] = await Promise.all([
    storage.companyApps.listRules(key),
    storage.consents.find({ partition: key.partition, ownerId: key.companyId, clientId }),
    storage.companyApps.countPeople({ ...key, clientId, ceiling, now }),
    storage.companyApps.listActing({ ...key, clientId, ceiling, limit: PEOPLE_SHOWN, now }),
    requestsOf(at, context, clientId),
    storage.members.findActing({ ...key, personId, clientId }),
    storage.companyApps.grantsOfMember({ ...key, personId, now }),
    storage.companyApps.liveAccess({ ...key, clientId, ceiling, now }),
    storage.delegations.list({ partition: key.partition, ownerId: key.companyId }),
  ]);
  const rule = rules.find((one) => one.clientId === clientId);
  const decider =
    rule === undefined ? undefined : await storage.members.findActing({ ...key, personId: rule.decidedBy, clientId });
  const lasts = isActive(consent, ceiling, now);
  const isApproved = approvedScopes(rule, personId, { ceiling }, now).length > 0;
  const own = liveUnder(grants, ceiling, now).filter((one) => one.clientId === clientId);
  const asActor = delegations.filter(({ actorId }) => actorId === clientId).slice(0, THROUGH_SHOWN);
  const acts = async (app: Delegation) => {
    const of = { clientId: app.clientId, ceiling: await ceilingOf(app.clientId) };
    return !app.stopped && (await storage.companyApps.countPeople({ ...key, ...of, now })) > 0;
  };
  const repeatable = await Promise.all(asActor.map(acts));
  return {
    ...{ rule, access, people, requests, decidedBy: decider?.member.username },
    acting: await withNames(acting, context),
    through: delegations.filter((one) => one.clientId === clientId && !one.stopped).slice(0, THROUGH_SHOWN),
    asActor,
    actsThrough: asActor.filter((_, place) => repeatable[place]),
    vouching: await vouchingFor(key.companyId, clientId, context.catalog),
    consent: lasts ? consent : undefined,
    isPaused: isPaused(consent),
    mine: reader?.optedOut === true ? "stopped" : own.length > 0 ? "acts" : null,
    chosen: reader?.chosen === true && mayConnect(reader, now, ceiling) && (lasts || isApproved),
  };
}

/** The issuers that speak for the company's members and may do so to the app. */
export async function vouchingFor(companyId: string, clientId: string, catalog: Catalog): Promise<readonly string[]> {
  const client = await catalog.client(clientId);
  return client === undefined ? [] : vouchingAmong(await identityProvidersOf(companyId, catalog), client);
}

/** `providers`: the company's identity providers. */
function vouchingAmong(providers: readonly TrustedIssuer[], client: Client): readonly string[] {
  const isAble = client.type === "confidential" && client.grantTypes.includes(JWT_BEARER);
  if (client.status !== "active" || !isAble) return [];
  const mayUse = ({ clients, scopes }: TrustedIssuer) =>
    (clients.length === 0 || clients.includes(client.clientId)) && scopes.some((name) => client.scopes.includes(name));
  return providers.filter(mayUse).map(({ issuer }) => issuer);
}

/** The active issuers of identity assertions about the company's members (ID-JAGs). */
export async function identityProvidersOf(companyId: string, catalog: Catalog): Promise<readonly TrustedIssuer[]> {
  return identityProvidersAmong([...(await catalog.issuers()).values()], companyId);
}

function identityProvidersAmong(all: readonly TrustedIssuer[], companyId: string): readonly TrustedIssuer[] {
  return all.filter(({ type, status, company }) => type === "id-jag" && status === "active" && company === companyId);
}

/** The same as `vouchingFor`, of all issuers. */
export function vouchingOf(companyId: string, client: Client, all: readonly TrustedIssuer[]): readonly string[] {
  return vouchingAmong(identityProvidersAmong(all, companyId), client);
}

function withNames<T extends { readonly personId: string }>(
  people: readonly T[],
  { storage, credentials }: CompanyContext,
): Promise<readonly Named<T>[]> {
  return Promise.all(
    people.map(async (one) => {
      const { personId } = one;
      const person = await storage.people.get({ partition: credentials.partitionOf(personId), personId });
      return { ...one, personName: person?.name ?? null };
    }),
  );
}

function isActive(consent: Consent | undefined, ceiling: Millis | null, now: Millis): boolean {
  if (consent?.status !== "active") return false;
  const { expiresAt } = consentUnder(consent, ceiling);
  return expiresAt === null || expiresAt > now;
}

export interface OfferedMembers {
  readonly members: readonly Named<Pick<Member, "personId" | "username">>[];
  /** True: the company has other members. */
  readonly more: boolean;
}

/** The members that a page offers to select: those with these ids, and others by username. */
export async function offeredMembers(
  { key }: AsMember,
  chosen: readonly string[],
  context: CompanyContext,
): Promise<OfferedMembers> {
  const { storage } = context;
  const { items, last } = await pageOf(MEMBERS_OFFERED, (limit) =>
    storage.members.list({ ...key, limit, after: null }),
  );
  const missing = chosen.slice(0, MAX_SELECTED).filter((personId) => !items.some((one) => one.personId === personId));
  const found = await Promise.all(
    missing.map((personId) => storage.members.findActing({ ...key, personId, clientId: null })),
  );
  const others = found.flatMap((acting) => (acting === undefined ? [] : [acting.member]));
  return { members: await withNames([...others, ...items], context), more: last !== undefined };
}

/** The members with these usernames. `unknown`: the first name that no member has. */
export async function membersNamed(
  { key }: AsMember,
  names: readonly string[],
  { storage }: CompanyContext,
): Promise<{ readonly personIds: readonly string[]; readonly unknown: string | undefined }> {
  const personIds: string[] = [];
  for (const name of names) {
    const canonical = canonicalLogin(name);
    const person = canonical === undefined ? undefined : await storage.people.findByName({ name: canonical });
    const acting =
      person === undefined
        ? undefined
        : await storage.members.findActing({ ...key, personId: person.personId, clientId: null });
    if (acting === undefined) return { personIds, unknown: name };
    personIds.push(acting.member.personId);
  }
  return { personIds, unknown: undefined };
}

/** What a new rule takes from people, or whom it lets in, with the numbers. Undefined: nobody is affected. */
export interface RuleEffects {
  readonly change: RuleChange;
  /** Number of people for whom the app acts. */
  readonly people: number;
  /** Number of members whose access the admin can end, because the rule doesn't allow them. 0: nothing is asked. */
  readonly withdrawn: number;
  /** Number of members whose grants lose scopes. */
  readonly losing: number;
  /** Number of people whose access ends sooner. */
  readonly shortened: number;
  /** The latest end of the access of the withdrawn members, if they keep it. Null: none. */
  readonly endsAt: Millis | null;
}

export async function effectsOf(
  at: AsMember,
  {
    clientId,
    ceiling,
    details,
  }: {
    readonly clientId: string;
    readonly ceiling: Millis | null;
    readonly details: Pick<CompanyAppDetails, "actsThrough">;
  },
  next: NewRule | null,
  { storage, now: clock }: CompanyContext,
): Promise<RuleEffects | undefined> {
  const { key, acting } = at;
  const now = clock();
  const [rules, held] = await Promise.all([
    storage.companyApps.listRules(key),
    storage.companyApps.liveAccess({ ...key, clientId, ceiling, now }),
  ]);
  const found = rules.find((one) => one.clientId === clientId);
  const rule = standingRule(found, { ceiling }, now);
  const { defaultRule } = acting.company;
  const keepsOut = rule === undefined && found?.forSelected === true;
  const change = ruleChange({ rule, keepsOut, defaultRule, held }, next);
  const effects = {
    ...{ change, people: peopleIn(held), withdrawn: change.withdraws.length === 0 ? 0 : peopleIn(change.leftOut) },
    losing: peopleIn(held.filter((one) => loses(one, change.lost))),
    shortened: change.shortens === undefined ? 0 : peopleIn(change.shortens.held),
    endsAt: keptUntil(change, next),
  };
  return affects(effects) || (change.blocks && details.actsThrough.length > 0) ? effects : undefined;
}

function affects({ change, people, withdrawn, losing, shortened }: RuleEffects): boolean {
  return change.opens || (change.blocks && people > 0) || withdrawn > 0 || losing > 0 || shortened > 0;
}
