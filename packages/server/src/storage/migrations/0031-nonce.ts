/** The nonce of an authentication request, which its ID token repeats (OpenID Connect Core §3.1.2.1). */

import { sql } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const nonce: Migration = {
  id: 31,
  name: "nonce",
  phase: "expand",
  // NULL: the request had none, or was not one of OpenID Connect.
  statements: [sql`ALTER TABLE grants ADD COLUMN nonce TEXT`],
};
