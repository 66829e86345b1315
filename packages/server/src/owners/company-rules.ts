/** Companies as owners: valid names, and who may let an app act in a company's name. Pure functions. */

import {
  cappedEnd,
  everywhere,
  hostsAfter,
  isSameHost,
  later,
  type Reach,
  reaches,
  scopesAt,
  sooner,
} from "../oauth/consent-reach.ts";
import { type Consent, type ConsentedScope, type GrantedScope, type Millis, NEVER } from "../oauth/model.ts";
import { SCOPE_MARGIN } from "../oauth/scope.ts";
import { endAt, isAnsweredAt } from "./answered-hosts.ts";
import type { Acting, AppRule, HeldScope, Invitation, ListedRule, NewRule } from "./company-storage.ts";
import type { CompanySignIn } from "./identities/company-provider.ts";
import type { SignInProvider } from "./identities/sign-in-provider.ts";

/** How long an invitation is valid. */
export const INVITATION_TTL: Millis = 7 * 86_400_000;
/** Maximum length of a member's reason, in characters. */
export const MAX_REASON = 500;
/** Maximum number of members for whom one rule can allow an app. For more, it is for all members. */
export const MAX_SELECTED = 200;
/** Maximum number of companies that a person can create and belong to. */
export const MAX_FOUNDED = 5;
/** Maximum length of a company's name, in characters. */
export const MAX_COMPANY_NAME = 120;

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * True if the invitation names this person. A username names only an account that was there before the invitation:
 * otherwise, somebody who has the link could take a name that is free.
 */
export function isInvited(
  { addressee, createdAt }: Pick<Invitation, "addressee" | "createdAt">,
  person: { readonly username: string; readonly email: string; readonly createdAt: Millis },
): boolean {
  return addressee === person.email || (addressee === person.username && person.createdAt <= createdAt);
}

/**
 * The slug in lower case: digits, letters and single dashes inside, up to 40 characters. Undefined: the text can't be a
 * slug.
 */
export function canonicalSlug(text: string): string | undefined {
  const slug = text.toLowerCase();
  return SLUG.test(slug) && !slug.includes("--") ? slug : undefined;
}

/**
 * What a person may do in a company's name about an app, some scopes and a destination. `decides`: consent for the
 * company. `approved`: use what the company approved for all members. `ask`: ask an admin. `blocked`: nothing; an admin
 * must lift the block first. `stranger`: the person does not belong to the company, or one of the two is disabled.
 */
export type Verdict = "decides" | "approved" | "ask" | "blocked" | "stranger";

export function verdictOn(acting: Acting | undefined, scopes: readonly string[], reach: Reach, now: Millis): Verdict {
  if (acting?.company.status !== "active" || acting.member.accountStatus !== "active") return "stranger";
  const { company, member, rule } = acting;
  if (rule?.rule === "block") return "blocked";
  if (member.role === "admin") return "decides";
  if (rule?.rule === "ask") return "ask";
  if (rule !== undefined && isInForce(rule, reach, now)) {
    return isNamed(rule, acting) && covers(rule, scopes, reach) ? "approved" : "ask";
  }
  // A rule for selected members kept the others out. Its end opens the app to nobody.
  if (company.defaultRule === "members") return rule?.forSelected === true ? "ask" : "decides";
  return company.defaultRule === "ask" ? "ask" : "blocked";
}

/**
 * The company's consent as an approval under which a member acts makes it: the consent can cover less, or end sooner.
 * `names`: the scopes that the member uses now; absent: all of the approval. The same object: the consent covers them.
 */
