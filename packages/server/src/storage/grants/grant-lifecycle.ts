/** Verbs of a grant from its code to its end (RFC 6749 §§4.1.3, 6; RFC 7009 §2). */

import { type Reach, reachOf, scopesAt, sooner, underOffline } from "../../oauth/consent-reach.ts";
import { type Client, type Grant, type GrantedScope, type Millis, NEVER } from "../../oauth/model.ts";
import { SCOPE_MARGIN } from "../../oauth/scope.ts";
import {
  type EndGrant,
  type EndOutcome,
  type FindGrant,
  type IssueGrant,
  type IssueOutcome,
  type NewGrant,
  type RedeemCode,
  type RedeemOutcome,
  type RefreshGrant,
  type RefreshOutcome,
  USE_RECORDED_EVERY,
} from "../../oauth/storage.ts";
import {
  approvalFor,
  cappedEnds,
  chosenEndOf,
  lastDecision,
  needsNoPage,
  upToRule,
  type Verdict,
  verdictOn,
} from "../../owners/company-rules.ts";
import type { Acting, AppRule } from "../../owners/company-storage.ts";
import { consentUnder, decidedScopes, isPaused } from "../../owners/consent-after-decision.ts";
import type { Approve, Refuse } from "../../owners/storage.ts";
import { lockActing } from "../companies/members.ts";
import { obtainable, rememberAnswer } from "../companies/remembered-company-choices.ts";
import { givenFor, lockConsent, recordApproval, sparing, writeConsent } from "../consents/consents.ts";
import { noteReconnected, noteRefused } from "../consents/entries-of-a-day.ts";
import { activeGrants, changeOwnGrants, goOn, presentAccess } from "../consents/grants-of-consent.ts";
import { note, noteConnected } from "../consents/history.ts";
import { query, type Row, sql, statement, type Tx, transaction, words } from "../define-verbs.ts";
import { passClientGate } from "../operator/client-advisory-lock.ts";
import { expectNotice } from "../people/logout-notices.ts";
import {
  ALARM_VISITED,
  AUTH_TIME_UNKNOWN,
  consentColumns,
  consentOf,
  DAY,
  ENDED_KEPT,
  flag,
  grantColumns,
  grantOf,
  isUnpaused,
  json,
  pausedSince,
  text,
  whole,
  wholeOrNull,
} from "../row-conversion.ts";
import { LIVE_GRANTS, supersede } from "./supersede-oldest-grants.ts";
import { keepUses, useColumns } from "./uses.ts";

/** How often the server makes the successor of a refresh token again. */
const RETRIES = 3;

/**
 * redirect_uri and PKCE (RFC 7636 §4.6) match the row. If a verifier is required and missing, the value is NULL, which
 * does not count as true. Each WHEN is a whole condition: Citus sends a wrong statement to its workers for
 * `CASE column WHEN value`.
 */
const proven = sql`(redirect_uri = :redirectUri AND CASE
    WHEN code_challenge_method = 'S256' THEN code_challenge = :s256
    WHEN code_challenge_method = 'plain' THEN code_challenge = :plain
    ELSE :s256 IS NULL AND :plain IS NULL END)`;
const first = sql`(generation = 0 AND ${proven})`;
const presented = sql`partition = :partition AND grant_id = :grantId AND code_salt_hash = :codeSaltHash AND client_id = :clientId
      AND status = 'active' AND ${isUnpaused} AND absolute_until > :now`;
const redeemable = sql`code_until > :now AND (:resourceNamed = 1 OR audience IS NOT NULL)`;

/** The first use of a code, with every value right. */
export const firstUse = sql`${presented} AND ${first} AND ${redeemable}`;

/**
 * RFC 6749 §4.1.3: one statement compares and redeems the code, and ends the grant where it must. A second use reaches
 * the row only if everything else is right (RFC 9700 §4.5). A first use with a wrong value burns the code. The
 * statement changes only rows that are `active`, so RETURNING shows what this call did: `burned` and `replayed` were
 * set here, and generation 1 was 0 before.
 */
