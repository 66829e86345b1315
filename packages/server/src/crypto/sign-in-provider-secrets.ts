/** The client secret that this server has at a sign-in provider: sealed in the database. */

import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";

/** Base64url. The provider's id is bound to the secret, so it can't be given to another provider. */
export function sealProviderSecret(secrets: Secrets, providerId: string, secret: string): string {
  return Buffer.from(seal(secrets, "sign-in provider", providerId, Buffer.from(secret))).toString("base64url");
}

/** Undefined: it was sealed under a secret that is no longer in the list, or for another provider. */
export function openProviderSecret(secrets: Secrets, providerId: string, sealed: string): string | undefined {
  return unseal(secrets, "sign-in provider", providerId, Buffer.from(sealed, "base64url"))?.toString();
}
