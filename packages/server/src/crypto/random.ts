/**
 * Random bytes from a pool: one system call serves many draws. If the generator fails, this throws; there is no second
 * source.
 */

import { randomFillSync } from "node:crypto";

const POOL = Buffer.allocUnsafeSlow(16_384);
let used = POOL.length;

/** Returns `size` unpredictable bytes in a new array. */
export function randomBytes(size: number): Uint8Array {
  if (size > POOL.length) return randomFillSync(Buffer.allocUnsafeSlow(size));
  if (used + size > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const bytes = new Uint8Array(size);
  bytes.set(POOL.subarray(used, used + size));
  // Bytes that were handed out are not kept.
  POOL.fill(0, used, used + size);
  used += size;
  return bytes;
}

/** Random text: base64url of `size` bytes. */
export function randomText(size: number): string {
  return base64url(randomBytes(size));
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
}
