/** Ids: 16 bytes as base64url. The first two bytes are the partition (0–1023), the others are random. */

import { createHash } from "node:crypto";
import { PARTITIONS } from "../oauth/model.ts";
import { base64url, randomBytes } from "./random.ts";

/** A new id in a partition: for a grant or session, its owner's partition. */
export function newId(partition: number): string {
  return idFrom(partition, randomBytes(16));
}

/** A new owner's id with a random partition. */
export function newOwnerId(): string {
  const bytes = randomBytes(16);
  return idFrom(((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) % PARTITIONS, bytes);
}

/** The same id for the same parts, so that a repeated action is recognized. */
export function derivedId(partition: number, ...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return idFrom(partition, hash.digest().subarray(0, 16));
}

function idFrom(partition: number, bytes: Uint8Array): string {
  bytes[0] = partition >> 8;
  bytes[1] = partition & 0xff;
  return base64url(bytes);
}
