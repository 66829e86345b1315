/** What a decision of an owner does to the consent record and to the live grants under it. Pure. */

import { cappedEnd, type Reach, reaches } from "../oauth/consent-reach.ts";
import { type Consent, type ConsentedScope, type GrantedScope, type Millis, NEVER } from "../oauth/model.ts";
import { SCOPE_MARGIN } from "../oauth/scope.ts";
import type { IssueDirect } from "../oauth/storage.ts";
import type { Approve, ConsentDuration } from "./storage.ts";

/** What of a live grant a decision may change. */
export interface LiveGrant {
  readonly grantId: string;
  readonly refreshable: boolean;
  readonly scopes: readonly GrantedScope[];
  readonly absoluteUntil: Millis;
  /** As of `Grant`. */
  readonly decidedAt: Millis;
}

/** A live grant's new scopes and end; `scopes` empty: it ends. */
export type GrantChange = Omit<LiveGrant, "refreshable">;

/** An answer on a page, whatever grant comes of it. */
export interface Decision extends Omit<Approve, "grant"> {
  readonly grant: Pick<Approve["grant"], "partition" | "ownerId" | "clientId" | "scopes" | "ceiling">;
  /** The redirect hosts that the answer is for, as `consentHost` writes them; none for a device. */
  readonly hosts: readonly string[];
  /** What standing scopes hold for that were given before hosts were noted. */
  readonly earlierHosts: readonly string[];
  /** True: what stands already ends no sooner than before. */
  readonly onlyAdds?: boolean;
  /** When what is granted now ends, to the millisecond (null: until revoked); absent: `duration` says. */
  readonly endsAt?: Millis | null;
}

/** When a scope granted now ends (null: until revoked). */
export function endOf(duration: ConsentDuration, now: Millis, onceUntil: Millis): Millis | null {
  if (duration === "forever") return null;
  return duration === "once" ? onceUntil : now + duration * 1000;
}

/** How long a scope of a decision lasts: its own time, else that of all. */
export function durationOf(
  name: string,
  { duration, durations }: Pick<Approve, "duration" | "durations">,
): ConsentDuration {
  return durations !== undefined && Object.hasOwn(durations, name) ? (durations[name] ?? duration) : duration;
}

/** What a decision grants, each scope with its end. */
export function decidedScopes(decision: Decision): readonly GrantedScope[] {
  const { grant, now, onceUntil } = decision;
  const { endsAt } = decision;
  return grant.scopes.map((name) => {
    const end = endsAt === undefined ? endOf(durationOf(name, decision), now, onceUntil) : endsAt;
    return { name, expiresAt: cappedEnd(end, now, grant.ceiling) };
  });
}

/** All that is allowed is for this once. What is approved until a day is not. */
export function isOnce(decision: Decision): boolean {
  const { grant, endsAt } = decision;
  return endsAt === undefined && grant.scopes.every((name) => durationOf(name, decision) === "once");
}

/** The latest of some ends, null (until revoked) being the latest of all; undefined where there are none. */
export function latestOf(ends: readonly (Millis | null)[]): Millis | null | undefined {
  if (ends.length === 0) return undefined;
  return ends.includes(null) ? null : Math.max(...ends.filter((end) => end !== null));
}

/** The grant's last day: the end of its latest scope. */
export function absoluteUntilOf(scopes: readonly GrantedScope[]): Millis {
  return latestOf(scopes.map(({ expiresAt }) => expiresAt)) ?? NEVER;
}

/** A consent as it stands under a ceiling, which may be lower now than when its owner decided. */
export function consentUnder(consent: Consent, ceiling: Millis | null): Consent {
  const scopes = consent.scopes.map((scope) => {
    const { expiresAt, decidedAt = consent.updatedAt } = scope;
    return { ...scope, decidedAt, expiresAt: cappedEnd(expiresAt, decidedAt, ceiling) };
  });
  if (scopes.length === 0) return consent;
  const last = Math.max(...scopes.map(({ decidedAt }) => decidedAt));
  return { ...consent, scopes, expiresAt: cappedEnd(consent.expiresAt, last, ceiling) };
}

