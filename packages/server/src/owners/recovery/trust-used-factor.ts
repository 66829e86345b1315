/** What the browsers with which factors are added and used say about the factors. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../uses.ts";
import type { AddedFrom, FactorStorage, Passkey, PersonKey } from "../factor-storage.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import { vouchedFrom } from "./factor-trust.ts";

/** What it is given from outside. */
export interface VouchContext {
  readonly storage: Uses<KnownDeviceStorage, "knownDevices.get"> &
    Uses<FactorStorage, "passkeys.vouch" | "secondFactors.vouch">;
  now(): Millis;
}

/** A factor by which somebody has just signed in, as it was when it was proved: another one may have taken its place since. */
export type UsedFactor =
  | { readonly kind: "passkey"; readonly passkey: Pick<Passkey, "credentialId" | "createdAt" | "added"> }
  | { readonly kind: "authenticator" | "codes"; readonly factor: UsedSecondFactor };

/** When the authenticator, or its recovery codes, came to be, and from where. */
export type UsedSecondFactor = Pick<Passkey, "createdAt" | "added">;

/** What is noted of a factor that is added in a session. `deviceId`: of that session. */
export async function addedFrom(
  { partition, personId }: PersonKey,
  from: Pick<AddedFrom, "address" | "userAgent"> & { readonly deviceId: string | null },
  { storage, now }: VouchContext,
): Promise<AddedFrom> {
  const { deviceId, address, userAgent } = from;
  const device = deviceId === null ? undefined : await storage.knownDevices.get({ partition, personId, deviceId });
  const at = now();
  return { address, userAgent, deviceSince: device?.firstSeenAt ?? null, vouchedFrom: vouchedFrom(device, at, at) };
}

/** Somebody has signed in with a factor. If nothing vouched for it so far, the device may. */
export async function vouchByUse(
  { partition, personId }: PersonKey,
  used: UsedFactor,
  deviceId: string,
  { storage, now }: VouchContext,
): Promise<void> {
  const key = { partition, personId };
  const { createdAt, added } = used.kind === "passkey" ? used.passkey : used.factor;
  const at = now();
  const { vouchedFrom: already } = added;
  if (already !== null && already <= at) return;
  const from = vouchedFrom(await storage.knownDevices.get({ ...key, deviceId }), createdAt, at);
  if (from === null || (already !== null && already <= from)) return;
  if (used.kind === "passkey") await storage.passkeys.vouch({ ...key, credentialId: used.passkey.credentialId, from });
  else await storage.secondFactors.vouch({ ...key, what: used.kind, createdAt, from, now: at });
}
