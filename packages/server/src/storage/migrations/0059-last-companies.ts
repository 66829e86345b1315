/** The company that a person chose last for an app, in the person's partition. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const lastCompanies: Migration = {
  id: 59,
  name: "last companies",
  phase: "expand",
  statements: [
    sql`CREATE TABLE last_companies (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      company_id ${words.key} NOT NULL,
      chosen_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id, client_id)
    )${words.spread}`,
  ],
};
