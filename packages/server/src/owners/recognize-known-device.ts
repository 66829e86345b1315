/** Whether a browser's device cookie still makes it a known device of a person. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type {
  DeviceSeen,
  DeviceSighting,
  KnownDevice,
  KnownDeviceKey,
  KnownDeviceStorage,
} from "./known-device-storage.ts";
import type { Person } from "./person.ts";

/** A device cookie, as the browser presents it. */
export type PresentedDevice = KnownDeviceKey & DeviceSeen;

/** A known device that is older than this was not made in order to avoid limits. */
const YOUNG: Millis = 7 * 86_400_000;

/** Anybody who knows the password can make known devices. An older device was not made for a flood or for guessing. */
export function isYoung({ firstSeenAt }: Pick<KnownDevice, "firstSeenAt">, now: Millis): boolean {
  return now - firstSeenAt < YOUNG;
}

/** The known device that the cookie names, bound or not. A copy of a cookie that was replaced since names none. */
export async function seenDevice(
  presented: PresentedDevice | undefined,
  storage: Uses<KnownDeviceStorage, "knownDevices.get">,
): Promise<KnownDevice | undefined> {
  if (presented === undefined) return undefined;
  const known = await storage.knownDevices.get(presented);
  return known?.generation === presented.generation ? known : undefined;
}

/**
 * The known device that the cookie names, if it is bound. A request without a cookie needs no query; with a cookie the
 * query is the same for every name.
 */
export async function boundDevice(
  presented: PresentedDevice | undefined,
  storage: Uses<KnownDeviceStorage, "knownDevices.get">,
): Promise<KnownDevice | undefined> {
  const known = await seenDevice(presented, storage);
  return known?.bound === true ? known : undefined;
}

/** Whether the device that the cookie names is bound to this person. */
export async function isBoundTo(
  personId: string,
  presented: PresentedDevice | undefined,
  storage: Uses<KnownDeviceStorage, "knownDevices.get">,
): Promise<boolean> {
  return presented?.personId === personId && (await boundDevice(presented, storage)) !== undefined;
}

export interface BindContext {
  readonly storage: Uses<KnownDeviceStorage, "knownDevices.remember">;
  now(): Millis;
}

/** Binds a browser to the person as they are now, without a sign-in. Undefined: the person is gone or disabled, or has another password since. */
export function bindDevice(
  { partition, personId, passwordChangedAt }: Person,
  browser: { readonly device: DeviceSighting; readonly address: string; readonly userAgent: string | null },
  { storage, now }: BindContext,
): Promise<DeviceSeen | undefined> {
  return storage.knownDevices.remember({ partition, personId, passwordChangedAt, ...browser, now: now() });
}
