/** passport-oauth2 in an express app with sessions, against a running server. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Handler } from "express";
import session from "express-session";
import { Passport } from "passport";
import { Strategy } from "passport-oauth2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, authorize, refresh } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

let server: TestServer;
let app: Server;
let registered: TestClient;
let appUrl: string;

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scope: string;
}

beforeAll(async () => {
  server = await startServer();
  app = createServer();
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  registered = await server.addClient({ redirectUris: [`${appUrl}/callback`], requirePkce: true });
  app.on("request", webApp(registered.secret));
});
afterAll(async () => {
  app.closeAllConnections();
  app.close();
  await server.stop();
});

/** `GET /sign-in` redirects to the server. `GET /callback` shows the result. */
function webApp(secret: string) {
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  passport.use(
    new Strategy(
      {
        authorizationURL: `${server.issuer}/authorize`,
        tokenURL: `${server.issuer}/token`,
        clientID: registered.clientId,
        clientSecret: secret,
        callbackURL: `${appUrl}/callback`,
        scope: ["read", "write"],
        state: true,
        pkce: true,
      },
      (accessToken, refreshToken, parameters, _profile, done) =>
        done(null, { accessToken, refreshToken, scope: parameters["scope"] }),
    ),
  );
  const web = express();
  web.use(session({ secret: "of the app alone", resave: false, saveUninitialized: false }));
  web.use(passport.initialize(), passport.session());
  web.get("/sign-in", passport.authenticate("oauth2"));
  const shown: Handler = ({ user }, response) => response.json(user);
  web.get("/callback", passport.authenticate("oauth2"), shown);
  const failed: ErrorRequestHandler = (error, _request, response, _next) =>
    response.status(502).json({ name: error.name, code: (error as Error & { code?: string }).code });
  web.use(failed);
  return web;
}

/** A browser with the owner's answer, before it follows the redirect to the app. */
async function comingBack(answer: Record<string, string> = {}) {
  const browser = new Agent(appUrl);
  const { location } = await browser.get("/sign-in");
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), location?.href ?? "", username, answer);
  return { browser, callback, asked: location };
}

test("the whole story with state and PKCE → the app has tokens that refresh", async () => {
  const { browser, callback, asked } = await comingBack();
  expect(asked?.searchParams.get("code_challenge_method")).toBe("S256");
  const page = await browser.get(callback.href);
  expect(page.status, page.text).toBe(200);
  const { accessToken, refreshToken, scope } = JSON.parse(page.text) as Tokens;
  expect(accessToken.split(".")).toHaveLength(3);
  expect(scope).toBe("read write");
  expect((await refresh(server, registered, refreshToken)).status).toBe(200);
});

test("a callback with another state → 403 from the app; the code is still good", async () => {
  const { browser, callback } = await comingBack();
  const spoilt = new URL(callback);
  spoilt.searchParams.set("state", "of-somebody-else");
  expect((await browser.get(spoilt.href)).status).toBe(403);
  expect((await comingBackAgain(browser)).status).toBe(200);
});

/** The same browser starts again. */
async function comingBackAgain(browser: Agent) {
  const { location } = await browser.get("/sign-in");
  const { username } = await server.addPerson();
  return browser.get((await authorize(new Agent(server.issuer), location?.href ?? "", username)).href);
}

test("mallory's callback in alice's browser → 403 from the app", async () => {
  const alice = await comingBack();
  const mallory = await comingBack();
  expect((await alice.browser.get(mallory.callback.href)).status).toBe(403);
  expect((await mallory.browser.get(mallory.callback.href)).status).toBe(200);
});

test("the callback twice → the second is refused, and the grant lives: state is spent before the code is sent", async () => {
  const { browser, callback } = await comingBack();
  const { refreshToken } = JSON.parse((await browser.get(callback.href)).text) as Tokens;
  expect((await browser.get(callback.href)).status).toBe(403);
  expect((await refresh(server, registered, refreshToken)).status).toBe(200);
});

test("the owner says no → the app answers 401", async () => {
  const { browser, callback } = await comingBack({ decision: "deny" });
  expect(callback.searchParams.get("error")).toBe("access_denied");
  expect((await browser.get(callback.href)).status).toBe(401);
});

test("a code of another request → invalid_grant: its verifier is another's", async () => {
  const { browser, callback } = await comingBack();
  const other = await comingBack();
  const mixed = new URL(callback);
  mixed.searchParams.set("code", other.callback.searchParams.get("code") ?? "");
  const page = await browser.get(mixed.href);
  expect([page.status, JSON.parse(page.text)]).toEqual([502, { name: "TokenError", code: "invalid_grant" }]);
});
