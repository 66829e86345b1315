/** Housekeeping: rows go when what they guard has passed, a bounded number at a time. */

import type { Millis } from "../../oauth/model.ts";
import { partitionOf } from "../partition.ts";
import { DAY, HOUR, text, whole, wholeOrNull } from "../rows.ts";
import { type Call, type Row, sql, steps, type Tx, transaction } from "../sql.ts";
import { getCompany } from "./companies.ts";
import { ALARM_KEPT, ENDED_KEPT } from "./grants.ts";
import { settleLinks } from "./members.ts";
import { activateName, dropName, type NameKind, staleNames } from "./names.ts";
import { bears, getPerson } from "./people.ts";
import { linkedPerson } from "./subject-links.ts";

interface Sweep {
  readonly now: Millis;
  readonly limit: number;
}

/** What one transaction did: rows looked at, rows removed. */
interface Swept {
  readonly seen: number;
  readonly removed: number;
}

/** Many short transactions rather than a long one: other verbs come in between. */
export const collectGarbage = steps<Sweep, number>(async (call, { now, limit }) => {
  let removed = 0;
  for (const sweep of [
    collectGrants,
    collectSessions,
    collectAttempts,
    collectAccepted,
    collectDevices,
    collectClients,
    collectInvitations,
    collectRequests,
  ]) {
    for (;;) {
      const room = limit - removed;
      if (room <= 0) return removed;
      const swept = await call(sweep, { now, limit: room });
      removed += swept.removed;
      if (swept.seen < room) break;
    }
  }
  for (const { kind, value, ownerId } of await call(staleNames, { now, limit: Math.max(0, limit - removed) })) {
    const kept = await isBorne(call, kind, value, ownerId);
    if (await call(kept ? activateName : dropName, { kind, value, ownerId, now })) removed += kept ? 0 : 1;
  }
  await call(settleLinks, { now, limit: Math.max(0, limit - removed) });
  return removed;
});

/** What the owner's own record says of a name. */
async function isBorne(call: Call, kind: NameKind, value: string, ownerId: string): Promise<boolean> {
  const partition = partitionOf(ownerId);
  if (kind === "slug") return (await call(getCompany, { partition, companyId: ownerId }))?.slug === value;
  const place = { partition, personId: ownerId };
  if (kind === "subject") return (await call(linkedPerson, { ...place, link: value })) !== undefined;
  const person = await call(getPerson, place);
  return person !== undefined && bears(person, value);
}

/**
 * Grants are visited at `collect_at`, which nothing but their making, their end and this visit writes: so refreshes touch no index. A visit finds
 * the row dead long enough and removes it, or puts the next visit to where it could be.
 */
export const collectGrants = transaction<Sweep, Swept>(async (tx, { now, limit }) => {
  const rows = await tx.all(
    sql`SELECT partition, grant_id, owner_id, client_id, status, generation, code_until, last_used_at, idle_until, absolute_until, ended_at
      FROM grants WHERE +partition >= 0 AND collect_at <= :now ORDER BY collect_at LIMIT :limit`,
    { now, limit },
  );
  let removed = 0;
  for (const row of rows) {
    const keptUntil = guardedUntil(row);
    const key = { partition: whole(row, "partition"), grantId: text(row, "grant_id") };
    if (keptUntil > now) {
      await tx.run(
        sql`UPDATE grants SET collect_at = :keptUntil WHERE partition = :partition AND grant_id = :grantId`,
        {
          ...key,
          keptUntil,
        },
      );
    } else {
      await foldUse(tx, row);
      await tx.run(sql`DELETE FROM grants WHERE partition = :partition AND grant_id = :grantId`, key);
      removed += 1;
    }
  }
  return { seen: rows.length, removed };
});

/** When the last thing has passed that the row keeps from happening: a code or token accepted, an access token shown active, an alarm unseen. */
function guardedUntil(row: Row): Millis {
  const endedAt = wholeOrNull(row, "ended_at");
  const status = text(row, "status");
  if (endedAt !== null) return endedAt + (status === "theft" || status === "replayed" ? ALARM_KEPT : ENDED_KEPT);
  if (whole(row, "generation") === 0) return whole(row, "code_until") + DAY;
  return Math.min(whole(row, "idle_until"), whole(row, "absolute_until")) + DAY;
}

/** The consent goes on telling when its app was last used. */
async function foldUse(tx: Tx, row: Row): Promise<void> {
  const lastUsedAt = wholeOrNull(row, "last_used_at");
  if (lastUsedAt === null) return;
  await tx.run(
    sql`UPDATE consents SET last_used_at = :lastUsedAt WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId
      AND (last_used_at IS NULL OR last_used_at < :lastUsedAt)`,
    {
      partition: whole(row, "partition"),
      ownerId: text(row, "owner_id"),
      clientId: text(row, "client_id"),
      lastUsedAt,
    },
  );
}

export const collectSessions = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM sessions WHERE (partition, session_id) IN
        (SELECT partition, session_id FROM sessions WHERE +partition >= 0 AND absolute_until <= :now ORDER BY absolute_until LIMIT :limit)`,
      { now, limit },
    ),
  ),
);

export const collectAttempts = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM attempts WHERE (partition, key) IN
        (SELECT partition, key FROM attempts WHERE +partition >= 0 AND window_until <= :now ORDER BY window_until LIMIT :limit)`,
      { now, limit },
    ),
  ),
);

export const collectAccepted = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM accepted WHERE (partition, kind, key) IN
        (SELECT partition, kind, key FROM accepted WHERE +partition >= 0 AND until <= :now ORDER BY until LIMIT :limit)`,
      { now, limit },
    ),
  ),
);

/** For an hour after its end a device is told that it expired, and not that it never was. */
export const collectDevices = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM device_requests WHERE (partition, request_id) IN
        (SELECT partition, request_id FROM device_requests WHERE +partition >= 0 AND expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
      { before: now - HOUR, limit },
    ),
  ),
);

/** What is left of deleted clients, once every cache has heard of it. */
export const collectClients = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM clients WHERE client_id IN (SELECT client_id FROM clients WHERE deleted_at <= :before LIMIT :limit)`,
      { before: now - DAY, limit },
    ),
  ),
);

/** Invitations that nobody can follow any more. */
export const collectInvitations = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM invitations WHERE (partition, invitation_id) IN
        (SELECT partition, invitation_id FROM invitations WHERE +partition >= 0 AND expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
      { before: now - DAY, limit },
    ),
  ),
);

/** Requests to companies' admins that were answered: members see the answer for 90 days. */
export const collectRequests = transaction<Sweep, Swept>(async (tx, { now, limit }) =>
  all(
    await tx.run(
      sql`DELETE FROM company_requests WHERE (partition, company_id, client_id, person_id) IN
        (SELECT partition, company_id, client_id, person_id FROM company_requests
          WHERE +partition >= 0 AND status <> 'open' AND decided_at <= :before ORDER BY decided_at LIMIT :limit)`,
      { before: now - 90 * DAY, limit },
    ),
  ),
);

function all(removed: number): Swept {
  return { seen: removed, removed };
}
