/**
 * A client authenticates by its secret in the body: client_secret_post (RFC 6749 §2.3.1). Use it for libraries that
 * can't send the secret in the header.
 *
 *   npx assent client create --name "Nightly Import" --type confidential --grant-type client_credentials \
 *     --own-scope photos:read --auth-method client_secret_post
 *   CLIENT_ID=… CLIENT_SECRET=… node examples/client-authentication/client-secret-post.ts
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

// Never send the secret in the URL, because servers and proxies log URLs.
const body = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
const response = await fetch(metadata.token_endpoint, { method: "POST", body });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;
