/** The issuer's public keys (RFC 7517), and the choice of the key for a token. */

import { type CryptoKey, importJWK, type JWK } from "jose";
import { isJsonObject, type JsonObject } from "./strict-json.ts";

/** Maximum number of keys. A longer set is refused as a whole. */
export const KEY_LIMIT = 100;

/** The members of a token's header that name its key. */
export interface KeyHint {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** One public key. */
interface PublicKey {
  readonly kid: string | undefined;
  readonly alg: string | undefined;
  readonly jwk: JWK;
  /** The key, imported once for each algorithm, because importing costs more than verifying. */
  readonly imported: Map<string, Promise<CryptoKey | null>>;
}

export type KeySet = readonly PublicKey[];

/**
 * The verification keys of a JWK Set. It leaves out keys for other purposes and of unknown kinds (RFC 7517 §5), and
 * keys that are published with their private part, because everybody can sign with them.
 * @throws {Error} not a JWK Set, or one with more than KEY_LIMIT keys.
 */
export function readKeySet(document: JsonObject): KeySet {
  const keys: unknown = document.keys;
  if (!Array.isArray(keys)) throw new Error("not a JWK Set");
  if (keys.length > KEY_LIMIT) throw new Error(`more than ${KEY_LIMIT} keys`);
  return keys.flatMap((jwk: unknown) => readKey(jwk) ?? []);
}

function readKey(jwk: unknown): PublicKey | null {
  if (!isJsonObject(jwk) || "d" in jwk || "k" in jwk) return null;
  const { kty, crv, x, y, n, e, kid, alg, use, key_ops: operations } = jwk;
  if (use !== undefined && use !== "sig") return null;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) return null;
  if (!isOptionalString(kid) || !isOptionalString(alg)) return null;
  const numbers = { crv, x, y, n, e };
  if (typeof kty !== "string" || !Object.values(numbers).every(isOptionalString)) return null;
  // Import only the public numbers, and no other member of an untrusted document.
  const present = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { kid, alg, jwk: { kty, ...Object.fromEntries(present) } as JWK, imported: new Map() };
}

/**
 * The only key that fits a token's header. Undefined if no key or several keys fit: trying several would let a token
 * choose the key, and make a refusal expensive.
 */
export async function pickKey(keys: KeySet, { kid, alg }: KeyHint): Promise<CryptoKey | undefined> {
  const fitting = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && (key.alg ?? alg) === alg && fits(key.jwk, alg),
  );
  const [key] = fitting;
  if (key === undefined || fitting.length > 1) return undefined;
  let imported = key.imported.get(alg);
  if (imported === undefined) {
    imported = importJWK(key.jwk, alg).then(
      (result) => (result instanceof Uint8Array ? null : result),
      () => null,
    );
    key.imported.set(alg, imported);
  }
  return (await imported) ?? undefined;
}

const CURVES: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };

/** True if a key is of the kind that an algorithm needs (RFC 7518 §§3.3–3.5, RFC 8037 §3.1). */
function fits({ kty, crv, n }: JWK, alg: string): boolean {
  if (alg.startsWith("ES")) return kty === "EC" && crv === CURVES[alg];
  if (alg === "EdDSA" || alg === "Ed25519") return kty === "OKP" && crv === "Ed25519";
  // At least 2048 bits. Above 8192 bits a single verification takes too long.
  const bits = typeof n === "string" ? Buffer.from(n, "base64url").length * 8 : 0;
  return kty === "RSA" && bits >= 2048 && bits <= 8192;
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
