/** One person's row, which verbs of several folders read. */

import type { Person } from "../../owners/storage.ts";
import { query, sql } from "../define-verbs.ts";
import { personColumns, personOf } from "../row-conversion.ts";

export interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

export const thisPerson = sql`partition = :partition AND person_id = :personId`;

export const getPerson = query<PersonKey, Person | undefined>({
  sql: sql`SELECT ${personColumns} FROM people WHERE ${thisPerson}`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row]) => row && personOf(row),
});
