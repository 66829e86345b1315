/** TLS that this server ends itself: its certificate, its key, and who issues clients' certificates. */

import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { type Config, ConfigError, TLS_HALF } from "./config.ts";
import { KEYS_WANTED, weakKeyName } from "./crypto/key-strength.ts";

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
    warnings.push(`ASSENT_TLS_KEY: other users can read or change ${tlsKey}: chmod 0640`);
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
    return `found files that don't match (${code ?? "not read"}), wanted a certificate and its private key in PEM`;
  }
}

/** Says what is wrong with the first public key that can be broken. */
function weakKey(certificates: readonly X509Certificate[]): string | undefined {
  const found = certificates.map(({ publicKey }) => weakKeyName(publicKey)).find((name) => name !== undefined);
  return found === undefined ? undefined : `found a key that is too weak (${found}), ${KEYS_WANTED}`;
}

function certificatesOf(pem: Buffer): readonly X509Certificate[] {
  const blocks = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}
