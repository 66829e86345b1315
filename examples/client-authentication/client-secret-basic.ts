/**
 * A client authenticates by its secret in the Authorization header: client_secret_basic (RFC 6749 §2.3.1).
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials \
 *     --own-scope photos:read --auth-method client_secret_basic
 *   CLIENT_ID=… CLIENT_SECRET=… node examples/client-authentication/client-secret-basic.ts
 */

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

// RFC 6749 §2.3.1: form-encode id and secret, because they may contain a colon. This server issues none with a colon.
const encoded = [id, secret].map((half) => new URLSearchParams([["", half]]).toString().slice(1));
const headers = { authorization: `Basic ${btoa(encoded.join(":"))}` };
const body = new URLSearchParams({ grant_type: "client_credentials" });
const response = await fetch(metadata.token_endpoint, { method: "POST", body, headers });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
