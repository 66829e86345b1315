/** Whether a browser's device cookie still makes it one of a person's own. */

import type { Uses } from "../uses.ts";
import type { DeviceSeen, KnownDevice, KnownDeviceKey, KnownDeviceStorage } from "./known-device-storage.ts";

/** A device cookie, as the browser presents it. */
export type PresentedDevice = KnownDeviceKey & DeviceSeen;

/** The known device that the cookie names, bound to its person as they are now or not. An older copy of a cookie that was replaced names none. */
export async function seenDevice(
  presented: PresentedDevice | undefined,
  storage: Uses<KnownDeviceStorage, "knownDevices.get">,
): Promise<KnownDevice | undefined> {
  if (presented === undefined) return undefined;
  const known = await storage.knownDevices.get(presented);
  return known?.generation === presented.generation ? known : undefined;
}

/**
 * The known device that the cookie names, if it is bound to its person as they are now. Whoever has no cookie costs no query, and whoever has one costs
 * the same query whatever name they type.
 */
export async function boundDevice(
  presented: PresentedDevice | undefined,
  storage: Uses<KnownDeviceStorage, "knownDevices.get">,
): Promise<KnownDevice | undefined> {
  const known = await seenDevice(presented, storage);
  return known?.bound === true ? known : undefined;
}
