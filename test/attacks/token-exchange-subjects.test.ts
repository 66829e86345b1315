/** Token exchange (RFC 8693) with subject tokens of other issuers, refresh tokens and ID tokens. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginEpoch } from "../../packages/server/src/admin/index.ts";
import { configOf } from "../../packages/server/src/index.ts";
import { aJwtIssuer, claimsFor, jwtOf, trust } from "../support/assertion-requests.ts";
import { copyOf, expectRefusal, expectUnlogged, logged, signedInPerson } from "../support/back-channel.ts";
import { postForm } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import {
  API1,
  API2,
  addAgent,
  addApis,
  addAssistant,
  aScene,
  assistantTokens,
  conditionOf,
  exchange,
  expectSubjectRefused,
  type Scene,
  typeOf,
} from "../support/token-exchange.ts";

let server: TestServer;
let scene: Scene;
beforeAll(async () => {
  server = await startServer();
  scene = await aScene(server, await addApis(server));
});
afterAll(() => server.stop());

const use = (more: Record<string, string | undefined> = {}, subject = scene.subject, agent = scene.agent) =>
  exchange(server, agent, subject, { audience: API2, ...more });

describe("TX-15 JWTs of other issuers", () => {
  const idp = aJwtIssuer("https://idp.test");
  const trusting = (changes: object = {}) =>
    trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks, ...changes });
  const agentFor = () => addAgent(server, { subjects: ["jwt"], audiences: [API1], scopes: ["read"] });
  const ask = async (agent: TestClient, changes: object = {}, more: Record<string, string> = {}) => {
    const { owner } = scene;
    const jwt = jwtOf(idp, { ...claimsFor(server, idp, owner.username), ...changes });
    return exchange(server, agent, jwt, { subject_token_type: typeOf("jwt"), audience: API1, ...more });
  };

  test("trusted only for the grant of RFC 7523; for other clients; disabled; not this subject → one text", async () => {
    const agent = await agentFor();
    for (const record of [
      {},
      { exchange: true, clients: ["another"] },
      { exchange: true, status: "disabled" },
      { exchange: true, subjects: ["somebody"] },
      { exchange: true, maxLifetime: 10 },
    ]) {
      await trusting(record);
      await expectSubjectRefused(ask(agent));
    }
    await trusting({ exchange: true, clients: [agent.clientId] });
    const { status, body } = await ask(agent);
    expect(status, JSON.stringify(body)).toBe(200);
    const claims = decodeJwt(body.access_token ?? "");
    expect(claims).toMatchObject({ sub: scene.owner.personId, scope: "read", act: { sub: agent.clientId } });
    expect(body).not.toHaveProperty("refresh_token");
  });

  test("for another audience, expired, without jti, of an unknown issuer → one text", async () => {
    await trusting({ exchange: true });
    const agent = await agentFor();
    const now = Math.floor(server.now() / 1000);
    for (const changes of [{ aud: API1 }, { exp: now - 60 }, { jti: undefined }, { iss: "https://other.test" }])
      await expectSubjectRefused(ask(agent, changes));
  });

  test("twice, or 20 times at once → one token", async () => {
    await trusting({ exchange: true });
    const agent = await agentFor();
    const jwt = jwtOf(idp, claimsFor(server, idp, scene.owner.username));
    const asked = { subject_token_type: typeOf("jwt"), audience: API1 };
    const all = await Promise.all(Array.from({ length: 20 }, () => exchange(server, agent, jwt, asked)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    await expectSubjectRefused(exchange(server, agent, jwt, asked));
  });

  test("may_act that names the client → a token; another party, an unknown member, an empty or wrong form → invalid_request", async () => {
    await trusting({ exchange: true });
    const agent = await agentFor();
    const sub = agent.clientId;
    for (const may_act of [
      { sub: "another" },
      { sub, iss: "https://other.test" },
      { sub, role: "x" },
      {},
      "x",
      null,
      [],
    ])
      expect(conditionOf(await ask(agent, { may_act })), JSON.stringify(may_act)).toBe("exchange_actor_not_named");
    expect((await ask(agent, { may_act: { sub, iss: server.issuer } })).status).toBe(200);
  });

  test("a scope beyond the issuer's record or the policy, an API that is not allowed → refused, and the JWT is unspent", async () => {
    await trusting({ exchange: true, scopes: ["read"] });
    const agent = await addAgent(server, { subjects: ["jwt"], audiences: [API1], scopes: ["read", "write"] });
    const jwt = jwtOf(idp, claimsFor(server, idp, scene.owner.username));
    const asked = { subject_token_type: typeOf("jwt") };
    expectRefusal(await exchange(server, agent, jwt, { ...asked, audience: API1, scope: "write" }), "invalid_scope");
    expectRefusal(await exchange(server, agent, jwt, { ...asked, audience: API2 }), "invalid_target");
    expect((await exchange(server, agent, jwt, { ...asked, audience: API1 })).status).toBe(200);
  });
});

describe("TX-17 refresh tokens as subjects", () => {
  test("of another client, with a byte more, spent → refused; no row changes, and nothing is theft", async () => {
    const agent = await addAgent(server, { subjects: ["refresh_token"] }, { refresh: "rotate" });
    const ask = (token: string | undefined) => use({ subject_token_type: typeOf("refresh_token") }, token ?? "", agent);
    await expectSubjectRefused(ask(scene.refreshToken));
    const owner = await signedInPerson(server);
    const { refresh: first } = await assistantTokens(server, agent, owner);
    await expectSubjectRefused(ask(`${first}A`));
    const fields = { grant_type: "refresh_token", refresh_token: first, resource: API1 };
    const { body } = await postForm(server, "/token", agent, fields);
    await expectSubjectRefused(ask(first));
    expect([logged(server, "refresh_token_replayed"), logged(server, "refresh_token_of_other_client")]).toEqual([0, 0]);
    expect((await ask(body.refresh_token)).status).toBe(200);
    const theirs = { grant_type: "refresh_token", refresh_token: scene.refreshToken, resource: API1 };
    expect((await postForm(server, "/token", scene.assistant, theirs)).status).toBe(200);
    expectUnlogged(server, first, body.refresh_token ?? "");
  });
});

test("TX-18 an ID token of another client, an access token → refused", async () => {
  const agent = await addAgent(server, { subjects: ["id_token"] });
  const assistant = await addAssistant(server, { scopes: ["openid", "mail:read"] });
  const owner = await signedInPerson(server);
  const asking = { ask: { scope: "openid mail:read" }, answer: {}, fields: { resource: API2 } };
  const { body } = await assistantTokens(server, assistant, owner, asking);
  const ask = (token: unknown) => use({ subject_token_type: typeOf("id_token") }, String(token), agent);
  await expectSubjectRefused(ask(body["id_token"]));
  await expectSubjectRefused(ask(body.access_token));
});

test("TX-04 issued before the database was restored, access token and ID token → refused, though the consents were kept; without a restore → 200", async () => {
  const own = await addAgent(server, { subjects: ["id_token"] }, { scopes: ["openid", "mail:read"] });
  const asking = { ask: { scope: "openid mail:read" }, answer: {}, fields: { resource: API2 } };
  const { body } = await assistantTokens(server, own, await signedInPerson(server), asking);
  /** What both exchanges give at a server on a copy of the data. */
  const exchanged = async (dataDir: string) => {
    const copied = await startServer({ dataDir, config: { issuer: server.issuer } });
    try {
      copied.tick(server.now() - copied.now());
      const at = { issuer: copied.url };
      const idToken = { audience: API2, subject_token_type: typeOf("id_token") };
      return [
        await exchange(at, scene.agent, scene.subject, { audience: API2 }),
        await exchange(at, own, String(body["id_token"]), idToken),
      ];
    } finally {
      await copied.stop();
    }
  };
  expect((await exchanged(copyOf(server))).map(({ status }) => status)).toEqual([200, 200]);
  const restored = copyOf(server);
  // The database says that the copied server is running, so `force` is necessary.
  await beginEpoch(configOf({ dataDir: restored }), { keepConsents: true, force: true }, server.now());
  for (const refused of await exchanged(restored)) await expectSubjectRefused(Promise.resolve(refused));
});
