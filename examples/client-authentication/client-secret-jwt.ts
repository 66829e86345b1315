/**
 * A client proves that it knows its secret without sending it: client_secret_jwt, an HMAC over a new assertion
 * (RFC 7523 §2.2).
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials \
 *     --own-scope photos:read --auth-method client_secret_jwt
 *   CLIENT_ID=… CLIENT_SECRET=… node examples/client-authentication/client-secret-jwt.ts
 */

import { createHmac, randomUUID } from "node:crypto";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

// The assertion is for this server only and valid for one minute. The server accepts each `jti` once.
const now = Math.floor(Date.now() / 1000);
const claims = { iss: id, sub: id, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60 };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const input = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
const client_assertion = `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;

const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const body = new URLSearchParams({ grant_type: "client_credentials", client_assertion_type, client_assertion });
const response = await fetch(metadata.token_endpoint, { method: "POST", body });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
