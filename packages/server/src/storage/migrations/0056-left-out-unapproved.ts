/** What a company's member left out because an admin had to approve it first. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const leftOutUnapproved: Migration = {
  id: 56,
  name: "left out, not approved yet",
  phase: "expand",
  // A server of an earlier version writes such scopes to `declined`, and doesn't change this column.
  statements: [sql`ALTER TABLE company_choices ADD COLUMN unapproved TEXT NOT NULL DEFAULT '[]'`],
};
