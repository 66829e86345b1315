/**
 * Decides which factors count as the owner's own. Recovery by mail demands one of these, and lets the person remove the
 * others. Pure functions.
 */

import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom, SecondFactor } from "../factor-storage.ts";

/** How long a browser must have been known before its use vouches for the owner. */
export const SETTLED: Millis = 7 * 86_400_000;

/** The facts about a known device that the rule uses. */
export interface DeviceAge {
  /** When the person was first seen with it, or first seen again after a sign-out everywhere. */
  readonly firstSeenAt: Millis;
  /** True: the first sign-in of the account came from it. */
  readonly first: boolean;
  /** True: at that sign-in, somebody else had chosen the password. */
  readonly handedOut: boolean;
}

/**
 * From when on a factor counts as the owner's, if it is added or used on this device. Null: this use does not vouch for
 * it. `addedAt`: when the factor was added. `now`: when it is used (or added).
 *
 * An intruder who knows the password has a known device as well, since their sign-in. So a device vouches only if it
 * had been known for a week when the factor was added: its owner had a message about the device, and a week to end it.
 * An intruder can't satisfy this by using the factor later, because the device's age is compared with the time at which
 * the factor was added. A new account has no such device. There, the device of the first sign-in vouches at once,
 * unless the password was handed out: then the first person may not be the owner, and the device has to be a week old.
 */
export function vouchedFrom(device: DeviceAge | undefined, addedAt: Millis, now: Millis): Millis | null {
  if (device === undefined) return null;
  if (device.firstSeenAt + SETTLED <= addedAt) return now;
  if (!device.first) return null;
  return device.handedOut ? Math.max(now, device.firstSeenAt + SETTLED) : now;
}

/**
 * How long a browser that was signed out with all others can still count as the owner's, because a recovery by mail
 * signs that browser out, too.
 */
export const STILL_OWN: Millis = 7 * 86_400_000;

/**
 * Whether a browser was the owner's at `before`, by the same rule: known for a week at that time, or the account's
 * first. A browser that was signed out with all others keeps the age that it had then, for a week. So a thief of the
 * mailbox can't make it new, and an intruder who was signed out can't become older outside.
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

/**
 * Which recovery codes prove who recovers: those of the present set, and those of the previous one. Undefined: none,
 * because nobody vouches for the authenticator.
 */
export interface ProvingCodes {
  readonly codes: boolean;
  readonly earlierCodes: boolean;
}

type ReplacedFactor = Pick<
  SecondFactor,
  "added" | "createdAt" | "codesAt" | "codesAdded" | "earlier" | "earlierCodesLeft"
>;

export function provingCodes(factor: ReplacedFactor | undefined, now: Millis): ProvingCodes | undefined {
  if (factor === undefined || !(isVouched(factor.added, now) || factor.earlier !== null)) return undefined;
  const { createdAt, codesAt, codesAdded, earlier, earlierCodesLeft } = factor;
  // Codes that were made for an authenticator that is not the person's prove nothing. Codes that came with their
  // authenticator can replace it.
  const codes = isVouched(codesAdded, now) || (earlier !== null && codesAt === createdAt);
  return { codes, earlierCodes: earlierCodesLeft > 0 };
}
