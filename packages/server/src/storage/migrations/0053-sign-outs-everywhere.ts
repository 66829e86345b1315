/** When a person was signed out everywhere: sign-ins without a session, as on a device, are over then, too. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const signOutsEverywhere: Migration = {
  id: 53,
  name: "sign-outs everywhere",
  phase: "expand",
  // NULL: never since this column. A server of an earlier version doesn't write it.
  statements: [sql`ALTER TABLE people ADD COLUMN signed_out_at ${words.whole}`],
};
