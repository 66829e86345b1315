/** Why the grants of a person end in their companies' names, in the news about the person. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const cutBy: Migration = {
  id: 41,
  name: "cut by",
  phase: "expand",
  // 'leaving': the account is to be deleted. NULL: the person has a new password, or the news don't say it.
  statements: [sql`ALTER TABLE standings ADD COLUMN cut_by TEXT`],
};
