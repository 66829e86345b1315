/** The claims that the ID tokens of a grant have (OpenID Connect Core §5.5). */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const claims: Migration = {
  id: 33,
  name: "claims",
  phase: "expand",
  // A JSON list of names. NULL: none were asked for.
  statements: [sql`ALTER TABLE grants ADD COLUMN claims TEXT`],
};
