/** Recovery codes: they sign a person in who lost the authenticator. Shown once, stored as hashes. */

import { hash } from "node:crypto";
import { randomBytes } from "./random.ts";

const CODES = 10;
/** Without i, l, o and u, which are easy to misread. 16 of 32 letters have 80 bits, so a fast hash is enough. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 16;

export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => {
    const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % 32]).join("");
    return (letters.match(/.{4}/g) ?? []).join("-");
  });
}

/**
 * The stored hash of a typed code. Case, spaces and dashes don't matter, and look-alikes count as the letters of the
 * alphabet. Undefined: it can't be a code.
 */
export function recoveryCodeHash(personId: string, typed: string): string | undefined {
  const code = typed.slice(0, 100).toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1");
  if (code.length !== LENGTH || ![...code].every((letter) => ALPHABET.includes(letter))) return undefined;
  return hash("sha256", `${personId}\0${code}`, "base64url");
}
