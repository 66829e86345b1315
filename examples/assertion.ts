/**
 * Exchanges a JWT of a trusted issuer for an access token of a person (RFC 7523 §2.1). This program plays both parts:
 * the issuer that signs the JWT, and the client that presents it.
 *
 *   node examples/assertion.ts keys
 *   npx assent issuer create --type jwt --issuer https://idp.example.com --jwks idp.jwks.json --scope photos:read --map-subject username
 *   npx assent client create --name "Photo Archive" --type confidential --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:jwt-bearer
 *   CLIENT_ID=… CLIENT_SECRET=… SUBJECT=demo node examples/assertion.ts
 *
 * `SCOPE` and `RESOURCE` limit the request to some scopes and to one API. The program needs only Node.js.
 */

import { createPrivateKey, generateKeyPairSync, randomUUID, sign, type webcrypto } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const IDP = "https://idp.example.com";
const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  SUBJECT: subject,
} = process.env;

if (process.argv[2] === "keys") {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync("idp.private.json", JSON.stringify(privateKey.export({ format: "jwk" })), { mode: 0o600 });
  writeFileSync(
    "idp.jwks.json",
    JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "example" }] }),
  );
  console.log("Written: idp.private.json (keep it), idp.jwks.json (for the operator)");
} else if (id === undefined || secret === undefined || subject === undefined) {
  console.error("Set CLIENT_ID, CLIENT_SECRET and SUBJECT; or make keys first: node examples/assertion.ts keys");
  process.exitCode = 2;
} else {
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: assertion(subject),
  });
  for (const name of ["scope", "resource"]) {
    const value = process.env[name.toUpperCase()];
    if (value !== undefined) body.set(name, value);
  }
  const encoded = [id, secret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(encoded).toString("base64")}`;
  const response = await fetch(await tokenEndpoint(), { method: "POST", body, headers: { authorization } });
  console.log(response.status, await response.json());
}

async function tokenEndpoint(): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname;
  const found = await fetch(`${origin}/.well-known/oauth-authorization-server${path}`);
  const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
  if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);
  return metadata.token_endpoint;
}

/** Each request needs a new assertion, because the server accepts a `jti` only once. */
function assertion(sub: string): string {
  const key = createPrivateKey({
    key: JSON.parse(readFileSync("idp.private.json", "utf8")) as webcrypto.JsonWebKey,
    format: "jwk",
  });
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: IDP, sub, aud: issuer, jti: randomUUID(), iat: now, exp: now + 120 };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${part({ alg: "ES256", typ: "JWT", kid: "example" })}.${part(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
