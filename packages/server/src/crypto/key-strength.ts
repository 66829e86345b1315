/** Detects public keys of certificates that are too weak. */

import type { KeyObject } from "node:crypto";

/** Elliptic curves of 256 bits or more that every TLS library has. */
const CURVES: readonly string[] = ["prime256v1", "secp384r1", "secp521r1"];
export const KEYS_WANTED =
  "wanted RSA of 2048 bits or more with an exponent of 65537 or more, P-256, P-384, P-521 or Ed25519";

/** Names a key that can be broken; undefined: it is strong. OpenSSL refuses some of them; which ones depends on how it was built. */
export function weakKeyName(publicKey: KeyObject): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = publicKey;
  const { modulusLength = 0, publicExponent = 0n, namedCurve = "" } = details;
  if (type === "rsa" || type === "rsa-pss") {
    const strong = modulusLength >= 2048 && publicExponent >= 65_537n;
    return strong ? undefined : `RSA of ${modulusLength} bits with exponent ${publicExponent}`;
  }
  const strong = type === "ec" ? CURVES.includes(namedCurve) : type === "ed25519" || type === "ed448";
  return strong ? undefined : namedCurve || String(type);
}
