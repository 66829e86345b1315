/** Verbs that count and list the people for whom an app acts in a company's name, and the end of one member's grants. */

import { cappedEnd, isAwayWithout } from "../../oauth/consent-reach.ts";
import { type GrantedScope, type Millis, NEVER } from "../../oauth/model.ts";
import type { ActingPerson, CompanyKey, HeldScope } from "../../owners/company-storage.ts";
import { latestOf } from "../../owners/consent-after-decision.ts";
import type { EndCause } from "../../owners/storage.ts";
import { noteEnded, noteRecentEnded } from "../consents/history.ts";
import { query, sql, type Tx, words } from "../define-verbs.ts";
import { endedColumns, keepUses } from "../grants/uses.ts";
import { ENDED_KEPT, isActive, json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { thisCompany } from "./lock-company-row.ts";

export async function adminsOf(tx: Tx, { partition, companyId }: CompanyKey): Promise<readonly string[]> {
  const rows = await tx.all(sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin'`, {
    ...{ partition, companyId },
  });
  return rows.map((row) => text(row, "person_id"));
}

/** The live access of an app in the company's name: each scope of each person with its latest end. */
export const liveAccess = query<
  CompanyKey & {
    readonly clientId: string;
    readonly personId?: string;
    readonly ceiling: Millis | null;
    readonly now: Millis;
  },
  readonly HeldScope[]
>({
  sql: sql`SELECT person_id, scopes, refreshable, absolute_until, COALESCE(decided_at, created_at) AS decided_at FROM grants
    WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId
      AND ${isActive} AND idle_until > :now AND absolute_until > :now AND (person_id = :personId OR :personId IS NULL)`,
  also: sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin'`,
  bind: ({ partition, companyId, clientId, personId = null, now }) => ({
    partition,
    companyId,
    clientId,
    personId,
    now,
  }),
  outcome: (rows, { ceiling, now }, staff) => {
    const admins = new Set(staff.map((row) => text(row, "person_id")));
    const held = new Map<string, HeldScope>();
    for (const row of rows) {
      const personId = text(row, "person_id");
      const last = cappedEnd(whole(row, "absolute_until"), whole(row, "decided_at"), ceiling) ?? NEVER;
      const scopes = json<readonly GrantedScope[]>(row, "scopes");
      const refreshable = whole(row, "refreshable") === 1;
      const isAway = isAwayWithout({ refreshable, scopes });
      for (const { name, expiresAt } of scopes) {
        const key = `${personId} ${name}`;
        const end = Math.min(expiresAt ?? NEVER, last);
        if (end <= now) continue;
        const before = held.get(key);
        const endsAt = end >= NEVER ? null : end;
        const refreshableUntil = latestKnown(before?.refreshableUntil, refreshable ? endsAt : undefined);
        const awayUntil = latestKnown(before?.awayUntil, isAway ? endsAt : undefined);
        held.set(key, {
          ...{ personId, admin: admins.has(personId), name },
          endsAt: latestKnown(before?.endsAt, endsAt) ?? null,
          ...(refreshableUntil === undefined ? {} : { refreshableUntil }),
          ...(awayUntil === undefined ? {} : { awayUntil }),
        });
      }
    }
    return [...held.values()];
  },
});

function latestKnown(...ends: readonly (Millis | null | undefined)[]): Millis | null | undefined {
  return latestOf(ends.filter((end) => end !== undefined));
}

/** Grants that were decided before this time are over by the ceiling of their client. */
const decidedAfter = (ceiling: Millis | null, now: Millis) => (ceiling === null ? -1 : now - ceiling);

export const countPeople = query<
  CompanyKey & { readonly clientId: string; readonly ceiling: Millis | null; readonly now: Millis },
  number
>({
  sql: sql`SELECT COUNT(DISTINCT person_id) AS people FROM grants
    WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId
      AND ${isActive} AND idle_until > :now AND absolute_until > :now AND COALESCE(decided_at, created_at) > :decidedAfter`,
  bind: ({ ceiling, ...args }) => ({ ...args, decidedAfter: decidedAfter(ceiling, args.now) }),
  outcome: ([row]) => (row === undefined ? 0 : whole(row, "people")),
});

export const listActing = query<
  CompanyKey & {
    readonly clientId: string;
    readonly ceiling: Millis | null;
    readonly limit: number;
    readonly now: Millis;
  },
  readonly ActingPerson[]
>({
  sql: sql`SELECT g.person_id, m.username, g.since, g.last_used_at, g.paused FROM (
      SELECT person_id, MIN(created_at) AS since, MAX(last_used_at) AS last_used_at,
        MIN(CASE WHEN paused_at IS NULL THEN 0 ELSE 1 END) AS paused FROM grants
      WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId AND ${isActive}
        AND idle_until > :now AND absolute_until > :now AND COALESCE(decided_at, created_at) > :decidedAfter
      GROUP BY person_id ORDER BY COALESCE(MAX(last_used_at), 0) DESC, person_id LIMIT :limit) AS g
    LEFT JOIN members m ON m.partition = :partition AND m.company_id = :companyId AND m.person_id = g.person_id
    ORDER BY COALESCE(g.last_used_at, 0) DESC, g.person_id`,
  bind: ({ ceiling, ...args }) => ({ ...args, decidedAfter: decidedAfter(ceiling, args.now) }),
  outcome: (rows) =>
    rows.map((row) => ({
      personId: text(row, "person_id"),
      username: textOrNull(row, "username"),
      since: whole(row, "since"),
      lastUsedAt: wholeOrNull(row, "last_used_at"),
      paused: whole(row, "paused") === 1,
    })),
});

const ofThisMember = sql`partition = :partition AND owner_id = :companyId AND person_id = :personId AND person_id <> owner_id AND ${isActive}`;

/**
 * Ends the person's grants in the company's name, and returns their number. The company's consent stays, because others
 * may rely on it. `since`: ends only grants that were made from then on, by sign-ins from before that time.
 */
export async function endGrantsOfMember(
  tx: Tx,
  {
    partition,
    companyId,
    personId,
    by,
    cause,
    since,
    now,
  }: CompanyKey & {
    readonly personId: string;
    readonly by: string;
    readonly cause: EndCause;
    readonly since?: { readonly madeFrom: Millis; readonly signedInBefore: Millis };
    readonly now: Millis;
  },
): Promise<number> {
  await tx.all(
    sql`SELECT client_id FROM consents WHERE partition = :partition AND owner_id = :companyId AND client_id IN (
        SELECT client_id FROM grants WHERE ${ofThisMember}) ORDER BY client_id ${words.forUpdate}`,
    { partition, companyId, personId },
  );
  const ended = await tx.all(
    sql`UPDATE grants SET status = 'owner_ended', ended_at = :now, collect_at = :endedKept
      WHERE ${ofThisMember} AND created_at >= :madeFrom AND auth_time < :signedInBefore
      RETURNING ${endedColumns}`,
    {
      ...{ partition, companyId, personId, now, endedKept: now + ENDED_KEPT },
      ...(since ?? { madeFrom: 0, signedInBefore: NEVER }),
    },
  );
  await keepUses(tx, { partition, ownerId: companyId }, ended);
  const end = { partition, ownerId: companyId, cause, by, personId, now };
  await (since === undefined ? noteEnded(tx, end, ended) : noteRecentEnded(tx, end, "member_recent", ended));
  return ended.length;
}
