/** The consent page: who asks, for what, for how long, as whom. */

import { BY_PROVIDER } from "../../oauth/authentication-context.ts";
import { hostsBefore, isSameHost, later, onlyElsewhere, sooner } from "../../oauth/consent-reach.ts";
import { mayUse } from "../../oauth/grants/registry.ts";
import { accessTokenTtl } from "../../oauth/issue-access-token.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { isOpenIdRequest, OFFLINE_ACCESS } from "../../oauth/openid/scopes.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { isOffered } from "../../oauth/scope.ts";
import { hasAccessAlready } from "../../owners/authorization/ask-admin.ts";
import { type Asking, askedOnPage } from "../../owners/authorization/browser-flow.ts";
import { durationsFor, keepsAway, offersToday, pauseMark } from "../../owners/authorization/consent-answer.ts";
import type { SignedIn } from "../../owners/authorization/context.ts";
import {
  awayBefore,
  besideRequest,
  declinedFor,
  givenEndOf,
  type HeldBeside,
  heldBeside,
  heldScopes,
  isOpenFor,
  isStoppedFor,
  isStoppedForAll,
  lastChoice,
  leftOutFor,
  type OwnerChoice,
  renewableUntil,
  shownApprovals,
  withLive,
  withVerdictOn,
} from "../../owners/authorization/person-or-company.ts";
import { scopeWords } from "../../owners/company-connections.ts";
import { approvalFor, beyondApproval, endOfRule, laterScopes } from "../../owners/company-rules.ts";
import type { Company } from "../../owners/company-storage.ts";
import { activeAt, againByRules, refusedScopes, unexpired } from "../../owners/consent-after-decision.ts";
import {
  defaultDuration,
  durationField,
  hasEndedHere,
  presentEnds,
  readDuration,
  standingScopes,
  TODAY,
} from "../../owners/consent-needed.ts";
import type { Person } from "../../owners/person.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import { bothNamesText, consentPage } from "../../pages/index.ts";
import type { ClientCard, ConsentView, OwnerOption, ScopeChoice } from "../../pages/views.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { clientCard, signedInAs } from "../endpoints/client-and-person-views.ts";
import { type Answer, page } from "../http-message.ts";
import { type FlowArrival, pageContextOf, sessionSecrets } from "./continuation-in-forms.ts";

/** What was wrong with an answer, and what it was: it stays as it was chosen. */
export interface Again {
  readonly problem: NonNullable<ConsentView["problem"]>;
  readonly status: number;
  readonly form: URLSearchParams;
}

/** `again`: what was wrong with the last answer; null: the first time. */
export async function consentAnswer(
  { owners, owner, allGranted }: Asking,
  arrival: FlowArrival,
  { person }: SignedIn,
  tools: FlowTools,
  again: Again | null,
): Promise<Answer> {
  const { flow, visitor, http } = arrival;
  const { client, redirectUri } = flow.request;
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const { language } = chrome.words;
  const durations = durationsFor(client, tools.authorization);
  const services = await servicesFor(owners, client, tools);
  const later = await laterFor(owners, client, language, tools);
  const kept = await keptFor(owners, client, tools);
  const view: ConsentView = {
    form: sessionSecrets({ ...askedOnPage(flow), ...shownApprovals(owners, tools.now()) }, visitor, tools),
    client: await inPublic(clientCard(flow.request, language), client, tools),
    person: signedInAs(person),
    owners: ownerOptions(owners, owner, person, { language, durations, services, later, kept }, tools.now()),
    scopes: await scopeChoices(owner, client, language, chosenBefore(again), tools),
    ...durationChoices(client, chosenBefore(again), tools),
    onceSeconds: await onceSeconds(owner, true, tools),
    now: tools.now(),
    ...newHost(owner, redirectUri, tools),
    ...otherHosts(owner, tools.now()),
    ...keepsOf(owner, tools.now()),
    ...(await besideOfRequest(owner, client, language, tools)),
    ...pauseOf(owner),
    ...leavingOf(person),
    ...newcomerOf(visitor.signedIn, tools.now()),
    ...(flow.request.responseType === "token" ? {} : awayOf(owner, client, tools)),
    allGranted,
    problem: problemOf(again),
  };
  return page(again?.status ?? 200, consentPage(view, chrome), "to a client", visitor.cookies);
}

