/** Turns on real password hashing, for tests that depend on its cost. */

import { dangerouslyHashAtNoCost } from "../../packages/server/src/crypto/password-hashing.ts";

/** In this test file, hashing a password costs as much as in the program. */
export function hashPasswordsAtRealCost(): void {
  dangerouslyHashAtNoCost(false);
}
