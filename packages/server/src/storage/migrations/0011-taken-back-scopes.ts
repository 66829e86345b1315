/** Single scopes that owners removed. Grants without a page leave them out from now on. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const takenBackScopes: Migration = {
  id: 11,
  name: "taken back scopes",
  phase: "expand",
  statements: [sql`ALTER TABLE consents ADD COLUMN removed TEXT NOT NULL DEFAULT '[]'`],
};
