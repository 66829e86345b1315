/** When a known device appeared, also if it was signed out of everywhere since and its age began anew. */

import { sql, words } from "../sql.ts";
import type { Migration } from "./migration.ts";

export const appearances: Migration = {
  id: 21,
  name: "appearances",
  phase: "expand",
  // NULL: as `first_seen_at` says.
  statements: [sql`ALTER TABLE known_devices ADD COLUMN appeared_at ${words.whole}`],
};