/** The scopes of a consent record that have not ended, whatever hosts they were given for. */
export function unexpired(
  consent: Consent | undefined,
  { ceiling }: Pick<Reach, "ceiling">,
  now: Millis,
): readonly ConsentedScope[] {
  if (consent === undefined || consent.status !== "active") return [];
  // What an operator approved for assertions, the owner was never asked for.
  if (consent.via === "operator policy") return [];
  return consentUnder(consent, ceiling).scopes.filter(
    ({ expiresAt }) => expiresAt === null || expiresAt - now >= SCOPE_MARGIN,
  );
}

/**
 * The hosts that a standing consent was given for, where this host is none of them; empty: none, as by a device. Undefined: the host is not new, or
 * nothing stands.
 */
export function hostsBefore(consent: Consent | undefined, reach: Reach, now: Millis): readonly string[] | undefined {
  const live = unexpired(consent, reach, now);
  if (live.length === 0 || live.some(({ hosts }) => reaches(hosts, reach))) return undefined;
  return [...new Set(live.flatMap(({ hosts }) => hosts ?? reach.earlierHosts))];
}

/**
 * The record after an approval, and what the approval changes in the other live grants.
 *
 * A record that was revoked, or never was, starts anew. An active one keeps what was not asked now and has not expired. Standing scopes move to
 * the new end, in every live grant too, and hold for the answer's hosts as well; but no grant gains a scope, and a grant without refresh tokens (a `once` among them) never lasts longer
 * than it was born to. `once` leaves no standing scope behind. Declined scopes leave the record and every grant, and stay away until they are
 * allowed on a page.
 */
export function approve(
  before: Consent | undefined,
  decision: Decision,
  live: readonly LiveGrant[],
): { readonly consent: Consent; readonly changes: readonly GrantChange[] } {
  const { grant, now } = decision;
  const held = before?.status === "active" ? consentUnder(before, grant.ceiling) : undefined;
  const own = decidedScopes(decision);
  const standing = own.filter(({ name }) => durationOf(name, decision) !== "once");
  const decided = new Map(standing.map(({ name, expiresAt }) => [name, expiresAt]));
  const declined = new Set(decision.declined);
  const kept = (held?.scopes ?? []).filter(({ name, expiresAt }) => !declined.has(name) && isAhead(expiresAt, now));
  const endFor = (before: Millis | null, end: Millis | null) => (decision.onlyAdds === true ? later(before, end) : end);
  const scopes = [
    ...kept.map((scope) => {
      const end = decided.get(scope.name);
      if (end === undefined) return scope;
      const expiresAt = endFor(scope.expiresAt, end);
      return { ...scope, expiresAt, decidedAt: now, hosts: hostsAfter(scope, decision) };
    }),
    ...standing
      .filter(({ name }) => !kept.some((scope) => scope.name === name))
      .map((scope): ConsentedScope => ({ ...scope, grantedAt: now, decidedAt: now, hosts: decision.hosts })),
  ];
  const moved = new Map(scopes.filter(({ name }) => decided.has(name)).map((one) => [one.name, one.expiresAt]));
  const after = live.map((each) => changed(each, declined, moved, now));
  const consent: Consent = {
    partition: grant.partition,
    ownerId: grant.ownerId,
    clientId: grant.clientId,
    status: "active",
    grantedBy: decision.grantedBy,
    via: decision.via,
    scopes,
    removed: union(before?.removed ?? [], decision.declined).filter((name) => !decided.has(name)),
    createdAt: held?.createdAt ?? now,
    updatedAt: now,
    expiresAt: expiryOf(scopes, [...after, { scopes: own }]),
    lastUsedAt: now,
    lastUsedAddress: decision.address,
    uses: (held?.uses ?? 0) + 1,
    revokedAt: null,
    revokedBy: null,
    shown: { ...decision.shown, ...byRules(held?.shown.byRules ?? []) },
  };
  return { consent, changes: differences(live, after) };
}

/** Hosts that one scope remembers, the latest. */
const MOST_HOSTS = 100;

function hostsAfter({ hosts }: ConsentedScope, { hosts: given, earlierHosts }: Decision): readonly string[] {
  return union(hosts ?? earlierHosts, given).slice(-MOST_HOSTS);
}

