/** Which factors count as the owner's own. Recovery by mail demands one of these, and lets the others be removed. Pure. */

import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom } from "../factor-storage.ts";

/** How long a browser must have been known before what is done with it says something about the owner. */
export const SETTLED: Millis = 7 * 86_400_000;

/** What the rule asks of a known device. */
export interface DeviceAge {
  /** When the person was first seen with it, or first seen again after it was signed out of everywhere. */
  readonly firstSeenAt: Millis;
  /** The first sign-in of the account came from it. */
  readonly first: boolean;
  /** That sign-in was with a password that somebody else had chosen. */
  readonly handedOut: boolean;
}

/**
 * From when on a factor counts as the owner's, if it is added from this device or used on it; null: that says nothing. `addedAt`: when the factor was
 * added; `now`: when it is used (or added).
 *
 * An intruder who knows the password has a known device as well, since the moment of their sign-in. So a device counts if it was known for a week when the
 * factor was added: its owner had a message about it, and a week to end it. The factor of an intruder can't meet that by being used later, since the
 * age is compared with the factor's, not with the use. A new account has no such device. There, the device of the first sign-in counts at once,
 * unless the password was handed out: whoever came first may then not be the owner, and the week is waited for.
 */
export function vouchedFrom(device: DeviceAge | undefined, addedAt: Millis, now: Millis): Millis | null {
  if (device === undefined) return null;
  if (device.firstSeenAt + SETTLED <= addedAt) return now;
  if (!device.first) return null;
  return device.handedOut ? Math.max(now, device.firstSeenAt + SETTLED) : now;
}

/** For how long a browser that was signed out with all others can still be told to be the owner's: whoever recovers by mail signs that out, too. */
export const STILL_OWN: Millis = 7 * 86_400_000;

/**
 * Whether a browser was the owner's at `before`, by the same rule: known for a week then, or the account's first. One that was signed out with all others
 * has the age that it had when that happened, for a week: a thief of the mailbox can't make it new, and an intruder who was thrown out can't
 * grow old outside.
 */
export function isOwners(
  device: DeviceAge & { readonly endedAt: Millis | null },
  before: Millis,
  now: Millis,
): boolean {
  const { endedAt, firstSeenAt, first, handedOut } = device;
  if (endedAt !== null && endedAt + STILL_OWN <= now) return false;
  const until = endedAt === null ? before : Math.min(endedAt, before);
  return firstSeenAt + SETTLED <= until || (first && !handedOut && firstSeenAt <= until);
}

/** True: the factor counts as the owner's. */
export function isVouched({ vouchedFrom: from }: Pick<AddedFrom, "vouchedFrom">, now: Millis): boolean {
  return from !== null && from <= now;
}
