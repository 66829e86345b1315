/** UserInfo gives the claims of the granted scopes, and nobody verifies a claim by their own word. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, linksOf, redeem, refresh, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const CLAIMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  profile: {
    ...{ name: "Ada Lovelace", given_name: "Ada", middle_name: "Augusta", family_name: "Lovelace" },
    ...{ nickname: "Enchantress", birthdate: "1815-12-10", gender: "female" },
    ...{ zoneinfo: "Europe/London", locale: "en-GB" },
    ...{ website: "https://ada.example/", profile: "https://social.example/@ada?tab=about#top" },
    ...{ preferred_username: expect.any(String), updated_at: expect.any(Number) },
  },
  email: { email: expect.any(String), email_verified: true },
  phone: { phone_number: "+442079460000", phone_number_verified: false },
  address: {
    address: {
      formatted: "12 St James’s Square\nSW1Y 4JH London\nUnited Kingdom",
      ...{ street_address: "12 St James’s Square", locality: "London", postal_code: "SW1Y 4JH" },
      country: "United Kingdom",
    },
  },
};
const NAMES = Object.keys(CLAIMS);

const DETAILS = {
  ...{ given_name: "Ada", middle_name: "Augusta", family_name: "Lovelace", nickname: "Enchantress" },
  ...{ birthdate: "1815-12-10", gender: "female" },
  ...{ website: "https://ada.example", profile_url: "https://social.example/@ada?tab=about#top" },
  ...{ locale: "en-gb", zoneinfo: "Europe/London", phone_number: "+44 20 7946 0000" },
  ...{ street: "12 St James’s Square", postal_code: "SW1Y 4JH", locality: "London", country: "United Kingdom" },
};

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  // As it is on every server, not as the tests' own.
  await server.assent.storage.scopes.delete({ name: "profile", now: server.now() });
  app = await server.addClient({ scopes: ["openid", ...NAMES, "read"] });
});
afterAll(() => server.stop());

async function somebody() {
  const person = await server.addPerson({ name: "Ada Lovelace" });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent };
}

/** Saves the form of the profile page. */
async function save(agent: Agent, details: Record<string, string>) {
  const page = await agent.get("/account/profile");
  const form = page.forms.find(({ action }) => action.endsWith("/details"));
  if (form === undefined) throw new Error(`no form: ${page.status}`);
  return agent.submit(form, details);
}

async function tokensFor(agent: Agent, scope: string) {
  const { body } = await redeem(server, app, await authorize(agent, authorizeUrl(server, app, { scope }), ""));
  return { access: body.access_token ?? "", refreshToken: body.refresh_token };
}

async function userInfo(token: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Record<string, unknown>;
}

describe("the claims of scopes", () => {
  test("UI-05 each set of granted scopes → their claims and no other", async () => {
    const { person, agent } = await somebody();
    expect((await save(agent, DETAILS)).location?.search).toBe("?done=details");
    for (let set = 0; set < 2 ** NAMES.length; set += 1) {
      const granted = NAMES.filter((_, at) => (set >> at) % 2 === 1);
      const { access } = await tokensFor(agent, ["openid", ...granted].join(" "));
      const expected = Object.assign({ sub: person.personId }, ...granted.map((name) => CLAIMS[name]));
      expect(await userInfo(access), granted.join(" ")).toEqual(expected);
    }
  });

  test("UI-05 nothing is known → no empty claim", async () => {
    const { agent } = await somebody();
    const { access } = await tokensFor(agent, "openid phone address profile");
    const names = Object.keys(await userInfo(access)).sort();
    expect(names).toEqual(["locale", "name", "preferred_username", "sub", "updated_at"]);
  });
});

describe("flags of verification", () => {
  const WORD = { email_verified: "true", phone_number_verified: "true", phone_verified: "true", phoneVerified: "true" };

  test("UI-11 somebody's own word → changes nothing, at every form of the profile", async () => {
    const { person, agent } = await somebody();
    await server.assent.storage.people.update({
      ...{ partition: person.partition, personId: person.personId, now: server.now() },
      changes: { emailVerifiedAt: null },
    });
    await save(agent, { ...DETAILS, ...WORD });
    for (const form of (await agent.get("/account/profile")).forms)
      if (/\/(details|name)$/.test(form.action)) await agent.submit(form, WORD);
    const { access } = await tokensFor(agent, "openid email phone");
    expect(await userInfo(access)).toMatchObject({ email_verified: false, phone_number_verified: false });
  });

  test("UI-11 an operator vouched for the number → verified until it changes, whoever changes it", async () => {
    const { person, agent } = await somebody();
    await save(agent, DETAILS);
    const key = { partition: person.partition, personId: person.personId, now: server.now() };
    await server.assent.storage.people.update({ ...key, changes: { details: { phoneVerified: true } } });
    const { access } = await tokensFor(agent, "openid phone");
    await save(agent, { ...DETAILS, nickname: "Countess" });
    expect(await userInfo(access)).toMatchObject({ phone_number_verified: true });
    await save(agent, { phone_number: "+44 20 7946 0001" });
    expect(await userInfo(access)).toMatchObject({
      phone_number: "+442079460001",
      phone_number_verified: false,
    });
    await save(agent, { phone_number: "+44 20 7946 0000" });
    expect(await userInfo(access)).toMatchObject({ phone_number_verified: false });
  });
});

