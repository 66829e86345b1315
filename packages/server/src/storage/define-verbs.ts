/** How to write a storage verb: a text of SQL, named parameters, and an outcome that is a value. */

import type { Cause } from "../events/event.ts";
import type { Dialect, DialectWords } from "./dialect.ts";

/** The type of a column or a parameter. */
export type Value = null | number | string | Uint8Array;
export type Row = Readonly<Record<string, Value>>;
export type Params = Readonly<Record<string, Value>>;

/** A word of the dialect. `compile` replaces it by the dialect's text. */
class Word {
  readonly name: keyof DialectWords;
  constructor(name: keyof DialectWords) {
    this.name = name;
  }
}

export const words = {
  forUpdate: new Word("forUpdate"),
  forUpdateAcross: new Word("forUpdateAcross"),
  forShare: new Word("forShare"),
  sharedGate: new Word("sharedGate"),
  exclusiveGate: new Word("exclusiveGate"),
  whole: new Word("whole"),
  bytes: new Word("bytes"),
  empty: new Word("empty"),
  key: new Word("key"),
  bytewise: new Word("bytewise"),
  spread: new Word("spread"),
  spreadRoomy: new Word("spreadRoomy"),
} satisfies Record<keyof DialectWords, Word>;

/**
 * A piece of SQL. Only the `sql` tag makes one, from literal text, other pieces and dialect words. So no value can get
 * into the text.
 */
export class Sql {
  readonly #parts: readonly (string | Word)[];

  constructor(parts: readonly (string | Word)[]) {
    this.#parts = parts;
  }

  /** The text in one dialect. Parameters still have their names. */
  text(dialect: Dialect): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : dialect.words[part.name])).join("");
  }

  get parts(): readonly (string | Word)[] {
    return this.#parts;
  }
}

const known = new WeakMap<
  TemplateStringsArray,
  { readonly pieces: readonly (Sql | Word)[]; readonly statement: Sql }
>();

/**
 * The tag of every SQL text: `` sql`SELECT ${columns} FROM grants WHERE partition = :partition` ``. Write parameters as
 * `:name`. The same place in the program returns the same object each time; prepared statements are cached by that
 * object.
 */
export function sql(literals: TemplateStringsArray, ...pieces: readonly (Sql | Word)[]): Sql {
  const before = known.get(literals);
  if (before?.pieces.every((piece, at) => piece === pieces[at])) return before.statement;
  const statement = joined(literals, pieces);
  known.set(literals, { pieces, statement });
  return statement;
}

function joined(literals: TemplateStringsArray, pieces: readonly (Sql | Word)[]): Sql {
  const parts: (string | Word)[] = [];
  literals.forEach((literal, at) => {
    parts.push(literal);
    const piece = pieces[at];
    if (piece instanceof Sql) parts.push(...piece.parts);
    else if (piece !== undefined) parts.push(piece);
  });
  return new Sql(parts);
}

/**
 * The name of a table or column as a piece of SQL, for code that walks all tables. Throws unless it is a plain name.
 */
