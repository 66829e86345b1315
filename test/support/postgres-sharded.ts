/** A PostgreSQL whose owners' tables are split by hash of the partition column, as in a distributed database. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { blocksOf } from "./markdown-code-blocks.ts";

/** The exact statements that the documentation tells an operator to run: the only block of SQL with these words. */
export function documentedStatements(words: "PARTITION BY HASH" | "create_distributed_table"): string {
  const page = readFileSync(join(import.meta.dirname, "../../docs/operate/scale.md"), "utf8");
  const found = blocksOf(page).filter(({ language, text }) => language === "sql" && text.includes(words));
  const [block] = found;
  if (block === undefined || found.length > 1) throw new Error("docs/operate/scale.md has no statements, or several");
  return block.text;
}

/** Splits every table that can be split, while the tables are empty. */
export async function spreadTables(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(documentedStatements("PARTITION BY HASH"));
  } finally {
    await client.end();
  }
}
