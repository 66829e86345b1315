/** Secrets that a server must know whole, because it computes HMACs with them (RFC 7518 §3.2): sealed in the database. */

import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./secrets.ts";

/** Seals all secrets of one client, base64url. Nobody can give them to another client: the id is bound to them. */
export function sealClientSecrets(secrets: Secrets, clientId: string, plain: readonly string[]): string {
  const sealed = seal(secrets, "client secret", clientId, Buffer.from(JSON.stringify(plain)));
  return Buffer.from(sealed).toString("base64url");
}

/** What `sealClientSecrets` sealed; undefined: under a secret that isn't in the list any more, or not for this client. */
export function openClientSecrets(secrets: Secrets, clientId: string, sealed: string): readonly string[] | undefined {
  const opened = unseal(secrets, "client secret", clientId, Buffer.from(sealed, "base64url"));
  return opened === undefined ? undefined : (JSON.parse(opened.toString()) as readonly string[]);
}
