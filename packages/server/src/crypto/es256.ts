/**
 * ES256 signatures (RFC 7518 §3.4): node:crypto makes DER, and this code converts it to the two integers of fixed size
 * that JWS needs.
 */

import { type KeyObject, sign, verify } from "node:crypto";

const SIZE = 32;

/** 64 bytes, r ‖ s. Signing to DER and converting is as fast everywhere, and twice as fast on Node 24. */
export function signEs256(input: string, key: KeyObject): Buffer {
  const der = sign("sha256", Buffer.from(input), key);
  const raw = Buffer.alloc(2 * SIZE);
  // SEQUENCE of two INTEGERs; at 256 bits every length fits one byte.
  let at = 3;
  for (const end of [SIZE, 2 * SIZE]) {
    const length = der[at] ?? 0;
    const start = at + 1;
    const from = length > SIZE ? start + length - SIZE : start;
    der.copy(raw, end - Math.min(length, SIZE), from, start + length);
    at = start + length + 1;
  }
  return raw;
}

export function verifyEs256(input: string, signature: Uint8Array, key: KeyObject): boolean {
  return (
    signature.length === 2 * SIZE && verify("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }, signature)
  );
}
