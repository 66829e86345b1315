/** Verbs of the consent record: approve, read, narrow, pause, revoke. */

import { cappedEnd, hostsBefore, isSameHost, type Reach } from "../../oauth/consent-reach.ts";
import { type Consent, type GrantedScope, type Millis, NEVER } from "../../oauth/model.ts";
import type { InSession, PauseOutcome, Pausing } from "../../owners/change-conditions.ts";
import {
  againByRules,
  approve as approved,
  consentUnder,
  type Decision,
  decidedScopes,
  isPaused,
  type LiveGrant,
  latestOf,
  moveEnd,
  narrow as narrowed,
  unexpired,
} from "../../owners/consent-after-decision.ts";
import type {
  Approve,
  ConsentKey,
  ConsentWithGrants,
  EndCause,
  HistoryEntry,
  LastIssue,
  NarrowConsentOutcome,
  RevokeConsentOutcome,
} from "../../owners/storage.ts";
import { query, sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { mayStill } from "../factors/lock-person-row.ts";
import { forgetDelegations } from "../grants/delegations.ts";
import { endGrants, endingOf } from "../grants/end-in-batches.ts";
import {
  forgetScopeUses,
  keepUses,
  lastAlarmUse,
  lastUseOf,
  listedGrantColumns,
  listedGrantOf,
  usedConsentColumns,
  usedConsentColumnsAnywhere,
  usedConsentOf,
} from "../grants/uses.ts";
import { partitionOf } from "../partition.ts";
import {
  ALARM_KEPT,
  consentColumns,
  consentOf,
  isActive,
  json,
  text,
  textOrNull,
  whole,
  wholeOrNull,
} from "../row-conversion.ts";
import {
  changeGrants,
  goOn,
  liveGrants,
  lostAway,
  oneConsent,
  presentAccess,
  stop,
  takenAway,
} from "./grants-of-consent.ts";
import { note } from "./history.ts";

export const lockedConsent = sql`SELECT ${consentColumns} FROM consents WHERE ${oneConsent} ${words.forUpdate}`;

/** Returns where a consent holds, for an answer that goes to these hosts. */
export function givenFor({ host, earlierHosts }: Reach): Pick<Decision, "hosts" | "earlierHosts"> {
  return { hosts: host === null ? [] : [host], earlierHosts };
}

/**
 * An answer for a company only adds to the company's consent, also an admin's. Only grants of the person who answers lose
 * something by it. People's answers for themselves stay as they are.
 */
export function sparing<D extends Decision & Pick<Approve, "remembered">>(decision: D, personId: string): D {
  if (decision.grant.ownerId === personId) return decision;
  const { declined, durations = {}, remembered = { declined, ends: {} } } = decision;
  const own = Object.keys(durations);
  return { ...decision, declined: [], own: { newEnds: own, moved: own, ...remembered } };
}

/** The consent record of an owner and a client, locked. Undefined: there is none. */
export async function lockConsent(tx: Tx, { partition, ownerId, clientId }: ConsentKey): Promise<Consent | undefined> {
  const row = await tx.one(lockedConsent, { partition, ownerId, clientId });
  return row && consentOf(row);
}

/**
 * Writes the consent record of an answer on a page, and its changes in older grants. `before`: the record as
 * `lockConsent` gave it in this transaction. `own`: the id of the grant that follows; null: there is none yet. `seen`:
 * the grants as `activeGrants` gave them in this transaction. They are locked only if the answer changes some of them.
 * Returns the record.
 */
export async function recordApproval(
  tx: Tx,
  before: Consent | undefined,
  decision: Decision,
  own: string | null,
  seen?: readonly LiveGrant[],
): Promise<Consent> {
  const { grant, now } = decision;
  const { partition, ownerId, clientId } = grant;
  const after = (live: readonly LiveGrant[]) =>
    approved(
      before,
      decision,
      live.filter(({ grantId }) => grantId !== own),
    );
  const same = seen !== undefined && after(seen).changes.length === 0;
  // A ceiling can be raised, and then grants that are over by it hold again. A rule changes these, too.
  const isRule = decision.endsAt !== undefined;
  const live = same ? seen : await liveGrants(tx, grant, isRule ? null : grant.ceiling, now);
  const { consent, changes } = after(live);
  const decided = decidedScopes(before, decision);
  writeConsent(tx, consent);
  await changeGrants(tx, grant, changes, now);
  const { shown, texts, grantedBy: by, via, declined, hosts, earlierHosts } = decision;
  // Grants alone have a scope that was for once and still runs.
  const running = live.flatMap(({ scopes }) => scopes).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  // A member or admin of a company who answers a page decides for themselves.
  const isMembers = decision.own !== undefined;
  const lost = declined.filter((name) => !decided.elsewhere.has(name));
  const removed = isMembers ? takenAway(live, changes, decided.scopes, now) : lost;
  const held = [...(before?.scopes ?? []), ...running, ...lostAway(live, changes)];
  const stood = unexpired(before, grant, now);
  const newHosts = hosts.filter((host) => {
    const known = hostsBefore(stood, { host, earlierHosts, ceiling: grant.ceiling });
    return known !== undefined && !known.some((one) => isSameHost(one, host));
  });
  // What the owner allowed before, but not for this host. An admin's rule sets one end for all hosts.
  const isEarlier = !isRule && stood.some(({ name }) => decided.elsewhere.has(name));
  const earlier = isEarlier ? stood.map(({ name }) => name) : [];
  const earlierUntil = endOf(consent, earlier);
  await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "allowed" },
    ...(own === null ? {} : { entryId: own }),
    record: {
      clientName: shown.clientName,
      by,
      via,
      scopes: decided.scopes,
      removed: removed.filter((name) => held.some((scope) => scope.name === name)),
      expiresAt:
        isMembers || isRule ? (latestOf(decided.scopes.map((scope) => scope.expiresAt)) ?? null) : consent.expiresAt,
      ...(isMembers ? { personId: by } : {}),
      ...(hosts.length === 0 ? {} : { hosts }),
      ...(newHosts.length === 0 ? {} : { newHosts }),
      ...(earlierUntil === undefined ? {} : { earlierUntil }),
      ...(decision.forSelected === undefined ? {} : { forSelected: true as const }),
      ...(decided.lasting ? {} : { once: true }),
      ...(texts === undefined ? {} : { shown: { locale: shown.locale, texts } }),
    },
  });
  return consent;
}

