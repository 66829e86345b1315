/** Verbs of apps in a company: the company's consents and rules, requests of members, and opt-outs. */

import { reachOf, underCeiling } from "../../oauth/consent-reach.ts";
import type { Consent, ListedGrant, Millis } from "../../oauth/model.ts";
import type { PauseOutcome, Pausing } from "../../owners/change-conditions.ts";
import { isForHost, isLeftOut, scopesTaken, standingRule, verdictOn } from "../../owners/company-rules.ts";
import type {
  AppRequest,
  AppRule,
  AskOutcome,
  ByAdmin,
  Company,
  CompanyApp,
  CompanyKey,
  CompanyStorage,
  ListedRule,
  NewRule,
  RuleOutcome,
  TrustedSince,
} from "../../owners/company-storage.ts";
import { narrow } from "../../owners/consent-after-decision.ts";
import type { StoredMail } from "../../owners/mail/storage.ts";
import {
  endConsent,
  lockConsent,
  lockedConsent,
  recordApproval,
  setPaused,
  writeConsent,
} from "../consents/consents.ts";
import { changeGrants, liveGrants, presentAccessOfMembers, takenAway } from "../consents/grants-of-consent.ts";
import { note, noteEnded } from "../consents/history.ts";
import { query, type Row, sql, type Tx, transaction, words } from "../define-verbs.ts";
import { lockedReach } from "../grants/grant-lifecycle.ts";
import {
  endedColumns,
  keepUses,
  listedGrantColumns,
  listedGrantOf,
  usedConsentColumns,
  usedConsentOf,
} from "../grants/uses.ts";
import { post } from "../mail/outbox.ts";
import { forgetConfigured } from "../operator/catalog-versions.ts";
import { statusOfClient } from "../operator/client-advisory-lock.ts";
import { ENDED_KEPT, grantColumns, grantOf, isActive, text, textOrNull, whole } from "../row-conversion.ts";
import { adminsOf } from "./acting-members.ts";
import { requestColumns, requestOf, ruleColumns, ruleOf } from "./company-row-conversion.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";
import { lockActing } from "./members.ts";

/** Maximum number of open requests of one person in a company. */
const OPEN_REQUESTS = 20;

const thisApp = sql`partition = :partition AND company_id = :companyId AND client_id = :clientId`;

export const listCompanyApps = query<CompanyKey & { readonly now: Millis }, readonly CompanyApp[]>({
  sql: sql`SELECT ${usedConsentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :companyId AND status = 'active' AND (expires_at IS NULL OR expires_at > :now)
    ORDER BY updated_at DESC, client_id`,
  also: sql`SELECT client_id, CAST(SUM(grants) AS ${words.whole}) AS grants, COUNT(*) AS people FROM (
      SELECT client_id, person_id, COUNT(*) AS grants FROM grants
      WHERE partition = :partition AND owner_id = :companyId AND ${isActive} AND idle_until > :now AND absolute_until > :now
      GROUP BY client_id, person_id) AS acting_people
    GROUP BY client_id`,
  bind: ({ partition, companyId, now }) => ({ partition, companyId, now }),
  outcome: (consents, _, counts) => {
    const byClient = new Map(counts.map((row) => [text(row, "client_id"), row]));
    return consents.map(usedConsentOf).map((consent) => {
      const row = byClient.get(consent.clientId);
      return {
        consent,
        grants: row === undefined ? 0 : whole(row, "grants"),
        people: row === undefined ? 0 : whole(row, "people"),
      };
    });
  },
});

export const listRules = query<CompanyKey, readonly ListedRule[]>({
  sql: sql`SELECT ${ruleColumns} FROM company_rules WHERE ${thisCompany} ORDER BY client_id`,
  also: sql`SELECT client_id, person_id FROM company_rule_members WHERE ${thisCompany} ORDER BY client_id, person_id`,
  bind: ({ partition, companyId }) => ({ partition, companyId }),
  outcome: (rows, _, members) =>
    rows.map(ruleOf).map((rule) => {
      const own = members.filter((row) => text(row, "client_id") === rule.clientId);
      return { ...rule, selected: own.map((row) => text(row, "person_id")) };
    }),
});

