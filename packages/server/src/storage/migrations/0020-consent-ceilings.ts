/** When an owner last decided how long a grant holds. The ceiling of its client counts from that time. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * Null in rows from before this migration, and in rows that servers of the previous version write: then the ceiling
 * counts from the time of the grant.
 */
export const consentCeilings: Migration = {
  id: 20,
  name: "consent ceilings",
  phase: "expand",
  statements: [sql`ALTER TABLE grants ADD COLUMN decided_at ${words.whole}`],
};
