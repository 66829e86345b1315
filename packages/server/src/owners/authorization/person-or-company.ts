/** For whom a person answers an app: for themselves, or for a company that they may act for. */

import { type Reach, reachOf, sooner } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Millis, Scope } from "../../oauth/model.ts";
import { OFFLINE_ACCESS } from "../../oauth/openid/scopes.ts";
import { SCOPE_MARGIN } from "../../oauth/scope.ts";
import type { Uses } from "../../storage-subset.ts";
import {
  approvalMark,
  approvalOf,
  atOwnHosts,
  chosenEndOf,
  hasAllowed,
  leftOutBy,
  needsNoPage,
  ONCE_OVER,
  upToRule,
  type Verdict,
  verdictOn,
} from "../company-rules.ts";
import type { Acting, CompanyStorage, HeldScope } from "../company-storage.ts";
import { againByRules, consentUnder, isPaused, latestOf, refusedScopes, unexpired } from "../consent-after-decision.ts";
import {
  type ConsentAsked,
  type ConsentDecision,
  decideConsent,
  grantableScopes,
  presentEnds,
  standingScopes,
  undeclined,
} from "../consent-needed.ts";
import { isOvertaken, lastOwnerOf, ownAnswerAt } from "../last-company.ts";
import type { OwnerStorage, Person } from "../storage.ts";
import type { ShownApprovals } from "./continuation.ts";

/** One owner whom the grant of a request can have. */
export interface OwnerChoice {
  readonly partition: number;
  readonly ownerId: string;
  /** Undefined: the owner is the person. */
  readonly acting: Acting | undefined;
  /** The scopes of the request that can be granted for this owner; never empty. */
  readonly scopes: readonly Scope[];
  /** The destination of the answer. */
  readonly reach: Reach;
  readonly verdict: Verdict;
  readonly consent: Consent | undefined;
  /** True: the person chose another owner after this one, even one that they can't choose any more. */
  readonly overtaken: boolean;
  /** What the app has now in the person's name, by scope. Absent: it was not read (`withLive`). */
  readonly live?: ReadonlyMap<string, HeldScope>;
}

/** The `trustedFrom` that goes with an answer for an owner: if it has changed, the answer no longer counts. */
export function trustedFrom({ acting }: Pick<OwnerChoice, "acting">, { passwordChangedAt }: Person): Millis {
  return acting?.member.trustedFrom ?? passwordChangedAt ?? 0;
}

/** A request: its client and scopes, its destination (null: a device), and the maximum time of an answer. */
interface Asked {
  readonly client: Pick<Client, "clientId" | "earlierRedirectUris" | "document">;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string | null;
  readonly ceiling: Millis | null;
}

/**
 * The person first, as read with their session, then their companies by name. Only people can have scopes for
 * operators. Companies learn of a new password after it was set, so their data about the person fits the session only
 * if the password is still the same after the read.
 */
export async function ownerChoices(
  person: Person,
  { client, scopes, redirectUri, ceiling }: Asked,
  storage: Uses<OwnerStorage, "consents.find" | "people.get"> & Uses<CompanyStorage, "members.consentAndCompaniesOf">,
  now: Millis,
): Promise<readonly OwnerChoice[]> {
  const { clientId } = client;
  const reach = reachOf(client, redirectUri, ceiling);
  const { partition, personId } = person;
  const own = grantableScopes(scopes, person);
  const forCompanies = scopes.filter(({ ownerRole }) => ownerRole === null);
  const { consent, companies, lastCompany } =
    forCompanies.length === 0
      ? {
          consent: await storage.consents.find({ partition, ownerId: personId, clientId }),
          ...{ companies: [], lastCompany: undefined },
        }
      : await storage.members.consentAndCompaniesOf({ partition, personId, clientId, now });
  const last = lastOwnerOf(personId, { consent, lastCompany });
  const after = companies.length === 0 ? person : await storage.people.get({ partition, personId });
  const same = after?.passwordChangedAt === person.passwordChangedAt;
  const choices = await Promise.all(
    (same ? companies : []).map(async (acting): Promise<OwnerChoice> => {
      const { partition: companyPartition, companyId: ownerId } = acting.company;
      const names = forCompanies.map(({ name }) => name);
      const stored = await storage.consents.find({ partition: companyPartition, ownerId, clientId });
      const forAll = stored && upToRule(stored, approvalOf(acting, reach, now), reach, now);
      const consent = forAll && atOwnHosts(forAll, acting, reach, now);
      return {
        ...{ partition: companyPartition, ownerId, acting, scopes: forCompanies, reach, consent },
        verdict: verdictOf(acting, consent, names, reach, now),
        overtaken: isOvertaken(ownerId, acting.chosenAt ?? 0, last),
      };
    }),
  );
  const self: OwnerChoice = {
    ...{ partition, ownerId: personId, acting: undefined, scopes: own, reach, verdict: "decides", consent },
    overtaken: isOvertaken(personId, Math.abs(ownAnswerAt(consent)), last),
  };
  return [self, ...choices].filter((choice) => choice.scopes.length > 0);
}

