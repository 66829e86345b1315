/**
 * A web app with simple-oauth2. The library supports neither metadata nor PKCE, so the app writes out the addresses and
 * makes the challenge itself.
 *
 *   npx assent client create --name "Photo Printer" --type confidential --require-pkce --redirect-uri http://127.0.0.1:4001/callback --scope photos:read
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4001 node examples/libraries/simple-oauth2.ts
 *
 * Open http://127.0.0.1:4001.
 */

import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { AuthorizationCode } from "simple-oauth2";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  PORT: port = "4001",
} = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}

const client = new AuthorizationCode({
  client: { id, secret },
  auth: { tokenHost: issuer, tokenPath: "/token", authorizePath: "/authorize", revokePath: "/revoke" },
});
const redirect_uri = `http://127.0.0.1:${port}/callback`;

// This example has one visitor. A real app keeps these values in each visitor's session.
const state = randomBytes(16).toString("base64url");
const code_verifier = randomBytes(32).toString("base64url");
const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");

async function connected(answer: URLSearchParams): Promise<string> {
  const ours = answer.get("state") === state && answer.get("iss") === issuer;
  if (!ours) throw new Error("this answer isn't to a question of ours");
  const code = answer.get("code");
  if (code === null) throw new Error(`${answer.get("error")}: ${answer.get("error_description")}`);
  const first = await client.getToken({ code, redirect_uri, code_verifier });
  const { token } = first.expired(60) ? await first.refresh() : first;
  return JSON.stringify({ connected: { scope: token.scope, expires_in: token.expires_in } });
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", redirect_uri);
  try {
    if (pathname === "/callback") response.end(await connected(searchParams));
    else {
      const challenge = { code_challenge, code_challenge_method: "S256" };
      const location = client.authorizeURL({ redirect_uri, scope: "photos:read", state, ...challenge });
      response.writeHead(302, { location }).end();
    }
  } catch (error) {
    response.writeHead(502).end(error instanceof Error ? error.message : "that did not work");
  }
}).listen(Number(port), "127.0.0.1", () => console.log(`App on http://127.0.0.1:${port}`));