/** The answer whose choices the page keeps. Those for another owner begin anew: what was ticked was not about this one. */
export function chosenBefore(again: Again | null): Again | null {
  const kind = again?.problem.kind;
  const anew: readonly unknown[] = ["bad_owner", "other_owner", "paused", "changed", "meanwhile"];
  return anew.includes(kind) ? null : again;
}

/** What was wrong with the last answer, with the owner that it named if nobody can choose that one. */
export function problemOf(again: Again | null): ConsentView["problem"] {
  const owner = again?.form.get("owner");
  if (again?.problem.kind !== "bad_owner" || owner == null) return again?.problem ?? null;
  return { kind: "bad_owner", owner };
}

/**
 * How long access lasts at most that is for this once: as long as an access token for one of the APIs. A refresh for other
 * scopes can still include it (`mixed`: the page offers a time for each), until the code and its token would have ended.
 */
export async function onceSeconds(
  { scopes }: OwnerChoice,
  mixed: boolean,
  { authorization }: FlowTools,
): Promise<number> {
  const { catalog, policy } = authorization.oauth;
  const resources = await catalog.resources();
  const ofApi = ({ resource }: Scope) => accessTokenTtl(resources.get(resource ?? ""), policy.accessTtl);
  const end = policy.codeTtl + policy.accessTtl;
  const longest = mixed && scopes.length > 1 ? end : Math.min(Math.max(...scopes.map(ofApi)), end);
  return longest < MINUTE ? Math.ceil(longest / 1000) : Math.ceil(longest / MINUTE) * 60;
}

const MINUTE: Millis = 60_000;

/** Since when the app is paused, if this person may resume it. */
export function pauseOf({ consent, ownerId }: OwnerChoice): Pick<ConsentView, "pausedAt" | "resume"> {
  const resume = pauseMark(consent, ownerId);
  return resume === undefined || consent?.pausedAt == null ? {} : { pausedAt: consent.pausedAt, resume };
}

/** When the person's account will be deleted, as they asked. */
export function leavingOf({ deleteAt }: Person): Pick<ConsentView, "leavesAt"> {
  return deleteAt == null ? {} : { leavesAt: deleteAt };
}

/** How long a page says that an account is new. */
const NEW_FOR: Millis = 3_600_000;
/** The longest time between an account and the session of the sign-in that made it. */
const SAME_SIGN_IN: Millis = 60_000;

/** Whether the sign-in at a provider made the account: nobody asked for one, and the person may have another one here. */
export function newcomerOf(signedIn: Visitor["signedIn"], now: Millis): Pick<ConsentView, "isNewcomer"> {
  if (signedIn === undefined) return {};
  const { person, session } = signedIn;
  const made =
    BY_PROVIDER.amr.every((one) => session.amr.includes(one)) && session.createdAt - person.createdAt < SAME_SIGN_IN;
  return made && now - person.createdAt < NEW_FOR ? { isNewcomer: true } : {};
}

/** Whether the answer gives the app refresh tokens, with which it gets new access without the person. */
export function awayOf(owner: OwnerChoice, client: Client, tools: FlowTools): Pick<ConsentView, "away"> {
  if (!mayUse(client, "refresh_token", tools.authorization.oauth)) return {};
  if (owner.scopes.some(({ name }) => name === OFFLINE_ACCESS)) return { away: "scope" };
  return keepsAway(owner, client) ? { away: "always" } : {};
}

/** Whether the app has access of this owner already: a refusal leaves it. */
export function keepsOf(choice: OwnerChoice, now: Millis): Pick<ConsentView, "keepsAccess" | "keepsByPolicy"> {
  const { consent, reach } = choice;
  return {
    ...(unexpired(consent, reach, now).length > 0 ? { keepsAccess: true } : {}),
    ...(byPolicy(choice).length > 0 ? { keepsByPolicy: true } : {}),
  };
}

