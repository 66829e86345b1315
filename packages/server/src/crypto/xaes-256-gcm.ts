/**
 * XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM with a key of its own for each message, so that random nonces never
 * run out.
 */

import { type Cipheriv, createCipheriv, createDecipheriv } from "node:crypto";

export const XAES_NONCE = 24;
export const XAES_TAG = 16;

const BLOCK = 16;
/** The first half of the nonce makes the key (with a counter, NIST SP 800-108r1); the second half is GCM's nonce. */
const HALF = 12;
/** Length of the counter's two bytes and the label `X` with its end. */
const PREFIX = 4;
const LABEL = 0x58;
/** The constant with which CMAC reduces (NIST SP 800-38B §5.3). */
const R128 = 0x87;

/** One key that can seal and open any number of messages. */
export class Xaes256Gcm {
  /** The plain block cipher. ECB keeps no state between blocks, so one object serves all messages. */
  readonly #block: Cipheriv;
  /** The two blocks that make a message's key, under the mask K1 of CMAC, without the nonce. */
  readonly #template: Buffer;

  /** `key`: 32 bytes. */
  constructor(key: Uint8Array) {
    this.#block = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
    const mask = doubled(this.#block.update(Buffer.alloc(BLOCK)));
    this.#template = Buffer.concat([mask, mask]);
    for (const [index, at] of [0, BLOCK].entries()) {
      this.#template[at + 1] = (this.#template[at + 1] ?? 0) ^ (index + 1);
      this.#template[at + 2] = (this.#template[at + 2] ?? 0) ^ LABEL;
    }
  }

  /** The ciphertext and the tag, in pieces. `nonce`: 24 random bytes. */
  seal(nonce: Uint8Array, aad: Uint8Array, plain: Uint8Array): readonly Uint8Array[] {
    const options = { authTagLength: XAES_TAG };
    const cipher = createCipheriv("aes-256-gcm", this.#keyFor(nonce), nonce.subarray(HALF), options);
    cipher.setAAD(aad);
    return [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  }

  /** Undefined: the text was changed or has another key. `sealed`: ciphertext and tag. */
  open(nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | undefined {
    if (sealed.length < XAES_TAG) return undefined;
    const options = { authTagLength: XAES_TAG };
    const decipher = createDecipheriv("aes-256-gcm", this.#keyFor(nonce), nonce.subarray(HALF), options);
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(sealed.length - XAES_TAG));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - XAES_TAG)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  #keyFor(nonce: Uint8Array): Buffer {
    if (nonce.length !== XAES_NONCE) throw new RangeError(`a nonce of ${nonce.length} bytes`);
    const blocks = Buffer.from(this.#template);
    for (let at = 0; at < HALF; at += 1) {
      const byte = nonce[at] ?? 0;
      blocks[PREFIX + at] = (blocks[PREFIX + at] ?? 0) ^ byte;
      blocks[BLOCK + PREFIX + at] = (blocks[BLOCK + PREFIX + at] ?? 0) ^ byte;
    }
    return this.#block.update(blocks);
  }
}

/** Multiplies by x in CMAC's field, in constant time. */
function doubled(block: Buffer): Buffer {
  const result = Buffer.alloc(BLOCK);
  for (let at = 0; at < BLOCK; at += 1) result[at] = ((block[at] ?? 0) << 1) | ((block[at + 1] ?? 0) >> 7);
  result[BLOCK - 1] = (result[BLOCK - 1] ?? 0) ^ (R128 * ((block[0] ?? 0) >> 7));
  return result;
}
