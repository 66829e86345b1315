/**
 * A client authenticates by the certificate of its connection (RFC 8705), with openid-client. First make certificates,
 * server and client as in examples/client-authentication/mutual-tls.ts, for one of the two methods. Then:
 *
 *   CLIENT_ID=… CERT=import.pem KEY=import.key NODE_EXTRA_CA_CERTS=server.pem node examples/libraries/mutual-tls.ts
 */

import { readFileSync } from "node:fs";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import * as oauth from "openid-client";

const { ISSUER: issuer = "https://localhost:9443", CLIENT_ID: id, CERT: cert, KEY: key } = process.env;
if (id === undefined || cert === undefined || key === undefined) {
  console.error("Set CLIENT_ID, CERT and KEY.");
  process.exit(2);
}
const certificate = { cert: readFileSync(cert), key: readFileSync(key) };

/** The `fetch` that the library calls. Node's own can't send a client certificate, so this uses node:https. */
const withCertificate: oauth.CustomFetch = (url, { method, headers, body }) =>
  new Promise((resolve, reject) => {
    const call = request(url, { method, headers, ...certificate }, async (answer) => {
      const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      resolve(new Response(await buffer(answer), { status: answer.statusCode ?? 0, headers: named }));
    });
    call.on("error", reject).end(body?.toString());
  });

const config = await oauth.discovery(new URL(issuer), id, undefined, oauth.TlsClientAuth(), {
  algorithm: "oauth2",
  [oauth.customFetch]: withCertificate,
});
const { access_token, expires_in, scope } = await oauth.clientCredentialsGrant(config);
console.log({ access_token, expires_in, scope });
