/**
 * Makes many thousand grants: rows that are copied inside the database from one that an owner made. One transaction for
 * each would take longer than the measurement.
 */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { Place } from "./prepare-database.ts";

export interface Copy {
  readonly partition: number;
  /** The grant to copy. */
  readonly like: string;
  readonly grantId: string;
  readonly codeSaltHash: Uint8Array;
}

export interface Copier {
  /** Makes all copies in one transaction, which is on the disk when this resolves. Throws if an original is missing. */
  copy(copies: readonly Copy[]): Promise<void>;
  close(): Promise<void>;
}

export function copierAt({ dataDir, databaseUrl }: Place): Promise<Copier> {
  return databaseUrl === undefined ? inSqlite(join(dataDir, "assent.db")) : inPostgres(databaseUrl);
}

/** `INSERT … SELECT` of all columns, with new values for two of them. */
function statement(columns: readonly string[], given: Readonly<Record<string, string>>, from: string): string {
  const values = columns.map((column) => given[column] ?? `g.${column}`);
  return `INSERT INTO grants (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${from}`;
}

async function inSqlite(file: string): Promise<Copier> {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const columns = database.prepare("SELECT name FROM pragma_table_info('grants')").all();
  const insert = database.prepare(
    statement(
      columns.map(({ name }) => String(name)),
      { grant_id: "?", code_salt_hash: "?" },
      "grants g WHERE g.partition = ? AND g.grant_id = ?",
    ),
  );
  return {
    copy: async (copies) => {
      database.exec("BEGIN IMMEDIATE");
      const { length } = copies.filter(
        ({ partition, like, grantId, codeSaltHash }) =>
          insert.run(grantId, codeSaltHash, partition, like).changes === 1,
      );
      database.exec("COMMIT");
      check(length, copies);
    },
    close: async () => database.close(),
  };
}

async function inPostgres(url: string): Promise<Copier> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'grants' AND table_schema = 'public'",
  );
  const insert = statement(
    rows.map(({ name }) => String(name)),
    { grant_id: "c.grant_id", code_salt_hash: "c.hash" },
    `unnest($1::int[], $2::text[], $3::text[], $4::bytea[]) AS c (partition, original, grant_id, hash)
      JOIN grants g ON g.partition = c.partition AND g.grant_id = c.original`,
  );
  return {
    copy: async (copies) => {
      const { rowCount } = await client.query(insert, [
        copies.map(({ partition }) => partition),
        copies.map(({ like }) => like),
        copies.map(({ grantId }) => grantId),
        copies.map(({ codeSaltHash }) => Buffer.from(codeSaltHash)),
      ]);
      check(rowCount ?? 0, copies);
    },
    close: () => client.end(),
  };
}

function check(made: number, copies: readonly Copy[]): void {
  if (made !== copies.length) throw new Error(`${made} of ${copies.length} grants were copied`);
}
