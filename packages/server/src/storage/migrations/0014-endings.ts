/** What is being ended for a client that was disabled or removed, and the index by which its owners are walked. */

import { sql } from "../sql.ts";
import type { Migration } from "./migration.ts";

/** The index of before began in the same way: programs that know only that one go by this. */
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
