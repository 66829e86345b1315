/**
 * JWTs that others signed: reads them strictly, then verifies them with the signer's keys (RFC 7515, RFC 7519, RFC
 * 8725).
 */

import type { CryptoKey } from "jose";
import type { PublicJwk } from "../oauth/foreign-jwk-set.ts";
import type { ForeignJwt } from "../oauth/ports.ts";
import { type JsonObject, readJsonObject } from "./strict-json.ts";

/** Maximum number of characters, which are bytes here, because a JWT is ASCII. */
export const MAX_JWT = 8192;

/**
 * Reads a signed JWT in compact form. It proves nothing. Undefined: the text isn't three canonical base64url parts with
 * two JSON objects, or its header asks for something that this server doesn't support (`crit`, `b64`, RFC 7515 §4.1.11,
 * RFC 7797). It ignores keys in the header (`jwk`, `jku`, `x5c`, `x5u`).
 */
export function readJwt(text: string): ForeignJwt | undefined {
  if (text.length > MAX_JWT) return undefined;
  const [first, second, signature, ...rest] = text.split(".");
  if (first === undefined || second === undefined || signature === undefined || rest.length > 0) return undefined;
  if (bytesOf(signature) === undefined) return undefined;
  const header = readPart(first);
  const claims = readPart(second);
  if (header === undefined || claims === undefined) return undefined;
  const { typ, alg, kid } = header;
  if ("crit" in header || "b64" in header || typeof alg !== "string") return undefined;
  if (typ !== undefined && typeof typ !== "string") return undefined;
  if (kid !== undefined && typeof kid !== "string") return undefined;
  return { text, typ, alg, kid, claims };
}

/**
 * Whether this key made the signature. The library loads with the first such JWT. The caller has checked that `alg` is
 * allowed and fits the key. `key`: a public key, or the bytes of a shared secret.
 */
export async function verifySignature({ text, alg }: ForeignJwt, key: PublicJwk | Uint8Array): Promise<boolean> {
  const { compactVerify, errors } = await import("jose");
  try {
    const imported = key instanceof Uint8Array ? key : await importKey(key, alg);
    if (imported === undefined) return false;
    await compactVerify(text, imported, { algorithms: [alg] });
    return true;
  } catch (error) {
    // If the library rejects the JWT, this key did not sign it. Any other error is a bug of this server.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

/**
 * Imports the key once for each alg, because importing costs more than verifying. A point that isn't on its curve gives
 * no key.
 */
const imports = new WeakMap<PublicJwk, Map<string, Promise<CryptoKey | undefined>>>();

function importKey(jwk: PublicJwk, alg: string): Promise<CryptoKey | undefined> {
  const byAlg = imports.get(jwk) ?? new Map<string, Promise<CryptoKey | undefined>>();
  imports.set(jwk, byAlg);
  let imported = byAlg.get(alg);
  if (imported === undefined) {
    const { kid: _, ...numbers } = jwk;
    imported = import("jose")
      .then(({ importJWK }) => importJWK({ ...numbers, alg }, alg))
      .then(
        (key) => (key instanceof Uint8Array ? undefined : key),
        () => undefined,
      );
    byAlg.set(alg, imported);
  }
  return imported;
}

function readPart(text: string): JsonObject | undefined {
  const bytes = text === "" ? undefined : bytesOf(text);
  return bytes === undefined ? undefined : readJsonObject(bytes);
}

/** RFC 7515 §2: no padding. Unused bits must be zero, otherwise one token would have several forms. */
function bytesOf(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
