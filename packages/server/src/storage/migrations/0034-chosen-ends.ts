/** Until when the answer of a company's member holds for later connections. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const chosenEnds: Migration = {
  id: 34,
  name: "chosen ends",
  phase: "expand",
  // NULL: for as long as the company's consent, or the answer is from before this column.
  statements: [sql`ALTER TABLE company_choices ADD COLUMN ends_at ${words.whole}`],
};