export function upToRule(
  consent: Consent,
  approval: AppRule | undefined,
  { earlierHosts, ceiling }: Reach,
  now: Millis,
  names?: readonly string[],
): Consent {
  if (approval === undefined || consent.status !== "active") return consent;
  const end = endOfRule(approval, { ceiling });
  const given = { hosts: approval.hosts ?? earlierHosts, earlierHosts };
  const isCovered = (scope: ConsentedScope) => {
    const lasts = ({ expiresAt, decidedAt = consent.updatedAt }: ConsentedScope) => {
      const last = cappedEnd(expiresAt, decidedAt, ceiling);
      return last === null || (end !== null && last >= end);
    };
    const at = (host: string) => scopesAt([scope], { host, earlierHosts, ceiling });
    return lasts(scope) && given.hosts.every((host) => at(host).some(lasts));
  };
  const raised = (name: string, held: ConsentedScope | undefined): ConsentedScope => {
    const decided = { name, expiresAt: end, decidedAt: approval.decidedAt, hosts: given.hosts };
    if (held === undefined) return { ...decided, grantedAt: now };
    const others = Object.entries(held.hostEnds ?? {}).filter(([host]) => !given.hosts.includes(host));
    const decidedAt = Math.max(held.decidedAt ?? consent.updatedAt, approval.decidedAt);
    const last = { expiresAt: later(held.expiresAt, end), decidedAt, hosts: hostsAfter(held, given) };
    return { ...everywhere(held), ...last, ...(others.length === 0 ? {} : { hostEnds: Object.fromEntries(others) }) };
  };
  const lacking = approval.scopes.flatMap((name) => {
    const held = consent.scopes.find((scope) => scope.name === name);
    const isUsed = names === undefined || names.includes(name);
    return isUsed && (held === undefined || !isCovered(held)) ? [raised(name, held)] : [];
  });
  if (lacking.length === 0) return consent;
  const isLeft = (name: string) => lacking.every((scope) => scope.name !== name);
  const scopes = [...consent.scopes.filter(({ name }) => isLeft(name)), ...lacking];
  return { ...consent, scopes, expiresAt: later(consent.expiresAt, end), removed: consent.removed.filter(isLeft) };
}

/** When a rule ends. Null: when an admin changes it. */
export function endOfRule({ endsAt, decidedAt }: AppRule, { ceiling }: Pick<Reach, "ceiling">): Millis | null {
  return cappedEnd(endsAt, decidedAt, ceiling);
}

/** True: an approval, for all or for selected members, that has not expired. */
export function isInForce(rule: AppRule, reach: Pick<Reach, "ceiling">, now: Millis): boolean {
  const end = endOfRule(rule, reach);
  return rule.rule === "allow" && (end === null || end - now >= SCOPE_MARGIN);
}

/**
 * Names an approval in force, and its end: an answer counts only if its page showed the same one. Undefined: none is in
 * force, or the owner is a person.
 */
export function approvalMark(
  acting: Pick<Acting, "rule"> | undefined,
  reach: Pick<Reach, "ceiling">,
  now: Millis,
): string | undefined {
  const rule = acting?.rule;
  if (rule === undefined || !isInForce(rule, reach, now)) return undefined;
  return `${rule.decidedAt}.${endOfRule(rule, reach) ?? ""}`;
}

/** The scopes that an approval in force lets this person use without asking an admin. Without a host: at any of its hosts. */
export function approvedScopes(
  rule: ListedRule | undefined,
  personId: string,
  reach: Pick<Reach, "ceiling"> & Partial<Reach>,
  now: Millis,
): readonly string[] {
  if (rule === undefined || !isInForce(rule, reach, now)) return [];
  if (!reaches(rule.hosts, { host: null, earlierHosts: [], ...reach })) return [];
  return rule.forSelected === true && !rule.selected.includes(personId) ? [] : rule.scopes;
}

/** True: an approval holds for the host of a request, whatever the app looked like then. Null: a device. */
export function isForHost({ hosts }: Pick<AppRule, "hosts">, host: string | null): boolean {
  return host === null || hosts === null || hosts.some((one) => isSameHost(one, host));
}

/** The approval in force under which the person acts. Undefined: there is none, or the person is an admin, who decides. */
export function approvalFor(
  acting: Acting | undefined,
  reach: Pick<Reach, "ceiling">,
  now: Millis,
): AppRule | undefined {
  const rule = acting?.member.role === "admin" ? undefined : acting?.rule;
  return rule !== undefined && isInForce(rule, reach, now) ? rule : undefined;
}

