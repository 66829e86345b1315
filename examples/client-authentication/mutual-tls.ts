/**
 * A client authenticates by the certificate of its connection: tls_client_auth and self_signed_tls_client_auth
 * (RFC 8705). Its tokens are bound to the certificate.
 *
 * Make the server's certificate, a certificate authority for clients, a client certificate from that authority, and a
 * self-signed one (OpenSSL 3). Then start a server that terminates TLS itself:
 *
 *   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout server.key -out server.pem -subj "/CN=localhost" -addext subjectAltName=DNS:localhost
 *   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout clients.key -out clients.pem -subj "/CN=Authority for clients"
 *   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout import.key -out import.pem -subj "/CN=import" \
 *     -addext subjectAltName=DNS:import.example.com -addext basicConstraints=critical,CA:FALSE -CA clients.pem -CAkey clients.key
 *   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout self.key -out self.pem -subj "/CN=self"
 *   ASSENT_ISSUER=https://localhost:9443 ASSENT_LISTEN=127.0.0.1:9443 ASSENT_TLS_CERT=server.pem ASSENT_TLS_KEY=server.key \
 *     ASSENT_TLS_CLIENT_CA=clients.pem npx assent serve
 *
 * In another terminal: for tls_client_auth, register the name that the authority wrote into the certificate.
 *
 *   npx assent resource create --identifier https://api.example.com --name "Reports"
 *   npx assent scope create reports:write --description "Write reports" --resource https://api.example.com
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials --own-scope reports:write \
 *     --auth-method tls_client_auth --tls-subject san_dns=import.example.com --certificate-bound
 *   CLIENT_ID=… CERT=import.pem KEY=import.key NODE_EXTRA_CA_CERTS=server.pem node examples/client-authentication/mutual-tls.ts
 *
 * For self_signed_tls_client_auth, register the public key.
 *
 *   node examples/client-authentication/mutual-tls.ts jwks self.pem > self.jwks.json
 *   npx assent client create --name "Other Import" --type confidential --grant-type client_credentials --own-scope reports:write \
 *     --auth-method self_signed_tls_client_auth --jwks self.jwks.json --certificate-bound
 *   CLIENT_ID=… CERT=self.pem KEY=self.key NODE_EXTRA_CA_CERTS=server.pem node examples/client-authentication/mutual-tls.ts
 */

import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { json } from "node:stream/consumers";

const { ISSUER: issuer = "https://localhost:9443", CLIENT_ID: client_id, CERT: cert, KEY: key } = process.env;
if (process.argv[2] === "jwks") {
  const { publicKey } = new X509Certificate(readFileSync(process.argv[3] ?? ""));
  console.log(JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] }));
  process.exit();
}
if (client_id === undefined || cert === undefined || key === undefined) {
  console.error("Set CLIENT_ID, CERT and KEY.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

// Node's fetch can't send a client certificate, so this uses node:https.
const call = request(metadata.token_endpoint, {
  method: "POST",
  cert: readFileSync(cert),
  key: readFileSync(key),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});
call.end(new URLSearchParams({ grant_type: "client_credentials", client_id }).toString());
const [response] = (await once(call, "response")) as [IncomingMessage];
const answer = (await json(response)) as Record<string, unknown>;
console.log(response.statusCode, answer);
if (response.statusCode === 200) {
  // The API compares this hash with the client certificate of its own connection.
  const [, payload = ""] = String(answer["access_token"]).split(".");
  const { cnf } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { cnf?: Record<string, string> };
  console.log("Bound to the certificate with SHA-256", cnf?.["x5t#S256"] ?? "none: register --certificate-bound");
} else {
  process.exitCode = 1;
}