export const redeemCode = statement<RedeemCode, RedeemOutcome>({
  lock: "grantId",
  sql: sql`UPDATE grants SET
      status = CASE WHEN generation > 0 THEN 'replayed' WHEN ${first} THEN 'active' ELSE 'burned' END,
      ended_at = CASE WHEN ${first} THEN ended_at ELSE :now END,
      collect_at = CASE WHEN generation > 0 THEN :alarmVisited WHEN ${first} THEN collect_at ELSE :endedKept END,
      refresh_salt_hash = CASE WHEN ${first} THEN :refreshSaltHash ELSE refresh_salt_hash END,
      last_used_at = CASE WHEN ${first} THEN :now ELSE last_used_at END,
      used_from = CASE WHEN ${first} THEN :network ELSE used_from END,
      uses = CASE WHEN ${first} THEN uses + 1 ELSE uses END,
      idle_until = CASE WHEN generation > 0 THEN idle_until WHEN refreshable = 1 THEN :idleUntil ELSE :accessUntil END,
      absolute_until = CASE WHEN generation > 0 OR refreshable = 1 OR absolute_until < :accessUntil THEN absolute_until
        ELSE :accessUntil END,
      generation = CASE WHEN ${first} THEN 1 ELSE generation END
    WHERE ${presented} AND CASE WHEN generation = 0 THEN ${redeemable} ELSE idle_until > :now AND ${proven} END
    RETURNING ${grantColumns}`,
  why: sql`SELECT client_id, status, ${pausedSince}, generation, code_until, idle_until, absolute_until FROM grants
    WHERE partition = :partition AND grant_id = :grantId AND code_salt_hash = :codeSaltHash`,
  bind: ({ resourceNamed, network, ...args }) => ({
    ...args,
    network: network ?? null,
    resourceNamed: flag(resourceNamed),
    endedKept: args.now + ENDED_KEPT,
    alarmVisited: args.now + ALARM_VISITED,
  }),
  outcome: (row, args, why) => {
    if (row === undefined) return whyNotRedeemed(why, args);
    const grant = grantOf(row);
    if (grant.status === "burned" || grant.status === "replayed") return { kind: grant.status, grant };
    return { kind: "redeemed", grant };
  },
});

function whyNotRedeemed(row: Row | undefined, { clientId, now }: RedeemCode): RedeemOutcome {
  if (row === undefined || text(row, "client_id") !== clientId || text(row, "status") !== "active")
    return { kind: "unknown" };
  if (whole(row, "absolute_until") <= now || row["paused_at"] !== null) return { kind: "unknown" };
  if (whole(row, "generation") > 0) return { kind: whole(row, "idle_until") > now ? "replay_invalid" : "unknown" };
  return { kind: whole(row, "code_until") > now ? "needs_resource" : "unknown" };
}

const current = sql`(generation = :generation)`;
const rotating = sql`(generation = :generation AND :rotate = 1)`;
const again = sql`(generation = :generation + 1 AND retries < :retries AND rotated_at >= :retryFrom)`;
const refreshed = sql`partition = :partition AND grant_id = :grantId AND refresh_salt_hash = :refreshSaltHash AND client_id = :clientId
      AND status = 'active' AND ${isUnpaused} AND refreshable = 1 AND idle_until > :now AND absolute_until > :now
      AND COALESCE(decided_at, created_at) > :decidedAfter
      AND (:resourceNamed = 1 OR audience IS NOT NULL)`;

/** A use of the newest refresh token. */
export const newestUsed = sql`${refreshed} AND :generation >= 1 AND ${current}`;

/**
 * RFC 6749 §6, RFC 9700 §4.14.2: one statement decides between rotation, retry and theft, so that no other request
 * comes in between. A rotation sets `retries` to 0, and a retry leaves it above 0. The returned row shows which of the
 * two happened.
 */
