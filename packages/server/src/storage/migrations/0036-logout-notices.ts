/** Clients that learn when a session ends (OpenID Connect Back-Channel Logout §2). */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const logoutNotices: Migration = {
  id: 36,
  name: "logout notices",
  phase: "expand",
  statements: [
    // `sid`: the session that ID tokens name. `session_id`: the session whose end makes the notice due; it is another
    // one after the person has signed in again. `due_at` NULL: that session lives.
    sql`CREATE TABLE logout_notices (
      partition INTEGER NOT NULL,
      sid ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      session_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      created_at ${words.whole} NOT NULL,
      ended_at ${words.whole},
      due_at ${words.whole},
      tries INTEGER NOT NULL,
      PRIMARY KEY (partition, sid, client_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX logout_notices_of_session ON logout_notices (partition, session_id)`,
    sql`CREATE INDEX logout_notices_of_person ON logout_notices (partition, person_id)`,
    sql`CREATE INDEX logout_notices_due ON logout_notices (due_at) WHERE due_at IS NOT NULL`,
    sql`CREATE INDEX logout_notices_to_collect ON logout_notices (created_at) WHERE due_at IS NULL`,
  ],
};
