/** The storage port of known devices. Each verb is one transaction. */

import type { Millis } from "../oauth/model.ts";

/** Maximum number of known devices per person. One more makes the server forget another (`excess-known-devices.ts`). */
export const MOST_KNOWN_DEVICES = 10;

/** A known device is forgotten when nobody has signed in with it for this long: its cookie has expired then. */
export const KNOWN_DEVICE_TTL: Millis = 365 * 86_400_000;

export interface KnownDeviceKey {
  readonly partition: number;
  readonly personId: string;
  /** Derived from the device cookie's secret (`http/browser-of-request.ts`). */
  readonly deviceId: string;
}

/** A browser that a person has signed in with. */
export interface KnownDevice extends KnownDeviceKey {
  /**
   * A cookie counts only if it has the same number. The number increases when a device is bound again, so that copies
   * of an older cookie stop working.
   */
  readonly generation: number;
  /** True: the first sign-in of this account came from this device. */
  readonly first: boolean;
  /** True: at that sign-in, somebody else had chosen the password, and it had to be changed. */
  readonly handedOut: boolean;
  /**
   * A revoked device counts as new when somebody signs in with it again, and is no longer the first. The exception: a
   * younger device revoked it a few days ago.
   */
  readonly firstSeenAt: Millis;
  /** When the person signed in with it for the first time ever, even if it was revoked since. */
  readonly appearedAt: Millis;
  /**
   * True: of all browsers that the account ever knew, this one appeared first. If the server has forgotten that
   * browser, no other is the oldest. After the operator's new password, the next sign-in decides anew.
   */
  readonly oldest: boolean;
  /**
   * When it was signed out together with others, by "sign out everywhere" or by recovery. Null: not since the last
   * sign-in with it. 0: for good, or at an unknown time.
   */
  readonly endedAt: Millis | null;
  /** When the person last signed in with it. */
  readonly lastSeenAt: Millis;
  /** The address of the last sign-in. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /**
   * True: since the last sign-in with this device, the password is the same, no passkey or authenticator was added, and
   * the device was not revoked. A device is revoked by the end of its session in the list of sessions, by the end of
   * all sessions, by a new password that ends them, or by recovery. Only a bound device has sign-in limits of its own.
   */
  readonly bound: boolean;
  /** False: a recovery of the account bound it, and nobody has signed in with it since. */
  readonly used: boolean;
}

/** The cookie that a browser gets now. */
export interface DeviceSeen {
  readonly deviceId: string;
  readonly generation: number;
}

/** The browser of a sign-in. */
export interface DeviceSighting {
  /** The content of its cookie. Null: it has no cookie of this person. */
  readonly presented: DeviceSeen | null;
  /** The new id if the server does not know the device. */
  readonly freshId: string;
}

export interface KnownDeviceStorage {
  readonly knownDevices: {
    /** Undefined: the server does not know the device, or has forgotten it. */
    get(args: KnownDeviceKey): Promise<KnownDevice | undefined>;
    /** Last used first. */
    list(args: Omit<KnownDeviceKey, "deviceId">): Promise<readonly KnownDevice[]>;
    /**
     * Binds the device to the person's present password and factors, as a sign-in does. Undefined: the person does not
     * exist or is disabled, or the password has changed since `passwordChangedAt`.
     */
    remember(
      args: Omit<KnownDeviceKey, "deviceId"> & {
        readonly device: DeviceSighting;
        readonly passwordChangedAt: Millis | null;
        readonly address: string | null;
        readonly userAgent: string | null;
        readonly now: Millis;
      },
    ): Promise<DeviceSeen | undefined>;
  };
}

/** Of all devices of a person, the one that the cookie names. A copy of a cookie that was replaced since names none. */
export function presentedAmong(devices: readonly KnownDevice[], presented: DeviceSeen | null): KnownDevice | undefined {
  return devices.find(
    ({ deviceId, generation }) => deviceId === presented?.deviceId && generation === presented.generation,
  );
}
