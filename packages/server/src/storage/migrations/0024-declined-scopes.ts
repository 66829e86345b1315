/** Optional scopes that owners declined on a page: in the consent, and in the choice of a company's member. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const declinedScopes: Migration = {
  id: 24,
  name: "declined scopes",
  phase: "expand",
  statements: [
    sql`ALTER TABLE consents ADD COLUMN declined TEXT NOT NULL DEFAULT '[]'`,
    sql`ALTER TABLE company_choices ADD COLUMN declined TEXT NOT NULL DEFAULT '[]'`,
  ],
};
