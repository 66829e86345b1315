/** A factor becomes vouched for by the browsers in which it is added and used. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { AddedFrom, FactorStorage, Passkey, PersonKey } from "../factor-storage.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import { vouchedFrom } from "./factor-trust.ts";

/** The dependencies of vouching. */
export interface VouchContext {
  readonly storage: Uses<KnownDeviceStorage, "knownDevices.get"> &
    Uses<FactorStorage, "passkeys.vouch" | "secondFactors.vouch">;
  now(): Millis;
}

/** The factor of a sign-in, as it was when it was proved: another one may have replaced it since. */
export type UsedFactor =
  | { readonly kind: "passkey"; readonly passkey: Pick<Passkey, "credentialId" | "createdAt" | "added"> }
  | { readonly kind: "authenticator" | "codes"; readonly factor: UsedSecondFactor };

/** When and where the authenticator, or its recovery codes, were added. */
export type UsedSecondFactor = Pick<Passkey, "createdAt" | "added">;

/** The record of where a factor is added. `deviceId`: the device of the session. */
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

/** Call this after a sign-in with a factor. If the factor was not vouched for so far, the device may vouch for it. */
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