type SetRule = CompanyKey &
  ByAdmin & {
    readonly clientId: string;
    readonly members?: "keep" | "end";
    readonly news?: Parameters<CompanyStorage["companyApps"]["setRule"]>[0]["news"];
    readonly rule: NewRule | null;
    readonly seen?: Millis | null;
    readonly ceiling?: Millis | null;
    readonly shown: Consent["shown"];
  };

export const setRule = transaction<SetRule, RuleOutcome>(async (tx, args) => {
  const { partition, companyId, clientId, rule, by, now } = args;
  const company = await lockCompany(tx, args);
  if (company === undefined) return { kind: "unknown" };
  if (!(await isAdmin(tx, company, args))) return { kind: "not_admin" };
  const key = { partition, companyId, clientId };
  if (rule?.rule === "allow" && (await statusOfClient(tx, clientId)) === "deleted") return { kind: "changed" };
  const selected = rule?.rule === "allow" ? rule.selected : undefined;
  if (!(await isAsSeen(tx, args)) || !(await areMembers(tx, args, selected ?? []))) return { kind: "changed" };
  const [before] = (await tx.all(sql`DELETE FROM company_rules WHERE ${thisApp} RETURNING ${ruleColumns}`, key)).map(
    ruleOf,
  );
  if (rule === null) forgetConfigured(tx, "policies", `${companyId} ${clientId}`);
  await select(tx, args, selected ?? []);
  const decidedBy = by ?? "operator";
  await noteRule(tx, args, before, decidedBy);
  const isForAll = rule?.rule === "allow" && selected === undefined;
  const endsForMembers = args.members === "end" && !isForAll && rule?.rule !== "block";
  const grantsEnded = endsForMembers ? await endForMembers(tx, args, decidedBy) : 0;
  if (rule === null) return { kind: "done", grantsEnded, lastUsedAt: null };
  await tx.run(
    sql`INSERT INTO company_rules (partition, company_id, client_id, rule, audience, scopes, hosts, ends_at, opt_out, decided_by, decided_at)
      VALUES (:partition, :companyId, :clientId, :rule, :audience, :scopes, :hosts, :endsAt, 1, :decidedBy, :decidedAt)`,
    {
      ...key,
      rule: selected === undefined ? rule.rule : "ask",
      audience: selected === undefined ? "everybody" : "selected",
      scopes: JSON.stringify(rule.scopes),
      hosts: rule.hosts === null ? null : JSON.stringify(rule.hosts),
      endsAt: rule.endsAt,
      decidedBy,
      // Two rules of one millisecond must not look like one to a page.
      decidedAt: Math.max(now, (before?.decidedAt ?? 0) + 1),
    },
  );
  if (rule.rule === "allow") {
    await consentFor(tx, company, { ...args, rule }, decidedBy);
    await lowerCeiling(tx, { ...args, rule }, standingRule(before, { ceiling: args.ceiling ?? null }, now), decidedBy);
  }
  if (rule.rule !== "ask") await answerRequests(tx, { ...args, rule }, decidedBy);
  if (rule.rule !== "block") return { kind: "done", grantsEnded, lastUsedAt: null };
  await tx.run(sql`DELETE FROM company_choices WHERE ${thisApp}`, key);
  await tx.run(sql`DELETE FROM company_opt_outs WHERE ${thisApp}`, key);
  return ended(await endConsent(tx, { partition, ownerId: companyId, clientId, revokedBy: decidedBy, now }));
});

/** True: the rule is still the one that the admin saw. */
async function isAsSeen(tx: Tx, { partition, companyId, clientId, seen }: SetRule): Promise<boolean> {
  if (seen === undefined) return true;
  const row = await tx.one(sql`SELECT decided_at FROM company_rules WHERE ${thisApp}`, {
    ...{ partition, companyId, clientId },
  });
  return (row === undefined ? null : whole(row, "decided_at")) === seen;
}

async function areMembers(tx: Tx, { partition, companyId }: CompanyKey, people: readonly string[]): Promise<boolean> {
  for (const personId of people) {
    const key = { partition, companyId, personId };
    const row = await tx.one(sql`SELECT role FROM members WHERE ${thisCompany} AND person_id = :personId`, key);
    if (row === undefined) return false;
  }
  return true;
}

