/** How a decision of an owner changes the consent record and the live grants under it. Pure functions. */

import {
  awayEnd,
  cappedEnd,
  declinedAt,
  endsInGrant,
  everywhere,
  grown,
  hostsAfter,
  movedTo,
  offlineMark,
  onlyElsewhere,
  type Reach,
  scopesAt,
  sooner,
  undeclinedAt,
  withHost,
} from "../oauth/consent-reach.ts";
import { type Consent, type ConsentedScope, type GrantedScope, type Millis, NEVER } from "../oauth/model.ts";
import { allowsOffline, OFFLINE_ACCESS } from "../oauth/openid/scopes.ts";
import { SCOPE_MARGIN } from "../oauth/scope.ts";
import type { RememberedAnswer } from "./company-storage.ts";
import type { Approve, ChosenDuration } from "./storage.ts";

/** The parts of a live grant that a decision can change. */
export interface LiveGrant {
  readonly grantId: string;
  /** The person who made it, for themselves or for a company. */
  readonly personId: string;
  /** The host of its redirect URI, as `consentHost` writes it. Null: it had none, as from a device. */
  readonly host: string | null;
  readonly refreshable: boolean;
  readonly scopes: readonly GrantedScope[];
  readonly absoluteUntil: Millis;
  /** As of `Grant`. */
  readonly decidedAt: Millis;
}

/** The new scopes and the new end of a live grant. Empty `scopes`: the grant ends. */
export interface GrantChange extends Omit<LiveGrant, "refreshable" | "personId" | "host"> {
  /** The grant loses its refresh tokens: it lost `offline_access` (OpenID Connect Core §11). */
  readonly refreshable?: false;
}

/** The part of a member's answer for a company that holds for their older grants. */
export type OwnAnswer = Omit<RememberedAnswer, "ends" | "once">;

/** An answer on a page, whatever grant follows. */
export interface Decision extends Omit<Approve, "grant"> {
  readonly grant: Pick<Approve["grant"], "partition" | "ownerId" | "clientId" | "scopes" | "ceiling">;
  /** The redirect hosts that the answer holds for, as `consentHost` writes them. Empty: a device. */
  readonly hosts: readonly string[];
  /** The hosts of active scopes that were given before hosts were recorded. */
  readonly earlierHosts: readonly string[];
  /** An answer for a company: the record only grows, and only the person's own grants lose anything. */
  readonly own?: OwnAnswer;
  /** True: a company allows the app for selected members only. */
  readonly forSelected?: true;
  /** When the scopes granted now end, exactly (null: until revoked). Absent: `duration` decides. */
  readonly endsAt?: Millis | null;
}

/** When a scope granted now ends (null: until revoked). */
export function endOf(duration: ChosenDuration, now: Millis, onceUntil: Millis): Millis | null {
  if (duration === "forever") return null;
  if (typeof duration === "object") return duration.until;
  return duration === "once" ? onceUntil : now + duration * 1000;
}

/** How long a scope of a decision lasts: its own time, or else the common one. */
export function durationOf(
  name: string,
  { duration, durations }: Pick<Approve, "duration" | "durations">,
): ChosenDuration {
  return durations !== undefined && Object.hasOwn(durations, name) ? (durations[name] ?? duration) : duration;
}

/** What a decision grants. */
export interface Decided {
  readonly scopes: readonly GrantedScope[];
  /** Scopes that were active before and keep their ends, as the record has them from now on. */
  readonly left: ReadonlyMap<string, ConsentedScope>;
  /** When the last of these ends was chosen. */
  readonly decidedAt: Millis;
  /** True: some scope is for more than this once. An approval with an end date is. */
  readonly lasting: boolean;
  /** The scopes that are active only for other hosts than that of the answer. */
  readonly elsewhere: ReadonlySet<string>;
}

/**
 * The scopes that a decision grants, each with its end. A scope that is active for the host of the answer keeps its
 * end, unless the owner chose another end for this scope. A scope that is active for other hosts gets the chosen
 * duration here, but ends no later than there, and does not change there.
 */
