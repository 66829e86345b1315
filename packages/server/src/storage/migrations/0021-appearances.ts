/** When a known device first appeared. A later sign-out everywhere resets the device's age, but not this time. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const appearances: Migration = {
  id: 21,
  name: "appearances",
  phase: "expand",
  // NULL: the same as `first_seen_at`.
  statements: [sql`ALTER TABLE known_devices ADD COLUMN appeared_at ${words.whole}`],
};