/** The same, unless it is for other members only. */
export function approvalOf(acting: Acting, reach: Pick<Reach, "ceiling">, now: Millis): AppRule | undefined {
  const rule = approvalFor(acting, reach, now);
  return rule !== undefined && isNamed(rule, acting) ? rule : undefined;
}

/**
 * The scopes for which a member has to ask an admin, although an approval allows them others. Empty: there are none, or
 * no approval allows this member any of the scopes here.
 */
export function beyondApproval(
  acting: Acting | undefined,
  scopes: readonly string[],
  reach: Reach,
  now: Millis,
): readonly string[] {
  const rule = approvalFor(acting, reach, now);
  if (rule === undefined || !reaches(rule.hosts, reach)) return [];
  if (rule.forSelected === true && acting?.selected !== true) return [];
  const beyond = scopes.filter((name) => !rule.scopes.includes(name));
  return beyond.length === scopes.length ? [] : beyond;
}

/** The rule, unless it is an approval that has ended. */
export function standingRule<R extends AppRule>(
  rule: R | undefined,
  reach: Pick<Reach, "ceiling">,
  now: Millis,
): R | undefined {
  return rule?.rule === "allow" && !isInForce(rule, reach, now) ? undefined : rule;
}

/**
 * True: under a new rule, the access of this person can go on only if the admin leaves it to members whom the rule
 * doesn't allow. Admins need no rule. Null: there is no rule for the app.
 */
export function isLeftOut(next: NewRule | null, { personId, admin }: Pick<HeldScope, "personId" | "admin">): boolean {
  return !admin && !(next?.rule === "allow" && (next.selected?.includes(personId) ?? true));
}

/** The scopes that a new approval takes from members' access: those that only the approval before it allowed. */
export function scopesTaken(before: AppRule | undefined, next: NewRule | null): readonly string[] {
  if (before?.rule !== "allow" || next?.rule !== "allow") return [];
  return before.scopes.filter((name) => !next.scopes.includes(name));
}

function isNamed({ forSelected }: AppRule, { selected }: Acting): boolean {
  return forSelected !== true || selected === true;
}

/** True: an approval in force lets the app have this scope for the person. For an admin it counts as for a member. */
function isApprovedFor(acting: Acting, name: string, reach: Reach, now: Millis): boolean {
  const { rule } = acting;
  return rule !== undefined && isInForce(rule, reach, now) && isNamed(rule, acting) && covers(rule, [name], reach);
}

/**
 * True: the app gets this scope only after a page. The member has left it out, or never answered about it, and no
 * approval covers it. That somebody else allowed it for the company does not count.
 */
export function needsAnswer(acting: Acting, name: string, reach: Reach, now: Millis): boolean {
  if (leftOutBy(acting).includes(name)) return true;
  return !hasAllowed(acting, name, reach) && !isApprovedFor(acting, name, reach, now);
}

/** What the member left out on a page: declined, or not approved by an admin then. */
export function leftOutBy({ declined, unapproved = [] }: Pick<Acting, "declined" | "unapproved">): readonly string[] {
  return [...declined, ...unapproved];
}

/** True: the member allowed the scope at this host on a page themselves, and has not left it out since. */
export function hasAllowed(
  acting: Pick<Acting, "chosenEnds" | "answeredAt" | "declined">,
  name: string,
  reach: Reach,
): boolean {
  return Object.hasOwn(acting.chosenEnds, name) && !acting.declined.includes(name) && isAnsweredAt(acting, name, reach);
}

/**
 * The company's consent as this member's answers make it. Where they have answered at other hosts only, it doesn't hold for
 * this host: somebody else's answer here is not theirs. An approval that covers this host is.
 */
