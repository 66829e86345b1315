/** Client authentication by the certificate of the TLS connection: tls_client_auth, self_signed_tls_client_auth (RFC 8705 §2). */

import { canonicalName } from "../distinguished-name.ts";
import { refuse } from "../errors.ts";
import { type PublicJwk, readRegisteredKeys } from "../foreign-jwk-set.ts";
import type { Client, TlsSubject } from "../model.ts";

/** The certificate of a client's connection. The client has proved that it has the private key. */
export interface ClientCertificate {
  /** SHA-256 of its DER, base64url: `x5t#S256` (§3.1). */
  readonly thumbprint: string;
  /** Its subject in the form of RFC 4514. Empty: it has none. */
  readonly subject: string;
  /** Its subject's alternative names, as written in the certificate. */
  readonly dns: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** True if it names this address, in any spelling. */
  hasAddress(ip: string): boolean;
  /** True: an authority that the operator trusts for clients issued it, and it is valid now. */
  readonly trusted: boolean;
  /** Undefined: a kind of key that can't be registered. */
  readonly publicKey: PublicJwk | undefined;
}

/** Refuses a certificate that does not belong to this client. */
export function checkCertificate(client: Client, certificate: ClientCertificate | undefined): void {
  if (certificate === undefined) refuse("client_certificate_missing");
  if (client.authMethod === "self_signed_tls_client_auth") checkKey(client, certificate);
  else checkSubject(client, certificate);
}

/** §2.1: the content of the certificate counts only because of its issuer. */
function checkSubject({ tlsSubject }: Client, certificate: ClientCertificate): void {
  if (!certificate.trusted) refuse("client_certificate_untrusted");
  if (tlsSubject === null || !isNamed(tlsSubject, certificate)) refuse("client_certificate_subject_wrong");
}

/** §2.1.2: only the registered field counts. */
function isNamed({ field, value }: TlsSubject, certificate: ClientCertificate): boolean {
  switch (field) {
    case "tls_client_auth_subject_dn": {
      const registered = canonicalName(value);
      return registered !== undefined && canonicalName(certificate.subject) === registered;
    }
    case "tls_client_auth_san_dns":
      return certificate.dns.some((name) => lowerAscii(name) === lowerAscii(value));
    case "tls_client_auth_san_uri":
      return certificate.uris.includes(value);
    case "tls_client_auth_san_ip":
      return certificate.hasAddress(value);
    case "tls_client_auth_san_email":
      return certificate.emails.includes(value);
  }
}

/** RFC 4343: host names don't differ by case, in ASCII only. */
function lowerAscii(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** §2.2: only the registered key counts. The certificate's issuer and dates mean nothing. */
function checkKey({ jwks }: Client, { publicKey }: ClientCertificate): void {
  const registered = jwks === null ? undefined : readRegisteredKeys(JSON.parse(jwks));
  const keys = registered?.kind === "read" ? registered.keys : [];
  if (publicKey === undefined || !keys.some((key) => isSameKey(key, publicKey)))
    refuse("client_certificate_key_unknown");
}

function isSameKey(a: PublicJwk, b: PublicJwk): boolean {
  return a.kty === b.kty && a.crv === b.crv && a.x === b.x && a.y === b.y && a.n === b.n && a.e === b.e;
}
