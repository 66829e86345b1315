/**
 * Brings a database's schema to the version of this program without stopping other programs that run on it, or says why
 * it can't.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../../oauth/model.ts";
import { type Row, Sql, sql, type Tx, words } from "../define-verbs.ts";
import type { Dialect } from "../dialect.ts";
import { SchemaMismatch } from "../errors.ts";
import { text, whole, wholeOrNull } from "../row-conversion.ts";
import { migrations as all } from "./index.ts";
import {
  checksum,
  floorOf,
  indexStatement,
  isAtomic,
  type Migration,
  type SchemaHost,
  type Step,
} from "./migration.ts";
import type { PlannedStep } from "./plan.ts";

export interface MigrationState {
  readonly id: number;
  readonly name: string;
  readonly phase: Migration["phase"];
  /** The newest migration that a program must know to run on the same database. */
  readonly floor: number;
  /** Null: not applied yet. */
  readonly appliedAt: Millis | null;
  /** False: a newer version of the program applied it, and this version can run with it. */
  readonly known: boolean;
}

/**
 * How far to go. `start`: what a start may do by itself. On an empty database that is everything, otherwise each
 * expansion that touches few rows. `expand`: everything that older programs can run with. `contract`: everything.
 */
export type Reach = "start" | "expand" | "contract";

/** Number of rows in one batch. */
const BATCH = 1000;

/**
 * Applies the missing migrations and returns their names. If several processes start at once, one does each piece of
 * work and the others find it done. The work of a killed process is continued. Throws `SchemaMismatch` in three cases:
 * an applied migration differs from this program's, this program can't run with a migration that it does not know, or a
 * start finds more work than it may do.
 */
export async function migrate(
  host: SchemaHost,
  now: Millis,
  known: readonly Migration[] = all,
  reach: Reach = "start",
): Promise<readonly string[]> {
  const states = await migrationStatus(host, known);
  if (states.every(({ appliedAt }) => appliedAt !== null)) return [];
  if (states.every(({ appliedAt }) => appliedAt === null)) {
    const applied = await host.exclusively((tx) => fresh(host, tx, known, now));
    if (applied !== undefined) return applied;
  }
  const pending = known.filter(({ id }) => states.some((state) => state.id === id && state.appliedAt === null));
  const due = pending.filter(({ phase }) => phase === "expand" || reach === "contract");
  if (reach === "start") await refuseLarge(host, due);
  const applied: string[] = [];
  for (const migration of due) if (await apply(host, migration, known, now)) applied.push(migration.name);
  return applied;
}

/** Applies everything in one transaction to an empty database. Undefined: another process was faster. */
async function fresh(
  host: SchemaHost,
  tx: Tx,
  known: readonly Migration[],
  now: Millis,
): Promise<readonly string[] | undefined> {
  await prepare(host, tx);
  if ((await appliedRows(tx)).length > 0) return undefined;
  for (const migration of known) {
    for (const step of migration.statements) await runWhole(tx, step);
    await record(host, tx, migration, now);
  }
  return known.map(({ name }) => name);
}

/** Runs a whole step in the transaction of the caller. */
async function runWhole(tx: Tx, step: Step): Promise<void> {
  if (step instanceof Sql) await tx.run(step);
  else if (step.kind === "index") await tx.run(indexStatement(step));
  else {
    let after: string | null = null;
    do ({ after } = await step.batch(tx, after, BATCH));
    while (after !== null);
  }
}

/** Refuses if a start would touch so many rows that others would wait for it. */
async function refuseLarge(host: SchemaHost, due: readonly Migration[]): Promise<void> {
  if (due.length === 0) return;
  const { SMALL, touchedRows } = await import("./plan.ts");
  const rows = await host.reading((tx) => touchedRows(host, tx, due));
  if (rows <= SMALL) return;
  throw new SchemaMismatch(
    `The schema lacks ${due.map(({ id, name }) => `migration ${id} (${name})`).join(", ")}, and the tables are large: run assent db migrate first (--plan shows the steps). Servers of the previous version can continue to run meanwhile.`,
  );
}

