/**
 * The history of what owners allowed and revoked, and the public keys that verify its receipts, however old they are.
 */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const history: Migration = {
  id: 8,
  name: "history",
  phase: "expand",
  statements: [
    sql`CREATE TABLE history (
      partition INTEGER NOT NULL,
      entry_id ${words.key} NOT NULL,
      owner_id ${words.key} NOT NULL,
      at ${words.whole} NOT NULL,
      kind TEXT NOT NULL,
      client_id ${words.key} NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (partition, entry_id)
    )${words.spread}`,
    sql`CREATE INDEX history_of_owner ON history (partition, owner_id, at, entry_id)`,
    sql`CREATE INDEX history_to_collect ON history (at)`,
    sql`CREATE TABLE receipt_keys (
      kid ${words.key} NOT NULL PRIMARY KEY,
      public_jwk TEXT NOT NULL,
      created_at ${words.whole} NOT NULL
    )`,
  ],
};
