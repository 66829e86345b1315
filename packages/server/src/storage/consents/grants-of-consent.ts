/** The grants under one consent, as decisions about it read, change, stop and resume them. */

import { awayAsScope, hostOfGrant, sooner, underCeiling } from "../../oauth/consent-reach.ts";
import { type Consent, type GrantedScope, type Millis, NEVER } from "../../oauth/model.ts";
import type { NewGrant } from "../../oauth/storage.ts";
import {
  againByRules,
  consentUnder,
  differences,
  type GrantChange,
  isPaused,
  type LiveGrant,
  latestOf,
  type OwnAnswer,
  ownAfter,
} from "../../owners/consent-after-decision.ts";
import type { ConsentKey, EndCause, HistoryEntry } from "../../owners/storage.ts";
import { type Row, sql, type Tx, words } from "../define-verbs.ts";
import { ownersPausingOf, pauseGrants } from "../grants/end-in-batches.ts";
import { keepUses, useColumns } from "../grants/uses.ts";
import { ENDED_KEPT, flag, isActive, json, text, whole, wholeOrNull } from "../row-conversion.ts";
import { note } from "./history.ts";

/** The consent record of an owner and a client, or its grants. */
export const oneConsent = sql`partition = :partition AND owner_id = :ownerId AND client_id = :clientId`;

/**
 * Sorted, so that two transactions lock the grants in one order. The sort is by an expression, because SQLite would
 * otherwise read the whole partition to avoid sorting. Grants that ended by their client's ceiling are left out: no
 * decision brings them back.
 */
export async function liveGrants(
  tx: Tx,
  { partition, ownerId, clientId }: ConsentKey,
  ceiling: Millis | null,
  now: Millis,
): Promise<readonly LiveGrant[]> {
  const rows = await tx.all(
    sql`SELECT grant_id, person_id, redirect_uri, refreshable, scopes, absolute_until, created_at, decided_at FROM grants
      WHERE ${oneConsent} AND ${isActive} AND idle_until > :now AND absolute_until > :now
      ORDER BY grant_id || '' ${words.forUpdate}`,
    { partition, ownerId, clientId, now },
  );
  return stillLive(rows, ceiling, now);
}

function stillLive(rows: readonly Row[], ceiling: Millis | null, now: Millis): readonly LiveGrant[] {
  // Most grants of an app have the same scopes, so each text is parsed once.
  const parsed = new Map<string, readonly GrantedScope[]>();
  const scopesOf = (row: Row) => {
    const stored = text(row, "scopes");
    const scopes = parsed.get(stored) ?? json<readonly GrantedScope[]>(row, "scopes");
    parsed.set(stored, scopes);
    return scopes;
  };
  const live = rows.map((row) => ({
    grantId: text(row, "grant_id"),
    personId: text(row, "person_id"),
    host: hostOfGrant(text(row, "redirect_uri")),
    refreshable: whole(row, "refreshable") === 1,
    scopes: scopesOf(row),
    absoluteUntil: whole(row, "absolute_until"),
    decidedAt: wholeOrNull(row, "decided_at") ?? whole(row, "created_at"),
  }));
  return live.map((grant) => underCeiling(grant, ceiling)).filter(({ absoluteUntil }) => absoluteUntil > now);
}

/**
 * Reads without a lock. `live`: as `liveGrants` gives them. `own`: the number of active grants of an owner who is a
 * person, with expired ones. The owner's lock keeps it from growing until the transaction ends.
 */
export async function activeGrants(
  tx: Tx,
  { partition, ownerId, clientId }: ConsentKey,
  ceiling: Millis | null,
  now: Millis,
): Promise<{ readonly live: readonly LiveGrant[]; readonly own: number }> {
  const rows = await tx.all(
    sql`SELECT grant_id, person_id, redirect_uri, refreshable, scopes, absolute_until, idle_until, created_at, decided_at FROM grants
      WHERE ${oneConsent} AND ${isActive}
        AND (person_id = :ownerId OR (idle_until > :now AND absolute_until > :now))`,
    { partition, ownerId, clientId, now },
  );
  const unexpired = rows.filter((row) => Math.min(whole(row, "idle_until"), whole(row, "absolute_until")) > now);
  return {
    live: stillLive(unexpired, ceiling, now),
    own: rows.filter((row) => text(row, "person_id") === ownerId).length,
  };
}

