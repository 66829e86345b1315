/** The apps that can act for an owner who is away: what each may do and until when, and which APIs it used. */

import { ceilingOrNone, sooner, underCeiling } from "../../oauth/consent-reach.ts";
import type { Client, Consent, GrantedScope, Millis, Resource, Scope } from "../../oauth/model.ts";
import { OFFLINE_ACCESS } from "../../oauth/openid/scopes.ts";
import { isOffered } from "../../oauth/scope.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import { latestEnds } from "../companies/rule-change.ts";
import type { CompanyKey } from "../company-storage.ts";
import { againByRules, consentUnder, isAhead, isPaused, latestOf } from "../consent-after-decision.ts";
import type { Person } from "../person.ts";
import type { ApiUse, ConsentWithHeld } from "../storage.ts";
import { type EndedApp, endedAppsOf, lastEnd, presentEnds, scopesOfGrant } from "./allowed-apps.ts";
import type { AppsContext } from "./context.ts";
import { outstanding } from "./remaining-token-lifetime.ts";

/** Greatest number of APIs, and of clients that act through the app, that the page shows below one app. */
const MOST_SHOWN = 10;

export interface Agent {
  /** As the operator's ceiling leaves it. Its `expiresAt` is the end of the last that the app may do. */
  readonly consent: Consent;
  /** Undefined: the operator has removed it. */
  readonly client: Client | undefined;
  /** `scope`: undefined if the operator has removed it. `expiresAt` null: until revoked. */
  readonly scopes: readonly {
    readonly name: string;
    readonly scope: Scope | undefined;
    /** True: the operator has removed it, or taken it from the app. No new token of the app has it. */
    readonly gone: boolean;
    readonly expiresAt: Millis | null;
  }[];
  /** Until when it can get access while the owner is away. Null: until revoked. Undefined: it can't. */
  readonly awayUntil: Millis | null | undefined;
  /** The APIs that it used, the latest first. */
  readonly uses: readonly { readonly api: Resource; readonly lastUsedAt: Millis }[];
  /** Clients that act through the app, the latest first (RFC 8693). */
  readonly through: readonly Delegation[];
  /** When the last token ends that the app holds, should it be paused now. Undefined: it holds none. */
  readonly heldUntil: Millis | undefined;
  /** True: no grant has anything now, but the company still allows it. */
  readonly stands: boolean;
}

/** What the living grants of a client have, each scope with its latest end. */
type LivingScopes = (clientId: string, ceiling: Millis | null) => Promise<readonly GrantedScope[]>;

/**
 * The one used last comes first. `livingOf`: an agent has what this says. Absent: what the consent allows, whether or not a
 * grant has it.
 */
async function agentsOf(
  owner: { readonly partition: number; readonly ownerId: string },
  context: AppsContext,
  livingOf?: LivingScopes,
): Promise<readonly Agent[]> {
  const { storage, oauth } = context;
  const now = context.now();
  const [consents, uses, recorded, held, known, apis] = await Promise.all([
    storage.consents.listHeld({ ...owner, now }),
    storage.apiUses.list(owner),
    storage.delegations.list(owner),
    outstanding(owner, now, "ended", context),
    oauth.catalog.scopes(),
    oauth.catalog.resources(),
  ]);
  const delegations = recorded.filter(({ stopped }) => !stopped);
  const actors = new Set(delegations.map(({ actorId }) => actorId));
  const all = await Promise.all(
    consents.map(async (stored) => {
      const { clientId } = stored.consent;
      const client = await oauth.catalog.client(clientId);
      const ceiling = ceilingOrNone(client, oauth.policy);
      const allowed = consentUnder(stored.consent, ceiling);
      const consent = livingOf === undefined ? allowed : livingPart(allowed, await livingOf(clientId, ceiling), now);
      const isOver = consent.expiresAt !== null && consent.expiresAt <= now;
      const awayUntil = awayEnd({ ...stored, consent }, actors, now);
      if (!isAgent(consent, client, awayUntil) || (isOver && !isPaused(consent))) return [];
      const agent: Agent = {
        ...{ consent, client, awayUntil, heldUntil: held.get(clientId) },
        stands: isOver && allowed.scopes.some(({ expiresAt }) => expiresAt === null || expiresAt > now),
        scopes: scopesOf(presentEnds([...byRules(consent), ...consent.scopes], now), client, known),
        uses: usesOf(stored, uses, apis),
        through: delegations.filter((one) => one.clientId === clientId).slice(0, MOST_SHOWN),
      };
      return [agent];
    }),
  );
  const at = ({ consent }: Agent) => consent.lastUsedAt ?? consent.createdAt;
  return all.flat().sort((one, other) => at(other) - at(one));
}

/** The same for a person, with what only single grants have, for example for this once. */
export async function agentsOfPerson(
  { partition, personId: ownerId }: Pick<Person, "partition" | "personId">,
  context: AppsContext,
): Promise<readonly Agent[]> {
  const now = context.now();
  const [agents, listed, known] = await Promise.all([
    agentsOf({ partition, ownerId }, context),
    context.storage.consents.list({ partition, ownerId, now }),
    context.oauth.catalog.scopes(),
  ]);
  const grantsOf = new Map(listed.map(({ consent, grants }) => [consent.clientId, grants]));
  const all = agents.map((agent) => {
    const { consent, client } = agent;
    const ceiling = ceilingOrNone(client, context.oauth.policy);
    const held = (grantsOf.get(consent.clientId) ?? [])
      .map((grant) => underCeiling(grant, ceiling))
      .filter(({ status, absoluteUntil }) => status === "active" && absoluteUntil > now)
      .flatMap(scopesOfGrant);
    const ends = presentEnds([...byRules(consent), ...held, ...consent.scopes], now);
    const expiresAt = lastEnd(ends, now);
    return { ...agent, consent: { ...consent, expiresAt }, scopes: scopesOf(ends, client, known) };
  });
  return all.filter(({ consent, scopes }) => scopes.length > 0 || isPaused(consent));
}

