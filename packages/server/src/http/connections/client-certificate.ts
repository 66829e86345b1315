/** The client's certificate of a request: from the TLS connection, or from a trusted proxy that ended it (RFC 9440). */

import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import { leadsToAuthority, MAX_INTERMEDIATES } from "../../crypto/certificate-chain.ts";
import type { ClientCertificate } from "../../oauth/client-authentication/client-certificate.ts";
import type { PublicJwk } from "../../oauth/json-web-key.ts";

/** Bytes of a certificate's DER. */
const MAX_CERTIFICATE = 16_384;

export interface CertificateSource {
  /** The peer is a proxy whose headers are believed; its own certificate says nothing of the client. */
  readonly fromProxy: boolean;
  /** Every occurrence of the header that carries certificates, and of the one that carries those between them and their authority. */
  readonly headers: readonly string[];
  readonly chainHeaders: readonly string[];
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
    return certificate && describe(certificate, () => isTrusted(certificate, source));
  }
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  // Without authorities of the operator's, TLS verifies against those that vouch for web sites: they vouch for no client.
  return certificate && describe(certificate, () => source.authorities !== null && socket.authorized);
}

/** The proxy's word alone is not taken: many hand on every certificate, and a certificate is public. */
function isTrusted(certificate: X509Certificate, { chainHeaders, authorities, now }: CertificateSource): boolean {
  if (authorities === null) return false;
  const chain = chainOf(chainHeaders);
  return chain !== undefined && leadsToAuthority(certificate, chain, authorities, now);
}

/** RFC 9440 §2.2: one byte sequence of one certificate's DER. Anything else is no certificate. */
function fromHeader([header = "", ...others]: readonly string[]): X509Certificate | undefined {
  return others.length > 0 ? undefined : certificateIn(header);
}

/** RFC 9440 §2.3: a list of byte sequences, in one header or in several. Undefined: one of them is no certificate, or there are too many. */
function chainOf(headers: readonly string[]): readonly X509Certificate[] | undefined {
  // An empty list is no list (RFC 8941 §3.1).
  const items = headers.filter((header) => header.trim() !== "").flatMap((header) => header.split(","));
  if (items.length > MAX_INTERMEDIATES) return undefined;
  const certificates = items.map(certificateIn).filter((one) => one !== undefined);
  return certificates.length === items.length ? certificates : undefined;
}

/** A byte sequence (RFC 8941 §3.3.5) in its canonical form, of exactly one certificate. */
function certificateIn(text: string): X509Certificate | undefined {
  const encoded = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text.trim())?.[1];
  if (encoded === undefined) return undefined;
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

/** `isTrusted`: asked for where it matters who issued the certificate. */
function describe(certificate: X509Certificate, isTrusted: () => boolean): ClientCertificate {
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
    get trusted() {
      return isTrusted();
    },
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
