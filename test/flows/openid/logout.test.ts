/** Apps send people to sign out (OpenID Connect RP-Initiated Logout 1.0). */

import { decodeJwt } from "jose";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../../packages/server/src/oauth/model.ts";
import { Agent, authorize, authorizeUrl, linksOf, redeem, refresh, signIn } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const BYE = "https://app.test/bye";

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await anApp();
});
afterAll(() => server.stop());

function anApp(changes: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({
    scopes: ["openid", "read"],
    postLogoutRedirectUris: [BYE, "https://app.test/bye?from=assent"],
    ...changes,
  });
}

/** Somebody signs in to an app. `agent`: the browser, in which they can be signed in already. */
async function signedInTo(of: TestClient, agent = new Agent(server.issuer), username?: string, ask = {}) {
  const name = username ?? (await server.addPerson()).username;
  const callback = await authorize(agent, authorizeUrl(server, of, { scope: "openid read", ...ask }), name);
  const { body } = await redeem(server, of, callback);
  return { agent, username: name, idToken: String(body["id_token"]), refreshToken: body.refresh_token ?? "" };
}

const logoutUrl = (fields: Record<string, string>) => `/logout?${new URLSearchParams(fields)}`;
const isSignedIn = async (agent: Agent) => (await agent.get("/account/apps")).status === 200;
const sidOf = (idToken: string) => decodeJwt(idToken)["sid"];

describe("sid", () => {
  test("LO-16 one browser, two apps → the same sid; another browser, or a new sign-in → another sid", async () => {
    const other = await anApp();
    const { agent, username, idToken, refreshToken } = await signedInTo(app);
    expect(sidOf(idToken)).toMatch(/^[\w-]{22}$/);
    expect(sidOf((await signedInTo(other, agent, username)).idToken)).toBe(sidOf(idToken));
    expect(sidOf(String((await refresh(server, app, refreshToken)).body["id_token"]))).toBe(sidOf(idToken));
    const elsewhere = await signedInTo(app, undefined, username);
    const again = await signedInTo(app, agent, username, { prompt: "login" });
    expect(new Set([idToken, elsewhere.idToken, again.idToken].map(sidOf)).size).toBe(3);
  });
});

describe("openid-client builds the link", () => {
  test("the ID token of the person who is signed in → signed out, and back at the app with the state", async () => {
    const config = await client.discovery(
      new URL(server.issuer),
      app.clientId,
      {},
      client.ClientSecretBasic(app.secret),
      { execute: [client.allowInsecureRequests] },
    );
    const { agent, idToken } = await signedInTo(app);
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: BYE,
      state: "s1",
    });
    expect(url.origin + url.pathname).toBe(`${server.issuer}/logout`);
    const { status, location } = await agent.get(url.href);
    expect([status, location?.href]).toEqual([302, `${BYE}?state=s1`]);
    expect(await isSignedIn(agent)).toBe(false);
    expect(server.log.filter((line) => line.includes('"signed_out"')).at(-1)).toContain(app.clientId);
  });
});

describe("a sign-out with a genuine hint", () => {
  test("without a post_logout_redirect_uri → a page that says so, and that apps keep their access", async () => {
    const { agent, idToken } = await signedInTo(app);
    const done = await agent.get(logoutUrl({ id_token_hint: idToken }));
    expect([done.status, done.location]).toEqual([200, undefined]);
    expect(done.text).toContain("You’re signed out");
    expect(done.text).toContain("keep their access");
    expect(linksOf(done)).toContain("/login");
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("ui_locales → the page in that language", async () => {
    const { agent, idToken } = await signedInTo(app);
    const done = await agent.get(logoutUrl({ id_token_hint: idToken, ui_locales: "de en", logout_hint: "ada" }));
    expect(done.text).toContain("Sie sind abgemeldet");
  });

  test("by POST from the app's page → signed out and redirected with 303", async () => {
    const { agent, idToken } = await signedInTo(app);
    const fields = { id_token_hint: idToken, post_logout_redirect_uri: BYE };
    // Browsers send no SameSite=Lax cookies with a POST from another site, and all of them with the redirect.
    const posted = await new Agent(server.issuer).post("/logout", fields, { "sec-fetch-site": "cross-site" });
    expect(posted.status).toBe(303);
    const { location } = await agent.get(posted.location?.href ?? "");
    expect(location?.href).toBe(BYE);
    expect(await isSignedIn(agent)).toBe(false);
    const same = await signedInTo(app);
    const direct = await same.agent.post("/logout", { id_token_hint: same.idToken, post_logout_redirect_uri: BYE });
    expect([direct.status, direct.location?.href]).toEqual([303, BYE]);
  });

  test("LO-04 an expired hint with a live session → ends it and redirects; with no session → only redirects", async () => {
    const { agent, idToken } = await signedInTo(app);
    server.tick(2 * 3_600_000);
    const url = logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: BYE });
    expect((await agent.get(url)).location?.href).toBe(BYE);
    expect(await isSignedIn(agent)).toBe(false);
    expect((await agent.get(url)).location?.href).toBe(BYE);
    expect((await new Agent(server.issuer).get(url)).location?.href).toBe(BYE);
  });

  test("LO-17 the app refreshes afterwards → new tokens", async () => {
    const { agent, idToken, refreshToken } = await signedInTo(app);
    await agent.get(logoutUrl({ id_token_hint: idToken }));
    expect((await refresh(server, app, refreshToken)).status).toBe(200);
  });

  test("LO-22 prompt=none afterwards → login_required", async () => {
    const { agent, idToken } = await signedInTo(app);
    await agent.get(logoutUrl({ id_token_hint: idToken }));
    const { location } = await agent.get(authorizeUrl(server, app, { scope: "openid", prompt: "none" }));
    expect(location?.searchParams.get("error")).toBe("login_required");
  });
});

describe("a sign-out without a hint", () => {
  test("nobody is signed in → a page that says so", async () => {
    const page = await new Agent(server.issuer).get(
      logoutUrl({ client_id: app.clientId, post_logout_redirect_uri: BYE }),
    );
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.text).toContain("You’re signed out");
  });

  test("somebody is signed in → asked; after the yes signed out, and back at the app that client_id names", async () => {
    const { agent } = await signedInTo(app);
    const fields = { client_id: app.clientId, post_logout_redirect_uri: BYE, state: "a b&c", ui_locales: "fr" };
    const question = await agent.get(logoutUrl(fields));
    expect(question.text).toContain("Se déconnecter");
    expect(question.text).toContain("app.test");
    expect(await isSignedIn(agent)).toBe(true);
    const [form] = question.forms.filter(({ action }) => action === "/logout/confirm");
    if (form === undefined) throw new Error("no form");
    const done = await agent.submit(form, { sign_out: "sign_out" });
    expect([done.status, done.location?.href]).toEqual([303, `${BYE}?state=a%20b%26c`]);
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("no parameters → asked; after the yes a page that says so", async () => {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    const question = await agent.get("/logout");
    const [form] = question.forms.filter(({ action }) => action === "/logout/confirm");
    if (form === undefined) throw new Error("no form");
    const done = await agent.submit(form, { sign_out: "sign_out" });
    expect(done.text).toContain("You’re signed out");
    expect(await isSignedIn(agent)).toBe(false);
  });
});
