/**
 * Codes, refresh tokens and cookies as derived credentials: made by HMAC, never stored.
 *
 * `prefix ‖ base64url( version ‖ key id 4 ‖ id 16 ‖ generation 4 ‖ salt 32 ‖ HMAC-SHA256 )`
 *
 * The database holds only the salt's hash, so nobody can forge a credential with the database alone, or with the secret
 * alone.
 */

import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Credential, CredentialKind, Credentials } from "../oauth/ports.ts";
import { randomBytes } from "./random.ts";
import type { DerivedKey, Secrets } from "./server-secret.ts";

const VERSION = 1;
const KEY_ID = 1;
const ID = 5;
const GENERATION = 21;
const SALT = 25;
const MAC = 57;
const SIZE = 89;
const TEXT_SIZE = 119;

export type AnyCredentialKind = CredentialKind | "session" | "device" | "invitation" | "mail link";

const prefixes: Readonly<Record<AnyCredentialKind, string>> = {
  code: "ac_",
  refresh_token: "rt_",
  device_code: "dc_",
  session: "",
  device: "",
  invitation: "iv_",
  "mail link": "ml_",
};

/** Browsers send these with each request, so the server remembers the ones that it has verified. */
const COOKIES: ReadonlySet<AnyCredentialKind> = new Set<AnyCredentialKind>(["session", "device"]);
const COOKIES_HELD = 1000;

export class DerivedCredentials implements Credentials {
  readonly #secrets: Secrets;
  /** By kind and text. A text that is not from this server is not among them, and can't push another one out. */
  readonly #verified = new LRUCache<string, Credential>({ max: COOKIES_HELD });

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  make(kind: AnyCredentialKind, id: string, generation: number, salt: Uint8Array): string {
    const { id: keyId, key } = this.#secrets.first(kind);
    const bytes = Buffer.allocUnsafe(SIZE);
    bytes[0] = VERSION;
    keyId.copy(bytes, KEY_ID);
    bytes.write(id, ID, 16, "base64url");
    bytes.writeUInt32BE(generation, GENERATION);
    bytes.set(salt, SALT);
    mac(key, bytes).copy(bytes, MAC);
    return prefixes[kind] + bytes.toString("base64url");
  }

  read(kind: AnyCredentialKind, token: string): Credential | undefined {
    const prefix = prefixes[kind];
    if (token.length !== prefix.length + TEXT_SIZE || !token.startsWith(prefix)) return undefined;
    if (!COOKIES.has(kind)) return this.#verify(kind, token.slice(prefix.length));
    const name = `${kind} ${token}`;
    const known = this.#verified.get(name);
    if (known !== undefined) return known;
    const verified = this.#verify(kind, token.slice(prefix.length));
    if (verified === undefined) return undefined;
    // A copy: a view would keep its buffer's whole pool (64 KiB) in memory for as long as it is held.
    const credential = { ...verified, salt: new Uint8Array(verified.salt) };
    this.#verified.set(name, credential);
    return credential;
  }

  #verify(kind: AnyCredentialKind, text: string): Credential | undefined {
    const bytes = Buffer.from(text, "base64url");
    // Base64url has several spellings of the same bytes; the server accepts only the canonical one.
    if (bytes.length !== SIZE || bytes[0] !== VERSION || bytes.toString("base64url") !== text) return undefined;
    const key = findKey(this.#secrets.keys(kind), bytes);
    if (key === undefined || !timingSafeEqual(mac(key.key, bytes), bytes.subarray(MAC))) return undefined;
    const salt = bytes.subarray(SALT, MAC);
    return {
      partition: bytes.readUInt16BE(ID),
      id: bytes.toString("base64url", ID, GENERATION),
      generation: bytes.readUInt32BE(GENERATION),
      salt,
      saltHash: sha256(salt),
    };
  }

  newSalt(): { salt: Uint8Array; hash: Uint8Array } {
    const salt = randomBytes(32);
    return { salt, hash: sha256(salt) };
  }

  partitionOf(id: string): number {
    return Buffer.from(id.slice(0, 3), "base64url").readUInt16BE(0);
  }
}

function findKey(keys: readonly DerivedKey[], bytes: Buffer): DerivedKey | undefined {
  return keys.find(({ id }) => id.compare(bytes, KEY_ID, ID) === 0);
}

function mac(key: Buffer, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(bytes.subarray(0, MAC)).digest();
}

export function sha256(bytes: Uint8Array): Buffer {
  return hash("sha256", bytes, "buffer");
}
