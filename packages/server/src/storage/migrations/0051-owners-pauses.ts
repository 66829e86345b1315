/** Owners pause an app and let it go on, and see which APIs it used. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const ownersPauses: Migration = {
  id: 51,
  name: "owners' pauses",
  phase: "expand",
  statements: [
    // NULL: the owner has not paused the app.
    sql`ALTER TABLE consents ADD COLUMN paused_at ${words.whole}`,
    // Apart from `paused_at`, which other systems set and clear. No index has this column, because a refresh must not change one.
    sql`ALTER TABLE grants ADD COLUMN owner_paused_at ${words.whole}`,
    // The row goes with the consent.
    sql`CREATE TABLE api_uses (
      partition INTEGER NOT NULL,
      owner_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      api ${words.key} NOT NULL,
      last_used_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, owner_id, client_id, api)
    )${words.spreadRoomy}`,
  ],
};
