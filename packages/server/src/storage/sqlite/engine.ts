/** Storage in one SQLite file: one connection reads on this thread, and one writes in groups. */

import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cause } from "../../events/event.ts";
import type { Millis } from "../../oauth/model.ts";
import { type ReadVerb, type StatementVerb, sql, type Tx, type Verb } from "../define-verbs.ts";
import { sqlite } from "../dialect.ts";
import { StorageUnavailable, UnsafeFileMode } from "../errors.ts";
import { type LockKey, lockKeyOf } from "../lock-order.ts";
import type { SchemaHost } from "../migrations/migration.ts";
import { nameOf } from "../verb-registry.ts";
import { Connection, told } from "./connection.ts";
import { type BatchObserver, LocalRunner, ThreadRunner, Writer } from "./group-commit.ts";
import type { StatementResult } from "./run-batch.ts";

export interface SqliteOptions {
  readonly path: string;
  /** Where writes run. With `thread`, this thread's event loop never waits for the disk. */
  readonly writer: "thread" | "main";
  /** True: nothing may be written, and the file must exist. */
  readonly readonly: boolean;
  readonly onBatch?: BatchObserver;
}

/** Counts since the file was opened. */
export interface SqliteStats {
  /** Groups of verbs. Each is one transaction, unless one of its verbs failed. */
  readonly batches: number;
  readonly verbs: number;
  /** Number of verbs that wait for their group now. */
  readonly waiting: number;
  readonly writerStarts: number;
}

/**
 * Opens or creates the file (mode 0600, write-ahead log). Throws `UnsafeFileMode` if other users may read or write an
 * existing file, and `StorageUnavailable` if it can't be opened.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteEngine> {
  const { path, readonly } = options;
  secureFile(path, readonly);
  try {
    if (readonly) return new SqliteEngine(path, new Connection(path, { readOnly: true }), undefined, undefined);
    await useWriteAheadLog(path);
    const runner =
      options.writer === "thread" ? new ThreadRunner(path) : new LocalRunner(new Connection(path, { readOnly: false }));
    const thread = runner instanceof ThreadRunner ? runner : undefined;
    // The thread starts while the process goes on. The first write waits for it, and gets the error if the thread could
    // not start.
    thread?.start().catch(() => undefined);
    return new SqliteEngine(
      path,
      new Connection(path, { readOnly: true }),
      new Writer(runner, options.onBatch),
      thread,
    );
  } catch (error) {
    throw told(error);
  }
}

/** The log and its index get their mode from the file. */
function secureFile(path: string, readonly: boolean): void {
  if (!existsSync(path)) {
    if (readonly) throw new StorageUnavailable(`${path} does not exist`);
    try {
      closeSync(openSync(path, "a", 0o600));
    } catch (error) {
      throw new StorageUnavailable(`${path} cannot be created`, { cause: error });
    }
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    if ((mode & 0o077) !== 0) {
      throw new UnsafeFileMode(
        `${file} has mode ${mode.toString(8).padStart(4, "0")}: others than its owner may touch it. Take that away (chmod 600) and look for who had a copy.`,
      );
    }
  }
}

/**
 * A change of the journal mode locks the whole file. Unlike other statements, it does not wait for other processes that
 * do the same.
 */
async function useWriteAheadLog(path: string): Promise<void> {
  const connection = new Connection(path, { readOnly: false });
  try {
    const until = Date.now() + 10_000;
    for (;;) {
      try {
        if (connection.useWriteAheadLog()) return;
      } catch (error) {
        if (!(told(error) instanceof StorageUnavailable) || Date.now() > until) throw error;
      }
      if (Date.now() > until) throw new StorageUnavailable(`${path}: the write-ahead log can't be used here`);
      await sleep(20 + Math.random() * 30);
    }
  } finally {
    connection.close();
  }
}

export class SqliteEngine implements SchemaHost {
  readonly dialect = sqlite;
  readonly #path: string;
  readonly #reader: Connection;
  readonly #writer: Writer | undefined;
  readonly #thread: ThreadRunner | undefined;
  /** Identifies the file that was opened. */
  readonly #inode: bigint | undefined;
  /** Verbs of several steps that have begun. `close` waits for the last step. */
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(path: string, reader: Connection, writer: Writer | undefined, thread: ThreadRunner | undefined) {
    this.#path = path;
    this.#reader = reader;
    this.#writer = writer;
    this.#thread = thread;
    this.#inode = inodeOf(path);
  }

