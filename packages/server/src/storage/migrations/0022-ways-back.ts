/** Ways back into an account: when a known device was signed out, and whose address one was. */

import { sql, words } from "../sql.ts";
import type { Migration } from "./migration.ts";

export const waysBack: Migration = {
  id: 22,
  name: "ways back",
  phase: "expand",
  statements: [
    // Of a device that is revoked; NULL: nobody knows.
    sql`ALTER TABLE known_devices ADD COLUMN revoked_at ${words.whole}`,
    sql`CREATE INDEX former_addresses_by_address ON former_addresses (address)`,
  ],
};
