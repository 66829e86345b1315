/** Statements past the verbs, on the database that a test runs on: for what only a crash or an operator leaves behind. */

import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

/** Runs one after the other; parameters are written `$1`, `$2` in both databases. The rows of the last one. */
export async function byHand(
  url: string,
  ...statements: readonly (readonly [text: string, ...params: readonly (string | number)[]])[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let rows: readonly Readonly<Record<string, unknown>>[] = [];
  if (url.startsWith("sqlite:")) {
    // Whoever else has the file open may write just now.
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
