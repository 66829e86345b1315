/** Whether the server must ask the owner, for which scopes, and how long the answer may hold. */

import type { AuthorizationRequest } from "../oauth/authorization-endpoint/request.ts";
import { type Reach, reaches } from "../oauth/consent-reach.ts";
import { type Client, type Consent, type Millis, NEVER, type Scope } from "../oauth/model.ts";
import { consentHost, isUnverifiedRedirect } from "../oauth/redirect-uri.ts";
import { activeAt, isPaused, unexpired } from "./consent-after-decision.ts";
import type { ConsentDuration, OfferedDuration, Person } from "./storage.ts";

/** The scopes of a request that this person may grant. A scope with `ownerRole` needs an operator's role. */
export function grantableScopes(scopes: readonly Scope[], person: Person): readonly Scope[] {
  return scopes.filter((scope) => mayGrant(person, scope));
}

export function mayGrant(person: Pick<Person, "operator">, { ownerRole, alsoRoles = [] }: Scope): boolean {
  return ownerRole === null || [ownerRole, ...alsoRoles].some((role) => hasRole(person, role));
}

function hasRole(person: Pick<Person, "operator">, role: string): boolean {
  if (person.operator.includes("admin") || person.operator.includes(role)) return true;
  return role === "operator" && person.operator.length > 0;
}

/** The ends of the active scopes by name: for this destination, or for others. */
export function presentEnds(
  consent: Consent | undefined,
  reach: Reach,
  now: Millis,
): ReadonlyMap<string, Millis | null> {
  const all = [...unexpired(consent, reach, now), ...activeAt(consent, reach, now)];
  return new Map(all.map(({ name, expiresAt }) => [name, expiresAt]));
}

/** The scopes of a consent record that hold for this destination, by name. */
export function standingScopes(consent: Consent | undefined, reach: Reach, now: Millis): ReadonlyMap<string, Millis> {
  return new Map(activeAt(consent, reach, now).map(({ name, expiresAt }) => [name, expiresAt ?? NEVER]));
}

/**
 * True: the consent was given for this host, too, but nothing holds for it any more. For other hosts, or from when the
 * client looked different, something does.
 */
export function hasEndedHere(consent: Consent | undefined, reach: Reach, now: Millis): boolean {
  const live = unexpired(consent, reach, now);
  return live.some(({ hosts }) => reaches(hosts, reach)) && activeAt(consent, reach, now).length === 0;
}

/**
 * `skip`: an active consent covers all scopes, and the redirect's destination can be verified. `vouched`: the operator
 * vouches for a first-party client, so its consent is recorded without a page. `ask`: show the page. `asked_again`: all
 * scopes are granted already, but the request wants the page, the owner has paused the app, or the destination can't be verified. `elsewhere`: all
 * scopes are granted already, but for other hosts, or not for this member any more: show the page.
 */
export type ConsentDecision = "skip" | "vouched" | "ask" | "asked_again" | "elsewhere";

/** The parts of a request that decide whether the owner is asked. */
export type ConsentAsked = Pick<AuthorizationRequest, "redirectUri" | "prompt"> & {
  readonly client: Pick<Client, "type" | "firstParty"> &
    Partial<Pick<Client, "clientId" | "document" | "registered" | "reviewed">>;
};

export function decideConsent(
  request: ConsentAsked,
  scopes: readonly Scope[],
  consent: Consent | undefined,
  reach: Reach,
  now: Millis,
  declined: ReadonlySet<string> = new Set(),
): ConsentDecision {
  const standing = standingScopes(consent, reach, now);
  const wanted = undeclined(scopes, declined);
  // A request for nothing but declined scopes has no answer without the page.
  const granted = wanted.length > 0 && wanted.every(({ name }) => standing.has(name));
  const live = unexpired(consent, reach, now);
  const isElsewhere = wanted.length > 0 && wanted.every(({ name }) => live.some((one) => one.name === name));
  const ask = isElsewhere ? "elsewhere" : "ask";
  if (request.prompt.includes("consent") || isPaused(consent) || isUnverified(request))
    return granted ? "asked_again" : ask;
  if (request.client.firstParty && wanted.length > 0) return "vouched";
  return granted ? "skip" : ask;
}

