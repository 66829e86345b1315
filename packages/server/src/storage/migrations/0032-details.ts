/** What people add to their profile (OpenID Connect Core §5.1). */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const details: Migration = {
  id: 32,
  name: "details",
  phase: "expand",
  // A JSON object. NULL: nothing.
  statements: [sql`ALTER TABLE people ADD COLUMN details TEXT`],
};
