/**
 * A client that asks for the owner's password (RFC 6749 §4.3), with openid-client. Use this flow only for clients that
 * can't be changed; see docs/integrate/password.md.
 *
 *   npx assent client create --name "Old Importer" --type confidential --grant-type password --scope photos:read
 *   CLIENT_ID=… CLIENT_SECRET=… OWNER=demo node examples/libraries/password.ts < password.txt
 *
 * The program reads the password from standard input, because the list of processes shows arguments.
 */

import { text } from "node:stream/consumers";
import * as oauth from "openid-client";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, CLIENT_SECRET: secret, OWNER: username } = process.env;
if (id === undefined || secret === undefined || username === undefined) {
  console.error("Set CLIENT_ID, CLIENT_SECRET and OWNER.");
  process.exit(2);
}
const config = await oauth.discovery(new URL(issuer), id, undefined, oauth.ClientSecretBasic(secret), {
  algorithm: "oauth2",
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

const password = (await text(process.stdin)).replace(/\r?\n$/, "");
const tokens = await oauth.genericGrantRequest(config, "password", { username, password, scope: "photos:read" });
console.log("Connected:", tokens);
