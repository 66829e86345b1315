/** Clients that register themselves: initial access tokens, and when a client that nobody uses is forgotten. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const registration: Migration = {
  id: 50,
  name: "registration",
  phase: "expand",
  statements: [
    // `policy`: in JSON; NULL: the server's. `used`: how many clients it registered.
    sql`CREATE TABLE initial_access_tokens (
      token_hash ${words.key} NOT NULL PRIMARY KEY,
      token_id ${words.key} NOT NULL,
      uses ${words.whole} NOT NULL,
      used ${words.whole} NOT NULL,
      policy TEXT,
      created_by TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      expires_at ${words.whole} NOT NULL
    )`,
    sql`CREATE INDEX initial_access_tokens_by_end ON initial_access_tokens (expires_at)`,
    // When housekeeping looks whether an owner has ever answered the client. NULL: never again.
    sql`ALTER TABLE clients ADD COLUMN forget_after ${words.whole}`,
    {
      kind: "index",
      name: "clients_to_forget",
      table: "clients",
      on: sql`(forget_after) WHERE forget_after IS NOT NULL`,
    },
  ],
};
