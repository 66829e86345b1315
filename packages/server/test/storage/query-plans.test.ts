import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../test/support/postgres-database.ts";
import { startCluster } from "../../../../test/support/postgres-server.ts";
import { compile, type Params, type Row, type Sql, type Tx } from "../../src/storage/define-verbs.ts";
import { postgres, sqlite } from "../../src/storage/dialect.ts";
import { openStorage } from "../../src/storage/open.ts";
import { Connection } from "../../src/storage/sqlite/connection.ts";
import { fastPaths } from "../../src/storage/sqlite/redeem-and-refresh-fast-paths.ts";
import { verbs } from "../../src/storage/verb-registry.ts";
import { calls, company, person } from "./support/every-transaction.ts";
import { isMeant } from "./support/intended-query-plans.ts";
import { aLiveGrant, aRefresh, NOW, statusOf } from "./support/record-builders.ts";
import { sequentialTx } from "./support/sequential-tx.ts";

let directory: string;
let path: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-plans-"));
  path = join(directory, "assent.db");
  const storage = await openStorage({ url: `sqlite:${path}`, writer: "main" });
  await storage.migrate({ now: NOW });
  await storage.people.create({ person, now: NOW });
  await storage.companies.create({ company, now: NOW });
  await storage.close();
});
afterAll(() => rm(directory, { recursive: true }));

/** Every statement with the name of its verb. Statements of transactions are found by running them. */
async function statementsOf(connection: Tx): Promise<ReadonlyMap<Sql, string>> {
  const used = new Map<Sql, string>();
  const recording: Tx = {
    one: (statement: Sql, params?: Params): Promise<Row | undefined> => connection.one(note(statement), params),
    all: (statement: Sql, params?: Params) => connection.all(note(statement), params),
    run: (statement: Sql, params?: Params) => connection.run(note(statement), params),
    later: (statement: Sql, params?: Params) => connection.later(note(statement), params),
  };
  let running = "";
  function note(statement: Sql): Sql {
    used.set(statement, running);
    return statement;
  }
  for (const [name, args] of calls) {
    const verb = verbs.get(name);
    if (verb?.kind !== "transaction") throw new Error(`${name} is no transaction`);
    running = name;
    await verb.body(recording, args as never);
  }
  for (const [name, verb] of verbs) {
    running = name;
    if (verb.kind === "transaction")
      expect(
        calls.some(([called]) => called === name),
        `${name} was not called`,
      ).toBe(true);
    if (verb.kind === "statement")
      for (const each of [verb.sql, fastPaths.get(verb), verb.why, verb.look?.sql]) each && note(each);
    if (verb.kind === "read") for (const each of [verb.sql, verb.also]) each && note(each);
  }
  expect(used.size).toBeGreaterThan(80);
  return used;
}

