/**
 * A service gets a token in its own name (RFC 6749 §4.4). For other ways to authenticate, see
 * examples/client-authentication.
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials --own-scope photos:read
 *   CLIENT_ID=… CLIENT_SECRET=… node examples/client-credentials.ts
 *
 * `SCOPE` and `RESOURCE` limit the request to some scopes and to one API. The program needs only Node.js.
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

const body = new URLSearchParams({ grant_type: "client_credentials" });
for (const name of ["scope", "resource"]) {
  const value = process.env[name.toUpperCase()];
  if (value !== undefined) body.set(name, value);
}
const authorization = `Basic ${btoa([id, secret].map(encodeURIComponent).join(":"))}`;
const response = await fetch(metadata.token_endpoint, { method: "POST", body, headers: { authorization } });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
