/** Addresses that an account has left, and that a link may still give back to it: nobody else gets them meanwhile. */

import { isOlder, type RecoveryStorage, UNDO_TTL } from "../../owners/recovery/storage.ts";
import { type Call, steps } from "../sql.ts";
import { addressesOf, whoLeft } from "./addresses.ts";
import type { NameArgs } from "./names.ts";
import { getPerson } from "./person.ts";

/** So many accounts that have left an address in the last days are looked at. */
const MOST_LEFT = 20;

type OwedTo = RecoveryStorage["people"]["owedTo"];

export const owedTo = steps<Parameters<OwedTo>[0], Awaited<ReturnType<OwedTo>>>(
  async (call, { address, limit, now }) => {
    const left = await call(whoLeft, { address, since: now - UNDO_TTL, limit });
    const owed = await Promise.all(
      left.map(async ({ until, ...key }) => {
        const person = await call(getPerson, key);
        if (person === undefined) return [];
        return isOlder(await call(addressesOf, { ...key, now }), address, person.email) ? [{ person, until }] : [];
      }),
    );
    return owed.flat();
  },
);

/**
 * Whether another account has left the address in the last days for a younger one. Asked after the name was reserved: an account notes what it leaves
 * before it lets the name go. Else an intruder could give the account another address, and take the owner's for an account of their own.
 */
export async function isOwedToAnother(call: Call, { value, ownerId, now }: NameArgs): Promise<boolean> {
  const owed = await call(owedTo, { address: value, limit: MOST_LEFT, now });
  return owed.some(({ person }) => person.personId !== ownerId);
}