/**
 * `skip`, `vouched`: no page, for this owner. `ask`: the page, with this owner selected. `ambiguous`: like `ask`,
 * because several owners' answers hold; the server never chooses for the person.
 */
export interface OwnerDecision {
  readonly kind: "skip" | "vouched" | "ask" | "ambiguous";
  readonly choice: OwnerChoice;
  /** True: all scopes are granted already, and the page is shown nevertheless. */
  readonly allGranted: boolean;
}

/** `choices`: the result of `ownerChoices`, at least one. */
export function decideOwner(
  request: ConsentAsked,
  choices: readonly OwnerChoice[],
  now: Millis,
): OwnerDecision | undefined {
  const [first] = choices;
  if (first === undefined) return undefined;
  const decisions = choices.map((choice) => ({ choice, decision: decisionOf(request, choice, now) }));
  const mayAsk = choices.length > 1;
  // Who asked to be asked forgot all owners. Then only a choice on a later page counts.
  const asks = mayAsk && choices.some(wantsToBeAsked);
  const ready = decisions.filter(
    ({ choice, decision }) => (decision === "skip" || decision === "vouched") && (!asks || isChosen(choice)),
  );
  const [only] = ready;
  const remembered = lastChoice(choices);
  // With `select_account`, the person also chooses the owner. Neither a pause nor the end of an answer or approval for the
  // owner whom the person chose last may move the app to another owner unseen.
  const moves = remembered !== undefined && only?.choice !== remembered;
  const among = mayAsk && (request.prompt.includes("select_account") || choices.some(isPausedByChoice) || moves);
  const chooses = among || only?.choice.overtaken === true;
  if (only !== undefined && ready.length === 1 && !chooses) {
    return { kind: only.decision === "vouched" ? "vouched" : "skip", choice: only.choice, allGranted: false };
  }
  const held = decisions.filter(({ choice: { acting }, decision }) => decision !== "ask" && (acting?.chosen ?? true));
  // An app that asks for more than before still asks the owner whom the person chose, also where an admin has to approve.
  const selectable = remembered !== undefined && isSelectable(remembered);
  const able = held.map((one) => one.choice).filter(isSelectable);
  const choice = (selectable ? remembered : latestChosen(able)) ?? first;
  const allGranted = held.some((one) => one.choice === choice && one.decision !== "elsewhere");
  return { kind: ready.length > 1 ? "ambiguous" : "ask", choice, allGranted };
}

/**
 * The owner that the person chose on the last page for this client, also for once alone. Undefined: there is none, the
 * person has asked to be asked again since, or can't choose that company any more.
 */
export function lastChoice(choices: readonly OwnerChoice[]): OwnerChoice | undefined {
  const decided = ({ acting, consent }: OwnerChoice) =>
    acting === undefined ? ownAnswerAt(consent) !== 0 : acting.chosenAt !== null;
  const last = latestChosen(choices.filter(decided));
  // Only the owner who overtook it is not overtaken.
  if (last?.overtaken === true) return choices.find(({ overtaken }) => !overtaken);
  return last === undefined || wantsToBeAsked(last) ? undefined : last;
}

/** True: the person chose this owner for the app, and has asked since to be asked again. */
function wantsToBeAsked({ acting, consent }: OwnerChoice): boolean {
  if (acting !== undefined) return acting.chosenAt !== null && !acting.chosen;
  return ownAnswerAt(consent) < 0;
}

/** True: the person chose this owner for the app on a page, and has not asked since to be asked again. */
function isChosen({ acting, consent }: OwnerChoice): boolean {
  return acting?.chosen ?? (consent?.status === "active" && (consent.chosenAt ?? 0) > 0);
}

/** True: the app is paused for an owner for whom the person allowed it. */
function isPausedByChoice({ acting, consent }: OwnerChoice): boolean {
  return (acting?.chosen ?? true) && isPaused(consent);
}

/** The owner for whom a person last answered a client, if there is no request to judge by. Otherwise the person. */
export function preferredOwner(choices: readonly OwnerChoice[]): OwnerChoice | undefined {
  const [first] = choices;
  const held = choices.filter(({ acting, consent }) => acting?.chosen ?? consent?.status === "active");
  return latestChosen(held.filter((choice) => isSelectable(choice) && !wantsToBeAsked(choice))) ?? first;
}

