/** Shows what pending migrations would do: rows, locks, time. */

import { named, Sql, sql, type Tx } from "../define-verbs.ts";
import type { Dialect } from "../dialect.ts";
import { whole } from "../row-conversion.ts";
import { type Migration, type SchemaHost, type Step, textOf } from "./migration.ts";

/** Maximum number of rows that a start of the server may touch by itself. */
export const SMALL = 100_000;
/** Number of rows that are read to measure how fast this database is. */
const SAMPLE = 20_000;
/** The cost of writing a row or an index entry, relative to reading a row. */
const WRITE_COST = 3;
/** How long others may wait for a step that still counts as online, in milliseconds. */
const UNNOTICED_MS = 1000;

type Action = "create table" | "create index" | "change table" | "fill" | "rewrite" | "drop";

export interface PlannedStep {
  readonly migration: number;
  readonly name: string;
  readonly phase: Migration["phase"];
  /** Counts from 1. */
  readonly step: number;
  /** The statement on one line, or the description of the batches. */
  readonly does: string;
  readonly table: string;
  /** Number of rows in the table now. */
  readonly rows: number;
  /** True: the step reads or writes each row. */
  readonly eachRow: boolean;
  /** The locks that the step takes, in the database's own words. */
  readonly locks: string;
  /** The estimate in milliseconds, from a sample of this table's rows. 0: no row is touched. */
  readonly estimateMs: number;
  /** False: writers wait longer than `UNNOTICED_MS` for the step. */
  readonly online: boolean;
}

interface Described {
  readonly action: Action;
  readonly table: string;
  readonly eachRow: boolean;
}

/** The beginnings of statements, with their actions. The first one that matches counts. */
const KINDS: readonly (readonly [RegExp, Action, boolean])[] = [
  [/^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/, "create table", false],
  [/^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)/, "create index", true],
  [/^ALTER TABLE (\w+) (?:DROP COLUMN|ADD CONSTRAINT|ALTER COLUMN)/, "change table", true],
  [/^ALTER TABLE (\w+) /, "change table", false],
  [/^INSERT\s+INTO \w+ [\s\S]*?\bSELECT\b[\s\S]*?\bFROM (\w+)/, "fill", true],
  [/^INSERT\s+INTO (\w+) /, "fill", false],
  [/^UPDATE (\w+) /, "rewrite", true],
  [/^DELETE\s+FROM (\w+)/, "rewrite", true],
  [/^DROP (?:TABLE|INDEX) (\w+)/, "drop", false],
];

/** What a step does, and to which table. Throws if no line of `KINDS` matches the statement; then add one. */
export function described(step: Step, dialect: Dialect): Described {
  if (!(step instanceof Sql)) {
    return { action: step.kind === "index" ? "create index" : "rewrite", table: step.table, eachRow: true };
  }
  const text = textOf(step, dialect).trim();
  for (const [pattern, action, eachRow] of KINDS) {
    const table = pattern.exec(text)?.[1];
    if (table !== undefined) return { action, table, eachRow };
  }
  throw new TypeError(`a migration's statement of an unknown kind: ${text.slice(0, 60)}`);
}

/** The plan of each pending step. `migrations`: in the order in which they would be applied. */
export async function planOf(
  host: SchemaHost,
  tx: Tx,
  migrations: readonly Migration[],
): Promise<readonly PlannedStep[]> {
  const speeds = new Map<string, { rows: number; perSecond: number }>();
  const planned: PlannedStep[] = [];
  for (const { id, name, phase, statements } of migrations) {
    for (const [at, step] of statements.entries()) {
      const { action, table, eachRow } = described(step, host.dialect);
      const speed = speeds.get(table) ?? (await measured(host, tx, table));
      speeds.set(table, speed);
      const estimateMs = eachRow ? Math.ceil((speed.rows / speed.perSecond) * 1000 * WRITE_COST) : 0;
      const aside = !(step instanceof Sql) && (step.kind === "batches" || host.buildIndex !== undefined);
      planned.push({
        ...{ migration: id, name, phase, step: at + 1, table, eachRow, estimateMs },
        does: textOf(step, host.dialect).replace(/\s+/g, " ").slice(0, 200),
        rows: speed.rows,
        locks: locksOf(host.dialect, action, table, step),
        online: aside || estimateMs < UNNOTICED_MS,
      });
    }
  }
  return planned;
}

/** Number of rows that the steps would touch one by one. Counting stops when there are too many for a start. */
export async function touchedRows(host: SchemaHost, tx: Tx, migrations: readonly Migration[]): Promise<number> {
  let rows = 0;
  for (const step of migrations.flatMap(({ statements }) => statements)) {
    const { table, eachRow } = described(step, host.dialect);
    if (!eachRow || !(await host.tableExists(tx, table))) continue;
    const place = named(table);
    const counted = await tx.one(sql`SELECT COUNT(*) AS rows FROM (SELECT 1 FROM ${place} LIMIT :limit) AS few`, {
      limit: SMALL + 1,
    });
    rows += counted === undefined ? 0 : whole(counted, "rows");
  }
  return rows;
}

async function measured(host: SchemaHost, tx: Tx, table: string): Promise<{ rows: number; perSecond: number }> {
  if (!(await host.tableExists(tx, table))) return { rows: 0, perSecond: 1 };
  const place = named(table);
  const counted = await tx.one(sql`SELECT COUNT(*) AS rows FROM ${place}`);
  const rows = counted === undefined ? 0 : whole(counted, "rows");
  const began = performance.now();
  const sample = await tx.all(sql`SELECT * FROM ${place} LIMIT :limit`, { limit: SAMPLE });
  const seconds = Math.max(0.001, (performance.now() - began) / 1000);
  return { rows, perSecond: Math.max(1, sample.length / seconds) };
}

function locksOf(dialect: Dialect, action: Action, table: string, step: Step): string {
  const batches = !(step instanceof Sql) && step.kind === "batches";
  if (dialect.name === "sqlite") {
    return batches ? "the file's write lock, once per batch" : "the file's write lock; readers continue";
  }
  if (batches) return "the rows of one batch at a time";
  switch (action) {
    case "create table":
      return "nothing that is there already";
    case "create index":
      return step instanceof Sql
        ? `SHARE on ${table}: writers wait, readers continue`
        : `SHARE UPDATE EXCLUSIVE on ${table} (CONCURRENTLY): readers and writers continue`;
    case "change table":
    case "drop":
      return `ACCESS EXCLUSIVE on ${table}, given up after lock_timeout`;
    case "fill":
    case "rewrite":
      return `ROW EXCLUSIVE on ${table}, and the rows that it writes`;
  }
}
