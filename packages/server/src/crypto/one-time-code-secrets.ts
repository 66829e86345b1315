/**
 * The sealed secret of one-time codes: nobody can make a code with the database alone, and one person's secret does not
 * work for another.
 */

import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";

export function sealCodeSecret(secrets: Secrets, personId: string, secret: Uint8Array): Uint8Array {
  return seal(secrets, "second factor", personId, secret);
}

/** Undefined: it was sealed under a key that was removed, or for somebody else. */
export function openCodeSecret(secrets: Secrets, personId: string, sealed: Uint8Array): Uint8Array | undefined {
  return unseal(secrets, "second factor", personId, sealed);
}
