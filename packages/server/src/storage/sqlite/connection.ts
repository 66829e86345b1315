/** One connection to an SQLite file. Statements are prepared once, and outages are told apart from bugs. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { compile, type Params, type Row, type Sql, type Tx, type Value } from "../define-verbs.ts";
import { sqlite } from "../dialect.ts";
import { StorageUnavailable } from "../errors.ts";

/** How long a connection waits for another process's write lock, in milliseconds. */
const BUSY_TIMEOUT = 5_000;

interface Prepared {
  readonly statement: StatementSync;
  readonly names: readonly string[];
}

export class Connection implements Tx {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Sql, Prepared>();

  /** `file`: a path, or an address with SQLite's options for it. */
  constructor(file: string | URL, options: { readonly readOnly: boolean }) {
    this.#db = new DatabaseSync(file, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT,
      // Rows of different partitions may be in different databases one day, so the verbs do the work of foreign keys.
      enableForeignKeyConstraints: false,
    });
    // FULL: a committed write survives a loss of power. At most 8 MiB of pages are kept in memory; the system caches
    // the others. The log is written into the file every 16 MiB, so that a page that many commits change is written
    // there once.
    this.#db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -8192;
      PRAGMA wal_autocheckpoint = 4096;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF;
    `);
  }

  exec(text: "BEGIN" | "BEGIN IMMEDIATE" | "COMMIT" | "ROLLBACK"): void {
    this.#db.exec(text);
  }

  /** Switches the file to a write-ahead log. False: that is impossible here. */
  useWriteAheadLog(): boolean {
    return this.#db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode === "wal";
  }

  /** Runs the work in a transaction. If the work throws, rolls back and throws the same error. */
  inTransaction<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
    this.exec(begin);
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** After some errors (disk full), SQLite has rolled back by itself. Then there is nothing to do. */
  rollback(): void {
    if (this.#db.isTransaction) this.exec("ROLLBACK");
  }

  oneNow(statement: Sql, params: Params = {}): Row | undefined {
    const prepared = this.#prepare(statement);
    return prepared.statement.get(...placed(prepared.names, params)) as Row | undefined;
  }

  allNow(statement: Sql, params: Params = {}): readonly Row[] {
    const prepared = this.#prepare(statement);
    return prepared.statement.all(...placed(prepared.names, params)) as readonly Row[];
  }

  runNow(statement: Sql, params: Params = {}): number {
    const prepared = this.#prepare(statement);
    return Number(prepared.statement.run(...placed(prepared.names, params)).changes);
  }

  async one(statement: Sql, params?: Params): Promise<Row | undefined> {
    return this.oneNow(statement, params);
  }

  async all(statement: Sql, params?: Params): Promise<readonly Row[]> {
    return this.allNow(statement, params);
  }

  async run(statement: Sql, params?: Params): Promise<number> {
    return this.runNow(statement, params);
  }

  later(statement: Sql, params?: Params): void {
    this.runNow(statement, params);
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(statement: Sql): Prepared {
    const found = this.#prepared.get(statement);
    if (found !== undefined) return found;
    const { text, names } = compile(statement, sqlite);
    const prepared = { statement: this.#db.prepare(text), names };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

function placed(names: readonly string[], params: Params): Value[] {
  return names.map((name) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`the statement's parameter :${name} was not given`);
    return value;
  });
}

/**
 * Primary result codes about the machine, not about the statement: busy, locked, memory, read-only, interrupt, I/O,
 * corrupt, full, can't open, protocol, no database.
 */
const OUTAGES: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26]);

/** The error for the caller of a verb: an outage becomes `StorageUnavailable`, a bug stays as it is. */
export function told(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  if (!OUTAGES.has(error.errcode & 0xff)) return error;
  return new StorageUnavailable(`SQLite: ${error.message}`, { cause: error });
}
