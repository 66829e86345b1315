/** How the people of companies sign in: domains that the operator confirmed, and a company's own provider. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const companySignIn: Migration = {
  id: 43,
  name: "company sign-in",
  phase: "expand",
  statements: [
    // Apart from `sign_in_providers`: a server of an earlier version would take such a provider for the operator's.
    sql`CREATE TABLE company_sign_in (
      company_id ${words.key} NOT NULL PRIMARY KEY,
      record TEXT NOT NULL
    )`,
  ],
};
