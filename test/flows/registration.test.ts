/** Clients that register themselves and manage their registration (RFC 7591, RFC 7592). */

import * as openIdClient from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientRemarks, surroundings, updateClient } from "../../packages/server/src/admin/clients.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { signedInPerson, tokensOf } from "../support/back-channel.ts";
import { addCompany } from "../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, type Page, pkce, refresh, signIn } from "../support/http-browser.ts";
import {
  aNetwork,
  anInitialToken,
  aRegistration,
  CALLBACK,
  clientOf,
  manage,
  type Registration,
  register,
  send,
} from "../support/registration.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

let open: TestServer;
let closed: TestServer;

beforeAll(async () => {
  [open, closed] = await Promise.all([
    startServer({ config: { registration: "open", trustProxy: ["127.0.0.0/8"], registrationDefaultScopes: ["read"] } }),
    startServer({ config: { registration: "token", trustProxy: ["127.0.0.0/8"] } }),
  ]);
});
afterAll(() => Promise.all([open.stop(), closed.stop()]));

const challenge = () => ({ code_challenge: pkce().challenge, code_challenge_method: "S256" });
const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action.endsWith("/consent"));
const admin = (server: TestServer) => adminOf(server.assent.storage, server.issuer, server.now);
const stored = async (server: TestServer, { body }: Registration) =>
  (await server.assent.storage.clients.get({ clientId: body.client_id ?? "" }))?.record;

async function made(server: TestServer, changes: object = {}): Promise<Registration> {
  const answer = await register(server, { ...aRegistration, ...changes });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer;
}

