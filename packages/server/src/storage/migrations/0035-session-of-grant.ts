/** The browser session in which a grant was made: the `sid` of its ID tokens (OpenID Connect Front-Channel Logout §3). */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const sessionOfGrant: Migration = {
  id: 35,
  name: "session of grant",
  phase: "expand",
  // NULL: the grant has no ID token, was made without a browser, or is older than this column.
  statements: [sql`ALTER TABLE grants ADD COLUMN sid TEXT`],
};
