/** Addresses that an account has left, and that a link may still give back to it: nobody else gets them meanwhile. */

import { isOlder, UNDO_TTL } from "../../owners/recovery/storage.ts";
import type { Call } from "../sql.ts";
import { addressesOf, whoLeft } from "./addresses.ts";
import type { NameArgs } from "./names.ts";
import { getPerson } from "./person.ts";

/** So many accounts that have left an address in the last days are looked at. */
const MOST_LEFT = 20;

/**
 * Whether another account has left the address in the last days for a younger one. Asked after the name was reserved: an account notes what it leaves
 * before it lets the name go. Else an intruder could give the account another address, and take the owner's for an account of their own.
 */
export async function isOwedToAnother(call: Call, { value, ownerId, now }: NameArgs): Promise<boolean> {
  const left = await call(whoLeft, { address: value, since: now - UNDO_TTL, limit: MOST_LEFT });
  for (const { partition, personId } of left) {
    if (personId === ownerId) continue;
    const person = await call(getPerson, { partition, personId });
    if (person === undefined) continue;
    if (isOlder(await call(addressesOf, { partition, personId, now }), value, person.email)) return true;
  }
  return false;
}
