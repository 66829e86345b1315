/** Device authorization requests (RFC 8628): one row from the device's request to its grant. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** The row holds the user code as a keyed hash only. The code has few bits, so a plain hash of it could be guessed. */
export const device: Migration = {
  id: 3,
  name: "device",
  phase: "expand",
  statements: [
    sql`CREATE TABLE device_requests (
      partition INTEGER NOT NULL,
      request_id ${words.key} NOT NULL,
      user_code_hash ${words.key} NOT NULL,
      salt_hash ${words.bytes} NOT NULL,
      client_id ${words.key} NOT NULL,
      scopes TEXT NOT NULL,
      address TEXT,
      status TEXT NOT NULL,
      poll_interval ${words.whole} NOT NULL,
      last_poll_at ${words.whole},
      hurried INTEGER NOT NULL,
      created_at ${words.whole} NOT NULL,
      expires_at ${words.whole} NOT NULL,
      claimed_by TEXT,
      decided_at ${words.whole},
      approval TEXT,
      PRIMARY KEY (partition, request_id)
    )${words.spreadRoomy}`,
    sql`CREATE UNIQUE INDEX device_requests_by_user_code ON device_requests (partition, user_code_hash)`,
    sql`CREATE INDEX device_requests_to_collect ON device_requests (expires_at)`,
  ],
};
