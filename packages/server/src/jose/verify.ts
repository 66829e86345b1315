/** JWTs that others signed: read strictly, then verified with their keys (RFC 7515, RFC 7519, RFC 8725). */

import type { CryptoKey } from "jose";
import type { PublicJwk } from "../oauth/json-web-key.ts";
import type { ForeignJwt } from "../oauth/ports.ts";
import { type JsonObject, readJsonObject } from "./strict-json.ts";

/** Characters, which are bytes here: a JWT is ASCII. */
export const MAX_JWT = 8192;

/**
 * Reads a signed JWT in compact form. Nothing of it is proven. Undefined: it isn't three canonical base64url parts with two JSON objects, or its
 * header asks for what isn't done here (`crit`, `b64`, RFC 7515 §4.1.11, RFC 7797). What a header says of keys (`jwk`, `jku`, `x5c`, `x5u`) stays unread.
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
 * Whether the signature is by this key. The library is loaded when the first such JWT comes. The caller has checked that `alg` is allowed and that the key is of its kind.
 * `key`: a public key, or the bytes of a shared secret.
 */
export async function verifySignature({ text, alg }: ForeignJwt, key: PublicJwk | Uint8Array): Promise<boolean> {
  const { compactVerify, errors } = await import("jose");
  try {
    const imported = key instanceof Uint8Array ? key : await importKey(key, alg);
    if (imported === undefined) return false;
    await compactVerify(text, imported, { algorithms: [alg] });
    return true;
  } catch (error) {
    // Whatever of it the library doesn't take, it isn't a signature by this key; any other error is a fault of ours.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

/** Imported once for each alg: importing costs more than verifying. A point that isn't on its curve gives no key. */
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

/** RFC 7515 §2: without padding. Spare bits must be zero, or one token would have several spellings. */
function bytesOf(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
