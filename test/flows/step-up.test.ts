/** Step-up (RFC 9470): an app or a scope requires a stronger or more recent sign-in before the owner's answer. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { AUTHENTICATOR, appOf, formWith, recoveryCodesOf, withSecondStep } from "../support/authenticator-app.ts";
import { signedInPerson } from "../support/back-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer({ host: "localhost" });
  const api = { resource: "https://api.test" };
  await server.addScope({ name: "pay", description: "Pay", ...api, acr: "mfa" });
  await server.addScope({ name: "move", description: "Move", ...api, maxAge: 300 });
  await server.addScope({ name: "sign", description: "Sign", ...api, acr: "phr" });
  client = await server.addClient({ scopes: ["read", "pay", "move", "sign"] });
});
afterAll(() => server.stop());

const signedIn = (person?: Person) => signedInPerson(server, person);
const url = (changes: Record<string, string>) => authorizeUrl(server, client, changes);
const errorOf = (location: URL | undefined) => location?.searchParams.get("error");

describe("more than a password", () => {
  test.each([
    ["by acr_values", { acr_values: "mfa" }],
    ["by a policy of the scope", { scope: "read pay" }],
  ])(
    "wanted %s, of an owner who has no more → a page with ways to set it up; no code; the app may be told no",
    async (_, asked) => {
      const { agent } = await signedIn();
      const page = await agent.get(url(asked));
      expect([page.status, page.location]).toEqual([200, undefined]);
      expect(page.text).toContain("more secure sign-in");
      expect(page.text).toMatch(/href="\/account\/security\/authenticator\?request=/);
      const denied = await agent.submit(formWith(page, "csrf"), { decision: "deny" });
      expect([denied.status, errorOf(denied.location), denied.location?.searchParams.get("state")]).toEqual([
        ...[302, "unmet_authentication_requirements", "a state"],
      ]);
      const silent = await agent.get(url({ ...asked, prompt: "none" }));
      expect(errorOf(silent.location)).toBe("login_required");
    },
  );

  test("set up on the way → back to the app's request, with the strength that it wants", async () => {
    const { agent } = await signedIn();
    await agent.get(url({ scope: "pay" }));
    const asked = await agent.get(url({ scope: "pay" }));
    const link = /href="(\/account\/security\/authenticator\?request=[^"]+)"/.exec(asked.text)?.[1] ?? AUTHENTICATOR;
    const setup = await agent.get(link);
    const done = await agent.submit(formWith(setup, "code"), { code: appOf(setup, server).code() });
    expect(recoveryCodesOf(done)).toHaveLength(10);
    const next = /href="(\/consent\?request=[^"]+)"/.exec(done.text)?.[1] ?? "";
    const consent = await agent.get(next);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answer.location ?? "");
    expect(decodeJwt(String(body.access_token))).toMatchObject({ acr: "mfa", scope: "pay" });
  });

  test.each(["authenticator", "passkeys"])(
    "%s: given up on the way → back to the app's request, which can be declined",
    async (page) => {
      const { agent } = await signedIn();
      const asked = await agent.get(url({ scope: "pay" }));
      const link = new RegExp(`href="(/account/security/${page}\\?request=[^"]+)"`).exec(asked.text)?.[1] ?? "";
      const setup = await agent.get(link);
      const cancel = /href="([^"]+)">Cancel</.exec(setup.text)?.[1] ?? "";
      expect(cancel).toMatch(/^\/consent\?request=/);
      const again = await agent.get(cancel);
      expect(again.text).toContain("more secure sign-in");
      const denied = await agent.submit(formWith(again, "csrf"), { decision: "deny" });
      expect(errorOf(denied.location)).toBe("unmet_authentication_requirements");
      // Without a request, it leads to the page about security.
      const alone = await agent.get(`/account/security/${page}`);
      expect(/href="([^"]+)">Cancel</.exec(alone.text)?.[1]).toBe("/account/security");
    },
  );

  test("wanted of a session by password alone → the step alone, whose sign-in is no younger for it", async () => {
    const { agent, person } = await signedIn();
    const before = Math.floor(server.now() / 1000);
    // The authenticator app was set up in another browser.
    const { app } = await withSecondStep(server, person);
    const step = await agent.get(url({ scope: "pay" }));
    expect(step.text).toContain("One more step");
    expect(step.text).not.toContain('name="password"');
    const old = agent.cookies.get("assent_session");
    const consent = await agent.follow(await agent.submit(formWith(step, "code"), { code: app.code() }));
    expect(agent.cookies.get("assent_session")).not.toBe(old);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answer.location ?? "");
    const claims = decodeJwt(String(body.access_token));
    expect(claims).toMatchObject({ acr: "mfa", amr: ["pwd", "otp", "mfa"] });
    expect(Number(claims["auth_time"])).toBeLessThanOrEqual(before + 2);
    const again = await refresh(server, client, String(body.refresh_token));
    expect(decodeJwt(String(again.body.access_token))).toMatchObject({ acr: "mfa", auth_time: claims["auth_time"] });
  });

  test("the step's form after the session has ended → from the start", async () => {
    const { agent, person } = await signedIn();
    const { app } = await withSecondStep(server, person);
    const step = await agent.get(url({ scope: "pay" }));
    agent.cookies.delete("assent_session");
    const answer = await agent.submit(formWith(step, "code"), { code: app.code() });
    expect([answer.status, agent.cookies.has("assent_session")]).toEqual([403, false]);
  });

  test("a consent form that was opened before the policy → no code", async () => {
    const { agent } = await signedIn();
    const page = await agent.get(url({ scope: "read" }));
    await server.addScope({ name: "read", description: "See your photos", resource: "https://api.test", acr: "mfa" });
    const answer = await agent.submit(consentForm(page), { decision: "allow" });
    expect(answer.location).toBeUndefined();
    expect(answer.text).toContain("more secure sign-in");
    await server.addScope({ name: "read", description: "See your photos", resource: "https://api.test" });
  });

  test("a standing consent doesn't skip it; values that are none of ours don't ask for anything", async () => {
    const { person, app, agent: strong } = await withSecondStep(server);
    const callback = await authorize(strong, url({ scope: "pay" }), person.username);
    expect(callback.searchParams.has("code")).toBe(true);
    const weak = new Agent(server.issuer);
    const page = await signIn(weak, person.username, await weak.follow(await weak.get(url({ scope: "pay" }))));
    expect(page.text).toContain("One more step");
    expect(app.code()).toMatch(/^\d{6}$/);
    const { agent } = await signedIn();
    expect((await agent.get(url({ acr_values: "urn:other:gold" }))).text).toContain('name="decision"');
  });
});

test("a passkey wanted → the code is no way to it; the passkey is", async () => {
  const { agent, person } = await signedIn();
  const { app } = await withSecondStep(server, person);
  expect((await agent.get(url({ scope: "sign" }))).text).toContain("more secure sign-in");
  const key = new SoftAuthenticator(server.issuer);
  const adding = new Agent(server.issuer);
  const step = await signIn(adding, person.username);
  await adding.submit(formWith(step, "code"), { code: app.code() });
  const page = await adding.get("/account/security/passkeys");
  const options = (text: string) =>
    JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"'));
  await adding.submit(formWith(page, "credential"), { name: "Key", credential: key.create(options(page.text)) });
  const ask = await agent.get(url({ scope: "sign" }));
  expect(ask.text).not.toContain('name="code"');
  const credential = key.get(options(ask.text));
  const consent = await agent.follow(await agent.submit(formWith(ask, "credential"), { credential }));
  const answer = await agent.submit(consentForm(consent), { decision: "allow" });
  const { body } = await redeem(server, client, answer.location ?? "");
  expect(decodeJwt(String(body.access_token))).toMatchObject({ acr: "phr", amr: ["hwk", "user", "mfa"] });
});

describe("a young sign-in wanted by a policy", () => {
  test("an old session → signs in once more; prompt=none → login_required", async () => {
    const { agent, person } = await signedIn();
    expect((await agent.get(url({ scope: "move" }))).text).toContain('name="decision"');
    server.tick(301_000);
    expect(errorOf((await agent.get(url({ scope: "move", prompt: "none" }))).location)).toBe("login_required");
    const login = await agent.get(url({ scope: "move" }));
    expect(login.text).toContain('name="password"');
    const consent = await signIn(agent, person.username, login);
    expect((await agent.submit(consentForm(consent), { decision: "allow" })).location?.searchParams.has("code")).toBe(
      true,
    );
  });
});

describe("without a page", () => {
  test("the password grant → scopes that want more are left out; alone → invalid_scope", async () => {
    const { username } = await server.addPerson();
    const own = await server.addClient({ grantTypes: ["password"], responseTypes: [], scopes: ["read", "pay"] });
    const ask = (scope: string) =>
      postForm(server, "/token", own, { grant_type: "password", username, password: PASSWORD, scope });
    expect((await ask("read pay")).body.scope).toBe("read");
    expect((await ask("pay")).body.error).toBe("invalid_scope");
  });
});

test("a device → the same step before its owner's answer, and the code is still theirs after it", async () => {
  const { agent, person } = await signedIn();
  const { app } = await withSecondStep(server, person);
  const tv = await server.addClient({
    grantTypes: ["urn:ietf:params:oauth:grant-type:device_code"],
    ...{ responseTypes: [], scopes: ["pay"], redirectUris: [] },
  });
  const { body } = await postForm(server, "/device_authorization", tv, { scope: "pay" });
  const typed = await agent.submit(formWith(await agent.get("/device"), "user_code"), {
    user_code: String(body["user_code"]),
  });
  const step = await agent.follow(typed);
  expect(step.text).not.toContain('name="password"');
  const consent = await agent.follow(await agent.submit(formWith(step, "code"), { code: app.code() }));
  const allowed = await agent.submit(formWith(consent, "device"), { decision: "allow" });
  expect(allowed.status).toBe(200);
  const grant = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: String(body["device_code"]),
  };
  const tokens = await postForm(server, "/token", tv, grant);
  expect(decodeJwt(String(tokens.body.access_token))).toMatchObject({ acr: "mfa", scope: "pay" });
});

test("the metadata → which levels there are", async () => {
  const metadata = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({ acr_values_supported: ["1fa", "mfa", "phr"] });
});
