/** Owners with very many ended grants, and the statements that a verb runs for them. */

import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { compile, type Params, type Row, type Sql, type Value } from "../../../src/storage/define-verbs.ts";
import { postgres, sqlite } from "../../../src/storage/dialect.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { verbs } from "../../../src/storage/verb-registry.ts";
import { aCompanyGrant, anAnswerOfMember, anAppRule, aStoredCompany, join, SHOWN } from "./company-builders.ts";
import { byHand } from "./raw-statements.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aLiveGrant,
  anApproval,
  aRedemption,
  aRefresh,
  aStoredPerson,
  expectIssued,
  HOUR,
  MINUTE,
  NOW,
} from "./record-builders.ts";
import { sequentialTx } from "./sequential-tx.ts";

/** The time of the verbs: the ended grants ended during the hour before. */
export const LATER = NOW + 2 * HOUR;

export interface Sizes {
  /** Number of ended grants of the person, and of the company. */
  readonly ended: number;
  /** Number of members of the company who made one live grant each, besides the admin. */
  readonly members: number;
}

/** The names and arguments of verbs that read or end grants of one owner, client, company or member. */
export type Cases = readonly (readonly [name: string, args: unknown])[];

/** Stores a person and a company with grants of these numbers. */
export async function manyGrants(storage: Storage, url: string, { ended, members }: Sizes): Promise<Cases> {
  const client = aClient({ clientId: "client-1" });
  await storage.clients.put({ client, expect: 0 });
  const { person, grant } = await aLiveGrant(storage);
  const company = await aStoredCompany(storage);
  const admin = await aStoredPerson(storage);
  const member = await aStoredPerson(storage);
  await join(storage, company, admin, "admin");
  await join(storage, company, member);
  const rule = { ...company, clientId: client.clientId, shown: SHOWN, by: null };
  await storage.companyApps.setRule({ ...rule, rule: anAppRule(), now: NOW });
  const held = aCompanyGrant(company, member);
  expectIssued(await storage.grants.issue({ grant: held, answer: anAnswerOfMember(), now: NOW }));
  await storage.grants.redeem(aRedemption(held));
  await endedCopies(url, grant, ended, null);
  await endedCopies(url, held, ended, members);
  await memberCopies(url, company, member.personId, members);
  await liveCopies(url, held, members);
  // The server has no statistics in SQLite.
  if (!url.startsWith("sqlite:")) await byHand(url, ["ANALYZE"]);

  const { partition, personId: ownerId } = person;
  const { companyId } = company;
  const owner = { partition, ownerId };
  const key = { ...owner, clientId: client.clientId };
  const inCompany = { partition: company.partition, companyId };
  const app = { ...inCompany, clientId: client.clientId };
  const another = aLiveKey(grant);
  const now = LATER;
  return [
    ["grants.approve", anApproval(aGrant(person), { now })],
    ["grants.issue", { grant: aGrant(person), now }],
    ["grants.issueWithoutCode", { ...aDirectGrant(person, { now }) }],
    ["grants.approve", anApproval(aCompanyGrant(company, admin), { now })],
    ["grants.issue", { grant: aCompanyGrant(company, member), now }],
    ["grants.end", another],
    ["consents.list", { ...owner, now }],
    ["consents.lastIssues", { ...owner, personId: null, since: now - HOUR - 5 * MINUTE, restoredAt: 0 }],
    ["consents.narrow", { ...key, remove: ["write"], by: ownerId, now }],
    ["consents.changeEnd", { ...key, end: now + 9 * HOUR, ceiling: null, by: ownerId, now }],
    ["consents.countOfOwner", { ...owner, now, most: 1000 }],
    ["consentsOfOwner", { ...owner, clientId: null, limit: 10 }],
    ["consentsOfClient", { clientId: client.clientId, limit: 10 }],
    ["consents.countOfClient", { clientId: client.clientId, now, most: 1000 }],
    ["consents.countOwners", { clientId: client.clientId, most: 1000 }],
    ["history.list", { ...owner, before: null, limit: 20 }],
    ["history.get", { ownerId, entryId: "none" }],
    ["history.resumedSince", { ...owner, since: now }],
    ["companyApps.list", { ...inCompany, now }],
    ["companyApps.countPeople", { ...app, ceiling: null, now }],
    ["companyApps.liveAccess", { ...app, ceiling: null, now }],
    ["companyApps.listActing", { ...app, ceiling: null, limit: 20, now }],
    ["companyApps.grantsOfMember", { ...inCompany, personId: member.personId, now }],
    ["members.list", { ...inCompany, limit: 20, after: null }],
    ["history.list", { partition: company.partition, ownerId: companyId, before: null, limit: 20 }],
    ["companyApps.askApproval", { ...app, personId: member.personId, scopes: ["write"], reason: "", now }],
    ["companyApps.setOptOut", { ...app, personId: member.personId, out: true, now }],
    ["eraseMember", { ...inCompany, personId: member.personId, by: null, now }],
    ["companyApps.setRule", { ...rule, rule: anAppRule({ scopes: [] }), now }],
    ["companyApps.setRule", { ...rule, rule: anAppRule({ rule: "ask" }), members: "end", now }],
    ["companyApps.revokeForAll", { ...app, by: null, now }],
    ["consents.revoke", { ...key, revokedBy: ownerId, now }],
    ["grants.approve", anApproval(aGrant(person), { now })],
    ["writePersonStatus", { partition, personId: ownerId, status: "disabled", now }],
    ["companies.setStatus", { ...inCompany, status: "disabled", now }],
    ["removeClient", { clientId: client.clientId, now }],
    ["endGrantsOfClient", { clientId: client.clientId, limit: 500 }],
    ["collectGrants", { now: now + 1000 * HOUR, limit: 50 }],
  ];
}

