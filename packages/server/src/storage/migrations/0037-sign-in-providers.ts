/** OpenID Connect providers at which people may sign in. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const signInProviders: Migration = {
  id: 37,
  name: "sign-in providers",
  phase: "expand",
  statements: [
    sql`INSERT INTO catalog (kind, version) VALUES ('providers', 0)`,
    sql`CREATE TABLE sign_in_providers (
      id ${words.key} NOT NULL PRIMARY KEY,
      record TEXT NOT NULL
    )`,
  ],
};
