/** One connection to a server. Statements are prepared once, and every answer has a deadline. */

import type { ConnectionOptions } from "node:tls";
import { Client } from "pg";
import { type Row, type Sql, sql } from "../define-verbs.ts";
import { citus, type Dialect } from "../dialect.ts";
import { ConnectionLost, endsConnection } from "./classify-errors.ts";
import type { Address, Host } from "./database-url.ts";
import { type Ask, Pipeline, Preparations, type Result } from "./pipeline.ts";

/**
 * Maximum time that the server spends on one statement, in milliseconds. A wait for a lock ends sooner, but not before
 * a deadlock is detected (1 s).
 */
const STATEMENT_TIMEOUT = 2_000;
const LOCK_TIMEOUT = 1_500;
/** Maximum time for which a process that hangs between BEGIN and COMMIT holds its locks, in milliseconds. */
const IDLE_IN_TRANSACTION = 5_000;
const CONNECT_TIMEOUT = 2_000;
/** Longer than the statement's own timeout: after this the network has lost the answer, or the server is gone. */
const ANSWER_TIMEOUT = 3_500;
const UNHURRIED = 24 * 3_600_000;
const KEEP_ALIVE = 10_000;

/** The data that a server returns when a connection is opened. */
export interface Greeting {
  /** The server's clock in epoch milliseconds, and how long the question took. */
  readonly clock: number;
  readonly tookMs: number;
  readonly readOnly: boolean;
  readonly standby: boolean;
  /** Increases by one each time a standby becomes the primary. 0: a standby, or a server that doesn't tell. */
  readonly timeline: number;
  /** True: the database has the extension Citus. */
  readonly citus: boolean;
}

/**
 * Sets what our sessions rely on. The planner must find rows by an index: in a fresh database it would take the tables
 * for small, and keep that plan. A session that would answer before the log is on the disk is set to wait for the disk.
 */
const greet = sql`SELECT
    CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS clock,
    CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS standby,
    CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only,
    CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN 1 ELSE 0 END AS citus,
    set_config('statement_timeout', CAST(:statementTimeout AS TEXT), false) AS a,
    set_config('lock_timeout', CAST(:lockTimeout AS TEXT), false) AS b,
    set_config('idle_in_transaction_session_timeout', CAST(:idleInTransaction AS TEXT), false) AS c,
    set_config('TimeZone', 'UTC', false) AS d,
    set_config('enable_seqscan', 'off', false) AS e,
    set_config('default_transaction_isolation', 'read committed', false) AS f,
    set_config('synchronous_commit',
      CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false) AS g`;

/** Any user may ask. Not every kind of PostgreSQL has this function; a server without it has no timeline. */
const askTimeline = sql`SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline`;

/**
 * A plan that was made for a table of a few rows is kept when the table has millions, until the server's statistics
 * notice. In a small table, reading a whole partition looks as good as finding one row of it.
 */
const discardPlans = sql`DISCARD PLANS`;
const YOUNG = 60_000;
const PLANS_KEPT_YOUNG = 2_000;
const PLANS_KEPT = 60_000;

export class Connection {
  readonly host: Host;
  readonly greeting: Greeting;
  readonly #client: Client;
  readonly #known: Preparations;
  #lost: ConnectionLost | undefined;
  #deadline = ANSWER_TIMEOUT;
  readonly #openedAt = performance.now();
  #plannedAt = performance.now();

  private constructor(client: Client, known: Preparations, host: Host, greeting: Greeting, lost: () => unknown) {
    this.#client = client;
    this.#known = known;
    this.host = host;
    this.greeting = greeting;
    client.on("error", (error) => {
      this.#lost ??= new ConnectionLost(`the connection to ${host.host}:${host.port} was lost`, error);
    });
    client.on("end", () => {
      this.#lost ??= new ConnectionLost(`${host.host}:${host.port} closed the connection`, lost());
    });
  }

