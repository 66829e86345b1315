/** Where a session's person signed in: a provider that says later that they signed out ends the session by these columns. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const sessionsFromElsewhere: Migration = {
  id: 39,
  name: "sessions from elsewhere",
  phase: "expand",
  statements: [
    // Both are hashes that include the provider and its issuer. NULL: a sign-in here, or one from before this column.
    sql`ALTER TABLE sessions ADD COLUMN upstream_link TEXT`,
    sql`ALTER TABLE sessions ADD COLUMN upstream_sid TEXT`,
    {
      kind: "index",
      name: "sessions_of_upstream_link",
      table: "sessions",
      on: sql`(upstream_link) WHERE upstream_link IS NOT NULL`,
    },
    {
      kind: "index",
      name: "sessions_of_upstream_sid",
      table: "sessions",
      on: sql`(upstream_sid) WHERE upstream_sid IS NOT NULL`,
    },
  ],
};