/** The scopes that the app gets by the operator's policy, also after the end of what the person allows, unless they pause it. */
function byPolicy({ acting, consent }: OwnerChoice): readonly string[] {
  return acting === undefined && consent?.status === "active" ? againByRules(consent) : [];
}

/** What the app has of this owner, or gets back, beside what it asks for. No new token has what the operator no longer offers. */
export async function besideOfRequest(
  choice: OwnerChoice,
  client: Client,
  language: string,
  { authorization }: Pick<FlowTools, "authorization">,
): Promise<Pick<ConsentView, "notAsked" | "backForAll">> {
  const [ends, known] = await Promise.all([
    besideRequest(choice, client, authorization),
    authorization.oauth.catalog.scopes(),
  ]);
  const offered = [...ends].flatMap(([name, endsAt]) => {
    const scope = known.get(name);
    if (scope === undefined || !isOffered(name, client, known)) return [];
    return [{ text: descriptionOf(scope, language) || name, endsAt }];
  });
  if (offered.length === 0) return {};
  return isStoppedForAll(choice) ? { backForAll: offered } : { notAsked: offered };
}

/** What the page says if the owner's earlier answers hold for other hosts alone, or from when the client looked different. */
function newHost(
  { acting, consent, reach }: OwnerChoice,
  redirectUri: string,
  tools: FlowTools,
): Pick<ConsentView, "newHost" | "formerName" | "endedHere"> {
  const before = hostsBefore(unexpired(consent, reach, tools.now()), reach);
  const { host } = reach;
  if (host !== null && consent !== undefined && before?.some((one) => isSameHost(one, host)))
    return { formerName: consent.shown.clientName };
  if (before !== undefined) return { newHost: { host: redirectHost(redirectUri), before: before.map(redirectHost) } };
  return acting === undefined && hasEndedHere(consent, reach, tools.now()) ? { endedHere: true } : {};
}

/** The other services in which the app may act for members of each company. Asks nothing about an app without connections. */
export async function servicesFor(
  choices: readonly OwnerChoice[],
  client: Client,
  { authorization }: Pick<FlowTools, "authorization">,
): Promise<ReadonlyMap<string, Services>> {
  if ((client.tokenExchange?.connections ?? []).length === 0) return new Map();
  const { connectionsOfApp } = await import("../../owners/companies/connections.ts");
  const companies = choices.flatMap(({ acting }) => acting?.company ?? []);
  const all = await Promise.all(companies.map((company) => connectionsOfApp(company, client, authorization)));
  const services = all.map((some) =>
    some.map(({ serverName, scopes, texts }) => ({ name: serverName, can: scopeWords(scopes, texts) })),
  );
  return new Map(companies.map(({ companyId }, at) => [companyId, services[at] ?? []]));
}

type Services = NonNullable<OwnerOption["services"]>;

/** The permissions beyond the request that each company's approval lets the app get without asking this member. */
export async function laterFor(
  choices: readonly OwnerChoice[],
  client: Client,
  language: string,
  { authorization, now }: Pick<FlowTools, "authorization" | "now">,
): Promise<ReadonlyMap<string, Later>> {
  const known = await authorization.oauth.catalog.scopes();
  const laterOf = ({ acting, scopes, consent, reach }: OwnerChoice): Later => {
    const standing = standingScopes(consent, reach, now());
    const more = client.scopes.filter((name) => standing.has(name) && scopes.every((scope) => scope.name !== name));
    return laterScopes(acting, more, reach, now()).flatMap((name) => {
      const scope = known.get(name);
      if (scope === undefined || scope.ownerRole !== null) return [];
      return [{ text: descriptionOf(scope, language) || name, sensitive: scope.sensitive }];
    });
  };
  return new Map(choices.map((choice) => [choice.ownerId, laterOf(choice)]));
}

type Later = NonNullable<OwnerOption["later"]>;

