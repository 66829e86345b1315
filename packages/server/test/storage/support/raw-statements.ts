/** Runs SQL directly on a test's database, for states that only a crash or an operator can cause. */

import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

/**
 * Runs statements one after another, and returns the rows of the last one. Parameters are `$1`, `$2` in both databases.
 */
export async function byHand(
  url: string,
  ...statements: readonly (readonly [text: string, ...params: readonly (string | number)[]])[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let rows: readonly Readonly<Record<string, unknown>>[] = [];
  if (url.startsWith("sqlite:")) {
    // Another process that has the file open may be writing.
    const database = new DatabaseSync(url.slice("sqlite:".length), { timeout: 5_000 });
    for (const [text, ...params] of statements) {
      rows = database.prepare(text.replaceAll("$", "?")).all(...params);
    }
    database.close();
    return rows;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [text, ...params] of statements) rows = (await client.query(text, [...params])).rows;
  await client.end();
  return rows;
}