export function decidedScopes(before: Consent | undefined, decision: Decision): Decided {
  const { grant, durations = {}, keptEnds = {}, now, onceUntil, hosts, earlierHosts, endsAt } = decision;
  const reach: Reach = { host: hosts[0] ?? null, earlierHosts, ceiling: grant.ceiling };
  const byName = (scopes: readonly ConsentedScope[]) => new Map(scopes.map((scope) => [scope.name, scope]));
  const live = unexpired(before, reach, now);
  const present = activeAt(before, reach, now);
  const elsewhere = onlyElsewhere(live, present);
  const isSpared = (name: string) => decision.own === undefined && elsewhere.has(name);
  const own = (name: string) => endsAt !== undefined || (Object.hasOwn(durations, name) && !isSpared(name));
  const held = byName(live.filter(({ name }) => grant.scopes.includes(name) && !own(name)));
  const here = byName(present.filter(({ name }) => held.has(name)));
  const isOnce = (name: string) => endsAt === undefined && !here.has(name) && durationOf(name, decision) === "once";
  const chosenFor = (name: string) => {
    const end = endsAt === undefined ? endOf(durationOf(name, decision), now, onceUntil) : endsAt;
    return cappedEnd(end, now, grant.ceiling);
  };
  const endFor = (name: string) => {
    const scope = here.get(name) ?? held.get(name);
    if (scope === undefined) return chosenFor(name);
    const last = here.has(name) ? scope.expiresAt : sooner(scope.expiresAt, chosenFor(name));
    return here.has(name) ? sooner(last, keptEnds[name] ?? null) : last;
  };
  const after = (scope: ConsentedScope): ConsentedScope => {
    if (here.has(scope.name) || reach.host === null) return { ...scope, hosts: hostsAfter(scope, decision) };
    if (isOnce(scope.name)) return undeclinedAt(scope, reach.host);
    return withHost(scope, reach.host, chosenFor(scope.name), decision);
  };
  const decidedAt = (name: string) => (here.has(name) ? (held.get(name)?.decidedAt ?? now) : now);
  return {
    scopes: grant.scopes.map((name) => ({ name, expiresAt: endFor(name) })),
    left: new Map([...held.values()].map((scope) => [scope.name, after(scope)])),
    decidedAt: Math.max(0, ...grant.scopes.map(decidedAt)),
    lasting: grant.scopes.some((name) => !isOnce(name)),
    elsewhere,
  };
}

/** The latest of these ends; null (until revoked) is later than all others. Undefined: there are none. */
export function latestOf(ends: readonly (Millis | null)[]): Millis | null | undefined {
  if (ends.length === 0) return undefined;
  return ends.includes(null) ? null : Math.max(...ends.filter((end) => end !== null));
}

/** The time at which the grant ends: the end of its latest scope. */
export function absoluteUntilOf(scopes: readonly GrantedScope[]): Millis {
  return latestOf(scopes.map(({ expiresAt }) => expiresAt)) ?? NEVER;
}

/** The consent under a ceiling, which may be lower now than at the owner's decision. */
export function consentUnder(consent: Consent, ceiling: Millis | null): Consent {
  const scopes = consent.scopes.map((scope) => {
    const { expiresAt, decidedAt = consent.updatedAt } = scope;
    return { ...scope, decidedAt, expiresAt: cappedEnd(expiresAt, decidedAt, ceiling) };
  });
  if (scopes.length === 0) return consent;
  const last = Math.max(...scopes.map(({ decidedAt }) => decidedAt));
  return { ...consent, scopes, expiresAt: cappedEnd(consent.expiresAt, last, ceiling) };
}

/** When the owner gave a scope, or last chose its end. */
export function lastDecided({ grantedAt, decidedAt = grantedAt }: ConsentedScope): Millis {
  return Math.max(grantedAt, decidedAt);
}

/** True: the owner has paused the app. It gets nothing until they resume it. */
export function isPaused(consent: Pick<Consent, "status" | "pausedAt"> | undefined): boolean {
  return consent?.status === "active" && consent.pausedAt !== null;
}

/** The scopes of a consent record that have not ended, for any host. */
export function unexpired(
  consent: Consent | undefined,
  { ceiling }: Pick<Reach, "ceiling">,
  now: Millis,
): readonly ConsentedScope[] {
  if (consent === undefined || consent.status !== "active") return [];
  // The operator approved these scopes for assertions; the owner was never asked.
  if (consent.via === "operator policy") return [];
  return consentUnder(consent, ceiling).scopes.filter((scope) => lasts(scope, now));
}