/** The companies where only admins decide, and for which the app has access that this member gave it before. */
export async function keptFor(
  choices: readonly OwnerChoice[],
  client: Client,
  { authorization, now }: Pick<FlowTools, "authorization" | "now">,
): Promise<ReadonlySet<string>> {
  const closed = choices.filter((choice) => kindOf(choice, now()) === "adminsOnly");
  const keeps = await Promise.all(closed.map((choice) => hasAccessAlready(choice, client, authorization)));
  return new Set(closed.filter((_, at) => keeps[at]).map(({ ownerId }) => ownerId));
}

/** The owners as the page offers them; none where there is nothing to choose. */
export function ownerOptions(
  choices: readonly OwnerChoice[],
  selected: OwnerChoice,
  person: Person,
  page: {
    readonly language: string;
    readonly durations: readonly ConsentDuration[];
    readonly services: ReadonlyMap<string, Services>;
    readonly later: ReadonlyMap<string, Later>;
    readonly kept: ReadonlySet<string>;
  },
  now: Millis,
): readonly OwnerOption[] {
  if (choices.length < 2) return [];
  const services = (ownerId: string) => page.services.get(ownerId) ?? [];
  const later = (ownerId: string) => page.later.get(ownerId) ?? [];
  const last = lastChoice(choices);
  const names = choices.map(({ acting }) => acting?.company.name);
  return choices.map((choice) => ({
    value: choice.ownerId,
    name: choice.acting === undefined ? bothNamesText(signedInAs(person)) : companyName(choice.acting.company, names),
    kind: kindOf(choice, now),
    selected: choice.ownerId === selected.ownerId,
    last: choice.ownerId === last?.ownerId,
    ...(choice.acting?.member.role === "admin" ? { admin: true as const } : {}),
    ...(choice.acting?.optedOut === true ? { stopped: true as const } : {}),
    ...(page.kept.has(choice.ownerId) ? { keeps: true as const } : {}),
    ...limitsOf(choice, choice.ownerId === selected.ownerId, page, now),
    ...(later(choice.ownerId).length === 0 ? {} : { later: later(choice.ownerId) }),
    ...(services(choice.ownerId).length === 0 ? {} : { services: services(choice.ownerId) }),
  }));
}

/** How the company's approval or its consent limits an answer for it. `shown`: the page shows this company's boxes. */
function limitsOf(
  choice: OwnerChoice,
  shown: boolean,
  { language, durations }: Pick<Parameters<typeof ownerOptions>[3], "language" | "durations">,
  now: Millis,
): Pick<OwnerOption, "endsBy" | "standsUntil" | "beyond"> {
  const { acting, reach, scopes } = choice;
  if (acting === undefined) return {};
  const names = scopes.map(({ name }) => name);
  const left = new Set(beyondApproval(acting, names, reach, now));
  const beyond = scopes.filter(({ name }) => left.has(name)).map((scope) => descriptionOf(scope, language));
  const longest = Math.max(...durations.map((one) => (one === "forever" ? Infinity : one === "once" ? 0 : one * 1000)));
  const isSooner = (end: number | null | undefined): end is number => end != null && end < now + longest;
  const approval = approvalFor(acting, reach, now);
  const end = approval && endOfRule(approval, reach);
  // The page shows these ends of the company whose boxes it shows. Under an approval, the time chosen now holds for all.
  const stands = shown || approval !== undefined ? [] : standingEnds(choice, now).filter(isSooner);
  return {
    ...(isSooner(end) ? { endsBy: end } : stands.length > 0 ? { standsUntil: Math.max(...stands) } : {}),
    ...(beyond.length === 0 ? {} : { beyond }),
  };
}

/** The ends of those scopes of the request that the member gives for the company already. Null: until revoked. */
function standingEnds(choice: OwnerChoice, now: Millis): readonly (Millis | null)[] {
  const ends = presentEnds(choice.consent, choice.reach, now);
  const given = choice.scopes.filter(({ name }) => ends.has(name) && !isOpenFor(choice, name, now));
  return given.map(({ name }) => sooner(ends.get(name) ?? null, givenEndOf(choice, name, now)));
}