  /** Connects and signs in. Rejects with the error of `pg` or of the network. */
  static async open(
    address: Address,
    host: Host,
    ssl: ConnectionOptions | false,
    dialect: Dialect,
  ): Promise<Connection> {
    const client = new Client({
      host: host.host,
      port: host.port,
      user: address.user,
      password: address.password ?? (() => ""),
      database: address.database,
      ssl,
      application_name: address.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
    });
    let failure: unknown;
    client.on("error", (error) => {
      failure ??= error;
    });
    try {
      await client.connect();
      const known = new Preparations(dialect);
      const asked = performance.now();
      const params = {
        statementTimeout: STATEMENT_TIMEOUT,
        lockTimeout: LOCK_TIMEOUT,
        idleInTransaction: IDLE_IN_TRANSACTION,
      };
      const [result] = await send(client, known, [{ sql: greet, params }], ANSWER_TIMEOUT);
      const row: Row = result?.rows[0] ?? {};
      const greeting = {
        clock: Number(row["clock"]),
        tookMs: performance.now() - asked,
        standby: row["standby"] === 1,
        readOnly: row["read_only"] === 1,
        // With one host, no other server can be the primary.
        timeline: address.hosts.length > 1 && row["standby"] !== 1 ? await timelineOf(client, known) : 0,
        citus: row["citus"] === 1,
      };
      const spoken = greeting.citus ? new Preparations(citus) : known;
      return new Connection(client, spoken, host, greeting, () => failure);
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  /** False: close this connection. */
  get usable(): boolean {
    return this.#lost === undefined;
  }

  /**
   * Sends the statements together. Outside of a BEGIN they are one transaction. Rejects with the first error, after
   * which nothing was written, or with `ConnectionLost`, after which this is unknown.
   */
  async run(asks: readonly Ask[]): Promise<readonly Result[]> {
    if (this.#lost !== undefined) throw this.#lost;
    const replans = this.#replans();
    try {
      const all = replans ? [...asks, { sql: discardPlans, params: {} }] : asks;
      const results = await send(this.#client, this.#known, all, this.#deadline);
      return replans ? results.slice(0, asks.length) : results;
    } catch (error) {
      if (isBroken(error)) this.#lost ??= new ConnectionLost("the connection was lost", error);
      if (endsConnection(error)) this.#lost ??= new ConnectionLost("the server ended the connection", error);
      if (this.#lost !== undefined) destroy(this.#client);
      throw isBroken(error) ? (this.#lost ?? error) : error;
    }
  }

  /** True from time to time, more often while the connection is young. */
  #replans(): boolean {
    const now = performance.now();
    if (now - this.#plannedAt < (now - this.#openedAt < YOUNG ? PLANS_KEPT_YOUNG : PLANS_KEPT)) return false;
    this.#plannedAt = now;
    return true;
  }

  /** Runs one statement without parameters. */
  async say(statement: Sql): Promise<void> {
    await this.run([{ sql: statement, params: {} }]);
  }

  /** From now on no statement has a time limit: for long work such as a change of the schema. */
  async unhurried(): Promise<void> {
    await this.say(
      sql`SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false) AS b,
        set_config('idle_in_transaction_session_timeout', '0', false) AS c`,
    );
    this.#deadline = UNHURRIED;
  }

  async close(): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#lost = new ConnectionLost("the storage is closed");
    await this.#client.end().catch(() => undefined);
  }

  /** Closes at once, whatever is under way. */
  destroy(): void {
    this.#lost ??= new ConnectionLost("the connection was given up");
    destroy(this.#client);
  }
}

/** True for everything that is not an answer of the server: errors and the end of the socket, and our deadline. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && !("severity" in error) && !(error instanceof TypeError);
}

async function timelineOf(client: Client, known: Preparations): Promise<number> {
  try {
    const [result] = await send(client, known, [{ sql: askTimeline, params: {} }], ANSWER_TIMEOUT);
    return Number.parseInt(String(result?.rows[0]?.["timeline"]), 16) || 0;
  } catch (error) {
    if (isBroken(error)) throw error;
    return 0;
  }
}

async function send(
  client: Client,
  known: Preparations,
  asks: readonly Ask[],
  within: number,
): Promise<readonly Result[]> {
  const pipeline = new Pipeline(asks, known);
  const deadline = setTimeout(() => {
    pipeline.handleError(new ConnectionLost(`no answer within ${within} ms`));
    destroy(client);
  }, within);
  try {
    client.query(pipeline);
    return await pipeline.answer;
  } finally {
    clearTimeout(deadline);
  }
}

function destroy(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
