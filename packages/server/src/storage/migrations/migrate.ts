/** Brings a database's schema to this program's, or says why it can't. */

import type { Millis } from "../../oauth/model.ts";
import type { Dialect } from "../dialect.ts";
import { SchemaMismatch } from "../errors.ts";
import { text, whole } from "../rows.ts";
import { type Row, sql, type Tx, words } from "../sql.ts";
import { migrations as all } from "./index.ts";
import { checksum, type Migration } from "./migration.ts";

/** A database as migrations need it. */
export interface SchemaHost {
  readonly dialect: Dialect;
  /** One transaction that no other process migrates or writes beside. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One transaction that only reads. */
  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  tableExists(tx: Tx, table: string): Promise<boolean>;
}

export interface MigrationState {
  readonly id: number;
  readonly name: string;
  /** Null: still to be applied. */
  readonly appliedAt: Millis | null;
}

/**
 * Applies what is missing, all of it or nothing; the names of what was applied. Of several processes that start at once the first does the work
 * and the others find it done. Throws `SchemaMismatch` where an applied migration differs from this program's, or this program doesn't know it.
 */
export async function migrate(
  host: SchemaHost,
  now: Millis,
  known: readonly Migration[] = all,
): Promise<readonly string[]> {
  const pending = (await migrationStatus(host, known)).filter(({ appliedAt }) => appliedAt === null);
  if (pending.length === 0) return [];
  return host.exclusively(async (tx) => {
    await tx.run(sql`CREATE TABLE IF NOT EXISTS migrations (
      id INTEGER NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      checksum TEXT NOT NULL,
      applied_at ${words.whole} NOT NULL
    )`);
    const applied = compare(await appliedRows(tx), known, host.dialect);
    const missing = known.filter(({ id }) => !applied.has(id));
    for (const migration of missing) {
      for (const statement of migration.statements) await tx.run(statement);
      const { id, name } = migration;
      await tx.run(sql`INSERT INTO migrations (id, name, checksum, applied_at) VALUES (:id, :name, :checksum, :now)`, {
        id,
        name,
        checksum: checksum(migration, host.dialect),
        now,
      });
    }
    return missing.map(({ name }) => name);
  });
}

/** Each known migration and when it was applied. Throws `SchemaMismatch` as `migrate` does; writes nothing. */
export function migrationStatus(
  host: SchemaHost,
  known: readonly Migration[] = all,
): Promise<readonly MigrationState[]> {
  return host.reading(async (tx) => {
    const rows = (await host.tableExists(tx, "migrations")) ? await appliedRows(tx) : [];
    const applied = compare(rows, known, host.dialect);
    return known.map(({ id, name }) => ({ id, name, appliedAt: applied.get(id) ?? null }));
  });
}

function appliedRows(tx: Tx): Promise<readonly Row[]> {
  return tx.all(sql`SELECT id, name, checksum, applied_at FROM migrations ORDER BY id`);
}

/** When each was applied. */
function compare(rows: readonly Row[], known: readonly Migration[], dialect: Dialect): ReadonlyMap<number, Millis> {
  for (const row of rows) {
    const id = whole(row, "id");
    const migration = known.find((each) => each.id === id);
    const label = `migration ${id} (${text(row, "name")})`;
    if (migration === undefined) {
      throw new SchemaMismatch(
        `The database has ${label}, which this version of Assent doesn't know: it was written by a newer version. Start that version, or restore a backup from before the upgrade.`,
      );
    }
    if (checksum(migration, dialect) !== text(row, "checksum")) {
      throw new SchemaMismatch(
        `The database's ${label} was applied with other statements than this version of Assent has. Start the version that applied it.`,
      );
    }
  }
  return new Map(rows.map((row) => [whole(row, "id"), whole(row, "applied_at")]));
}
