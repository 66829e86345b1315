/** TLS that this server ends itself: its certificate, its key, and who issues clients' certificates. */

import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { type Config, ConfigError, TLS_HALF } from "./config.ts";

export interface Tls {
  /** PEM; null: TLS ends before this server. */
  readonly server: { readonly cert: Buffer; readonly key: Buffer } | null;
  /** PEM, and read; null: no authority is named. */
  readonly clientCa: { readonly pem: Buffer; readonly certificates: readonly X509Certificate[] } | null;
  readonly warnings: readonly string[];
}

/** Bits of a key file's mode that nobody but its owner and its group's readers should have. */
const TOO_OPEN = 0o037;

/** Reads the files. Throws a `ConfigError` that names every one that is no good. */
export function readTls({ tlsCert, tlsKey, tlsClientCa }: Config): Tls {
  const problems: string[] = [];
  const warnings: string[] = [];
  const read = (variable: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      problems.push(`${variable}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
      return Buffer.alloc(0);
    }
  };
  if ((tlsCert === null) !== (tlsKey === null)) problems.push(TLS_HALF);
  const server =
    tlsCert === null || tlsKey === null
      ? null
      : { cert: read("ASSENT_TLS_CERT", tlsCert), key: read("ASSENT_TLS_KEY", tlsKey) };
  const pem = tlsClientCa === null ? null : read("ASSENT_TLS_CLIENT_CA", tlsClientCa);
  if (problems.length > 0) throw new ConfigError(problems);
  if (server !== null) {
    const problem = weakKey(certificatesOf(server.cert).slice(0, 1)) ?? pairProblem(server);
    if (problem !== undefined) problems.push(`ASSENT_TLS_CERT, ASSENT_TLS_KEY: ${problem}`);
  }
  const certificates = pem === null ? [] : certificatesOf(pem);
  const weak = weakKey(certificates);
  if (weak !== undefined) problems.push(`ASSENT_TLS_CLIENT_CA: ${weak}`);
  if (pem !== null && !certificates.some(({ ca }) => ca)) {
    problems.push(
      `ASSENT_TLS_CLIENT_CA: found no authority's certificate in ${tlsClientCa}, wanted one or more in PEM`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  if (tlsKey !== null && (statSync(tlsKey).mode & TOO_OPEN) !== 0) {
    warnings.push(`ASSENT_TLS_KEY: others may read or change ${tlsKey}; chmod 0640 keeps them out`);
  }
  return { server, clientCa: pem === null ? null : { pem, certificates }, warnings };
}

/** Why TLS can't be ended with them. Nothing of a key is repeated. */
function pairProblem(pair: { readonly cert: Buffer; readonly key: Buffer }): string | undefined {
  try {
    createSecureContext(pair);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `found files that don't go together (${code ?? "not read"}), wanted a certificate and its private key in PEM`;
  }
}

/** Elliptic curves of 256 bits or more that every TLS library has. */
const CURVES: readonly string[] = ["prime256v1", "secp384r1", "secp521r1"];
const KEYS_WANTED = "wanted RSA of 2048 bits or more with an exponent of 65537 or more, P-256, P-384, P-521 or Ed25519";

/** Says what is wrong with the first public key that can be broken. OpenSSL refuses some of them; which ones depends on how it was built. */
function weakKey(certificates: readonly X509Certificate[]): string | undefined {
  for (const { publicKey } of certificates) {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = publicKey;
    const { modulusLength = 0, publicExponent = 0n, namedCurve = "" } = details;
    const rsa = type === "rsa" || type === "rsa-pss";
    const strong = rsa
      ? modulusLength >= 2048 && publicExponent >= 65_537n
      : type === "ec"
        ? CURVES.includes(namedCurve)
        : type === "ed25519" || type === "ed448";
    if (strong) continue;
    const found = rsa ? `RSA of ${modulusLength} bits with exponent ${publicExponent}` : namedCurve || type;
    return `found a key that is too weak (${found}), ${KEYS_WANTED}`;
  }
  return undefined;
}

function certificatesOf(pem: Buffer): readonly X509Certificate[] {
  const blocks = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}