export function named(name: string): Sql {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} is no name of a table or column`);
  return new Sql([name]);
}

/** The same name as a parameter. */
export function placed(name: string): Sql {
  return new Sql([":", ...named(name).parts]);
}

/** The pieces with commas between them. With `enclosed`, parentheses surround them. */
export function listed(pieces: readonly Sql[], { enclosed = false } = {}): Sql {
  const parts = pieces.flatMap((piece, at) => (at === 0 ? piece.parts : [", ", ...piece.parts]));
  return new Sql(enclosed ? ["(", ...parts, ")"] : parts);
}

/** A statement in the form that the driver takes: `names[i]` is the parameter of place i + 1. */
export interface Compiled {
  readonly text: string;
  readonly names: readonly string[];
}

/** Replaces each `:name` by the dialect's numbered place. Quoted literals stay as they are. */
export function compile(statement: Sql, dialect: Dialect): Compiled {
  const names: string[] = [];
  const text = statement.text(dialect).replace(/'(?:[^']|'')*'|:([A-Za-z]\w*)/g, (whole, name: string | undefined) => {
    if (name === undefined) return whole;
    if (!names.includes(name)) names.push(name);
    return dialect.parameter(names.indexOf(name) + 1);
  });
  return { text, names };
}

/**
 * A transaction as a verb's body sees it. The body awaits nothing but this object, so that a transaction never waits
 * for anything outside the database. Statements run in the order of the calls. Calls that do not wait for each other
 * (`Promise.all`) go to the database together.
 */
export interface Tx {
  /** The first row. */
  one(statement: Sql, params?: Params): Promise<Row | undefined>;
  all(statement: Sql, params?: Params): Promise<readonly Row[]>;
  /** The number of rows changed. */
  run(statement: Sql, params?: Params): Promise<number>;
  /**
   * Runs in its place of the order, but goes to the database with the next statement or with COMMIT: for a write whose
   * result nobody needs. If it fails, the transaction fails.
   */
  later(statement: Sql, params?: Params): void;
  /** The operator who caused the transaction. Absent: no operator did. */
  readonly cause?: Cause | undefined;
}

/** A read that can make the write unnecessary: if it yields an outcome, nothing is written. */
export interface Look<A, O> {
  readonly sql: Sql;
  /** False: skip the read and run the statement. */
  when(args: A): boolean;
  bind(args: A): Params;
  /** Undefined: run the statement, which decides. */
  outcome(row: Row | undefined, args: A): O | undefined;
}

/** A verb that is one writing statement. */
export interface StatementVerb<A, O> {
  readonly kind: "statement";
  /**
   * The parameter that names the locked row, together with `partition`. Null: the statement locks no row of a
   * partition.
   */
  readonly lock: string | null;
  readonly sql: Sql;
  /**
   * Runs in the same transaction, with the same parameters, if the statement returned no row. It finds the reason and
   * writes nothing.
   */
  readonly why?: Sql;
  readonly look?: Look<A, O>;
  bind(args: A): Params;
  outcome(row: Row | undefined, args: A, why: Row | undefined): O;
}

/** A verb that is one SELECT, or two SELECTs of one snapshot. */
export interface ReadVerb<A, O> {
  readonly kind: "read";
  readonly sql: Sql;
  /** A second SELECT of the same snapshot, with the same parameters. */
  readonly also?: Sql;
  bind(args: A): Params;
  outcome(rows: readonly Row[], args: A, also: readonly Row[]): O;
}

/** A verb of several statements in one transaction. */
export interface TransactionVerb<A, O> {
  readonly kind: "transaction";
  body(tx: Tx, args: A): Promise<O>;
}

export type Call = <A, O>(verb: Verb<A, O>, args: A) => Promise<O>;

/**
 * A verb that crosses partitions. It consists of several verbs. Each is a transaction of its own and can be repeated,
 * so that a crash between them can be repaired.
 */
export interface StepsVerb<A, O> {
  readonly kind: "steps";
  body(call: Call, args: A): Promise<O>;
}

export type Verb<A, O> = StatementVerb<A, O> | ReadVerb<A, O> | TransactionVerb<A, O> | StepsVerb<A, O>;

/** Makes a verb of one writing statement. Its row, or no row, is the outcome. */
export function statement<A, O>(verb: Omit<StatementVerb<A, O>, "kind">): StatementVerb<A, O> {
  return { kind: "statement", ...verb };
}

/** Makes a verb of one SELECT, or two SELECTs of one snapshot. */
export function query<A, O>(verb: Omit<ReadVerb<A, O>, "kind">): ReadVerb<A, O> {
  return { kind: "read", ...verb };
}

/** Several statements, all or none. */
export function transaction<A, O>(body: (tx: Tx, args: A) => Promise<O>): TransactionVerb<A, O> {
  return { kind: "transaction", body };
}

/** Several verbs one after the other. */
export function steps<A, O>(body: (call: Call, args: A) => Promise<O>): StepsVerb<A, O> {
  return { kind: "steps", body };
}
