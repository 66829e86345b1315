/** The apps that a person allowed something: what each may do and until when, and what it did with it. */

import { ceilingOrNone, sooner, underCeiling } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Grant, GrantedScope, Millis, Scope } from "../../oauth/model.ts";
import { isOffered } from "../../oauth/scope.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import { durationsFor } from "../authorization/consent-answer.ts";
import { againByRules, consentUnder, latestOf, refusedScopes } from "../consent-after-decision.ts";
import type { Person } from "../person.ts";
import type { ConsentDuration, ConsentWithGrants, ScopeUse } from "../storage.ts";
import type { AppsContext } from "./context.ts";
import { longestLifetime, lostTokensUntil, outstanding } from "./remaining-token-lifetime.ts";

/** An app has had the time to use what it may. */
const SETTLED: Millis = 7 * 86_400_000;

/** Number of entries of the history in which a recent removal is looked for. */
const ENTRIES_READ = 100;

/** Greatest number of clients that the page shows below one app. */
const MOST_THROUGH = 10;

export interface AllowedScope {
  readonly name: string;
  /** Undefined: the operator has removed it. */
  readonly scope: Scope | undefined;
  /** True: the operator has removed it, or taken it from the app. No new token of the app has it. */
  readonly gone: boolean;
  /** Null: until revoked. */
  readonly expiresAt: Millis | null;
  /** True: only tokens that the app holds have it, for example for this once. The owner can't change its end. */
  readonly endStays: boolean;
  /** When the app last got access for it; null: never; undefined: not known. */
  readonly usedAt: Millis | null | undefined;
}

/** `hosts`: declined for these alone. Empty: for the app. */
export interface DeclinedScope extends Pick<AllowedScope, "name" | "scope"> {
  readonly hosts: readonly string[];
}

export interface AllowedApp {
  /** As the operator's ceiling leaves it. */
  readonly consent: Consent;
  /** Undefined: the operator has removed it. */
  readonly client: Client | undefined;
  readonly scopes: readonly AllowedScope[];
  readonly lastUsedAt: Millis | null;
  /** The network of the app's last token request. Null: unknown. */
  readonly usedFrom: string | null;
  /** True: an API asked about a token after that request. */
  readonly usedSince: boolean;
  /** Clients that act through the app, the latest first (RFC 8693). */
  readonly through: readonly Delegation[];
  /** Some of what it may do it has never used, and it has had the time to. */
  readonly idleScopes: boolean;
  /** The end of the last that it may do; null: until revoked. */
  readonly expiresAt: Millis | null;
  /** Durations that the owner can choose. None: nothing was allowed for longer than once. */
  readonly durations: readonly ConsentDuration[];
  /** The scopes that the owner declined. The app gets them only if it asks again on a page. */
  readonly declined: readonly DeclinedScope[];
  /** When a grant of it ended because a spent token or code came back; null: none did. */
  readonly theftAt: Millis | null;
  /** When the last token ends that it would hold if it were revoked now; undefined: it holds none. */
  readonly heldUntil: Millis | undefined;
  /** When the last token ends that outlives `expiresAt`, because the end was later when the app got it. Undefined: none does. */
  readonly openUntil: Millis | undefined;
  /** When the last token ends that has a scope that the owner removed since. Undefined: none has. */
  readonly removedUntil: Millis | undefined;
}

export async function allowedApps(
  { partition, personId }: Person,
  context: AppsContext,
): Promise<readonly AllowedApp[]> {
  const { storage } = context;
  const key = { partition, ownerId: personId };
  const now = context.now();
  const [consents, uses, delegations, held] = await Promise.all([
    storage.consents.list({ ...key, now }),
    storage.scopeUses.list(key),
    storage.delegations.list(key),
    outstanding(key, now, "ended", context),
  ]);
  const acting = delegations.filter(({ stopped }) => !stopped);
  const throughOf = Map.groupBy(acting, ({ clientId }) => clientId);
  const usesOf = Map.groupBy(uses, ({ clientId }) => clientId);
  const all = await Promise.all(
    consents.map(async (stored) => {
      const { clientId } = stored.consent;
      const app = await appOf(stored, usesOf.get(clientId) ?? [], context);
      const through = (throughOf.get(clientId) ?? []).slice(0, MOST_THROUGH);
      return {
        ...app,
        through,
        heldUntil: held.get(clientId),
        openUntil: await openUntil({ ...app.consent, expiresAt: app.expiresAt }, context),
      };
    }),
  );
  // The database knows nothing of the ceiling, nor which scopes a record has only of grants that have ended.
  const present = all.filter(({ scopes }) => scopes.length > 0);
  const removed = await removedScopesUntil(present, context);
  return present.map((app) => ({ ...app, removedUntil: removed.get(app.consent.clientId) }));
}

/** An app that gets nothing more, with a token that still works. */
export interface EndedApp {
  readonly consent: Consent;
  /** Undefined: the operator has removed it. */
  readonly client: Client | undefined;
  /** When its last token ends, at the latest. */
  readonly heldUntil: Millis;
}

