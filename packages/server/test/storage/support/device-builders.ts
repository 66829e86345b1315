/** Valid requests of a device, answers of its owner and polls, which tests can change. */

import { randomBytes } from "node:crypto";
import { PARTITIONS } from "../../../src/oauth/model.ts";
import type { NewDeviceRequest, PollDevice, RedeemDevice } from "../../../src/oauth/storage.ts";
import type { ApproveDevice, DeviceClaim, Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { aHash, anId, aStoredPerson, MINUTE, NOW, SECOND } from "./record-builders.ts";

export function aDevice(changes: Partial<NewDeviceRequest> = {}): NewDeviceRequest {
  const partition = changes.partition ?? Math.floor(Math.random() * PARTITIONS);
  return {
    partition,
    requestId: anId(partition),
    userCodeHash: randomBytes(32).toString("base64url"),
    saltHash: aHash(),
    clientId: "client-1",
    scopes: ["read", "write"],
    address: "192.0.2.7",
    interval: 5 * SECOND,
    expiresAt: NOW + 10 * MINUTE,
    now: NOW,
    ...changes,
  };
}

export function aClaim({ partition, userCodeHash }: NewDeviceRequest, changes: Partial<DeviceClaim> = {}): DeviceClaim {
  return { partition, userCodeHash, sessionId: "session-1", now: NOW + SECOND, ...changes };
}

export function aPoll(
  { partition, requestId, saltHash, clientId }: NewDeviceRequest,
  changes: Partial<PollDevice> = {},
): PollDevice {
  return { partition, requestId, saltHash, clientId, now: NOW + SECOND, ...changes };
}

export function anAnswer(
  device: NewDeviceRequest,
  person: Person,
  {
    approval = {},
    ...changes
  }: Partial<Omit<ApproveDevice, "approval">> & {
    readonly approval?: Partial<ApproveDevice["approval"]>;
  } = {},
): ApproveDevice {
  const claim = aClaim(device);
  return {
    ...claim,
    clientId: device.clientId,
    ceiling: null,
    approval: {
      partition: person.partition,
      grantId: anId(person.partition),
      ownerId: person.personId,
      personId: person.personId,
      refreshable: true,
      scopes: ["read"],
      audience: "https://api.example",
      authTime: NOW,
      acr: null,
      amr: ["pwd"],
      onceUntil: null,
      approvedAt: changes.now ?? claim.now,
      ...approval,
    },
    grantedBy: person.personId,
    via: "device",
    declined: ["write"],
    duration: "forever",
    onceUntil: NOW + 20 * MINUTE,
    shown: { locale: "en", clientName: "Photo TV", logo: null },
    ...changes,
  };
}

export function aDeviceRedemption(
  { partition, requestId, clientId }: NewDeviceRequest,
  approval: ApproveDevice["approval"],
  changes: Partial<RedeemDevice> = {},
): RedeemDevice {
  const now = changes.now ?? NOW + 2 * SECOND;
  return {
    partition,
    requestId,
    clientId,
    approval,
    ceiling: null,
    refreshSaltHash: aHash(),
    accessUntil: now + 10 * MINUTE,
    idleUntil: now + 60 * MINUTE,
    now,
    ...changes,
  };
}

/** A stored request that `session-1` claimed and a new person approved. */
export async function anApprovedDevice(
  storage: Storage,
  changes: Parameters<typeof anAnswer>[2] = {},
  request: Parameters<typeof aDevice>[0] = {},
): Promise<{ readonly device: NewDeviceRequest; readonly person: Person; readonly answer: ApproveDevice }> {
  const [device, person] = [aDevice(request), await aStoredPerson(storage)];
  await storage.deviceRequests.create(device);
  await storage.deviceRequests.claim({ ...aClaim(device), before: null });
  const answer = anAnswer(device, person, changes);
  const outcome = await storage.deviceRequests.approve(answer);
  if (outcome !== "decided") throw new Error(`the device was not approved: ${outcome}`);
  return { device, person, answer };
}
