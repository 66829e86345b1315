/** Which clients act for an owner through which app (RFC 8693), so that the owner sees them there. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** `client_id`: the app that the owner allowed. The row goes with the consent to it. */
export const delegations: Migration = {
  id: 48,
  name: "delegations",
  phase: "expand",
  statements: [
    sql`CREATE TABLE delegations (
      partition INTEGER NOT NULL,
      owner_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      actor_id ${words.key} NOT NULL,
      actor_name TEXT NOT NULL,
      last_used_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, owner_id, client_id, actor_id)
    )${words.spreadRoomy}`,
  ],
};