/** The scopes of a consent record that have not ended for this destination, each with its end there. */
export function activeAt(consent: Consent | undefined, reach: Reach, now: Millis): readonly ConsentedScope[] {
  return scopesAt(unexpired(consent, reach, now), reach).filter((scope) => lasts(scope, now));
}

function lasts({ expiresAt }: GrantedScope, now: Millis): boolean {
  return expiresAt === null || expiresAt - now >= SCOPE_MARGIN;
}

/**
 * The record after an approval, and the changes in the other live grants.
 *
 * A record that was revoked or never existed starts empty. An active one keeps the scopes that were not asked for now and
 * have not expired, with their ends; they hold for the answer's hosts, too. If a person chose another end for one, it changes
 * in their live grants, but a host that ends sooner keeps its own. An answer for a company changes nothing in the grants of
 * other members, and its rule makes grants end sooner, never later. No grant gains a scope, a new scope lasts no longer in
 * older grants, and a grant without refresh tokens (`once` is one) no longer than at its start. `once` leaves no scope in the
 * record. Declined scopes leave record and grants until a page allows them, but not those that only other hosts have.
 */
export function approve(
  before: Consent | undefined,
  decision: Decision,
  live: readonly LiveGrant[],
): { readonly consent: Consent; readonly changes: readonly GrantChange[] } {
  const { grant, now } = decision;
  const held = before?.status === "active" ? consentUnder(before, grant.ceiling) : undefined;
  const { scopes: own, left, elsewhere } = decidedScopes(before, decision);
  const isRule = decision.endsAt !== undefined;
  const isOnce = (name: string) => !isRule && durationOf(name, decision) === "once";
  const standing = own.filter(({ name }) => !left.has(name) && !isOnce(name));
  const decided = new Map(standing.map(({ name, expiresAt }) => [name, expiresAt]));
  const declined = new Set(decision.declined.filter((name) => !elsewhere.has(name)));
  const asked = [...grant.scopes, ...decision.declined];
  const stood = new Set(unexpired(before, grant, now).map(({ name }) => name));
  // In its last seconds a scope is asked for anew, and the answer holds for its own host alone.
  const isAnew = (name: string) => decision.own === undefined && decided.has(name) && !stood.has(name);
  const kept = (held?.scopes ?? []).filter(
    ({ name, expiresAt }) => !declined.has(name) && !isAnew(name) && isAhead(expiresAt, now),
  );
  const scopes = [
    ...kept.map((scope) => {
      const same = left.get(scope.name);
      if (same !== undefined) return same;
      const end = decided.get(scope.name);
      if (end === undefined) return decision.declined.includes(scope.name) ? declinedAt(scope, decision.hosts) : scope;
      if (decision.own !== undefined) return { ...grown(scope, end, decision), decidedAt: now };
      const moved = movedTo(isRule ? everywhere(scope) : scope, end, decision.hosts[0]);
      return { ...moved, decidedAt: now, hosts: hostsAfter(scope, decision) };
    }),
    ...standing
      .filter(({ name }) => !kept.some((scope) => scope.name === name))
      .map((scope): ConsentedScope => ({ ...scope, grantedAt: now, decidedAt: now, hosts: decision.hosts })),
  ];
  const chosen = scopes.filter(({ name }) => decided.has(name) && (isRule || !elsewhere.has(name)));
  const after = live.map((each) => {
    const isOwn = each.personId === decision.grantedBy;
    if (decision.own !== undefined) return isOwn ? ownAfter(each, own, decision.own, now) : each;
    const ends = endsInGrant(chosen, each);
    return changed(each, declined, ends, now, isOwn && !isRule ? stood : new Set());
  });
  const consent: Consent = {
    ...{ partition: grant.partition, ownerId: grant.ownerId, clientId: grant.clientId },
    status: "active",
    grantedBy: decision.grantedBy,
    via: decision.via,
    scopes,
    removed: union(before?.removed ?? [], [...declined]).filter((name) => !decided.has(name)),
    declined: union(isLive(held, now) ? held.declined : [], decision.declined).filter(
      (name) => !grant.scopes.includes(name) && !kept.some((scope) => scope.name === name),
    ),
    chosenAt: choosesThemselves(decision) ? now : (held?.chosenAt ?? null),
    createdAt: held?.createdAt ?? now,
    updatedAt: now,
    expiresAt: expiryOf(scopes, [...after, { scopes: own }], held),
    lastUsedAt: held?.lastUsedAt ?? null,
    lastUsedAddress: held?.lastUsedAddress ?? null,
    uses: (held?.uses ?? 0) + 1,
    revokedAt: null,
    revokedBy: null,
    pausedAt: decision.resumes === true ? null : (held?.pausedAt ?? null),
    shown: {
      ...{ ...decision.shown, ...byRules(held?.shown.byRules ?? []), ...offlineMark(held, asked) },
      ...returnedMark(held, [...decided.keys()]),
    },
  };
  return { consent, changes: differences(live, after) };
}

