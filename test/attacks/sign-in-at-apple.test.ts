/** Apple: the client secret is a signed JWT, and the answer is a form that comes without this server's cookies. */

import { generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorizeUrl, consentForm, type Page } from "../support/http-browser.ts";
import {
  type Answering,
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

const TEAM = { teamId: "ABCDE12345", keyId: "FGHIJ67890" };
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const KEY = String(privateKey.export({ type: "pkcs8", format: "pem" }));

let server: TestServer;
let apple: ForgingProvider;
let provider: SignInProvider;
const secrets: string[] = [];

/** Apple's metadata, and its tokens: `email_verified` is a text, and there is no name. */
const genuine = (claims: Readonly<Record<string, unknown>> = {}): Answering => ({
  metadata: {
    ...{ token_endpoint_auth_methods_supported: ["client_secret_post"], userinfo_endpoint: undefined },
    response_modes_supported: ["query", "fragment", "form_post"],
  },
  claims: {
    ...{ email: undefined, preferred_username: undefined, nonce_supported: true, auth_time: undefined },
    ...claims,
  },
  checkToken: (form) => {
    secrets.push(form.get("client_secret") ?? "");
    return form.get("client_id") === provider.clientId ? undefined : "invalid_client";
  },
});

beforeAll(async () => {
  [server, apple] = await Promise.all([startServerForProviders(), ForgingProvider.start()]);
  provider = await addProvider(server, apple.issuer, {
    ...{ preset: "apple", name: "Apple", signedSecret: TEAM, clientSecret: KEY, scopes: ["openid", "name", "email"] },
  });
});
afterAll(() => Promise.all([server.stop(), apple.stop()]));
beforeEach(() => {
  apple.answering = genuine();
});
afterEach(() => {
  secrets.length = 0;
});

/** Apple's page posts this form: no cookie of this server comes with it. */
async function post(callback: string, more: Readonly<Record<string, string>> = {}, from = provider) {
  const { searchParams } = new URL(callback);
  const response = await fetch(`${server.issuer}/login/provider/${from.id}/callback`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: "https://appleid.apple.com", "sec-fetch-site": "cross-site" },
    body: new URLSearchParams({ ...Object.fromEntries(searchParams), ...more }),
  });
  return { status: response.status, location: response.headers.get("location") ?? "", headers: response.headers };
}

const NAME = JSON.stringify({ name: { firstName: "Ada", lastName: "Lovelace" }, email: "ada@example.com" });

async function enters(claims: Readonly<Record<string, unknown>>, form: Readonly<Record<string, string>> = {}) {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  apple.answering = genuine(claims);
  const posted = await post(apple.callback(begun), form);
  const page = await agent.get(posted.location);
  const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 999, after: null });
  const link = links.find(({ subject }) => subject === claims["sub"]);
  const person = link && (await server.assent.storage.people.get({ ...link, personId: link.ownerId }));
  return { agent, begun, posted, page, person, signedIn: await isSignedIn(agent) };
}

test("UP-01 the form without cookies → sent on to the usual callback, where the person is signed in", async () => {
  const { begun, posted, page, person, signedIn } = await enters({ sub: aSubject().sub }, { user: NAME });
  const asked = begun.location?.searchParams;
  expect([asked?.get("response_mode"), asked?.get("scope")]).toEqual(["form_post", "openid name email"]);
  expect([posted.status, posted.headers.get("set-cookie")]).toEqual([303, null]);
  expect([page.status, signedIn]).toEqual([303, true]);
  expect(person).toMatchObject({ name: "Ada Lovelace", details: { givenName: "Ada", familyName: "Lovelace" } });
});

test("the client secret → a JWT by the team's key for this client, for minutes; the key never leaves", async () => {
  await enters({ sub: aSubject().sub });
  const { payload, protectedHeader } = await jwtVerify(secrets[0] ?? "", publicKey, {
    ...{ issuer: TEAM.teamId, subject: provider.clientId, audience: apple.issuer, algorithms: ["ES256"] },
  });
  expect(protectedHeader.kid).toBe(TEAM.keyId);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(600);
  const record = JSON.stringify(await server.assent.storage.signInProviders.list());
  for (const line of KEY.split("\n").slice(1, -2)) {
    expect(record).not.toContain(line);
    expect(server.log.join("")).not.toContain(line);
  }
});

