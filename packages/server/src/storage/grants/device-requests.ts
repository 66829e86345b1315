/** Verbs of the device flow: a request, the owner's answer, and the one grant that follows (RFC 8628 §§3.1–3.5). */

import { type Reach, sooner, underOffline } from "../../oauth/consent-reach.ts";
import type { Consent, GrantedScope, Millis } from "../../oauth/model.ts";
import type {
  DeviceApproval,
  DeviceRequest,
  NewDeviceRequest,
  PollDevice,
  PollDeviceOutcome,
  RedeemDevice,
  RedeemDeviceOutcome,
} from "../../oauth/storage.ts";
import { cappedEnds, lastDecision, upToRule } from "../../owners/company-rules.ts";
import type { AppRule } from "../../owners/company-storage.ts";
import { consentUnder, isPaused } from "../../owners/consent-after-decision.ts";
import type { ApproveDevice, DecideDeviceOutcome, DeviceClaim } from "../../owners/storage.ts";
import { rememberAnswer } from "../companies/remembered-company-choices.ts";
import { givenFor, lockConsent, recordApproval, sparing, writeConsent } from "../consents/consents.ts";
import { changeOwnGrants, goOn } from "../consents/grants-of-consent.ts";
import { noteConnected } from "../consents/history.ts";
import { query, type Row, sql, statement, steps, transaction } from "../define-verbs.ts";
import { grantOf, json, text, textOrNull, whole } from "../row-conversion.ts";
import { ownerVerdict } from "./grant-lifecycle.ts";
import { insertRedeemed } from "./issue-without-code.ts";
import { supersede } from "./supersede-oldest-grants.ts";

/** Added to the interval after each poll that came too early (§3.5). */
const SLOWER: Millis = 5000;

/** The user code is unique among all rows: those of the last hour, because housekeeping deletes older ones. */
export const createDevice = statement<NewDeviceRequest, boolean>({
  lock: "requestId",
  sql: sql`INSERT INTO device_requests (partition, request_id, user_code_hash, salt_hash, client_id, scopes, address, status, poll_interval,
      hurried, created_at, expires_at)
    VALUES (:partition, :requestId, :userCodeHash, :saltHash, :clientId, :scopes, :address, 'pending', :interval, 0, :now, :expiresAt)
    ON CONFLICT DO NOTHING RETURNING request_id`,
  bind: (args) => ({ ...args, scopes: JSON.stringify(args.scopes) }),
  outcome: (row) => row !== undefined,
});

/**
 * A poll may come up to a tenth of the interval early, because the network can delay one request more than the next.
 */
const tooEarly = sql`(last_poll_at IS NOT NULL AND (:now - last_poll_at) * 10 < poll_interval * 9)`;

/**
 * If the request is pending, one statement judges the poll and records it. Otherwise it writes nothing and returns the
 * row.
 */
export const pollDevice = statement<PollDevice, PollDeviceOutcome>({
  lock: "requestId",
  sql: sql`UPDATE device_requests SET
      hurried = CASE WHEN ${tooEarly} THEN 1 ELSE 0 END,
      poll_interval = CASE WHEN ${tooEarly} THEN poll_interval + :slower ELSE poll_interval END,
      last_poll_at = :now
    WHERE partition = :partition AND request_id = :requestId AND salt_hash = :saltHash AND client_id = :clientId
      AND status = 'pending' AND expires_at > :now
    RETURNING hurried, scopes`,
  why: sql`SELECT status, expires_at, approval FROM device_requests
    WHERE partition = :partition AND request_id = :requestId AND salt_hash = :saltHash AND client_id = :clientId`,
  bind: (args) => ({ ...args, slower: SLOWER }),
  outcome: (row, { now }, why) => {
    if (row !== undefined && whole(row, "hurried") === 1) return { kind: "slow_down" };
    if (row !== undefined) return { kind: "pending", scopes: json<readonly string[]>(row, "scopes") };
    return why === undefined ? { kind: "unknown" } : settled(why, now);
  },
});