/** The latest end of these scopes of a record. Undefined: there are none. */
function endOf({ scopes }: Consent, names: readonly string[]): Millis | null | undefined {
  return latestOf(scopes.filter(({ name }) => names.includes(name)).map(({ expiresAt }) => expiresAt));
}

export function writeConsent(tx: Tx, consent: Consent): void {
  tx.later(
    sql`INSERT INTO consents (${consentColumns})
      VALUES (:partition, :ownerId, :clientId, :status, :grantedBy, :via, :scopes, :createdAt, :updatedAt, :expiresAt, :lastUsedAt,
        :lastUsedAddress, :uses, :revokedAt, :revokedBy, :shown, :removed, :declined, :chosenAt, :pausedAt)
      ON CONFLICT (partition, owner_id, client_id) DO UPDATE SET status = excluded.status, granted_by = excluded.granted_by, via = excluded.via,
        scopes = excluded.scopes, created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
        last_used_at = excluded.last_used_at, last_used_address = excluded.last_used_address, uses = excluded.uses,
        revoked_at = excluded.revoked_at, revoked_by = excluded.revoked_by, shown = excluded.shown, removed = excluded.removed, declined = excluded.declined,
        chosen_at = excluded.chosen_at, paused_at = excluded.paused_at`,
    {
      ...consent,
      scopes: JSON.stringify(consent.scopes),
      shown: JSON.stringify(consent.shown),
      removed: JSON.stringify(consent.removed),
      declined: JSON.stringify(consent.declined),
    },
  );
}

/** The consent record with any status. */
export const findConsent = query<ConsentKey, Consent | undefined>({
  sql: sql`SELECT ${consentColumns} FROM consents WHERE ${oneConsent}`,
  bind: ({ partition, ownerId, clientId }) => ({ partition, ownerId, clientId }),
  outcome: ([row]) => (row === undefined ? undefined : consentOf(row)),
});

