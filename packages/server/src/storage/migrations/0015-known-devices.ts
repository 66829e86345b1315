/** Browsers that a person has signed in with: since when, and how long they count as known. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const knownDevices: Migration = {
  id: 15,
  name: "known devices",
  phase: "expand",
  statements: [
    sql`CREATE TABLE known_devices (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      device_id ${words.key} NOT NULL,
      generation ${words.whole} NOT NULL,
      is_first INTEGER NOT NULL,
      first_seen_at ${words.whole} NOT NULL,
      last_seen_at ${words.whole} NOT NULL,
      address TEXT,
      user_agent TEXT,
      password_changed_at ${words.whole},
      factors_at ${words.whole} NOT NULL,
      revoked INTEGER NOT NULL,
      PRIMARY KEY (partition, person_id, device_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX known_devices_to_collect ON known_devices (last_seen_at)`,
    sql`ALTER TABLE sessions ADD COLUMN device_id TEXT`,
    // 0: not yet. NULL: unknown, because the account is older than this column.
    sql`ALTER TABLE people ADD COLUMN first_sign_in_at ${words.whole}`,
  ],
};
