/** What the browsers with which factors are added and used say about the factors. */

import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom, FactorStorage, Passkey, PersonKey } from "../factor-storage.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import { vouchedFrom } from "./vouching.ts";

/** What it is given from outside. */
export interface VouchContext {
  readonly storage: Pick<KnownDeviceStorage, "getKnownDevice"> &
    Pick<FactorStorage, "getSecondFactor" | "vouchPasskey" | "vouchSecondFactor">;
  now(): Millis;
}

/** A factor by which somebody has just signed in. */
export type UsedFactor =
  | { readonly kind: "passkey"; readonly passkey: Pick<Passkey, "credentialId" | "createdAt" | "added"> }
  | { readonly kind: "authenticator" | "codes" };

/** What is noted of a factor that is added in a session. `deviceId`: of that session. */
export async function addedFrom(
  { partition, personId }: PersonKey,
  from: Pick<AddedFrom, "address" | "userAgent"> & { readonly deviceId: string | null },
  { storage, now }: VouchContext,
): Promise<AddedFrom> {
  const { deviceId, address, userAgent } = from;
  const device = deviceId === null ? undefined : await storage.getKnownDevice({ partition, personId, deviceId });
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
  const factor = used.kind === "passkey" ? used.passkey : await secondFactor(key, used.kind, storage);
  const at = now();
  if (factor === undefined) return;
  const { vouchedFrom: already } = factor.added;
  if (already !== null && already <= at) return;
  const from = vouchedFrom(await storage.getKnownDevice({ ...key, deviceId }), factor.createdAt, at);
  if (from === null || (already !== null && already <= from)) return;
  if (used.kind === "passkey") await storage.vouchPasskey({ ...key, credentialId: used.passkey.credentialId, from });
  else await storage.vouchSecondFactor({ ...key, what: used.kind, from, now: at });
}

async function secondFactor(
  key: PersonKey,
  what: "authenticator" | "codes",
  storage: VouchContext["storage"],
): Promise<Pick<Passkey, "createdAt" | "added"> | undefined> {
  const factor = await storage.getSecondFactor(key);
  if (factor === undefined) return undefined;
  return what === "authenticator" ? factor : { createdAt: factor.codesAt, added: factor.codesAdded };
}
