/** For recovery: former addresses that no longer get a link which takes the account back, because an operator ended it. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const endedWaysBack: Migration = {
  id: 28,
  name: "ended ways back",
  phase: "expand",
  statements: [
    // 1: the operator ended the way back. The address still gets messages.
    sql`ALTER TABLE former_addresses ADD COLUMN ended INTEGER NOT NULL DEFAULT 0`,
  ],
};
