/** The parameter `claims`: single claims, in UserInfo and the ID token (OpenID Connect Core §5.5). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, consentForm, redeem, refresh, signIn } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await server.addClient({ scopes: ["openid", "email", "phone", "read"] });
});
afterAll(() => server.stop());

const url = (claims: unknown, changes: Record<string, string> = {}) =>
  authorizeUrl(server, app, { scope: "openid", claims: JSON.stringify(claims), ...changes });

async function somebody() {
  const person = await server.addPerson({ details: { phoneNumber: "+4930123456" } });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent };
}

async function tokensFor(agent: Agent, claims: unknown, answer: Record<string, string | readonly string[]> = {}) {
  const { body } = await redeem(server, app, await authorize(agent, url(claims), "", answer));
  return { body, idToken: decodeJwt(String(body["id_token"])), access: body.access_token ?? "" };
}

async function userInfo(token: string): Promise<unknown> {
  const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  return answer.json();
}

const allowed = (...scope: string[]) => ({ scope });

describe("a claim of a scope that isn't asked for", () => {
  test("→ its scope is on the page as a permission of its own; allowed → where it was asked for", async () => {
    const { agent, person } = await somebody();
    const claims = { userinfo: { email: { essential: true } }, id_token: { phone_number: null } };
    const page = await agent.get(url(claims));
    expect(consentForm(page).fields.getAll("scope").sort()).toEqual(["email", "phone"]);
    const { body, idToken, access } = await tokensFor(agent, claims, allowed("email", "phone"));
    expect(body.scope).toBe("openid email phone");
    expect(idToken).toMatchObject({ sub: person.personId, phone_number: "+4930123456" });
    expect(idToken).not.toHaveProperty("email");
    expect(await userInfo(access)).toMatchObject({ email: person.email, phone_number: "+4930123456" });
  });

  test("OI-14 declined → in neither place, also without a page the next time", async () => {
    const { agent, person } = await somebody();
    const claims = { userinfo: { email: null }, id_token: { email: null, phone_number: null } };
    for (const answer of [allowed("phone"), {}]) {
      const { body, idToken, access } = await tokensFor(agent, claims, answer);
      expect(body.scope).toBe("openid phone");
      expect(idToken).not.toHaveProperty("email");
      expect(idToken["phone_number"]).toBe("+4930123456");
      const { sub, email } = (await userInfo(access)) as Record<string, unknown>;
      expect([sub, email]).toEqual([person.personId, undefined]);
    }
  });

  test("OI-14 removed later → the ID token of a refresh has it no more; what is left stays", async () => {
    const { agent, person } = await somebody();
    const claims = { id_token: { email: null, phone_number: null } };
    const { body } = await tokensFor(agent, claims, allowed("email", "phone"));
    const again = await refresh(server, app, body.refresh_token);
    expect(decodeJwt(String(again.body["id_token"]))).toMatchObject({ email: person.email });
    const key = { partition: person.partition, ownerId: person.personId, clientId: app.clientId };
    await server.assent.storage.consents.narrow({
      ...{ ...key, remove: ["email"], by: person.personId, now: server.now() },
    });
    const { body: last } = await refresh(server, app, again.body.refresh_token);
    const idToken = decodeJwt(String(last["id_token"]));
    expect([idToken["email"], idToken["phone_number"]]).toEqual([undefined, "+4930123456"]);
  });

  test("OI-14 its scope isn't allowed to the client, or nobody knows the claim → no effect", async () => {
    const { agent } = await somebody();
    const { body, idToken } = await tokensFor(agent, { id_token: { address: null, shoe_size: null, name: null } });
    expect(body.scope).toBe("openid");
    for (const name of ["address", "shoe_size", "name"]) expect(idToken).not.toHaveProperty(name);
  });
});

test("without openid → no effect", async () => {
  const { agent } = await somebody();
  const callback = await authorize(agent, url({ id_token: { email: null } }, { scope: "read" }), "");
  const { body } = await redeem(server, app, callback);
  expect([body.scope, body["id_token"]]).toEqual(["read", undefined]);
});

test("no claim about a person replaces one of the protocol", async () => {
  const { agent, person } = await somebody();
  const asked = {
    iss: { value: "x" },
    aud: null,
    exp: { value: 1 },
    nonce: { value: "n" },
    acr: null,
    auth_time: null,
  };
  const { idToken } = await tokensFor(agent, { id_token: asked, other: 5 });
  expect(idToken).toMatchObject({ iss: server.issuer, aud: app.clientId, sub: person.personId, acr: "1fa" });
  expect(idToken).toHaveProperty("auth_time");
  expect(idToken).not.toHaveProperty("nonce");
});
