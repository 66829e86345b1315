/** The issuer's public keys (RFC 7517): which of them a token may be verified with. */

import { type CryptoKey, importJWK, type JWK } from "jose";
import { isJsonObject, type JsonObject } from "./strict-json.ts";

/** More keys than any issuer needs; a longer set is refused as a whole. */
export const KEY_LIMIT = 100;

/** What a token's header says about its key. */
export interface KeyHint {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** One public key. */
interface PublicKey {
  readonly kid: string | undefined;
  readonly alg: string | undefined;
  readonly jwk: JWK;
  /** Imported once for each algorithm: importing costs more than verifying. */
  readonly imported: Map<string, Promise<CryptoKey | null>>;
}

export type KeySet = readonly PublicKey[];

/**
 * The verification keys of a JWK Set. Keys for other purposes and of unknown kinds are left out (RFC 7517 §5), and so is a key
 * published with its private part: whoever can read it can sign.
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
  // Only the public numbers: no other member of a stranger's document reaches the cryptography.
  const present = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return { kid, alg, jwk: { kty, ...Object.fromEntries(present) } as JWK, imported: new Map() };
}

/**
 * The one key that a token's header points at; undefined if there is none, or several: guessing among keys would let a token
 * choose, and make it costly to say no.
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

/** Whether a key is of the kind that an algorithm needs (RFC 7518 §§3.3–3.5, RFC 8037 §3.1). */
function fits({ kty, crv, n }: JWK, alg: string): boolean {
  if (alg.startsWith("ES")) return kty === "EC" && crv === CURVES[alg];
  if (alg === "EdDSA" || alg === "Ed25519") return kty === "OKP" && crv === "Ed25519";
  // From 2048 bits on; above 8192 a single check would take too long.
  const bits = typeof n === "string" ? Buffer.from(n, "base64url").length * 8 : 0;
  return kty === "RSA" && bits >= 2048 && bits <= 8192;
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
