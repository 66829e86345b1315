/**
 * Public keys of others: which keys can be registered, and which key verifies a signature (RFC 7517, RFC 7518
 * §§3.3–3.5, RFC 8037 §3.1).
 */

/**
 * The algs with which others may sign. Each needs a private key: none uses a shared secret, so a public key can't be
 * misused as one.
 */
export const PUBLIC_KEY_ALGS = ["ES256", "ES384", "PS256", "PS384", "RS256", "EdDSA"] as const;
export type PublicKeyAlg = (typeof PUBLIC_KEY_ALGS)[number];

/** HMAC with a shared secret (RFC 7518 §3.2). */
export const SECRET_ALGS = ["HS256", "HS384", "HS512"] as const;
export type SecretAlg = (typeof SECRET_ALGS)[number];

/** Maximum number of keys. A longer set is refused as a whole. */
export const MAX_KEYS = 100;
/** Bits of an RSA modulus. Smaller keys are too weak, and a check with larger ones costs too much. */
const RSA_BITS = { least: 2048, most: 8192 } as const;

/** A public key with the members that the server uses, and no others. */
export interface PublicJwk {
  readonly kty: "EC" | "OKP" | "RSA";
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
  readonly kid?: string;
  readonly alg?: string;
}

export type KeySetReading =
  | { readonly kind: "read"; readonly keys: readonly PublicJwk[] }
  | { readonly kind: "invalid"; readonly problem: string };

/**
 * Reads a JWK Set that somebody registers. All keys must be able to verify, and none may have its private part.
 * `document`: the parsed JSON. `problem`: a text for the person who registers.
 */
export function readRegisteredKeys(document: unknown): KeySetReading {
  const keys = keysOf(document);
  if (keys === undefined) return invalid('it is not a JWK Set: {"keys": [...]}');
  if (keys.length === 0) return invalid("it has no key");
  if (keys.length > MAX_KEYS) return invalid(`it has ${keys.length} keys; ${MAX_KEYS} is the most`);
  const read: PublicJwk[] = [];
  for (const [at, key] of keys.entries()) {
    const one = readKey(key);
    if (typeof one === "string") return invalid(`key ${at + 1}: ${one}`);
    if (read.some((other) => one.kid === other.kid && sameKind(one, other))) {
      return invalid(`key ${at + 1}: another key of its kind has the same kid, or neither has one`);
    }
    read.push(one);
  }
  return { kind: "read", keys: read };
}

/**
 * Reads a JWK Set from another server. Keys that can't verify are left out (RFC 7517 §5). Undefined: it is not a JWK
 * Set, or is too long.
 */
export function readPublishedKeys(document: unknown): readonly PublicJwk[] | undefined {
  const keys = keysOf(document);
  if (keys === undefined || keys.length > MAX_KEYS) return undefined;
  return keys.map(readKey).filter((key) => typeof key !== "string");
}

/**
 * The one key that a JWS header names. Undefined: there is none, or several. The server does not try several keys: the
 * sender could choose among them, and make each refusal costly.
 */
