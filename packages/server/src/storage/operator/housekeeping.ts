/** Housekeeping: deletes rows that are no longer needed, a limited number at a time. */

import { COLLECTED, type Collected, type Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { KNOWN_DEVICE_TTL } from "../../owners/known-device-storage.ts";
import { ADDRESS_TOLD } from "../../owners/recovery/storage.ts";
import { settleCompanyLinks } from "../companies/members.ts";
import { alarmColumns, alarmOf, HISTORY_KEPT, note } from "../consents/history.ts";
import { type Call, query, type Row, type Sql, sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { reusedColumns, tellReuse } from "../events/log.ts";
import { collectDeliveries } from "../events/webhooks.ts";
import { collectRemovals } from "../factors/removed-factors.ts";
import { emptyRing } from "../grants/replay-cache.ts";
import { used } from "../grants/uses.ts";
import { NOTICES_KEPT } from "../people/logout-notices.ts";
import { isBorne } from "../people/name-reconciliation.ts";
import { collectPeople } from "../people/scheduled-account-deletion.ts";
import { activateName, dropName, staleNames } from "../people/unique-names.ts";
import { ALARM_KEPT, DAY, ENDED_KEPT, HOUR, supersededUntil, text, whole } from "../row-conversion.ts";
import { goOnEnding } from "./end-grants-of-client.ts";
import { collectRefusals } from "./refusals.ts";
import { collectUnusedClients } from "./registrations.ts";

export interface Sweep {
  readonly now: Millis;
  readonly limit: number;
}

/**
 * Deletes everything that is due, up to the limit, at once: for an operator. A server deletes one kind at a time, with
 * pauses.
 */
export const collectGarbage = steps<Sweep, number>(async (call, { now, limit }) => {
  let removed = 0;
  for (const what of COLLECTED) {
    for (;;) {
      const room = limit - removed;
      if (room <= 0) return removed;
      const swept = await call(collect, { what, now, limit: room });
      removed += swept.removed;
      // Rows that another caller works on are visited again the next time.
      if (swept.seen < room || what === "names" || what === "member_links") break;
    }
  }
  return removed;
});

/**
 * One short transaction; for names, one for each name. Simultaneous callers are safe: rows that one has deleted, the
 * others don't find.
 */
export const collect = steps<Sweep & { readonly what: Collected }, Swept>(async (call, { what, ...sweep }) => {
  switch (what) {
    case "grants":
      return call(collectGrants, sweep);
    case "sessions":
      return call(collectSessions, sweep);
    case "logout_notices":
      return call(collectNotices, sweep);
    case "known_devices":
      return call(collectKnownDevices, sweep);
    case "attempts":
      return call(collectAttempts, sweep);
    case "accepted":
      return call(collectAccepted, sweep);
    case "ring":
      await call(emptyRing, sweep);
      return { seen: 0, removed: 0 };
    case "external_answers":
      return call(collectAnswers, sweep);
    case "device_requests":
      return call(collectDevices, sweep);
    case "clients":
      return call(collectClients, sweep);
    case "unused_clients":
      return collectUnusedClients(call, sweep);
    case "history":
      return call(collectHistory, sweep);
    case "invitations":
      return call(collectInvitations, sweep);
    case "mail_links":
      return call(collectMailLinks, sweep);
    case "mail_requests":
      return call(collectMailRequests, sweep);
    case "removed_factors":
      return collectRemovals(call, sweep);
    case "former_addresses":
      return call(collectAddresses, sweep);
    case "outbox":
      return call(collectOutbox, sweep);
    case "webhook_deliveries":
      return call(collectDeliveries, sweep);
    case "people":
      return collectPeople(call, sweep);
    case "company_requests":
      return call(collectRequests, sweep);
    case "refusals":
      return call(collectRefusals, sweep);
    case "leases":
      return call(collectLeases, sweep);
    case "admin_requests":
      return call(collectAdminRequests, sweep);
    case "registration_tokens":
      return call(collectRegistrationTokens, sweep);
    case "admin_tokens":
      return call(collectAdminTokens, sweep);
    case "client_endings":
      return goOnEnding(call, sweep.limit);
    case "names":
      return collectNames(call, sweep);
    case "member_links":
      return { seen: await call(settleCompanyLinks, sweep), removed: 0 };
  }
});

/**
 * Settles reservations whose process crashed: a name that an owner has becomes that owner's, and other names are freed.
 */
async function collectNames(call: Call, { now, limit }: Sweep): Promise<Swept> {
  const stale = await call(staleNames, { now, limit });
  let removed = 0;
  for (const { kind, value, ownerId } of stale) {
    const kept = await isBorne(call, { kind, value, ownerId });
    if (await call(kept ? activateName : dropName, { kind, value, ownerId, now })) removed += kept ? 0 : 1;
  }
  return { seen: stale.length, removed };
}

const due = sql`SELECT partition, grant_id FROM grants WHERE +partition >= 0 AND collect_at <= :now ORDER BY collect_at LIMIT :limit`;
/**
 * The time at which the row has no more use: no code or token can be accepted, no access token is shown as active, and
 * no alarm is unseen.
 */
const keptUntil = sql`(CASE
    WHEN status = 'superseded' THEN ${supersededUntil}
    WHEN ended_at IS NOT NULL THEN ended_at + CASE WHEN status IN ('theft', 'replayed') THEN CAST(:alarmKept AS ${words.whole}) ELSE :endedKept END
    WHEN generation = 0 THEN code_until + :day
    WHEN idle_until < absolute_until THEN idle_until + :day
    ELSE absolute_until + :day END)`;

/**
 * Housekeeping visits grants at `collect_at`. Only the insert, the end and this visit of a grant write that column, so
 * refreshes touch no index. A visit deletes a row that is not needed any more, or sets the next visit to the earliest
 * time at which this can be so. The consent still shows when its app was last used.
 */
export const collectGrants = transaction<Sweep, Swept>(async (tx, { now, limit }) => {
  const params = { now, limit, day: DAY, alarmKept: ALARM_KEPT, endedKept: ENDED_KEPT };
  const untold = await tx.all(
    sql`SELECT ${reusedColumns} FROM grants
      WHERE (partition, grant_id) IN (${due}) AND ${keptUntil} > :now AND status || '' IN ('theft', 'replayed')`,
    params,
  );
  for (const row of untold) await tellReuse(tx, row);
  const postponed = await tx.run(
    sql`UPDATE grants SET collect_at = ${keptUntil} WHERE (partition, grant_id) IN (${due}) AND ${keptUntil} > :now`,
    params,
  );
  await tx.run(
    sql`UPDATE consents SET last_used_at = collected.used_at FROM (
        SELECT partition, owner_id, client_id, MAX(${used}) AS used_at FROM grants AS g
        WHERE (partition, grant_id) IN (${due}) AND ${keptUntil} <= :now AND last_used_at IS NOT NULL
        GROUP BY partition, owner_id, client_id) AS collected
      WHERE consents.partition = collected.partition AND consents.owner_id = collected.owner_id
        AND consents.client_id = collected.client_id
        AND consents.created_at <= collected.used_at AND COALESCE(consents.last_used_at, 0) < collected.used_at`,
    params,
  );
  // The status is an expression, so that PostgreSQL finds the rows by their keys, and does not read all alarms.
  const alarms = await tx.all(
    sql`SELECT ${alarmColumns} FROM grants
      WHERE (partition, grant_id) IN (${due}) AND ${keptUntil} <= :now AND status || '' IN ('theft', 'replayed')`,
    params,
  );
  for (const row of alarms) await keepAlarm(tx, row);
  const removed = await tx.run(
    sql`DELETE FROM grants WHERE (partition, grant_id) IN (${due}) AND ${keptUntil} <= :now`,
    params,
  );
  return { seen: postponed + removed, removed };
});

/** Keeps the alarm of the row in the history, unless the owner and their history were deleted. */
async function keepAlarm(tx: Tx, row: Row): Promise<void> {
  const alarm = alarmOf(row);
  const { partition, ownerId, clientId } = alarm;
  const record = await tx.one(
    sql`SELECT client_id FROM consents WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    { partition, ownerId, clientId },
  );
  if (record !== undefined) await note(tx, alarm);
}

/** Deletes all rows that its statement finds. `:before` is `kept` milliseconds ago. */
function removing(statement: Sql, kept: Millis = 0) {
  return transaction<Sweep, Swept>(async (tx, { now, limit }) => {
    const removed = await tx.run(statement, { now, before: now - kept, limit });
    return { seen: removed, removed };
  });
}

export const collectSessions = removing(sql`DELETE FROM sessions WHERE (partition, session_id) IN
      (SELECT partition, session_id FROM sessions WHERE +partition >= 0 AND absolute_until <= :now ORDER BY absolute_until LIMIT :limit)`);

/** Their sessions have expired by now, which no client is told. */
export const collectNotices = removing(
  sql`DELETE FROM logout_notices WHERE (partition, sid, client_id) IN
      (SELECT partition, sid, client_id FROM logout_notices WHERE +partition >= 0 AND due_at IS NULL AND created_at <= :before ORDER BY created_at LIMIT :limit)`,
  NOTICES_KEPT,
);

/** Their cookies have expired. */
export const collectKnownDevices = removing(
  sql`DELETE FROM known_devices WHERE (partition, person_id, device_id) IN
      (SELECT partition, person_id, device_id FROM known_devices WHERE +partition >= 0 AND last_seen_at <= :before ORDER BY last_seen_at LIMIT :limit)`,
  KNOWN_DEVICE_TTL,
);

export const collectAttempts = removing(sql`DELETE FROM attempts WHERE (partition, key) IN
      (SELECT partition, key FROM attempts WHERE +partition >= 0 AND window_until <= :now ORDER BY window_until LIMIT :limit)`);

export const collectAccepted = removing(sql`DELETE FROM accepted WHERE (partition, kind, key) IN
      (SELECT partition, kind, key FROM accepted WHERE +partition >= 0 AND until <= :now ORDER BY until LIMIT :limit)`);

/** Nobody comes back with them any more. */
export const collectAnswers = removing(sql`DELETE FROM external_answers WHERE (partition, challenge_id) IN
      (SELECT partition, challenge_id FROM external_answers WHERE +partition >= 0 AND until <= :now ORDER BY until LIMIT :limit)`);

/** For an hour after its end, a device is told that its code expired. After that, the code is unknown. */
export const collectDevices = removing(
  sql`DELETE FROM device_requests WHERE (partition, request_id) IN
      (SELECT partition, request_id FROM device_requests WHERE +partition >= 0 AND expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
  HOUR,
);

export const collectHistory = removing(
  sql`DELETE FROM history WHERE (partition, entry_id) IN
      (SELECT partition, entry_id FROM history WHERE +partition >= 0 AND at <= :before ORDER BY at LIMIT :limit)`,
  HISTORY_KEPT,
);

/** Deletes rows of deleted clients after every cache has learned of the deletion. */
export const collectClients = removing(
  sql`DELETE FROM clients WHERE client_id IN (SELECT client_id FROM clients WHERE deleted_at <= :before AND ending IS NULL LIMIT :limit)`,
  DAY,
);

/** Invitations that have expired. */
export const collectInvitations = removing(
  sql`DELETE FROM invitations WHERE (partition, invitation_id) IN
      (SELECT partition, invitation_id FROM invitations WHERE +partition >= 0 AND expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
  DAY,
);

/** Links that have expired. */
export const collectMailLinks = removing(sql`DELETE FROM mail_links WHERE (partition, link_id) IN
      (SELECT partition, link_id FROM mail_links WHERE +partition >= 0 AND expires_at <= :now ORDER BY expires_at LIMIT :limit)`);

/** Requests for mail that no process answers, because mail was switched off. */
export const collectMailRequests = removing(
  sql`DELETE FROM mail_requests WHERE (partition, request_id) IN
      (SELECT partition, request_id FROM mail_requests WHERE +partition >= 0 AND due_at <= :before ORDER BY due_at LIMIT :limit)`,
  DAY,
);

/** Former addresses of accounts that get no more messages. */
export const collectAddresses = removing(
  sql`DELETE FROM former_addresses WHERE (partition, person_id, address, until) IN
      (SELECT partition, person_id, address, until FROM former_addresses WHERE +partition >= 0 AND until <= :before ORDER BY until LIMIT :limit)`,
  ADDRESS_TOLD,
);

/** Messages that were sent or given up. They stay for 30 days, so that their cause sends no second message. */
export const collectOutbox = removing(
  sql`DELETE FROM outbox WHERE (partition, mail_id) IN
      (SELECT partition, mail_id FROM outbox
        WHERE +partition >= 0 AND status <> 'waiting' AND created_at <= :before ORDER BY created_at LIMIT :limit)`,
  30 * DAY,
);

/** Requests to companies' admins that were answered. They stay for 90 days, so that members can see the answer. */
export const collectRequests = removing(
  sql`DELETE FROM company_requests WHERE (partition, company_id, client_id, person_id) IN
      (SELECT partition, company_id, client_id, person_id FROM company_requests
        WHERE +partition >= 0 AND status <> 'open' AND decided_at <= :before ORDER BY decided_at LIMIT :limit)`,
  90 * DAY,
);

/** Leases of dead processes. They stay while others may need to know whose they were. */
export const collectLeases = removing(
  sql`DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE until <= :before LIMIT :limit)`,
  HOUR,
);

/** Answers to requests with a key are kept for a day. */
export const collectAdminRequests = removing(
  sql`DELETE FROM admin_requests WHERE (actor, request_key) IN
      (SELECT actor, request_key FROM admin_requests WHERE created_at <= :before ORDER BY created_at LIMIT :limit)`,
  DAY,
);

/** Expired tokens stay for 30 days, so that operators see what they were. */
export const collectAdminTokens = removing(
  sql`DELETE FROM admin_tokens WHERE token_hash IN
      (SELECT token_hash FROM admin_tokens WHERE expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
  30 * DAY,
);

/** Initial access tokens that expired 30 days ago: until then, lists show how often they were used. */
export const collectRegistrationTokens = removing(
  sql`DELETE FROM initial_access_tokens WHERE token_hash IN
      (SELECT token_hash FROM initial_access_tokens WHERE expires_at <= :before ORDER BY expires_at LIMIT :limit)`,
  30 * DAY,
);

/** Number of rows that are due, each kind counted up to `most`, along the index that housekeeping uses. */
export const backlog = query<{ readonly now: Millis; readonly most: number }, Readonly<Record<string, number>>>({
  sql: sql`SELECT 'grants' AS kind, COUNT(*) AS due FROM (SELECT 1 FROM grants WHERE +partition >= 0 AND collect_at <= :now LIMIT :most) AS few
    UNION ALL SELECT 'sessions', COUNT(*) FROM (SELECT 1 FROM sessions WHERE +partition >= 0 AND absolute_until <= :now LIMIT :most) AS few
    UNION ALL SELECT 'known_devices', COUNT(*) FROM (SELECT 1 FROM known_devices WHERE +partition >= 0 AND last_seen_at <= :devicesBefore LIMIT :most) AS few
    UNION ALL SELECT 'attempts', COUNT(*) FROM (SELECT 1 FROM attempts WHERE +partition >= 0 AND window_until <= :now LIMIT :most) AS few
    UNION ALL SELECT 'accepted', COUNT(*) FROM (SELECT 1 FROM accepted WHERE +partition >= 0 AND until <= :now LIMIT :most) AS few
    UNION ALL SELECT 'external_answers', COUNT(*) FROM (SELECT 1 FROM external_answers WHERE +partition >= 0 AND until <= :now LIMIT :most) AS few
    UNION ALL SELECT 'device_requests', COUNT(*) FROM (SELECT 1 FROM device_requests WHERE +partition >= 0 AND expires_at <= :anHourAgo LIMIT :most) AS few
    UNION ALL SELECT 'clients', COUNT(*) FROM (SELECT 1 FROM clients WHERE deleted_at <= :aDayAgo LIMIT :most) AS few
    UNION ALL SELECT 'unused_clients', COUNT(*) FROM (SELECT 1 FROM clients WHERE forget_after <= :now LIMIT :most) AS few
    UNION ALL SELECT 'client_endings', COUNT(*) FROM (SELECT 1 FROM clients WHERE ending IS NOT NULL LIMIT :most) AS few
    UNION ALL SELECT 'history', COUNT(*) FROM (SELECT 1 FROM history WHERE +partition >= 0 AND at <= :historyBefore LIMIT :most) AS few
    UNION ALL SELECT 'invitations', COUNT(*) FROM (SELECT 1 FROM invitations WHERE +partition >= 0 AND expires_at <= :aDayAgo LIMIT :most) AS few
    UNION ALL SELECT 'mail_links', COUNT(*) FROM (SELECT 1 FROM mail_links WHERE +partition >= 0 AND expires_at <= :now LIMIT :most) AS few
    UNION ALL SELECT 'mail_requests', COUNT(*) FROM (SELECT 1 FROM mail_requests WHERE +partition >= 0 AND due_at <= :aDayAgo LIMIT :most) AS few
    UNION ALL SELECT 'removed_factors', COUNT(*) FROM (SELECT 1 FROM removed_factors WHERE +partition >= 0 AND until <= :now LIMIT :most) AS few
    UNION ALL SELECT 'former_addresses', COUNT(*)
      FROM (SELECT 1 FROM former_addresses WHERE +partition >= 0 AND until <= :addressesBefore LIMIT :most) AS few
    UNION ALL SELECT 'outbox', COUNT(*)
      FROM (SELECT 1 FROM outbox WHERE +partition >= 0 AND status <> 'waiting' AND created_at <= :thirtyDaysAgo LIMIT :most) AS few
    UNION ALL SELECT 'people', COUNT(*) FROM (SELECT 1 FROM people WHERE +partition >= 0 AND delete_at <= :now LIMIT :most) AS few
    UNION ALL SELECT 'company_requests', COUNT(*)
      FROM (SELECT 1 FROM company_requests WHERE +partition >= 0 AND status <> 'open' AND decided_at <= :ninetyDaysAgo LIMIT :most) AS few
    UNION ALL SELECT 'names', COUNT(*) FROM (SELECT 1 FROM names WHERE +partition >= 0 AND status = 'reserved' AND reserved_at < :anHourAgo LIMIT :most) AS few`,
  bind: ({ now, most }) => ({
    now,
    most,
    historyBefore: now - HISTORY_KEPT,
    devicesBefore: now - KNOWN_DEVICE_TTL,
    addressesBefore: now - ADDRESS_TOLD,
    anHourAgo: now - HOUR,
    aDayAgo: now - DAY,
    thirtyDaysAgo: now - 30 * DAY,
    ninetyDaysAgo: now - 90 * DAY,
  }),
  outcome: (rows) => Object.fromEntries(rows.map((row) => [text(row, "kind"), whole(row, "due")])),
});
