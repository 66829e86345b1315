/** Which known devices the server forgets when a person has more of them than it keeps. Pure function. */

import type { Millis } from "../oauth/model.ts";
import { type KnownDevice, MOST_KNOWN_DEVICES } from "./known-device-storage.ts";
import { SETTLED } from "./recovery/factor-trust.ts";

/** Number of new devices that are kept in preference to older ones: the earliest of them. */
const NEW_KEPT = 4;

type Aged = Pick<KnownDevice, "deviceId" | "oldest" | "appearedAt" | "lastSeenAt">;

/**
 * Ids of the devices to forget. The device of this sign-in and the account's oldest device stay. Of the others, the one
 * that was unused for longest goes. But somebody who signs in again and again with new browsers must neither push out
 * the owner's, nor hide when the first new one appeared, which recovery uses. So the earliest new devices stay, and the
 * other new ones go before any older one.
 */
export function forgottenDevices(devices: readonly Aged[], current: string, now: Millis): readonly string[] {
  const isNew = ({ appearedAt }: Aged) => appearedAt + SETTLED > now;
  const stay = ({ deviceId, oldest }: Aged) => deviceId === current || oldest;
  const others = devices.filter((one) => !stay(one));
  const fresh = others.filter(isNew).toSorted((a, b) => a.appearedAt - b.appearedAt);
  const settled = others.filter((one) => !isNew(one)).toSorted((a, b) => b.lastSeenAt - a.lastSeenAt);
  const kept = [...devices.filter(stay), ...fresh.slice(0, NEW_KEPT), ...settled, ...fresh.slice(NEW_KEPT)];
  return kept.slice(MOST_KNOWN_DEVICES).map(({ deviceId }) => deviceId);
}
