/** Events for operators: those that wait to be sealed, the sealed ones in their order, and signed checkpoints. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const events: Migration = {
  id: 46,
  name: "events",
  phase: "expand",
  statements: [
    // Written in the transaction of the cause, in its partition, and moved to `events` within a second.
    sql`CREATE TABLE events_waiting (
      partition INTEGER NOT NULL,
      event_id ${words.key} NOT NULL,
      at ${words.whole} NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (partition, event_id)
    )${words.spread}`,
    sql`CREATE INDEX events_waiting_by_time ON events_waiting (at, event_id)`,
    // One process at a time appends to it. No statement changes a row.
    sql`CREATE TABLE events (
      seq ${words.whole} NOT NULL PRIMARY KEY,
      event_id ${words.key} NOT NULL,
      at ${words.whole} NOT NULL,
      kind ${words.key} NOT NULL,
      actor ${words.key} NOT NULL,
      subject ${words.key},
      client_id ${words.key},
      record TEXT NOT NULL,
      hash TEXT NOT NULL
    )`,
    sql`CREATE UNIQUE INDEX events_by_id ON events (event_id)`,
    sql`CREATE INDEX events_by_time ON events (at)`,
    sql`CREATE INDEX events_of_kind ON events (kind, seq)`,
    sql`CREATE INDEX events_of_actor ON events (actor, seq)`,
    sql`CREATE INDEX events_of_subject ON events (subject, seq) WHERE subject IS NOT NULL`,
    sql`CREATE INDEX events_of_client ON events (client_id, seq) WHERE client_id IS NOT NULL`,
    // `kind`: `sealed`, a signed state of the log; `dropped`, the last event that retention has deleted.
    sql`CREATE TABLE event_checkpoints (
      kind ${words.key} NOT NULL,
      seq ${words.whole} NOT NULL,
      at ${words.whole} NOT NULL,
      hash TEXT NOT NULL,
      signed TEXT NOT NULL,
      PRIMARY KEY (kind, seq)
    )`,
    // Opens the person's own facts in events. It goes with the row.
    sql`ALTER TABLE people ADD COLUMN event_key ${words.bytes}`,
  ],
};
