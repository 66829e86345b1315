/** The apps of a company: decisions of admins for all members, and of a member for themselves. */

import { isSameHost, type Reach, reachOf, receiversOf, underCeiling } from "../../oauth/consent-reach.ts";
import type { Client, ListedGrant, Millis } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { scopesOfGrant } from "../apps/allowed-apps.ts";
import { lastingAnswers, mayConnect } from "../apps/remembered-owner-choice.ts";
import type { Pausing } from "../change-conditions.ts";
import { approvedScopes, endOfRule, isForHost } from "../company-rules.ts";
import type { Acting, AppRequest, CompanyApp, DefaultRule, ListedRule, NewRule } from "../company-storage.ts";
import { consentUnder, isPaused, latestOf } from "../consent-after-decision.ts";
import type { Notice } from "../mail/company-notice-kinds.ts";
import { MOST_REQUESTS } from "./app-search.ts";
import { type AsMember, askedBy, type CompanyContext, isPersonId, toldOf } from "./context.ts";

/** One app in a company, with the details that its reader may see. */
export interface AppInCompany {
  readonly clientId: string;
  /** What was granted. Undefined: nothing. */
  readonly app: CompanyApp | undefined;
  readonly rule: ListedRule | undefined;
  /** Its access for the reader: it acts for them, or they stopped it. Null: none. */
  readonly mine: "acts" | "stopped" | null;
  /** The reader's live grants of the app in the company's name. */
  readonly own: readonly ListedGrant[];
  /** True: the reader chose the company for the app, and is perhaps not asked again. */
  readonly chosen: boolean;
  /** The scopes that the reader allowed then, without those whose time is over. */
  readonly answered: readonly string[];
}

/**
 * All apps that have a grant or a rule, and those that a member stopped, also after the company's consent ended. `ceilingOf`:
 * the longest time for which an answer to the app holds; null: no limit.
 */
export async function appsOf(
  { key, acting: reader, person: { personId } }: AsMember,
  ceilingOf: (clientId: string) => Promise<Millis | null>,
  { storage, now: clock }: CompanyContext,
): Promise<readonly AppInCompany[]> {
  const now = clock();
  const [apps, rules, own, stopped] = await Promise.all([
    storage.companyApps.list({ ...key, now }),
    storage.companyApps.listRules(key),
    storage.companyApps.grantsOfMember({ ...key, personId, now }),
    reader.member.role === "admin" ? [] : storage.companyApps.listStopped({ ...key, personId }),
  ]);
  const granted = new Map(apps.map((app) => [app.consent.clientId, app]));
  const ruled = new Map(rules.map((rule) => [rule.clientId, rule]));
  const ownOf = Map.groupBy(own, ({ clientId }) => clientId);
  return Promise.all(
    [...new Set([...granted.keys(), ...ruled.keys(), ...stopped])].map(async (clientId) => {
      const ceiling = await ceilingOf(clientId);
      const acting = await storage.members.findActing({ ...key, personId, clientId });
      const rule = ruled.get(clientId);
      const found = granted.get(clientId);
      const live = liveUnder(ownOf.get(clientId) ?? [], ceiling, now);
      const app =
        found &&
        (await appUnder(found, ceiling, now, () =>
          storage.companyApps.countPeople({ ...key, clientId, ceiling, now }),
        ));
      const lasts = app !== undefined || approvedScopes(rule, personId, { ceiling }, now).length > 0;
      return {
        ...{ clientId, app, rule, mine: stateOf(acting, live.length > 0), own: live },
        chosen: acting?.chosen === true && mayConnect(acting, now, ceiling) && lasts,
        answered: acting === undefined ? [] : lastingAnswers(acting, now),
      };
    }),
  );
}

/** The database knows nothing of the ceiling: grants that are over by it alone are left out here. */
export function liveUnder(grants: readonly ListedGrant[], ceiling: Millis | null, now: Millis): readonly ListedGrant[] {
  return grants.filter((grant) => underCeiling(grant, ceiling).absoluteUntil > now);
}

/** Undefined: nothing of the consent lasts under the ceiling. */
async function appUnder(
  app: CompanyApp,
  ceiling: Millis | null,
  now: Millis,
  countPeople: () => Promise<number>,
): Promise<CompanyApp | undefined> {
  if (ceiling === null) return app;
  const consent = consentUnder(app.consent, ceiling);
  const people = await countPeople();
  const lasts = consent.expiresAt === null || consent.expiresAt > now;
  return lasts || people > 0 ? { ...app, consent, people } : undefined;
}

/** What the app may do for the reader, and until when. Undefined: nothing any more. */
export interface OwnAccess {
  /** The latest end of each scope. Null: until revoked. */
  readonly scopes: ReadonlyMap<string, Millis | null>;
  readonly since: Millis;
  readonly lastUsedAt: Millis | null;
  /** The latest of these ends. */
  readonly endsAt: Millis | null;
}

