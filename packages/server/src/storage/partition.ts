/** Which partition a thing lives in: everything of an owner together, names and counters by their hash. */

import { PARTITIONS } from "../oauth/model.ts";

/**
 * The partition of an owner, session or grant id: its first two bytes, big endian. -1, where no row is, for what isn't such an id (a mistyped
 * argument of an operator).
 */
export function partitionOf(id: string): number {
  if (!/^[A-Za-z0-9_-]{22}$/.test(id)) return -1;
  const partition = Buffer.from(id.slice(0, 4), "base64url").readUInt16BE(0);
  return partition < PARTITIONS ? partition : -1;
}

/** The partition of a name or a counter: FNV-1a (32 bit) over kind, NUL and value in UTF-8. Stored data depends on it: it never changes. */
export function partitionOfName(kind: string, value: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${kind}\0${value}`, "utf8")) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash % PARTITIONS;
}