/**
 * By the scopes that the app requires: the person may leave out the others, and then needs no admin. If it requires none,
 * one that needs no admin is enough.
 */
function kindOf(choice: OwnerChoice, now: Millis): OwnerOption["kind"] {
  if (choice.acting === undefined) return "self";
  if (isStoppedFor(choice.acting, choice.consent)) return "paused";
  const required = choice.scopes.filter(({ optional }) => !optional).map(({ name }) => name);
  const least = required.length > 0 ? [required] : choice.scopes.map(({ name }) => [name]);
  const verdicts = least.map((names) => withVerdictOn(choice, names, now).verdict);
  if (verdicts.every((verdict) => verdict === "blocked"))
    return choice.acting.rule?.rule === "block" ? "blocked" : "adminsOnly";
  return verdicts.every((verdict) => verdict === "ask") ? "ask" : "company";
}

/** Two companies can have the same name, but not the same slug. */
function companyName({ name, slug }: Company, names: readonly (string | undefined)[]): string {
  return names.filter((one) => one === name).length > 1 ? `${name}, ${slug}` : name;
}

/** The card with how many use the app: a question to the database, that only this page needs. */
export async function inPublic(card: ClientCard, { clientId }: Client, tools: FlowTools): Promise<ClientCard> {
  return { ...card, people: await tools.popularity.of(clientId) };
}

/**
 * The lengths of time that the operator allows; selected is what was chosen, or the usual one. The end of the day stands
 * before a whole day. It is that of UTC, until a script knows where the person is.
 */
export function durationChoices(
  client: Client,
  again: Pick<Again, "form"> | null,
  tools: FlowTools,
): Pick<ConsentView, "durations" | "todayUntil"> {
  const fixed = durationsFor(client, tools.authorization);
  const asked = again?.form.get("duration") ?? undefined;
  const today = offersToday(client, tools.authorization);
  const chosen = today && asked === TODAY ? TODAY : (readDuration(asked, fixed) ?? defaultDuration(fixed));
  const durations = fixed.map((one) => ({ value: String(one), selected: one === chosen }));
  if (!today) return { durations };
  const before = fixed.findLastIndex((one) => one === "once" || (one !== "forever" && one < DAY_SECONDS)) + 1;
  const now = tools.now();
  return {
    durations: durations.toSpliced(before, 0, { value: TODAY, selected: chosen === TODAY }),
    todayUntil: now - (now % DAY) + DAY,
  };
}

const DAY: Millis = 86_400_000;
const DAY_SECONDS = 86_400;

/** The other addresses of what an app has of a person for this one. Their answer changes it for all of them. */
function otherHosts({ acting, scopes, consent, reach }: OwnerChoice, now: Millis): Pick<ConsentView, "otherHosts"> {
  const { host } = reach;
  if (acting !== undefined || host === null) return {};
  const names = new Set(scopes.map(({ name }) => name));
  const held = activeAt(consent, reach, now).filter(({ name }) => names.has(name));
  const hosts = held.flatMap(({ hosts: all = reach.earlierHosts, hostEnds = {} }) =>
    all.filter((one) => !isSameHost(one, host) && (hostEnds[one] ?? Infinity) > now),
  );
  return hosts.length === 0 ? {} : { otherHosts: [...new Set(hosts.map(redirectHost))] };
}