export function pickKey(keys: readonly PublicJwk[], alg: string, kid: string | undefined): PublicJwk | undefined {
  const fitting = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && (key.alg ?? alg) === alg && fits(key, alg),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Whether a key is of the kind that an alg needs. The key decides what it can verify, not the header alone (RFC 8725
 * §3.1).
 */
function fits({ kty, crv }: PublicJwk, alg: string): boolean {
  switch (alg) {
    case "ES256":
      return kty === "EC" && crv === "P-256";
    case "ES384":
      return kty === "EC" && crv === "P-384";
    case "EdDSA":
      return kty === "OKP" && crv === "Ed25519";
    case "PS256":
    case "PS384":
    case "RS256":
      return kty === "RSA";
    default:
      return false;
  }
}

function sameKind(a: PublicJwk, b: PublicJwk): boolean {
  return a.kty === b.kty && a.crv === b.crv && (a.alg === undefined || b.alg === undefined || a.alg === b.alg);
}

function keysOf(document: unknown): readonly unknown[] | undefined {
  const keys = isObject(document) ? document["keys"] : undefined;
  return Array.isArray(keys) ? keys : undefined;
}

/** Members that only a private or a symmetric key has (RFC 7518 §§6.2.2, 6.3.2, 6.4). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] as const;

/** The key, or the reason why it can't verify. */
function readKey(value: unknown): PublicJwk | string {
  if (!isObject(value)) return "it is not an object";
  if (PRIVATE_MEMBERS.some((member) => member in value)) return "it has a private part, which nobody else may see";
  const { kty, use, key_ops: operations, kid, alg } = value as Readonly<Record<string, unknown>>;
  // SPIFFE has a word of its own for keys that sign JWTs (SPIFFE Trust Domain and Bundle §4.2.2).
  if (use !== undefined && use !== "sig" && use !== "jwt-svid") return "its use is not sig";
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) {
    return "its key_ops leave verify out";
  }
  if (kid !== undefined && !(typeof kid === "string" && kid !== "" && kid.length <= 256)) {
    return "its kid is not a text of 1 to 256 characters";
  }
  if (alg !== undefined && !PUBLIC_KEY_ALGS.some((one) => one === alg)) {
    return `its alg is not one of ${PUBLIC_KEY_ALGS.join(", ")}`;
  }
  const numbers = readNumbers(kty, value);
  if (typeof numbers === "string") return numbers;
  const key = { ...numbers, ...(kid === undefined ? {} : { kid }), ...(typeof alg === "string" ? { alg } : {}) };
  return key.alg === undefined || fits(key, key.alg) ? key : "its alg is for another kind of key";
}

function readNumbers(kty: unknown, { crv, x, y, n, e }: Readonly<Record<string, unknown>>): PublicJwk | string {
  if (kty === "EC") {
    const size = crv === "P-256" ? 32 : crv === "P-384" ? 48 : undefined;
    if (size === undefined) return "its curve is not one of P-256, P-384, Ed25519";
    if (bytesOf(x)?.length !== size || bytesOf(y)?.length !== size) return `x and y are not of ${size} bytes each`;
    return { kty, crv: String(crv), x: String(x), y: String(y) };
  }
  if (kty === "OKP") {
    const point = bytesOf(x);
    if (crv !== "Ed25519") return "its curve is not one of P-256, P-384, Ed25519";
    if (point?.length !== 32) return "x is not of 32 bytes";
    if (isSmallOrder(point)) return "its point is of small order: anybody could sign for it";
    return { kty, crv, x: String(x) };
  }
  if (kty !== "RSA") return "its kty is not one of EC, OKP, RSA";
  const modulus = bytesOf(n);
  const exponent = bytesOf(e);
  if (modulus === undefined || exponent === undefined) return "n or e is not base64url";
  const bits = bitsOf(modulus);
  if (bits < RSA_BITS.least || bits > RSA_BITS.most) {
    return `it has ${bits} bits; ${RSA_BITS.least} to ${RSA_BITS.most} are taken`;
  }
  const value = exponent.reduce((sum, byte) => sum * 256 + byte, 0);
  // A small exponent accepts faults in padding; a huge one makes each check slow.
  if (value < 65_537 || value > 0xffff_ffff || value % 2 === 0) return "e is not an odd number of 65537 to 2^32";
  return { kty, n: String(n), e: String(e) };
}

/**
 * Points of order 1, 2, 4 and 8, and their other spellings, without the sign bit (RFC 8032 §5.1.3). For these keys,
 * anybody can make a signature without a private key.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ...["ec", "ed", "ee"].map((low) => `${low}${"ff".repeat(30)}7f`),
]);

function isSmallOrder(point: readonly number[]): boolean {
  const hex = point.map((byte, at) => (at === 31 ? byte & 0x7f : byte).toString(16).padStart(2, "0")).join("");
  return SMALL_ORDER.has(hex);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The bytes of canonical base64url without padding. Undefined: it is something else. */
function bytesOf(text: unknown): readonly number[] | undefined {
  if (typeof text !== "string" || !/^[A-Za-z0-9_-]{1,2048}$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const character of text) {
    held = ((held << 6) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  // Spare bits other than zero would give one number several spellings.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

function bitsOf(bytes: readonly number[]): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] ?? 0) - 24);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(problem: string): KeySetReading {
  return { kind: "invalid", problem };
}
