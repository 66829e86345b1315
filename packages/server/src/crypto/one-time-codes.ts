/** One-time codes by time (RFC 6238), as every authenticator app makes them: HMAC-SHA-1 (RFC 4226 §5.3), six digits, 30 seconds. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Millis } from "../oauth/model.ts";
import { randomBytes } from "./random.ts";

const STEP: Millis = 30_000;
const DIGITS = 6;
/** RFC 4226 §4 R6 asks for 160 bits. */
const SECRET_BYTES = 20;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newCodeSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** RFC 4226 §5.3: the code of a counter, here of a time step. */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac("sha1", secret).update(counter).digest();
  const offset = (hmac.at(-1) ?? 0) & 0xf;
  const number = hmac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/**
 * The time step that a typed code is of: the present one, the one before or the one after, for clocks that differ (RFC 6238 §6). Spaces between
 * digits count for nothing. Undefined: of none of them.
 */
export function stepOfCode(secret: Uint8Array, typed: string, now: Millis): number | undefined {
  const code = typed.replace(/\s/g, "");
  if (!/^\d{6}$/.test(code)) return undefined;
  const present = Math.floor(now / STEP);
  const given = Buffer.from(code);
  // All three are always looked at: how long it takes tells nothing.
  const matching = [present - 1, present, present + 1].filter((step) =>
    timingSafeEqual(Buffer.from(codeOf(secret, step)), given),
  );
  return matching.at(-1);
}

/** RFC 4648 §6, without padding. */
export function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** What a QR code hands to the app. `issuer`: the service's host; `account`: the name to sign in with. */
export function otpauthUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
