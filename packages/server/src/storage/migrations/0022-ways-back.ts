/** For recovery: when a known device was signed out, and which address an account had. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const waysBack: Migration = {
  id: 22,
  name: "ways back",
  phase: "expand",
  statements: [
    // The time at which a revoked device was revoked. NULL: unknown.
    sql`ALTER TABLE known_devices ADD COLUMN revoked_at ${words.whole}`,
    sql`CREATE INDEX former_addresses_by_address ON former_addresses (address)`,
  ],
};