/** The grant of the consent `c` that ended last with an alarm. */
const newestAlarm = sql`SELECT a.grant_id FROM grants a
  WHERE a.partition = :partition AND a.owner_id = :ownerId AND a.client_id = c.client_id AND a.status IN ('theft', 'replayed')
    AND a.ended_at > :alarmsSince ORDER BY a.ended_at DESC LIMIT 1`;

/** The active consents, the latest decision first. Each has its live grants and the newest alarm of the last 30 days. */
export const listConsents = query<
  { readonly partition: number; readonly ownerId: string; readonly now: Millis },
  readonly ConsentWithGrants[]
>({
  sql: sql`SELECT ${usedConsentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :ownerId AND status = 'active' AND (expires_at IS NULL OR expires_at > :now)
    ORDER BY updated_at DESC, client_id`,
  also: sql`SELECT ${listedGrantColumns} FROM grants
    WHERE partition = :partition AND owner_id = :ownerId AND ${isActive} AND idle_until > :now AND absolute_until > :now
    UNION ALL SELECT ${listedGrantColumns} FROM grants
      WHERE partition = :partition AND grant_id IN (SELECT (${newestAlarm}) FROM consents c
        WHERE c.partition = :partition AND c.owner_id = :ownerId AND c.status = 'active')
    ORDER BY created_at, grant_id`,
  bind: ({ partition, ownerId, now }) => ({ partition, ownerId, now, alarmsSince: now - ALARM_KEPT }),
  outcome: (consents, _, grants) => {
    const byClient = Map.groupBy(grants.map(listedGrantOf), (grant) => grant.clientId);
    return consents.map(usedConsentOf).map((consent) => ({ consent, grants: byClient.get(consent.clientId) ?? [] }));
  },
});

/** Number of ended grants of one client that `lastIssues` reads one by one. */
const ISSUES_READ = 100;

/**
 * The end of the newest grant of the client `c` that is not read, or the beginning of the time that is asked about.
 */
const endOfOthers = sql`COALESCE((SELECT e.ended_at FROM grants e
  WHERE e.partition = :partition AND e.owner_id = :ownerId AND e.client_id = c.client_id AND e.ended_at > :since
  ORDER BY e.ended_at DESC LIMIT 1 OFFSET :most), :since)`;

/**
 * Of grants that have ended, it reads the newest ones of each client. The others count as one grant for several APIs
 * that was used until the newest of them ended, so that no token outlives the result. SQLite keeps the order of a cross
 * join.
 */
export const lastIssues = query<
  {
    readonly partition: number;
    readonly ownerId: string;
    readonly personId: string | null;
    readonly since: Millis;
    readonly restoredAt: Millis;
  },
  readonly LastIssue[]
>({
  sql: sql`SELECT client_id, audience, refreshable, MAX(last_used_at) AS last_used_at, MAX(open_until) AS open_until FROM (
      WITH apps AS (SELECT c.client_id, ${endOfOthers} AS others_until FROM consents c
        WHERE c.partition = :partition AND c.owner_id = :ownerId)
      SELECT client_id, audience, refreshable, last_used_at, CAST(:never AS ${words.whole}) AS open_until FROM grants
        WHERE partition = :partition AND owner_id = :ownerId AND ${isActive} AND last_used_at > :since
          AND (person_id = :personId OR :personId IS NULL)
      UNION ALL SELECT g.client_id, g.audience, g.refreshable, g.last_used_at, g.ended_at FROM apps
        CROSS JOIN grants g
        WHERE g.partition = :partition AND g.owner_id = :ownerId AND g.client_id = apps.client_id
          AND g.ended_at > apps.others_until AND g.last_used_at > :since AND (g.person_id = :personId OR :personId IS NULL)
      UNION ALL SELECT client_id, NULL, 1, others_until, others_until FROM apps WHERE others_until > :since
      UNION ALL SELECT client_id, NULL, 0, CAST(:restoredAt AS ${words.whole}), CAST(:restoredAt AS ${words.whole}) FROM consents
        WHERE partition = :partition AND owner_id = :ownerId AND CAST(:restoredAt AS ${words.whole}) > :since
          AND (status = 'active' OR revoked_at >= :restoredAt) AND (expires_at IS NULL OR expires_at > :restoredAt)) AS issues
    GROUP BY client_id, audience, refreshable`,
  bind: ({ partition, ownerId, personId, since, restoredAt }) => ({
    ...{ partition, ownerId, personId, since, restoredAt, never: NEVER, most: ISSUES_READ },
  }),
  outcome: (rows) =>
    rows.map((row) => ({
      clientId: text(row, "client_id"),
      audience: textOrNull(row, "audience"),
      refreshable: whole(row, "refreshable") === 1,
      lastUsedAt: whole(row, "last_used_at"),
      openUntil: whole(row, "open_until"),
    })),
});

