/** After a restore: ends everything that could have been revoked, rotated or spent since the backup. */

import { type Consent, type Millis, PARTITIONS } from "../oauth/model.ts";
import { endOfAll } from "./consents/consents.ts";
import { note } from "./consents/history.ts";
import { readState, STATES, type StoredEpoch, writeState } from "./database-state.ts";
import { named, sql, type Tx } from "./define-verbs.ts";
import { lastGrantUse } from "./grants/uses.ts";
import type { SchemaHost } from "./migrations/migration.ts";
import { consentColumns, consentOf, ENDED_KEPT, isActive, json, text, whole } from "./row-conversion.ts";
import { TABLES } from "./tables.ts";

/** Who changed a record, where a person would stand. */
const BY = "restore";

export interface Ended {
  readonly grants: number;
  /** Number of consents that ended. Their owners see the consent page again, or the app gets no access. */
  readonly consents: number;
  readonly sessions: number;
  /** Number of open invitations to companies. */
  readonly invitations: number;
  /** Number of links in messages that still worked: to sign up, to recover an account, and for e-mail addresses. */
  readonly links: number;
  /** Number of recovery codes. People must create new ones. */
  readonly codes: number;
  /** Number of apps that a company allowed or paused, and that are on request now. Admins must allow them again. */
  readonly approvals: number;
  /** Number of apps' connections with other servers that companies' admins made. */
  readonly connections: number;
  /** Number of tokens of the admin API and for registration that still worked. */
  readonly tokens: number;
}

export const NOTHING_ENDED: Ended = {
  ...{ grants: 0, consents: 0, sessions: 0, invitations: 0, links: 0, codes: 0 },
  ...{ approvals: 0, connections: 0, tokens: 0 },
};

export function sumOfEnded(a: Ended, b: Ended): Ended {
  return {
    grants: a.grants + b.grants,
    consents: a.consents + b.consents,
    sessions: a.sessions + b.sessions,
    invitations: a.invitations + b.invitations,
    links: a.links + b.links,
    codes: a.codes + b.codes,
    approvals: a.approvals + b.approvals,
    connections: a.connections + b.connections,
    tokens: a.tokens + b.tokens,
  };
}

/** Maximum number of partitions in one transaction. A crash between two transactions loses only the counts. */
const AT_ONCE = 32;
/** If a transaction took longer than this, the next one takes half as many partitions. */
const LONG: Millis = 5_000;

/**
 * Ends every active grant (`state_lost`), every session and everything else that works once (`afterRestore` of
 * `TABLES`). Unless `keepConsents` is set, it also ends every active consent and every approval of a company. It works
 * in short transactions and stores its position. If it was interrupted, the next call first finishes that run, with
 * that run's time and choice. The counts are those of this call.
 */
export async function endAllBefore(host: SchemaHost, now: Millis, keepConsents: boolean): Promise<Ended> {
  const epoch = await host.exclusively(async (tx) => {
    const before = await readState<StoredEpoch>(tx, STATES.epoch);
    if (before !== undefined && before.next !== null) return before;
    const begun: StoredEpoch = { at: now, count: (before?.count ?? 0) + 1, next: 0, keepConsents };
    await writeState(tx, STATES.epoch, begun);
    return begun;
  });
  let ended = NOTHING_ENDED;
  let atOnce = AT_ONCE;
  for (let from = epoch.next ?? 0; from < PARTITIONS; ) {
    const next = Math.min(PARTITIONS, from + atOnce);
    const began = performance.now();
    const some = await host.exclusively(async (tx) => {
      const counted = await endPartitions(tx, from, next, epoch);
      await writeState(tx, STATES.epoch, { ...epoch, next: next < PARTITIONS ? next : null });
      return counted;
    });
    ended = sumOfEnded(ended, some);
    from = next;
    if (performance.now() - began > LONG) atOnce = Math.max(1, Math.floor(atOnce / 2));
  }
  return ended;
}

/** Does the same in the caller's transaction. `epoch` is the new epoch, with nothing left to do. */
export async function endAllAtOnce(tx: Tx, epoch: StoredEpoch): Promise<Ended> {
  const ended = await endPartitions(tx, 0, PARTITIONS, epoch);
  await writeState(tx, STATES.epoch, epoch);
  return ended;
}

/** The tables with rows that a restore ends or deletes. */
const CHANGED = TABLES.filter(({ afterRestore, key }) => afterRestore !== "kept" && key[0] === "partition").map(
  ({ name, afterRestore }) => {
    const table = named(name);
    return {
      name,
      filled: sql`SELECT DISTINCT partition FROM ${table} WHERE partition >= :from AND partition < :until`,
      empty: afterRestore === "emptied" ? sql`DELETE FROM ${table} WHERE partition = :partition` : undefined,
    };
  },
);

