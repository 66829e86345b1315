/**
 * Exchanges a SAML 2.0 assertion of a trusted identity provider for an access token of a person (RFC 7522). The package
 * saml writes and signs the assertion, and openid-client presents it.
 *
 *   openssl req -x509 -newkey rsa:2048 -nodes -days 30 -keyout idp.key -out idp.pem -subj "/CN=idp.example.com"
 *   npx assent issuer create --type saml --issuer https://idp.example.com/saml --certificate idp.pem --scope photos:read --map-subject username
 *   npx assent client create --name "Photo Archive" --type confidential --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:saml2-bearer
 *   CLIENT_ID=… CLIENT_SECRET=… SUBJECT=demo node examples/libraries/saml2-bearer.ts
 */

import { readFileSync } from "node:fs";
import * as oauth from "openid-client";
import { Saml20 } from "saml";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  SUBJECT: subject,
} = process.env;
if (id === undefined || secret === undefined || subject === undefined) {
  console.error("Set CLIENT_ID, CLIENT_SECRET and SUBJECT.");
  process.exit(2);
}
const config = await oauth.discovery(new URL(issuer), id, undefined, oauth.ClientSecretBasic(secret), {
  algorithm: "oauth2",
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

// The identity provider signs an assertion about one person, for one server and its token endpoint. It is valid for two
// minutes.
const xml = Saml20.create({
  cert: readFileSync("idp.pem"),
  key: readFileSync("idp.key"),
  issuer: "https://idp.example.com/saml",
  nameIdentifier: subject,
  audiences: issuer,
  recipient: config.serverMetadata().token_endpoint ?? "",
  lifetimeInSeconds: 120,
  signatureAlgorithm: "rsa-sha256",
  digestAlgorithm: "sha256",
  attributes: {},
});

// The client presents the assertion.
const assertion = Buffer.from(xml).toString("base64url");
const tokens = await oauth.genericGrantRequest(config, "urn:ietf:params:oauth:grant-type:saml2-bearer", { assertion });
console.log("Connected:", tokens);
