/** Changes that are based on a record as it was read: nothing that somebody else wrote meanwhile is lost. */

import { refuse } from "./admin-error.ts";

/** Called with the record on which a change is based, each time that it is read. Throws to refuse the change. */
export type Precondition<T> = (present: T) => void;

const MOST_TRIES = 5;

/** Repeats the change from a new read while it returns undefined: the record was another one when it was written. */
export async function untilStored<T>(change: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const made = await change();
    if (made !== undefined) return made;
  }
  return refuse("conflict", null, "others changed this record at the same time: try again");
}
