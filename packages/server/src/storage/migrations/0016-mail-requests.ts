/** Requests for mail: what somebody asked to have sent, until it is known who gets which message. */

import { sql, words } from "../sql.ts";
import type { Migration } from "./migration.ts";

/** A row lies in a partition that is drawn for it, and is sealed: it holds what was typed. */
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
