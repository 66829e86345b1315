/** One numbered change of the schema. What was applied is never edited: its checksum is compared at every start. */

import { createHash } from "node:crypto";
import type { Dialect } from "../dialect.ts";
import { named, Sql, sql, type Tx } from "../sql.ts";

/** An index on a table that may be large already: built beside writers where the database can do so. */
export interface IndexStep {
  readonly kind: "index";
  readonly name: string;
  readonly table: string;
  /** What follows the table's name: `(column, …) [WHERE …]`. */
  readonly on: Sql;
  /** Default false. */
  readonly unique?: true;
}

/** Rows that are moved or rewritten a batch at a time, each batch a short transaction that also records how far it came. */
export interface BatchStep {
  readonly kind: "batches";
  /** What it does, in words: it stands in the plan and in the checksum. */
  readonly what: string;
  /** The table whose rows it walks. */
  readonly table: string;
  /** Takes on at most `limit` rows behind `after` (null: from the start); where it came to, null when there was nothing left. */
  batch(tx: Tx, after: string | null, limit: number): Promise<{ readonly after: string | null; readonly rows: number }>;
}

/** A database as migrations need it. */
export interface SchemaHost {
  readonly dialect: Dialect;
  /** One transaction that no other process migrates or writes beside. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One transaction that only reads. */
  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tableExists(tx: Tx, table: string): Promise<boolean>;
  /**
   * Builds an index outside of any transaction while others write, one process at a time; one that a crash left unusable is built anew.
   * Absent: this database builds indexes inside a transaction.
   */
  buildIndex?(step: IndexStep): Promise<void>;
}

/** The statement that builds an index; `concurrently`: beside writers, which PostgreSQL does outside of a transaction alone. */
export function indexStatement({ name, table, on, unique }: IndexStep, { concurrently = false } = {}): Sql {
  const index = named(name);
  const place = named(table);
  if (unique) {
    return concurrently
      ? sql`CREATE UNIQUE INDEX CONCURRENTLY ${index} ON ${place} ${on}`
      : sql`CREATE UNIQUE INDEX ${index} ON ${place} ${on}`;
  }
  return concurrently
    ? sql`CREATE INDEX CONCURRENTLY ${index} ON ${place} ${on}`
    : sql`CREATE INDEX ${index} ON ${place} ${on}`;
}

export type Step = Sql | IndexStep | BatchStep;

interface Common {
  /** Rising by one from 1. */
  readonly id: number;
  readonly name: string;
  /**
   * In order; what differs between databases is a word of the dialect. Statements alone are one transaction. Where there is an index or a batch
   * among them, each step is recorded when it is done, and must mean nothing to programs that run beside it.
   */
  readonly statements: readonly Step[];
}

/**
 * `expand` adds, and programs that don't know it go on working beside it: new tables, columns that may be left out, indexes.
 * `contract` takes away or narrows what older programs use: those whose newest migration is below `floor` are refused from then on. It waits
 * until an operator says that none of them runs any more.
 */
export type Migration = Common &
  ({ readonly phase: "expand" } | { readonly phase: "contract"; readonly floor: number });

/** The newest migration that a program must know to work beside this one. */
export function floorOf(migration: Migration): number {
  return migration.phase === "expand" ? 0 : migration.floor;
}

/** True: done by one transaction, whatever the size of its tables. */
export function isAtomic({ statements }: Migration): boolean {
  return statements.every((step) => step instanceof Sql);
}

/** SHA-256, hex, of the texts in the database's own dialect. */
export function checksum(migration: Migration, dialect: Dialect): string {
  const hash = createHash("sha256");
  for (const step of migration.statements) hash.update(textOf(step, dialect)).update("\0");
  return hash.digest("hex");
}

/** A step's text: SQL, or for batches what they do. */
export function textOf(step: Step, dialect: Dialect): string {
  if (step instanceof Sql) return step.text(dialect);
  return step.kind === "index" ? indexStatement(step).text(dialect) : `batches of ${step.table}: ${step.what}`;
}
