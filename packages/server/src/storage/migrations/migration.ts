/** One numbered change of the schema. Never edit a migration that was released: every start compares its checksum. */

import { createHash } from "node:crypto";
import { named, Sql, sql, type Tx } from "../define-verbs.ts";
import type { Dialect } from "../dialect.ts";

/** An index on a table that may be large already. The database builds it while others write, if it can. */
export interface IndexStep {
  readonly kind: "index";
  readonly name: string;
  readonly table: string;
  /** The text after the table's name: `(column, …) [WHERE …]`. */
  readonly on: Sql;
  /** Default: false. */
  readonly unique?: true;
}

/** Rows that are moved or rewritten in batches. Each batch is a short transaction that also records its position. */
export interface BatchStep {
  readonly kind: "batches";
  /** A description in words. The plan shows it, and the checksum includes it. */
  readonly what: string;
  /** The table whose rows the step reads. */
  readonly table: string;
  /**
   * Processes at most `limit` rows after `after` (null: from the start). Returns the new position, or null if nothing
   * is left.
   */
  batch(tx: Tx, after: string | null, limit: number): Promise<{ readonly after: string | null; readonly rows: number }>;
}

/** The access to a database that migrations need. */
export interface SchemaHost {
  readonly dialect: Dialect;
  /** Runs one transaction while no other process migrates or writes. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs one transaction that only reads. */
  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tableExists(tx: Tx, table: string): Promise<boolean>;
  /**
   * Builds an index outside of a transaction while others write. One process does this at a time, and builds an index
   * again that a crash left unusable. Absent: this database builds indexes inside a transaction.
   */
  buildIndex?(step: IndexStep): Promise<void>;
}

/**
 * The statement that builds an index. With `concurrently`, others can write meanwhile; PostgreSQL allows this only
 * outside of a transaction.
 */
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
  /** Counts up by one from 1. */
  readonly id: number;
  readonly name: string;
  /**
   * The steps in order. A difference between databases is a word of the dialect. If all steps are statements, they are
   * one transaction. If an index or a batch is among them, each step is recorded when it is done, and must not disturb
   * programs that run meanwhile.
   */
  readonly statements: readonly Step[];
}

/**
 * `expand` adds something, and programs that don't know it keep working: new tables, optional columns, indexes.
 * `contract` removes or narrows something that older programs use: programs whose newest migration is below `floor` are
 * refused from then on. It waits until an operator says that none of them runs any more.
 */
export type Migration = Common &
  ({ readonly phase: "expand" } | { readonly phase: "contract"; readonly floor: number });

/** The newest migration that a program must know to run with this one. */
export function floorOf(migration: Migration): number {
  return migration.phase === "expand" ? 0 : migration.floor;
}

/** True: one transaction does it, however large its tables are. */
export function isAtomic({ statements }: Migration): boolean {
  return statements.every((step) => step instanceof Sql);
}

/** SHA-256 in hex of the texts in the database's own dialect. */
export function checksum(migration: Migration, dialect: Dialect): string {
  const hash = createHash("sha256");
  for (const step of migration.statements) hash.update(textOf(step, dialect)).update("\0");
  return hash.digest("hex");
}

/** The text of a step: its SQL, or the description of its batches. */
export function textOf(step: Step, dialect: Dialect): string {
  if (step instanceof Sql) return step.text(dialect);
  return step.kind === "index" ? indexStatement(step).text(dialect) : `batches of ${step.table}: ${step.what}`;
}
