/** One connection to an SQLite file: statements prepared once, errors told apart. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { sqlite } from "../dialect.ts";
import { StorageUnavailable } from "../errors.ts";
import { compile, type Params, type Row, type Sql, type Tx, type Value } from "../sql.ts";

/** How long a connection waits for another process's write lock. */
const BUSY_TIMEOUT = 5_000;

interface Prepared {
  readonly statement: StatementSync;
  readonly names: readonly string[];
}

export class Connection implements Tx {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Sql, Prepared>();

  constructor(path: string, options: { readonly readOnly: boolean }) {
    this.#db = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT,
      // Rows of different partitions may live in different databases one day: the verbs keep what foreign keys would.
      enableForeignKeyConstraints: false,
    });
    // FULL: what was committed survives a loss of power. At most 8 MiB of pages are kept in memory, the system keeps the others. The log is folded into the file every 16 MiB:
    // a page that many commits touch is then written there once.
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

  /** Makes the file keep a write-ahead log from now on; false: it can't here. */
  useWriteAheadLog(): boolean {
    return this.#db.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode === "wal";
  }

  /** In a transaction; rolls back and rethrows what the work throws. */
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

  /** SQLite may have rolled back by itself (disk full); then there's nothing to do. */
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

/** Primary result codes that speak of the machine, not of the statement: busy, locked, memory, read-only, interrupt, I/O, corrupt, full, can't open, protocol, no database. */
const OUTAGES: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26]);

/** The error as a caller of a verb gets it: an outage as `StorageUnavailable`, a bug as it is. */
export function told(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  if (!OUTAGES.has(error.errcode & 0xff)) return error;
  return new StorageUnavailable(`SQLite: ${error.message}`, { cause: error });
}
