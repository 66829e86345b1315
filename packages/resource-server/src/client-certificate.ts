/** Tokens that are bound to the client certificate of the caller's connection (RFC 8705 §3). */

import type { ProtectableRequest } from "./bearer-token.ts";

/** The certificate of a request's connection, as DER. Undefined: there is none, or TLS ended before this process. */
export function connectionCertificate(request: ProtectableRequest): Uint8Array | undefined {
  const socket: unknown = "socket" in request ? request.socket : undefined;
  return hasCertificate(socket) ? socket.getPeerX509Certificate()?.raw : undefined;
}

interface TlsConnection {
  getPeerX509Certificate(): { readonly raw: Uint8Array } | undefined;
}

function hasCertificate(socket: unknown): socket is TlsConnection {
  return (
    typeof socket === "object" &&
    socket !== null &&
    "getPeerX509Certificate" in socket &&
    typeof socket.getPeerX509Certificate === "function"
  );
}

/** True if `cnf` contains only a certificate's thumbprint, and the caller's certificate has this thumbprint (§3.1). */
export async function isProven(cnf: unknown, certificate: Uint8Array | undefined): Promise<boolean> {
  if (certificate === undefined || typeof cnf !== "object" || cnf === null) return false;
  // Another member would be a condition that this code doesn't check.
  const [[method, thumbprint] = [], ...others] = Object.entries(cnf);
  if (method !== "x5t#S256" || others.length > 0) return false;
  const hash = await crypto.subtle.digest("SHA-256", Uint8Array.from(certificate));
  return thumbprint === Buffer.from(hash).toString("base64url");
}
