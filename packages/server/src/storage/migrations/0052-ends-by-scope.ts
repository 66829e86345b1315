/** Until when the answer of a company's member holds for later connections, by scope. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const endsByScope: Migration = {
  id: 52,
  name: "ends by scope",
  phase: "expand",
  // NULL: the answer is from before this column. A server of an earlier version writes `ends_at` alone, the shortest end.
  statements: [sql`ALTER TABLE company_choices ADD COLUMN ends TEXT`],
};
