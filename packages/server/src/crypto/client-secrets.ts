/**
 * Client secrets that the server needs itself, because it computes HMACs with them (RFC 7518 §3.2): sealed in the
 * database.
 */

import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";

/** Seals all secrets of one client, base64url. The id is bound to them, so they can't be given to another client. */
export function sealClientSecrets(secrets: Secrets, clientId: string, plain: readonly string[]): string {
  const sealed = seal(secrets, "client secret", clientId, Buffer.from(JSON.stringify(plain)));
  return Buffer.from(sealed).toString("base64url");
}

/**
 * Opens the result of `sealClientSecrets`. Undefined: it was sealed under a secret that is no longer in the list, or
 * for another client.
 */
export function openClientSecrets(secrets: Secrets, clientId: string, sealed: string): readonly string[] | undefined {
  const opened = unseal(secrets, "client secret", clientId, Buffer.from(sealed, "base64url"));
  return opened === undefined ? undefined : (JSON.parse(opened.toString()) as readonly string[]);
}
