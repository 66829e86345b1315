/** Apps learn that a session has ended (OpenID Connect Back-Channel Logout 1.0). */

import { setTimeout as sleep } from "node:timers/promises";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../../packages/server/src/oauth/model.ts";
import { Agent, authorize, authorizeUrl, formsOf, redeem } from "../../support/http-browser.ts";
import { aLogoutReceiver, type LogoutReceiver } from "../../support/logout-receiver.ts";
import { authorizePath, prepareData, signedInAgent, startProcess } from "../../support/server-process.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const HOUR = 3_600_000;

let server: TestServer;
let receiver: LogoutReceiver;
let app: TestClient;

beforeAll(async () => {
  server = await startServer({ fetchFromLoopback: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  receiver = await aLogoutReceiver();
  app = await anApp();
});
afterEach(() => receiver.stop());

function anApp(changes: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({ scopes: ["openid", "read"], backchannelLogoutUri: receiver.uri, ...changes });
}

async function signedIn(of = app, agent = new Agent(server.issuer), known?: { username: string }, ask = {}) {
  const person = known === undefined ? await server.addPerson() : undefined;
  const username = known?.username ?? person?.username ?? "";
  const callback = await authorize(agent, authorizeUrl(server, of, { scope: "openid", ...ask }), username);
  const { body } = await redeem(server, of, callback);
  return { agent, username, person, idToken: String(body["id_token"]) };
}

async function signOut(agent: Agent): Promise<void> {
  const [form] = (await agent.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await agent.submit(form, { sign_out: "sign_out" });
}

const events = (name: string, of: TestClient) =>
  server.log.filter((line) => line.includes(`"${name}"`) && line.includes(of.clientId));

/** Waits until the log has this many lines. */
async function logged(name: string, of: TestClient, count = 1): Promise<readonly string[]> {
  for (let left = 1000; events(name, of).length < count; left -= 1) {
    if (left === 0) throw new Error(`no ${name}`);
    await sleep(10);
  }
  return events(name, of);
}

describe("the logout token", () => {
  test.each(["RS256", "ES256"] as const)("LO-09 signed out, %s → a token with exactly these claims", async (alg) => {
    const registered = await anApp({ idTokenAlg: alg });
    const { agent, person, idToken } = await signedIn(registered);
    await signOut(agent);
    const [token = ""] = await receiver.until(1);
    expect(receiver.types).toEqual(["POST application/x-www-form-urlencoded"]);
    expect(decodeProtectedHeader(token)).toEqual({ alg, typ: "logout+jwt", kid: expect.any(String) });
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
    const { payload } = await jwtVerify(token, keys, {
      issuer: server.issuer,
      audience: registered.clientId,
      currentDate: new Date(server.now()),
    });
    expect(payload).toEqual({
      iss: server.issuer,
      aud: registered.clientId,
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 120,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      sub: person?.personId,
      sid: decodeJwt(idToken)["sid"],
    });
    expect((await logged("logout_delivered", registered))[0]).toContain('"tries":1');
  });

  test("the metadata → back-channel logout with sessions", async () => {
    const document = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });
});

describe("who is told", () => {
  test("each app of the session, once; not an app without openid, of another browser, or without an address", async () => {
    const [second, silent, elsewhere] = [
      await anApp(),
      await server.addClient({ scopes: ["openid"] }),
      await anApp({ scopes: ["openid", "read"] }),
    ];
    const { agent, username } = await signedIn();
    await signedIn(app, agent, { username });
    await signedIn(second, agent, { username });
    await signedIn(silent, agent, { username });
    await signedIn(elsewhere, agent, { username }, { scope: "read" });
    await signedIn(elsewhere, undefined, { username });
    await signOut(agent);
    const tokens = await receiver.until(2);
    await sleep(200);
    expect(tokens.map((token) => decodeJwt(token).aud).sort()).toEqual([app.clientId, second.clientId].sort());
  });

  test("the person signs in again, then out → told once, with the sid of the app's ID token", async () => {
    const { agent, username, idToken } = await signedIn();
    const other = await server.addClient({ scopes: ["openid"] });
    await signedIn(other, agent, { username }, { prompt: "login" });
    await sleep(100);
    expect(receiver.tokens).toEqual([]);
    await signOut(agent);
    const [token = ""] = await receiver.until(1);
    expect(decodeJwt(token)["sid"]).toBe(decodeJwt(idToken)["sid"]);
  });

  test("LO-15 signed out everywhere by the person → told of each session", async () => {
    const { agent, username } = await signedIn();
    await signedIn(app, undefined, { username });
    const page = await agent.get("/account/security");
    const form = formsOf(page.text).find(
      ({ action, buttons }) => action.endsWith("/sessions") && buttons.some(([, value]) => value === "all"),
    );
    if (form === undefined) throw new Error("no form");
    await agent.submit(form, { end: "all", session: "all" });
    expect(new Set((await receiver.until(2)).map((token) => decodeJwt(token)["sid"])).size).toBe(2);
  });

  test("LO-15 disabled or deleted by the operator → told", async () => {
    const { storage } = server.assent;
    const disabled = await signedIn();
    const deleted = await signedIn();
    if (disabled.person === undefined || deleted.person === undefined) throw new Error("nobody");
    await storage.people.setStatus({ ...disabled.person, status: "disabled", now: server.now() });
    await storage.people.delete({ ...deleted.person, now: server.now() });
    const subs = (await receiver.until(2)).map((token) => decodeJwt(token).sub).sort();
    expect(subs).toEqual([disabled.person.personId, deleted.person.personId].sort());
  }, 30_000);
});

describe("an app that does not answer well", () => {
  test("an error, then a redirect, then 204 → tried again with the same jti, and a log line for each", async () => {
    receiver.answer(500);
    const { agent } = await signedIn();
    await signOut(agent);
    await logged("logout_failed", app);
    receiver.answer(302);
    server.tick(6_000);
    await logged("logout_failed", app, 2);
    receiver.answer(204);
    server.tick(31_000);
    await logged("logout_delivered", app);
    const claims = receiver.tokens.map((token) => decodeJwt(token));
    expect(claims).toHaveLength(3);
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(1);
    expect(claims[2]?.iat).toBeGreaterThan(claims[0]?.iat ?? 0);
    server.tick(HOUR);
    await sleep(200);
    expect(receiver.tokens).toHaveLength(3);
  }, 30_000);

  test("LO-13 one that never answers → the page comes at once, and another app is told", async () => {
    const good = await aLogoutReceiver();
    receiver.answer("never");
    const other = await anApp({ backchannelLogoutUri: good.uri });
    const { agent, username } = await signedIn();
    await signedIn(other, agent, { username });
    const before = performance.now();
    await signOut(agent);
    expect(performance.now() - before).toBeLessThan(2_000);
    await good.until(1);
    good.stop();
    expect((await logged("logout_failed", app))[0]).toContain("timeout");
  }, 30_000);
});

test("LO-14 the server is killed right after the sign-out → another one tells the app", async () => {
  const data = await prepareData({ app: { scopes: ["openid"], backchannelLogoutUri: receiver.uri } });
  const process = await startProcess(data.dataDir);
  const agent = await signedInAgent(process.url, data.person, authorizePath(data.clients.app, { scope: "openid" }));
  await signOut(agent);
  await process.end("SIGKILL");
  expect(receiver.tokens).toEqual([]);
  const next = await startServer({ dataDir: data.dataDir, fetchFromLoopback: true });
  next.tick(60_000);
  const [token = ""] = await receiver.until(1);
  expect(decodeJwt(token)).toMatchObject({ aud: data.clients.app.clientId, sub: data.person.personId });
  await next.stop();
}, 60_000);
