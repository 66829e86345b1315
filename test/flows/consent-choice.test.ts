/** The owner's choices on the consent page, and their effect on tokens (RFC 6749 §§3.3, 5.1). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorizeUrl, consentForm, type Page, postForm, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({
    scopes: ["read", "write"],
    optionalScopes: ["read"],
    names: { de: "Fotodrucker" },
    publisher: "Print House",
    verified: true,
  });
  await server.addScope({
    name: "read",
    resource: "https://api.test",
    access: "read",
    description: "See your photos",
    descriptions: { de: "Ihre Fotos ansehen" },
  });
});
afterAll(() => server.stop());

async function atConsent(changes: Record<string, string> = {}): Promise<{ agent: Agent; page: Page }> {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, client, { scope: "read write", ...changes });
  const page = await signIn(agent, username, await agent.get(url));
  consentForm(page);
  return { agent, page };
}

const HOUR = 3_600_000;
const scopesOf = async (callback: URL | undefined) => {
  const { body } = await redeem(server, client, callback ?? "");
  return { scope: body.scope, token: body.refresh_token, expiresIn: body.expires_in };
};
const refresh = (token: string | undefined) =>
  postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token: token });

describe("a time for each", () => {
  test.each([
    ["that isn't offered", { "duration:write": "1234567" }],
    ["that is none", { "duration:read": "'; DROP TABLE" }],
  ])("%s → asked again, and what was ticked and chosen stays", async (_, changes) => {
    const { agent, page } = await atConsent();
    const again = await agent.submit(consentForm(page), {
      decision: "allow",
      scope: "write",
      duration: "3600",
      ...changes,
    });
    expect([again.status, again.text.includes("Choose a length of time from the list")]).toEqual([400, true]);
    expect(consentForm(again).fields.getAll("scope")).toEqual(["write"]);
    expect(consentForm(again).fields.get("duration")).toBe("3600");
  });

  test("one for an hour, the rest for a day → that one ends first, the grant goes on with less", async () => {
    const { agent, page } = await atConsent();
    const answer = await agent.submit(consentForm(page), {
      decision: "allow",
      duration: "86400",
      "duration:write": "3600",
    });
    const first = await scopesOf(answer.location);
    expect(first.scope).toBe("read write");
    server.tick(HOUR + 1000);
    expect((await refresh(first.token)).body.scope).toBe("read");
  });

  test("one for once, the rest for longer → in the first token alone; the next request asks for it", async () => {
    const { agent, page } = await atConsent();
    const answer = await agent.submit(consentForm(page), {
      decision: "allow",
      duration: "86400",
      "duration:write": "once",
    });
    const first = await scopesOf(answer.location);
    expect([first.scope, typeof first.token]).toEqual(["read write", "string"]);
    server.tick(20 * 60_000);
    expect((await refresh(first.token)).body.scope).toBe("read");
    const next = await agent.get(authorizeUrl(server, client, { scope: "read write" }));
    expect(next.text).toContain("It also asks to");
  });

  test("all for once, one for longer → a refresh token, for that one", async () => {
    const { agent, page } = await atConsent();
    const answer = await agent.submit(consentForm(page), {
      decision: "allow",
      duration: "once",
      "duration:read": "86400",
    });
    const first = await scopesOf(answer.location);
    server.tick(20 * 60_000);
    expect((await refresh(first.token)).body.scope).toBe("read");
  });

  test("names of scopes that weren't asked for → without effect", async () => {
    const { agent, page } = await atConsent({ scope: "read" });
    const answer = await agent.submit(consentForm(page), {
      decision: "allow",
      "duration:admin": "x",
      "duration:__proto__": "once",
    });
    expect((await scopesOf(answer.location)).scope).toBe("read");
  });
});

describe("what may be left out", () => {
  test("a scope that the client or the operator can do without → a tick that goes; another one can't", async () => {
    const { agent, page } = await atConsent();
    expect(page.text).toMatch(/name="scope" value="read" checked\/>/);
    const answer = await agent.submit(consentForm(page), { decision: "allow", scope: "write" });
    expect((await scopesOf(answer.location)).scope).toBe("write");
    const strict = await server.addClient({ scopes: ["read", "write"] });
    const { username } = await server.addPerson();
    const other = new Agent(server.issuer);
    const asked = await signIn(other, username, await other.get(authorizeUrl(server, strict, { scope: "read write" })));
    expect(asked.text).toMatch(/name="scope" value="read" checked disabled\/>/);
    const forced = await other.submit(consentForm(asked), { decision: "allow", scope: "write" });
    const { body } = await redeem(server, strict, forced.location ?? "");
    expect(body.scope).toBe("read write");
  });
});

describe("in the owner's language", () => {
  test("the app's name and the scope's description, where there is one; and so in the history", async () => {
    const { agent, page } = await atConsent({ ui_locales: "de" });
    for (const text of [
      "Fotodrucker",
      "Ihre Fotos ansehen",
      "Change your photos",
      "Von Assent überprüft",
      "Print House",
    ])
      expect(page.text).toContain(text);
    const { page: english } = await atConsent();
    expect(english.text).toContain("See your photos");
    expect(english.text).not.toContain("Fotodrucker");
    await agent.submit(consentForm(page), { decision: "allow" });
    expect((await agent.get("/account/history", { "accept-language": "de" })).text).toContain("Ihre Fotos ansehen");
  });
});

test("how many use it → an order of magnitude, and no question to the database for each page", async () => {
  expect((await atConsent()).page.text).toContain("fewer than 10 people");
  for (let at = 0; at < 11; at++) {
    const { agent, page } = await atConsent();
    await agent.submit(consentForm(page), { decision: "allow" });
  }
  expect(await server.assent.storage.consents.countOwners({ clientId: client.clientId, most: 10_001 })).toBeGreaterThan(
    10,
  );
  expect(await server.assent.storage.consents.countOwners({ clientId: client.clientId, most: 5 })).toBe(5);
  expect((await atConsent()).page.text).toContain("fewer than 10 people");
});