/** `own`: as of `AppInCompany`. */
export function ownAccess(own: readonly ListedGrant[], ceiling: Millis | null, now: Millis): OwnAccess | undefined {
  const held = own
    .flatMap((grant) => scopesOfGrant(underCeiling(grant, ceiling)))
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const endsAt = latestOf(held.map(({ expiresAt }) => expiresAt));
  if (endsAt === undefined) return undefined;
  return {
    scopes: new Map(
      [...Map.groupBy(held, ({ name }) => name)].map(([name, all]) => [
        name,
        latestOf(all.map(({ expiresAt }) => expiresAt)) ?? null,
      ]),
    ),
    since: Math.min(...own.map(({ createdAt }) => createdAt)),
    lastUsedAt: Math.max(0, ...own.map((grant) => grant.lastUsedAt ?? 0)) || null,
    endsAt,
  };
}

function stateOf(acting: Acting | undefined, acts: boolean): AppInCompany["mine"] {
  if (acting?.optedOut === true) return "stopped";
  return acts ? "acts" : null;
}

/** Maximum number of requests on a page. The rest comes when these are answered. */
const REQUESTS_SHOWN = 50;

/** A member's request with the name of the member. Null: the person has no name but the username. */
export interface NamedRequest extends AppRequest {
  readonly personName: string | null;
  /** The company's rule about the app. Undefined: none of its own. */
  readonly rule: ListedRule | undefined;
}

/** The destination of a request: the address of then, with what the app looks like now. */
export function reachOfRequest(
  { host }: Pick<AppRequest, "host">,
  client: Client | undefined,
  ceiling: Millis | null,
): Reach {
  const present =
    host === null ? null : (receiversOf(client ?? { redirectUris: [] }).find((one) => isSameHost(one, host)) ?? host);
  return { ...reachOf(client ?? {}, null, ceiling), host: present };
}

/** Members' requests, oldest first: all, or those for one app. */
export async function requestsOf(
  { key }: AsMember,
  context: CompanyContext,
  clientId?: string,
): Promise<readonly NamedRequest[]> {
  const { storage, credentials } = context;
  const [requests, rules] = await Promise.all([
    storage.companyApps.listRequests({ ...key, limit: MOST_REQUESTS }),
    storage.companyApps.listRules(key),
  ]);
  const shown = requests.filter((request) => clientId === undefined || request.clientId === clientId);
  return Promise.all(
    shown.slice(0, REQUESTS_SHOWN).map(async (request) => {
      const { personId } = request;
      const person = await storage.people.get({ partition: credentials.partitionOf(personId), personId });
      const rule = rules.find((one) => one.clientId === request.clientId);
      return { ...request, personName: person?.name ?? null, rule };
    }),
  );
}

/** A request of the reader, and the rule about its app. */
export interface OwnRequest extends AppRequest {
  readonly rule: ListedRule | undefined;
}

/** The open and refused requests of the reader, newest first. */
export async function ownRequests(
  { key, person: { personId } }: AsMember,
  { storage }: CompanyContext,
): Promise<readonly OwnRequest[]> {
  const [requests, rules] = await Promise.all([
    storage.companyApps.requestsOfMember({ ...key, personId, limit: REQUESTS_SHOWN }),
    storage.companyApps.listRules(key),
  ]);
  return requests.map((one) => ({ ...one, rule: rules.find(({ clientId }) => clientId === one.clientId) }));
}

/** What the company granted an app. Undefined: nothing. */
export async function grantedApp(
  { key }: AsMember,
  clientId: string,
  { storage, now }: CompanyContext,
): Promise<CompanyApp | undefined> {
  return (await storage.companyApps.list({ ...key, now: now() })).find(({ consent }) => consent.clientId === clientId);
}

/** The rule that holds for an app once it is revoked for everyone: an approval ends, too. Null: its own rule stays. */
export async function ruleAfterRevoking(
  { key, acting }: AsMember,
  clientId: string,
  { storage }: CompanyContext,
): Promise<DefaultRule | null> {
  const own = (await storage.companyApps.listRules(key)).find((rule) => rule.clientId === clientId);
  const stays = own !== undefined && own.rule !== "allow" && own.forSelected !== true;
  return stays ? null : acting.company.defaultRule;
}

/** The ids of the apps that act for a member. */
export async function appsActingFor(
  { key }: AsMember,
  personId: string,
  { storage, now }: CompanyContext,
): Promise<readonly string[]> {
  const grants = await storage.companyApps.grantsOfMember({ ...key, personId, now: now() });
  return [...new Set(grants.map(({ clientId }) => clientId))];
}

