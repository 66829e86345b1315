/** Verbs of token exchange: who acts for an owner through which app (RFC 8693). */

import { type Consent, type Millis, NEVER } from "../../oauth/model.ts";
import { USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type {
  Delegation,
  DelegationOutcome,
  RecordDelegation,
  RecordVouching,
} from "../../oauth/token-exchange/storage.ts";
import { isPaused } from "../../owners/consent-after-decision.ts";
import { noteDelegated, noteVouched } from "../consents/entries-of-a-day.ts";
import { query, sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { partitionOf } from "../partition.ts";
import { consentColumns, consentOf, isActive, isUnpaused, text, whole } from "../row-conversion.ts";

/**
 * The consents are locked before the grant, as in a revocation: an exchange comes before the end of the app's access, or is
 * refused because of it.
 */
export const recordDelegation = transaction<RecordDelegation, DelegationOutcome>(async (tx, args) => {
  const { partition, ownerId, clientId, askerId, grantId, now } = args;
  const [consents, blocked] = await Promise.all([lockedConsents(tx, args), blockedByCompany(tx, args)]);
  const app = consents.get(clientId);
  if (app?.status !== "active" || isPaused(app)) return "ended";
  const others = [args.actorId, askerId].filter((id) => id !== clientId);
  if (others.some((id) => blocked.has(id) || isEnded(consents.get(id)))) return "blocked";
  if (args.byConsent.length > 0 && !covers(consents.get(askerId), args)) return "blocked";
  const grant = await tx.one(
    sql`SELECT grant_id, last_used_at FROM grants WHERE partition = :partition AND grant_id = :grantId AND owner_id = :ownerId AND ${isActive}
      AND ${isUnpaused} AND idle_until > :now AND absolute_until > :now ${words.forUpdate}`,
    { partition, grantId, ownerId, now },
  );
  if (grant === undefined) return "ended";
  if (
    args.usedFrom !== null &&
    (grant["last_used_at"] === null || whole(grant, "last_used_at") <= now - USE_RECORDED_EVERY)
  ) {
    tx.later(
      sql`UPDATE grants SET last_used_at = :now, used_from = :usedFrom, uses = uses + 1
        WHERE partition = :partition AND grant_id = :grantId`,
      { partition, grantId, now, usedFrom: args.usedFrom },
    );
  }
  if (args.actorId !== clientId) await writeDelegation(tx, args);
  return "recorded";
});

export const vouch = steps<RecordVouching, boolean>(async (call, args) => {
  if (!(await call(recordVouching, args))) return false;
  // The member reads in their own history where their company let an app act for them.
  if (args.own !== undefined) await call(tellMember, args);
  return true;
});

/**
 * The admins' connection, the membership and the consent are locked, in the order of all changes of a company. So an end of
 * any of them comes before the ID-JAG or after it.
 */
export const recordVouching = transaction<RecordVouching, boolean>(async (tx, args) => {
  const { partition, ownerId, clientId, now } = args;
  if (args.own !== undefined && !(await standsFor(tx, args, args.own))) return false;
  const row = await tx.one(
    sql`SELECT ${consentColumns} FROM consents
      WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId ${words.forShare}`,
    { partition, ownerId, clientId },
  );
  const consent = row === undefined ? undefined : consentOf(row);
  if (consent?.status !== "active" || isPaused(consent) || (consent.expiresAt ?? NEVER) <= now) return false;
  // A permission for once is in no consent, so only a removal tells.
  if (consent.removed.includes(args.needs)) return false;
  await noteVouched(tx, args);
  return true;
});

const ownConnection = sql`SELECT k.connected_at FROM companies c
  JOIN members m ON m.partition = c.partition AND m.company_id = c.company_id
  JOIN company_connections k ON k.partition = c.partition AND k.company_id = c.company_id
  WHERE c.partition = :partition AND c.company_id = :ownerId AND c.status = 'active'
    AND m.person_id = :personId AND m.standing = 'active'
    AND k.client_id = :clientId AND k.audience = :audience AND k.connected_at = :connectedAt AND k.ends_at > :now
  ${words.forShare}`;

async function standsFor(
  tx: Tx,
  { partition, ownerId, personId, clientId, audience, now }: RecordVouching,
  { connectedAt }: NonNullable<RecordVouching["own"]>,
): Promise<boolean> {
  const key = { partition, ownerId, personId, clientId, audience };
  return (await tx.one(ownConnection, { ...key, connectedAt, now })) !== undefined;
}

export const tellMember = transaction<RecordVouching, void>(async (tx, args) => {
  const { personId, own } = args;
  await noteVouched(tx, { ...args, partition: partitionOf(personId), ownerId: personId }, own?.company);
});

/** In the order of their ids, as in every transaction that locks several consents of one owner. */
async function lockedConsents(
  tx: Tx,
  { partition, ownerId, clientId, actorId, askerId }: RecordDelegation,
): Promise<ReadonlyMap<string, Consent>> {
  const rows = await tx.all(
    sql`SELECT ${consentColumns} FROM consents
      WHERE partition = :partition AND owner_id = :ownerId AND client_id IN (:clientId, :actorId, :askerId)
      ORDER BY client_id ${words.forShare}`,
    { partition, ownerId, clientId, actorId, askerId },
  );
  return new Map(rows.map((row) => [text(row, "client_id"), consentOf(row)]));
}

const isEnded = (consent: Consent | undefined) => consent?.status === "revoked" || isPaused(consent);

/**
 * The clients among asker and actor that the company has blocked, or that the member has stopped for themselves. Such a client
 * need not have a consent: it acts through another app, and may never have asked for access of its own.
 */
async function blockedByCompany(
  tx: Tx,
  { partition, ownerId, personId, clientId, actorId, askerId }: RecordDelegation,
): Promise<ReadonlySet<string>> {
  if (ownerId === personId || (actorId === clientId && askerId === clientId)) return new Set();
  const rows = await tx.all(
    sql`SELECT client_id FROM company_rules
      WHERE partition = :partition AND company_id = :ownerId AND client_id IN (:actorId, :askerId) AND rule = 'block'
    UNION ALL
    SELECT client_id FROM company_opt_outs
      WHERE partition = :partition AND company_id = :ownerId AND client_id IN (:actorId, :askerId) AND person_id = :personId`,
    { partition, ownerId, personId, actorId, askerId },
  );
  return new Set(rows.map((row) => text(row, "client_id")));
}

/** A company's rule and the stop of its member count, whether or not there is a consent. */
export const isStopped = query<Pick<RecordDelegation, "partition" | "ownerId" | "personId" | "clientId">, boolean>({
  sql: sql`SELECT client_id FROM consents
      WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId
        AND (status = 'revoked' OR paused_at IS NOT NULL)
    UNION ALL
    SELECT client_id FROM company_rules
      WHERE partition = :partition AND company_id = :ownerId AND client_id = :clientId AND rule = 'block'
    UNION ALL
    SELECT client_id FROM company_opt_outs
      WHERE partition = :partition AND company_id = :ownerId AND client_id = :clientId AND person_id = :personId`,
  bind: ({ partition, ownerId, personId, clientId }) => ({ partition, ownerId, personId, clientId }),
  outcome: (rows) => rows.length > 0,
});

/** True: the owner's consent to the client still has the scopes that the token takes from it. */
function covers(consent: Consent | undefined, { byConsent, now }: RecordDelegation): boolean {
  if (consent?.status !== "active") return false;
  const live = consent.scopes.filter(({ expiresAt }) => (expiresAt ?? NEVER) > now);
  return byConsent.every((name) => live.some((scope) => scope.name === name));
}

async function writeDelegation(tx: Tx, delegation: RecordDelegation): Promise<void> {
  const { partition, ownerId, clientId, actorId, now } = delegation;
  const key = { partition, ownerId, clientId, actorId };
  const before = await tx.one(
    sql`SELECT last_used_at FROM delegations
      WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND actor_id = :actorId`,
    key,
  );
  const last = before === undefined ? 0 : whole(before, "last_used_at");
  if (last <= now - USE_RECORDED_EVERY) {
    tx.later(
      sql`INSERT INTO delegations (partition, owner_id, client_id, actor_id, actor_name, last_used_at)
        VALUES (:partition, :ownerId, :clientId, :actorId, :actorName, :now)
        ON CONFLICT (partition, owner_id, client_id, actor_id)
          DO UPDATE SET actor_name = excluded.actor_name, last_used_at = excluded.last_used_at`,
      { ...key, actorName: delegation.actorName, now },
    );
  }
  await noteDelegated(tx, delegation);
}

/** The latest use first. */
export const listDelegations = query<{ readonly partition: number; readonly ownerId: string }, readonly Delegation[]>({
  sql: sql`SELECT client_id, actor_id, actor_name, last_used_at FROM delegations
    WHERE partition = :partition AND owner_id = :ownerId ORDER BY last_used_at DESC, actor_id`,
  also: sql`SELECT client_id FROM consents WHERE partition = :partition AND owner_id = :ownerId AND status = 'revoked'
    UNION ALL
    SELECT client_id FROM company_rules WHERE partition = :partition AND company_id = :ownerId AND rule = 'block'`,
  bind: ({ partition, ownerId }) => ({ partition, ownerId }),
  outcome: (rows, _, ended) => {
    const stopped = new Set(ended.map((row) => text(row, "client_id")));
    return rows.map((row) => ({
      clientId: text(row, "client_id"),
      actorId: text(row, "actor_id"),
      actorName: text(row, "actor_name"),
      lastUsedAt: whole(row, "last_used_at") as Millis,
      stopped: stopped.has(text(row, "actor_id")),
    }));
  },
});

/** Deletes the records together with the consent of the app. */
export async function forgetDelegations(
  tx: Tx,
  { partition, ownerId, clientId }: Pick<RecordDelegation, "partition" | "ownerId" | "clientId">,
): Promise<void> {
  await tx.run(
    sql`DELETE FROM delegations WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    { partition, ownerId, clientId },
  );
}

/** Deletes the records together with the owner. */
export async function eraseDelegations(tx: Tx, partition: number, ownerId: string): Promise<void> {
  await tx.run(sql`DELETE FROM delegations WHERE partition = :partition AND owner_id = :ownerId`, {
    partition,
    ownerId,
  });
}