function settled(row: Row, now: Millis): PollDeviceOutcome {
  const status = text(row, "status");
  if (status === "spent" || status === "denied") return { kind: status };
  if (status !== "approved" || whole(row, "expires_at") <= now) return { kind: "expired" };
  return { kind: "approved", approval: json<DeviceApproval>(row, "approval") };
}

/**
 * Makes the grant first, in its owner's partition, then ends the request. After a crash between the two, the next poll
 * finds that the grant exists.
 */
export const redeemDevice = steps<RedeemDevice, RedeemDeviceOutcome>(async (call, args) => {
  const outcome = await call(grantDevice, args);
  await call(spendDevice, args);
  return outcome;
});

/**
 * Only the call that inserts the row gets the grant. The grant depends on the consent of the owner's answer; without
 * that consent there is no grant.
 */
export const grantDevice = transaction<RedeemDevice, RedeemDeviceOutcome>(async (tx, args) => {
  const { approval, clientId, ceiling, now } = args;
  const { onceUntil: _onceUntil, once: _once, ends: _ends, endsBy: _endsBy, approvedAt, ...rest } = approval;
  const { partition, ownerId } = rest;
  const owner = await ownerVerdict(tx, { ...approval, clientId, ceiling }, now);
  const { verdict, trustedFrom, reach } = owner;
  // If the password changed after the answer, everything that the old password had allowed has ended. The same holds
  // after the person left the company.
  if ((verdict !== "decides" && verdict !== "approved") || trustedFrom > approvedAt) return { kind: "no_owner" };
  // The job that ends the grants of a disabled client visits each owner once. After that visit, no grant may be made.
  if (reach === undefined) return { kind: "no_owner" };
  const record = await lockConsent(tx, { partition, ownerId, clientId });
  const approved = verdict === "approved" ? owner.approval : undefined;
  const raised = record && reach && upToRule(record, approved, reach, now, approval.scopes);
  const consent = raised && consentUnder(raised, ceiling);
  // If the consent record began after the answer, it belongs to another decision: the record that the answer made has
  // ended.
  if (consent?.status !== "active" || isPaused(consent) || consent.createdAt > approvedAt) return { kind: "blocked" };
  const onlyOnce = onceScopes(approval);
  const scopes = grantedScopes(approval, consent, owner.approval, reach, now);
  if (scopes.length === 0) return { kind: "blocked" };
  const names = scopes.map(({ name }) => name);
  const grant = underOffline({ ...rest, clientId, ceiling, scopes: names }, names, consent, owner.chosen);
  const lasting = grant.scopes.filter((name) => !onlyOnce.has(name));
  const decidedAt = lasting.length > 0 ? lastDecision(consent.scopes, lasting, owner.approval, now) : approvedAt;
  const made = await insertRedeemed(tx, { ...args, grant }, scopes, decidedAt);
  if (made === undefined) return { kind: "taken" };
  await supersede(tx, grant, consent.shown.clientName, now);
  return { kind: "issued", grant: grantOf(made) };
});

export const spendDevice = statement<Pick<RedeemDevice, "partition" | "requestId">, boolean>({
  lock: "requestId",
  sql: sql`UPDATE device_requests SET status = 'spent', approval = NULL
    WHERE partition = :partition AND request_id = :requestId AND status = 'approved' RETURNING request_id`,
  bind: ({ partition, requestId }) => ({ partition, requestId }),
  outcome: (row) => row !== undefined,
});

const coded = sql`partition = :partition AND user_code_hash = :userCodeHash`;
const requestColumns = sql`partition, request_id, client_id, scopes, address, created_at, expires_at`;

function requestOf(row: Row): DeviceRequest {
  return {
    partition: whole(row, "partition"),
    requestId: text(row, "request_id"),
    clientId: text(row, "client_id"),
    scopes: json<readonly string[]>(row, "scopes"),
    address: textOrNull(row, "address"),
    createdAt: whole(row, "created_at"),
    expiresAt: whole(row, "expires_at"),
  };
}

