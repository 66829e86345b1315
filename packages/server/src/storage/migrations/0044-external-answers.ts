/** Answers of the operator's own sign-in page, from the page's call until the browser comes back with it. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** `sealed`, because an answer says who somebody is. */
export const externalAnswers: Migration = {
  id: 44,
  name: "external answers",
  phase: "expand",
  statements: [
    sql`CREATE TABLE external_answers (
      partition INTEGER NOT NULL,
      challenge_id ${words.key} NOT NULL,
      verifier_hash TEXT NOT NULL,
      sealed ${words.bytes} NOT NULL,
      used_at ${words.whole},
      until ${words.whole} NOT NULL,
      PRIMARY KEY (partition, challenge_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX external_answers_to_collect ON external_answers (until)`,
  ],
};
