/**
 * How far a consent reaches: which redirect hosts it holds for, its maximum duration (RFC 6749 §10.6, RFC 9700
 * §§4.1, 4.14.2), and whether it gives refresh tokens without `offline_access` (OpenID Connect Core §11).
 */

import {
  type Client,
  type Consent,
  type ConsentedScope,
  type Grant,
  type GrantedScope,
  type Millis,
  NEVER,
} from "./model.ts";
import { OFFLINE_ACCESS } from "./openid/scopes.ts";
import type { Policy } from "./ports.ts";
import { consentHost, consentHosts } from "./redirect-uri.ts";

type Origin = Pick<Client, "document" | "registered">;

/**
 * The receiver that a consent to this client is given for. For a client that describes itself, it also says what the
 * client looked like: if its name or logo changes, earlier consents don't hold, as for a new host.
 */
export function receiverOf(client: Origin, redirectUri: string): string {
  const host = consentHost(redirectUri);
  const appearance = ownAppearance(client);
  return appearance === undefined ? host : `${host}#${appearance}`;
}

/** What a client that describes itself looks like. Undefined: an operator describes it. */
export function ownAppearance({ document, registered }: Origin): string | undefined {
  return (document ?? registered)?.appearance;
}

/** The host that a grant was made for. Empty `redirectUri`: none (null). */
export function hostOfGrant(redirectUri: string): string | null {
  return redirectUri === "" ? null : consentHost(redirectUri);
}

/** The receivers of all redirect URIs of a client, each once. */
export function receiversOf(client: Origin & Pick<Client, "redirectUris">): readonly string[] {
  return [...new Set(client.redirectUris.map((uri) => receiverOf(client, uri)))];
}

/** Grant types by which a browser brings the owner to the consent page, and back to a redirect URI. */
const BY_BROWSER: ReadonlySet<string> = new Set(["authorization_code", "implicit"]);

const BY_DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

/**
 * True: the client can bring an owner to a page that asks for consent. False: it gets access without a page only, for example
 * by assertions (RFC 7521). Then nobody is asked, and after the owner revokes the client, it gets nothing more.
 */
export function canAskOwners({ grantTypes, redirectUris }: Pick<Client, "grantTypes" | "redirectUris">): boolean {
  if (grantTypes.includes(BY_DEVICE)) return true;
  return redirectUris.length > 0 && grantTypes.some((grantType) => BY_BROWSER.has(grantType));
}

/** True: no page ever asks an owner about the client. False also if the client is gone. */
export function neverAsks(client: Pick<Client, "grantTypes" | "redirectUris"> | undefined): boolean {
  return client !== undefined && !canAskOwners(client);
}

/** True: both receivers are one host, whatever the client looked like. */
export function isSameHost(one: string, other: string): boolean {
  return one.split("#", 1)[0] === other.split("#", 1)[0];
}

/** The destination of the answer to a request, and the limits of consents to its client. */
export interface Reach {
  /** The host of the request's redirect URI. Null: the answer goes to the client itself, as for a device. */
  readonly host: string | null;
  /** The hosts of consents that were given before hosts were recorded. */
  readonly earlierHosts: readonly string[];
  /** Maximum time for which an answer holds, in milliseconds. Null: no maximum. */
  readonly ceiling: Millis | null;
}

/** `redirectUri` null: the request has none. */
export function reachOf(
  client: Origin & Pick<Client, "earlierRedirectUris">,
  redirectUri: string | null,
  ceiling: Millis | null,
): Reach {
  return {
    host: redirectUri === null ? null : receiverOf(client, redirectUri),
    earlierHosts: consentHosts(client.earlierRedirectUris ?? []),
    ceiling,
  };
}

/** `hosts`: as a consent or an approval records them. */
export function reaches(hosts: ConsentedScope["hosts"] | null, { host, earlierHosts }: Reach): boolean {
  return host === null || (hosts ?? earlierHosts).includes(host);
}

/** The scopes that hold for this destination, each with its end there. */
export function scopesAt(scopes: readonly ConsentedScope[], reach: Reach): readonly ConsentedScope[] {
  const there = scopes.filter(({ hosts }) => reaches(hosts, reach));
  return there.map((scope) => {
    const own = reach.host === null ? undefined : scope.hostEnds?.[reach.host];
    return own === undefined ? scope : { ...scope, expiresAt: Math.min(scope.expiresAt ?? own, own) };
  });
}

/**
 * The hosts of scopes that have not ended, if this host is none of them. Empty: they have no hosts, as from a device.
 * Undefined: the host is not new, or there are no scopes.
 */
export function hostsBefore(live: readonly ConsentedScope[], reach: Reach): readonly string[] | undefined {
  if (live.length === 0 || live.some(({ hosts }) => reaches(hosts, reach))) return undefined;
  return [...new Set(live.flatMap(({ hosts }) => hosts ?? reach.earlierHosts))];
}

