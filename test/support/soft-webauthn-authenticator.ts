/**
 * An authenticator in software (Web Authentication Level 3), for answers that no browser would give. Tests can override
 * each part.
 */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** The part of RFC 8949 that keys and attestation objects need: maps, byte strings, text, small integers. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.of((major << 5) | n)
      : n < 256
        ? Buffer.of((major << 5) | 24, n)
        : Buffer.of((major << 5) | 25, n >> 8, n & 255);
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one as Uint8Array)]),
  ]);
}

/** The parts of an answer. Each is valid unless overridden. */
export interface Bent {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly counter?: number;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly backupEligible?: boolean;
  readonly userHandle?: string;
  readonly signature?: Uint8Array;
  readonly id?: string;
  /** The COSE number of the algorithm that a new key claims. */
  readonly algorithm?: number;
}

export class SoftAuthenticator {
  readonly id = text(randomBytes(24));
  readonly #origin: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  #userHandle = "";
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  /** Answers `navigator.credentials.create` as JSON. */
  create(options: { readonly challenge: string; readonly user: { readonly id: string } }, bent: Bent = {}): string {
    this.#userHandle = options.user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const key = new Map<number, unknown>([
      ...([
        [1, 2],
        [3, bent.algorithm ?? -7],
        [-1, 1],
      ] as const),
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(id.length >> 8, id.length & 255), id, cbor(key)]);
    const authData = this.#authenticatorData({ counter: this.#counter, ...bent }, attested);
    const attestationObject = cbor(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]),
    );
    return this.#answer(bent, {
      clientDataJSON: text(this.#clientData("webauthn.create", { challenge: options.challenge, ...bent })),
      attestationObject: text(attestationObject),
      transports: ["internal"],
    });
  }

  /** Answers `navigator.credentials.get` as JSON. */
  get({ challenge }: { readonly challenge: string }, bent: Bent = {}): string {
    this.#counter += 1;
    const authData = this.#authenticatorData({ counter: this.#counter, ...bent });
    const clientData = this.#clientData("webauthn.get", { challenge, ...bent });
    const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey);
    return this.#answer(bent, {
      clientDataJSON: text(clientData),
      authenticatorData: text(authData),
      signature: text(bent.signature ?? signature),
      userHandle: bent.userHandle ?? this.#userHandle,
    });
  }

  #answer({ id = this.id }: Bent, response: Record<string, unknown>): string {
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }

  #clientData(type: string, bent: Bent & { readonly challenge: string }): Buffer {
    const { challenge, origin = this.#origin, crossOrigin = false } = bent;
    return Buffer.from(JSON.stringify({ type: bent.type ?? type, challenge, origin, crossOrigin }));
  }

  #authenticatorData(bent: Bent, attested?: Uint8Array): Buffer {
    const { userPresent = true, userVerified = true, backupEligible = false, counter = 0 } = bent;
    const flags =
      (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (backupEligible ? 8 : 0) | (attested === undefined ? 0 : 64);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const rpId = bent.rpId ?? new URL(this.#origin).hostname;
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, attested ?? Buffer.alloc(0)]);
  }
}