const underConsent = endingOf(oneConsent);

/**
 * Ends the consent and all grants under it. `lastUsedAt` can be some minutes before the last use, because not every use
 * is recorded.
 */
export const revokeConsent = transaction<EndConsent & InSession, RevokeConsentOutcome>(
  async (tx, { sessionId, ...args }) =>
    (await mayStillAs(tx, args, sessionId)) ? endConsent(tx, args) : { kind: "unknown" },
);

/** True if the session of the owner who asks still exists. The person's row is locked before any of their consents. */
function mayStillAs(tx: Tx, { partition, ownerId: personId }: ConsentKey, sessionId?: string): Promise<boolean> {
  return mayStill(tx, { partition, personId }, sessionId === undefined ? {} : { sessionId });
}

type EndConsent = ConsentKey & { readonly revokedBy: string; readonly cause?: EndCause; readonly now: Millis };

/** Does the work of `revokeConsent` inside another verb's transaction. */
export async function endConsent(
  tx: Tx,
  { partition, ownerId, clientId, revokedBy, cause, now }: EndConsent,
): Promise<RevokeConsentOutcome> {
  const args = { partition, ownerId, clientId, now };
  const record = await tx.one(
    sql`UPDATE consents SET status = 'revoked', revoked_at = :now, revoked_by = :revokedBy, updated_at = :now,
        paused_at = CASE WHEN :revokedBy = 'operator' THEN paused_at END
      WHERE ${oneConsent} AND status = 'active' RETURNING ${consentColumns}, ${lastAlarmUse} AS alarms_used_at`,
    { ...args, revokedBy },
  );
  if (record === undefined) return { kind: "unknown" };
  const held = await scopesInLiveGrants(tx, args);
  const ended = await endGrants(tx, underConsent, { partition, ownerId, clientId }, { status: "revoked", now });
  const live = ended.filter((row) => Math.min(whole(row, "idle_until"), whole(row, "absolute_until")) > now);
  await keepUses(tx, args, ended);
  const uses = [consentOf(record).lastUsedAt, wholeOrNull(record, "alarms_used_at"), lastUseOf(ended)];
  const lastUsedAt = Math.max(...uses.map((at) => at ?? 0)) || null;
  const entryId = await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "revoked" },
    record: { ...endOfAll(consentOf(record), revokedBy, held), ...(cause && { cause }), lastUsedAt },
  });
  await forgetScopeUses(tx, args);
  await forgetDelegations(tx, args);
  return { kind: "revoked", grantsEnded: live.length, lastUsedAt, entryId };
}

/** Ends all consents of a person's own account, with the grants under them. The caller holds the person's row. */
export async function endConsentsOf(
  tx: Tx,
  { partition, personId, now }: { readonly partition: number; readonly personId: string; readonly now: Millis },
): Promise<void> {
  const consents = await tx.all(
    sql`SELECT client_id FROM consents WHERE partition = :partition AND owner_id = :personId AND status = 'active' ORDER BY client_id`,
    { partition, personId },
  );
  for (const consent of consents) {
    const clientId = text(consent, "client_id");
    await endConsent(tx, { partition, ownerId: personId, clientId, revokedBy: personId, now });
  }
}