/**
 * What an app can do at this moment, for an entry of the history: the scopes of the record, those that it gets by the
 * operator's rules, and those that only live grants hold, for example for this once. Each has its latest end. `asked`:
 * if the app asked for `offline_access`, older refresh tokens count as that.
 */
export async function presentAccess(
  tx: Tx,
  record: Consent,
  ceiling: Millis | null,
  now: Millis,
  asked: readonly string[] = [],
): Promise<Pick<HistoryEntry["record"], "scopes" | "expiresAt" | "paused">> {
  const consent = consentUnder(record, ceiling);
  const { live } = await activeGrants(tx, consent, ceiling, now);
  // A grant without refresh tokens ends with its token.
  const held = live.flatMap(({ scopes, absoluteUntil }) =>
    scopes.map(({ name, expiresAt }) => {
      return { name, expiresAt: absoluteUntil === NEVER ? expiresAt : sooner(expiresAt, absoluteUntil) };
    }),
  );
  const away = live.flatMap(awayAsScope).filter(({ name }) => asked.includes(name));
  const byRules = againByRules(consent).map((name) => ({ name, expiresAt: consent.expiresAt }));
  const present = withLatestEnds([...consent.scopes, ...byRules, ...held, ...away], now);
  return { ...present, ...(isPaused(consent) ? { paused: true as const } : {}) };
}

function withLatestEnds(
  all: readonly GrantedScope[],
  now: Millis,
): Pick<HistoryEntry["record"], "scopes" | "expiresAt"> {
  const unexpired = all.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const ends = Map.groupBy(unexpired, ({ name }) => name);
  const scopes = [...ends].map(([name, same]) => {
    return { name, expiresAt: latestOf(same.map(({ expiresAt }) => expiresAt)) ?? null };
  });
  return { scopes, expiresAt: latestOf(scopes.map(({ expiresAt }) => expiresAt)) ?? null };
}

/**
 * The same, for a company's history: what its members' grants have. What the company allows can last longer than anybody's
 * access.
 */
export function presentAccessOfMembers(
  tx: Tx,
  consent: Consent,
  ceiling: Millis | null,
  now: Millis,
): ReturnType<typeof presentAccess> {
  return presentAccess(tx, { ...consentUnder(consent, ceiling), scopes: [] }, ceiling, now);
}

/**
 * Changes the older grants of a member who answered for a company under an approval. They are locked only if the answer
 * changes some of them. `scopes`: those of the answer, with their ends. No grant counts as decided later than the answer.
 * Returns the scopes that the member's access lost.
 */
export async function changeOwnGrants(
  tx: Tx,
  { ceiling, ...grant }: ConsentKey & Pick<NewGrant, "personId" | "grantId" | "ceiling">,
  scopes: readonly GrantedScope[],
  { decidedAt, ...answer }: OwnAnswer & Pick<LiveGrant, "decidedAt">,
  now: Millis,
): Promise<readonly string[]> {
  const changesIn = (live: readonly LiveGrant[]) => {
    const own = live.filter(({ personId, grantId }) => personId === grant.personId && grantId !== grant.grantId);
    const after = own.map((each) => ownAfter(each, scopes, answer, now));
    return differences(own, after).map((change) => ({ ...change, decidedAt: Math.min(change.decidedAt, decidedAt) }));
  };
  const { live } = await activeGrants(tx, grant, ceiling, now);
  if (changesIn(live).length === 0) return [];
  const locked = await liveGrants(tx, grant, ceiling, now);
  const changes = changesIn(locked);
  await changeGrants(tx, grant, changes, now);
  return takenAway(locked, changes, scopes, now);
}

/** What grants lose that have refresh tokens without `offline_access`, if the owner declines that scope. */
export function lostAway(live: readonly LiveGrant[], changes: readonly GrantChange[]): readonly GrantedScope[] {
  const lost = new Set(changes.filter(({ refreshable }) => refreshable === false).map(({ grantId }) => grantId));
  return live.filter(({ grantId }) => lost.has(grantId)).flatMap(awayAsScope);
}

