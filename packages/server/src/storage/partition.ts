/** The partition of a record: all records of one owner share a partition; a name or a counter gets one by its hash. */

import { PARTITIONS } from "../oauth/model.ts";

/**
 * The partition of an owner, session or grant id: its first two bytes, big endian. For a text that is no such id (an
 * operator's typing error), it is -1, where no row is.
 */
export function partitionOf(id: string): number {
  if (!/^[A-Za-z0-9_-]{22}$/.test(id)) return -1;
  const partition = Buffer.from(id.slice(0, 4), "base64url").readUInt16BE(0);
  return partition < PARTITIONS ? partition : -1;
}

/**
 * The partition of a name or a counter: FNV-1a (32 bit) over kind, NUL and value in UTF-8. Never change this function:
 * stored rows depend on it.
 */
export function partitionOfName(kind: string, value: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${kind}\0${value}`, "utf8")) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash % PARTITIONS;
}