/** Applies one migration. False: another process has applied it. */
async function apply(
  host: SchemaHost,
  migration: Migration,
  known: readonly Migration[],
  now: Millis,
): Promise<boolean> {
  if (isAtomic(migration)) {
    return host.exclusively(async (tx) => {
      if (!(await isMissing(host, tx, migration, known))) return false;
      for (const step of migration.statements) await runWhole(tx, step);
      return record(host, tx, migration, now);
    });
  }
  for (const [at, step] of migration.statements.entries()) {
    if (!(await applyStep(host, migration, known, at, step))) return false;
  }
  return host.exclusively(async (tx) => {
    if (!(await isMissing(host, tx, migration, known))) return false;
    await tx.run(sql`DELETE FROM migration_steps WHERE id = :id`, { id: migration.id });
    return record(host, tx, migration, now);
  });
}

/** Applies one step, unless it is recorded as done. False: another process has applied the whole migration. */
async function applyStep(
  host: SchemaHost,
  migration: Migration,
  known: readonly Migration[],
  at: number,
  step: Step,
): Promise<boolean> {
  const { id } = migration;
  if (!(step instanceof Sql) && step.kind === "index" && host.buildIndex !== undefined) {
    const wanted = await host.exclusively(
      async (tx) => (await isMissing(host, tx, migration, known)) && !(await stood(tx, id, at)).done,
    );
    if (wanted) await host.buildIndex(step);
    return host.exclusively(
      async (tx) => (await isMissing(host, tx, migration, known)) && note(tx, id, at, null, true),
    );
  }
  for (;;) {
    const began = performance.now();
    const outcome = await host.exclusively(async (tx) => {
      if (!(await isMissing(host, tx, migration, known))) return "gone";
      const { done, cursor } = await stood(tx, id, at);
      if (done) return "done";
      if (step instanceof Sql || step.kind === "index") {
        await runWhole(tx, step);
        await note(tx, id, at, null, true);
        return "done";
      }
      const { after } = await step.batch(tx, cursor, BATCH);
      await note(tx, id, at, after, after === null);
      return after === null ? "done" : "more";
    });
    if (outcome !== "more") return outcome === "done";
    // Let others write for as long as this batch took.
    await sleep(performance.now() - began);
  }
}

/** How far a step has come. */
async function stood(tx: Tx, id: number, step: number): Promise<{ done: boolean; cursor: string | null }> {
  const row = await tx.one(sql`SELECT position, done FROM migration_steps WHERE id = :id AND step = :step`, {
    id,
    step,
  });
  if (row === undefined) return { done: false, cursor: null };
  return { done: whole(row, "done") === 1, cursor: row["position"] === null ? null : text(row, "position") };
}

async function note(tx: Tx, id: number, step: number, position: string | null, done: boolean): Promise<true> {
  await tx.run(
    sql`INSERT INTO migration_steps (id, step, position, done) VALUES (:id, :step, :position, :done)
      ON CONFLICT (id, step) DO UPDATE SET position = excluded.position, done = excluded.done`,
    { id, step, position, done: done ? 1 : 0 },
  );
  return true;
}

/** Checks again, inside the transaction that applies it. */
async function isMissing(
  host: SchemaHost,
  tx: Tx,
  migration: Migration,
  known: readonly Migration[],
): Promise<boolean> {
  await prepare(host, tx);
  return !compare(await appliedRows(tx), known, host.dialect).has(migration.id);
}