/** What the owner decided on a page stays as they decided it, whatever comes without one: only what a password alone brought is added to. */
function standsAlone(before: Consent | undefined, { via }: Pick<IssueDirect, "via">): boolean {
  return via === "password" && (before === undefined || before.via === "password");
}

/** True: the owner took back all that a grant without a page is about. Only a page can give consent again. */
export function blocksDirect(before: Consent | undefined, scopes: readonly string[]): boolean {
  return before?.status === "revoked" || scopes.every((name) => before?.removed.includes(name));
}

/**
 * The ends of a grant without a page. A password given beside a decision on a page reaches no further than that: a scope of the record ends
 * with it, any other with this access token. What the owner took back is left out.
 */
export function directScopes(before: Consent | undefined, issued: IssueDirect): readonly GrantedScope[] {
  const { grant, via, consentUntil, accessUntil } = issued;
  const held = before && consentUnder(before, grant.ceiling);
  const ends = new Map((held?.scopes ?? []).map(({ name, expiresAt }) => [name, expiresAt]));
  const removed = new Set(before?.removed);
  const names = grant.scopes.filter((name) => !removed.has(name));
  return names.map((name) => {
    if (via !== "password" || standsAlone(before, issued)) return { name, expiresAt: consentUntil };
    return { name, expiresAt: sooner(ends.has(name) ? (ends.get(name) ?? null) : accessUntil, consentUntil) };
  });
}

/**
 * The record after a grant without a page, by password or assertion. It is there, so that the owner sees the app and can revoke it; but scopes that
 * the owner never saw on a page become standing ones only where nothing but passwords made the record. The record must not be a revoked one: only a page makes
 * that active again.
 */
export function recordDirect(before: Consent | undefined, issued: IssueDirect): Consent {
  const { grant, consentUntil, now } = issued;
  const held = before && consentUnder(before, grant.ceiling);
  const kept = (held?.scopes ?? []).filter(({ expiresAt }) => isAhead(expiresAt, now));
  const granted = directScopes(before, issued);
  const scopes = !standsAlone(before, issued)
    ? kept
    : [
        ...kept.map((scope) =>
          grant.scopes.includes(scope.name)
            ? { ...scope, expiresAt: later(scope.expiresAt, consentUntil), decidedAt: now }
            : scope,
        ),
        ...granted
          .filter(({ name }) => !kept.some((scope) => scope.name === name))
          .map(
            ({ name }): ConsentedScope => ({
              name,
              expiresAt: consentUntil,
              grantedAt: now,
              decidedAt: now,
              hosts: [],
            }),
          ),
      ];
  const ends = [
    ...granted.map(({ expiresAt }) => expiresAt),
    ...scopes.map(({ expiresAt }) => expiresAt),
    ...(before === undefined ? [] : [before.expiresAt]),
  ];
  return {
    partition: grant.partition,
    ownerId: grant.ownerId,
    clientId: grant.clientId,
    status: "active",
    grantedBy: before?.grantedBy ?? (issued.via === "operator policy" ? "operator" : grant.personId),
    via: before?.via ?? issued.via,
    scopes,
    removed: before?.removed ?? [],
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    expiresAt: latestOf(ends) ?? null,
    lastUsedAt: now,
    lastUsedAddress: issued.address,
    uses: (before?.uses ?? 0) + 1,
    revokedAt: null,
    revokedBy: null,
    shown: {
      ...(before?.shown ?? issued.shown),
      ...(issued.via === "operator policy"
        ? byRules(
            union(
              before?.shown.byRules ?? [],
              granted.map(({ name }) => name),
            ).slice(0, MOST_BY_RULES),
          )
        : {}),
    },
  };
}

/** So many are remembered: the record is read at each authorization. */
const MOST_BY_RULES = 100;

function byRules(names: readonly string[]): Pick<Consent["shown"], "byRules"> {
  return names.length === 0 ? {} : { byRules: names };
}

/** What of the operator's rules the owner has not taken back: the app gets it again when it asks. */
export function againByRules({ shown, removed }: Pick<Consent, "shown" | "removed">): readonly string[] {
  return (shown.byRules ?? []).filter((name) => !removed.includes(name));
}

