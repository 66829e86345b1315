/**
 * An app on the owner's machine gets access by an authorization code with PKCE (RFC 6749 §4.1, RFC 7636). It receives
 * the answer on a loopback port (RFC 8252 §7.3).
 *
 *   npx assent client create --name "Photo Sorter" --type public --redirect-uri http://127.0.0.1/callback \
 *     --grant-type authorization_code --grant-type refresh_token --scope photos:read
 *   CLIENT_ID=… node examples/authorization-code.ts
 *
 * Open the address that it prints. The program writes the tokens to tokens.json, which examples/refresh.ts reads. A web
 * app does the same with its https address and a client secret, and keeps state and verifier in each visitor's session.
 */

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: client_id, SCOPE: scope = "photos:read" } = process.env;
if (client_id === undefined) {
  console.error("Set CLIENT_ID.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as Record<"issuer" | "authorization_endpoint" | "token_endpoint", string>;
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

const app = createServer().listen(0, "127.0.0.1");
await once(app, "listening");
const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;

const state = randomBytes(16).toString("base64url");
const code_verifier = randomBytes(32).toString("base64url");
const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
const challenge = { code_challenge, code_challenge_method: "S256" };
const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri, scope, state, ...challenge });
console.log(`Open ${metadata.authorization_endpoint}?${query}`);

const answer = await new Promise<URLSearchParams>((resolve) => {
  app.on("request", (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", redirect_uri);
    // Any program on this machine can send a request here. Ignore all but our server's answer to our request.
    const ours = searchParams.get("state") === state && searchParams.get("iss") === issuer;
    response.writeHead(ours ? 200 : 404).end(ours ? "You can close this window." : "Nothing here.");
    if (ours) resolve(searchParams);
  });
});
app.close();
const code = answer.get("code");
if (code === null) throw new Error(`${answer.get("error")}: ${answer.get("error_description")}`);

const body = new URLSearchParams({ grant_type: "authorization_code", client_id, code, redirect_uri, code_verifier });
const response = await fetch(metadata.token_endpoint, { method: "POST", body });
const tokens = (await response.json()) as Record<string, unknown>;
if (!response.ok) throw new Error(`${tokens["error"]}: ${tokens["error_description"]}`);
writeFileSync("tokens.json", JSON.stringify(tokens), { mode: 0o600 });
console.log(`Connected: ${tokens["scope"]}, for ${tokens["expires_in"]} seconds; see tokens.json`);
