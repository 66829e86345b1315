/** The secret of one-time codes, sealed: the database alone can't make a code, and one person's is of no use to another. */

import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./secrets.ts";

export function sealCodeSecret(secrets: Secrets, personId: string, secret: Uint8Array): Uint8Array {
  return seal(secrets, "second factor", personId, secret);
}

/** Undefined: sealed under a key that isn't there any more, or for somebody else. */
export function openCodeSecret(secrets: Secrets, personId: string, sealed: Uint8Array): Uint8Array | undefined {
  return unseal(secrets, "second factor", personId, sealed);
}
