/** Recovery codes: what signs in where the authenticator is lost. Told once, kept as hashes. */

import { hash } from "node:crypto";
import { randomBytes } from "./random.ts";

const CODES = 10;
/** Without i, l, o and u, which are misread; 16 of 32 letters are 80 bits, so that a fast hash of them is enough. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 16;

export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => {
    const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % 32]).join("");
    return (letters.match(/.{4}/g) ?? []).join("-");
  });
}

/** What is kept of a code, as it was typed: case, spaces and dashes count for nothing, look-alikes for what they stand for. Undefined: it can't be one. */
export function recoveryCodeHash(personId: string, typed: string): string | undefined {
  const code = typed.slice(0, 100).toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1");
  if (code.length !== LENGTH || ![...code].every((letter) => ALPHABET.includes(letter))) return undefined;
  return hash("sha256", `${personId}\0${code}`, "base64url");
}
