/** The storage port of browsers that people have signed in with. Each verb is one transaction. */

import type { Millis } from "../oauth/model.ts";

/** Maximum number of known devices per person. One more makes the server forget another (`forgotten-devices.ts`). */
export const MOST_KNOWN_DEVICES = 10;

/** A known device is forgotten when nobody has signed in with it for this long: its cookie has expired then. */
export const KNOWN_DEVICE_TTL: Millis = 365 * 86_400_000;

export interface KnownDeviceKey {
  readonly partition: number;
  readonly personId: string;
  /** Derived from the device cookie's secret (`http/visitor.ts`). */
  readonly deviceId: string;
}

/** A browser that a person has signed in with. */
export interface KnownDevice extends KnownDeviceKey {
  /** A cookie counts only if it carries the same number. It rises when a device is bound anew, so that copies of the older cookie end. */
  readonly generation: number;
  /** True: the first sign-in of this account came from this device. */
  readonly first: boolean;
  /** True: that sign-in was with a password that somebody else had chosen and that had to be changed. */
  readonly handedOut: boolean;
  /** A device that was revoked is new again when somebody next signs in with it, and is no longer the first; not if a younger device did it days ago. */
  readonly firstSeenAt: Millis;
  /** When the person signed in with it for the very first time, also if it was revoked since. */
  readonly appearedAt: Millis;
  /** When it was signed out with others, by "sign out everywhere" or by recovery; null: it was not since the last sign-in with it. 0: for good, or nobody knows when. */
  readonly endedAt: Millis | null;
  /** When the person last signed in with it. */
  readonly lastSeenAt: Millis;
  /** Of the last sign-in. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /**
   * True: since the last sign-in with this device the password is the same, no passkey or authenticator was added, and the device was not revoked: by
   * the end of its session from the list of sessions, of all sessions, by a new password that ends them, or by recovery. Only such a device has limits of its own at sign-in.
   */
  readonly bound: boolean;
}

/** Which cookie a browser is to have from now on. */
export interface DeviceSeen {
  readonly deviceId: string;
  readonly generation: number;
}

/** The browser of a sign-in. */
export interface DeviceSighting {
  /** What its cookie says; null: it has none of this person's. */
  readonly presented: DeviceSeen | null;
  /** The id that it gets if the server doesn't know it. */
  readonly freshId: string;
}

export interface KnownDeviceStorage {
  readonly knownDevices: {
    /** Undefined: the server doesn't know it, or has forgotten it. */
    get(args: KnownDeviceKey): Promise<KnownDevice | undefined>;
    /** Last used first. */
    list(args: Omit<KnownDeviceKey, "deviceId">): Promise<readonly KnownDevice[]>;
    /**
     * Binds the device to the person's password and factors as they are now, as a sign-in does. Undefined: no such person, disabled, or the password is
     * another than at `passwordChangedAt`.
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