export const refreshGrant = statement<RefreshGrant, RefreshOutcome>({
  lock: "grantId",
  look: {
    when: ({ rotate }) => !rotate,
    sql: sql`SELECT ${grantColumns} FROM grants WHERE ${refreshed} AND generation = :generation AND last_used_at > :recently
      AND (:whole = 0 OR whole_used_at > :recently)`,
    bind: ({ rotate: _, resourceNamed, whole: all, network: __, ...args }) => ({
      ...args,
      whole: flag(all ?? false),
      resourceNamed: flag(resourceNamed),
      recently: args.now - USE_RECORDED_EVERY,
    }),
    outcome: (row) => (row === undefined ? undefined : { kind: "kept", grant: grantOf(row) }),
  },
  sql: sql`UPDATE grants SET
      status = CASE WHEN ${current} OR ${again} THEN status ELSE 'theft' END,
      ended_at = CASE WHEN ${current} OR ${again} THEN ended_at ELSE :now END,
      collect_at = CASE WHEN ${current} OR ${again} THEN collect_at ELSE :alarmVisited END,
      retries = CASE WHEN ${rotating} THEN 0 WHEN ${again} THEN retries + 1 ELSE retries END,
      rotated_at = CASE WHEN ${rotating} THEN :now ELSE rotated_at END,
      last_used_at = CASE WHEN ${current} THEN :now ELSE last_used_at END,
      whole_used_at = CASE WHEN ${current} AND :whole = 1 THEN :now ELSE whole_used_at END,
      used_from = CASE WHEN ${current} THEN :network ELSE used_from END,
      uses = CASE WHEN ${current} THEN uses + 1 ELSE uses END,
      idle_until = CASE WHEN ${current} THEN :idleUntil ELSE idle_until END,
      generation = CASE WHEN ${rotating} THEN generation + 1 ELSE generation END
    WHERE ${refreshed} AND :generation >= 1 AND generation >= :generation
    RETURNING ${grantColumns}`,
  why: sql`SELECT ${grantColumns} FROM grants
    WHERE partition = :partition AND grant_id = :grantId AND refresh_salt_hash = :refreshSaltHash`,
  bind: ({ rotate, resourceNamed, whole: all, network, ...args }) => ({
    ...args,
    whole: flag(all ?? false),
    network: network ?? null,
    rotate: flag(rotate),
    resourceNamed: flag(resourceNamed),
    retries: RETRIES,
    alarmVisited: args.now + ALARM_VISITED,
  }),
  outcome: (row, args, why) => {
    if (row === undefined) return whyNotRefreshed(why, args);
    const grant = grantOf(row);
    if (grant.status === "theft") return { kind: "theft", grant };
    if (grant.generation === args.generation) return { kind: "kept", grant };
    return { kind: grant.retries === 0 ? "rotated" : "retried", grant };
  },
});

function whyNotRefreshed(
  row: Row | undefined,
  { clientId, generation, resourceNamed, decidedAfter, now }: RefreshGrant,
): RefreshOutcome {
  const grant = row && grantOf(row);
  if (grant === undefined || generation < 1) return { kind: "unknown" };
  if (grant.clientId !== clientId) return { kind: "other_client", clientId: grant.clientId };
  if (grant.status === "state_lost") return { kind: "ahead" };
  if (grant.status !== "active") return { kind: "ended", status: grant.status };
  if (!grant.refreshable) return { kind: "not_refreshable" };
  const isOver = Math.min(grant.idleUntil, grant.absoluteUntil) <= now || grant.decidedAt <= decidedAfter;
  if (isOver || grant.pausedAt !== null) return { kind: "ended", status: isOver ? "expired" : "paused" };
  if (!resourceNamed && grant.audience === null) return { kind: "needs_resource", grant };
  return { kind: "ahead" };
}

/** The row with any status. The caller judges it. */
export const findGrant = query<FindGrant, Grant | undefined>({
  sql: sql`SELECT ${grantColumns} FROM grants WHERE partition = :partition AND grant_id = :grantId
      AND (code_salt_hash = :saltHash OR refresh_salt_hash = :saltHash OR :saltHash IS NULL)`,
  bind: ({ partition, grantId, saltHash }) => ({ partition, grantId, saltHash }),
  outcome: ([row]) => (row === undefined ? undefined : grantOf(row)),
});

