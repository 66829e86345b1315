/**
 * Storage in PostgreSQL. Simultaneous statements are sent as one pipeline; transactions have connections of their own.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Cause } from "../../events/event.ts";
import type { Millis } from "../../oauth/model.ts";
import {
  type Params,
  type ReadVerb,
  type Row,
  type Sql,
  type StatementVerb,
  sql,
  type TransactionVerb,
  type Tx,
  type Verb,
} from "../define-verbs.ts";
import { postgres } from "../dialect.ts";
import { StorageUnavailable } from "../errors.ts";
import { lockKeyOf } from "../lock-order.ts";
import type { IndexStep, SchemaHost } from "../migrations/migration.ts";
import { Groups, type Member } from "./call-batches.ts";
import { endsConnection, isConflict, isLockTimeout, isPartLost, isReadOnly, told } from "./classify-errors.ts";
import { Connector } from "./connect-to-writable-host.ts";
import type { Connection } from "./connection.ts";
import { buildBeside } from "./create-index-concurrently.ts";
import { DatabaseClock } from "./database-clock.ts";
import { type Address, parseAddress } from "./database-url.ts";
import type { Ask, Result } from "./pipeline.ts";
import { Pool } from "./pool.ts";
import { TogetherTx } from "./together-tx.ts";

/** Number of connections that write groups, and of those that read groups. */
const WRITERS = 2;
const READERS = 2;
/** How often a transaction is repeated after a conflict with another one. */
const ATTEMPTS = 8;
/** How long a change of the schema waits for a table, in milliseconds, and how often it tries. */
const TABLE_LOCK = 1_000;
const LOCK_ATTEMPTS = 60;
/** "assent" as a number. A process that changes the schema holds this advisory lock. */
const SCHEMA_LOCK = 107_119_544_717_428;

export interface PostgresOptions {
  readonly url: string;
  /** True: nothing may be written, and a standby is enough. */
  readonly readonly: boolean;
  /** Called after each group of statements, with their number and the duration in milliseconds. */
  readonly onBatch?: (size: number, milliseconds: number) => void;
}

/** Counts since the storage was opened. */
export interface PostgresStats {
  /** Groups of statements. Each is one transaction, unless one of its statements failed. */
  readonly batches: number;
  readonly verbs: number;
  /** Statements that wait until their group is sent. */
  readonly waiting: number;
  /** Connections opened so far. */
  readonly connections: number;
}

type StatementMember = Member<StatementJob, StatementResult>;

interface StatementJob {
  readonly verb: StatementVerb<never, unknown>;
  readonly params: Params;
}

/** The result of a statement. The call of the verb turns it into an outcome. */
interface StatementResult {
  readonly row: Row | undefined;
  readonly why: Row | undefined;
}

const beginRead = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
const beginSnapshot = sql`BEGIN ISOLATION LEVEL REPEATABLE READ`;
const begin = sql`BEGIN`;
const commit = sql`COMMIT`;
const rollback = sql`ROLLBACK`;
const readClock = sql`SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS clock`;

/** Opens without waiting for a connection. Throws a `TypeError` for a malformed URL. */
export function openPostgres({ url, ...options }: PostgresOptions): PostgresEngine {
  return new PostgresEngine(parseAddress(url), options);
}

