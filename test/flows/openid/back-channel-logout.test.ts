/** Apps learn that a session has ended (OpenID Connect Back-Channel Logout 1.0). */

import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../../packages/server/src/oauth/model.ts";
import { Agent, authorize, authorizeUrl, formsOf, redeem } from "../../support/http-browser.ts";
import { aLogoutReceiver, type LogoutReceiver } from "../../support/logout-receiver.ts";
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

  /** What one of five apps does with a logout token, and the line that the log has about it. */
  const BAD: readonly (readonly [string, RequestListener | "no TLS", string, string])[] = [
    ["400", (_, response) => response.writeHead(400).end(), "logout_failed", "status 400"],
    ["500", (_, response) => response.writeHead(500).end(), "logout_failed", "status 500"],
    ["no answer", () => undefined, "logout_failed", "timeout"],
    ["200 and a body without end", (_, response) => endless(response.writeHead(200)), "logout_delivered", '"tries":1'],
    ["no TLS at an https address", "no TLS", "logout_failed", "unreachable"],
  ];

  test.each(BAD)(
    "LO-13 one of five apps gives %s → the page doesn't wait, the others are told at once, and the log says what happened",
    async (_, does, event, detail) => {
      const closed = Promise.withResolvers<void>();
      const bad = createServer((request, response) => {
        response.on("close", closed.resolve);
        request.resume();
        if (does !== "no TLS") does(request, response);
      });
      await new Promise<void>((resolve) => bad.listen(0, "127.0.0.1", resolve));
      const scheme = does === "no TLS" ? "https" : "http";
      const uri = `${scheme}://127.0.0.1:${(bad.address() as AddressInfo).port}/logout`;
      const [first, ...others] = [await anApp({ backchannelLogoutUri: uri }), ...(await severalApps(4))];
      if (first === undefined) throw new Error("no app");
      const { agent, username } = await signedIn(first);
      for (const other of others) await signedIn(other, agent, { username });
      await signOut(agent);
      // It waits for five seconds, so this holds only if neither the page nor the others waited for the first app.
      if (does !== "no TLS" && detail === "timeout") expect(events("logout_failed", first)).toEqual([]);
      const tokens = await receiver.until(4);
      if (detail === "timeout") expect(events("logout_failed", first)).toEqual([]);
      expect(new Set(tokens.map((token) => decodeJwt(token).aud))).toEqual(
        new Set(others.map(({ clientId }) => clientId)),
      );
      expect((await logged(event, first))[0]).toContain(detail);
      if (event === "logout_delivered") await closed.promise;
      else expect(events(event, first)[0]).toContain('"again":"yes"');
      for (const other of others) expect(await logged("logout_delivered", other)).toHaveLength(1);
      bad.closeAllConnections();
      bad.close();
    },
    30_000,
  );
});

/** Sends a body until the reader closes the connection. */
function endless(response: ServerResponse): void {
  response.on("close", () => response.destroy());
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
  };
  response.on("drain", more);
  more();
}

const severalApps = (count: number) => Promise.all(Array.from({ length: count }, () => anApp()));
