/** The client's certificate of a request: from the TLS connection, or from a trusted proxy that ended it (RFC 9440). */

import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../oauth/client-authentication/client-certificate.ts";
import type { PublicJwk } from "../oauth/json-web-key.ts";

/** Bytes of a certificate's DER. */
const MAX_CERTIFICATE = 16_384;

/** A certificate for clients, where it names purposes at all (RFC 5280 §4.2.1.12). */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

export interface CertificateSource {
  /** The peer is a proxy whose headers are believed; its own certificate says nothing of the client. */
  readonly fromProxy: boolean;
  /** Every Client-Cert header. */
  readonly headers: readonly string[];
  /** The authorities that may issue clients' certificates; null: none are named here. */
  readonly authorities: readonly X509Certificate[] | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Undefined: there is none, or what came isn't exactly one certificate. */
export function clientCertificate(
  { socket }: Pick<IncomingMessage, "socket">,
  source: CertificateSource,
): ClientCertificate | undefined {
  if (source.fromProxy) {
    const certificate = fromHeader(source.headers);
    if (certificate === undefined) return undefined;
    // The proxy has verified it. Where the authorities are known here, too, its word alone isn't taken.
    const { authorities } = source;
    return describe(certificate, authorities === null || isIssued(certificate, authorities, source.now));
  }
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  // Without authorities of the operator's, TLS verifies against those that vouch for web sites: they vouch for no client.
  return certificate && describe(certificate, source.authorities !== null && socket.authorized);
}

/** RFC 9440 §2.2: one byte sequence (RFC 8941 §3.3.5) of one certificate's DER. Anything else is no certificate. */
function fromHeader(headers: readonly string[]): X509Certificate | undefined {
  const [header = "", ...others] = headers;
  const encoded = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(header.trim())?.[1];
  if (encoded === undefined || others.length > 0) return undefined;
  const der = Buffer.from(encoded, "base64");
  if (der.length > MAX_CERTIFICATE || der.toString("base64") !== encoded) return undefined;
  try {
    const certificate = new X509Certificate(der);
    // PEM would be read, too, and what stands behind the first certificate left unread.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** Issued by one of the authorities itself, for now and for clients. */
function isIssued(certificate: X509Certificate, authorities: readonly X509Certificate[], now: number): boolean {
  if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime()) return false;
  const purposes: readonly string[] | undefined = certificate.keyUsage;
  if (purposes !== undefined && !purposes.includes(CLIENT_AUTH)) return false;
  return authorities.some(
    (authority) => authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
}

function describe(certificate: X509Certificate, trusted: boolean): ClientCertificate {
  const names = alternativeNames(certificate.subjectAltName ?? "");
  const named = (kind: string) => names.flatMap(([key, value]) => (key === kind ? [value] : []));
  return {
    thumbprint: Buffer.from(certificate.fingerprint256.replaceAll(":", ""), "hex").toString("base64url"),
    // One line for each relative name, the most general first; RFC 4514 has it last.
    subject: (certificate.subject ?? "").split("\n").reverse().join(","),
    dns: named("DNS"),
    uris: named("URI"),
    emails: named("email"),
    hasAddress: (ip) => isIP(ip) !== 0 && certificate.checkIP(ip) !== undefined,
    trusted,
    publicKey: publicKeyOf(certificate),
  };
}

/** Kind and value of each; a value with a separator or a quote in it is JSON (node:crypto, `subjectAltName`). */
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
