/** An app's connections of all companies: a deletion of the app ends them, whatever the number of companies is. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const connectionsOfClient: Migration = {
  id: 55,
  name: "connections of a client",
  phase: "expand",
  statements: [
    {
      kind: "index",
      name: "company_connections_of_client",
      table: "company_connections",
      on: sql`(client_id, partition, company_id, audience)`,
    },
  ],
};
