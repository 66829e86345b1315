/**
 * A web app with Express in which people sign in and out, with openid-client.
 *
 *   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
 *     --redirect-uri http://127.0.0.1:4000/callback --post-logout-redirect-uri http://127.0.0.1:4000/goodbye \
 *     --backchannel-logout-uri http://127.0.0.1:4000/backchannel-logout
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 node examples/sign-in/express.ts
 *
 * Open http://127.0.0.1:4000. Assent calls back to this machine only if it runs with `ASSENT_OUTBOUND_ALLOW=127.0.0.1/32`.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import express, { type ErrorRequestHandler } from "express";
import session from "express-session";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "openid-client";

declare module "express-session" {
  interface SessionData {
    checks: { readonly pkceCodeVerifier: string; readonly expectedState: string; readonly expectedNonce: string };
    person: oauth.UserInfoResponse & { readonly sid: unknown; readonly id_token: string | undefined };
  }
}

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  PORT: port = "4000",
} = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}
const site = `http://127.0.0.1:${port}`;
// Reads {issuer}/.well-known/openid-configuration.
const config = await oauth.discovery(new URL(issuer), id, secret, undefined, {
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

const app = express();
// A real app stores its sessions in a database.
const store = new session.MemoryStore();
app.use(session({ store, secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false }));

app.get("/", ({ session: { person } }, response) => {
  if (person === undefined) return response.redirect("/sign-in");
  const { id_token, ...known } = person;
  response.json(known);
});

app.get("/sign-in", async (request, response) => {
  const checks = {
    pkceCodeVerifier: oauth.randomPKCECodeVerifier(),
    expectedState: oauth.randomState(),
    expectedNonce: oauth.randomNonce(),
  };
  request.session.checks = checks;
  const link = oauth.buildAuthorizationUrl(config, {
    redirect_uri: `${site}/callback`,
    scope: "openid profile email",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  response.redirect(link.href);
});

app.get("/callback", async (request, response) => {
  const { checks } = request.session;
  if (checks === undefined) return response.redirect("/sign-in");
  // Checks `state`, `iss` and the ID token, its `nonce` included.
  const tokens = await oauth.authorizationCodeGrant(config, new URL(request.originalUrl, site), {
    ...checks,
    idTokenExpected: true,
  });
  const { sub = "", sid }: Partial<oauth.IDToken> = tokens.claims() ?? {};
  const person = await oauth.fetchUserInfo(config, tokens.access_token, sub);
  // A new session id, so that nobody knows the id of the signed-in session.
  request.session.regenerate(() => {
    request.session.person = { ...person, sid, id_token: tokens.id_token };
    response.redirect("/");
  });
});

app.get("/sign-out", ({ session }, response) => {
  const { id_token = "" } = session.person ?? {};
  const link = oauth.buildEndSessionUrl(config, {
    id_token_hint: id_token,
    post_logout_redirect_uri: `${site}/goodbye`,
  });
  session.destroy(() => response.redirect(link.href));
});

app.get("/goodbye", (_request, response) => response.send("You are signed out."));

// Assent calls this address when the person has signed out elsewhere.
const { issuer: iss, jwks_uri = "" } = config.serverMetadata();
const keys = createRemoteJWKSet(new URL(jwks_uri));
app.post("/backchannel-logout", express.urlencoded({ extended: false }), async ({ body }, response) => {
  const { payload } = await jwtVerify<{ events?: object; sid?: string }>(String(body?.logout_token), keys, {
    issuer: iss,
    audience: id,
    typ: "logout+jwt",
    algorithms: ["RS256"],
    requiredClaims: ["iat", "exp", "jti"],
  });
  const isLogout = "http://schemas.openid.net/event/backchannel-logout" in (payload.events ?? {});
  if (!isLogout || "nonce" in payload) throw new Error("This is not a logout token.");
  store.all((_error, sessions) => {
    for (const [key, { person }] of Object.entries(sessions ?? {})) {
      const isMeant = payload.sid === undefined ? person?.sub === payload.sub : person?.sid === payload.sid;
      if (person !== undefined && isMeant) store.destroy(key);
    }
    response.set("cache-control", "no-store").end();
  });
});

const failed: ErrorRequestHandler = ({ message }, _request, response, _next) =>
  response.status(400).json({ error: message });
app.use(failed);
createServer(app).listen(Number(port), "127.0.0.1", () => console.log(`App on ${site}`));