/** Replaces the list of people for whom the rule is. */
async function select(
  tx: Tx,
  { partition, companyId, clientId, now }: SetRule,
  people: readonly string[],
): Promise<void> {
  const key = { partition, companyId, clientId };
  await tx.run(sql`DELETE FROM company_rule_members WHERE ${thisApp}`, key);
  for (const personId of new Set(people)) {
    await tx.run(
      sql`INSERT INTO company_rule_members (partition, company_id, client_id, person_id, since)
        VALUES (:partition, :companyId, :clientId, :personId, :now)`,
      { ...key, personId, now },
    );
  }
}

/**
 * Writes a history entry, whether or not access ends by it. The entry of an approval is an `allowed` of the company.
 */
async function noteRule(
  tx: Tx,
  { partition, companyId: ownerId, clientId, rule: after, shown, now }: SetRule,
  before: AppRule | undefined,
  by: string,
): Promise<void> {
  if (after?.rule === "allow" || after?.rule === before?.rule) return;
  const rule =
    after === null ? (before?.rule === "block" ? "unblocked" : "none") : after.rule === "block" ? "blocked" : "ask";
  await note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "rule_changed" },
    record: { clientName: shown.clientName, by, via: null, scopes: [], removed: [], expiresAt: null, rule },
  });
}

/**
 * An approval for all members is a consent of the company, and members' grants are made under it. An approval does not
 * count as a use.
 */
