/** Which file describes a record that `assent apply` wrote, so that it deletes no others. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const configuration: Migration = {
  id: 47,
  name: "configuration",
  phase: "expand",
  statements: [
    // `label`: the record's key in the file.
    sql`CREATE TABLE configured_records (
      kind ${words.key} NOT NULL,
      record_id ${words.key} NOT NULL,
      configuration TEXT NOT NULL,
      label TEXT NOT NULL,
      PRIMARY KEY (kind, record_id)
    )`,
  ],
};
