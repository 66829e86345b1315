/** The address from which an app was used when a member asked the admins about it. */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const hostOfRequest: Migration = {
  id: 57,
  name: "host of a request",
  phase: "expand",
  // NULL: a device, or a request from before this column.
  statements: [sql`ALTER TABLE company_requests ADD COLUMN host TEXT`],
};