describe("the profile form", () => {
  test.each([
    ["a line break", { nickname: "a\nb" }],
    ["NUL", { nickname: "a\u0000b" }],
    ["a change of direction", { street: "a\u202eb" }],
    ["251 characters", { street: "s".repeat(251) }],
    ["a number without its country", { phone_number: "030 123456" }],
    ["letters as a number", { phone_number: "+49 CALL ME" }],
    ["a day that doesn't exist", { birthdate: "2001-02-29" }],
    ["a day in the future", { birthdate: "2999-01-01" }],
    ["an unknown time zone", { zoneinfo: "Mars/Olympus" }],
    ["a path as time zone", { zoneinfo: "../../etc/passwd" }],
    ["no language tag", { locale: "not a tag" }],
    ["41 characters as gender", { gender: "g".repeat(41) }],
    ["a script", { website: "javascript:alert(1)" }],
    ["a script that looks like an address", { website: "javascript://ada.example/%0aalert(1)" }],
    ["a script before an address", { profile_url: "javascript:'https://ada.example/'" }],
    ["a page in the address", { website: "data:text/html,<script>alert(1)</script>" }],
    ["an address without a scheme", { website: "ada.example" }],
    ["a scheme without slashes", { website: "https:ada.example" }],
    ["an address without a host", { website: "https:///path" }],
    ["a backslash in the address", { website: "https://ada.example\\@evil.example/" }],
    ["a user name in the address", { profile_url: "https://social.example@evil.example/" }],
    ["a password in the address", { profile_url: "https://ada:secret@social.example/" }],
    ["a line break in the address", { website: "https://ada.\nexample/" }],
    ["another scheme", { profile_url: "ftp://social.example/ada" }],
    ["an address with 501 characters", { website: `https://ada.example/${"a".repeat(481)}` }],
    ["an address with 501 characters once encoded", { website: `https://ada.example/a${"ä".repeat(80)}` }],
  ])("UI-11 %s → the page again with what was typed, and nothing is stored", async (_, wrong) => {
    const { person, agent } = await somebody();
    const page = await save(agent, { ...DETAILS, ...wrong });
    expect([page.status === 200 || page.status === 400, page.location]).toEqual([true, undefined]);
    const { partition, personId } = person;
    expect((await server.assent.storage.people.get({ partition, personId }))?.details).toBeNull();
  });

  test.each([
    ["500 characters", `https://ada.example/${"a".repeat(480)}`, `https://ada.example/${"a".repeat(480)}`],
    ["http, with a port", "HTTP://Ada.example:8080/x", "http://ada.example:8080/x"],
    ["an international name", "https://bücher.example/آدا", "https://xn--bcher-kva.example/%D8%A2%D8%AF%D8%A7"],
  ])("an address: %s → stored in ASCII, and no link on the page", async (_, website, stored) => {
    const { person, agent } = await somebody();
    expect((await save(agent, { website })).location?.search).toBe("?done=details");
    const { partition, personId } = person;
    expect((await server.assent.storage.people.get({ partition, personId }))?.details).toEqual({ website: stored });
    const page = await agent.get("/account/profile");
    expect(page.text).toContain(`value="${stored}"`);
    expect(linksOf(page)).not.toContain(stored);
  });

  test("an empty field → the detail is removed", async () => {
    const { person, agent } = await somebody();
    await save(agent, DETAILS);
    await save(agent, Object.fromEntries(Object.keys(DETAILS).map((name) => [name, ""])));
    const { partition, personId } = person;
    expect((await server.assent.storage.people.get({ partition, personId }))?.details).toBeNull();
  });
});

test("UI-13 email is removed in the dashboard → the old token as issued, after the next refresh no email", async () => {
  const { person, agent } = await somebody();
  const { access, refreshToken } = await tokensFor(agent, "openid email");
  const key = { partition: person.partition, ownerId: person.personId, clientId: app.clientId, now: server.now() };
  await server.assent.storage.consents.narrow({ ...key, remove: ["email"], by: person.personId });
  expect(await userInfo(access)).toMatchObject({ email: person.email });
  const { body } = await refresh(server, app, refreshToken);
  expect(body.scope).toBe("openid");
  expect(await userInfo(body.access_token ?? "")).toEqual({ sub: person.personId });
});
