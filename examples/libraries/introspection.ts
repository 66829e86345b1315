/**
 * An API asks the server about a token (RFC 7662) with oauth4webapi. This program also plays the service that gets the
 * token, as examples/introspection.ts does.
 *
 *   npx assent resource create --identifier https://vault.example.com --name "Vault" --token-format opaque --grant-bound
 *   npx assent scope create vault:open --description "Open the vault" --resource https://vault.example.com
 *   npx assent client create --name "Night Watch" --type confidential --grant-type client_credentials --own-scope vault:open
 *   INTROSPECTION_CLIENT_ID=… INTROSPECTION_CLIENT_SECRET=… CLIENT_ID=… CLIENT_SECRET=… node examples/libraries/introspection.ts
 */

import * as oauth from "oauth4webapi";

const { ISSUER = "http://localhost:9400", CLIENT_ID, CLIENT_SECRET, ...env } = process.env;
const { INTROSPECTION_CLIENT_ID, INTROSPECTION_CLIENT_SECRET } = env;
if (!CLIENT_ID || !CLIENT_SECRET || !INTROSPECTION_CLIENT_ID || !INTROSPECTION_CLIENT_SECRET) {
  console.error("Set CLIENT_ID, CLIENT_SECRET, INTROSPECTION_CLIENT_ID and INTROSPECTION_CLIENT_SECRET.");
  process.exit(2);
}
// Allows http, for a server on this machine. Delete the option if your issuer uses https.
const options = { [oauth.allowInsecureRequests]: true };
const issuer = new URL(ISSUER);
const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options });
const server = await oauth.processDiscoveryResponse(issuer, found);

const service = { client_id: CLIENT_ID };
const asService = oauth.ClientSecretBasic(CLIENT_SECRET);
const asked = await oauth.clientCredentialsGrantRequest(server, service, asService, {}, options);
const { access_token } = await oauth.processClientCredentialsResponse(server, service, asked);

const api = { client_id: INTROSPECTION_CLIENT_ID };
const asApi = oauth.ClientSecretBasic(INTROSPECTION_CLIENT_SECRET);
for (const token of [access_token, "at_guessed"]) {
  const answer = await oauth.introspectionRequest(server, api, asApi, token, options);
  console.log(await oauth.processIntrospectionResponse(server, api, answer));
}
