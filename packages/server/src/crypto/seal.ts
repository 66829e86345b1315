/** Sealing: AES-256-GCM under a key outside the database. Who holds a sealed text can neither read nor change it. */

import { createCipheriv, createDecipheriv } from "node:crypto";
import { randomBytes } from "./random.ts";
import type { Purpose, Secrets } from "./secrets.ts";

const VERSION = 1;
const HEADER = 5;
const IV = 12;
const TAG = 16;

/** `version ‖ key id ‖ iv ‖ ciphertext ‖ tag`. `context` must be the same when it is opened. */
export function seal(secrets: Secrets, purpose: Purpose, context: string, plain: Uint8Array): Uint8Array {
  const { id, key } = secrets.first(purpose);
  const iv = randomBytes(IV);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([Buffer.of(VERSION), id, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** What was sealed; undefined: not by us, changed, or for another purpose or context. */
export function unseal(secrets: Secrets, purpose: Purpose, context: string, sealed: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < HEADER + IV + TAG || bytes[0] !== VERSION) return undefined;
  const key = secrets.keys(purpose).find(({ id }) => id.compare(bytes, 1, HEADER) === 0);
  if (key === undefined) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key.key, bytes.subarray(HEADER, HEADER + IV), {
    authTagLength: TAG,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER + IV, bytes.length - TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}