/** The scopes that live grants under a consent still hold. A scope for once is in no consent. */
async function scopesInLiveGrants(
  tx: Tx,
  { partition, ownerId, clientId, now }: ConsentKey & { readonly now: Millis },
): Promise<readonly string[]> {
  const rows = await tx.all(
    sql`SELECT DISTINCT scopes FROM grants WHERE ${oneConsent} AND ${isActive} AND idle_until > :now AND absolute_until > :now`,
    { partition, ownerId, clientId, now },
  );
  const held = rows.flatMap((row) => json<readonly GrantedScope[]>(row, "scopes"));
  return held.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).map(({ name }) => name);
}

/** The history entry of a consent that ended. `more`: scopes that ended with it and are not in the record. */
export function endOfAll(consent: Consent, by: string, more: readonly string[] = []): HistoryEntry["record"] {
  const { scopes, shown } = consent;
  const removed = [...new Set([...scopes.map(({ name }) => name), ...againByRules(consent), ...more])];
  return { clientName: shown.clientName, by, via: null, scopes: [], removed, expiresAt: null };
}

/** Changes the end of all active scopes. */
export const changeEnd = transaction<
  ConsentKey &
    InSession & {
      readonly end: Millis | null;
      readonly ceiling: Millis | null;
      readonly by: string;
      readonly now: Millis;
    },
  { readonly kind: "changed"; readonly entryId: string } | { readonly kind: "unknown" }
>(async (tx, args) => {
  const { partition, ownerId, clientId, ceiling, by, now } = args;
  if (!(await mayStillAs(tx, args, args.sessionId))) return { kind: "unknown" };
  const end = cappedEnd(args.end, now, ceiling);
  const locked = await lockConsent(tx, args);
  const before = locked && consentUnder(locked, ceiling);
  const standing = before?.scopes.filter(({ expiresAt }) => expiresAt === null || expiresAt > now) ?? [];
  if (before?.status !== "active" || standing.length === 0 || (end !== null && end <= now)) return { kind: "unknown" };
  const { consent, changes } = moveEnd(before, end, await liveGrants(tx, args, ceiling, now), now);
  writeConsent(tx, consent);
  await changeGrants(tx, args, changes, now);
  const entryId = await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "end_changed" },
    record: {
      ...{ clientName: consent.shown.clientName, by, via: null, removed: [] },
      ...(await presentAccess(tx, consent, ceiling, now)),
    },
  });
  return { kind: "changed", entryId };
});

type Narrow = ConsentKey &
  Pick<EndConsent, "cause" | "now"> & { readonly remove: readonly string[]; readonly by: string };

/** Removes scopes from the consent and from every live grant under it. */
export const narrowConsent = transaction<Narrow & InSession, NarrowConsentOutcome>(
  async (tx, { sessionId, ...args }) =>
    (await mayStillAs(tx, args, sessionId)) ? narrow(tx, args) : { kind: "unknown" },
);

/** Does the work of `narrowConsent` inside another verb's transaction. */
export async function narrow(tx: Tx, args: Narrow): Promise<NarrowConsentOutcome> {
  const { partition, ownerId, clientId, cause, now } = args;
  const consent = await lockConsent(tx, args);
  if (consent?.status !== "active") return { kind: "unknown" };
  const after = narrowed(consent, args.remove, await liveGrants(tx, args, null, now), now);
  const ends = after.left === 0;
  writeConsent(tx, {
    ...after.consent,
    ...(ends ? { status: "revoked", revokedAt: now, revokedBy: args.by, pausedAt: null } : {}),
  });
  await changeGrants(tx, args, after.changes, now);
  const { clientName } = consent.shown;
  const entryId = await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: ends ? "revoked" : "narrowed" },
    record: ends
      ? { ...endOfAll(consent, args.by, args.remove), ...(cause && { cause }) }
      : {
          ...{ clientName, by: args.by, via: null, removed: args.remove, ...(cause && { cause }) },
          ...(await presentAccess(tx, after.consent, null, now)),
        },
  });
  return ends ? { kind: "revoked", entryId } : { kind: "narrowed", left: after.left, entryId };
}

/** Forgets which scopes the owner declined, so that the page asks for them again. */
export const forgetDeclined = transaction<
  ConsentKey & InSession & { readonly now: Millis },
  { readonly kind: "changed" | "unknown" }