/** The apps of a person. `allowed`: those that still get access, as `allowedApps` gives them. */
export function endedApps(
  { partition, personId: ownerId }: Person,
  allowed: readonly AllowedApp[],
  context: AppsContext,
): Promise<readonly EndedApp[]> {
  const ids = new Set(allowed.map(({ consent }) => consent.clientId));
  return endedAppsOf({ partition, ownerId }, { ids }, context);
}

/** The apps that still get access: their ids, or a test that needs their consent. */
interface StillAllowed {
  readonly ids?: ReadonlySet<string>;
  isAllowed?(consent: Consent, client: Client | undefined): Promise<boolean>;
}

export async function endedAppsOf(
  { partition, ownerId }: Pick<Consent, "partition" | "ownerId">,
  { ids = new Set(), isAllowed = async () => false }: StillAllowed,
  context: AppsContext,
): Promise<readonly EndedApp[]> {
  const now = context.now();
  const held = await outstanding({ partition, ownerId }, now, "ended", context);
  const ended = [...held].filter(([clientId]) => !ids.has(clientId));
  const all = await Promise.all(
    ended.map(async ([clientId, until]) => {
      const consent = await context.storage.consents.find({ partition, ownerId, clientId });
      const client = await context.oauth.catalog.client(clientId);
      if (consent === undefined || (await isAllowed(consent, client))) return [];
      const isPast = consent.expiresAt !== null && consent.expiresAt <= now;
      // The server makes no token that outlives the end at that time.
      const heldUntil = consent.status === "active" && isPast ? await openUntil(consent, context) : until;
      if (heldUntil === undefined) return [];
      return [{ consent, client, heldUntil }];
    }),
  );
  return all.flat().sort((one, other) => other.heldUntil - one.heldUntil);
}

async function appOf(
  stored: ConsentWithGrants,
  uses: readonly ScopeUse[],
  context: AppsContext,
): Promise<Omit<AllowedApp, "heldUntil" | "openUntil" | "removedUntil" | "through">> {
  const { catalog, policy } = context.oauth;
  const now = context.now();
  const client = await catalog.client(stored.consent.clientId);
  const ceiling = ceilingOrNone(client, policy);
  const consent = consentUnder(stored.consent, ceiling);
  const grants = stored.grants.map((grant) => underCeiling(grant, ceiling));
  const known = await catalog.scopes();
  const live = grants.filter(({ status, absoluteUntil }) => status === "active" && absoluteUntil > now);
  const again = againByRules(consent).map((name) => ({ name, expiresAt: consent.expiresAt }));
  const held = live.flatMap(scopesOfGrant);
  const ends = presentEnds([...again, ...held, ...consent.scopes], now);
  const lastUsed = newest(grants);
  const thefts = grants.filter(({ status }) => status === "theft" || status === "replayed");
  const usedAt = usesByScope([...ends.keys()], live, uses);
  const settled = consent.createdAt < now - SETTLED;
  const rules = new Set(again.map(({ name }) => name));
  const isChangeable = ({ name, expiresAt }: GrantedScope) =>
    !rules.has(name) && (expiresAt === null || expiresAt > now);
  const changeable = new Set(consent.scopes.filter(isChangeable).map(({ name }) => name));
  return {
    consent,
    client,
    scopes: [...ends].map(([name, expiresAt]) => {
      const gone = client !== undefined && !isOffered(name, client, known);
      const endStays = !changeable.has(name);
      return {
        name,
        scope: known.get(name),
        gone,
        endStays,
        expiresAt,
        usedAt: settled ? usedAt?.get(name) : undefined,
      };
    }),
    lastUsedAt: consent.lastUsedAt,
    usedFrom: lastUsed?.usedFrom ?? null,
    usedSince: (consent.lastUsedAt ?? 0) > (lastUsed?.lastUsedAt ?? 0),
    idleScopes: settled && usedAt !== undefined && [...usedAt.values()].includes(null),
    expiresAt: lastEnd(ends, now),
    // Neither what was allowed only once nor what the operator's policy gives has an end that could be changed.
    durations:
      client !== undefined && changeable.size > 0 ? durationsFor(client, context).filter((one) => one !== "once") : [],
    declined: declinedScopes(stored.consent, ceiling, now).map((one) => ({ ...one, scope: known.get(one.name) })),
    theftAt: latest(thefts.map(({ endedAt }) => endedAt)),
  };
}

/**
 * As `AllowedApp.removedUntil`, by the app's id. The history tells what was removed and when, on "Your apps" or by an answer on
 * a page.
 */
