/** Sends several statements together and reads the answers in order: Bind and Execute for each, one Sync for all. */

import type { Connection, Submittable } from "pg";
import { compile, type Params, type Row, type Sql, type Value } from "../define-verbs.ts";
import type { Dialect } from "../dialect.ts";

/** A statement and its parameters. */
export interface Ask {
  readonly sql: Sql;
  readonly params: Params;
}

/** The result of one statement. */
export interface Result {
  readonly rows: readonly Row[];
  /** Number of rows that it returned or changed. */
  readonly count: number;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly names: readonly string[];
}

const prepared = new WeakMap<Dialect, WeakMap<Sql, Prepared>>();
let count = 0;

/** In this process, each text has one name, under which every connection prepares it. */
function prepare(sql: Sql, dialect: Dialect): Prepared {
  const all = prepared.get(dialect) ?? new WeakMap<Sql, Prepared>();
  prepared.set(dialect, all);
  const found = all.get(sql);
  if (found !== undefined) return found;
  count += 1;
  const made = { name: `assent_${count}`, ...compile(sql, dialect) };
  all.set(sql, made);
  return made;
}

interface Column {
  readonly name: string;
  readonly type: number;
}

/** The statements that a connection has prepared. */
export class Preparations {
  readonly dialect: Dialect;
  /** The columns of each statement; none for a statement that returns no rows. */
  readonly columns = new Map<string, readonly Column[]>();
  /** Statements that may be prepared or not, because an error came in between. */
  readonly doubtful = new Set<string>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }
}

interface Description {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** A pipeline as `pg` drives it: `submit` sends, and the handlers get the answers. */
export class Pipeline implements Submittable {
  readonly answer: Promise<readonly Result[]>;
  readonly #asks: readonly { readonly prepared: Prepared; readonly values: readonly (string | Buffer | null)[] }[];
  readonly #known: Preparations;
  readonly #fresh = new Map<string, readonly Column[]>();
  readonly #results: { rows: Row[]; count: number }[] = [];
  #rows: Row[] = [];
  #resolve: (results: readonly Result[]) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(asks: readonly Ask[], known: Preparations) {
    this.#known = known;
    this.#asks = asks.map(({ sql, params }) => {
      const statement = prepare(sql, known.dialect);
      return { prepared: statement, values: statement.names.map((name) => encoded(name, params[name])) };
    });
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork();
    for (const { prepared, values } of this.#asks) {
      const { name, text } = prepared;
      if (!this.#known.columns.has(name) && !this.#fresh.has(name)) {
        if (this.#known.doubtful.has(name)) connection.close({ type: "S", name }, true);
        connection.parse({ name, text, types: [] }, true);
        connection.describe({ type: "S", name }, true);
        this.#fresh.set(name, []);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      connection.execute({}, true);
    }
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: Description): void {
    // A description comes right before the rows of its statement.
    const name = this.#current()?.prepared.name;
    if (name !== undefined)
      this.#fresh.set(
        name,
        fields.map((field) => ({ name: field.name, type: field.dataTypeID })),
      );
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const name = this.#current()?.prepared.name ?? "";
    const columns = this.#fresh.get(name) ?? this.#known.columns.get(name) ?? [];
    const row: Record<string, Value> = {};
    for (const [at, column] of columns.entries()) row[column.name] = decoded(column.type, fields[at] ?? null);
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#results.push({ rows: this.#rows, count: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    this.#rows = [];
  }

  handleEmptyQuery(): void {
    this.#results.push({ rows: [], count: 0 });
  }

  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  handleReadyForQuery(): void {
    for (const [name, columns] of this.#fresh) {
      this.#known.columns.set(name, columns);
      this.#known.doubtful.delete(name);
    }
    this.#resolve(this.#results);
  }

  handleError(error: unknown): void {
    for (const name of this.#fresh.keys()) this.#known.doubtful.add(name);
    this.#reject(error);
  }

  #current() {
    return this.#asks[this.#results.length];
  }
}

/** A text column can't hold NUL. It becomes the replacement character, as half of a surrogate pair does everywhere. */
function encoded(name: string, value: Value | undefined): string | Buffer | null {
  if (value === undefined) throw new TypeError(`the statement's parameter :${name} was not given`);
  if (value === null) return null;
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Type identifiers of pg_type. */
const BYTEA = 17;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701]);

/** Returns whole numbers as numbers, because no stored number exceeds 2⁵³. */
function decoded(type: number, text: string | null): Value {
  if (text === null) return null;
  if (type === BYTEA) return new Uint8Array(Buffer.from(text.slice(2), "hex"));
  return NUMBERS.has(type) ? Number(text) : text;
}
