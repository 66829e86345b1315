/** One person's row, which verbs of several folders read. */

import type { PersonDetails } from "../../oauth/model.ts";
import type { DetailChanges, Person } from "../../owners/storage.ts";
import type { DisabledBy } from "../../owners/upstream-change-storage.ts";
import { query, type Row, sql } from "../define-verbs.ts";
import { json, personColumns, personOf, text } from "../row-conversion.ts";

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

/** The systems that have disabled a person, from a row with `disabled_by`. */
export function disabledByOf(row: Row): readonly DisabledBy[] {
  return row["disabled_by"] === null ? [] : json<readonly DisabledBy[]>(row, "disabled_by");
}

/** What companies are told of a person, from a row with `status` and `disabled_by`. `paused`: their grants wait, too. */
export function accountStanding(row: Row): string {
  const status = text(row, "status");
  const by = disabledByOf(row);
  return status === "disabled" && by.length > 0 && by.every(({ grants }) => grants === "paused") ? "paused" : status;
}

/** A person's details after the changes. Null: none are left. */
export function changedDetails(before: PersonDetails | null, changes: DetailChanges): PersonDetails | null {
  const { phoneVerified: had = false, ...texts } = before ?? {};
  const { phoneVerified: vouched, ...others } = changes;
  const kept = Object.entries({ ...texts, ...others }).filter(([, text]) => text !== null);
  if (kept.length === 0) return null;
  const after: PersonDetails = Object.fromEntries(kept);
  const same = after.phoneNumber === before?.phoneNumber;
  const verified = after.phoneNumber !== undefined && (vouched ?? (same && had));
  return verified ? { ...after, phoneVerified: true } : after;
}
