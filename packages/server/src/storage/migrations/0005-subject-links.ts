/**
 * Links the subjects of trusted issuers to owners. `names` ensures that a subject has at most one owner; the link
 * itself is stored with its owner.
 */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const subjectLinks: Migration = {
  id: 5,
  name: "subject links",
  phase: "expand",
  statements: [
    sql`CREATE TABLE subject_links (
      partition INTEGER NOT NULL,
      owner_id ${words.key} NOT NULL,
      link ${words.key} NOT NULL,
      issuer_id ${words.key} NOT NULL,
      claim TEXT,
      subject TEXT NOT NULL,
      made_by TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, owner_id, link)
    )${words.spread}`,
    sql`CREATE INDEX subject_links_of_issuer ON subject_links (issuer_id, created_at, link)`,
  ],
};