/** The owner that the person chose last. What others did in a company's name does not count. */
function latestChosen(choices: readonly OwnerChoice[]): OwnerChoice | undefined {
  const chosenAt = ({ acting, consent }: OwnerChoice) =>
    (acting === undefined ? Math.abs(consent?.chosenAt ?? consent?.updatedAt ?? 0) : acting.chosenAt) ?? 0;
  return choices.reduce<OwnerChoice | undefined>(
    (a, b) => (a === undefined || chosenAt(b) > chosenAt(a) ? b : a),
    undefined,
  );
}

/** True: the time that the member chose for this scope has passed. They answer again, as for a scope that is new to them. */
export function hasChoiceEnded(
  { acting, reach }: Pick<OwnerChoice, "acting" | "reach">,
  scope: string,
  now: Millis,
): boolean {
  const until = chosenEndOf(acting, scope, reach);
  return until !== null && until - now < SCOPE_MARGIN;
}

/**
 * True: the member doesn't give the scope now, whatever the company or an approval allows. They have to ask an admin, or
 * neither their answer nor an approval gave it until now.
 */
export function isOpenFor(choice: OwnerChoice, name: string, now: Millis): boolean {
  const { acting } = choice;
  if (acting === undefined) return false;
  if (mustAskFor(choice, name, now)) return true;
  return !holdsByAnswer(choice, name, now) && liveEndOf(choice, name, now) === undefined;
}

function holdsByAnswer(choice: Pick<OwnerChoice, "acting" | "reach">, name: string, now: Millis): boolean {
  const { acting, reach } = choice;
  return acting !== undefined && hasAllowed(acting, name, reach) && !hasChoiceEnded(choice, name, now);
}

/**
 * The end of a scope that the app can renew in the member's name, and that they have neither left out nor allowed for once
 * alone. An approval can give it without an answer. Null: no end. Undefined: the app has none.
 */
function liveEndOf(choice: OwnerChoice, name: string, now: Millis): Millis | null | undefined {
  const { acting, reach } = choice;
  if (acting !== undefined && leftOutBy(acting).includes(name)) return undefined;
  if (chosenEndOf(acting, name, reach) === ONCE_OVER) return undefined;
  return renewableUntil(choice, name, now);
}

/** Until when the app can renew a scope in the member's name. Null: no end. Undefined: it can't. */
export function renewableUntil({ live }: OwnerChoice, name: string, now: Millis): Millis | null | undefined {
  const end = live?.get(name)?.refreshableUntil;
  return end === undefined || (end !== null && end - now < SCOPE_MARGIN) ? undefined : end;
}

/** The end that the member chose for a scope that they give now, or that of the app's access by an approval. Null: none. */
export function givenEndOf(choice: OwnerChoice, name: string, now: Millis): Millis | null {
  const { acting, reach } = choice;
  if (acting === undefined) return null;
  if (holdsByAnswer(choice, name, now)) return chosenEndOf(acting, name, reach);
  return liveEndOf(choice, name, now) ?? chosenEndOf(acting, name, reach);
}

/** The scopes that hold for this owner and destination, by name: for a company, those that the member gives now. */
export function heldScopes(choice: OwnerChoice, now: Millis): ReadonlyMap<string, Millis> {
  const standing = standingScopes(choice.consent, choice.reach, now);
  return new Map([...standing].filter(([name]) => !isOpenFor(choice, name, now)));
}

/**
 * The same choice with what the app has now in the person's name. No consent record has a scope that was for once, and no
 * answer has one that an approval gave. The verb finds the grants of a person by the same key as those of a company.
 */
export async function withLive(
  choice: OwnerChoice,
  { clientId }: Pick<Client, "clientId">,
  { storage, now: clock }: { readonly storage: Uses<CompanyStorage, "companyApps.liveAccess">; now(): Millis },
): Promise<OwnerChoice> {
  const { partition, ownerId, acting, consent, reach, scopes } = choice;
  const now = clock();
  const present = presentEnds(consent, reach, now);
  const isAllPresent = acting === undefined && scopes.every(({ name }) => present.has(name));
  if (consent?.status !== "active" || isAllPresent) return choice;
  const personId = acting?.member.personId ?? ownerId;
  const key = { partition, companyId: ownerId, clientId, personId };
  const held = await storage.companyApps.liveAccess({ ...key, ceiling: reach.ceiling, now });
  return { ...choice, live: new Map(held.map((one) => [one.name, one])) };
}

