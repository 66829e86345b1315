/** What a password costs, where a test is about that. */

import { dangerouslyHashAtNoCost } from "../../packages/server/src/crypto/password.ts";

/** In this file passwords cost what they cost in the program. */
export function passwordsCost(): void {
  dangerouslyHashAtNoCost(false);
}
