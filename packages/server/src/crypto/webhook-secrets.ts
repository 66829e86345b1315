/** Secrets with which messages to webhooks are signed: made, sealed and opened. */

import { createHash } from "node:crypto";
import { seal, unseal } from "./seal.ts";
import type { Secrets } from "./server-secret.ts";

const BYTES = 32;

/** As Standard Webhooks writes it: `whsec_` and the bytes in base64. */
export function newWebhookSecret(randomBytes: (size: number) => Uint8Array): string {
  return `whsec_${Buffer.from(randomBytes(BYTES)).toString("base64")}`;
}

/** Base64url. The webhook's id is bound to the secret, so it can't be given to another webhook. */
export function sealWebhookSecret(secrets: Secrets, webhookId: string, secret: string): string {
  return Buffer.from(seal(secrets, "webhook", webhookId, Buffer.from(secret))).toString("base64url");
}

/** Undefined: it was sealed under a secret that is no longer in the list, or for another webhook. */
export function openWebhookSecret(secrets: Secrets, webhookId: string, sealed: string): string | undefined {
  return unseal(secrets, "webhook", webhookId, Buffer.from(sealed, "base64url"))?.toString();
}

/** Tells two secrets apart. 48 bits of a hash of 256 random bits say nothing about them. */
export function webhookFingerprint(secret: string): string {
  return createHash("sha256").update(`webhook ${secret}`).digest().subarray(0, 6).toString("hex");
}
