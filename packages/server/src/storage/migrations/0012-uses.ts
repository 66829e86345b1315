/** Which scopes an app used, so that owners can narrow the consent to these. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * A refresh for all scopes is recorded in the grant's own row, in columns without an index. A refresh for fewer scopes,
 * which is rare, is recorded in a row for each scope.
 */
export const uses: Migration = {
  id: 12,
  name: "uses",
  phase: "expand",
  statements: [
    sql`ALTER TABLE grants ADD COLUMN whole_used_at ${words.whole}`,
    sql`ALTER TABLE grants ADD COLUMN used_from TEXT`,
    sql`CREATE TABLE scope_uses (
      partition INTEGER NOT NULL,
      owner_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      scope ${words.key} NOT NULL,
      last_used_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, owner_id, client_id, scope)
    )${words.spreadRoomy}`,
  ],
};
