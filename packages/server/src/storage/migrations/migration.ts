/** One numbered step of the schema. What was applied is never edited: its checksum is compared at every start. */

import { createHash } from "node:crypto";
import type { Dialect } from "../dialect.ts";
import type { Sql } from "../sql.ts";

export interface Migration {
  /** Rising by one from 1. */
  readonly id: number;
  readonly name: string;
  /** In order; what differs between databases is a word of the dialect. */
  readonly statements: readonly Sql[];
}

/** SHA-256, hex, of the texts in the database's own dialect. */
export function checksum(migration: Migration, dialect: Dialect): string {
  const hash = createHash("sha256");
  for (const statement of migration.statements) hash.update(statement.text(dialect)).update("\0");
  return hash.digest("hex");
}