export class PostgresEngine implements SchemaHost {
  readonly dialect = postgres;
  readonly clock = new DatabaseClock();
  readonly #readonly: boolean;
  readonly #connector: Connector;
  readonly #writers: Pool;
  readonly #readers: Pool;
  readonly #transactions: Pool;
  readonly #writes: Groups<StatementJob, StatementResult>;
  readonly #reads: Groups<readonly Ask[], readonly Result[]>;
  /** Verbs that have begun. `close` waits for the last one. */
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(address: Address, { readonly, onBatch }: Omit<PostgresOptions, "url">) {
    this.#readonly = readonly;
    this.#connector = new Connector(address, {
      readonly,
      dialect: postgres,
      greeted: (greeting) => this.clock.measured(greeting),
    });
    this.#writers = new Pool(this.#connector, WRITERS);
    this.#readers = new Pool(this.#connector, READERS, "read");
    this.#transactions = new Pool(this.#connector, Math.max(1, address.maxConnections - WRITERS - READERS));
    this.#writes = new Groups((group) => this.#writeGroup(group), {
      lanes: WRITERS,
      ...(onBatch === undefined ? {} : { observe: onBatch }),
    });
    this.#reads = new Groups((group) => this.#readGroup(group), { lanes: READERS });
  }

  /** Runs a verb. An outage rejects with `StorageUnavailable`; any other error is a bug of this program. */
  readonly call = async <A, O>(verb: Verb<A, O>, args: A, cause?: Cause): Promise<O> => {
    if (this.#closing !== undefined) throw new StorageUnavailable("the storage is closed");
    const running = this.#run(verb, args, cause);
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  };

  readonly #run = async <A, O>(verb: Verb<A, O>, args: A, cause?: Cause): Promise<O> => {
    switch (verb.kind) {
      case "read":
        return this.#read(verb, args);
      case "statement":
        return (await this.#look(verb, args)) ?? this.#statement(verb, args);
      case "transaction":
        return this.#transaction(verb, args, cause);
      case "steps":
        return verb.body(cause === undefined ? this.#run : (step, input) => this.#run(step, input, cause), args);
    }
  };

  stats(): PostgresStats {
    const pools = [this.#writers, this.#readers, this.#transactions];
    return {
      ...this.#writes.counts,
      waiting: this.#writes.waiting,
      connections: pools.reduce((sum, { opened }) => sum + opened, 0),
    };
  }

  now(): Millis {
    return this.clock.now();
  }

  /** Each new connection checks again which server is the right one. */
  displaced(): boolean {
    return false;
  }

  /** Completes the calls that are under way, then closes the connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await Promise.all([this.#writes.drain(), this.#reads.drain()]);
    await Promise.all([this.#writers.close(), this.#readers.close(), this.#transactions.close()]);
  }

  /**
   * Waits for other processes that change the schema as long as they need. Waits briefly for a table and starts again,
   * because everybody else queues behind a process that waits for a table.
   */
  async exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#aside(begin, async (tx) => {
          await tx.run(sql`SELECT pg_advisory_xact_lock(CAST(:lock AS BIGINT))`, { lock: SCHEMA_LOCK });
          await tx.run(sql`SELECT set_config('lock_timeout', CAST(:timeout AS TEXT), true)`, { timeout: TABLE_LOCK });
          return work(tx);
        });
      } catch (error) {
        if (!(error instanceof StorageUnavailable && isLockTimeout(error.cause)) || attempt === LOCK_ATTEMPTS)
          throw error;
        await sleep(TABLE_LOCK * (0.5 + Math.random()));
      }
    }
  }

  async buildIndex(step: IndexStep): Promise<void> {
    const connection = await this.#connector.open();
    try {
      await connection.unhurried();
      await buildBeside(connection, step);
    } catch (error) {
      throw told(error);
    } finally {
      await connection.close();
    }
  }

  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#aside(beginRead, work);
  }

  async tableExists(tx: Tx, table: string): Promise<boolean> {
    return (
      (await tx.one(
        sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = CAST(:table AS TEXT)`,
        { table },
      )) !== undefined
    );
  }

  /** Runs on a connection of its own: the schema is read once, at the start. */
  async #aside<T>(beginning: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
    const connection = await this.#connector.open();
    try {
      await connection.unhurried();
      return await inTransaction(connection, beginning, work);
    } catch (error) {
      throw told(error);
    } finally {
      await connection.close();
    }
  }

  async #read<A, O>(verb: ReadVerb<A, O>, args: A): Promise<O> {
    const params = verb.bind(args);
    const asks = [verb.sql, ...(verb.also === undefined ? [] : [verb.also])].map((statement) => ({
      sql: statement,
      params,
    }));
    const [rows, also] = await this.#reads.submit(asks);
    return verb.outcome(rows?.rows ?? [], args, also?.rows ?? []);
  }

  async #look<A, O>({ look }: StatementVerb<A, O>, args: A): Promise<O | undefined> {
    if (look?.when(args) !== true) return undefined;
    const [result] = await this.#reads.submit([{ sql: look.sql, params: look.bind(args) }]);
    return look.outcome(result?.rows[0], args);
  }

  /**
   * Sends all reads of one turn as one pipeline. If one of them has two statements, the pipeline reads in one snapshot.
   */
  async #readGroup(group: readonly Member<readonly Ask[], readonly Result[]>[]): Promise<void> {
    const asks = group.flatMap(({ job }) => job);
    const snapshot = asks.length > group.length;
    try {
      const results = await this.#readers.use((connection) => this.#readPipeline(connection, asks, snapshot));
      let at = 0;
      for (const { job, resolve } of group) {
        resolve(results.slice(at, at + job.length));
        at += job.length;
      }
    } catch (error) {
      const [only] = group;
      if (group.length === 1 && only !== undefined) only.reject(told(error));
      else if (isOutage(error) && !isPartLost(error)) {
        for (const { reject } of group) reject(told(error));
      } else {
        // One of them failed, and only its caller gets the error.
        await Promise.all(group.map((member) => this.#readGroup([member])));
      }
    }
  }

  /** From time to time the pipeline also reads the database's clock, which costs a few bytes. */
  async #readPipeline(connection: Connection, asks: readonly Ask[], snapshot: boolean): Promise<readonly Result[]> {
    const measures = this.clock.stale;
    const started = performance.now();
    const framed = [
      ...(snapshot ? [{ sql: beginRead, params: {} }, ...asks, { sql: commit, params: {} }] : asks),
      ...(measures ? [{ sql: readClock, params: {} }] : []),
    ];
    const results = await orRollback(connection, snapshot, () => connection.run(framed));
    if (measures) {
      const clock = Number(results.at(-1)?.rows[0]?.["clock"]);
      this.clock.measured({ clock, tookMs: performance.now() - started });
    }
    const from = snapshot ? 1 : 0;
    return results.slice(from, from + asks.length);
  }

  async #statement<A, O>(verb: StatementVerb<A, O>, args: A): Promise<O> {
    this.#mayWrite();
    const params = verb.bind(args);
    const { row, why } = await this.#writes.submit(
      { verb: verb as StatementVerb<never, unknown>, params },
      lockKeyOf(verb, params),
    );
    return verb.outcome(row, args, why);
  }

  /**
   * Sends all statements of one turn as one pipeline, which is one transaction. With Citus it is none: each statement
   * commits by itself on its worker. So each is sent on a connection of its own, and no failure runs another one again.
   */
  async #writeGroup(group: readonly StatementMember[]): Promise<void> {
    const asks = group.map(({ job: { verb, params } }) => ({ sql: verb.sql, params }));
    try {
      const results = await retried(() =>
        this.#writers.use(async (connection) => (connection.greeting.citus ? undefined : connection.run(asks))),
      );
      if (results === undefined) {
        // The next group does not wait for them, because one of their workers may be slow or lost.
        for (const member of group) void this.#writeAlone(member);
        return;
      }
      const missed: StatementMember[] = [];
      group.forEach((member, at) => {
        const row = results[at]?.rows[0];
        if (row !== undefined || member.job.verb.why === undefined) member.resolve({ row, why: undefined });
        else missed.push(member);
      });
      // The next group does not have to wait for them.
      if (missed.length > 0) void this.#explain(missed);
    } catch (error) {
      if (isOutage(error)) {
        for (const { reject } of group) reject(told(error, true));
      } else {
        // One of them failed or waits for a lock, so the others run again without it.
        for (const member of group) void this.#explain([member]);
      }
    }
  }

  /**
   * Runs one statement as its own transaction. After an error it is unknown whether Citus has committed it, so it isn't
   * repeated.
   */
  async #writeAlone(member: StatementMember): Promise<void> {
    const { sql: statement, why } = member.job.verb;
    const asks = [{ sql: statement, params: member.job.params }];
    try {
      const [result] = await retried(() => this.#transactions.use((connection) => connection.run(asks)));
      const row = result?.rows[0];
      if (row === undefined && why !== undefined) await this.#explain([member]);
      else member.resolve({ row, why: undefined });
    } catch (error) {
      member.reject(told(error, true));
    }
  }

  /**
   * Runs statements and, if they return no row, the queries for their reasons, in one snapshot. Otherwise another
   * request in between could change the reason. If a row was changed since the snapshot, it starts again.
   */
  async #explain(group: readonly StatementMember[]): Promise<void> {
    const asks = group.flatMap(({ job: { verb, params } }) =>
      [verb.sql, ...(verb.why === undefined ? [] : [verb.why])].map((each) => ({ sql: each, params })),
    );
    const framed = [{ sql: beginSnapshot, params: {} }, ...asks, { sql: commit, params: {} }];
    try {
      const results = await retried(() =>
        this.#transactions.use((connection) => orRollback(connection, true, () => connection.run(framed))),
      );
      let at = 1;
      for (const { job, resolve } of group) {
        const row = results[at]?.rows[0];
        at += 1;
        const why = job.verb.why === undefined ? undefined : results[at++]?.rows[0];
        resolve({ row, why: row === undefined ? why : undefined });
      }
    } catch (error) {
      const [only] = group;
      if (group.length === 1 && only !== undefined) only.reject(told(error, true));
      else if (isOutage(error)) for (const { reject } of group) reject(told(error, true));
      else await Promise.all(group.map((member) => this.#explain([member])));
    }
  }

  async #transaction<A, O>(verb: TransactionVerb<A, O>, args: A, cause: Cause | undefined): Promise<O> {
    this.#mayWrite();
    try {
      return await retried(() =>
        this.#transactions.use((connection) => inTransaction(connection, begin, (tx) => verb.body(tx, args), cause)),
      );
    } catch (error) {
      throw told(error);
    }
  }

  #mayWrite(): void {
    if (this.#readonly) throw new StorageUnavailable("the database was opened for reading only");
  }
}

/** True: the database is unavailable for everybody. */
function isOutage(error: unknown): boolean {
  return endsConnection(error) || isPartLost(error) || error instanceof StorageUnavailable;
}

/**
 * Repeats work that conflicted with another transaction, after a short random time. Also repeats work on the new
 * primary if its server takes no writes any more.
 */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(isConflict(error) || isReadOnly(error)) || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * 2 ** attempt);
    }
  }
}

/** If the work throws, rolls back and throws the same error. */
async function inTransaction<T>(
  connection: Connection,
  beginning: Sql,
  work: (tx: Tx) => Promise<T>,
  cause?: Cause,
): Promise<T> {
  const together = new TogetherTx(connection, beginning, cause);
  const result = await orRollback(
    connection,
    () => together.begun,
    () => work(together),
  );
  await orRollback(
    connection,
    () => together.begun,
    () => together.commit(),
  );
  return result;
}

async function orRollback<T>(
  connection: Connection,
  begun: boolean | (() => boolean),
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (connection.usable && (begun === true || (begun !== false && begun()))) {
      await connection.say(rollback).catch(() => connection.destroy());
    }
    throw error;
  }
}
