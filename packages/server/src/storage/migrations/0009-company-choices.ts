/** The owner for whom a person chose to use an app: after one choice on a page, no page is needed. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const companyChoices: Migration = {
  id: 9,
  name: "company choices",
  phase: "expand",
  statements: [
    sql`CREATE TABLE company_choices (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      since ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id, client_id, person_id)
    )${words.spread}`,
  ],
};