  /** Runs a verb. An outage rejects with `StorageUnavailable`; any other error is a bug of this program. */
  readonly call = <A, O>(verb: Verb<A, O>, args: A, cause?: Cause): Promise<O> => {
    if (this.#closing !== undefined) return Promise.reject(new StorageUnavailable("the storage is closed"));
    const running = this.#run(verb, args, cause);
    if (verb.kind === "steps") {
      const over = () => void this.#underWay.delete(running);
      this.#underWay.add(running);
      running.then(over, over);
    }
    return running;
  };

  readonly #run = async <A, O>(verb: Verb<A, O>, args: A, cause?: Cause): Promise<O> => {
    switch (verb.kind) {
      case "read":
        return this.#read(verb, args);
      case "statement": {
        const looked = this.#look(verb, args);
        if (looked !== undefined) return looked;
        const params = verb.bind(args);
        const { row, why } = (await this.#write(nameOf(verb), params, lockKeyOf(verb, params))) as StatementResult;
        return verb.outcome(row, args, why);
      }
      case "transaction":
        return (await this.#write(nameOf(verb), args, undefined, cause)) as O;
      case "steps":
        return verb.body(cause === undefined ? this.#run : (step, input) => this.#run(step, input, cause), args);
    }
  };

  /** True: the file was moved, or another is in its place. Then nobody will find what this process writes. */
  displaced(): boolean {
    return inodeOf(this.#path) !== this.#inode;
  }

  /** A file belongs to one machine, so the time is that machine's clock. */
  now(): Millis {
    return Date.now();
  }

  stats(): SqliteStats {
    return {
      ...(this.#writer?.counts ?? { batches: 0, verbs: 0 }),
      waiting: this.#writer?.waiting ?? 0,
      writerStarts: this.#thread?.starts ?? 0,
    };
  }

  /** The writer's thread, if there is one: for tests of its death. */
  thread() {
    return this.#thread?.start();
  }

  /** Completes the calls that are under way, then closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    // Close the reader after the last verb's read and before the writer: the last connection writes the log into the
    // file.
    await this.#writer?.drain();
    this.#reader.close();
    await this.#writer?.close();
  }

  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#aside("BEGIN IMMEDIATE", work);
  }

  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#aside("BEGIN", work);
  }

  async tableExists(tx: Tx, table: string): Promise<boolean> {
    return (
      (await tx.one(sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = :table`, { table })) !==
      undefined
    );
  }

  /** Runs on a connection of its own: the schema is read once, at the start. */
  async #aside<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: (tx: Tx) => Promise<T>): Promise<T> {
    const connection = new Connection(this.#path, { readOnly: this.#writer === undefined });
    try {
      connection.exec(begin);
      const result = await work(connection);
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      throw told(error);
    } finally {
      connection.rollback();
      connection.close();
    }
  }

  #read<A, O>(verb: ReadVerb<A, O>, args: A): O {
    const params = verb.bind(args);
    const { also } = verb;
    try {
      if (also === undefined) return verb.outcome(this.#reader.allNow(verb.sql, params), args, []);
      const [rows, more] = this.#reader.inTransaction(
        "BEGIN",
        () => [this.#reader.allNow(verb.sql, params), this.#reader.allNow(also, params)] as const,
      );
      return verb.outcome(rows, args, more);
    } catch (error) {
      throw told(error);
    }
  }

  #look<A, O>({ look }: StatementVerb<A, O>, args: A): O | undefined {
    if (look?.when(args) !== true) return undefined;
    try {
      return look.outcome(this.#reader.oneNow(look.sql, look.bind(args)), args);
    } catch (error) {
      throw told(error);
    }
  }

  #write(verb: string, input: unknown, lockKey: LockKey | undefined, cause?: Cause): Promise<unknown> {
    if (this.#writer === undefined) throw new StorageUnavailable(`${this.#path} was opened for reading only`);
    return this.#writer.submit(cause === undefined ? { verb, input } : { verb, input, cause }, lockKey);
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