/** One statement finds and claims the request: if two sessions enter the same code, the first one gets it. */
export const claimDevice = statement<DeviceClaim & { readonly before: string | null }, DeviceRequest | undefined>({
  lock: "userCodeHash",
  sql: sql`UPDATE device_requests SET claimed_by = :sessionId
    WHERE ${coded} AND status = 'pending' AND expires_at > :now
      AND (claimed_by IS NULL OR claimed_by = :sessionId OR claimed_by = :before)
    RETURNING ${requestColumns}`,
  bind: ({ partition, userCodeHash, sessionId, before, now }) => ({ partition, userCodeHash, sessionId, before, now }),
  outcome: (row) => row && requestOf(row),
});

/**
 * The consent record in the owner's partition, then the mark for the next poll. Interrupted between the two, the owner sees their yes among
 * their apps, the page tells of a fault, and pressing again does the same once more.
 */
export const approveDevice = steps<ApproveDevice, DecideDeviceOutcome | "no_consent">(async (call, args) => {
  const answer = await call(previewDeviceAnswer, args);
  if (answer !== "decided") return answer;
  if (!(await call(recordDevice, args))) return "no_consent";
  return call(markApproved, args);
});

/** False: the person may not answer so for the owner, or the owner or the client was disabled or deleted. */
export const recordDevice = transaction<ApproveDevice, boolean>(async (tx, args) => {
  const { approval, clientId, ceiling } = args;
  const { partition, ownerId, scopes } = approval;
  const owned = { ...approval, clientId, ceiling };
  if (scopes.length === 0) return false;
  const { verdict, isAdmin, approval: rule, reach, chosen } = await ownerVerdict(tx, owned, args.now, args.trustedFrom);
  if ((verdict !== "decides" && verdict !== "approved") || reach === undefined) return false;
  const record = await lockConsent(tx, { partition, ownerId, clientId });
  if (isPaused(record) && !(args.resumes === true && verdict === "decides" && isAdmin)) return false;
  if (verdict === "approved" && record?.status !== "active") return false;
  const remembered = args.remembered ?? { declined: args.declined, ends: {} };
  const about = { lasting: !isOnce(approval), chosen, record, reach };
  await rememberAnswer(tx, { ...approval, clientId }, remembered, about, args.now);
  // If an admin approved the app for all members, the record exists already, with at least what the approval covers.
  if (verdict === "approved" && record !== undefined) {
    const raised = upToRule(record, rule, reach, args.now, scopes);
    if (raised !== record) writeConsent(tx, raised);
    const consent = consentUnder(raised, ceiling);
    const { shown, texts = {} } = args;
    const given = grantedScopes(approval, consent, rule, reach, args.now);
    const decidedAt = lastDecision(consent.scopes, scopes, rule, args.now);
    const removed = await changeOwnGrants(tx, owned, given, { ...remembered, decidedAt }, args.now);
    await noteConnected(tx, owned, {
      ...{ clientName: consent.shown.clientName, via: "device", now: args.now },
      ...{ scopes: given, removed },
      shown: { locale: shown.locale, texts },
    });
    return true;
  }
  const decision = { ...args, ...givenFor(reach), grant: { partition, ownerId, clientId, scopes, ceiling } };
  const after = await recordApproval(tx, record, sparing(decision, approval.personId), approval.grantId);
  if (isPaused(record)) {
    const given = grantedScopes(approval, consentUnder(after, ceiling), rule, reach, args.now);
    await goOn(tx, after, { by: approval.personId, ceiling, now: args.now }, given);
  }
  return true;
});

function onceScopes({ onceUntil, once, scopes }: DeviceApproval): ReadonlySet<string> {
  return new Set(onceUntil === null ? [] : (once ?? scopes));
}

