/** The client certificate of a request: from the TLS connection, or from a trusted proxy that ended TLS (RFC 9440). */

import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import { leadsToAuthority, MAX_INTERMEDIATES } from "../../crypto/certificate-chain.ts";
import type { ClientCertificate } from "../../oauth/client-authentication/client-certificate.ts";
import type { PublicJwk } from "../../oauth/foreign-jwk-set.ts";

/** Maximum size of a certificate's DER in bytes. */
const MAX_CERTIFICATE = 16_384;

export interface CertificateSource {
  /** True: the peer is a trusted proxy; its own certificate says nothing about the client. */
  readonly fromProxy: boolean;
  /** Every occurrence of the header with the client's certificate, and of the header with intermediate certificates. */
  readonly headers: readonly string[];
  readonly chainHeaders: readonly string[];
  /** The authorities that may issue clients' certificates. Null: none are configured. */
  readonly authorities: readonly X509Certificate[] | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Undefined: there is none, or the header does not hold exactly one certificate. */
export function clientCertificate(
  { socket }: Pick<IncomingMessage, "socket">,
  source: CertificateSource,
): ClientCertificate | undefined {
  if (source.fromProxy) {
    const certificate = fromHeader(source.headers);
    return certificate && describe(certificate, () => isTrusted(certificate, source));
  }
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  // Without authorities of the operator, TLS verifies with the authorities of web sites, which vouch for no client.
  return certificate && describe(certificate, () => source.authorities !== null && socket.authorized);
}

/**
 * The server does not rely on the proxy's word: many proxies pass on every certificate, and a certificate is public.
 */
function isTrusted(certificate: X509Certificate, { chainHeaders, authorities, now }: CertificateSource): boolean {
  if (authorities === null) return false;
  const chain = chainOf(chainHeaders);
  return chain !== undefined && leadsToAuthority(certificate, chain, authorities, now);
}

/** RFC 9440 §2.2: one byte sequence with the DER of one certificate. Anything else is refused. */
function fromHeader([header = "", ...others]: readonly string[]): X509Certificate | undefined {
  return others.length > 0 ? undefined : certificateIn(header);
}

/**
 * RFC 9440 §2.3: a list of byte sequences, in one header or in several. Undefined: one of them is no certificate, or
 * there are too many.
 */
function chainOf(headers: readonly string[]): readonly X509Certificate[] | undefined {
  // An empty list is not sent at all (RFC 8941 §3.1).
  const items = headers.filter((header) => header.trim() !== "").flatMap((header) => header.split(","));
  if (items.length > MAX_INTERMEDIATES) return undefined;
  const certificates = items.map(certificateIn).filter((one) => one !== undefined);
  return certificates.length === items.length ? certificates : undefined;
}

/** A byte sequence (RFC 8941 §3.3.5) in its canonical form, with exactly one certificate. */
function certificateIn(text: string): X509Certificate | undefined {
  const encoded = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text.trim())?.[1];
  if (encoded === undefined) return undefined;
  const der = Buffer.from(encoded, "base64");
  if (der.length > MAX_CERTIFICATE || der.toString("base64") !== encoded) return undefined;
  try {
    const certificate = new X509Certificate(der);
    // Node.js also reads PEM, and ignores bytes after the first certificate. This check refuses both.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** `isTrusted` is called only if the issuer of the certificate matters. */
function describe(certificate: X509Certificate, isTrusted: () => boolean): ClientCertificate {
  const names = alternativeNames(certificate.subjectAltName ?? "");
  const named = (kind: string) => names.flatMap(([key, value]) => (key === kind ? [value] : []));
  return {
    thumbprint: Buffer.from(certificate.fingerprint256.replaceAll(":", ""), "hex").toString("base64url"),
    // node:crypto has one line for each relative name, the most general first; RFC 4514 has it last.
    subject: (certificate.subject ?? "").split("\n").reverse().join(","),
    dns: named("DNS"),
    uris: named("URI"),
    emails: named("email"),
    hasAddress: (ip) => isIP(ip) !== 0 && certificate.checkIP(ip) !== undefined,
    get trusted() {
      return isTrusted();
    },
    publicKey: publicKeyOf(certificate),
  };
}

/**
 * The kind and the value of each name. A value with a separator or a quote in it is JSON (node:crypto,
 * `subjectAltName`).
 */
function alternativeNames(text: string): readonly (readonly [kind: string, value: string])[] {
  const found = text.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/g);
  return [...found].flatMap(([, kind = "", value = ""]) => {
    if (!value.startsWith('"')) return [[kind, value] as const];
    try {
      return [[kind, String(JSON.parse(value))] as const];
    } catch {
      return [];
    }
  });
}

function publicKeyOf({ publicKey }: X509Certificate): PublicJwk | undefined {
  try {
    return publicKey.export({ format: "jwk" }) as PublicJwk;
  } catch {
    return undefined;
  }
}
