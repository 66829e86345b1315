/** The apps that can act for an owner who is away: what each may do and until when, and which APIs it used. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Millis, Resource, Scope } from "../../oauth/model.ts";
import { isOffered } from "../../oauth/scope.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import { againByRules, consentUnder, isPaused } from "../consent-after-decision.ts";
import type { ApiUse, ConsentWithHeld } from "../storage.ts";
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
  /** The APIs that it used, the latest first. */
  readonly uses: readonly { readonly api: Resource; readonly lastUsedAt: Millis }[];
  /** Clients that act through the app, the latest first (RFC 8693). */
  readonly through: readonly Delegation[];
  /** When the last token ends that the app holds, should it be paused now. Undefined: it holds none. */
  readonly heldUntil: Millis | undefined;
}

/** The one used last comes first. */
export async function agentsOf(
  owner: { readonly partition: number; readonly ownerId: string },
  context: AppsContext,
): Promise<readonly Agent[]> {
  const { storage, oauth } = context;
  const now = context.now();
  const [consents, uses, delegations, held, known, apis] = await Promise.all([
    storage.consents.listHeld({ ...owner, now }),
    storage.apiUses.list(owner),
    storage.delegations.list(owner),
    outstanding(owner, now, "ended", context),
    oauth.catalog.scopes(),
    oauth.catalog.resources(),
  ]);
  const actors = new Set(delegations.map(({ actorId }) => actorId));
  const all = await Promise.all(
    consents.map(async (stored) => {
      const { clientId } = stored.consent;
      const client = await oauth.catalog.client(clientId);
      const ceiling = client === undefined ? null : ceilingOf(client, oauth.policy);
      const consent = consentUnder(stored.consent, ceiling);
      const isOver = consent.expiresAt !== null && consent.expiresAt <= now;
      if (!isAgent(stored, client, actors) || (isOver && !isPaused(consent))) return [];
      const present = consent.scopes.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
      const byRules = againByRules(consent).map((name) => [name, consent.expiresAt] as const);
      const ends = new Map([...present.map(({ name, expiresAt }) => [name, expiresAt] as const), ...byRules]);
      const agent: Agent = {
        ...{ consent, client, heldUntil: held.get(clientId) },
        scopes: [...ends].map(([name, expiresAt]) => ({
          ...{ name, scope: known.get(name), expiresAt },
          gone: client !== undefined && !isOffered(name, client, known),
        })),
        uses: usesOf(stored, uses, apis),
        through: delegations.filter((one) => one.clientId === clientId).slice(0, MOST_SHOWN),
      };
      return [agent];
    }),
  );
  const at = ({ consent }: Agent) => consent.lastUsedAt ?? consent.createdAt;
  return all.flat().sort((one, other) => at(other) - at(one));
}

/**
 * True: the app can get access while the owner is away, also by the operator's rules, got some through another app, or nobody
 * here registered it. A paused app is always one, so that it can go on: its pause outlasts the consent.
 */
function isAgent({ consent, held }: ConsentWithHeld, client: Client | undefined, actors: ReadonlySet<string>): boolean {
  if (isPaused(consent) || held.some(({ refreshable }) => refreshable) || actors.has(consent.clientId)) return true;
  return againByRules(consent).length > 0 || client?.document !== undefined || client?.registered !== undefined;
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
