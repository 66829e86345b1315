/** Builds indexes while others write (CREATE INDEX CONCURRENTLY). PostgreSQL can't do this in a transaction. */

import { setTimeout as sleep } from "node:timers/promises";
import { named, type Row, type Sql, sql } from "../define-verbs.ts";
import { type IndexStep, indexStatement } from "../migrations/migration.ts";
import { text } from "../row-conversion.ts";
import type { Connection } from "./connection.ts";

/** A process that builds an index holds this advisory lock. */
const INDEX_LOCK = 107_119_544_717_429;
const LOOKED_EVERY = 500;

/**
 * Builds the index, unless it exists. An unusable index that a crash or a duplicate left behind is dropped first.
 * Processes do this one after the other. They poll for the lock instead of waiting for it in the database: the build
 * waits for every statement that is under way, and so would wait for them.
 */
export async function buildBeside(connection: Connection, step: IndexStep): Promise<void> {
  while (
    (await state(
      connection,
      sql`SELECT CASE WHEN pg_try_advisory_lock(CAST(:lock AS BIGINT)) THEN 'held' ELSE 'no' END AS state`,
    )) !== "held"
  ) {
    await sleep(LOOKED_EVERY);
  }
  const index = named(step.name);
  const found = await state(
    connection,
    sql`SELECT CASE WHEN i.indisvalid THEN 'usable' ELSE 'unusable' END AS state
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
      WHERE c.relname = CAST(:index AS TEXT) AND c.relnamespace = CAST(current_schema() AS regnamespace)`,
    step.name,
  );
  if (found === "usable") return;
  if (found === "unusable") await connection.say(sql`DROP INDEX CONCURRENTLY ${index}`);
  const kind = await state(
    connection,
    sql`SELECT CASE WHEN relkind = 'p' THEN 'spread' ELSE 'plain' END AS state FROM pg_class
      WHERE relname = CAST(:index AS TEXT) AND relnamespace = CAST(current_schema() AS regnamespace)`,
    step.table,
  );
  // PostgreSQL can't build an index of a spread table while others write.
  await connection.say(indexStatement(step, { concurrently: kind !== "spread" }));
}

/** The answer to a question that returns one row, or none. */
async function state(connection: Connection, question: Sql, index = ""): Promise<string | undefined> {
  const [result] = await connection.run([{ sql: question, params: { lock: INDEX_LOCK, index } }]);
  const row: Row | undefined = result?.rows[0];
  return row && text(row, "state");
}
