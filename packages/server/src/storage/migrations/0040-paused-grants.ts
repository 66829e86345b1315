/** Accounts that another system disabled, and grants that wait until it enables them again. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const pausedGrants: Migration = {
  id: 40,
  name: "paused grants",
  phase: "expand",
  statements: [
    // The systems that disabled the person, as JSON. NULL: none did, or an operator did.
    sql`ALTER TABLE people ADD COLUMN disabled_by TEXT`,
    // NULL: the grant is not paused. No index has this column, because a refresh must not change one.
    sql`ALTER TABLE grants ADD COLUMN paused_at ${words.whole}`,
  ],
};
