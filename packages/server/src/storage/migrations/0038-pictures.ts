/** The picture of a person (OpenID Connect Core §5.1, `picture`). */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

export const pictures: Migration = {
  id: 38,
  name: "pictures",
  phase: "expand",
  statements: [
    // `picture_id`: in the picture's address, and new with each picture. One person has one picture.
    sql`CREATE TABLE pictures (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      picture_id ${words.key} NOT NULL,
      type TEXT NOT NULL,
      bytes ${words.bytes} NOT NULL,
      created_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id)
    )${words.spread}`,
    sql`CREATE INDEX pictures_by_id ON pictures (partition, picture_id)`,
    // The same id, so that a page needs no other row. NULL: no picture.
    sql`ALTER TABLE people ADD COLUMN picture_id TEXT`,
  ],
};
