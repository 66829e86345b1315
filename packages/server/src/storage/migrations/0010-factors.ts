/** Factors other than the password: passkeys, one-time codes, recovery codes. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const factors: Migration = {
  id: 10,
  name: "factors",
  phase: "expand",
  statements: [
    sql`CREATE TABLE passkeys (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      credential_id ${words.key} NOT NULL,
      public_key ${words.bytes} NOT NULL,
      counter ${words.whole} NOT NULL,
      backup_eligible INTEGER NOT NULL,
      backed_up INTEGER NOT NULL,
      transports TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      last_used_at ${words.whole},
      PRIMARY KEY (partition, person_id, credential_id)
    )${words.spreadRoomy}`,
    sql`CREATE TABLE second_factors (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      sealed_secret ${words.bytes} NOT NULL,
      last_step ${words.whole} NOT NULL,
      created_at ${words.whole} NOT NULL,
      last_used_at ${words.whole},
      PRIMARY KEY (partition, person_id)
    )${words.spreadRoomy}`,
    sql`CREATE TABLE recovery_codes (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      code_hash ${words.key} NOT NULL,
      PRIMARY KEY (partition, person_id, code_hash)
    )${words.spread}`,
  ],
};
