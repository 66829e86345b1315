/** Tables for other flows: trusted issuers of assertions, and ids that are accepted once. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const flows: Migration = {
  id: 2,
  name: "flows",
  phase: "expand",
  statements: [
    sql`INSERT INTO catalog (kind, version) VALUES ('issuers', 0)`,
    sql`CREATE TABLE trusted_issuers (
      issuer ${words.key} NOT NULL PRIMARY KEY,
      record TEXT NOT NULL
    )`,
    sql`CREATE TABLE accepted (
      partition INTEGER NOT NULL,
      kind ${words.key} NOT NULL,
      key ${words.key} NOT NULL,
      until ${words.whole} NOT NULL,
      PRIMARY KEY (partition, kind, key)
    )${words.spread}`,
    sql`CREATE INDEX accepted_to_collect ON accepted (until)`,
  ],
};
