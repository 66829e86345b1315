/** The device flow (RFC 8628) with oauth4webapi as the device, and by hand where the library hides the answer. */

import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, DEVICE_GRANT, decide, enter, formWith, poll } from "../support/device-actor.ts";
import { Agent, postForm, refresh } from "../support/http-browser.ts";
import { PASSWORD, settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const insecure = { [oauth.allowInsecureRequests]: true } as const;

let server: TestServer;
let as: oauth.AuthorizationServer;
let tv: TestClient;

beforeAll(async () => {
  server = await startServer();
  tv = await aDeviceClient(server);
  const issuer = new URL(server.issuer);
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
});
afterAll(() => server.stop());

const anAgent = () => new Agent(server.issuer);

test("metadata names the endpoint and the grant", () => {
  expect(as.device_authorization_endpoint).toBe(`${server.issuer}/device_authorization`);
  expect(as.grant_types_supported).toContain(DEVICE_GRANT);
});

describe.each(["public", "confidential"] as const)("oauth4webapi, a %s client", (type) => {
  test("asks, waits, is allowed, gets tokens, refreshes", async () => {
    const made = await aDeviceClient(server, {
      type,
      ...(type === "public" ? {} : { authMethod: "client_secret_basic" }),
    });
    const client: oauth.Client = { client_id: made.clientId };
    const auth = made.secret === "" ? oauth.None() : oauth.ClientSecretBasic(made.secret);
    const asked = await oauth.deviceAuthorizationRequest(as, client, auth, { scope: "read write" }, insecure);
    const device = await oauth.processDeviceAuthorizationResponse(as, client, asked);
    expect(device).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${server.issuer}/device` });

    const polled = async () => {
      const response = await oauth.deviceCodeGrantRequest(as, client, auth, device.device_code, insecure);
      return oauth.processDeviceCodeResponse(as, client, response);
    };
    const refused = (error: string) => expect.objectContaining({ error, status: 400 });
    await expect(polled()).rejects.toEqual(refused("authorization_pending"));
    await expect(polled()).rejects.toEqual(refused("slow_down"));

    const { username, personId } = await server.addPerson();
    const page = await decide(anAgent(), device.user_code, username);
    expect([page.status, page.text.includes("is connected")]).toEqual([200, true]);

    const tokens = await polled();
    expect(tokens).toMatchObject({ token_type: "bearer", scope: "read write", expires_in: 600 });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      ...{ sub: personId, client_id: made.clientId, scope: "read write", aud: "https://api.test", amr: ["pwd"] },
    });
    const again = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? "", insecure);
    expect((await oauth.processRefreshTokenResponse(as, client, again)).scope).toBe("read write");
    await expect(polled()).rejects.toEqual(refused("invalid_grant"));
  });
});

describe("the device authorization endpoint", () => {
  test.each([
    ["no scope", { scope: undefined }, 400, "invalid_scope"],
    ["an unknown scope", { scope: "nothing" }, 400, "invalid_scope"],
    ["a scope of another client", { scope: "read admin" }, 400, "invalid_scope"],
    ["an unknown resource", { resource: "https://other.test" }, 400, "invalid_target"],
    ["a resource that the scope isn't of", { scope: "profile", resource: "https://api.test" }, 400, "invalid_target"],
  ])("%s → %o is refused", async (_, fields, status, error) => {
    const { status: got, body } = await postForm(server, "/device_authorization", tv, { scope: "read", ...fields });
    expect([got, body.error]).toEqual([status, error]);
  });

  test("no client, an unknown one, a wrong secret, one without the grant → as at the token endpoint", async () => {
    const ask = (client: { clientId: string; secret: string } | null) =>
      postForm(server, "/device_authorization", client, { scope: "read" });
    const confidential = await aDeviceClient(server, { type: "confidential", authMethod: "client_secret_basic" });
    const others = [null, { clientId: "nobody", secret: "" }, { ...confidential, secret: "cs_wrong" }];
    for (const other of others) expect((await ask(other)).body.error).toBe("invalid_client");
    expect((await ask({ ...confidential, secret: "" })).body.error).toBe("invalid_client");
    expect((await ask(await server.addClient())).body.error).toBe("unauthorized_client");
    expect((await ask(confidential)).status).toBe(200);
  });

  test("GET → 405; the answer is no-store, and any origin may read it", async () => {
    const wrong = await fetch(`${server.issuer}/device_authorization`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    const fields = { scope: "read" };
    const { headers, body } = await postForm(server, "/device_authorization", tv, fields, { origin: "https://a.test" });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(Object.keys(body)).toEqual([
      ...["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"],
    ]);
    expect(body["verification_uri_complete"]).toBe(`${server.issuer}/device?user_code=${body["user_code"]}`);
  });
});

describe("the token endpoint", () => {
  test.each([
    ["missing", undefined, "invalid_request"],
    ["garbage", "x", "invalid_grant"],
    ["an authorization code's prefix", "ac_x", "invalid_grant"],
  ])("device_code %s → %s", async (_, code, error) => {
    expect((await poll(server, tv, code)).body.error).toBe(error);
  });

  test("a client that isn't registered for the grant → unauthorized_client", async () => {
    const { deviceCode } = await aDevice(server, tv);
    expect((await poll(server, await server.addClient(), deviceCode)).body.error).toBe("unauthorized_client");
  });

  test("scopes of two APIs → each poll without a resource is invalid_target and uses nothing up; one with it gets that API's", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "read profile" });
    await decide(anAgent(), userCode, (await server.addPerson()).username);
    for (const resource of [undefined, "https://other.test", undefined]) {
      expect((await poll(server, tv, deviceCode, { resource })).body.error).toBe("invalid_target");
    }
    const { status, body } = await poll(server, tv, deviceCode, { resource: "https://api.test" });
    expect([status, body.scope]).toEqual([200, "read"]);
    expect((await refresh(server, tv, body.refresh_token, { resource: server.issuer })).body.scope).toBe("profile");
  });

  test("scopes of two APIs, nobody has answered yet → a poll without a resource is invalid_target already, one with it waits", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "read profile" });
    expect((await poll(server, tv, deviceCode)).body.error).toBe("invalid_target");
    server.tick(10_000);
    const resource = "https://api.test";
    expect((await poll(server, tv, deviceCode, { resource })).body.error).toBe("authorization_pending");
    await decide(anAgent(), userCode, (await server.addPerson()).username);
    expect((await poll(server, tv, deviceCode, { resource })).body.scope).toBe("read");
  });

  test("a client without refresh_token → none", async () => {
    const client = await aDeviceClient(server, { grantTypes: [DEVICE_GRANT] });
    const { deviceCode, userCode } = await aDevice(server, client);
    await decide(anAgent(), userCode, (await server.addPerson()).username);
    const { status, body } = await poll(server, client, deviceCode);
    expect([status, body.refresh_token]).toEqual([200, undefined]);
  });

  test("settings: lifetime and interval are those that the operator set", async () => {
    const own = await startServer({ config: { deviceTtl: 30_000, deviceInterval: 1000 } });
    const client = await aDeviceClient(own);
    const { deviceCode, answer } = await aDevice(own, client);
    expect(answer.body).toMatchObject({ expires_in: 30, interval: 1 });
    expect((await poll(own, client, deviceCode)).body.error).toBe("authorization_pending");
    own.tick(1000);
    expect((await poll(own, client, deviceCode)).body.error).toBe("authorization_pending");
    own.tick(29_000);
    expect((await poll(own, client, deviceCode)).body.error).toBe("expired_token");
    await own.stop();
  });
});

describe("the owner", () => {
  test("goes from the code to sign-in to the question, which says what asks, from where and when", async () => {
    const { userCode } = await aDevice(server, tv, { scope: "read write" });
    const agent = anAgent();
    const shown = await agent.get("/device");
    expect(shown.status).toBe(200);
    const atSignIn = await agent.submit(formWith(shown, "user_code"), { user_code: userCode });
    expect(atSignIn.text).toContain("Sign in to connect your device");
    expect(atSignIn.text).not.toContain("Photo TV");
    const { username } = await server.addPerson();
    const asked = await agent.follow(
      await agent.submit(formWith(atSignIn, "username"), { username, password: PASSWORD }),
    );
    for (const text of [
      "Photo TV",
      userCode,
      "127.0.0.1",
      "your network",
      "just now",
      "Allow it only if you started this",
    ])
      expect(asked.text).toContain(text);
    for (const text of ["See your photos", "Change your photos", 'name="duration"']) expect(asked.text).toContain(text);
  });

  test("mistypes the password → the same form again, and from there to the same device", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const { username } = await server.addPerson();
    const agent = anAgent();
    let page = await agent.submit(formWith(await agent.get("/device"), "user_code"), { user_code: userCode });
    for (const password of ["wrong", "", PASSWORD])
      page = await agent.submit(formWith(page, "username"), { username, password });
    await agent.submit(formWith(await agent.follow(page), "decision"), { decision: "allow" });
    expect((await poll(server, tv, deviceCode)).status).toBe(200);
  });

  test("comes with the link → the code stands in the field, and is still to be confirmed", async () => {
    const { userCode, answer } = await aDevice(server, tv);
    const { username } = await server.addPerson();
    const agent = anAgent();
    await enter(agent, "BBBB-BBBB", username);
    const page = await agent.get(String(answer.body["verification_uri_complete"]));
    const field = formWith(page, "user_code");
    expect(field.fields.get("user_code")).toBe(userCode);
    expect(page.text).toContain("Continue only if the device in front of you shows this code.");
    expect((await agent.submit(field)).text).toContain("Photo TV");
  });

  test("a client that lost the grant meanwhile → an unknown code, and nothing is recorded", async () => {
    const lost = await aDeviceClient(server);
    const { userCode } = await aDevice(server, lost);
    const { secret: _, ...client } = { ...lost, grantTypes: ["authorization_code"] };
    await server.assent.storage.clients.put({ client, expect: null });
    await settle();
    const { username, partition, personId } = await server.addPerson();
    const page = await enter(anAgent(), userCode, username);
    expect(page.text).toContain("No device is waiting");
    const key = { partition, ownerId: personId, clientId: lost.clientId };
    expect(await server.assent.storage.consents.find(key)).toBeUndefined();
  });

  test("refuses → access_denied, at every poll", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const page = await decide(agent, userCode, (await server.addPerson()).username, { decision: "deny" });
    expect(page.text).toContain("was not connected");
    const told = (await agent.get("/account/history")).text;
    expect(told.replaceAll(/<[^>]+>/g, "")).toContain(`You refused a request from ${tv.name}`);
    for (let times = 0; times < 2; times += 1)
      expect((await poll(server, tv, deviceCode)).body.error).toBe("access_denied");
  });

  test("refuses a device of an app that has access → the page says that the app keeps it, also at a second press", async () => {
    const { username } = await server.addPerson();
    const agent = anAgent();
    const first = await aDevice(server, tv);
    await decide(agent, first.userCode, username);
    const { body } = await poll(server, tv, first.deviceCode);
    const page = await enter(agent, (await aDevice(server, tv)).userCode, username);
    for (let times = 0; times < 2; times += 1) {
      const { text } = await agent.submit(formWith(page, "decision"), { decision: "deny" });
      expect(text).toContain("The app keeps the access that you allowed before.");
      expect(text).not.toContain("can’t use your account");
    }
    expect((await refresh(server, tv, body.refresh_token)).status).toBe(200);
  });

  test("refuses a device of an app that has access for a company alone → the page names the company, also at a second press", async () => {
    const { member, ...company } = await addCompany(server, { defaultRule: "members" });
    const agent = anAgent();
    const first = await aDevice(server, tv);
    await decide(agent, first.userCode, member.username, { owner: company.companyId });
    expect((await poll(server, tv, first.deviceCode)).status).toBe(200);
    const page = await enter(agent, (await aDevice(server, tv)).userCode, member.username);
    for (let times = 0; times < 2; times += 1) {
      const { text } = await agent.submit(formWith(page, "decision"), { decision: "deny" });
      expect(text.replaceAll(/<[^>]+>/g, "")).toContain("it keeps it. You can end it on the company’s page");
      expect(text).toContain(company.name);
    }
  });

  test("leaves an optional scope out, for an hour → less scope, and the dashboard shows it at once", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "read write" });
    const { username } = await server.addPerson();
    const agent = anAgent();
    await decide(agent, userCode, username, { scope: "read", duration: "3600" });
    const apps = await agent.get("/account/apps");
    expect(apps.text).toContain(`data-client-id="${tv.clientId}"`);
    const { body } = await poll(server, tv, deviceCode);
    expect(body.scope).toBe("read");
    server.tick(3600_000);
    expect((await refresh(server, tv, body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("allows once → tokens without a refresh token", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    await decide(anAgent(), userCode, (await server.addPerson()).username, { duration: "once" });
    const { status, body } = await poll(server, tv, deviceCode);
    expect([status, body.refresh_token]).toEqual([200, undefined]);
  });

  test("allows all once and one permission for an hour → a refresh token, for that permission in the end", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "read write" });
    const given = { scope: ["read", "write"], duration: "once", "duration:read": "3600" };
    await decide(anAgent(), userCode, (await server.addPerson()).username, given);
    const { body } = await poll(server, tv, deviceCode);
    expect(body.scope).toBe("read write");
    server.tick(1800_000);
    expect((await refresh(server, tv, body.refresh_token)).body.scope).toBe("read");
  });

  test("connects a second device → is asked again, and both work", async () => {
    const { username } = await server.addPerson();
    const agent = anAgent();
    const tokens: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const { deviceCode, userCode } = await aDevice(server, tv);
      await decide(agent, userCode, username);
      tokens.push((await poll(server, tv, deviceCode)).body.refresh_token ?? "");
    }
    for (const token of tokens) expect((await refresh(server, tv, token)).status).toBe(200);
  });

  test("revokes the app → its refresh token ends, and a new yes connects it again", async () => {
    const { username } = await server.addPerson();
    const agent = anAgent();
    const first = await aDevice(server, tv);
    await decide(agent, first.userCode, username);
    const { body } = await poll(server, tv, first.deviceCode);
    const apps = await agent.get("/account/apps");
    const form = apps.forms.find(({ action }) => action.endsWith("/account/apps/revoke"));
    await agent.submit(form ?? formWith(apps, "revoke"), { revoke: "revoke" });
    expect((await refresh(server, tv, body.refresh_token)).body.error).toBe("invalid_grant");
    const second = await aDevice(server, tv);
    await decide(agent, second.userCode, username);
    expect((await poll(server, tv, second.deviceCode)).status).toBe(200);
  });

  test("is another account → “Not you?” leads through sign-in to the same device", async () => {
    const [first, second] = [await server.addPerson(), await server.addPerson()];
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const page = await enter(agent, userCode, first.username);
    const switching = page.forms.find(({ action }) => action.endsWith("/login/switch"));
    const atSignIn = await agent.submit(switching ?? formWith(page, "switch"));
    expect(atSignIn.text).toContain("Sign in to connect your device");
    const asked = await agent.follow(
      await agent.submit(formWith(atSignIn, "username"), { username: second.username, password: PASSWORD }),
    );
    await agent.submit(formWith(asked, "decision"), { decision: "allow" });
    const { body } = await poll(server, tv, deviceCode);
    expect(decodeJwt(body.access_token ?? "").sub).toBe(second.personId);
  });

  test("presses Allow twice → one answer, and each later press shows it", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const form = formWith(await enter(agent, userCode, (await server.addPerson()).username), "decision");
    const [one, two] = [
      await agent.submit(form, { decision: "allow" }),
      await agent.submit(form, { decision: "allow" }),
    ];
    const no = await agent.submit(form, { decision: "deny" });
    expect([one.status, one.text]).toEqual([200, two.text]);
    expect(no.text).toContain("is connected");
    expect((await poll(server, tv, deviceCode)).status).toBe(200);
  });

  test("a wrong duration, no scope ticked, no decision → asked again, 400", async () => {
    const client = await aDeviceClient(server);
    const { deviceCode, userCode } = await aDevice(server, client, { scope: "write" });
    const agent = anAgent();
    const form = formWith(await enter(agent, userCode, (await server.addPerson()).username), "decision");
    for (const answer of [{ duration: "77" }, { scope: [] }, { decision: "perhaps" }]) {
      const page = await agent.submit(form, { decision: "allow", ...answer });
      expect(page.status).toBe(400);
      formWith(page, "decision");
    }
    expect((await poll(server, client, deviceCode)).body.error).toBe("authorization_pending");
  });
});
