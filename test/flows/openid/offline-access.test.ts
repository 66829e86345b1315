/** The scope `offline_access`: refresh tokens as a permission of their own (OpenID Connect Core §11). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../../packages/server/src/oauth/model.ts";
import { aDevice, aDeviceClient, decide, poll } from "../../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, consentForm, redeem, refresh, signIn } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const SCOPES = ["openid", "email", "offline_access", "read"];
const ASKED = "openid read offline_access";
const HOUR = 3_600_000;

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await anApp();
});
afterAll(() => server.stop());

function anApp(changes: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({ scopes: SCOPES, ...changes });
}

/** A new person who answers the consent page, and the tokens for it. */
async function tokensFor(answer: Record<string, string | readonly string[]>, of = app, scope = ASKED) {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, of, { scope }), person.username, answer);
  const { status, body } = await redeem(server, of, callback);
  expect(status, JSON.stringify(body)).toBe(200);
  return { person, agent, body, key: { ...person, ownerId: person.personId, clientId: of.clientId } };
}

const allowed = { scope: ["offline_access"] };
const declined = { scope: [] };

describe("offline_access", () => {
  test("asked for → a permission of its own, ticked, and the token works for the API", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, username, await agent.get(authorizeUrl(server, app, { scope: ASKED })));
    expect(page.text).toContain("Keep access while you’re away");
    expect(consentForm(page).fields.getAll("scope")).toContain("offline_access");
    const { body } = await tokensFor(allowed);
    expect(body).toMatchObject({ scope: ASKED, refresh_token: expect.any(String), id_token: expect.any(String) });
    expect(decodeJwt(body.access_token ?? "").aud).toEqual(["https://api.test", `${server.issuer}/userinfo`]);
    expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
  });

  test("without openid → goes with the API as well", async () => {
    const { body } = await tokensFor(allowed, app, "read offline_access");
    expect(decodeJwt(body.access_token ?? "").aud).toBe("https://api.test");
    expect(body.refresh_token).toBeDefined();
  });

  test("not asked for → refresh tokens as always", async () => {
    expect((await tokensFor({}, app, "openid read")).body.refresh_token).toBeDefined();
  });

  test("OI-29 declined → no refresh token, now and by the standing consent", async () => {
    const { body, agent, person } = await tokensFor(declined);
    expect(body).not.toHaveProperty("refresh_token");
    expect(body.scope).toBe("openid read");
    const again = await authorize(agent, authorizeUrl(server, app, { scope: ASKED, prompt: "none" }), person.username);
    const { body: second } = await redeem(server, app, again);
    expect([second.scope, second.refresh_token]).toEqual(["openid read", undefined]);
  });

  test("OI-29 it ends before the rest → the refresh is refused, and the rest needs another sign-in", async () => {
    const { body } = await tokensFor({ ...allowed, duration: "7776000", "duration:offline_access": "3600" });
    const early = await refresh(server, app, body.refresh_token);
    expect([early.status, (early.body.expires_in ?? 0) <= 3600]).toEqual([200, true]);
    server.tick(HOUR);
    expect((await refresh(server, app, early.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("OI-29 a narrower refresh → still under the permission; ended → refused as well", async () => {
    const { body } = await tokensFor({ ...allowed, "duration:offline_access": "3600" });
    const narrower = await refresh(server, app, body.refresh_token, { scope: "read" });
    expect([narrower.status, narrower.body.scope]).toEqual([200, "read"]);
    server.tick(HOUR);
    const late = await refresh(server, app, narrower.body.refresh_token, { scope: "read" });
    expect(late.body.error).toBe("invalid_grant");
  });

  test("OI-29 removed in the dashboard → the refresh is refused; the same at a code that waits", async () => {
    const { body, key, agent, person } = await tokensFor(allowed);
    const callback = await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), person.username);
    const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
    expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
    expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
    const { body: second } = await redeem(server, app, callback);
    expect([second.scope, second.refresh_token]).toEqual(["openid read", undefined]);
  });

  test("OI-29 the client can't refresh, or asks for a token without a code → no effect", async () => {
    const online = await anApp({ grantTypes: ["authorization_code"] });
    const { body } = await tokensFor({}, online);
    expect([body.scope, body.refresh_token]).toEqual(["openid read", undefined]);
    const alone = await new Agent(server.issuer).get(authorizeUrl(server, online, { scope: "offline_access" }));
    expect(alone.location?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("OI-29 not registered for the client → invalid_scope", async () => {
    const other = await anApp({ scopes: ["openid", "read"] });
    const { location } = await new Agent(server.issuer).get(authorizeUrl(server, other, { scope: ASKED }));
    expect(location?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("OI-29 a device's owner declines it → no refresh token", async () => {
    const tv = await aDeviceClient(server, { scopes: SCOPES });
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: ASKED });
    const { username } = await server.addPerson();
    await decide(new Agent(server.issuer), userCode, username, { scope: [] });
    const { body } = await poll(server, tv, deviceCode);
    expect([body.scope, body.refresh_token]).toEqual(["openid read", undefined]);
  });
});
