/**
 * Writes the list of common passwords that the server refuses: `node scripts/common-passwords.ts`. A test compares the
 * file with the output of this script.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import { foldedPassword, LISTED_BYTES, SHORTEST_LISTED } from "../packages/server/src/crypto/common-passwords.ts";

/**
 * Sorted: the first bytes of each password's SHA-256. The hash only saves space, because all these passwords are
 * public.
 */
export function commonPasswordFile(): Buffer {
  const words = dictionary["passwords-common"];
  const folded = words.map((word) => foldedPassword(String(word))).filter((word) => word.length >= SHORTEST_LISTED);
  const hashes = [...new Set(folded)].map((word) =>
    createHash("sha256").update(word).digest().subarray(0, LISTED_BYTES),
  );
  return Buffer.concat(hashes.sort(Buffer.compare));
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, "../packages/server/src/crypto/common-passwords.bin"), commonPasswordFile());
}