/**
 * The apps that can act for a company. Each has what its members' grants have: the company's consent can allow more and
 * last longer, for members who have not connected the app.
 */
export function agentsOfCompany(key: CompanyKey, context: AppsContext): Promise<readonly Agent[]> {
  const { partition, companyId } = key;
  const now = context.now();
  return agentsOf({ partition, ownerId: companyId }, context, async (clientId, ceiling) =>
    latestEnds(await context.storage.companyApps.liveAccess({ ...key, clientId, ceiling, now })),
  );
}

/** Apps with a token of a company that still works, and no living grant. */
export interface HeldApps {
  /** They get nothing more. */
  readonly ended: readonly EndedApp[];
  /** The company's consent holds, so whoever may connect one of these can do so without a new decision of the admins. */
  readonly unused: readonly EndedApp[];
}

export async function heldAppsOfCompany(key: CompanyKey, context: AppsContext): Promise<HeldApps> {
  const { partition, companyId: ownerId } = key;
  const now = context.now();
  const limitOf = (client: Client | undefined) => ceilingOrNone(client, context.oauth.policy);
  // The others are listed as agents, or can act only while somebody is there.
  const isAllowed = async (stored: Consent, client: Client | undefined) => {
    const ceiling = limitOf(client);
    const consent = consentUnder(stored, ceiling);
    if (consent.status !== "active") return false;
    if (isPaused(consent)) return true;
    if (isAhead(consent.expiresAt, now) && againByRules(consent).length > 0) return true;
    const living = await context.storage.companyApps.liveAccess({ ...key, clientId: consent.clientId, ceiling, now });
    return living.length > 0;
  };
  const held = await endedAppsOf({ partition, ownerId }, { isAllowed }, context);
  const isUnused = ({ consent, client }: EndedApp) =>
    consent.status === "active" &&
    client?.status === "active" &&
    isAhead(consentUnder(consent, limitOf(client)).expiresAt, now);
  return { ended: held.filter((app) => !isUnused(app)), unused: held.filter(isUnused) };
}

/** The part of a consent that living grants have. It is over if there is none, and the app gets nothing by the operator's rules. */
function livingPart(consent: Consent, living: readonly GrantedScope[], now: Millis): Consent {
  const last = latestOf(living.map(({ expiresAt }) => expiresAt));
  const expiresAt = againByRules(consent).length > 0 ? consent.expiresAt : last === undefined ? now : last;
  const recorded = new Map(consent.scopes.map((scope) => [scope.name, scope]));
  const scopes = living.map((one) => ({ grantedAt: consent.createdAt, ...recorded.get(one.name), ...one }));
  return { ...consent, scopes, expiresAt };
}

/** The scopes that the app gets again by the operator's rules. */
function byRules(consent: Consent): readonly GrantedScope[] {
  return againByRules(consent).map((name) => ({ name, expiresAt: consent.expiresAt }));
}

function scopesOf(
  ends: ReadonlyMap<string, Millis | null>,
  client: Client | undefined,
  known: ReadonlyMap<string, Scope>,
): Agent["scopes"] {
  return [...ends].map(([name, expiresAt]) => ({
    ...{ name, scope: known.get(name), expiresAt },
    gone: client !== undefined && !isOffered(name, client, known),
  }));
}

/** As `Agent.awayUntil`: by refresh tokens, by the operator's rules, or through another app. */
function awayEnd(
  { consent, held }: ConsentWithHeld,
  actors: ReadonlySet<string>,
  now: Millis,
): Millis | null | undefined {
  const always =
    held.some(({ refreshableAlways }) => refreshableAlways) ||
    actors.has(consent.clientId) ||
    againByRules(consent).length > 0;
  const offline = consent.scopes.find(({ name }) => name === OFFLINE_ACCESS);
  const byScope = offline !== undefined && held.some(({ refreshableByScope }) => refreshableByScope);
  const ends = [
    ...(always ? [consent.expiresAt] : []),
    ...(byScope ? [sooner(consent.expiresAt, offline.expiresAt)] : []),
  ].filter((end) => end === null || end > now);
  return latestOf(ends);
}

/**
 * True: the app can get access while the owner is away, or nobody here registered it. A paused app is always one, so that it
 * can go on: its pause outlasts the consent.
 */
function isAgent(consent: Consent, client: Client | undefined, awayUntil: Agent["awayUntil"]): boolean {
  if (isPaused(consent) || awayUntil !== undefined) return true;
  return client?.document !== undefined || client?.registered !== undefined;
}

/** A grant for one API tells when it was used itself. Uses of other grants, and questions of APIs, are recorded apart. */
function usesOf(
  { consent: { clientId, createdAt }, held }: ConsentWithHeld,
  recorded: readonly ApiUse[],
  apis: ReadonlyMap<string, Resource>,
): Agent["uses"] {
  const last = new Map<string, Millis>();
  const note = (api: string | null, at: Millis | null) => {
    if (api !== null && at !== null && at >= createdAt) last.set(api, Math.max(at, last.get(api) ?? 0));
  };
  for (const { api, lastUsedAt } of held) note(api, lastUsedAt);
  for (const use of recorded) if (use.clientId === clientId) note(use.api, use.lastUsedAt);
  return [...last]
    .flatMap(([identifier, lastUsedAt]) => {
      const api = apis.get(identifier);
      return api === undefined ? [] : [{ api, lastUsedAt }];
    })
    .sort((one, other) => other.lastUsedAt - one.lastUsedAt)
    .slice(0, MOST_SHOWN);
}