/** RFC 7009 §2.1: a refresh token of any generation ends its grant. A token of another client changes nothing. */
export const endGrant = transaction<EndGrant, EndOutcome>(
  async (tx, { partition, grantId, saltHash, clientId, now }) => {
    // Consents are locked before grants.
    const found = await tx.one(
      sql`SELECT owner_id FROM grants WHERE partition = :partition AND grant_id = :grantId AND refresh_salt_hash = :saltHash
        AND client_id = :clientId AND status = 'active'`,
      { partition, grantId, saltHash, clientId },
    );
    if (found !== undefined) await lockConsent(tx, { partition, ownerId: text(found, "owner_id"), clientId });
    const ended = await tx.one(
      sql`UPDATE grants SET status = 'client_revoked', ended_at = :now, collect_at = :endedKept
      WHERE partition = :partition AND grant_id = :grantId AND refresh_salt_hash = :saltHash AND client_id = :clientId AND status = 'active'
      RETURNING owner_id, person_id, scopes, ${useColumns}`,
      { partition, grantId, saltHash, clientId, now, endedKept: now + ENDED_KEPT },
    );
    if (ended !== undefined) {
      const scopes = json<readonly GrantedScope[]>(ended, "scopes");
      const ownerId = text(ended, "owner_id");
      const personId = text(ended, "person_id");
      await keepUses(tx, { partition, ownerId }, [ended]);
      await note(tx, {
        ...{ partition, ownerId, clientId, at: now, kind: "given_up" },
        record: {
          ...{ clientName: null, by: "client", via: null, scopes, removed: [], expiresAt: null, grantId },
          ...(personId === ownerId ? {} : { personId }),
        },
      });
      return { kind: "ended" };
    }
    const row = await tx.one(
      sql`SELECT client_id FROM grants WHERE partition = :partition AND grant_id = :grantId AND refresh_salt_hash = :saltHash`,
      { partition, grantId, saltHash },
    );
    if (row === undefined) return { kind: "unknown" };
    return { kind: text(row, "client_id") === clientId ? "already_ended" : "other_client" };
  },
);

/** The active consent of a new grant, locked so that a revocation and the new grant run one after the other. */
const activeConsent = sql`SELECT ${consentColumns} FROM consents
  WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND status = 'active' ${words.forUpdate}`;

/**
 * Stores the answer of an owner who allows access: the grant and, unless the grant exists already, the consent record
 * and the changes in older grants.
 */
export const approve = transaction<Approve, IssueOutcome>(async (tx, args) => {
  const { grant, trustedFrom, now } = args;
  if (grant.scopes.length === 0) return { kind: "no_consent" };
  const [{ verdict, isAdmin, reach, chosen }, before, seen] = await Promise.all([
    ownerVerdict(tx, grant, now, trustedFrom),
    lockConsent(tx, grant),
    activeGrants(tx, grant, grant.ceiling, now),
  ]);
  if (verdict !== "decides" || reach === undefined) return { kind: "no_consent" };
  if (isPaused(before) && !(args.resumes === true && isAdmin)) return { kind: "no_consent" };
  const decision = sparing({ ...args, ...givenFor(reach) }, grant.personId);
  const { scopes, decidedAt, lasting } = decidedScopes(before, decision);
  const terms = { ...grant, refreshable: grant.refreshable && lasting };
  const row = underOffline(terms, grant.scopes, before, chosen);
  if (!(await insertGrant(tx, row, scopes, now, decidedAt))) return alreadyThere(tx, grant, now);
  const after = await recordApproval(tx, before, decision, grant.grantId, seen.live);
  if (isPaused(before)) await goOn(tx, after, { by: grant.personId, ceiling: grant.ceiling, now });
  const remembered = args.remembered ?? { declined: args.declined, ends: {} };
  await rememberAnswer(tx, grant, remembered, { lasting, chosen, record: before, reach }, now);
  if (grant.ownerId !== grant.personId || seen.own >= LIVE_GRANTS)
    await supersede(tx, grant, args.shown.clientName, now);
  return { kind: "issued", scopes };
});

