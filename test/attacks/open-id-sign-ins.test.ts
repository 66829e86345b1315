/** What ID tokens and UserInfo say after a weaker sign-in, and when a person acts for a company (OpenID Connect Core §2). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;

let server: TestServer;
let app: TestClient;
beforeAll(async () => {
  server = await startServer({ host: "localhost" });
  app = await server.addClient({ scopes: ["openid", "profile", "read"] });
});
afterAll(() => server.stop());

function optionsOf(page: Page) {
  const found = /data-options="([^"]*)"/.exec(page.text)?.[1] ?? "";
  return JSON.parse(found.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

/** A person with a passkey, and a browser in which they signed in with it an hour ago. */
async function withPasskey() {
  const person = await server.addPerson();
  const key = new SoftAuthenticator(server.issuer);
  const adding = new Agent(server.issuer);
  await signIn(adding, person.username);
  const page = await adding.get("/account/security/passkeys");
  await adding.submit(formWith(page, "credential"), { name: "A key", credential: key.create(optionsOf(page)) });
  const agent = new Agent(server.issuer);
  await byPasskey(agent, key, await agent.get("/login"));
  const at = Math.floor(server.now() / 1000);
  server.tick(HOUR);
  return { person, key, agent, at };
}

async function byPasskey(agent: Agent, key: SoftAuthenticator, page: Page): Promise<Page> {
  const credential = key.get(optionsOf(page));
  return agent.follow(await agent.submit(formWith(page, "credential"), { credential }));
}

const url = (changes: Record<string, string> = {}) => authorizeUrl(server, app, { scope: "openid", ...changes });

async function idTokenAfter(agent: Agent, page: Page) {
  const answer = page.location === undefined ? await agent.submit(consentForm(page), { decision: "allow" }) : page;
  const { body } = await redeem(server, app, answer.location ?? "");
  return decodeJwt(String(body["id_token"]));
}

describe("OI-18 a session by passkey, an hour old", () => {
  test("signed in again by password alone → the password's acr, amr and time, no passkey's", async () => {
    const { person, agent } = await withPasskey();
    const again = await agent.follow(await agent.get(url({ max_age: "60" })));
    const form = formWith(again, "password");
    const page = await agent.follow(await agent.submit(form, { username: person.username, password: PASSWORD }));
    const { acr, amr, auth_time } = await idTokenAfter(agent, page);
    expect([acr, amr]).toEqual(["1fa", ["pwd"]]);
    expect(Math.floor(server.now() / 1000) - Number(auth_time)).toBeLessThanOrEqual(60);
  });

  test("a passkey is essential → the password alone gives no code; the passkey gives phr", async () => {
    const { person, agent, key } = await withPasskey();
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ["phr"] } } });
    const again = await agent.follow(await agent.get(url({ max_age: "60", claims })));
    const form = formWith(again, "password");
    const weak = await agent.follow(await agent.submit(form, { username: person.username, password: PASSWORD }));
    expect([weak.status, weak.location]).toEqual([200, undefined]);
    expect(weak.forms.some(({ action }) => action.endsWith("/consent"))).toBe(false);
    const asked = await agent.follow(await agent.get(url({ max_age: "60", claims })));
    const { acr, amr } = await idTokenAfter(agent, await byPasskey(agent, key, asked));
    expect([acr, amr]).toEqual(["phr", ["hwk", "user", "mfa"]]);
  });

  test("pages of the account are opened → the time of the sign-in stays", async () => {
    const { agent, at } = await withPasskey();
    for (const path of ["/account/apps", "/account/security", "/account/profile"]) await agent.get(path);
    const { acr, auth_time } = await idTokenAfter(agent, await agent.follow(await agent.get(url())));
    expect(acr).toBe("phr");
    expect(Math.abs(Number(auth_time) - at)).toBeLessThanOrEqual(5);
  });
});

describe("OI-23 somebody acts for a company", () => {
  const userInfo = async (token: unknown) => {
    const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as Record<string, unknown>;
  };
  const tokensOf = async (agent: Agent, username: string, owner: string) => {
    const ask = { scope: "openid read" };
    return (await redeem(server, app, await authorize(agent, url(ask), username, { owner }))).body;
  };

  test("→ ID token and UserInfo are about the person, the access token about the company; a former member can't refresh", async () => {
    const acme = await addCompany(server);
    const { admin: alice, partition, companyId } = acme;
    const body = await tokensOf(new Agent(server.issuer), alice.username, companyId);
    expect(decodeJwt(String(body["id_token"]))).toMatchObject({ sub: alice.personId, organization: companyId });
    expect(await userInfo(body.access_token)).toMatchObject({ sub: alice.personId, organization: companyId });
    expect(decodeJwt(String(body.access_token))).toMatchObject({ sub: companyId, act: { sub: alice.personId } });
    const again = await refresh(server, app, body.refresh_token);
    expect(decodeJwt(String(again.body["id_token"]))).toMatchObject({ sub: alice.personId, organization: companyId });
    await addMember(server, acme, await server.addPerson(), "admin");
    const key = { partition, companyId, now: server.now() };
    await server.assent.storage.members.remove({ ...key, person: alice, by: null });
    const gone = await refresh(server, app, again.body.refresh_token);
    expect([gone.status, gone.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("for themselves → no organization and no act", async () => {
    const { admin: alice } = await addCompany(server);
    const body = await tokensOf(new Agent(server.issuer), alice.username, alice.personId);
    expect(decodeJwt(String(body["id_token"]))).not.toHaveProperty("organization");
    expect(await userInfo(body.access_token)).toEqual({ sub: alice.personId });
    expect(decodeJwt(String(body.access_token))).not.toHaveProperty("act");
  });
});