/**
 * What the app has that the request doesn't ask for: each scope with its latest end (null: until revoked). Of a member, it is
 * what they give it for the company. Of an app that is paused for a company, it is all that comes back there for everybody, asked
 * for or not: an answer on the page takes nothing from others.
 */
export async function besideRequest(
  choice: OwnerChoice,
  { clientId }: Pick<Client, "clientId">,
  { storage, now: clock }: Parameters<typeof withLive>[2],
): Promise<ReadonlyMap<string, Millis | null>> {
  const { partition, ownerId, acting, consent, reach } = choice;
  if (consent?.status !== "active") return new Map();
  const now = clock();
  const forAll = isStoppedForAll(choice);
  const member = forAll ? undefined : acting?.member.personId;
  const key = { partition, companyId: ownerId, clientId, ceiling: reach.ceiling, now };
  const held = await storage.companyApps.liveAccess(member === undefined ? key : { ...key, personId: member });
  const given = { ...choice, live: new Map(held.map((one) => [one.name, one])) };
  const standing = unexpired(consent, reach, now).flatMap(({ name, expiresAt }) => {
    if (member === undefined) return [[name, expiresAt] as const];
    return isOpenFor(given, name, now) ? [] : [[name, sooner(expiresAt, givenEndOf(given, name, now))] as const];
  });
  const all = [
    ...standing,
    ...againByRules(consent).map((name) => [name, consentUnder(consent, reach.ceiling).expiresAt] as const),
    ...held.map(({ name, endsAt }) => [name, endsAt] as const),
  ].filter(([, end]) => end === null || end > now);
  const isBeside = ([name]: readonly [string, unknown]) =>
    forAll || choice.scopes.every((scope) => scope.name !== name);
  const ends = Map.groupBy(all.filter(isBeside), ([name]) => name);
  return new Map([...ends].map(([name, some]) => [name, latestOf(some.map(([, end]) => end)) ?? null]));
}

/** Access of the app in the person's name. `once`: from an answer that was for once. `until` null: no end. */
export interface HeldBeside {
  readonly once: boolean;
  readonly until: Millis | null;
}

/**
 * What the app has although the page shows it as new: it was for once, or the app can renew it in the member's name, and
 * their answer doesn't change that. The member would have to ask an admin for it now, they have left it out since, or the
 * company's consent doesn't have it any more. An answer does change `offline_access` (`awayBefore`).
 */
export function heldBeside(choice: OwnerChoice, now: Millis): ReadonlyMap<string, HeldBeside> {
  const { acting, consent, reach, live = new Map<string, HeldScope>() } = choice;
  const held = acting === undefined ? presentEnds(consent, reach, now) : heldScopes(choice, now);
  const beside = ({ name, endsAt, refreshableUntil }: HeldScope): HeldBeside | undefined => {
    const isForOnce = chosenEndOf(acting, name, reach) === ONCE_OVER;
    const isOnce = acting === undefined || refreshableUntil === undefined || isForOnce;
    if (isOnce) return endsAt === null ? undefined : { once: true, until: endsAt };
    const renewed = name === OFFLINE_ACCESS ? undefined : renewableUntil(choice, name, now);
    return renewed === undefined ? undefined : { once: false, until: renewed };
  };
  const others = [...live.values()].filter(({ name }) => !held.has(name));
  return new Map(
    others.flatMap((one) => {
      const found = beside(one);
      return found === undefined ? [] : [[one.name, found] as const];
    }),
  );
}

/**
 * Until when the app gets access while the owner is away, by refresh tokens from before it asked for `offline_access`, or
 * by those of a company's member with it. Null: no end. Undefined: it has none.
 */
export function awayBefore(choice: OwnerChoice, now: Millis): Millis | null | undefined {
  const { acting, live } = choice;
  const ends = [...(live?.values() ?? [])].map(({ awayUntil }) => awayUntil);
  const own = acting === undefined ? undefined : renewableUntil(choice, OFFLINE_ACCESS, now);
  return latestOf([...ends, own].filter((end) => end !== undefined));
}

/** True: the member has to ask an admin for this scope, whatever the company consented to. */
export function mustAskFor(choice: OwnerChoice, scope: string, now: Millis): boolean {
  return withVerdictOn(choice, [scope], now).verdict === "ask";
}

/** The scopes that the person declined on a page for this owner, for as long as the consent holds. */
export function declinedFor({ acting, consent, reach }: Omit<OwnerChoice, "scopes">, now: Millis): ReadonlySet<string> {
  if (acting === undefined) return new Set(refusedScopes(consent, reach, now).declined);
  return new Set(holdsAnswer(acting, consent) ? acting.declined : []);
}