/** Records a refusal, if the person may still answer for this owner. The lock keeps it out of the history of somebody deleted. */
export const refuse = transaction<Refuse, { readonly kind: "noted" | "unknown" }>(async (tx, args) => {
  const { verdict, reach } = await ownerVerdict(tx, args, args.now, args.trustedFrom);
  if (verdict === "stranger") return { kind: "unknown" };
  const { partition, ownerId, personId, clientId, ceiling, now } = args;
  const row = await tx.one(activeConsent, { partition, ownerId, clientId });
  const record = row && (await obtainable(tx, consentOf(row), personId, reach, now));
  const present = record && (await presentAccess(tx, record, ceiling, now, args.scopes));
  await noteRefused(tx, args, present ?? { scopes: [], expiresAt: null });
  return { kind: "noted" };
});

/** Makes a code without a page: RFC 6749 §4.1.2, for an owner who consented before. */
export const issueGrant = transaction<IssueGrant, IssueOutcome>(
  async (tx, { grant, ends = {}, answer, trustedFrom, now }) => {
    const { partition, ownerId, clientId } = grant;
    const [{ verdict, approval, chosen, reach }, row] = await Promise.all([
      ownerVerdict(tx, grant, now, trustedFrom),
      tx.one(activeConsent, { partition, ownerId, clientId }),
    ]);
    if ((verdict !== "decides" && verdict !== "approved") || reach === undefined) return { kind: "no_consent" };
    if (row === undefined) return { kind: "no_consent" };
    // The member may have answered otherwise since the request was judged, or an admin may have changed the rule.
    const isAsked = answer === undefined && chosen !== undefined && !needsNoPage(chosen, grant.scopes, reach, now);
    if (isAsked) return { kind: "no_consent" };
    const stored = consentOf(row);
    // Only a page that says so lets a paused app go on.
    if (isPaused(stored)) return { kind: "no_consent" };
    const consent = upToRule(stored, verdict === "approved" ? approval : undefined, reach, now, grant.scopes);
    const here = scopesAt(consentUnder(consent, grant.ceiling).scopes, reach);
    const held = new Map(here.map((scope) => [scope.name, scope.expiresAt]));
    const decidedAt = lastDecision(here, grant.scopes, approval, now);
    const hasEnded = (end: Millis | null) => end !== null && end < now + SCOPE_MARGIN;
    const scopes: GrantedScope[] = [];
    for (const name of grant.scopes) {
      const expiresAt = held.get(name);
      if (expiresAt === undefined || hasEnded(expiresAt)) return { kind: "no_consent" };
      scopes.push({ name, expiresAt });
    }
    if (scopes.length === 0) return { kind: "no_consent" };
    // Without a page, a member's last answer still holds: no scope lasts longer than they chose for it then.
    const before = answer === undefined ? chosen : undefined;
    const chosenFor = (name: string) => sooner(ends[name] ?? null, chosenEndOf(before, name, reach));
    if (answer === undefined && grant.scopes.some((name) => hasEnded(chosenFor(name)))) return { kind: "no_consent" };
    const capped = cappedEnds(scopes, chosenFor, approval, reach);
    const terms = underOffline(grant, grant.scopes, consent, chosen);
    if (!(await insertGrant(tx, terms, capped, now, decidedAt))) return alreadyThere(tx, grant, now);
    if (consent !== stored) writeConsent(tx, consent);
    const removed = answer ? await changeOwnGrants(tx, grant, capped, { ...answer, decidedAt }, now) : [];
    const about = { lasting: answer?.chosen ?? false, chosen, record: consent, reach };
    if (answer !== undefined) await rememberAnswer(tx, grant, { ...answer, ends }, about, now);
    const { clientName } = consent.shown;
    await supersede(tx, grant, clientName, now);
    tx.later(
      sql`UPDATE consents SET uses = uses + 1
      WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
      { partition, ownerId, clientId },
    );
    if (answer === undefined) await noteReconnected(tx, grant, { clientName, scopes: capped, now });
    else
      await noteConnected(tx, grant, { clientName, via: "browser", scopes: capped, removed, shown: answer.read, now });
    return { kind: "issued", scopes: capped };
  },
);

/**
 * The owner, person, app and scopes of a grant that is to be made. If `redirectUri` is absent or empty, the answer goes
 * to the app itself.
 */
export type Ownership = Pick<NewGrant, "partition" | "ownerId" | "personId" | "clientId" | "scopes" | "ceiling"> &
  Partial<Pick<NewGrant, "redirectUri">>;

/**
 * Locks the owner against being disabled, and returns what the acting person may do in the owner's name. People decide
 * for themselves. In a company, it depends on the person's role and the company's rules, which can't change before the
 * transaction ends. Every transaction that makes something in an owner's name begins with this lock. So two first
 * decisions about one app run one after the other; otherwise both would find no record, and the later one would
 * overwrite the earlier. `seen`: the `trustedFrom` of the person's session. A password that was set since then ended
 * the session and everything that it had allowed.
 */
export async function ownerVerdict(tx: Tx, grant: Ownership, now: Millis, seen?: Millis): Promise<OwnerVerdict> {
  const found = await verdictOnOwner(tx, grant, now);
  return seen === undefined || seen === found.trustedFrom ? found : { ...found, verdict: "stranger" };
}

async function verdictOnOwner(tx: Tx, grant: Ownership, now: Millis): Promise<OwnerVerdict> {
  const { partition, ownerId, personId, clientId, scopes } = grant;
  if (ownerId !== personId) {
    const [acting, reach] = await Promise.all([
      lockActing(tx, { partition, companyId: ownerId, personId, clientId }),
      lockedReach(tx, grant),
    ]);
    const trustedFrom = acting?.member.trustedFrom ?? 0;
    const verdict = reach === undefined ? "stranger" : verdictOn(acting, scopes, reach, now);
    const approval = reach && approvalFor(acting, reach, now);
    const isAdmin = acting?.member.role === "admin";
    return { verdict, isAdmin, approval, chosen: acting, trustedFrom, reach };
  }
  const [row, reach] = await Promise.all([
    tx.one(
      sql`SELECT status, password_changed_at FROM people WHERE partition = :partition AND person_id = :ownerId ${words.forUpdate}`,
      { partition, ownerId },
    ),
    lockedReach(tx, grant),
  ]);
  const trustedFrom = row === undefined ? 0 : (wholeOrNull(row, "password_changed_at") ?? 0);
  const verdict = row !== undefined && text(row, "status") === "active" ? "decides" : "stranger";
  return { verdict, isAdmin: true, approval: undefined, chosen: undefined, trustedFrom, reach };
}

export interface OwnerVerdict {
  readonly verdict: Verdict;
  /** True: the person's answer may let a paused app go on. */
  readonly isAdmin: boolean;
  /** The approval under which a member of a company acts. Access ends no later. */
  readonly approval: AppRule | undefined;
  /** The member of a company, with their last answer. Undefined: the owner is the person. */
  readonly chosen: Acting | undefined;
  /** An answer from before this time is no longer valid. */
  readonly trustedFrom: Millis;
  /** The destination of the answer. Undefined: the client is disabled or deleted, and gets nothing. */
  readonly reach: Reach | undefined;
}

/**
 * Keeps the client from being changed, disabled or deleted. Undefined: it is disabled or deleted already, perhaps before this
 * process's catalog learned it. A client without a row was never registered; then the caller would not have called this
 * function.
 */
export async function lockedReach(
  tx: Tx,
  { clientId, redirectUri, ceiling }: Pick<Ownership, "clientId" | "redirectUri" | "ceiling">,
): Promise<Reach | undefined> {
  const [, row] = await Promise.all([
    passClientGate(tx, clientId),
    tx.one(sql`SELECT record FROM clients WHERE client_id = :clientId`, { clientId }),
  ]);
  const client = row === undefined || row["record"] === null ? undefined : json<Client>(row, "record");
  if (row !== undefined && client?.status !== "active") return undefined;
  return reachOf(client ?? {}, redirectUri === undefined || redirectUri === "" ? null : redirectUri, ceiling);
}

/** The end of the scope that lasts longest, as the column stores it. */
export function latestEnd(scopes: readonly GrantedScope[]): Millis {
  return Math.max(0, ...scopes.map(({ expiresAt }) => expiresAt ?? NEVER));
}

/**
 * Inserts the row. False: its id exists, and nothing changed. `decidedAt`: when the owner decided how long the grant
 * holds.
 */
export async function insertGrant(
  tx: Tx,
  grant: NewGrant,
  scopes: readonly GrantedScope[],
  now: Millis,
  decidedAt: Millis = now,
): Promise<boolean> {
  const { scopes: _, ceiling: _ceiling, amr, refreshable, authTime, accessUntil, toldOfLogout, ...rest } = grant;
  const end = latestEnd(scopes);
  const inserted = await tx.run(
    sql`INSERT INTO grants (partition, grant_id, client_id, owner_id, person_id, status, generation, refreshable, code_salt_hash, redirect_uri,
        code_challenge, code_challenge_method, scopes, audience, auth_time, acr, amr, created_at, code_until, retries, last_used_at, uses,
        idle_until, absolute_until, collect_at, decided_at, nonce, claims, sid)
      VALUES (:partition, :grantId, :clientId, :ownerId, :personId, 'active', :generation, :refreshable, :codeSaltHash, :redirectUri,
        :codeChallenge, :codeChallengeMethod, :scopes, :audience, :authTime, :acr, :amr, :now, :codeUntil, 0, :lastUsedAt, :generation,
        :idleUntil, :absoluteUntil, :collectAt, :decidedAt, :nonce, :claims, :sid)
      ON CONFLICT (partition, grant_id) DO NOTHING`,
    {
      ...rest,
      refreshable: flag(refreshable),
      scopes: JSON.stringify(scopes),
      authTime: authTime ?? AUTH_TIME_UNKNOWN,
      amr: JSON.stringify(amr),
      nonce: grant.nonce ?? null,
      claims: grant.claims == null ? null : JSON.stringify(grant.claims),
      sid: grant.sid ?? null,
      decidedAt,
      ...(accessUntil === null
        ? { generation: 0, lastUsedAt: null, idleUntil: grant.codeUntil, absoluteUntil: end }
        : { generation: 1, lastUsedAt: now, idleUntil: accessUntil, absoluteUntil: Math.min(end, accessUntil) }),
      now,
      // The row of a grant without a code, or with an unused one, outlives the page that can send the same decision
      // again.
      collectAt: (accessUntil ?? grant.codeUntil) + DAY,
    },
  );
  const { sid, clientId, personId } = grant;
  if (inserted === 1 && toldOfLogout && sid != null) await expectNotice(tx, { sid, clientId, personId }, now);
  return inserted === 1;
}

/**
 * The outcome of a second insert of the same grant. It is a double click for as long as the code, or the token in its
 * place, can still be issued again.
 */
export async function alreadyThere(tx: Tx, grant: NewGrant, now: Millis): Promise<IssueOutcome> {
  const row = await tx.one(
    sql`SELECT scopes, code_until FROM grants
      WHERE partition = :partition AND grant_id = :grantId AND client_id = :clientId AND code_salt_hash = :codeSaltHash
        AND status = 'active' AND ${isUnpaused} AND generation = :born AND code_until > :now AND absolute_until > :now`,
    {
      partition: grant.partition,
      grantId: grant.grantId,
      clientId: grant.clientId,
      codeSaltHash: grant.codeSaltHash,
      born: grant.accessUntil === null ? 0 : 1,
      now,
    },
  );
  return row === undefined
    ? { kind: "spent" }
    : { kind: "repeated", scopes: json<readonly GrantedScope[]>(row, "scopes") };
}