/** Creates the tables that record migrations. */
async function prepare(host: SchemaHost, tx: Tx): Promise<void> {
  if (await host.tableExists(tx, "migration_steps")) return;
  const before = await host.tableExists(tx, "migrations");
  await tx.run(sql`CREATE TABLE IF NOT EXISTS migrations (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at ${words.whole} NOT NULL,
    floor INTEGER
  )`);
  if (before) await tx.run(sql`ALTER TABLE migrations ADD COLUMN floor INTEGER`);
  await tx.run(sql`CREATE TABLE migration_steps (
    id INTEGER NOT NULL,
    step INTEGER NOT NULL,
    position TEXT,
    done INTEGER NOT NULL,
    PRIMARY KEY (id, step)
  )`);
}

async function record(host: SchemaHost, tx: Tx, migration: Migration, now: Millis): Promise<true> {
  await tx.run(
    sql`INSERT INTO migrations (id, name, checksum, applied_at, floor) VALUES (:id, :name, :checksum, :now, :floor)`,
    {
      id: migration.id,
      name: migration.name,
      checksum: checksum(migration, host.dialect),
      now,
      floor: floorOf(migration),
    },
  );
  return true;
}

/** What is pending, step by step, on the database as it is. Writes nothing. Throws like `migrate`. */
export async function planMigrations(
  host: SchemaHost,
  known: readonly Migration[] = all,
): Promise<readonly PlannedStep[]> {
  const states = await migrationStatus(host, known);
  const pending = known.filter(({ id }) => states.some((state) => state.id === id && state.appliedAt === null));
  const { planOf } = await import("./plan.ts");
  return host.reading((tx) => planOf(host, tx, pending));
}

/**
 * Each known migration and when it was applied, then those of newer versions. Writes nothing. Throws `SchemaMismatch`
 * like `migrate`.
 */
export function migrationStatus(
  host: SchemaHost,
  known: readonly Migration[] = all,
): Promise<readonly MigrationState[]> {
  return host.reading(async (tx) => {
    const rows = (await host.tableExists(tx, "migrations")) ? await appliedRows(tx) : [];
    const applied = compare(rows, known, host.dialect);
    const foreign = rows.filter((row) => known.every(({ id }) => id !== whole(row, "id")));
    return [
      ...known.map((migration) => ({
        ...{ id: migration.id, name: migration.name, phase: migration.phase, floor: floorOf(migration) },
        ...{ appliedAt: applied.get(migration.id) ?? null, known: true },
      })),
      ...foreign.map(
        (row): MigrationState => ({
          id: whole(row, "id"),
          name: text(row, "name"),
          phase: whole(row, "floor") === 0 ? "expand" : "contract",
          floor: whole(row, "floor"),
          appliedAt: whole(row, "applied_at"),
          known: false,
        }),
      ),
    ];
  });
}

/** Reads all columns, because databases of the first versions have no `floor` yet. */
function appliedRows(tx: Tx): Promise<readonly Row[]> {
  return tx.all(sql`SELECT * FROM migrations ORDER BY id`);
}

/** Compares the applied migrations with the known ones. Returns when each was applied. */
function compare(rows: readonly Row[], known: readonly Migration[], dialect: Dialect): ReadonlyMap<number, Millis> {
  const newest = Math.max(0, ...known.map(({ id }) => id));
  for (const row of rows) {
    const id = whole(row, "id");
    const migration = known.find((each) => each.id === id);
    const label = `migration ${id} (${text(row, "name")})`;
    if (migration === undefined) {
      const floor = "floor" in row ? wholeOrNull(row, "floor") : null;
      if (floor !== null && floor <= newest) continue;
      throw new SchemaMismatch(
        `The database has ${label}, from a newer version, which removed what this version of Assent needs. Start the newer version, or restore a backup from before the upgrade.`,
      );
    }
    if (checksum(migration, dialect) !== text(row, "checksum")) {
      throw new SchemaMismatch(
        `The database's ${label} differs from the one in this version of Assent. Start the version that applied it.`,
      );
    }
  }
  return new Map(rows.map((row) => [whole(row, "id"), whole(row, "applied_at")]));
}
