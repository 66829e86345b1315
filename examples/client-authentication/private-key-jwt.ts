/**
 * A client authenticates by its own key: private_key_jwt (RFC 7523 §2.2). The server has only the public key.
 *
 *   node examples/client-authentication/private-key-jwt.ts keys
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials \
 *     --own-scope photos:read --auth-method private_key_jwt --jwks client.jwks.json
 *   CLIENT_ID=… node examples/client-authentication/private-key-jwt.ts
 */

import { createPrivateKey, generateKeyPairSync, randomUUID, sign, type webcrypto } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id } = process.env;
if (process.argv[2] === "keys") {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = { kid: randomUUID(), alg: "ES256" };
  const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), ...names }] };
  writeFileSync("client.jwks.json", JSON.stringify(jwks));
  writeFileSync("client.key.json", JSON.stringify({ ...privateKey.export({ format: "jwk" }), ...names }), {
    mode: 0o600,
  });
  console.log("Written: client.key.json (keep it), client.jwks.json (for the operator)");
  process.exit();
}
if (id === undefined) {
  console.error("Set CLIENT_ID; make keys first: node examples/client-authentication/private-key-jwt.ts keys");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

// The assertion is for this server only and valid for one minute. The server accepts each `jti` once.
const jwk = JSON.parse(readFileSync("client.key.json", "utf8")) as webcrypto.JsonWebKey & { kid: string };
const now = Math.floor(Date.now() / 1000);
const claims = { iss: id, sub: id, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60 };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const input = `${part({ alg: "ES256", typ: "client-authentication+jwt", kid: jwk.kid })}.${part(claims)}`;
const key = createPrivateKey({ key: jwk, format: "jwk" });
const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");

const body = new URLSearchParams({
  grant_type: "client_credentials",
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  client_assertion: `${input}.${signature}`,
});
const response = await fetch(metadata.token_endpoint, { method: "POST", body });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