async function removedScopesUntil(
  apps: readonly Pick<AllowedApp, "consent" | "scopes">[],
  context: AppsContext,
): Promise<ReadonlyMap<string, Millis>> {
  const now = context.now();
  const since = now - (await longestLifetime(now, context.oauth));
  const recent = apps.filter(({ consent: { updatedAt } }) => updatedAt > since);
  const [first] = recent;
  if (first === undefined) return new Map();
  const { partition, ownerId } = first.consent;
  const entries = await context.storage.history.list({ partition, ownerId, before: null, limit: ENTRIES_READ });
  const until = new Map<string, Millis>();
  for (const { consent, scopes } of recent) {
    const present = new Set(scopes.map(({ name }) => name));
    const removal = entries.find(
      ({ clientId, kind, at, record: { removed } }) =>
        clientId === consent.clientId &&
        (kind === "allowed" || kind === "narrowed" || kind === "revoked") &&
        at > since &&
        removed.some((name) => !present.has(name)),
    );
    if (removal === undefined) continue;
    const change = removal.kind === "revoked" ? "ended" : "narrowed";
    const end = (await outstanding({ partition, ownerId }, removal.at, change, context)).get(consent.clientId);
    if (end !== undefined) until.set(consent.clientId, end);
  }
  return until;
}

/** As `AllowedApp.openUntil`. A restore forgets a later end that the owner chose after the backup. */
async function openUntil(consent: Consent, context: AppsContext): Promise<Millis | undefined> {
  const { expiresAt } = consent;
  if (expiresAt === null) return undefined;
  const [known = 0, lost = 0] = await Promise.all([knownOpenUntil(consent, context), lostTokensUntil(context)]);
  const until = Math.max(known, lost);
  return until > expiresAt ? until : undefined;
}

/** Only a decision after the first can make an end sooner. */
async function knownOpenUntil(
  { partition, ownerId, clientId, createdAt, updatedAt, expiresAt }: Consent,
  context: AppsContext,
): Promise<Millis | undefined> {
  if (expiresAt === null || updatedAt <= createdAt) return undefined;
  if (expiresAt >= updatedAt + (await longestLifetime(updatedAt, context.oauth))) return undefined;
  return (await outstanding({ partition, ownerId }, updatedAt, "narrowed", context)).get(clientId);
}

/** Also the scopes that other hosts of the app have. */
function declinedScopes(
  consent: Consent,
  ceiling: Millis | null,
  now: Millis,
): readonly Pick<DeclinedScope, "name" | "hosts">[] {
  const ofApp = refusedScopes(consent, { ceiling }, now).declined.map((name) => ({ name, hosts: [] }));
  const present = consentUnder(consent, ceiling).scopes.filter(
    ({ expiresAt }) => expiresAt === null || expiresAt > now,
  );
  const ofHosts = present.map(({ name, declinedHosts = [] }) => ({ name, hosts: declinedHosts }));
  return [...ofApp, ...ofHosts.filter(({ hosts }) => hosts.length > 0)];
}

/**
 * The end of the last scope that has not ended. Null: until revoked. Now: there is none. The record of a consent can have a later
 * end, of a grant for this once that has ended.
 */
export function lastEnd(ends: ReadonlyMap<string, Millis | null>, now: Millis): Millis | null {
  const last = latestOf([...ends.values()]);
  return last === undefined ? now : last;
}

/** The scopes of a grant with their ends. A grant without refresh tokens ends with its token, which can be before the time that its answer allowed. */
export function scopesOfGrant({ scopes, refreshable, generation, absoluteUntil }: Grant): readonly GrantedScope[] {
  if (refreshable || generation === 0) return scopes;
  return scopes.map(({ name, expiresAt }) => ({ name, expiresAt: sooner(expiresAt, absoluteUntil) }));
}

function endsOf(scopes: readonly GrantedScope[]): readonly (Millis | null)[] {
  return scopes.map(({ expiresAt }) => expiresAt);
}

/** The latest end of each scope that has not ended, by its name. The record of a consent keeps scopes that have ended. */
export function presentEnds(scopes: readonly GrantedScope[], now: Millis): ReadonlyMap<string, Millis | null> {
  const present = scopes.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const byName = Map.groupBy(present, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, latestOf(endsOf(all)) ?? null]));
}

/** Undefined: nothing is known of what the app uses. The first token holds everything whatever the app wants, so only refreshes tell. */
function usesByScope(
  scopes: readonly string[],
  live: readonly Grant[],
  uses: readonly ScopeUse[],
): ReadonlyMap<string, Millis | null> | undefined {
  if (uses.length === 0 && live.every(({ wholeUsedAt }) => wholeUsedAt === null)) return undefined;
  const own = new Map(uses.map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
  return new Map(
    scopes.map((name) => {
      const whole = live.filter((grant) => grant.scopes.some((scope) => scope.name === name));
      return [name, latest([own.get(name) ?? null, ...whole.map(({ wholeUsedAt }) => wholeUsedAt)])];
    }),
  );
}

function newest(grants: readonly Grant[]): Grant | undefined {
  return grants.toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0))[0];
}

function latest(times: readonly (Millis | null)[]): Millis | null {
  return Math.max(0, ...times.map((at) => at ?? 0)) || null;
}