/** Maximum time for which an owner's answer to a client holds, in milliseconds. Null: no maximum. */
export function ceilingOf(
  { type, consentCeiling }: Pick<Client, "type" | "consentCeiling">,
  policy: Pick<Policy, "consentCeilingPublic" | "consentCeilingConfidential">,
): Millis | null {
  if (consentCeiling === "none") return null;
  if (typeof consentCeiling === "number") return consentCeiling * 1000;
  return type === "public" ? policy.consentCeilingPublic : policy.consentCeilingConfidential;
}

/** The same for a client that may be gone: then there is no maximum. */
export function ceilingOrNone(
  client: Pick<Client, "type" | "consentCeiling"> | undefined,
  policy: Pick<Policy, "consentCeilingPublic" | "consentCeilingConfidential">,
): Millis | null {
  return client === undefined ? null : ceilingOf(client, policy);
}

/** The end of a decision under a ceiling. Null: it does not end by itself. */
export function cappedEnd(end: Millis | null, decidedAt: Millis, ceiling: Millis | null): Millis | null {
  return ceiling === null ? end : Math.min(end ?? NEVER, decidedAt + ceiling);
}

/** The earlier of two ends. Null: it does not end by itself. */
export function sooner(a: Millis | null, b: Millis | null): Millis | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

/** The grant under a ceiling, which may be lower now than when the grant was made. */
export function underCeiling<G extends Pick<Grant, "decidedAt" | "absoluteUntil" | "scopes">>(
  grant: G,
  ceiling: Millis | null,
): G {
  if (ceiling === null || grant.absoluteUntil <= grant.decidedAt + ceiling) return grant;
  const end = grant.decidedAt + ceiling;
  return {
    ...grant,
    absoluteUntil: end,
    scopes: grant.scopes.map(({ name, expiresAt }) => ({ name, expiresAt: Math.min(expiresAt ?? NEVER, end) })),
  };
}

type AskedConsent = Pick<Consent, "status" | "scopes" | "removed" | "declined" | "shown">;
/** A member's last answer for a company. */
interface MemberAnswer {
  readonly declined: readonly string[];
  readonly unapproved?: readonly string[];
  readonly chosenEnds: Readonly<Record<string, unknown>>;
}

/**
 * True: the owner, or this member for them, was asked for `offline_access` while the consent holds, or removed it
 * before. Refresh tokens are then a permission of their own, and a client does not get around the owner's answer by not
 * asking for it.
 */
export function isOfflineAsked(consent: AskedConsent | undefined, member?: MemberAnswer): boolean {
  const { declined: left = [], unapproved = [], chosenEnds = {} } = member ?? {};
  const own = [...left, ...unapproved, ...Object.keys(chosenEnds)];
  if ([...(consent?.removed ?? []), ...own].includes(OFFLINE_ACCESS)) return true;
  if (consent?.status !== "active") return false;
  const { scopes, declined, shown } = consent;
  return shown.offline === true || [...scopes.map(({ name }) => name), ...declined].includes(OFFLINE_ACCESS);
}

/** The new grant, without refresh tokens where `offline_access` is a permission of its own and `scopes` lack it. */
export function underOffline<G extends Pick<Grant, "refreshable">>(
  grant: G,
  scopes: readonly string[],
  consent: AskedConsent | undefined,
  member?: MemberAnswer,
): G {
  const isAllowed = scopes.includes(OFFLINE_ACCESS) || !isOfflineAsked(consent, member);
  return { ...grant, refreshable: grant.refreshable && isAllowed };
}

/** The mark in the consent of an answer to a request for these scopes. It stays when the permission ends. */
export function offlineMark(
  before: AskedConsent | undefined,
  asked: readonly string[],
): Pick<Consent["shown"], "offline"> {
  return asked.includes(OFFLINE_ACCESS) || isOfflineAsked(before) ? { offline: true } : {};
}

/**
 * The scopes that have not ended, without those for this host. At a new host, also `offline_access`: an answer for it does
 * not concern the refresh tokens of others, which need no such scope.
 */
export function onlyElsewhere(live: readonly GrantedScope[], here: readonly GrantedScope[]): ReadonlySet<string> {
  const offline = live.length > 0 && here.length === 0 ? [OFFLINE_ACCESS] : [];
  const present = new Set(here.map(({ name }) => name));
  return new Set([...live.map(({ name }) => name), ...offline].filter((name) => !present.has(name)));
}

/** True: an older grant has refresh tokens without `offline_access`. */
export function isAwayWithout({ refreshable, scopes }: Pick<Grant, "refreshable" | "scopes">): boolean {
  return refreshable && scopes.every(({ name }) => name !== OFFLINE_ACCESS);
}

/**
 * The end of an older grant that has refresh tokens without `offline_access`: with the permission that the owner allows
 * now. Null: its own. `moved`: the ends that the owner chose.
 */
export function awayEnd(
  grant: Pick<Grant, "refreshable" | "scopes">,
  moved: ReadonlyMap<string, Millis | null>,
): Millis | null {
  return isAwayWithout(grant) ? (moved.get(OFFLINE_ACCESS) ?? null) : null;
}