/** True: what the member left out on a page still counts. */
function holdsAnswer({ chosenAt }: Acting, consent: Consent | undefined): boolean {
  return consent?.status === "active" && chosenAt !== null && chosenAt >= consent.createdAt;
}

/** The same, with what they left out because an admin has to approve it, as long as that is so. Then the page comes again. */
export function leftOutFor(choice: OwnerChoice, now: Millis): ReadonlySet<string> {
  const { acting, consent } = choice;
  const unapproved = acting !== undefined && holdsAnswer(acting, consent) ? (acting.unapproved ?? []) : [];
  return new Set([...declinedFor(choice, now), ...unapproved.filter((name) => mustAskFor(choice, name, now))]);
}

/** The scopes that a standing consent grants without a page: what was asked for, without what was left out. */
export function scopesWithoutPage(choice: OwnerChoice, now: Millis): readonly Scope[] {
  return undeclined(choice.scopes, leftOutFor(choice, now));
}

/** True: the page has nothing new for this owner, but what they declined before. */
export function holdsAll(choice: OwnerChoice, now: Millis): boolean {
  const held = heldScopes(choice, now);
  const wanted = scopesWithoutPage(choice, now);
  return wanted.length > 0 && wanted.every(({ name }) => held.has(name));
}

function decisionOf(request: ConsentAsked, choice: OwnerChoice, now: Millis): ConsentDecision {
  const { acting, scopes, reach, consent } = choice;
  // The operator vouches for a client to people, not to companies.
  const client = acting === undefined ? request.client : { ...request.client, firstParty: false };
  const decision = decideConsent({ ...request, client }, scopes, consent, reach, now, leftOutFor(choice, now));
  if (acting === undefined || decision !== "skip") return decision;
  const names = scopesWithoutPage(choice, now).map(({ name }) => name);
  const { verdict } = withVerdictOn(choice, names, now);
  if (verdict !== "decides" && verdict !== "approved") return "ask";
  // The company consented. Nobody acts for it without having chosen to, even if an admin approved the app for all members.
  if (!acting.chosen || acting.optedOut) return "ask";
  if (!needsNoPage(acting, names, reach, now)) return "elsewhere";
  return names.some((name) => hasChoiceEnded(choice, name, now)) ? "elsewhere" : "skip";
}

/** The approvals that a page shows, for its continuation. Empty: the person belongs to no company. */
export function shownApprovals(choices: readonly OwnerChoice[], now: Millis): { readonly approvals?: ShownApprovals } {
  const companies = choices.filter(({ acting }) => acting !== undefined);
  const marks = companies.flatMap(({ ownerId, acting, reach }) => {
    const mark = approvalMark(acting, reach, now);
    return mark === undefined ? [] : [[ownerId, mark] as const];
  });
  return companies.length === 0 ? {} : { approvals: Object.fromEntries(marks) };
}

/**
 * The owner that a form names; without a name, the person. Undefined: the form may not name this owner, or not any
 * more.
 */
export function chosenOwner(choices: readonly OwnerChoice[], named: string | null): OwnerChoice | undefined {
  if (named === null) return choices.find(({ acting }) => acting === undefined);
  const choice = choices.find(({ ownerId }) => ownerId === named);
  return choice !== undefined && isSelectable(choice) ? choice : undefined;
}

/** False: the person may not answer for this owner, for example because an admin paused the app. */
function isSelectable({ verdict }: OwnerChoice): boolean {
  return verdict !== "blocked" && verdict !== "stranger";
}

/** Judges the choice by the scopes that are finally granted: a smaller set may be within a company's approval. */
export function withVerdictOn(choice: OwnerChoice, granted: readonly string[], now: Millis): OwnerChoice {
  const { acting, consent, reach } = choice;
  return acting === undefined ? choice : { ...choice, verdict: verdictOf(acting, consent, granted, reach, now) };
}

function verdictOf(
  acting: Acting,
  consent: Consent | undefined,
  scopes: readonly string[],
  reach: Reach,
  now: Millis,
): Verdict {
  const verdict = verdictOn(acting, scopes, reach, now);
  return verdict !== "stranger" && isStoppedFor(acting, consent) ? "blocked" : verdict;
}

/** True: the choice is a company for which the app is paused. */
export function isStoppedForAll({ acting, consent }: Pick<OwnerChoice, "acting" | "consent">): boolean {
  return acting !== undefined && isPaused(consent);
}

/** True: an admin paused the app for the company. Only an admin lets it go on. */
export function isStoppedFor(acting: Acting | undefined, consent: Consent | undefined): boolean {
  return acting !== undefined && acting.member.role !== "admin" && isPaused(consent);
}