/** The scopes that changes take from grants, without those that the answer (`given`) gives anew. */
export function takenAway(
  live: readonly LiveGrant[],
  changes: readonly GrantChange[],
  given: readonly GrantedScope[],
  now: Millis,
): readonly string[] {
  const lost = changes.flatMap(({ grantId, scopes }) => {
    const before = live.find((one) => one.grantId === grantId)?.scopes ?? [];
    const running = before.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    return running.filter(({ name }) => ![...scopes, ...given].some((one) => one.name === name));
  });
  return [...new Set([...lost, ...lostAway(live, changes)].map(({ name }) => name))];
}

/**
 * Writes the changes of the owner's grants. A grant without scopes ends. The caller has written the consent, whose last
 * use this function moves on.
 */
export async function changeGrants(
  tx: Tx,
  { partition, ownerId }: Pick<ConsentKey, "partition" | "ownerId">,
  changes: readonly GrantChange[],
  now: Millis,
): Promise<void> {
  const ends = ({ scopes }: GrantChange) => scopes.length === 0;
  const rows = await Promise.all(
    changes.map((change) =>
      tx.one(
        sql`UPDATE grants SET scopes = :scopes, absolute_until = :absoluteUntil, decided_at = :decidedAt,
          refreshable = CASE WHEN :unrefreshed = 1 THEN 0 ELSE refreshable END,
          status = CASE WHEN :ends = 1 THEN 'revoked' ELSE status END,
          ended_at = CASE WHEN :ends = 1 THEN :now ELSE ended_at END,
          collect_at = CASE WHEN :ends = 1 THEN :endedKept ELSE collect_at END
        WHERE partition = :partition AND grant_id = :grantId AND status = 'active' RETURNING ${useColumns}`,
        {
          partition,
          grantId: change.grantId,
          scopes: JSON.stringify(change.scopes),
          absoluteUntil: change.absoluteUntil,
          decidedAt: change.decidedAt,
          unrefreshed: flag(change.refreshable === false),
          ends: flag(ends(change)),
          now,
          endedKept: now + ENDED_KEPT,
        },
      ),
    ),
  );
  const ended = changes.flatMap((change, at) => {
    const row = rows[at];
    return row !== undefined && ends(change) ? [row] : [];
  });
  await keepUses(tx, { partition, ownerId }, ended);
}

/** Stops an app until it is resumed. The caller has locked the consent. */
export async function stop(tx: Tx, consent: Consent, by: string, now: Millis, cause?: EndCause): Promise<string> {
  const { partition, ownerId, clientId } = consent;
  const key = { partition, ownerId, clientId };
  await tx.run(sql`UPDATE consents SET paused_at = :now WHERE ${oneConsent}`, { ...key, now });
  await pauseGrants(tx, grantsUnderIt, key, now);
  return noteChange(tx, consent, "paused", by, now, cause && { cause });
}

/**
 * Lets a paused app go on. The caller has locked the consent, and gives it as it is from now on. The entry names all that
 * the app can do from now on, also what no request asks for.
 *
 * @param answered what a device gets with its next poll.
 */
export async function goOn(
  tx: Tx,
  consent: Consent,
  { by, ceiling, now }: { readonly by: string; readonly ceiling: Millis | null; readonly now: Millis },
  answered: readonly GrantedScope[] = [],
): Promise<string> {
  const { partition, ownerId, clientId } = consent;
  const key = { partition, ownerId, clientId };
  await tx.run(sql`UPDATE consents SET paused_at = NULL WHERE ${oneConsent}`, key);
  await pauseGrants(tx, grantsUnderIt, key, null, { now });
  // People resume only their own apps. Anybody else resumes an app for a company.
  const present = by === ownerId ? presentAccess : presentAccessOfMembers;
  const access = await present(tx, { ...consent, pausedAt: null }, ceiling, now);
  return noteChange(tx, consent, "resumed", by, now, withLatestEnds([...access.scopes, ...answered], now));
}

const grantsUnderIt = ownersPausingOf(oneConsent);

function noteChange(
  tx: Tx,
  consent: Consent,
  kind: "paused" | "resumed",
  by: string,
  now: Millis,
  more: Partial<HistoryEntry["record"]> = {},
): Promise<string> {
  const { partition, ownerId, clientId, shown } = consent;
  return note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind },
    record: { clientName: shown.clientName, by, via: null, removed: [], scopes: [], expiresAt: null, ...more },
  });
}