/** Tables that also hold used and expired rows: only what still worked counts as ended. */
const COUNTED_BEFORE = [
  [
    "company_connections",
    "connections",
    sql`SELECT COUNT(*) AS n FROM company_connections WHERE partition = :partition AND ends_at > :at`,
  ],
  [
    "invitations",
    "invitations",
    sql`SELECT COUNT(*) AS n FROM invitations WHERE partition = :partition AND status = 'open' AND expires_at > :at`,
  ],
  [
    "mail_links",
    "links",
    sql`SELECT COUNT(*) AS n FROM mail_links WHERE partition = :partition AND purpose <> 'used' AND expires_at > :at`,
  ],
] as const;

/** Tables without partitions, all of whose rows a restore deletes. */
const EMPTIED_WHOLE = TABLES.filter(
  ({ afterRestore, key }) => afterRestore === "emptied" && key[0] !== "partition",
).map(({ name }) => {
  const table = named(name);
  return sql`DELETE FROM ${table}`;
});

const workingTokens = sql`SELECT (SELECT COUNT(*) FROM admin_tokens WHERE expires_at > :at)
  + (SELECT COUNT(*) FROM initial_access_tokens WHERE expires_at > :at AND used < uses) AS n`;

type MutableEnded = { -readonly [Name in keyof Ended]: Ended[Name] };

/**
 * Ends what these partitions hold. Changes a table only in the partitions where it has rows: otherwise a small database
 * would take as many statements as a large one, about 14,000.
 */
async function endPartitions(tx: Tx, from: number, until: number, epoch: StoredEpoch): Promise<Ended> {
  const ended: MutableEnded = { ...NOTHING_ENDED };
  if (from === 0) {
    const tokens = await tx.one(workingTokens, { at: epoch.at });
    ended.tokens = tokens === undefined ? 0 : whole(tokens, "n");
    for (const statement of EMPTIED_WHOLE) await tx.run(statement);
  }
  const tablesOf = new Map<number, Set<string>>();
  for (const { name, filled } of CHANGED) {
    for (const { partition } of await tx.all(filled, { from, until })) {
      const tables = tablesOf.get(Number(partition)) ?? new Set();
      tablesOf.set(Number(partition), tables.add(name));
    }
  }
  for (const [partition, tables] of tablesOf) await endPartition(tx, partition, tables, epoch, ended);
  return ended;
}

async function endPartition(
  tx: Tx,
  partition: number,
  tables: ReadonlySet<string>,
  { at, keepConsents }: StoredEpoch,
  ended: MutableEnded,
): Promise<void> {
  if (tables.has("consents") && tables.has("grants")) {
    await tx.run(
      sql`UPDATE consents SET last_used_at = ${lastGrantUse}
        WHERE partition = :partition AND ${lastGrantUse} > COALESCE(last_used_at, 0)`,
      { partition },
    );
  }
  // Otherwise, the entries of the consents tell it.
  if (tables.has("grants") && keepConsents) await noteDisconnected(tx, partition, at);
  if (tables.has("grants")) {
    ended.grants += await tx.run(
      sql`UPDATE grants SET status = 'state_lost', ended_at = :at, collect_at = :endedKept WHERE partition = :partition AND ${isActive}`,
      { partition, at, endedKept: at + ENDED_KEPT },
    );
  }
  if (tables.has("known_devices")) {
    await tx.run(sql`UPDATE known_devices SET revoked = 1 WHERE partition = :partition`, { partition });
  }
  if (!keepConsents) await endConsents(tx, partition, tables, at, ended);
  for (const [name, count, stillWorks] of COUNTED_BEFORE) {
    if (!tables.has(name)) continue;
    const row = await tx.one(stillWorks, { partition, at });
    ended[count] += row === undefined ? 0 : whole(row, "n");
  }
  for (const { name, empty } of CHANGED) {
    if (empty === undefined || !tables.has(name)) continue;
    const rows = await tx.run(empty, { partition });
    if (name === "sessions") ended.sessions += rows;
    if (name === "recovery_codes") ended.codes += rows;
  }
}

/** Ends the answers of owners and the approvals of companies: the server asks for all of them again. */
async function endConsents(
  tx: Tx,
  partition: number,
  tables: ReadonlySet<string>,
  at: Millis,
  ended: MutableEnded,
): Promise<void> {
  const paused = tables.has("consents") ? await pausedByAdmins(tx, partition) : [];
  if (tables.has("consents")) ended.consents += await endOwnersConsents(tx, partition, at);
  const approved = tables.has("company_rules") ? await endApprovals(tx, partition, at) : [];
  for (const app of paused) await addRequestRule(tx, partition, app, at);
  for (const app of [...approved, ...paused]) await noteOnRequest(tx, partition, app, at);
  ended.approvals += approved.length + paused.length;
  if (tables.has("company_rule_members")) {
    await tx.run(sql`DELETE FROM company_rule_members WHERE partition = :partition`, { partition });
  }
  if (tables.has("company_choices")) {
    await tx.run(sql`DELETE FROM company_choices WHERE partition = :partition`, { partition });
  }
}