>(async (tx, args) => {
  if (!(await mayStillAs(tx, args, args.sessionId))) return { kind: "unknown" };
  const consent = await lockConsent(tx, args);
  if (consent?.status !== "active") return { kind: "unknown" };
  const scopes = consent.scopes.map(({ declinedHosts: _, ...scope }) => scope);
  writeConsent(tx, { ...consent, scopes, declined: [], updatedAt: args.now });
  return { kind: "changed" };
});

/** The next request asks the person for whom, if they can answer for a company. Nothing ends. */
export const forgetOwnChoice = transaction<ConsentKey & InSession, { readonly kind: "done" | "unknown" }>(
  async (tx, args) => {
    const { partition, ownerId, clientId } = args;
    if (!(await mayStillAs(tx, args, args.sessionId))) return { kind: "unknown" };
    const row = await tx.one(
      sql`UPDATE consents SET chosen_at = -COALESCE(chosen_at, updated_at)
        WHERE ${oneConsent} AND status = 'active' AND COALESCE(chosen_at, 1) > 0 RETURNING client_id`,
      { partition, ownerId, clientId },
    );
    return { kind: row === undefined ? "unknown" : "done" };
  },
);

/** For the operator: the consents of one owner, of one client, or all. */
export const listAllConsents = steps<
  { readonly ownerId: string | null; readonly clientId: string | null; readonly limit: number },
  readonly Consent[]
>((call, { ownerId, clientId, limit }) => {
  if (ownerId !== null) return call(consentsOfOwner, { ownerId, clientId, limit });
  return clientId === null ? call(consentsOfAll, { limit }) : call(consentsOfClient, { clientId, limit });
});

export const consentsOfOwner = query<
  { readonly ownerId: string; readonly clientId: string | null; readonly limit: number },
  readonly Consent[]
>({
  sql: sql`SELECT ${usedConsentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :ownerId AND (client_id = :clientId OR :clientId IS NULL) ORDER BY client_id LIMIT :limit`,
  bind: (args) => ({ ...args, partition: partitionOf(args.ownerId) }),
  outcome: (rows) => rows.map(usedConsentOf),
});

export const consentsOfClient = query<{ readonly clientId: string; readonly limit: number }, readonly Consent[]>({
  sql: sql`SELECT ${usedConsentColumnsAnywhere} FROM consents WHERE +partition >= 0 AND client_id = :clientId ORDER BY client_id LIMIT :limit`,
  bind: ({ clientId, limit }) => ({ clientId, limit }),
  outcome: (rows) => rows.map(usedConsentOf),
});

export const consentsOfAll = query<{ readonly limit: number }, readonly Consent[]>({
  sql: sql`SELECT ${usedConsentColumnsAnywhere} FROM consents ORDER BY partition, owner_id, client_id LIMIT :limit`,
  bind: ({ limit }) => ({ limit }),
  outcome: (rows) => rows.map(usedConsentOf),
});

type SetPaused = ConsentKey & Pausing & Pick<EndConsent, "cause" | "now"> & { readonly by: string };

/** A person pauses an app of their own, or lets it go on. */
export const setConsentPaused = transaction<SetPaused & InSession, PauseOutcome>(async (tx, { sessionId, ...args }) =>
  (await mayStillAs(tx, args, sessionId)) ? setPaused(tx, args) : { kind: "unknown" },
);

/**
 * Does the work inside a transaction that holds the owner's row. Whoever wants what is so already changes nothing, and
 * writes no second entry.
 */
export async function setPaused(tx: Tx, args: SetPaused): Promise<PauseOutcome> {
  const { paused, ceiling = null, by, now } = args;
  const consent = await lockConsent(tx, args);
  const over = consent?.expiresAt != null && consent.expiresAt <= now;
  if (consent?.status !== "active" || (paused && over)) return { kind: "unknown" };
  if (isPaused(consent) === paused) return { kind: "unchanged" };
  const entryId = paused ? await stop(tx, consent, by, now, args.cause) : await goOn(tx, consent, { by, ceiling, now });
  return { kind: "changed", entryId };
}
