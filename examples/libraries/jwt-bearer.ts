/**
 * Exchanges a JWT of a trusted issuer for an access token of a person (RFC 7523 §2.1). jose signs for the issuer, and
 * openid-client presents the JWT for the client.
 *
 *   node examples/assertion.ts keys
 *   npx assent issuer create --type jwt --issuer https://idp.example.com --jwks idp.jwks.json --scope photos:read --map-subject username
 *   npx assent client create --name "Photo Archive" --type confidential --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:jwt-bearer
 *   CLIENT_ID=… CLIENT_SECRET=… SUBJECT=demo node examples/libraries/jwt-bearer.ts
 */

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { importJWK, type JWK, SignJWT } from "jose";
import * as oauth from "openid-client";

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

// The issuer signs an assertion about one person, for one server. It is valid for two minutes and works once.
const key = await importJWK(JSON.parse(readFileSync("idp.private.json", "utf8")) as JWK, "ES256");
const assertion = await new SignJWT({ jti: randomUUID() })
  .setProtectedHeader({ alg: "ES256", kid: "example" })
  .setIssuer("https://idp.example.com")
  .setSubject(subject)
  .setAudience(issuer)
  .setIssuedAt()
  .setExpirationTime("2m")
  .sign(key);

// The client presents the assertion.
const tokens = await oauth.genericGrantRequest(config, "urn:ietf:params:oauth:grant-type:jwt-bearer", { assertion });
console.log("Connected:", tokens);
