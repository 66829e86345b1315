/** Which invitations of a person their companies have to withdraw, in the news about the person. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const invitedSince: Migration = {
  id: 23,
  name: "invited since",
  phase: "expand",
  // The person's invitations since this time are withdrawn. NULL: none.
  statements: [sql`ALTER TABLE standings ADD COLUMN invited_since ${words.whole}`],
};
