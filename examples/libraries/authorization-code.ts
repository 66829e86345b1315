/**
 * Authorization code with PKCE, refresh and revocation with openid-client. examples/authorization-code.ts and
 * refresh.ts do the same without a library.
 *
 *   npx assent client create --name "Photo Sorter" --type public --redirect-uri http://127.0.0.1/callback \
 *     --grant-type authorization_code --grant-type refresh_token --scope photos:read
 *   CLIENT_ID=… node examples/libraries/authorization-code.ts
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
const config = await oauth.discovery(new URL(issuer), id, undefined, oauth.None(), {
  algorithm: "oauth2",
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

const app = createServer().listen(0, "127.0.0.1");
await once(app, "listening");
const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;

const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
const expectedState = oauth.randomState();
const link = oauth.buildAuthorizationUrl(config, {
  redirect_uri,
  scope: "photos:read",
  state: expectedState,
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
// Checks `state` and `iss`, and throws if the server refuses.
const tokens = await oauth.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
console.log(`Connected: ${tokens.scope}, for ${tokens.expiresIn()} seconds`);

const next = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "");
console.log(`Refreshed: ${next.scope}, for ${next.expiresIn()} seconds`);

await oauth.tokenRevocation(config, next.refresh_token ?? "");
console.log("Given back: the app has no access any more");