function aLiveKey(grant: ReturnType<typeof aGrant>) {
  const { partition, grantId, clientId } = grant;
  return { partition, grantId, clientId, saltHash: aRefresh(grant).refreshSaltHash, now: LATER };
}

/** The columns of a table with new values for some of them, for `INSERT … SELECT`. */
async function columnsOf(url: string, table: string, given: Readonly<Record<string, string>>) {
  const rows = url.startsWith("sqlite:")
    ? await byHand(url, [`SELECT name FROM pragma_table_info('${table}')`])
    : await byHand(url, [
        "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1",
        table,
      ]);
  const names = rows.map(({ name }) => String(name));
  return { names: names.join(", "), values: names.map((name) => given[name] ?? `t.${name}`).join(", ") };
}

async function copies(
  url: string,
  table: string,
  { given, count, where }: { readonly given: Record<string, string>; readonly count: number; readonly where: string },
): Promise<void> {
  if (count === 0) return;
  const { names, values } = await columnsOf(url, table, given);
  await byHand(url, [
    `INSERT INTO ${table} (${names}) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT ${values} FROM ${table} t, n WHERE ${where}`,
  ]);
}

/** Grants like this one that ended in the hour before `LATER`. `members`: those who made them, in turn. */
function endedCopies(url: string, grant: ReturnType<typeof aGrant>, count: number, members: number | null) {
  const at = `${LATER - 50 * MINUTE} + (${40 * MINUTE} / ${count + 1}) * i`;
  return copies(url, "grants", {
    given: {
      ...{ grant_id: "t.grant_id || 'e' || i", status: "'superseded'", ended_at: at, created_at: at, last_used_at: at },
      ...{ collect_at: `${LATER + 48 * HOUR}`, decided_at: at },
      ...(members === null ? {} : { person_id: `'m' || (i % ${members + 1})` }),
    },
    ...{ count, where: `t.partition = ${grant.partition} AND t.grant_id = '${grant.grantId}'` },
  });
}

function liveCopies(url: string, grant: ReturnType<typeof aGrant>, count: number) {
  return copies(url, "grants", {
    given: { grant_id: "t.grant_id || 'l' || i", person_id: "'m' || i" },
    ...{ count, where: `t.partition = ${grant.partition} AND t.grant_id = '${grant.grantId}'` },
  });
}

async function memberCopies(
  url: string,
  { partition, companyId }: { readonly partition: number; readonly companyId: string },
  personId: string,
  count: number,
): Promise<void> {
  const where = `t.partition = ${partition} AND t.company_id = '${companyId}' AND t.person_id = '${personId}'`;
  await copies(url, "members", { given: { person_id: "'m' || i", username: "'m' || i" }, count, where });
  await byHand(url, [
    `INSERT INTO company_choices (partition, company_id, client_id, person_id, since, declined)
      SELECT partition, company_id, 'client-1', person_id, ${NOW}, '[]' FROM members WHERE partition = ${partition} AND person_id LIKE 'm%'`,
  ]);
  await byHand(url, [
    `INSERT INTO company_requests (partition, company_id, client_id, person_id, username, scopes, reason, asked_at, status)
      SELECT partition, company_id, 'client-2', person_id, username, '[]', '', ${NOW}, 'open' FROM members WHERE partition = ${partition} AND person_id LIKE 'm%'`,
  ]);
}

export interface Plan {
  readonly verb: string;
  readonly text: string;
  /** PostgreSQL: rows read, of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly milliseconds: number;
  /** One line for each scan. */
  readonly scans: readonly string[];
}

interface Node {
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Node[];
}