/**
 * RFC 8252 §8.6: any app on the device can claim a custom scheme or a loopback port, and with it the name of this client.
 * Only the document's own host is proven to belong to a client that a document describes. Nothing is proven about a
 * client that registered itself, until an operator has reviewed it.
 */
function isUnverified({ client, redirectUri }: Pick<ConsentAsked, "client" | "redirectUri">): boolean {
  const { type, document, registered, reviewed, clientId = "" } = client;
  if (registered !== undefined && reviewed === false) return true;
  if (document !== undefined)
    return isUnverifiedRedirect(redirectUri) || consentHost(redirectUri) !== consentHost(clientId);
  return type === "public" && isUnverifiedRedirect(redirectUri);
}

/** The scopes of a request without those that the owner declined before. A required scope is never declined. */
export function undeclined(scopes: readonly Scope[], declined: ReadonlySet<string>): readonly Scope[] {
  return scopes.filter(({ name, optional }) => !optional || !declined.has(name));
}

/** The duration in a form, if the operator allows it. */
export function readDuration(
  text: string | undefined,
  allowed: readonly ConsentDuration[],
): ConsentDuration | undefined {
  return allowed.find((one) => String(one) === text);
}

/** The value of the field `duration` for the end of the day. */
export const TODAY = "today";

/** The form field with the end of the day that the page showed. */
export const TODAY_UNTIL = "today_until";

/** The offered durations with a length of their own. */
export function fixedDurations(offered: readonly OfferedDuration[]): readonly ConsentDuration[] {
  return offered.filter((one) => one !== TODAY);
}

/** The form field with one scope's own duration. */
export function durationField(scope: string): string {
  return `duration:${scope}`;
}

/** The value of that field for a scope that keeps its end. */
export const KEEP_END = "keep";

/**
 * The durations of single scopes, as far as the form has any that change something. Undefined: one of them is not
 * allowed.
 */
export function readDurations(
  text: (scope: string) => string | null,
  scopes: readonly string[],
  allowed: readonly ConsentDuration[],
): Readonly<Record<string, ConsentDuration>> | undefined {
  const durations: Record<string, ConsentDuration> = {};
  for (const name of scopes) {
    const asked = text(name);
    if (asked === null || asked === "" || asked === KEEP_END) continue;
    const duration = readDuration(asked, allowed);
    if (duration === undefined) return undefined;
    durations[name] = duration;
  }
  return durations;
}

/**
 * The durations that a client's owners can choose: those that the operator offers. A duration above the ceiling is
 * replaced by the ceiling.
 */
export function offeredDurations(
  allowed: readonly ConsentDuration[],
  ceiling: Millis | null,
): readonly ConsentDuration[] {
  if (ceiling === null) return allowed;
  const fitting = allowed.filter((one) => one === "once" || (one !== "forever" && one * 1000 <= ceiling));
  const longest = Math.floor(ceiling / 1000);
  return fitting.length === allowed.length || fitting.includes(longest) ? fitting : [...fitting, longest];
}

const NINETY_DAYS = 7_776_000;

/** The duration selected at first: 90 days, or else the longest allowed one that ends. */
export function defaultDuration(allowed: readonly ConsentDuration[]): ConsentDuration {
  if (allowed.includes(NINETY_DAYS)) return NINETY_DAYS;
  const ending = allowed.filter((one) => typeof one === "number");
  const shorter = ending.filter((one) => one <= NINETY_DAYS);
  return shorter.length > 0 ? Math.max(...shorter) : ending.length > 0 ? Math.min(...ending) : (allowed[0] ?? "once");
}

/** The scopes that an answer grants: all required ones, and the optional ones that are ticked. */
export function answeredScopes(
  scopes: readonly Scope[],
  ticked: ReadonlySet<string>,
): { readonly granted: readonly string[]; readonly declined: readonly string[] } {
  const granted = scopes.filter(({ name, optional }) => !optional || ticked.has(name)).map(({ name }) => name);
  const declined = scopes.filter(({ name, optional }) => optional && !ticked.has(name)).map(({ name }) => name);
  return { granted, declined };
}