interface AppOfCompany {
  readonly companyId: string;
  readonly clientId: string;
}

/**
 * The apps that an admin paused where members decide by themselves. The pause ends with the consent. Without a rule, a
 * member could then let the app in again.
 */
async function pausedByAdmins(tx: Tx, partition: number): Promise<readonly AppOfCompany[]> {
  const rows = await tx.all(
    sql`SELECT c.owner_id, c.client_id FROM consents c
      JOIN companies k ON k.partition = c.partition AND k.company_id = c.owner_id AND k.default_rule = 'members'
      WHERE c.partition = :partition AND c.status = 'active' AND c.paused_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM company_rules r
          WHERE r.partition = c.partition AND r.company_id = c.owner_id AND r.client_id = c.client_id)`,
    { partition },
  );
  return rows.map((row) => ({ companyId: text(row, "owner_id"), clientId: text(row, "client_id") }));
}

/** Makes every approval a rule that lets members ask. An admin could have withdrawn it since the backup. Blocks stay. */
async function endApprovals(tx: Tx, partition: number, at: Millis): Promise<readonly AppOfCompany[]> {
  const rows = await tx.all(
    sql`UPDATE company_rules SET rule = 'ask', audience = 'everybody', scopes = '[]', hosts = '[]', ends_at = NULL,
        decided_by = :by, decided_at = :at
      WHERE partition = :partition AND (rule = 'allow' OR audience = 'selected') RETURNING company_id, client_id`,
    { partition, by: BY, at },
  );
  return rows.map((row) => ({ companyId: text(row, "company_id"), clientId: text(row, "client_id") }));
}

async function addRequestRule(tx: Tx, partition: number, app: AppOfCompany, at: Millis): Promise<void> {
  await tx.run(
    sql`INSERT INTO company_rules (partition, company_id, client_id, rule, audience, scopes, hosts, ends_at, opt_out, decided_by, decided_at)
      VALUES (:partition, :companyId, :clientId, 'ask', 'everybody', '[]', '[]', NULL, 1, :by, :at)`,
    { partition, ...app, by: BY, at },
  );
}

async function noteOnRequest(
  tx: Tx,
  partition: number,
  { companyId: ownerId, clientId }: AppOfCompany,
  at: Millis,
): Promise<void> {
  const consent = await tx.one(
    sql`SELECT ${consentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId`,
    { partition, ownerId, clientId },
  );
  const clientName = consent === undefined ? null : consentOf(consent).shown.clientName;
  await note(tx, {
    ...{ partition, ownerId, clientId, at, kind: "rule_changed" },
    record: { clientName, by: "server", via: null, scopes: [], removed: [], expiresAt: null, rule: "ask" },
  });
}

async function endOwnersConsents(tx: Tx, partition: number, at: Millis): Promise<number> {
  const consents = await tx.all(
    sql`UPDATE consents SET status = 'revoked', revoked_at = :at, revoked_by = :by, updated_at = :at
      WHERE partition = :partition AND status = 'active' RETURNING ${consentColumns}`,
    { partition, at, by: BY },
  );
  for (const consent of consents.map(consentOf)) {
    const { ownerId, clientId } = consent;
    const record = { ...endOfAll(consent, "server"), cause: BY } as const;
    await note(tx, { partition, ownerId, clientId, at, kind: "revoked", record });
  }
  return consents.length;
}

/** Notes for each owner which apps lose their grants, once for each app. The owner's decision about the app stays. */
async function noteDisconnected(tx: Tx, partition: number, at: Millis): Promise<void> {
  const apps = await tx.all(
    sql`SELECT c.owner_id, c.client_id, c.shown FROM consents c WHERE c.partition = :partition AND EXISTS
      (SELECT 1 FROM grants g WHERE g.partition = c.partition AND g.owner_id = c.owner_id AND g.client_id = c.client_id
        AND g.status = 'active' AND g.idle_until > :at AND g.absolute_until > :at)`,
    { partition, at },
  );
  for (const app of apps) {
    const { clientName } = json<Consent["shown"]>(app, "shown");
    await note(tx, {
      ...{ partition, ownerId: text(app, "owner_id"), clientId: text(app, "client_id"), at, kind: "ended" },
      record: { clientName, by: "server", via: null, scopes: [], removed: [], expiresAt: null, cause: BY },
    });
  }
}