async function consentFor(
  tx: Tx,
  { partition, companyId: ownerId }: Company,
  { clientId, rule, ceiling = null, shown, now }: SetRule & { readonly rule: NonNullable<SetRule["rule"]> },
  grantedBy: string,
): Promise<void> {
  const before = await lockConsent(tx, { partition, ownerId, clientId });
  const { earlierHosts = [] } = (await lockedReach(tx, { clientId, ceiling: null })) ?? {};
  await recordApproval(
    tx,
    before,
    {
      hosts: rule.hosts ?? earlierHosts,
      earlierHosts,
      // The rule keeps an end beyond the ceiling, which can be raised. The consent and the history have the end as it is now.
      grant: { partition, ownerId, clientId, scopes: rule.scopes, ceiling },
      grantedBy,
      via: "company policy",
      declined: [],
      duration: "forever",
      endsAt: rule.endsAt,
      onceUntil: now,
      ...(rule.selected === undefined ? {} : { forSelected: true as const }),
      shown,
      now,
    },
    null,
  );
  await tx.run(
    sql`UPDATE consents SET last_used_at = :lastUsedAt, last_used_address = :address, uses = :uses
      WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    {
      ...{ partition, ownerId, clientId },
      lastUsedAt: before?.lastUsedAt ?? null,
      address: before?.lastUsedAddress ?? null,
      uses: before?.status === "active" ? before.uses : 0,
    },
  );
}

/**
 * When an approval loses scopes, the company's consent and the members' grants lose them, too: otherwise a later rule
 * would give them back without a page. Admins' grants are their own decisions, so an admin must revoke them. The history
 * names what grants lost. It has no entry if they lost nothing.
 */
async function lowerCeiling(
  tx: Tx,
  { partition, companyId, clientId, rule, ceiling = null, shown, now }: SetRule & { readonly rule: NewRule },
  before: AppRule | undefined,
  by: string,
): Promise<void> {
  const lost = scopesTaken(before, rule);
  if (lost.length === 0) return;
  const key = { partition, ownerId: companyId, clientId };
  const consent = await lockConsent(tx, key);
  if (consent === undefined) return;
  // Grants that are over by the ceiling hold again if it is raised, so they lose the scopes, too.
  const live = await liveGrants(tx, key, null, now);
  const running = ceiling === null ? live : await liveGrants(tx, key, ceiling, now);
  const admins = new Set(await adminsOf(tx, { partition, companyId }));
  const ofAdmins = live.filter(({ personId }) => admins.has(personId)).map(({ grantId }) => grantId);
  const after = narrow(consent, lost, live, now, new Set(ofAdmins));
  writeConsent(tx, after.consent);
  await changeGrants(tx, key, after.changes, now);
  const removed = takenAway(running, after.changes, [], now);
  if (removed.length === 0) return;
  const present = await presentAccessOfMembers(tx, after.consent, ceiling, now);
  await note(tx, {
    ...{ ...key, at: now, kind: "narrowed" },
    record: { clientName: shown.clientName, by, via: null, removed, removedFor: "members", ...present },
  });
}

/**
 * Without the approval, members lose their grants, unless they are admins or the rule names them. The company's consent stays, because admins'
 * grants depend on it.
 */
async function endForMembers(
  tx: Tx,
  { partition, companyId, clientId, rule, ceiling = null, now }: SetRule,
  by: string,
): Promise<number> {
  const key = { partition, ownerId: companyId, clientId };
  await tx.one(lockedConsent, key);
  const isOver = (row: Row) => isLeftOut(rule, { personId: text(row, "person_id"), admin: false });
  const live = (await tx.all(membersGrants, { ...key, now })).filter(isOver);
  const changes = live
    .map(grantOf)
    .map(({ grantId, absoluteUntil, decidedAt }) => ({ grantId, absoluteUntil, decidedAt, scopes: [] }));
  await changeGrants(tx, key, changes, now);
  await tx.run(
    sql`DELETE FROM company_choices WHERE ${thisApp} AND person_id NOT IN
      (SELECT person_id FROM members WHERE partition = :partition AND company_id = :companyId AND role = 'admin')
      AND person_id NOT IN (SELECT person_id FROM company_rule_members WHERE ${thisApp})`,
    { partition, companyId, clientId },
  );
  const running = live.filter((row) => underCeiling(grantOf(row), ceiling).absoluteUntil > now);
  await noteEnded(tx, { partition, ownerId: companyId, cause: "approval", by, now }, running);
  return running.length;
}

/** Selects the rows in the order in which groups of refreshes lock them. */
const membersGrants = sql`SELECT ${grantColumns} FROM grants
  WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND ${isActive}
    AND idle_until > :now AND absolute_until > :now
    AND person_id NOT IN (SELECT person_id FROM members WHERE partition = :partition AND company_id = :ownerId AND role = 'admin')
  ORDER BY grant_id || '' ${words.forUpdate}`;

/** An approval closes the requests that it fulfils; a block closes all requests. Both tell the people who asked. */
async function answerRequests(
  tx: Tx,
  { partition, companyId, clientId, rule, news = [], now }: SetRule & { readonly rule: NonNullable<SetRule["rule"]> },
  decidedBy: string,
): Promise<void> {
  const rows = await tx.all(sql`SELECT ${requestColumns} FROM company_requests WHERE ${thisApp} AND status = 'open'`, {
    ...{ partition, companyId, clientId },
  });
  const allowed = rule.rule === "allow";
  for (const { personId, scopes, host } of rows.map(requestOf)) {
    const isThere = isForHost(rule, host) && (rule.selected?.includes(personId) ?? true);
    const covered = isThere && scopes.every((name) => rule.scopes.includes(name));
    if (covered || !allowed)
      await decide(tx, { partition, companyId, clientId, personId }, allowed ? "approved" : "refused", decidedBy, now);
    const asked = JSON.stringify([personId, scopes, host]);
    await post(tx, news.find((one) => JSON.stringify([one.personId, one.asked, one.host]) === asked)?.mails, now);
  }
}

type Told = { readonly mails?: readonly StoredMail[] };
type RequestKey = CompanyKey & { readonly clientId: string; readonly personId: string };

function decide(
  tx: Tx,
  { partition, companyId, clientId, personId }: RequestKey,
  status: "approved" | "refused",
  decidedBy: string,
  now: Millis,
): Promise<number> {
  return tx.run(
    sql`UPDATE company_requests SET status = :status, decided_by = :decidedBy, decided_at = :now
      WHERE ${thisApp} AND person_id = :personId AND status = 'open'`,
    { partition, companyId, clientId, personId, status, decidedBy, now },
  );
}

export const revokeForAll = transaction<CompanyKey & ByAdmin & { readonly clientId: string }, RuleOutcome>(
  async (tx, { partition, companyId, clientId, by, now, ...asked }) => {
    const company = await lockCompany(tx, { partition, companyId });
    if (company === undefined) return { kind: "unknown" };
    if (!(await isAdmin(tx, company, { by, ...asked }))) return { kind: "not_admin" };
    const key = { partition, companyId, clientId };
    const ofApprovals = sql`DELETE FROM company_rules WHERE ${thisApp} AND (rule = 'allow' OR audience = 'selected')`;
    const rules = await tx.run(ofApprovals, key);
    await tx.run(sql`DELETE FROM company_rule_members WHERE ${thisApp}`, key);
    await tx.run(sql`DELETE FROM company_choices WHERE ${thisApp}`, key);
    const outcome = await endConsent(tx, { partition, ownerId: companyId, clientId, revokedBy: by ?? "operator", now });
    return outcome.kind === "unknown" && rules === 0 ? { kind: "unknown" } : ended(outcome);
  },
);

/** An admin pauses an app for the whole company, or lets it go on. */
export const setAppPaused = transaction<CompanyKey & ByAdmin & Pausing, PauseOutcome | { readonly kind: "not_admin" }>(
  async (tx, { partition, companyId, clientId, paused, ceiling, by, now, ...asked }) => {
    const company = await lockCompany(tx, { partition, companyId });
    if (company === undefined) return { kind: "unknown" };
    if (!(await isAdmin(tx, company, { by, ...asked }))) return { kind: "not_admin" };
    return setPaused(tx, { partition, ownerId: companyId, clientId, paused, ceiling, by: by ?? "operator", now });
  },
);

function ended(outcome: Awaited<ReturnType<typeof endConsent>>): RuleOutcome {
  if (outcome.kind === "unknown") return { kind: "done", grantsEnded: 0, lastUsedAt: null };
  return { kind: "done", grantsEnded: outcome.grantsEnded, lastUsedAt: outcome.lastUsedAt };
}

export const setOptOut = transaction<
  RequestKey & TrustedSince & { readonly out: boolean; readonly now: Millis },
  { readonly kind: "done"; readonly grantsEnded: number } | { readonly kind: "unknown" }
>(async (tx, { partition, companyId, clientId, personId, out, trustedFrom, now }) => {
  const key = { partition, companyId, clientId, personId };
  await lockCompany(tx, key);
  const acting = await lockActing(tx, key);
  if (verdictOn(acting, [], reachOf({}, null, null), now) === "stranger") return { kind: "unknown" };
  if (trustedFrom !== undefined && trustedFrom !== acting?.member.trustedFrom) return { kind: "unknown" };
  if (!out) {
    await tx.run(sql`DELETE FROM company_opt_outs WHERE ${thisApp} AND person_id = :personId`, key);
    return { kind: "done", grantsEnded: 0 };
  }
  await tx.run(sql`DELETE FROM company_choices WHERE ${thisApp} AND person_id = :personId`, key);
  await lockConsent(tx, { partition, ownerId: companyId, clientId });
  const over = await tx.all(
    sql`UPDATE grants SET status = 'revoked', ended_at = :now, collect_at = :endedKept
      WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId AND person_id = :personId AND ${isActive}
      RETURNING ${endedColumns}`,
    { ...key, now, endedKept: now + ENDED_KEPT },
  );
  await keepUses(tx, { partition, ownerId: companyId }, over);
  await noteEnded(tx, { partition, ownerId: companyId, cause: "stopped", by: personId, personId, now }, over);
  // The id can be of an app that has nothing to do with the company. Such rows would add up.
  if (acting?.rule !== undefined || over.length > 0)
    await tx.run(
      sql`INSERT INTO company_opt_outs (partition, company_id, client_id, person_id, since) VALUES (:partition, :companyId, :clientId, :personId, :now)
      ON CONFLICT (partition, company_id, client_id, person_id) DO NOTHING`,
      { ...key, now },
    );
  return { kind: "done", grantsEnded: over.length };
});

export const grantsOfMember = query<
  CompanyKey & { readonly personId: string; readonly now: Millis },
  readonly ListedGrant[]
>({
  sql: sql`SELECT ${listedGrantColumns} FROM grants
    WHERE partition = :partition AND owner_id = :companyId AND person_id = :personId AND person_id <> owner_id AND ${isActive}
      AND idle_until > :now AND absolute_until > :now ORDER BY created_at, grant_id`,
  bind: ({ partition, companyId, personId, now }) => ({ partition, companyId, personId, now }),
  outcome: (rows) => rows.map(listedGrantOf),
});

export const askApproval = transaction<
  RequestKey & {
    readonly scopes: readonly string[];
    readonly redirectUri?: string;
    readonly ceiling?: Millis | null;
    readonly reason: string;
    readonly now: Millis;
  } & Told,
  AskOutcome
>(async (tx, { partition, companyId, clientId, personId, scopes, redirectUri, ceiling = null, reason, mails, now }) => {
  const key = { partition, companyId, clientId, personId };
  await lockCompany(tx, key);
  const acting = await lockActing(tx, key);
  const reach = await lockedReach(tx, { clientId, ceiling, redirectUri: redirectUri ?? "" });
  if (acting === undefined || reach === undefined) return { kind: "needless" };
  if (verdictOn(acting, scopes, reach, now) !== "ask") return { kind: "needless" };
  const open = await tx.all(
    sql`SELECT client_id, scopes, reason, host FROM company_requests
      WHERE ${thisCompany} AND person_id = :personId AND status = 'open' LIMIT :limit`,
    { partition, companyId, personId, limit: OPEN_REQUESTS + 1 },
  );
  const before = open.find((row) => text(row, "client_id") === clientId);
  const isTold = before !== undefined && textOrNull(before, "host") === reach.host && text(before, "reason") === reason;
  if (isTold && text(before, "scopes") === JSON.stringify(scopes)) return { kind: "repeated" };
  if (before === undefined && open.length >= OPEN_REQUESTS) return { kind: "too_many" };
  await tx.run(
    sql`INSERT INTO company_requests (partition, company_id, ${requestColumns})
      VALUES (:partition, :companyId, :clientId, :personId, :username, :scopes, :reason, :now, 'open', NULL, NULL, :host)
      ON CONFLICT (partition, company_id, client_id, person_id) DO UPDATE SET scopes = excluded.scopes, reason = excluded.reason,
        asked_at = CASE WHEN excluded.asked_at > company_requests.asked_at THEN excluded.asked_at ELSE company_requests.asked_at + 1 END,
        status = 'open', decided_by = NULL, decided_at = NULL, host = excluded.host`,
    { ...key, username: acting.member.username, scopes: JSON.stringify(scopes), reason, host: reach.host, now },
  );
  await post(tx, mails, now);
  return { kind: "asked" };
});

export const refuseRequest = transaction<
  RequestKey & ByAdmin & Told & { readonly seen: Millis | null; readonly refused: readonly string[] },
  { readonly kind: "done" | "not_admin" | "unknown" | "changed" }
>(async (tx, { by, mails, now, seen, refused, trustedFrom, ...key }) => {
  const company = await lockCompany(tx, key);
  if (company === undefined) return { kind: "unknown" };
  const admin = { by, ...(trustedFrom === undefined ? {} : { trustedFrom }) };
  if (!(await isAdmin(tx, company, admin))) return { kind: "not_admin" };
  const thisRequest = sql`${thisApp} AND person_id = :personId AND status = 'open'`;
  const open = await tx.one(sql`SELECT asked_at FROM company_requests WHERE ${thisRequest}`, key);
  if (open === undefined) return { kind: "unknown" };
  if (whole(open, "asked_at") !== seen) return { kind: "changed" };
  const of = { ...key, refused: JSON.stringify(refused) };
  await tx.run(sql`UPDATE company_requests SET scopes = :refused WHERE ${thisRequest}`, of);
  await decide(tx, key, "refused", by ?? "operator", now);
  await post(tx, mails, now);
  return { kind: "done" };
});

/** Uses the index `company_requests_of_member`. */
export const requestsOfMember = query<
  CompanyKey & { readonly personId: string; readonly limit: number },
  readonly AppRequest[]
>({
  sql: sql`SELECT ${requestColumns} FROM company_requests
    WHERE ${thisCompany} AND person_id = :personId AND status <> 'approved' ORDER BY asked_at DESC LIMIT :limit`,
  bind: ({ partition, companyId, personId, limit }) => ({ partition, companyId, personId, limit }),
  outcome: (rows) => rows.map(requestOf),
});

export const listRequests = query<CompanyKey & { readonly limit: number }, readonly AppRequest[]>({
  sql: sql`SELECT ${requestColumns} FROM company_requests WHERE ${thisCompany} AND status = 'open' ORDER BY asked_at LIMIT :limit`,
  bind: ({ partition, companyId, limit }) => ({ partition, companyId, limit }),
  outcome: (rows) => rows.map(requestOf),
});
