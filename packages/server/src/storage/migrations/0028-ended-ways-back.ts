/** Former addresses whose recovery link an operator ended: they get no more links that take the account back. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const endedWaysBack: Migration = {
  id: 28,
  name: "ended ways back",
  phase: "expand",
  statements: [
    // 1: the operator ended this way back. The address still gets messages.
    sql`ALTER TABLE former_addresses ADD COLUMN ended INTEGER NOT NULL DEFAULT 0`,
  ],
};