/** An admin's decision about an app for all members. */
export interface RuleDecision {
  readonly client: Client;
  /** The longest time for which an answer to the client can hold. Null: no limit. */
  readonly ceiling: Millis | null;
  /** Null: the company's default applies again. */
  readonly rule: NewRule | null;
  /** The time of the rule that the admin saw. Null: there was none. */
  readonly seen: Millis | null;
  /** What happens to members for whom the app acts. Absent: they keep it. */
  readonly members?: "keep" | "end";
  /** The language of the page. */
  readonly language: string;
}

export async function decideRule(
  at: AsMember,
  { client, ceiling, rule, seen, members, language }: RuleDecision,
  context: CompanyContext,
): Promise<"done" | "not_admin" | "changed"> {
  const { key, person } = at;
  const { clientId } = client;
  const now = context.now();
  const answers = await answersTo(at, { client, ceiling, rule }, context);
  const news = answers.map(async (notice) => {
    const { askedBy: personId, asked, receiver: host } = notice;
    return { personId, asked, host, mails: await context.noticeLetters(notice) };
  });
  const outcome = await context.storage.companyApps.setRule({
    ...{ ...key, clientId, ceiling, rule, seen, ...askedBy(at), now },
    ...(members === undefined ? {} : { members }),
    news: await Promise.all(news),
    shown: { locale: language, clientName: client.name, logo: client.logo },
  });
  if (outcome.kind !== "done") return outcome.kind === "changed" ? "changed" : "not_admin";
  context.event("company_app_decided", {
    ...{ company: key.companyId, client_id: clientId, by: person.personId },
    ...{ rule: rule?.rule ?? "default", grants_ended: outcome.grantsEnded },
    ...(rule?.selected === undefined ? {} : { members: rule.selected.length }),
  });
  const left = new Set((await openRequests(at, clientId, context)).map(({ personId }) => personId));
  for (const { asked: _, receiver: __, ...notice } of answers)
    if (notice.answer.waiting.length > 0 || !left.has(notice.askedBy)) context.notify(notice);
  return "done";
}

/** The open requests about an app. */
async function openRequests(
  { key }: AsMember,
  clientId: string,
  { storage }: Pick<CompanyContext, "storage">,
): Promise<readonly AppRequest[]> {
  const requests = await storage.companyApps.listRequests({ ...key, limit: MOST_REQUESTS });
  return requests.filter((request) => request.clientId === clientId);
}

type Decision = Extract<Notice, { readonly kind: "company_decision" }>;

/** The answers that a rule gives to open requests: all of it, a part that was not allowed before, or nothing. */
async function answersTo(
  at: AsMember,
  { client, ceiling, rule }: Pick<RuleDecision, "client" | "ceiling" | "rule">,
  context: CompanyContext,
): Promise<readonly (Decision & { readonly asked: readonly string[]; readonly receiver: string | null })[]> {
  const { clientId } = client;
  const requests = await openRequests(at, clientId, context);
  if (rule === null || rule.rule === "ask" || requests.length === 0) return [];
  const { companyId: ownerId, ...key } = at.key;
  const [rules, consent] = await Promise.all([
    context.storage.companyApps.listRules(at.key),
    context.storage.consents.find({ ...key, ownerId, clientId }),
  ]);
  const before = rules.find((one) => one.clientId === clientId);
  const paused = isPaused(consent) ? { paused: true as const } : {};
  return requests.flatMap(({ personId, scopes: asked, host }) => {
    const had = approvedScopes(before, personId, reachOfRequest({ host }, client, ceiling), context.now());
    const isThere = rule.rule === "allow" && isForHost(rule, host) && (rule.selected?.includes(personId) ?? true);
    const isAllowed = (name: string) => isThere && rule.scopes.includes(name);
    const allowed = asked.filter(isAllowed);
    const blocked = rule.rule === "block";
    if (!blocked && allowed.every((name) => had.includes(name)) && allowed.length < asked.length) return [];
    const waiting = blocked ? [] : asked.filter((name) => !isAllowed(name));
    const answer = {
      allowed,
      until: rule.endsAt,
      refused: blocked ? asked : [],
      waiting,
      blocked,
      ...(allowed.length > 0 && paused),
    };
    return [{ ...decisionNotice(at, client, { personId, host }, answer), asked, receiver: host }];
  });
}

function decisionNotice(
  at: AsMember,
  { clientId, name }: Pick<Client, "clientId" | "name">,
  { personId: askedBy, host: receiver }: Pick<AppRequest, "personId" | "host">,
  answer: Decision["answer"],
): Decision {
  const approved = answer.refused.length + answer.waiting.length === 0;
  const host = receiver === null ? null : redirectHost(receiver);
  const client = { clientId, name, host };
  return { kind: "company_decision", ...toldOf(at), client, askedBy, approved, answer };
}

