/** Requests for mail: what somebody asked the server to send, until a process decides who gets which message. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** A row is in a random partition, and is sealed, because it holds what the person typed. */
export const mailRequests: Migration = {
  id: 16,
  name: "mail requests",
  phase: "expand",
  statements: [
    sql`CREATE TABLE mail_requests (
      partition INTEGER NOT NULL,
      request_id ${words.key} NOT NULL,
      sealed ${words.bytes} NOT NULL,
      tries INTEGER NOT NULL,
      due_at ${words.whole} NOT NULL,
      created_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, request_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX mail_requests_due ON mail_requests (due_at)`,
  ],
};
