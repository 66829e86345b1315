/**
 * Sign-in by OpenID Connect with openid-client: who the person is, and what they allow the app to know.
 *
 *   npx assent client create --name "Photo Club" --type public --redirect-uri http://127.0.0.1/callback \
 *     --scope "openid profile email"
 *   CLIENT_ID=… node examples/libraries/openid-connect.ts
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "openid-client";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id } = process.env;
if (id === undefined) {
  console.error("Set CLIENT_ID.");
  process.exit(2);
}
// Reads {issuer}/.well-known/openid-configuration.
const config = await oauth.discovery(new URL(issuer), id, undefined, oauth.None(), {
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

const app = createServer().listen(0, "127.0.0.1");
await once(app, "listening");
const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;

// A web app keeps these three values in the session of the browser.
const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
const expectedState = oauth.randomState();
const expectedNonce = oauth.randomNonce();
const link = oauth.buildAuthorizationUrl(config, {
  redirect_uri,
  scope: "openid profile email",
  state: expectedState,
  nonce: expectedNonce,
  code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: "S256",
});
console.log(`Open ${link.href}`);

const callback = await new Promise<URL>((resolve) => {
  app.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", redirect_uri);
    response.end("You can close this window.");
    if (url.searchParams.get("state") === expectedState) resolve(url);
  });
});
app.close();
// Checks `state`, `iss` and the ID token, its `nonce` included.
const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
const tokens = await oauth.authorizationCodeGrant(config, callback, checks);
const { sub = "", auth_time } = tokens.claims() ?? {};
console.log(`Signed in: ${sub}, at ${auth_time}`);

const person = await oauth.fetchUserInfo(config, tokens.access_token, sub);
console.log(`Name: ${person.name}, address: ${person.email}, verified: ${person.email_verified}`);
