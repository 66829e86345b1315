/** For whom people answer apps: when they chose themselves, and an index of what one member chose in a company. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const ownChoices: Migration = {
  id: 29,
  name: "own choices",
  phase: "expand",
  statements: [
    // NULL: the answer is from before this column. Negative: the person has asked since to be asked again.
    sql`ALTER TABLE consents ADD COLUMN chosen_at ${words.whole}`,
    {
      kind: "index",
      name: "company_choices_person",
      table: "company_choices",
      on: sql`(partition, company_id, person_id)`,
    },
  ],
};
