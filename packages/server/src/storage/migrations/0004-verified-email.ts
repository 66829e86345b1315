/** Marks the addresses that are proven to belong to their people. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * Until now, an operator typed in every address except those from assertions. People who came by an assertion have no
 * password.
 */
export const verifiedEmail: Migration = {
  id: 4,
  name: "verified email",
  phase: "expand",
  statements: [
    sql`ALTER TABLE people ADD COLUMN email_verified_at ${words.whole}`,
    sql`UPDATE people SET email_verified_at = created_at WHERE password_hash IS NOT NULL`,
  ],
};
