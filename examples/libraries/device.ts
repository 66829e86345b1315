/**
 * A device without a browser gets access (RFC 8628) with openid-client. The library polls at the server's interval.
 *
 *   npx assent client create --name "Photo Frame" --type public --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:device_code --grant-type refresh_token
 *   CLIENT_ID=… node examples/libraries/device.ts
 */

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

const codes = await oauth.initiateDeviceAuthorization(config, { scope: "photos:read" });
console.log(`Open ${codes.verification_uri} and enter ${codes.user_code}`);
console.log(`(or open ${codes.verification_uri_complete})`);

// Waits until the owner has answered. Throws `access_denied` or `expired_token`.
const tokens = await oauth.pollDeviceAuthorizationGrant(config, codes);
console.log("Connected:", tokens);