/** The record and its live grants after some scopes were taken away, for good until a page; `left`: the scopes that something still holds, or gets again by the operator's rules. */
export function narrow(
  consent: Consent,
  remove: readonly string[],
  live: readonly LiveGrant[],
  now: Millis,
): { readonly consent: Consent; readonly changes: readonly GrantChange[]; readonly left: number } {
  const removed = new Set(remove);
  const isLeft = (name: string) => !removed.has(name);
  // Less is no decision about how long: what is left holds as long as before.
  const scopes = consentUnder(consent, null).scopes.filter(
    ({ name, expiresAt }) => !removed.has(name) && isAhead(expiresAt, now),
  );
  const after = live.map((each) => changed(each, removed, new Map(), now));
  const again = againByRules(consent);
  const namesOf = (...all: readonly (readonly GrantedScope[])[]) => all.flat().map(({ name }) => name);
  const left = new Set([...namesOf(scopes, ...after.map((each) => each.scopes)), ...again.filter(isLeft)]);
  const held = [...namesOf(consent.scopes, ...live.map((each) => each.scopes)), ...again];
  const gone = union(
    consent.removed,
    held.filter((name) => !isLeft(name)),
  );
  return {
    consent: { ...consent, scopes, removed: gone, updatedAt: now, expiresAt: expiryOf(scopes, after) },
    changes: differences(live, after),
    left: left.size,
  };
}

/** The record and its live grants with another end for everything that stands; a `once` keeps its own. */
export function moveEnd(
  consent: Consent,
  end: Millis | null,
  live: readonly LiveGrant[],
  now: Millis,
): { readonly consent: Consent; readonly changes: readonly GrantChange[] } {
  const scopes = consent.scopes
    .filter(({ expiresAt }) => isAhead(expiresAt, now))
    .map((scope) => ({ ...scope, expiresAt: end, decidedAt: now }));
  const moved = new Map(scopes.map(({ name }) => [name, end]));
  const after = live.map((each) => changed(each, new Set(), moved, now));
  return {
    consent: { ...consent, scopes, updatedAt: now, expiresAt: expiryOf(scopes, after) },
    changes: differences(live, after),
  };
}

function isAhead(end: Millis | null, now: Millis): boolean {
  return end === null || end > now;
}

function changed(
  grant: LiveGrant,
  removed: ReadonlySet<string>,
  moved: ReadonlyMap<string, Millis | null>,
  now: Millis,
): LiveGrant {
  const scopes = grant.scopes
    .filter(({ name, expiresAt }) => !removed.has(name) && isAhead(expiresAt, now))
    .map((scope) => {
      const end = moved.get(scope.name);
      if (end === undefined) return scope;
      return { ...scope, expiresAt: grant.refreshable ? end : sooner(scope.expiresAt, end) };
    });
  if (scopes.length === 0) return { ...grant, scopes };
  const last = absoluteUntilOf(scopes);
  const decidedAt = grant.refreshable && scopes.some(({ name }) => moved.has(name)) ? now : grant.decidedAt;
  return { ...grant, scopes, decidedAt, absoluteUntil: grant.refreshable ? last : Math.min(last, grant.absoluteUntil) };
}

function later(a: Millis | null, b: Millis | null): Millis | null {
  return latestOf([a, b]) ?? null;
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

function sooner(a: Millis | null, b: Millis | null): Millis | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function differences(before: readonly LiveGrant[], after: readonly LiveGrant[]): readonly GrantChange[] {
  return after
    .filter((each, at) => JSON.stringify(each) !== JSON.stringify(before[at]))
    .map(({ grantId, scopes, absoluteUntil, decidedAt }) => ({ grantId, scopes, absoluteUntil, decidedAt }));
}

/** When the last of the record ends: its standing scopes, and what live grants (a `once`) still hold. */
function expiryOf(scopes: readonly GrantedScope[], grants: readonly Pick<LiveGrant, "scopes">[]): Millis | null {
  const ends = [...scopes, ...grants.flatMap((grant) => grant.scopes)].map(({ expiresAt }) => expiresAt);
  return latestOf(ends) ?? null;
}
