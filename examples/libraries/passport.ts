/**
 * A web app with express and passport-oauth2 connects its visitors by an authorization code (RFC 6749 §4.1 with PKCE).
 *
 *   npx assent client create --name "Photo Printer" --type confidential --require-pkce --redirect-uri http://127.0.0.1:4000/callback --scope photos:read
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 node examples/libraries/passport.ts
 *
 * Open http://127.0.0.1:4000.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import express, { type ErrorRequestHandler, type Handler } from "express";
import session from "express-session";
import { Passport } from "passport";
import { Strategy } from "passport-oauth2";

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

const passport = new Passport();
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));
passport.use(
  new Strategy(
    {
      authorizationURL: `${issuer}/authorize`,
      tokenURL: `${issuer}/token`,
      clientID: id,
      clientSecret: secret,
      callbackURL: `http://127.0.0.1:${port}/callback`,
      scope: ["photos:read"],
      // Both are off by default. Without `state`, an attacker could make a visitor use the attacker's code.
      state: true,
      pkce: true,
    },
    // A real app stores the tokens in its database, with the visitor's account.
    (_accessToken, _refreshToken, { scope, expires_in }, _profile, done) => done(null, { scope, expires_in }),
  ),
);

const app = express();
app.use(session({ secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false }));
app.use(passport.initialize(), passport.session());
app.get("/", passport.authenticate("oauth2"));
const connected: Handler = ({ user }, response) => response.json({ connected: user });
app.get("/callback", passport.authenticate("oauth2"), connected);
const failed: ErrorRequestHandler = ({ message }, _request, response, _next) =>
  response.status(502).json({ error: message });
app.use(failed);
createServer(app).listen(Number(port), "127.0.0.1", () => console.log(`App on http://127.0.0.1:${port}`));