/** The scopes as the page offers them, in its language; after a wrong answer with what was ticked and chosen. */
export async function scopeChoices(
  read: OwnerChoice,
  client: Client,
  language: string,
  again: Pick<Again, "form"> | null,
  tools: FlowTools,
): Promise<ScopeChoice[]> {
  const { scopes, consent, reach } = read;
  const [resources, owner] = await Promise.all([
    tools.authorization.oauth.catalog.resources(),
    withLive(read, client, tools.authorization),
  ]);
  const now = tools.now();
  const standing = heldScopes(owner, now);
  const approval = approvalFor(owner.acting, reach, now);
  // The company's consent and approval may last longer than the member chose.
  const approved = approval === undefined ? null : endOfRule(approval, reach);
  const last = (name: string) => sooner(approved, givenEndOf(owner, name, now));
  // The record of a person has their ends for each host. A company's record has those of all members.
  const olderUntil = (name: string) => (owner.acting === undefined ? undefined : renewableUntil(owner, name, now));
  const present = presentEnds(consent, reach, now);
  const isShown = (name: string) => owner.acting === undefined || standing.has(name);
  const ends = new Map([...present].filter(([name]) => isShown(name)));
  const beside = heldBeside(owner, now);
  // An answer of a person leaves what other addresses have.
  const kept = owner.acting === undefined ? elsewhereOf(owner, now) : new Map<string, Millis | null>();
  const away = awayBefore(owner, now);
  const policy = new Set(byPolicy(owner));
  const declined = declinedFor(owner, now);
  const leftOut = leftOutFor(owner, now);
  const { removed } = refusedScopes(consent, reach, now);
  // A sensitive scope, and one that the owner left out or removed, is granted only if the owner ticks it.
  const isOffered = ({ name, sensitive }: Scope) => {
    if (leftOut.has(name)) return false;
    return standing.has(name) || (!sensitive && !removed.includes(name));
  };
  const ticked = again === null ? null : new Set(again.form.getAll("scope"));
  const chosen = (name: string) => again?.form.get(durationField(name)) ?? "";
  return scopes.map((scope) => ({
    name: scope.name,
    description: descriptionOf(scope, language),
    api: scope.resource === null ? null : (resources.get(scope.resource)?.name ?? scope.resource),
    required: !scope.optional,
    signIn: isOpenIdRequest([scope]),
    sensitive: scope.sensitive,
    access: scope.access ?? null,
    checked: ticked?.has(scope.name) ?? (!scope.optional || isOffered(scope)),
    granted: standing.has(scope.name) && !(scope.optional && declined.has(scope.name)),
    declined: scope.optional && declined.has(scope.name),
    ...(kept.has(scope.name)
      ? { keptUntil: kept.get(scope.name) ?? null, keptLimits: true }
      : {
          ...endOf(ends.get(scope.name), last(scope.name), olderUntil(scope.name)),
          ...(scope.name === OFFLINE_ACCESS && !standing.has(scope.name) && away !== undefined
            ? { awayUntil: away }
            : {}),
        }),
    ...besideOf(beside.get(scope.name)),
    ...(policy.has(scope.name) ? { byPolicy: true } : {}),
    duration:
      readDuration(chosen(scope.name), durationsFor(client, tools.authorization)) === undefined
        ? null
        : chosen(scope.name),
  }));
}

/** The ends of what is active for other addresses alone. `offline_access`: also of refresh tokens that need no such scope. */
function elsewhereOf(choice: OwnerChoice, now: Millis): ReadonlyMap<string, Millis | null> {
  const { consent, reach } = choice;
  const live = unexpired(consent, reach, now);
  const away = awayBefore(choice, now);
  const ends = new Map(live.map(({ name, expiresAt }) => [name, expiresAt]));
  if (away !== undefined && !ends.has(OFFLINE_ACCESS)) ends.set(OFFLINE_ACCESS, away);
  const elsewhere = onlyElsewhere(live, activeAt(consent, reach, now));
  return new Map([...ends].filter(([name]) => elsewhere.has(name)));
}

function besideOf(held: HeldBeside | undefined): Pick<ScopeChoice, "onceUntil" | "keptUntil"> {
  if (held === undefined) return {};
  return held.once && held.until !== null ? { onceUntil: held.until } : { keptUntil: held.until };
}

/**
 * `last`: the end of the approval under which a member acts, or of the member's last answer, whichever is sooner. `older`: the
 * end of a member's older access, which an answer for a new permission does not shorten.
 */
function endOf(
  endsAt: number | null | undefined,
  last: number | null,
  older: number | null | undefined,
): Pick<ScopeChoice, "endsAt"> {
  if (endsAt === undefined) return {};
  const end = sooner(endsAt, last);
  return { endsAt: older === undefined ? end : later(end, older) };
}
