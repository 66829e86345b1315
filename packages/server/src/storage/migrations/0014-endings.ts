/** The marker of a disabled or deleted client whose grants are being ended, and the index that finds its owners. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** The earlier index begins with the same columns, so programs that know only that one can use this one. */
export const endings: Migration = {
  id: 14,
  name: "endings",
  phase: "expand",
  statements: [
    sql`ALTER TABLE clients ADD COLUMN ending TEXT`,
    sql`CREATE INDEX clients_ending ON clients (client_id) WHERE ending IS NOT NULL`,
    {
      kind: "index",
      name: "consents_of_client_by_owner",
      table: "consents",
      on: sql`(client_id, partition, owner_id)`,
    },
    sql`DROP INDEX consents_of_client`,
  ],
};
