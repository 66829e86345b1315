/** Webhooks, and the deliveries of events to them. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const webhooks: Migration = {
  id: 49,
  name: "webhooks",
  phase: "expand",
  statements: [
    sql`CREATE TABLE webhooks (
      id ${words.key} NOT NULL PRIMARY KEY,
      record TEXT NOT NULL,
      status TEXT NOT NULL,
      failing_since ${words.whole},
      failures INTEGER NOT NULL,
      disabled_reason TEXT
    )`,
    // The process that seals an event inserts its deliveries in the same transaction. The payload stays in the event.
    sql`CREATE TABLE webhook_deliveries (
      webhook_id ${words.key} NOT NULL,
      seq ${words.whole} NOT NULL,
      event_id ${words.key} NOT NULL,
      kind TEXT NOT NULL,
      status ${words.key} NOT NULL,
      created_at ${words.whole} NOT NULL,
      due_at ${words.whole},
      settled_at ${words.whole},
      until ${words.whole} NOT NULL,
      tries INTEGER NOT NULL,
      attempts TEXT NOT NULL,
      PRIMARY KEY (webhook_id, seq)
    )`,
    sql`CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, seq) WHERE due_at IS NOT NULL`,
    sql`CREATE INDEX webhook_deliveries_late ON webhook_deliveries (until) WHERE due_at IS NOT NULL`,
    sql`CREATE INDEX webhook_deliveries_settled ON webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL`,
    sql`CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (webhook_id, status, seq)`,
  ],
};