/** Ends the company's consent to an app, and all grants under it. */
export async function revokeApp(
  at: AsMember,
  clientId: string,
  { storage, event, now }: CompanyContext,
): Promise<"done" | "not_admin" | "unknown"> {
  const { key } = at;
  const by = at.person.personId;
  const outcome = await storage.companyApps.revokeForAll({ ...key, clientId, ...askedBy(at), now: now() });
  if (outcome.kind !== "done") return outcome.kind === "not_admin" ? "not_admin" : "unknown";
  event("consent_revoked", { owner: key.companyId, by, client_id: clientId, grants_ended: outcome.grantsEnded });
  return "done";
}

/** Stops an app for the whole company for a while, or lets it go on. */
export async function setAppPausedForAll(
  at: AsMember,
  change: Pausing,
  { storage, event, now }: CompanyContext,
): Promise<"done" | "unchanged" | "not_admin" | "unknown"> {
  const { key } = at;
  const { clientId, paused } = change;
  const by = at.person.personId;
  const outcome = await storage.companyApps.setPaused({ ...key, ...change, ...askedBy(at), now: now() });
  if (outcome.kind !== "changed") return outcome.kind;
  event(paused ? "consent_paused" : "consent_resumed", { owner: key.companyId, by, client_id: clientId });
  return "done";
}

/** A request as an admin saw it. */
interface SeenRequest {
  readonly clientId: string;
  readonly personId: string;
  /** When the member made it. Null: the page didn't say. */
  readonly askedAt: Millis | null;
  readonly ceiling: Millis | null;
}

/** Refuses what the member asked for and may not use yet. `changed`: the member has asked for something else since. */
export async function refuseMembersRequest(
  at: AsMember,
  { clientId, personId, askedAt: seen, ceiling }: SeenRequest,
  context: CompanyContext,
): Promise<"done" | "not_admin" | "unknown" | "changed"> {
  const { key, person } = at;
  const now = context.now();
  const [requests, rules] = await Promise.all([
    openRequests(at, clientId, context),
    context.storage.companyApps.listRules(key),
  ]);
  const open = requests.find((one) => one.personId === personId);
  if (open === undefined) return "unknown";
  if (open.askedAt !== seen) return "changed";
  const { scopes: asked } = open;
  const client = await context.catalog.client(clientId);
  const rule = rules.find((one) => one.clientId === clientId);
  const approved = approvedScopes(rule, personId, reachOfRequest(open, client, ceiling), now);
  // A refusal of a request for what is approved by now refuses all of it: otherwise it would read as an approval.
  const had = asked.every((name) => approved.includes(name)) ? [] : approved;
  const allowed = asked.filter((name) => had.includes(name));
  const refused = asked.filter((name) => !had.includes(name));
  const until = rule === undefined ? null : endOfRule(rule, { ceiling });
  const answer = { allowed, until, refused, waiting: [], blocked: false };
  const notice = decisionNotice(at, { clientId, name: client?.name ?? clientId }, open, answer);
  const mails = isPersonId(personId) ? await context.noticeLetters(notice) : [];
  const by = person.personId;
  const request = { ...key, clientId, personId, seen, refused, mails };
  const outcome = await context.storage.companyApps.refuseRequest({ ...request, ...askedBy(at), now });
  if (outcome.kind !== "done") return outcome.kind;
  context.event("company_request_refused", { company: key.companyId, client_id: clientId, person: personId, by });
  context.notify(notice);
  return "done";
}

export async function changeDefaultRule(
  at: AsMember,
  defaultRule: DefaultRule,
  { storage, event, now }: CompanyContext,
): Promise<"done" | "not_admin"> {
  const { key } = at;
  const by = at.person.personId;
  const outcome = await storage.companies.update({ ...key, changes: { defaultRule }, ...askedBy(at), now: now() });
  if (outcome.kind !== "updated") return "not_admin";
  event("company_default_changed", { company: key.companyId, rule: defaultRule, by });
  return "done";
}

/** A member keeps an app from acting for them, or allows it again. */
export async function optOut(
  { key, acting, person: { personId } }: AsMember,
  clientId: string,
  out: boolean,
  { storage, event, now }: CompanyContext,
): Promise<"done" | "unknown"> {
  const outcome = await storage.companyApps.setOptOut({
    ...{ ...key, clientId, personId, out, trustedFrom: acting.member.trustedFrom, now: now() },
  });
  if (outcome.kind === "unknown") return "unknown";
  const what = { company: key.companyId, client_id: clientId, person: personId };
  event(out ? "company_app_stopped" : "company_app_resumed", { ...what, grants_ended: outcome.grantsEnded });
  return "done";
}
