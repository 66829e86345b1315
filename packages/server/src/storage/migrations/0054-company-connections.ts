/** Apps that a company's admins connected with another authorization server, for its members. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const companyConnections: Migration = {
  id: 54,
  name: "company connections",
  phase: "expand",
  statements: [
    sql`CREATE TABLE company_connections (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      audience ${words.key} NOT NULL,
      record TEXT NOT NULL,
      ends_at ${words.whole} NOT NULL,
      connected_by ${words.key} NOT NULL,
      connected_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id, client_id, audience)
    )${words.spread}`,
    {
      kind: "index",
      name: "clients_connected",
      table: "clients",
      on: sql`(client_id) WHERE record LIKE '%"connections":[{%'`,
    },
  ],
};
