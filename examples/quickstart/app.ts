/** A web app that asks an owner for access and calls the API: `CLIENT_ID=… CLIENT_SECRET=… node examples/quickstart/app.ts`. */

import { createServer } from "node:http";
import * as oauth from "openid-client";

const issuer = process.env["ISSUER"] ?? "http://localhost:9400";
const api = process.env["API"] ?? "http://127.0.0.1:3000";
const port = Number(process.env["APP_PORT"] ?? 4000);
const redirectUri = `http://127.0.0.1:${port}/callback`;

const config = await oauth.discovery(
  new URL(issuer),
  process.env["CLIENT_ID"] ?? "",
  process.env["CLIENT_SECRET"],
  undefined,
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  { algorithm: "oauth2", execute: [oauth.allowInsecureRequests] },
);

// This example has one visitor. A real app keeps these values in each visitor's session.
let verifier = "";
let state = "";

async function connect(): Promise<URL> {
  verifier = oauth.randomPKCECodeVerifier();
  state = oauth.randomState();
  return oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "albums:read",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
}

async function photos(callback: URL): Promise<string> {
  const tokens = await oauth.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  const answer = await fetch(api, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  return answer.text();
}

createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", redirectUri);
  try {
    if (url.pathname === "/callback") response.end(await photos(url));
    else response.writeHead(302, { location: (await connect()).href }).end();
  } catch (error) {
    response.writeHead(400).end(error instanceof Error ? error.message : "that did not work");
  }
}).listen(port, "127.0.0.1", () => console.log(`App on http://127.0.0.1:${port}`));
