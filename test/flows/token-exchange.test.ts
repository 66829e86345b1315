/** Token exchange (RFC 8693): what a client gets, for whom, until when, and what the owner sees of it. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, logged, signedInPerson } from "../support/back-channel.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { postForm } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import {
  API1,
  API2,
  API3,
  addAgent,
  addApis,
  addAssistant,
  aScene,
  assistantTokens,
  exchange,
  isActive,
  type Scene,
  TOKEN_EXCHANGE,
  typeOf,
} from "../support/token-exchange.ts";

let server: TestServer;
let api2: TestClient;
let scene: Scene;
beforeAll(async () => {
  server = await startServer();
  api2 = await addApis(server);
  scene = await aScene(server, api2);
});
afterAll(() => server.stop());

const ownToken = async (client: TestClient) =>
  (await postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" })).body.access_token;

describe("TX-01 a client that may exchange for an API", () => {
  test("→ a token for the owner and that API, with the client as actor, and no refresh token", async () => {
    const { owner, agent, subject } = scene;
    const { status, body } = await exchange(server, agent, subject, { audience: API2 });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(Object.keys(body).sort()).toEqual([
      "access_token",
      "expires_in",
      "issued_token_type",
      "scope",
      "token_type",
    ]);
    expect(body).toMatchObject({ issued_token_type: typeOf("access_token"), token_type: "Bearer", scope: "mail:read" });
    const [claims, before] = [decodeJwt(body.access_token ?? ""), decodeJwt(subject)];
    const { clientId } = agent;
    expect(claims).toMatchObject({ sub: owner.personId, aud: API2, client_id: clientId, act: { sub: clientId } });
    expect(claims["act"]).toEqual({ sub: clientId });
    expect([claims["auth_time"], claims["acr"]]).toEqual([before["auth_time"], before["acr"]]);
    expect(claims.exp).toBeLessThanOrEqual(before.exp ?? 0);
    expect(await isActive(server, api2, body.access_token)).toBe(true);
  });

  test("with the token that it got for itself as the actor → the same; metadata lists the grant type", async () => {
    const { agent, subject } = scene;
    const actor = { actor_token: await ownToken(agent), actor_token_type: typeOf("access_token") };
    const { status, body } = await exchange(server, agent, subject, { resource: API2, ...actor });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(decodeJwt(body.access_token ?? "")["act"]).toEqual({ sub: agent.clientId });
    const metadata = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
    expect((metadata as { grant_types_supported: string[] }).grant_types_supported).toContain(TOKEN_EXCHANGE);
  });

  test("another client's token as the actor, which the policy names → that client acts", async () => {
    const mail = await addAgent(server, {}, { name: "Mail agent" });
    const agent = await addAgent(server, { actors: [mail.clientId] });
    const actor = { actor_token: await ownToken(mail), actor_token_type: typeOf("access_token") };
    const { body } = await exchange(server, agent, scene.subject, { audience: API2, ...actor });
    const { client_id, act } = decodeJwt(body.access_token ?? "");
    expect([client_id, act]).toEqual([agent.clientId, { sub: mail.clientId }]);
  });

  test("neither audience nor scope, and all that is left is for one API → a token for that API", async () => {
    const { body } = await exchange(server, scene.agent, scene.subject);
    expect(decodeJwt(body.access_token ?? "")["aud"]).toBe(API2);
  });
});

describe("TX-10 one client after the other", () => {
  test("five → five nested actors, the latest outermost; a sixth → refused; a client that comes again counts", async () => {
    const { subject } = await aScene(server, api2);
    const agents = [];
    for (let at = 0; at < 5; at += 1) agents.push(await addAgent(server, { sources: [API1, API2] }));
    const chain: TestClient[] = [];
    let token: string | undefined = subject;
    for (const agent of [agents[0], agents[1], agents[0], agents[2], agents[3]] as TestClient[]) {
      const { status, body } = await exchange(server, agent, token, { audience: API2 });
      expect(status, JSON.stringify(body)).toBe(200);
      token = body.access_token;
      chain.unshift(agent);
    }
    const nested = chain.reduceRight<object | undefined>(
      (act, { clientId: sub }) => ({ sub, ...(act && { act }) }),
      undefined,
    );
    expect(decodeJwt(token ?? "")["act"]).toEqual(nested);
    expect(await isActive(server, api2, token)).toBe(true);
    expectRefusal(await exchange(server, agents[4] as TestClient, token, { audience: API2 }), "invalid_request");
  });

  test("for a company → the agent acts for the company through the member who allowed the app", async () => {
    const company = await addCompany(server);
    const admin = await signedInPerson(server, company.admin);
    const { assistant, agent } = scene;
    const { access } = await assistantTokens(server, assistant, admin, {
      answer: { owner: company.companyId, scope: ["read", "write", "mail:read"] },
    });
    const { body } = await exchange(server, agent, access, { audience: API2 });
    const claims = decodeJwt(body.access_token ?? "");
    expect(claims).toMatchObject({ sub: company.companyId, client_id: agent.clientId });
    expect(claims["act"]).toEqual({ sub: agent.clientId, act: { sub: admin.personId } });
    const shown = async (path: string) =>
      (await admin.agent.get(`/company/${company.slug}${path}`)).text.replace(/<[^>]+>/g, "");
    expect(await shown("/history")).toContain("Calendar agent, through Assistant");
    // The page about the app names the agent; the page about another app doesn't.
    const other = await addAssistant(server, { name: "Other" });
    await assistantTokens(server, other, admin, {
      answer: { owner: company.companyId, scope: ["read", "write", "mail:read"] },
    });
    expect(await shown(`/apps/${assistant.clientId}`)).toContain("Calendar agent, through Assistant");
    expect(await shown(`/apps/${other.clientId}`)).toContain("Access now");
    expect(await shown(`/apps/${other.clientId}`)).not.toContain("Calendar agent");
    await decide(server, company, assistant, { rule: "block" });
    expect(await shown(`/apps/${assistant.clientId}`)).not.toContain("Calendar agent");
    expectRefusal(await exchange(server, agent, access, { audience: API2 }), "invalid_request");
    expect(await isActive(server, api2, body.access_token)).toBe(false);
  });
});

describe("TX-20 what the owner sees and ends", () => {
  const text = (html: string) => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

  test("history and dashboard: the agent through the app, once a day; the end of the app's access ends the tokens", async () => {
    const { owner, agent, assistant, subject } = await aScene(server, api2);
    const before = logged(server, "token_exchanged");
    const [one] = [
      (await exchange(server, agent, subject, { audience: API2 })).body.access_token,
      await exchange(server, agent, subject, { audience: API2 }),
    ];
    expect(logged(server, "token_exchanged") - before).toBe(2);
    const history = text((await owner.agent.get("/account/history")).text);
    expect(history.split("Calendar agent, through Assistant")).toHaveLength(2);
    const apps = await owner.agent.get("/account/apps");
    expect(text(apps.text)).toContain("Calendar agent, through Assistant");
    expect(apps.text).not.toContain(`data-client-id="${agent.clientId}"`);
    const events = await server.assent.storage.history.list({
      ...{ partition: owner.partition, ownerId: owner.personId, before: null, limit: 10 },
    });
    expect(events.filter(({ kind }) => kind === "delegated")).toMatchObject([
      { clientId: agent.clientId, record: { through: { clientId: assistant.clientId, clientName: "Assistant" } } },
    ]);
    await revoke(owner, assistant);
    expect(await isActive(server, api2, one)).toBe(false);
    expectRefusal(await exchange(server, agent, subject, { audience: API2 }), "invalid_request");
    expect(text((await owner.agent.get("/account/apps")).text)).not.toContain("Calendar agent");
  });

  test("the owner ends the agent's own access → it gets nothing through the app either, and its token is inactive", async () => {
    const { owner, agent, subject } = await aScene(server, api2);
    await assistantTokens(server, agent, owner);
    const { body } = await exchange(server, agent, subject, { audience: API2 });
    await revoke(owner, agent);
    expectRefusal(await exchange(server, agent, subject, { audience: API2 }), "invalid_request");
    expect(await isActive(server, api2, body.access_token)).toBe(false);
  });

  test("a company blocks the agent, which never asked it → it gets nothing through the app, and its token is inactive", async () => {
    const company = await addCompany(server);
    const admin = await signedInPerson(server, company.admin);
    const { agent, subject } = await aScene(server, api2);
    const answer = { owner: company.companyId };
    const { access } = await assistantTokens(server, await addAssistant(server), admin, {
      answer: { ...answer, scope: ["read", "write", "mail:read"] },
    });
    const asker = await addAgent(
      server,
      { subjects: ["access_token", "id_token"], actors: [agent.clientId] },
      { scopes: ["openid", "mail:read"] },
    );
    const signedIn = await assistantTokens(server, asker, admin, {
      ...{ ask: { scope: "openid mail:read" }, answer, fields: { resource: API2 } },
    });
    const ofIdToken = { subject_token: String(signedIn.body["id_token"]), subject_token_type: typeOf("id_token") };
    const ways = {
      asks: () => exchange(server, agent, access, { audience: API2 }),
      acts: async () => exchange(server, asker, access, { audience: API2, ...(await actorToken()) }),
      "acts under an ID token": async () =>
        exchange(server, asker, undefined, { audience: API2, ...ofIdToken, ...(await actorToken()) }),
      "asks for another owner": () => exchange(server, agent, subject, { audience: API2 }),
    };
    const actorToken = async () => ({ actor_token: await ownToken(agent), actor_token_type: typeOf("access_token") });
    const statuses = () =>
      Promise.all(Object.entries(ways).map(async ([way, go]) => `${way}: ${String((await go()).status)}`));
    expect(await statuses()).toEqual(Object.keys(ways).map((way) => `${way}: 200`));
    const { access_token: token } = (await ways.asks()).body;
    expect(await isActive(server, api2, token)).toBe(true);
    await decide(server, company, agent, { rule: "block" });
    expect(await statuses()).toEqual([
      ...["asks: 400", "acts: 400", "acts under an ID token: 400"],
      "asks for another owner: 200",
    ]);
    expectRefusal(await ways.asks(), "invalid_request");
    expect(await isActive(server, api2, token)).toBe(false);
    await decide(server, company, agent, null);
    expect(await statuses()).toEqual(Object.keys(ways).map((way) => `${way}: 200`));
  });

  async function revoke({ partition, personId }: Scene["owner"], { clientId }: TestClient) {
    const key = { partition, ownerId: personId, clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: server.now() });
  }
});

describe("TX-13 impersonation", () => {
  test("where the operator allows it → no actor, and the history says so; with an actor token → an actor", async () => {
    const { owner, subject } = await aScene(server, api2);
    const agent = await addAgent(server, { impersonation: true });
    const { body } = await exchange(server, agent, subject, { audience: API2 });
    expect(decodeJwt(body.access_token ?? "")).not.toHaveProperty("act");
    const key = { partition: owner.partition, ownerId: owner.personId };
    const told = await server.assent.storage.history.list({ ...key, before: null, limit: 1 });
    expect(told).toMatchObject([{ kind: "delegated", record: { impersonation: true } }]);
    const actor = { actor_token: await ownToken(agent), actor_token_type: typeOf("access_token") };
    const named = (await exchange(server, agent, subject, { audience: API2, ...actor })).body.access_token;
    expect(decodeJwt(named ?? "")["act"]).toEqual({ sub: agent.clientId });
  });

  test("where it is not allowed → the client is the actor, whatever it asks", async () => {
    const { body } = await exchange(server, scene.agent, scene.subject, { audience: API2, actor_token: "" });
    expect(decodeJwt(body.access_token ?? "")["act"]).toEqual({ sub: scene.agent.clientId });
  });
});

describe("TX-08 more than the owner granted to the app", () => {
  test("→ invalid_scope; after the owner allowed it to the client itself → the scope, until that consent ends", async () => {
    const { owner, agent, subject } = await aScene(server, api2);
    const more = () => exchange(server, agent, subject, { audience: API2, scope: "mail:read mail:write" });
    const refused = await more();
    expectRefusal(refused, "invalid_scope");
    expect(refused.body["error_uri"]).toContain("exchange_scope_exceeds_grant");
    await assistantTokens(server, agent, owner, {
      ask: { scope: "mail:write" },
      answer: { duration: "3600" },
      fields: { resource: API2 },
    });
    const { status, body } = await more();
    expect([status, body.scope]).toEqual([200, "mail:read mail:write"]);
    expect(decodeJwt(body.access_token ?? "").sub).toBe(owner.personId);
  });
});

describe("TX-09 the end of an exchanged token", () => {
  test("is never after the subject token's, however often it is exchanged", async () => {
    const { subject } = await aScene(server, api2);
    const agent = await addAgent(server, { sources: [API1, API2] });
    server.tick(400_000);
    let token: string | undefined = subject;
    for (let at = 0; at < 4; at += 1) {
      token = (await exchange(server, agent, token, { audience: API2 })).body.access_token;
      expect(decodeJwt(token ?? "").exp).toBeLessThanOrEqual(decodeJwt(subject).exp ?? 0);
    }
  });

  test("is not after the consent's; a subject token that is about to expire → refused", async () => {
    const [owner, agent] = [await signedInPerson(server), await addAgent(server)];
    const { access } = await assistantTokens(server, await addAssistant(server), owner);
    const consents = await server.assent.storage.consents.list({
      ...{ partition: owner.partition, ownerId: owner.personId, now: server.now() },
    });
    const end = server.now() + 45_000;
    await server.assent.storage.consents.changeEnd({
      ...{ partition: owner.partition, ownerId: owner.personId, clientId: consents[0]?.consent.clientId ?? "" },
      ...{ end, ceiling: null, by: owner.personId, now: server.now() },
    });
    const { body } = await exchange(server, agent, access, { audience: API2 });
    expect((decodeJwt(body.access_token ?? "").exp ?? 0) * 1000).toBeLessThanOrEqual(end);
    const { subject } = await aScene(server, api2);
    server.tick(599_000);
    expectRefusal(await exchange(server, scene.agent, subject, { audience: API2 }), "invalid_request");
  });
});

describe("TX-17, TX-18 other subjects that are right", () => {
  test("its own refresh token → a token under the same grant; the refresh token stays as it is", async () => {
    const owner = await signedInPerson(server);
    const agent = await addAgent(
      server,
      { subjects: ["refresh_token"], audiences: [API1, API2], scopes: ["mail:read", "write"] },
      { refresh: "rotate" },
    );
    const { refresh: token } = await assistantTokens(server, agent, owner);
    const asked = { subject_token_type: typeOf("refresh_token"), audience: API2 };
    const { status, body } = await exchange(server, agent, token, asked);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(decodeJwt(body.access_token ?? "")).toMatchObject({ sub: owner.personId, aud: API2, scope: "mail:read" });
    expect(body).not.toHaveProperty("refresh_token");
    const again = await postForm(server, "/token", agent, {
      grant_type: "refresh_token",
      refresh_token: token,
      resource: API1,
    });
    expect(again.status).toBe(200);
    expectRefusal(await exchange(server, agent, token, asked), "invalid_request");
    expect((await exchange(server, agent, again.body.refresh_token, asked)).status).toBe(200);
  });

  test("its own ID token → a token under the owner's consent to the client, and nothing more", async () => {
    const owner = await signedInPerson(server);
    const agent = await addAgent(server, { subjects: ["id_token"] }, { scopes: ["openid", "mail:read", "mail:write"] });
    const { body: signedIn } = await assistantTokens(server, agent, owner, {
      ask: { scope: "openid mail:read" },
      answer: {},
      fields: { resource: API2 },
    });
    const asked = { subject_token_type: typeOf("id_token"), audience: API2 };
    const token = String(signedIn["id_token"]);
    const { status, body } = await exchange(server, agent, token, asked);
    expect(status, JSON.stringify(body)).toBe(200);
    const claims = decodeJwt(body.access_token ?? "");
    expect(claims).toMatchObject({ sub: owner.personId, aud: API2, scope: "mail:read", act: { sub: agent.clientId } });
    expect(claims.exp).toBeLessThanOrEqual(decodeJwt(token).exp ?? 0);
    expectRefusal(await exchange(server, agent, token, { ...asked, scope: "mail:write" }), "invalid_scope");
    server.tick(601_000);
    expectRefusal(await exchange(server, agent, token, asked), "invalid_request");
  });
});

test("an ID token, and an actor whom the owner paused or removed → refused", async () => {
  const owner = await signedInPerson(server);
  const actor = await addAgent(server);
  const policy = { subjects: ["id_token"], actors: [actor.clientId] } as const;
  const asker = await addAgent(server, policy, { scopes: ["openid", "mail:read"] });
  const api = { answer: {}, fields: { resource: API2 } };
  const { body } = await assistantTokens(server, asker, owner, { ask: { scope: "openid mail:read" }, ...api });
  await assistantTokens(server, actor, owner, { ask: { scope: "mail:read" }, ...api });
  const asked = {
    ...{ subject_token_type: typeOf("id_token"), audience: API2 },
    ...{ actor_token: await ownToken(actor), actor_token_type: typeOf("access_token") },
  };
  const ask = () => exchange(server, asker, String(body["id_token"]), asked);
  expect(decodeJwt((await ask()).body.access_token ?? "")["act"]).toEqual({ sub: actor.clientId });
  const { partition, personId: ownerId } = owner;
  const of = { partition, ownerId, clientId: actor.clientId };
  const { consents } = server.assent.storage;
  await consents.setPaused({ ...of, paused: true, by: ownerId, now: server.now() });
  expectRefusal(await ask(), "invalid_request");
  await consents.setPaused({ ...of, paused: false, by: ownerId, now: server.now() });
  expect((await ask()).status).toBe(200);
  await consents.revoke({ ...of, revokedBy: ownerId, now: server.now() });
  expectRefusal(await ask(), "invalid_request");
});

test("TX-21 requested_token_type jwt → the type is told; for an API with opaque tokens → refused", async () => {
  const { agent, subject } = await aScene(server, api2);
  const asked = { audience: API2, requested_token_type: typeOf("jwt") };
  expect((await exchange(server, agent, subject, asked)).body).toMatchObject({ issued_token_type: typeOf("jwt") });
  await server.addResource({ identifier: API3, name: "Files", tokenFormat: "opaque" });
  const opaque = await addAgent(server, { audiences: [API3], scopes: ["files:read"] });
  await settle();
  expectRefusal(await exchange(server, opaque, subject, { ...asked, audience: API3 }), "invalid_request");
});
