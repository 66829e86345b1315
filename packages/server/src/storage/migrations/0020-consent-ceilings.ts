/** When an owner last decided how long a grant holds: the ceiling of its client counts from then. */

import { sql, words } from "../sql.ts";
import type { Migration } from "./migration.ts";

/** Null in rows from before, and in those of servers of the version before: it counts from when the grant was made. */
export const consentCeilings: Migration = {
  id: 20,
  name: "consent ceilings",
  phase: "expand",
  statements: [sql`ALTER TABLE grants ADD COLUMN decided_at ${words.whole}`],
};