/** The scopes of the answer that the owner's consent still grants, with their ends. */
function grantedScopes(
  approval: DeviceApproval,
  consent: Pick<Consent, "scopes">,
  rule: AppRule | undefined,
  reach: Reach,
  now: Millis,
): readonly GrantedScope[] {
  const { onceUntil, ends = {}, endsBy = null, scopes } = approval;
  const onlyOnce = onceScopes(approval);
  const endIn = (name: string) => (Object.hasOwn(ends, name) ? (ends[name] ?? null) : null);
  const held: readonly GrantedScope[] = [
    ...consent.scopes
      .filter(({ name }) => !onlyOnce.has(name))
      .map((scope) => ({ ...scope, expiresAt: sooner(scope.expiresAt, endIn(scope.name)) })),
    ...[...onlyOnce].map((name) => ({ name, expiresAt: onceEnd(name, onceUntil, consent.scopes, now) })),
  ];
  return cappedEnds(held, () => endsBy, rule, reach)
    .filter(({ name, expiresAt }) => scopes.includes(name) && (expiresAt === null || expiresAt > now))
    .map(({ name, expiresAt }): GrantedScope => ({ name, expiresAt }));
}

/** The end of a scope that is for this once: no later than the end that it has in the record, if it is active there. */
function onceEnd(name: string, onceUntil: Millis | null, held: readonly GrantedScope[], now: Millis): Millis | null {
  const active = held.find((scope) => scope.name === name)?.expiresAt ?? null;
  return active === null || active <= now || onceUntil === null ? onceUntil : Math.min(active, onceUntil);
}

/** True: all scopes are allowed for this once. */
function isOnce({ onceUntil, once, scopes }: DeviceApproval): boolean {
  return onceUntil !== null && scopes.every((name) => once?.includes(name) ?? true);
}

/**
 * The outcome that an answer of this session would have now; `decided` means that the request would take the answer.
 */
export const previewDeviceAnswer = query<DeviceClaim, DecideDeviceOutcome>({
  sql: sql`SELECT status, claimed_by, expires_at FROM device_requests WHERE ${coded}`,
  bind: ({ partition, userCodeHash }) => ({ partition, userCodeHash }),
  outcome: ([row], claim) => outcomeOfAnswer(row, claim),
});

function outcomeOfAnswer(row: Row | undefined, { sessionId, now }: DeviceClaim): DecideDeviceOutcome {
  if (row === undefined || textOrNull(row, "claimed_by") !== sessionId) return "unknown";
  const status = text(row, "status");
  if (status !== "pending") return status === "denied" ? "denied" : "allowed";
  return whole(row, "expires_at") > now ? "decided" : "unknown";
}

const answerable = sql`${coded} AND status = 'pending' AND claimed_by = :sessionId AND expires_at > :now`;
const whyNotAnswered = sql`SELECT status, claimed_by, expires_at FROM device_requests WHERE ${coded}`;

export const markApproved = statement<ApproveDevice, DecideDeviceOutcome>({
  lock: "userCodeHash",
  sql: sql`UPDATE device_requests SET status = 'approved', decided_at = :now, approval = :approval WHERE ${answerable} RETURNING status`,
  why: whyNotAnswered,
  bind: ({ partition, userCodeHash, sessionId, now, approval }) => ({
    ...{ partition, userCodeHash, sessionId, now },
    approval: JSON.stringify(approval),
  }),
  outcome: (row, args, why) => (row === undefined ? outcomeOfAnswer(why, args) : "decided"),
});

export const denyDevice = statement<DeviceClaim, DecideDeviceOutcome>({
  lock: "userCodeHash",
  sql: sql`UPDATE device_requests SET status = 'denied', decided_at = :now WHERE ${answerable} RETURNING status`,
  why: whyNotAnswered,
  bind: ({ partition, userCodeHash, sessionId, now }) => ({ partition, userCodeHash, sessionId, now }),
  outcome: (row, args, why) => (row === undefined ? outcomeOfAnswer(why, args) : "decided"),
});