describe("UP-20 a form that anybody can post", () => {
  test("with mallory's state and code → alice's browser is told to start again, nobody is signed in", async () => {
    const mallory = new Agent(server.issuer);
    const begun = await pressProvider(mallory, await mallory.get("/login"), provider);
    const { location } = await post(apple.callback(begun), { user: NAME });
    const alice = new Agent(server.issuer);
    await alice.get("/login");
    const before = apple.codes.length;
    expect([(await alice.get(location)).status, await isSignedIn(alice)]).toEqual([400, false]);
    expect(apple.codes.length).toBe(before);
  });

  test("at a provider without form_post, a disabled or an unknown one → 405", async () => {
    const other = await addProvider(server, apple.issuer);
    const off = await addProvider(server, apple.issuer, { preset: "apple", signedSecret: TEAM, status: "disabled" });
    const agent = new Agent(server.issuer);
    const callback = apple.callback(await pressProvider(agent, await agent.get("/login"), provider));
    for (const from of [other, off, { ...provider, id: "unknown" }])
      expect((await post(callback, {}, from)).status).toBe(405);
  });

  test("a state meant for Apple at another provider's callback → 400", async () => {
    const other = await addProvider(server, apple.issuer, { preset: "apple", signedSecret: TEAM, clientSecret: KEY });
    const agent = new Agent(server.issuer);
    const callback = apple.callback(await pressProvider(agent, await agent.get("/login"), provider));
    const { location } = await post(callback, {}, other);
    expect([(await agent.get(location)).status, await isSignedIn(agent)]).toEqual([400, false]);
  });

  test("long and foreign fields → the address has none of them", async () => {
    const { location } = await post("https://x.test/?code=c&state=s", {
      ...{ code: "c".repeat(5_000), state: "s".repeat(9_000), id_token: "eyJ", next: "https://evil.test" },
      user: JSON.stringify({ name: { firstName: "x".repeat(500) } }),
    });
    expect(location).toBe(`${server.issuer}/login/provider/${provider.id}/callback?`);
  });
});

describe("UP-16 the name that comes with the form", () => {
  test.each([
    ["no JSON", "{"],
    ["no object", "null"],
    ["no name", "{}"],
    ["a name that is none", JSON.stringify({ name: { firstName: 7, lastName: ["x"] } })],
    ["10 kB", JSON.stringify({ name: { firstName: "x".repeat(10_000) } })],
    ["control characters", JSON.stringify({ name: { firstName: "Ada\u0000\u202e", lastName: "" } })],
  ])("%s → an account without a name", async (_, user) => {
    const { signedIn, person } = await enters({ sub: aSubject().sub }, { user });
    expect([signedIn, person?.name]).toEqual([true, null]);
  });

  test("the name stands in no address in plain text, and counts for its own sign-in only", async () => {
    const { posted } = await enters({ sub: aSubject().sub }, { user: NAME });
    expect(posted.location).not.toContain("Lovelace");
    const sealed = new URL(posted.location).searchParams.get("user") ?? "";
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    const claims = { sub: aSubject().sub };
    apple.answering = genuine(claims);
    await agent.get(`${apple.callback(begun)}&user=${sealed}`);
    expect(await isSignedIn(agent)).toBe(true);
    expect((await agent.get("/account/profile")).text).not.toContain("Lovelace");
  });

  test("at the second sign-in → the name here stays", async () => {
    const { sub } = aSubject();
    await enters({ sub }, { user: NAME });
    const { person } = await enters({ sub }, { user: NAME.replace("Lovelace", "Byron") });
    expect(person?.name).toBe("Ada Lovelace");
  });
});

test("UP-17 a private relay address → the address of the account, verified, where the operator trusts Apple for it", async () => {
  const domain = { emailDomains: ["privaterelay.appleid.com"], trustEmail: true };
  const before = provider;
  provider = await addProvider(server, apple.issuer, { ...provider, ...domain });
  const email = "dpdcnf87nu@privaterelay.appleid.com";
  const { person } = await enters({ sub: aSubject().sub, email, email_verified: "true", is_private_email: "true" });
  expect([person?.email, typeof person?.emailVerifiedAt]).toEqual([email, "number"]);
  provider = await addProvider(server, apple.issuer, before);
});

test("UP-22 the person cancels (user_cancelled_authorize) → the sign-in page says so, and the app's request waits", async () => {
  const app = await server.addClient();
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.follow(await agent.get(authorizeUrl(server, app))), provider);
  const state = begun.location?.searchParams.get("state") ?? "";
  const { location } = await post(`https://x.test/?state=${state}&error=user_cancelled_authorize`);
  const page: Page = await agent.get(location);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("You stopped the sign-in")]);
  const again = await pressProvider(agent, page, provider);
  apple.answering = genuine({ sub: aSubject().sub });
  const back = await agent.follow(await agent.get((await post(apple.callback(again))).location));
  expect(consentForm(back)).toBeDefined();
});