/** True: a person answered on a page, for themselves. */
function choosesThemselves({ grant, grantedBy, via }: Decision): boolean {
  return grantedBy === grant.ownerId && (via === "browser" || via === "device");
}

/** For the record: scopes by the operator's rules. */
export function byRules(names: readonly string[]): Pick<Consent["shown"], "byRules"> {
  return names.length === 0 ? {} : { byRules: names };
}

/** For the record: scopes by the operator's rules that a page gives back after the owner removed them. */
function returnedMark(before: Consent | undefined, given: readonly string[]): Pick<Consent["shown"], "returned"> {
  const { byRules: rules = [], returned = [] } = before?.shown ?? {};
  const back = rules.filter((name) => given.includes(name) && before?.removed.includes(name));
  const all = union(returned, back);
  return all.length === 0 ? {} : { returned: all };
}

/** The scopes by the operator's rules that the owner has not removed: the app gets them again when it asks. */
export function againByRules({ shown, removed }: Pick<Consent, "shown" | "removed">): readonly string[] {
  return (shown.byRules ?? []).filter((name) => !removed.includes(name));
}

/**
 * The record and its live grants after the owner removed some scopes, until a page allows them again. `left`: the
 * scopes that something still holds, or that the app gets again by the operator's rules. `spared`: the ids of grants
 * that keep the scopes.
 */
export function narrow(
  consent: Consent,
  remove: readonly string[],
  live: readonly LiveGrant[],
  now: Millis,
  spared: ReadonlySet<string> = new Set(),
): { readonly consent: Consent; readonly changes: readonly GrantChange[]; readonly left: number } {
  const removed = new Set(remove);
  const isLeft = (name: string) => !removed.has(name);
  // A narrower consent is no decision about its length: the rest holds as long as before.
  const scopes = consentUnder(consent, null).scopes.filter(
    ({ name, expiresAt }) => !removed.has(name) && isAhead(expiresAt, now),
  );
  const after = live.map((each) => (spared.has(each.grantId) ? each : changed(each, removed, new Map(), now)));
  const again = againByRules(consent);
  const namesOf = (...all: readonly (readonly GrantedScope[])[]) => all.flat().map(({ name }) => name);
  const left = new Set([...namesOf(scopes, ...after.map((each) => each.scopes)), ...again.filter(isLeft)]);
  const held = [...namesOf(consent.scopes, ...live.map((each) => each.scopes)), ...again];
  const gone = union(
    consent.removed,
    held.filter((name) => !isLeft(name)),
  );
  return {
    consent: {
      ...consent,
      scopes,
      removed: gone,
      updatedAt: now,
      expiresAt: expiryOf(scopes, after, { ...consent, removed: gone }),
    },
    changes: differences(live, after),
    left: left.size,
  };
}

/** The record and its live grants with another end for all active scopes. A `once` and a host that ends sooner keep theirs. */
export function moveEnd(
  consent: Consent,
  end: Millis | null,
  live: readonly LiveGrant[],
  now: Millis,
): { readonly consent: Consent; readonly changes: readonly GrantChange[] } {
  const scopes = consent.scopes
    .filter(({ expiresAt }) => isAhead(expiresAt, now))
    .map((scope) => ({ ...movedTo(scope, end), decidedAt: now }));
  const after = live.map((each) => changed(each, new Set(), endsInGrant(scopes, each), now));
  return {
    consent: { ...consent, scopes, updatedAt: now, expiresAt: expiryOf(scopes, after, consent) },
    changes: differences(live, after),
  };
}