describe("RFC 7591 §3 registration", () => {
  test("switched off → 404, and metadata does not name it; on → metadata names it", async () => {
    const off = await startServer();
    try {
      expect((await register(off)).status).toBe(404);
      expect((await send("GET", `${off.issuer}/register/abc`, undefined)).status).toBe(404);
      const metadata = async ({ issuer }: TestServer) =>
        (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as object;
      expect(await metadata(off)).not.toHaveProperty("registration_endpoint");
      expect(await metadata(open)).toMatchObject({ registration_endpoint: `${open.issuer}/register` });
    } finally {
      await off.stop();
    }
  });

  test("a public client → 201 with everything as registered, no secret; its owner allows it, tokens, refresh", async () => {
    const answer = await made(open, { client_uri: "https://stranger.test", "client_name#de": "Fremder" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { client_id: id, registration_access_token: token, client_id_issued_at: at, ...rest } = answer.body;
    expect(token).toMatch(/^rat_[\w-]{43}$/);
    expect(Math.abs(Number(at) - open.now() / 1000)).toBeLessThan(60);
    expect(rest).toEqual({
      ...aRegistration,
      "client_name#de": "Fremder",
      response_types: ["code"],
      scope: rest["scope"],
      registration_client_uri: `${open.issuer}/register/${id}`,
      application_type: "web",
      subject_type: "public",
      id_token_signed_response_alg: "RS256",
      client_uri: "https://stranger.test",
    });
    expect(String(rest["scope"]).split(" ").sort()).toEqual([
      "address",
      "email",
      "offline_access",
      "openid",
      "phone",
      "profile",
      "read",
      "write",
    ]);
    const client = clientOf(answer);
    const owner = await signedInPerson(open);
    const page = await owner.agent.get(authorizeUrl(open, client, challenge()));
    expect(page.text).toContain("stranger.test");
    expect(page.text).toContain("Not verified");
    const { refresh: refreshToken } = await tokensOf(open, client, owner);
    expect((await refresh(open, client, refreshToken)).status).toBe(200);
  });

  test("a confidential client by default → a secret that works, shown once; PKCE is required", async () => {
    const answer = await register(open, { client_name: "Confidential", redirect_uris: [CALLBACK] });
    expect(answer.body).toMatchObject({
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      client_secret_expires_at: 0,
    });
    expect(answer.body.client_secret).toMatch(/^cs_[\w-]{43}$/);
    const owner = await signedInPerson(open);
    const client = clientOf(answer);
    const refused = await owner.agent.get(authorizeUrl(open, client));
    expect(refused.text + String(refused.location ?? "")).toMatch(/code_challenge/);
    const { body } = await tokensOf(open, client, owner);
    expect(body.access_token).toBeDefined();
    const again = await manage("GET", answer);
    expect([again.status, again.body.client_secret]).toEqual([200, undefined]);
    expect(again.body.registration_access_token).toBe(answer.body.registration_access_token);
  });

  test("a request without scope → the default scopes of the policy", async () => {
    const client = clientOf(await made(open));
    const { agent } = await signedInPerson(open);
    expect(asksConsent(await agent.get(authorizeUrl(open, client, { ...challenge(), scope: undefined })))).toBe(true);
  });

  test("default_max_age → a sign-in that is older asks again; require_auth_time and contacts are kept", async () => {
    const extras = { default_max_age: 60, require_auth_time: true, contacts: ["ops@stranger.test"], software_id: "s" };
    const answer = await made(open, { ...extras, software_version: "1.0" });
    expect(answer.body).toMatchObject(extras);
    const { agent } = await signedInPerson(open);
    const url = authorizeUrl(open, clientOf(answer), challenge());
    expect(asksConsent(await agent.follow(await agent.get(url)))).toBe(true);
    open.tick(61_000);
    expect(asksConsent(await agent.follow(await agent.get(url)))).toBe(false);
  });

  test("an initial access token → 2 uses, of 20 at once exactly 2 register; a policy of its own; expiry", async () => {
    const token = await anInitialToken(closed, { uses: 2, policy: { scopes: ["read"], redirectHosts: ["own.test"] } });
    const mine = { ...aRegistration, redirect_uris: ["https://own.test/cb"] };
    expect((await register(closed, aRegistration, { token })).body.error).toBe("invalid_redirect_uri");
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(closed, mine, { token })));
    const good = answers.filter(({ status }) => status === 201);
    expect([good.length, new Set(answers.map(({ status }) => status))]).toEqual([2, new Set([201, 401])]);
    expect(good.map(({ body }) => body["scope"])).toEqual(["read", "read"]);
    const [record] = await closed.assent.storage.registrations.listTokens();
    expect(record).toMatchObject({ uses: 2, used: 2 });
  });

  test("terms of an initial access token → reviewed, no PKCE, endpoint as audience; the client can't claim them", async () => {
    const claimed = { ...aRegistration, reviewed: true, require_pkce: false, token_endpoint_audience: true };
    const terms = { reviewed: true, requirePkce: false, tokenEndpointAudience: true } as const;
    const strict = { reviewed: false, requirePkce: true, tokenEndpointAudience: false };
    for (const [policy, expected] of [[{}, strict] as const, [terms, terms] as const]) {
      const token = await anInitialToken(closed, { policy });
      expect(await stored(closed, await register(closed, claimed, { token }))).toMatchObject(expected);
    }

    // With them, a public client must still use PKCE, and a new name ends the review.
    const token = await anInitialToken(closed, { uses: 2, policy: terms });
    const metadata = { ...aRegistration, token_endpoint_auth_method: "none" };
    const app = await register(closed, metadata, { token });
    const { agent } = await signedInPerson(closed);
    const plain = { code_challenge: undefined, code_challenge_method: undefined };
    const refused = await agent.get(authorizeUrl(closed, clientOf(app), plain));
    expect(new URL(refused.location ?? "").searchParams.get("error_description")).toContain("code_challenge");
    expect(
      (await manage("PUT", app, { ...metadata, client_id: app.body.client_id, client_name: "Another Name" })).status,
    ).toBe(200);
    expect(await stored(closed, app)).toMatchObject({ reviewed: false });
  });

  test("what an operator relaxed for a reviewed client → strict again with another name, except the token's terms; nothing is looser", async () => {
    const relaxed = {
      ...{ reviewed: true, requirePkce: false, allowPlainPkce: true, tokenEndpointAudience: true },
      ...{ consentCeiling: "none" as const, refresh: "keep" as const },
    };
    const metadata = { ...aRegistration, token_endpoint_auth_method: "client_secret_basic" };
    const terms = { requirePkce: false } as const;
    for (const [policy, requirePkce] of [[{}, true] as const, [terms, false] as const]) {
      const token = await anInitialToken(closed, { policy });
      const app = await register(closed, metadata, { token });
      const id = clientOf(app).clientId;
      await updateClient(id, relaxed, admin(closed));
      const again = { ...metadata, client_id: id, client_name: "Another Name" };
      expect((await manage("PUT", app, { ...metadata, client_id: id })).status).toBe(200);
      expect(await stored(closed, app)).toMatchObject(relaxed);
      expect((await manage("PUT", app, again)).status).toBe(200);
      expect(await stored(closed, app)).toMatchObject({
        ...{ reviewed: false, requirePkce, allowPlainPkce: false, tokenEndpointAudience: false },
        ...{ consentCeiling: null, refresh: "rotate" },
      });
      const warned = clientRemarks((await stored(closed, app)) as Client, await surroundings(admin(closed)));
      expect(warned.some(({ field }) => field === "reviewed")).toBe(!requirePkce);
      await updateClient(id, { requirePkce: true }, admin(closed));
      expect((await manage("PUT", app, { ...again, client_name: "A Third Name" })).status).toBe(200);
      expect(await stored(closed, app)).toMatchObject({ requirePkce: true });
    }
  });

  test("openid-client registers, and uses what it got", async () => {
    const config = await openIdClient.dynamicClientRegistration(
      new URL(closed.issuer),
      { client_name: "Library", redirect_uris: [CALLBACK], grant_types: ["authorization_code", "refresh_token"] },
      openIdClient.ClientSecretBasic(),
      {
        initialAccessToken: await anInitialToken(closed),
        execute: [openIdClient.allowInsecureRequests],
      },
    );
    const { client_id: clientId, client_secret: secret } = config.clientMetadata();
    const owner = await signedInPerson(closed);
    const client = { clientId, secret: String(secret), redirectUris: [CALLBACK], type: "confidential" };
    const { body } = await tokensOf(closed, client as never, owner);
    expect(body.access_token).toBeDefined();
    const ended = await openIdClient.tokenRevocation(config, String(body.refresh_token));
    expect(ended).toBeUndefined();
  });

  test("a browser of any origin may register: CORS without credentials", async () => {
    const preflight = await fetch(`${open.issuer}/register`, {
      method: "OPTIONS",
      headers: { origin: "https://a.test" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    const answer = await register(open, aRegistration, { headers: { ...aNetwork(), origin: "https://a.test" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("RFC 7592 management", () => {
  test("GET → as registered; PUT replaces all; DELETE → 204, grants and tokens end, then 401", async () => {
    const answer = await made(open, { policy_uri: "https://stranger.test/policy" });
    const owner = await signedInPerson(open);
    const { refresh: refreshToken } = await tokensOf(open, clientOf(answer), owner);
    const { client_id } = answer.body;
    const put = await manage("PUT", answer, { ...aRegistration, client_id, client_name: "Renamed" });
    expect([put.status, put.body["client_name"], put.body["policy_uri"]]).toEqual([200, "Renamed", undefined]);
    expect((await manage("GET", answer)).body).toEqual(put.body);
    const gone = await manage("DELETE", answer);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await refresh(open, clientOf(answer), refreshToken)).status).toBe(401);
    expect((await manage("GET", answer)).status).toBe(401);
    expect((await owner.agent.get("/account/apps")).text).not.toContain("Renamed");
    const history = (await owner.agent.get("/account/history")).text.replaceAll(/<[^>]*>/g, "");
    expect(history).toContain("Renamed was disconnected because it ended its own registration here");
  });

  test("a changed name or redirect host asks the owner again; a changed key does not", async () => {
    const answer = await made(open);
    const client = clientOf(answer);
    await updateClient(client.clientId, { reviewed: true }, admin(open));
    await settle();
    const owner = await signedInPerson(open);
    await tokensOf(open, client, owner);
    const ask = async (redirect_uri = CALLBACK) =>
      asksConsent(await owner.agent.get(authorizeUrl(open, client, { ...challenge(), redirect_uri })));
    expect(await ask()).toBe(false);
    const id = { client_id: client.clientId };
    expect((await manage("PUT", answer, { ...aRegistration, ...id, tos_uri: "https://stranger.test/t" })).status).toBe(
      200,
    );
    expect(await ask()).toBe(false);
    expect((await stored(open, answer))?.reviewed).toBe(true);
    await manage("PUT", answer, { ...aRegistration, ...id, client_name: "Your Bank" });
    expect(await ask()).toBe(true);
    expect((await stored(open, answer))?.reviewed).toBe(false);
    const page = await owner.agent.get(authorizeUrl(open, client, challenge()));
    expect(page.text).toContain("changed its name or logo");
    expect(page.text).toContain("Earlier access doesn’t change.");
    expect(page.text).toContain("nothing changes: the app keeps the access that it has");
    await updateClient(client.clientId, { reviewed: true }, admin(open));
    await settle();
    const other = "https://other.test/cb";
    await manage("PUT", answer, {
      ...aRegistration,
      ...id,
      client_name: "Your Bank",
      redirect_uris: [CALLBACK, other],
    });
    expect(await ask(other)).toBe(true);
    expect((await stored(open, answer))?.reviewed).toBe(false);
  });

  test("the name changes between the page and the answer → nothing is allowed, and the page shows the new name", async () => {
    const answer = await made(open);
    const { agent } = await signedInPerson(open);
    const page = await agent.get(authorizeUrl(open, clientOf(answer), challenge()));
    await manage("PUT", answer, { ...aRegistration, client_id: answer.body.client_id, client_name: "Your Bank" });
    const again = await agent.submit(consentForm(page), { decision: "allow" });
    expect([again.status, again.location]).toEqual([400, undefined]);
    expect(again.text).toContain("Your Bank");
    const allowed = await agent.submit(consentForm(again), { decision: "allow" });
    expect(allowed.location?.searchParams.has("code")).toBe(true);
  });

  test("the name changes while a member asks their admins → nobody is asked, and the page shows the new name; asked there → they are", async () => {
    const answer = await made(open);
    const company = await addCompany(open);
    const agent = new Agent(open.issuer);
    await signIn(agent, company.member.username);
    const page = await agent.get(authorizeUrl(open, clientOf(answer), challenge()));
    const choice = { decision: "allow", owner: company.companyId };
    const asking = await agent.submit(consentForm(page), choice);
    const wish = ({ forms }: Page) => {
      const form = forms.find(({ action }) => action.endsWith("/ask"));
      if (form === undefined) throw new Error("no form that asks the admins");
      return form;
    };
    const requests = () => open.assent.storage.companyApps.listRequests({ ...company, limit: 10 });
    await manage("PUT", answer, { ...aRegistration, client_id: answer.body.client_id, client_name: "Your Bank" });
    const again = await agent.submit(wish(asking), { decision: "ask", reason: "For the fair" });
    expect(again.text).toContain("Your Bank");
    expect(again.text).not.toContain("have been asked");
    expect(await requests()).toEqual([]);
    const told = await agent.submit(wish(await agent.submit(consentForm(again), choice)), {
      decision: "ask",
      reason: "For the fair",
    });
    expect(told.text).toContain("have been asked");
    expect(await requests()).toMatchObject([{ clientId: clientOf(answer).clientId }]);
  });

  test("another method that needs a secret → a new secret in the answer; public ↔ confidential → 400", async () => {
    const answer = await made(open, { token_endpoint_auth_method: "client_secret_basic" });
    const { client_id, client_secret } = answer.body;
    const put = (method: string) =>
      manage("PUT", answer, { ...aRegistration, client_id, token_endpoint_auth_method: method });
    expect((await put("client_secret_post")).body.client_secret).toBeUndefined();
    expect((await put("client_secret_jwt")).body.client_secret).toMatch(/^cs_/);
    expect((await put("none")).body.error).toBe("invalid_client_metadata");
    const wrong = { ...aRegistration, client_id, token_endpoint_auth_method: "client_secret_basic" };
    expect((await manage("PUT", answer, { ...wrong, client_secret })).status).toBe(400);
  });
});

test("a client that nobody used for 30 days is forgotten; one with a consent, and a reviewed one, stay", async () => {
  const [unused, used, reviewed] = [await made(open), await made(open), await made(open)];
  await tokensOf(open, clientOf(used), await signedInPerson(open));
  await updateClient(clientOf(reviewed).clientId, { reviewed: true }, admin(open));
  const { storage } = open.assent;
  await storage.housekeeping.collectGarbage({ now: open.now() + 29 * 86_400_000, limit: 100_000 });
  expect(await stored(open, unused)).toBeDefined();
  const later = open.now() + 31 * 86_400_000;
  expect(await storage.housekeeping.backlog({ now: later, most: 1000 })).toMatchObject({
    unused_clients: expect.any(Number),
  });
  await storage.housekeeping.collectGarbage({ now: later, limit: 100_000 });
  expect(await stored(open, unused)).toBeUndefined();
  expect([await stored(open, used), await stored(open, reviewed)]).not.toContain(undefined);
  expect((await storage.housekeeping.backlog({ now: later, most: 1000 }))["unused_clients"]).toBe(0);
});
