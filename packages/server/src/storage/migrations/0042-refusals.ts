/** Refused requests of the last days, so that an operator can explain each one. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const refusals: Migration = {
  id: 42,
  name: "refusals",
  phase: "expand",
  statements: [
    sql`CREATE TABLE refusals (
      partition INTEGER NOT NULL,
      request_id ${words.key} NOT NULL,
      at ${words.whole} NOT NULL,
      condition ${words.key} NOT NULL,
      client_id TEXT NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (partition, request_id)
    )${words.spread}`,
    sql`CREATE INDEX refusals_by_time ON refusals (at, request_id)`,
    sql`CREATE INDEX refusals_of_client ON refusals (client_id, at, request_id)`,
  ],
};