/** True: the record is active, and not all of it has ended. */
function isLive(consent: Consent | undefined, now: Millis): consent is Consent {
  return consent?.status === "active" && isAhead(consent.expiresAt, now);
}

/** The scopes that the owner declined or removed, for as long as the consent holds. With a host: also those declined for it. */
export function refusedScopes(
  consent: Consent | undefined,
  { ceiling, host = null }: Pick<Reach, "ceiling"> & Partial<Pick<Reach, "host">>,
  now: Millis,
): Record<"declined" | "removed", readonly string[]> {
  const held = consent && consentUnder(consent, ceiling);
  if (!isLive(held, now)) return { declined: [], removed: [] };
  const granted = held.scopes.filter(({ expiresAt }) => isAhead(expiresAt, now));
  const there = granted.filter(({ declinedHosts = [] }) => host !== null && declinedHosts.includes(host));
  const declined = held.declined.filter((name) => granted.every((scope) => scope.name !== name));
  return { declined: [...declined, ...there.map(({ name }) => name)], removed: held.removed };
}

/** True: this end is still to come. Null: there is no end. */
export function isAhead(end: Millis | null, now: Millis): boolean {
  return end === null || end > now;
}

function changed(
  grant: LiveGrant,
  removed: ReadonlySet<string>,
  moved: ReadonlyMap<string, Millis | null>,
  now: Millis,
  stood: { has(name: string): boolean } = moved,
): LiveGrant {
  const away = awayEnd(grant, moved);
  const scopes = grant.scopes
    .filter(({ name, expiresAt }) => !removed.has(name) && isAhead(expiresAt, now))
    .map((scope) => {
      const end = moved.get(scope.name);
      const moves = end !== undefined && grant.refreshable && stood.has(scope.name);
      return { ...scope, expiresAt: sooner(moves ? end : sooner(scope.expiresAt, end ?? null), away) };
    });
  if (scopes.length === 0) return { ...grant, scopes };
  const last = absoluteUntilOf(scopes);
  const moves = grant.refreshable && scopes.some(({ name }) => moved.has(name) && stood.has(name));
  const namesOf = (some: readonly GrantedScope[]) => some.map(({ name }) => name);
  const isOffline = !removed.has(OFFLINE_ACCESS) && allowsOffline(namesOf(grant.scopes), namesOf(scopes));
  const refreshable = grant.refreshable && isOffline;
  if (!moves) return { ...grant, refreshable, scopes, absoluteUntil: Math.min(last, grant.absoluteUntil) };
  return { ...grant, refreshable, scopes, decidedAt: now, absoluteUntil: last };
}

/** A member's older grant after their answer for a company. `scopes`: those of the answer, with their ends. */
export function ownAfter(
  grant: LiveGrant,
  scopes: readonly GrantedScope[],
  { declined, lost = declined, newEnds = [], moved = [] }: OwnAnswer,
  now: Millis,
): LiveGrant {
  const ends = new Map(scopes.filter(({ name }) => newEnds.includes(name)).map((one) => [one.name, one.expiresAt]));
  return changed(grant, new Set(lost), ends, now, new Set(moved));
}

export function differences(before: readonly LiveGrant[], after: readonly LiveGrant[]): readonly GrantChange[] {
  return after.flatMap((each, at) => {
    const earlier = before[at];
    if (each === earlier || JSON.stringify(each) === JSON.stringify(earlier)) return [];
    const { grantId, scopes, absoluteUntil, decidedAt, refreshable } = each;
    const lost = earlier?.refreshable === true && !refreshable ? { refreshable } : {};
    return [{ grantId, scopes, absoluteUntil, decidedAt, ...lost }];
  });
}

export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

/**
 * When the last scope ends: active scopes of the record, scopes that live grants (a `once`) still hold, and scopes by the
 * operator's rules, which an owner's answer does not shorten.
 */
function expiryOf(
  scopes: readonly GrantedScope[],
  grants: readonly Pick<LiveGrant, "scopes">[],
  before: Pick<Consent, "shown" | "removed" | "expiresAt"> | undefined,
): Millis | null {
  const ends = [...scopes, ...grants.flatMap((grant) => grant.scopes)].map(({ expiresAt }) => expiresAt);
  const rules = before !== undefined && againByRules(before).length > 0 ? [before.expiresAt] : [];
  return latestOf([...ends, ...rules]) ?? null;
}
