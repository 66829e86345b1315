/**
 * A service in its own name, with a secret or with a key (RFC 6749 §4.4, RFC 7523 §2.2).
 *
 * With a secret: `ISSUER=… CLIENT_ID=… CLIENT_SECRET=… node examples/client-credentials.ts`
 * With a key:    `ISSUER=… CLIENT_ID=… CLIENT_KEY=private.jwk.json node examples/client-credentials.ts`
 *
 * `SCOPE` and `RESOURCE` narrow what is asked for. Nothing but Node is needed.
 */

import { createPrivateKey, randomUUID, sign, type webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  CLIENT_KEY: keyFile,
} = process.env;
if (id === undefined || (secret === undefined) === (keyFile === undefined)) {
  console.error("Set CLIENT_ID, and CLIENT_SECRET or CLIENT_KEY.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

const body = new URLSearchParams({ grant_type: "client_credentials" });
for (const name of ["scope", "resource"]) {
  const value = process.env[name.toUpperCase()];
  if (value !== undefined) body.set(name, value);
}
const headers: Record<string, string> = {};
if (secret !== undefined) {
  const encoded = [id, secret].map(encodeURIComponent).join(":");
  headers["authorization"] = `Basic ${Buffer.from(encoded).toString("base64")}`;
} else {
  body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  body.set("client_assertion", assertion(id, keyFile ?? ""));
}

const response = await fetch(metadata.token_endpoint, { method: "POST", body, headers });
console.log(response.status, await response.json());

/** A fresh assertion for each request, for the issuer alone, signed with a P-256 key in a private JWK. */
function assertion(clientId: string, file: string): string {
  const jwk = JSON.parse(readFileSync(file, "utf8")) as webcrypto.JsonWebKey & { kid?: string };
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60 };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${part({ alg: "ES256", typ: "client-authentication+jwt", kid: jwk.kid })}.${part(claims)}`;
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return `${input}.${sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
