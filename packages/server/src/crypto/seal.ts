/** Sealing: XAES-256-GCM under a key outside the database. Nobody else can read or change a sealed text. */

import { createDecipheriv } from "node:crypto";
import type { Sealer } from "../owners/authorization/continuation.ts";
import { randomBytes } from "./random.ts";
import type { Purpose, Secrets } from "./server-secret.ts";
import { XAES_NONCE, XAES_TAG } from "./xaes-256-gcm.ts";

const VERSION = 2;
const VERSION_BYTE = Buffer.of(VERSION);
/** Length of the version and the key's id, in bytes. */
const HEADER = 5;

/** `version ‖ key id ‖ nonce ‖ ciphertext ‖ tag`. To open it, pass the same `context`. */
export function seal(secrets: Secrets, purpose: Purpose, context: string, plain: Uint8Array): Uint8Array {
  const { id, aead } = secrets.sealing(purpose);
  const header = Buffer.concat([VERSION_BYTE, id]);
  const nonce = randomBytes(XAES_NONCE);
  return Buffer.concat([header, nonce, ...aead.seal(nonce, boundTo(header, context), plain)]);
}

/** Opens a sealed text. Undefined: it is not from this server, was changed, or has another purpose or context. */
export function unseal(secrets: Secrets, purpose: Purpose, context: string, sealed: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes[0] === OLD_VERSION) return unsealOld(secrets, purpose, context, bytes);
  if (bytes[0] !== VERSION || bytes.length < HEADER + XAES_NONCE + XAES_TAG) return undefined;
  const header = bytes.subarray(0, HEADER);
  const key = secrets.sealingKeys(purpose).find(({ id }) => id.compare(header, 1) === 0);
  const nonce = bytes.subarray(HEADER, HEADER + XAES_NONCE);
  return key?.aead.open(nonce, boundTo(header, context), bytes.subarray(HEADER + XAES_NONCE));
}

/** Seals and opens texts for a browser, which is the `context`. */
export function textSealer(secrets: Secrets): Sealer {
  return {
    seal: (purpose, context, text) =>
      Buffer.from(seal(secrets, purpose, context, Buffer.from(text))).toString("base64url"),
    open: (purpose, context, sealed) => unseal(secrets, purpose, context, Buffer.from(sealed, "base64url"))?.toString(),
  };
}

/** The version is bound, too: a text can be opened only in the version in which it was sealed. */
function boundTo(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context)]);
}

const OLD_VERSION = 1;
const OLD_IV = 12;
const OLD_TAG = 16;

/** AES-256-GCM with 12 random bytes, for rows that were sealed before version 2. No new ones are made. */
function unsealOld(secrets: Secrets, purpose: Purpose, context: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < HEADER + OLD_IV + OLD_TAG) return undefined;
  const key = secrets.keys(purpose).find(({ id }) => id.compare(bytes, 1, HEADER) === 0);
  if (key === undefined) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key.key, bytes.subarray(HEADER, HEADER + OLD_IV), {
    authTagLength: OLD_TAG,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(bytes.length - OLD_TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER + OLD_IV, bytes.length - OLD_TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}