/** An older grant's refresh tokens without `offline_access` as that scope, with the end of the grant. Empty: it has none. */
export function awayAsScope(grant: Pick<Grant, "refreshable" | "scopes" | "absoluteUntil">): readonly GrantedScope[] {
  const { absoluteUntil } = grant;
  if (!isAwayWithout(grant)) return [];
  return [{ name: OFFLINE_ACCESS, expiresAt: absoluteUntil === NEVER ? null : absoluteUntil }];
}

/** The later of two ends. Null: it does not end by itself. */
export function later(a: Millis | null, b: Millis | null): Millis | null {
  return a === null || b === null ? null : Math.max(a, b);
}

/** The hosts of an answer, and those of scopes that were given before hosts were recorded. */
interface Hosts {
  readonly hosts: readonly string[];
  readonly earlierHosts: readonly string[];
}

/** Maximum number of hosts that one scope remembers: the latest ones. */
export const MOST_HOSTS = 100;

export function hostsAfter(
  { hosts }: Pick<ConsentedScope, "hosts">,
  { hosts: given, earlierHosts }: Hosts,
): readonly string[] {
  return [...new Set([...(hosts ?? earlierHosts), ...given])].slice(-MOST_HOSTS);
}

/** An active scope that is allowed for one host more, until then. It ends there no later than before for others. */
export function withHost(scope: ConsentedScope, host: string, end: Millis | null, given: Hosts): ConsentedScope {
  const hosts = hostsAfter(scope, given);
  const others = Object.entries(scope.hostEnds ?? {}).filter(([one]) => one !== host && hosts.includes(one));
  const shorter = end !== null && (scope.expiresAt === null || end < scope.expiresAt);
  const hostEnds = Object.fromEntries(shorter ? [...others, [host, end]] : others);
  return { ...undeclinedAt(scope, host), hosts, hostEnds };
}

/** A scope that the owner declines for these hosts. It stays active for others. */
export function declinedAt(scope: ConsentedScope, hosts: readonly string[]): ConsentedScope {
  return { ...scope, declinedHosts: hostsAfter({ hosts: scope.declinedHosts ?? [] }, { hosts, earlierHosts: [] }) };
}

/** A scope that the owner allows for this host. */
export function undeclinedAt({ declinedHosts = [], ...scope }: ConsentedScope, host: string): ConsentedScope {
  const others = declinedHosts.filter((one) => one !== host);
  return others.length === 0 ? scope : { ...scope, declinedHosts: others };
}

/**
 * An active scope with another end. Hosts keep the ends that were chosen for them, but not the host of the answer. One that is
 * not sooner than the new end counts again if the scope's end is moved later.
 */
export function movedTo(
  { hostEnds = {}, ...scope }: ConsentedScope,
  end: Millis | null,
  host?: string,
): ConsentedScope {
  const own = Object.entries(hostEnds).filter(([one]) => one !== host);
  return { ...scope, expiresAt: end, ...(own.length === 0 ? {} : { hostEnds: Object.fromEntries(own) }) };
}

/**
 * The new ends of moved scopes in a live grant, which ends no later than the host that it was made for. `host`: its host,
 * without the client's appearance, which grants don't record. Null: it had no redirect.
 */
export function endsInGrant(
  moved: readonly ConsentedScope[],
  grant: { readonly host: string | null; readonly scopes: readonly GrantedScope[] },
): ReadonlyMap<string, Millis | null> {
  const { host } = grant;
  const endFor = ({ name, expiresAt, hosts, hostEnds = {} }: ConsentedScope) => {
    if (host === null || hosts === undefined) return expiresAt;
    const own = hosts.filter((one) => isSameHost(one, host));
    if (own.some((one) => hostEnds[one] === undefined)) return expiresAt;
    const held = grant.scopes.find((scope) => scope.name === name);
    // The record no longer has the scope for this host.
    if (own.length === 0) return held === undefined ? expiresAt : sooner(expiresAt, held.expiresAt);
    return sooner(expiresAt, Math.max(held?.expiresAt ?? 0, ...own.map((one) => hostEnds[one] ?? 0)));
  };
  return new Map(moved.map((scope) => [scope.name, endFor(scope)]));
}

/** A scope without ends of single hosts: a new end holds for all. */
export function everywhere({ hostEnds: _, ...scope }: ConsentedScope): ConsentedScope {
  return scope;
}

/** An active scope that an answer to one of its hosts, or to a new one, lets last until then. It ends for no host sooner. */
export function grown(scope: ConsentedScope, end: Millis | null, given: Hosts): ConsentedScope {
  const [host = null] = given.hosts;
  const longer = { ...scope, expiresAt: later(scope.expiresAt, end), hosts: hostsAfter(scope, given) };
  if (host === null) return longer;
  const [here] = scopesAt([scope], { host, earlierHosts: given.earlierHosts, ceiling: null });
  return withHost(longer, host, here === undefined ? end : later(here.expiresAt, end), { ...given, hosts: [] });
}
