/** The server's secret and the keys derived from it, one for each purpose (HKDF, RFC 5869). */

import { createHmac, hkdfSync } from "node:crypto";
import { Xaes256Gcm } from "./xaes-256-gcm.ts";

/** One secret of the list. `id` names it inside credentials and reveals nothing about it. */
export interface DerivedKey {
  /** 4 bytes. */
  readonly id: Buffer;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** A key that seals, by the id of its secret. */
export interface SealingKey {
  /** 4 bytes. */
  readonly id: Buffer;
  readonly aead: Xaes256Gcm;
}

export type Purpose =
  | "code"
  | "refresh_token"
  | "device_code"
  | "user code"
  | "device request"
  | "continuation by mail"
  | "session"
  | "device"
  | "invitation"
  | "mail link"
  | "mail"
  | "mail request"
  | "csrf"
  | "authorization request"
  | "authorization error"
  | "signing key"
  | "access token"
  | "client secret"
  | "attempt"
  | "second factor"
  | "partial sign-in"
  | "sign-in provider"
  | "sign-in elsewhere"
  | "identity to connect"
  | "external sign-in"
  | "external answer"
  | "name of somebody elsewhere"
  | "recovery proof"
  | "passkey challenge"
  | "event checkpoint"
  | "webhook"
  | "admin list"
  | "admin answer"
  | "verified";

/** `ASSENT_SECRET`: the first secret of the list signs, all of them verify. */
export class Secrets {
  readonly #raw: readonly Buffer[];
  readonly #derived = new Map<Purpose, readonly DerivedKey[]>();
  readonly #sealing = new Map<Purpose, readonly SealingKey[]>();

  constructor(raw: readonly Buffer[]) {
    this.#raw = raw;
  }

  /** The keys of a purpose, in the list's order. */
  keys(purpose: Purpose): readonly DerivedKey[] {
    let keys = this.#derived.get(purpose);
    if (keys === undefined) {
      keys = this.#raw.map((secret) => ({ id: idOf(secret), key: derive(secret, `assent ${purpose}`) }));
      this.#derived.set(purpose, keys);
    }
    return keys;
  }

  /** The key that signs. */
  first(purpose: Purpose): DerivedKey {
    const [first] = this.keys(purpose);
    if (first === undefined) throw new Error("the list of secrets is empty");
    return first;
  }

  /**
   * The keys that open sealed texts of a purpose, in the list's order. They differ from `keys`, because no key serves
   * two algorithms.
   */
  sealingKeys(purpose: Purpose): readonly SealingKey[] {
    let keys = this.#sealing.get(purpose);
    if (keys === undefined) {
      keys = this.#raw.map((secret) => ({
        id: idOf(secret),
        aead: new Xaes256Gcm(derive(secret, `assent ${purpose}, XAES-256-GCM`)),
      }));
      this.#sealing.set(purpose, keys);
    }
    return keys;
  }

  /** The key that seals. */
  sealing(purpose: Purpose): SealingKey {
    const [first] = this.sealingKeys(purpose);
    if (first === undefined) throw new Error("the list of secrets is empty");
    return first;
  }

  /** HMAC-SHA256 with the first key of a purpose, base64url. */
  mac(purpose: Purpose, text: string): string {
    return hmac(this.first(purpose), text);
  }

  /** The same with each key, in the list's order: the values of a text that was made before a rotation. */
  macs(purpose: Purpose, text: string): readonly string[] {
    return this.keys(purpose).map((key) => hmac(key, text));
  }
}

function hmac({ key }: DerivedKey, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function idOf(secret: Buffer): Buffer {
  return derive(secret, "assent key id").subarray(0, 4);
}

function derive(secret: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "assent/1", info, 32));
}
