/**
 * The same app with Assent: it sends people there to sign in, and gets to know who they are (OpenID Connect). It keeps its
 * users and their passwords.
 *
 *   psql "$APP_DATABASE_URL" -c "ALTER TABLE users ADD COLUMN assent_sub text UNIQUE"
 *   npx assent client create --name Acme --type confidential --scope "openid profile email" \
 *     --redirect-uri http://127.0.0.1:4000/callback
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 node examples/existing-app/after.ts
 */

import { randomBytes } from "node:crypto";
import { verify } from "@node-rs/bcrypt";
import express, { type ErrorRequestHandler } from "express";
import session from "express-session";
import * as oauth from "openid-client";
import { setPassword, userById, userOfAssent } from "./users.ts";

declare module "express-session" {
  interface SessionData {
    userId: string;
    waiting: { readonly pkceCodeVerifier: string; readonly expectedState: string; readonly expectedNonce: string };
  }
}

const { ISSUER: issuer = "http://localhost:9400", CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;
const { PORT: port = "4000" } = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}
const site = `http://127.0.0.1:${port}`;
const assent = await oauth.discovery(new URL(issuer), id, secret, undefined, {
  // Allows http, for a server on this machine. Delete `execute` if your issuer uses https.
  execute: [oauth.allowInsecureRequests],
});

const app = express();
app.use(
  session({
    ...{ secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false },
    // The form for a new password can't be sent by another site. A browser that comes back from Assent sends it.
    cookie: { sameSite: "lax" },
  }),
);
app.use(express.urlencoded({ extended: false }));

app.get("/", async ({ session: { userId } }, response) => {
  const user = userId === undefined ? undefined : await userById(userId);
  if (user === undefined) return response.redirect("/sign-in");
  response.json({ id: user.id, name: user.full_name });
});

app.get("/sign-in", async (request, response) => {
  const waiting = {
    pkceCodeVerifier: oauth.randomPKCECodeVerifier(),
    expectedState: oauth.randomState(),
    expectedNonce: oauth.randomNonce(),
  };
  request.session.waiting = waiting;
  const link = oauth.buildAuthorizationUrl(assent, {
    redirect_uri: `${site}/callback`,
    scope: "openid profile email",
    state: waiting.expectedState,
    nonce: waiting.expectedNonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(waiting.pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  response.redirect(link.href);
});

app.get("/callback", async (request, response) => {
  const { waiting } = request.session;
  if (waiting === undefined) return response.redirect("/sign-in");
  const tokens = await oauth.authorizationCodeGrant(assent, new URL(request.originalUrl, site), {
    ...waiting,
    idTokenExpected: true,
  });
  const { sub = "" }: Partial<oauth.IDToken> = tokens.claims() ?? {};
  const { email, email_verified } = await oauth.fetchUserInfo(assent, tokens.access_token, sub);
  const user = await userOfAssent(sub, email_verified === true && email !== undefined ? email : null);
  if (user === undefined) return response.status(403).send("You have no account in this app.");
  request.session.regenerate(() => {
    request.session.userId = user.id;
    response.redirect("/");
  });
});

// Assent links to this page, because the app keeps the passwords.
app.get("/account/password", ({ session: { userId } }, response) => {
  if (userId === undefined) return response.redirect("/sign-in");
  response.send(`<form method="post">
    <label>Password <input name="password" type="password"></label> <label>New <input name="new" type="password"></label>
    <button>Change</button></form>`);
});

app.post("/account/password", async ({ body, session: { userId } }, response) => {
  const user = userId === undefined ? undefined : await userById(userId);
  const right = user !== undefined && (await verify(String(body.password), user.password_hash));
  if (!right) return response.status(403).send("Wrong password.");
  await setPassword(user.id, String(body.new));
  response.send("Your password was changed.");
});

const failed: ErrorRequestHandler = ({ message }, _request, response, _next) =>
  response.status(400).json({ error: message });
app.use(failed);
app.listen(Number(port), "127.0.0.1", () => console.log(`App on ${site}`));
