/** The form in which usernames that look alike are equal. Nobody else can have the same one. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const lookAlikes: Migration = {
  id: 17,
  name: "look_alikes",
  phase: "expand",
  statements: [sql`ALTER TABLE people ADD COLUMN look_alike TEXT`],
};