test("every statement of every verb finds its rows by an index, none walks a partition", async () => {
  const connection = new Connection(path, { readOnly: false });
  const used = await statementsOf(connection);
  connection.close();

  const database = new DatabaseSync(path);
  for (const [statement, name] of used) {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${statement.text(sqlite)}`).all();
    for (const { detail } of steps) {
      const step = String(detail);
      if (!/^(SCAN|SEARCH) /.test(step)) continue;
      expect(isMeant(step), `${name}: ${step}\n${statement.text(sqlite)}`).toBe(true);
    }
  }
  database.close();
});

test("a redemption and a refresh, as they usually are, write no index of SQLite's", () => {
  const database = new DatabaseSync(path);
  const usual = [...fastPaths.values()];
  expect(usual).toHaveLength(2);
  for (const statement of usual) {
    const steps = database.prepare(`EXPLAIN ${statement.text(sqlite)}`).all();
    expect(steps.map(({ opcode }) => opcode)).not.toContain("IdxInsert");
  }
  database.close();
});

describe("on PostgreSQL, in a session as ours are", () => {
  let database: TestDatabase;
  let client: Client;
  /** The first test collects the statements, and the second one plans them, too. */
  let used: ReadonlyMap<Sql, string> = new Map();
  beforeAll(async () => {
    database = await aPostgresDatabase();
    const storage = await openStorage({ url: database.url });
    await storage.people.create({ person, now: NOW });
    await storage.companies.create({ company, now: NOW });
    await storage.close();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query("SET enable_seqscan = off");
    await client.query("SET plan_cache_mode = force_generic_plan");
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** Small tables that are read completely, and the table of the ring that is emptied. */
  const WHOLE =
    /^(catalog|signing_keys|scopes|resources|trusted_issuers|sign_in_providers|company_sign_in|configured_records|admin_tokens|initial_access_tokens|webhooks|database_state|leases|migrations|receipt_keys|accepted_\d)$/;
  /** Indexes that are scanned in their own order up to a limit, in all partitions. */
  const WALKED =
    /(_to_collect|_reserved|_pending|_untold|_by_age|_by_end|_by_name|_by_slug|_by_username|_by_email|people_disabled|people_operators|_by_version|_deleted|_to_forget|_of_issuer|_of_client_by_owner|clients_ending)$|^(clients|consents)_pkey$/;

  interface PlanNode {
    readonly "Node Type": string;
    readonly "Relation Name"?: string;
    readonly "Index Name"?: string;
    readonly "Index Cond"?: string;
    readonly Plans?: readonly PlanNode[];
  }

  /** The faults of a plan, one line for each node. */
  function faultsOf(node: PlanNode): string[] {
    const { "Relation Name": table = "", "Index Name": index, "Index Cond": condition = "" } = node;
    const faults = (node.Plans ?? []).flatMap(faultsOf);
    if (node["Node Type"] === "Seq Scan" && !WHOLE.test(table)) faults.push(`walks ${table}`);
    if (index !== undefined && !WALKED.test(index) && !WHOLE.test(table)) {
      // Owners' tables need the partition and another column; operators' tables need their key.
      const columns = new Set(
        [...condition.matchAll(/\b([a-z_]+)\)?(?:::\w+)? (?:=|<|>|IS)/g)].map(([, name]) => name),
      );
      const byRow = /ROW\(/.test(condition);
      if (columns.has("partition") ? columns.size < 2 && !byRow : columns.size < 1) {
        faults.push(`walks ${index}: ${condition || "no condition"}`);
      }
    }
    return faults;
  }

  /**
   * Fills every table with a few thousand rows, with values of partial indexes. On empty tables, every index looks
   * equally good.
   */
  async function fill(): Promise<void> {
    const { rows } = await client.query(
      `SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    const named: Readonly<Record<string, string>> = {
      partition: "i % 1024",
      status: "(ARRAY['active', 'revoked', 'theft', 'open', 'reserved', 'waiting'])[1 + i % 6]",
      ended_at: "CASE WHEN i % 6 = 0 THEN NULL ELSE i END",
      role: "(ARRAY['admin', 'member'])[1 + i % 2]",
    };
    const sampleOf = ({ column, type }: Row) =>
      named[String(column)] ??
      { text: "'x' || i", bytea: "'\\x00'", integer: "i", bigint: "i" }[String(type)] ??
      "NULL";
    for (const [table, columns = []] of Object.entries(Object.groupBy(rows as Row[], (row) => String(row["table"])))) {
      await client.query(
        `INSERT INTO ${table} (${columns.map(({ column }) => column).join(", ")})
          SELECT ${columns.map(sampleOf).join(", ")} FROM generate_series(1, 5000) AS i ON CONFLICT DO NOTHING`,
      );
    }
    await client.query("ANALYZE");
  }

  test("the same: no plan that is kept walks a table or a partition", async () => {
    const run = async (statement: Sql, params: Params = {}) => {
      const { text, names } = compile(statement, postgres);
      const values = names.map((name) => params[name]);
      const { rows, rowCount } = await client.query(
        text,
        values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
      );
      return { rows: rows as Row[], count: rowCount ?? 0 };
    };
    used = await statementsOf(sequentialTx(run));
    await fill();
    const faults: string[] = [];
    for (const [statement, name] of used) {
      const { text, names } = compile(statement, postgres);
      if (!/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text)) continue;
      await client.query(`PREPARE it AS ${text}`);
      const nulls = names.length === 0 ? "" : `(${names.map(() => "NULL").join(", ")})`;
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE it${nulls}`);
      await client.query("DEALLOCATE it");
      for (const { Plan } of rows[0]["QUERY PLAN"] as readonly { readonly Plan: PlanNode }[]) {
        faults.push(...faultsOf(Plan).map((fault) => `${name}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
  });

  /** Housekeeping and operators read the rows of all owners. */
  const HOUSEKEEPING = /^(collect|stale|untold|empty|due|housekeeping\.|membershipOutbox\.|events\.)/;
  const OPERATORS = [
    ...[
      "companiesAfter",
      "clientsConsents",
      "disabledPeople",
      "everyConsent",
      "newestPeople",
      "operators",
      "consentsOfAll",
      "consentsOfClient",
      "consents.countOwners",
      "consents.countOfClient",
      "consents.countOfScope",
      "companyConnections.listOfServer",
      "endGrantsOfClient",
      "subjectLinks.list",
      "refusalsOfAll",
      "refusalsOfClient",
    ],
    "peopleAfter",
  ];
  /** Counts the waiting requests for messages. */
  const OF_A_QUEUE = ["mailRequests.countWaiting"];
  /** Finds the former owner of an address that no account has, for a recovery. */
  const BY_ADDRESS = ["whoLeft"];

  /** A logout token names a session of the provider, whose person is unknown. */
  const BY_PROVIDER = ["peopleOfUpstreamLink", "peopleOfUpstreamSid"];

  test("spread by partition: whatever a token, a session or a consent needs lies in one part", async () => {
    const spread = await aPostgresDatabase("sharded");
    const other = new Client({ connectionString: spread.url });
    await other.connect();
    await other.query("SET enable_seqscan = off");
    await other.query("SET plan_cache_mode = force_custom_plan");
    const partsOf = (node: PlanNode): string[] => [
      ...[node["Relation Name"] ?? ""].filter((name) => /_part_\d+$/.test(name)),
      ...(node.Plans ?? []).flatMap(partsOf),
    ];
    const crossing = new Set<string>();
    for (const [statement, name] of used) {
      const { text, names } = compile(statement, postgres);
      if (!/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text)) continue;
      await other.query(`PREPARE it AS ${text}`);
      const ones = names.length === 0 ? "" : `(${names.map(() => "'1'").join(", ")})`;
      const { rows } = await other.query(`EXPLAIN (FORMAT JSON) EXECUTE it${ones}`);
      await other.query("DEALLOCATE it");
      const parts = new Set(
        (rows[0]["QUERY PLAN"] as readonly { readonly Plan: PlanNode }[]).flatMap(({ Plan }) => partsOf(Plan)),
      );
      const tables = new Set([...parts].map((part) => part.replace(/_part_\d+$/, "")));
      if (parts.size > tables.size) crossing.add(name);
    }
    expect(used.size).toBeGreaterThan(80);
    expect([...crossing].filter((name) => !HOUSEKEEPING.test(name)).sort()).toEqual(
      [...OPERATORS, ...OF_A_QUEUE, ...BY_ADDRESS, ...BY_PROVIDER].sort(),
    );
    await other.end();
    await spread.drop();
  });

  test("a connection from before the first rows → it plans anew, and goes by the right index soon", async () => {
    const fresh = await aPostgresDatabase();
    const storage = await openStorage({ url: fresh.url });
    const { grant: one } = await aLiveGrant(storage);
    for (let at = 0; at < 10; at += 1) await statusOf(storage, one);
    const other = new Client({ connectionString: fresh.url });
    await other.connect();
    await other.query(
      `INSERT INTO grants SELECT (jsonb_populate_record(g, jsonb_build_object('grant_id', 'x' || i))).* FROM grants AS g, generate_series(1, 5000) AS i`,
    );
    const walked = async () =>
      Number(
        (
          await other.query(
            "SELECT SUM(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname = 'grants' AND indexrelname <> 'grants_pkey'",
          )
        ).rows[0].read,
      );
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await statusOf(storage, one);
    await statusOf(storage, one);
    // A PostgreSQL backend publishes its statistics up to a second later.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await statusOf(storage, one);
    const before = await walked();
    for (let at = 0; at < 50; at += 1) await statusOf(storage, one);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await statusOf(storage, one);
    await storage.close();
    expect((await walked()) - before).toBeLessThan(1000);
    await other.end();
    await fresh.drop();
  });

  // Runs alone on its own server. PostgreSQL keeps old row versions in their page while any older transaction of any
  // database runs, and rows that don't fit go to another page.
  test("100 refreshes of each of 30 grants → every update in place, and the table as large as before", async () => {
    const cluster = await startCluster({ settings: { autovacuum: "off" } });
    const url = cluster.url("postgres");
    const client = new Client({ connectionString: url });
    await client.connect();
    // A PostgreSQL backend publishes its statistics at its end at the latest.
    const maker = await openStorage({ url });
    await maker.migrate({ now: NOW });
    const grants: Awaited<ReturnType<typeof aLiveGrant>>[] = [];
    while (grants.length < 30) {
      grants.push(...(await Promise.all(Array.from({ length: 10 }, () => aLiveGrant(maker)))));
    }
    await maker.close();
    const storage = await openStorage({ url });
    await client.query("VACUUM ANALYZE grants");
    const size = async () => Number((await client.query("SELECT pg_table_size('grants') AS size")).rows[0].size);
    const before = await size();
    const counts = async () =>
      (await client.query("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'grants'")).rows[0];
    await expect.poll(async () => Number((await counts()).n_tup_upd), { timeout: 5000 }).toBe(30);
    const then = await counts();
    for (let generation = 1; generation <= 100; generation += 1) {
      for (const { grant: each } of grants) {
        const { kind } = await storage.grants.refresh(aRefresh(each, { generation, now: NOW + generation * 60_000 }));
        expect(kind).toBe("rotated");
      }
    }
    await storage.close();
    await expect
      .poll(async () => Number((await counts()).n_tup_upd) - Number(then.n_tup_upd), { timeout: 5000 })
      .toBe(3000);
    const after = await counts();
    expect(Number(after.n_tup_hot_upd) - Number(then.n_tup_hot_upd)).toBe(3000);
    expect(await size()).toBe(before);
    await client.end();
    await cluster.remove();
  });
});