export function atOwnHosts(consent: Consent, acting: Acting, reach: Reach, now: Millis): Consent {
  const names = Object.keys(acting.chosenEnds);
  const isHere = (name: string) => isAnsweredAt(acting, name, reach);
  const isElsewhere = (name: string) =>
    names.includes(name) ? !isHere(name) : names.length > 0 && !names.some((one) => isHere(one));
  const scopes = consent.scopes.map((scope) => {
    const isOwn = !isElsewhere(scope.name) || isApprovedFor(acting, scope.name, reach, now);
    const { hosts = reach.earlierHosts } = scope;
    return isOwn ? scope : { ...scope, hosts: hosts.filter((one) => one !== reach.host) };
  });
  return { ...consent, scopes };
}

/** True: the app gets these scopes without a page, because the member chose the company for it and nothing needs an answer. */
export function needsNoPage(acting: Acting, names: readonly string[], reach: Reach, now: Millis): boolean {
  return acting.chosen && !acting.optedOut && names.every((name) => !needsAnswer(acting, name, reach, now));
}

/** Those of the scopes that the app can get later by an approval, without an answer of this member. */
export function laterScopes(
  acting: Acting | undefined,
  names: readonly string[],
  reach: Reach,
  now: Millis,
): readonly string[] {
  if (acting === undefined) return [];
  const answered = (name: string) => Object.hasOwn(acting.chosenEnds, name) || leftOutBy(acting).includes(name);
  return names.filter((name) => !answered(name) && isApprovedFor(acting, name, reach, now));
}

function covers(rule: AppRule, scopes: readonly string[], reach: Reach): boolean {
  return scopes.every((name) => rule.scopes.includes(name)) && reaches(rule.hosts, reach);
}

/** The remembered end of a scope that was for once: a later request asks about it again. */
export const ONCE_OVER: Millis = 0;

/**
 * The end that a member chose for a scope at this host. For a scope that they never answered: the shortest that they chose.
 * Null: none.
 */
export function chosenEndOf(
  acting: Pick<Acting, "chosenUntil" | "chosenEnds" | "answeredAt"> | undefined,
  name: string,
  { host }: Pick<Reach, "host">,
): Millis | null {
  if (acting === undefined) return null;
  return Object.hasOwn(acting.chosenEnds, name) ? endAt(acting, name, host) : acting.chosenUntil;
}

/**
 * The scopes of a grant under the company's consent. Each ends no later than the member chose for it, and no later than the
 * approval under which the member acts. The consent itself can last longer, because an admin can allow the app for longer.
 */
export function cappedEnds(
  scopes: readonly GrantedScope[],
  chosenFor: (name: string) => Millis | null,
  approval: AppRule | undefined,
  reach: Pick<Reach, "ceiling">,
): readonly GrantedScope[] {
  const last = approval === undefined ? null : endOfRule(approval, reach);
  return scopes.map(({ name, expiresAt }) => ({ name, expiresAt: sooner(expiresAt, sooner(chosenFor(name), last)) }));
}

/**
 * The last time at which the owner decided how long some of these scopes hold. A ceiling counts from this time. For a
 * member under an approval, a later decision of an admin does not count.
 */
export function lastDecision(
  held: readonly Pick<ConsentedScope, "name" | "decidedAt">[],
  names: readonly string[],
  approval: AppRule | undefined,
  now: Millis,
): Millis {
  const times = held.filter(({ name }) => names.includes(name)).map(({ decidedAt }) => decidedAt ?? now);
  return Math.min(Math.max(0, ...times), approval?.decidedAt ?? NEVER);
}

/** The provider as the client of providers, the sign-in page and the logout endpoint know it. */
export function signInProviderOf({ partition, companyId, emailDomains, provider }: CompanySignIn) {
  if (provider === null) return undefined;
  const { roles, triedAt: _, changedAt: __, ...settings } = provider;
  const known: SignInProvider = {
    ...settings,
    ...{ type: "openid", emailDomains, trustEmail: false, createPeople: true },
    company: { partition, companyId, roles },
  };
  return known;
}