function scansOf(node: Node, rows: Record<string, number>, scans: string[]): void {
  const { "Relation Name": table, "Index Name": index, "Index Cond": condition } = node;
  const isScan = / Scan$/.test(node["Node Type"]) && (table !== undefined || index !== undefined);
  if (isScan) {
    const read = Math.round((node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]);
    if (table !== undefined) rows[table] = (rows[table] ?? 0) + read;
    scans.push(`${table ?? ""} by ${index ?? "no index"}: ${read} rows (${condition ?? ""})`);
  }
  for (const plan of node.Plans ?? []) scansOf(plan, rows, scans);
}

function literal(value: Value | undefined): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return `'\\x${Buffer.from(value).toString("hex")}'`;
}

/** Runs the verbs on PostgreSQL, and returns the plans of all their statements with what each read. */
export async function plansOnPostgres(url: string, cases: Cases): Promise<readonly Plan[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SET enable_seqscan = off");
  await client.query("SET plan_cache_mode = force_generic_plan");
  const plans: Plan[] = [];
  try {
    for (const [verb, args] of cases) {
      await client.query("BEGIN");
      await runVerb(verb, args, {
        explained: async (statement, params) => {
          const { text, names } = compile(statement, postgres);
          const values = names.map((name) => literal(params[name])).join(", ");
          await client.query("SAVEPOINT before");
          await client.query(`PREPARE it AS ${text}`);
          const execute = `EXECUTE it${names.length === 0 ? "" : `(${values})`}`;
          const { rows: answer } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execute}`);
          const [top] = answer[0]["QUERY PLAN"];
          const rows: Record<string, number> = {};
          const scans: string[] = [];
          scansOf(top.Plan, rows, scans);
          plans.push({ verb, text, rows, milliseconds: top["Execution Time"], scans });
          await client.query("ROLLBACK TO before");
          await client.query("DEALLOCATE it");
        },
        run: async (statement, params) => {
          const { text, names } = compile(statement, postgres);
          const values = names.map((name) => params[name]);
          const { rows, rowCount } = await client.query(
            text,
            values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
          );
          return { rows: rows as Row[], count: rowCount ?? 0 };
        },
      });
      await client.query("COMMIT");
    }
  } finally {
    await client.end();
  }
  return plans;
}

/** The same on SQLite, which names the indexes but counts no rows. */
export async function plansOnSqlite(url: string, cases: Cases): Promise<readonly Plan[]> {
  const database = new DatabaseSync(url.slice("sqlite:".length), { timeout: 5_000 });
  const plans: Plan[] = [];
  for (const [verb, args] of cases) {
    database.exec("BEGIN IMMEDIATE");
    await runVerb(verb, args, {
      explained: async (statement, params) => {
        const { text, names } = compile(statement, sqlite);
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
        const scans = steps.map(({ detail }) => String(detail)).filter((step) => /^(SCAN|SEARCH) /.test(step));
        const values = names.map((name) => params[name] ?? null);
        database.exec("SAVEPOINT before");
        const began = performance.now();
        database.prepare(text).all(...values);
        const milliseconds = performance.now() - began;
        database.exec("ROLLBACK TO before");
        plans.push({ verb, text, rows: {}, milliseconds, scans });
      },
      run: async (statement, params) => {
        const { text, names } = compile(statement, sqlite);
        const values = names.map((name) => params[name] ?? null);
        if (/^\s*SELECT|RETURNING/.test(text)) {
          const rows = database.prepare(text).all(...values) as Row[];
          return { rows, count: rows.length };
        }
        return { rows: [], count: Number(database.prepare(text).run(...values).changes) };
      },
    });
    database.exec("COMMIT");
  }
  database.close();
  return plans;
}

async function runVerb(
  name: string,
  args: unknown,
  by: {
    explained(statement: Sql, params: Params): Promise<void>;
    run(statement: Sql, params: Params): Promise<{ readonly rows: readonly Row[]; readonly count: number }>;
  },
): Promise<void> {
  const verb = verbs.get(name);
  if (verb === undefined) throw new Error(`no verb is called ${name}`);
  const tx = sequentialTx(async (statement, params) => {
    await by.explained(statement, params);
    return by.run(statement, params);
  });
  switch (verb.kind) {
    case "transaction":
      await verb.body(tx, args as never);
      await tx.settled();
      break;
    case "read":
      for (const statement of [verb.sql, verb.also]) {
        if (statement !== undefined) await by.explained(statement, verb.bind(args as never));
      }
      break;
    case "statement":
      await by.explained(verb.sql, verb.bind(args as never));
      break;
    case "steps":
      throw new Error(`${name} consists of other verbs`);
  }
}
