/** Token exchange (RFC 8693) with tokens, targets and scopes that a client must not use. */

import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { adminApi } from "../support/admin-api.ts";
import { basic, changeClient, expectRefusal, post, signedInPerson } from "../support/back-channel.ts";
import { postForm, unnumbered } from "../support/http-browser.ts";
import { aCertificate } from "../support/make-certificates.ts";
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
  conditionOf,
  exchange,
  exchanging,
  expectSubjectRefused,
  isActive,
  type Scene,
  TOKEN_EXCHANGE,
  typeOf,
} from "../support/token-exchange.ts";

let server: TestServer;
let api2: TestClient;
let scene: Scene;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"], clientCertHeader: "Client-Cert" } });
  api2 = await addApis(server);
  scene = await aScene(server, api2);
});
afterAll(() => server.stop());

const use = (more: Record<string, string | undefined> = {}, subject = scene.subject, agent = scene.agent) =>
  exchange(server, agent, subject, { audience: API2, ...more });

describe("TX-03 the declared type is not the real one", () => {
  test.each([
    ["missing", undefined, "subject_token_type_missing"],
    ["of an ID token", typeOf("id_token"), "subject_token_refused"],
    ["of a refresh token", typeOf("refresh_token"), "subject_token_refused"],
    ["of a JWT of somebody else", typeOf("jwt"), "subject_token_refused"],
    ["of SAML", "urn:ietf:params:oauth:token-type:saml2", "subject_token_type_unsupported"],
    ["unknown", "urn:x:unknown", "subject_token_type_unsupported"],
    ["in other letters", typeOf("access_token").toUpperCase(), "subject_token_type_unsupported"],
  ])("%s → invalid_request", async (_, type, condition) => {
    const agent = await addAgent(server, { subjects: ["access_token", "refresh_token", "id_token", "jwt"] });
    const got = await use({ subject_token_type: type }, scene.subject, agent);
    expectRefusal(got, "invalid_request");
    expect(conditionOf(got)).toBe(condition);
    expect((await use({}, scene.subject, agent)).status).toBe(200);
  });

  test("no subject token → invalid_request; a kind that the policy does not allow → invalid_request, and the token is not read", async () => {
    expectRefusal(await exchange(server, scene.agent, undefined), "invalid_request");
    const got = await use({ subject_token_type: typeOf("refresh_token") }, scene.refreshToken);
    expect(conditionOf(got)).toBe("subject_token_type_not_allowed");
  });
});

describe("TX-04 a subject token that is not in force", () => {
  test("expired → refused", async () => {
    const { subject, agent } = await aScene(server, api2);
    server.tick(601_000);
    await expectSubjectRefused(use({}, subject, agent));
    scene = await aScene(server, api2);
  });

  test("the owner is disabled, the consent is revoked, the client is disabled or deleted → the same text for all", async () => {
    const texts = new Set<string>();
    const { storage } = server.assent;
    for (const end of [
      ({ owner }: Scene) => storage.people.setStatus({ ...owner.person, status: "disabled", now: server.now() }),
      ({ owner, assistant }: Scene) => revoke(owner, assistant),
      ({ assistant }: Scene) => changeClient(server, assistant, { status: "disabled" }),
      ({ assistant: { clientId } }: Scene) => storage.clients.delete({ clientId, now: server.now() }),
    ]) {
      const made = await aScene(server, api2);
      expect((await use({}, made.subject, made.agent)).status).toBe(200);
      await end(made);
      await settle();
      const got = await post(server, "/token", form(made.subject), {
        authorization: basic(made.agent.clientId, made.agent.secret),
      });
      expect(got.status).toBe(400);
      texts.add(unnumbered(got.text));
    }
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain("subject_token_refused");
  });

  test("the client itself is disabled → invalid_client", async () => {
    const agent = await addAgent(server);
    await changeClient(server, agent, { status: "disabled" });
    expectRefusal(await use({}, scene.subject, agent), "invalid_client");
  });

  test("an access token of a client itself → refused", async () => {
    const { body } = await postForm(server, "/token", scene.agent, { grant_type: "client_credentials", scope: "read" });
    await expectSubjectRefused(use({}, body.access_token));
  });

  const form = (subject: string) =>
    new URLSearchParams({
      ...{
        grant_type: TOKEN_EXCHANGE,
        subject_token: subject,
        subject_token_type: typeOf("access_token"),
        audience: API2,
      },
    }).toString();
});

async function revoke({ partition, personId }: Scene["owner"], { clientId }: TestClient) {
  const key = { partition, ownerId: personId, clientId };
  await server.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: server.now() });
}

test("TX-05 forged subject tokens → refused", async () => {
  const [head = "", payload = "", signature = ""] = scene.subject.split(".");
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = decodeProtectedHeader(scene.subject);
  const { keys } = (await (await fetch(`${server.issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
  const publicPem = createPublicKey({ key: keys[0] as never, format: "jwk" }).export({ type: "spki", format: "pem" });
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const es256 = (input: string) =>
    sign("sha256", Buffer.from(input), { key: other.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
  const hs256 = `${part({ ...header, alg: "HS256" })}.${payload}`;
  const jwk = other.publicKey.export({ format: "jwk" });
  const forged = [
    `${part({ ...header, alg: "none" })}.${payload}.`,
    `${hs256}.${createHmac("sha256", String(publicPem)).update(hs256).digest("base64url")}`,
    `${head}.${payload}.${es256(`${head}.${payload}`)}`,
    `${part({ ...header, jwk })}.${payload}.${es256(`${part({ ...header, jwk })}.${payload}`)}`,
    `${part({ ...header, kid: "retired" })}.${payload}.${es256(`${part({ ...header, kid: "retired" })}.${payload}`)}`,
    `${head}.${part({ ...decodeJwt(scene.subject), scope: "read write" })}.${signature}`,
    `${scene.subject}A`,
    "x".repeat(9000),
  ];
  for (const subject of forged) await expectSubjectRefused(use({}, subject));
  expectRefusal(await use({}, "x".repeat(20_000)), "invalid_request");
  expect((await use()).status).toBe(200);
});

describe("TX-07 a target that the policy does not allow", () => {
  test.each<[string, Record<string, string>]>([
    ["another API as audience", { audience: API3 }],
    ["another API as resource", { resource: API3, audience: "" }],
    ["an unknown API", { audience: "https://unknown.test" }],
    ["the client itself", { audience: "me" }],
    ["with a fragment", { audience: "", resource: `${API2}#x` }],
    ["in other letters", { audience: API2.toUpperCase() }],
    ["audience and resource that differ", { audience: API2, resource: API3 }],
  ])("%s → invalid_target", async (_, more) => {
    const audience = more["audience"] === "me" ? scene.agent.clientId : more["audience"];
    expectRefusal(await use({ ...more, audience }), "invalid_target");
  });

  test("two audiences, one of them allowed, or both → invalid_target; the allowed one twice → a token", async () => {
    const agent = await addAgent(server, { audiences: [API1, API2], scopes: ["read", "mail:read"] });
    const ask = (who: TestClient, audiences: readonly string[]) => {
      const body = new URLSearchParams({
        grant_type: TOKEN_EXCHANGE,
        subject_token: scene.subject,
        subject_token_type: typeOf("access_token"),
      });
      for (const one of audiences) body.append("audience", one);
      return post(server, "/token", body.toString(), { authorization: basic(who.clientId, who.secret) });
    };
    expectRefusal(await ask(scene.agent, [API2, API3]), "invalid_target");
    expectRefusal(await ask(agent, [API1, API2]), "invalid_target");
    expect((await ask(agent, [API2, API2])).status).toBe(200);
  });

  test("a subject token for an API that is not among the sources → refused", async () => {
    await expectSubjectRefused(use({}, scene.subject, await addAgent(server, { sources: [API3] })));
  });
});

describe("TX-08 a scope beyond what the owner granted, or the policy", () => {
  test.each([
    ["mail:read mail:write", "exchange_scope_exceeds_grant"],
    ["admin:users", "exchange_scope_not_allowed"],
    ["files:read", "exchange_scope_not_allowed"],
    ["openid", "exchange_scope_not_allowed"],
    ["offline_access", "exchange_scope_not_allowed"],
    ["nothing", "exchange_scope_not_allowed"],
  ])("%s → invalid_scope", async (scope, condition) => {
    const got = await use({ scope });
    expectRefusal(got, "invalid_scope");
    expect(conditionOf(got)).toBe(condition);
  });

  test("no scope → what the owner granted, within the policy; never the client's own scopes", async () => {
    const agent = await addAgent(server, { audiences: [API1, API2], scopes: ["read", "write", "mail:read"] });
    expect((await use({}, scene.subject, agent)).body.scope).toBe("mail:read");
    // The subject token was narrowed to `read` of its own API.
    expect((await use({ audience: API1 }, scene.subject, agent)).body.scope).toBe("read");
    expectRefusal(await use({ audience: API1, scope: "write" }, scene.subject, agent), "invalid_scope");
  });

  test("nothing in common → invalid_scope", async () => {
    const agent = await addAgent(server, { scopes: ["mail:write"] });
    expectRefusal(await use({}, scene.subject, agent), "invalid_scope");
  });

  test("a scope that the owner took back since → invalid_scope", async () => {
    const { owner, assistant, agent, subject } = await aScene(server, api2);
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: assistant.clientId };
    const change = { remove: ["mail:read"], by: owner.personId, now: server.now() };
    await server.assent.storage.consents.narrow({ ...key, ...change });
    expectRefusal(await use({ scope: "mail:read" }, subject, agent), "invalid_scope");
  });
});

test("TX-09 a refresh token as requested type → invalid_request", async () => {
  expectRefusal(await use({ requested_token_type: typeOf("refresh_token") }), "invalid_request");
});

describe("TX-12 actor tokens", () => {
  const own = async (client: TestClient) =>
    (await postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" })).body.access_token;
  const actor_token_type = typeOf("access_token");

  test("without a type; a type without a token; another type; another client; an owner's; expired → invalid_request", async () => {
    const token = await own(scene.agent);
    const stranger = await own(await addAgent(server));
    for (const more of [
      { actor_token: token },
      { actor_token_type },
      { actor_token: token, actor_token_type: typeOf("jwt") },
      { actor_token: stranger, actor_token_type },
      { actor_token: scene.subject, actor_token_type },
      { actor_token: "x", actor_token_type },
    ])
      expectRefusal(await use(more), "invalid_request");
    expect((await use({ actor_token: token, actor_token_type })).status).toBe(200);
    server.tick(601_000);
    scene = await aScene(server, api2);
    expectRefusal(await use({ actor_token: token, actor_token_type }, scene.subject), "invalid_request");
  });

  test("another client that the policy names and that was disabled → invalid_request", async () => {
    const other = await addAgent(server);
    const agent = await addAgent(server, { actors: [other.clientId] });
    const actor = { actor_token: await own(other), actor_token_type };
    expect((await use(actor, scene.subject, agent)).status).toBe(200);
    await changeClient(server, other, { status: "disabled" });
    expectRefusal(await use(actor, scene.subject, agent), "invalid_request");
  });
});

describe("TX-14 a subject token that is bound to a certificate", () => {
  const [good, other] = [aCertificate({ subject: "/CN=good" }), aCertificate({ subject: "/CN=other" })];
  const header = (certificate: typeof good) => ({
    "client-cert": `:${certificate.cert.replaceAll(/-----[A-Z ]+-----|\s/g, "")}:`,
  });

  test("no certificate, or another one → invalid_request; the right one → a token that is bound to it", async () => {
    const owner = await signedInPerson(server);
    const assistant = await addAssistant(server);
    const { refresh } = await assistantTokens(server, assistant, owner);
    await changeClient(server, assistant, { certificateBound: true });
    const fields = { grant_type: "refresh_token", refresh_token: refresh, resource: API1, scope: "read" };
    const bound = (await postForm(server, "/token", assistant, fields, header(good))).body.access_token;
    expect(decodeJwt(bound ?? "")["cnf"]).toBeDefined();
    const ask = (headers: Record<string, string>) => exchange(server, scene.agent, bound, { audience: API2 }, headers);
    for (const headers of [{}, header(other)]) {
      const got = await ask(headers);
      expectRefusal(got, "invalid_request");
      expect(conditionOf(got)).toBe("exchange_proof_missing");
    }
    const { body } = await ask(header(good));
    expect(decodeJwt(body.access_token ?? "")["cnf"]).toEqual({ "x5t#S256": good.thumbprint });
  });
});

describe("TX-19 who may not exchange at all", () => {
  test("no client, a wrong secret → invalid_client; not registered, without a policy, public → unauthorized_client", async () => {
    expectRefusal(await exchange(server, null, scene.subject), "invalid_client");
    expectRefusal(await use({}, scene.subject, { ...scene.agent, secret: "cs_wrong" }), "invalid_client");
    const noSecret = { clientId: scene.agent.clientId, secret: "" } as TestClient;
    expectRefusal(await use({}, scene.subject, noSecret), "invalid_client");
    const policy = scene.agent.tokenExchange ?? null;
    for (const client of [
      { tokenExchange: policy },
      { grantTypes: [TOKEN_EXCHANGE] },
      { grantTypes: [TOKEN_EXCHANGE], tokenExchange: policy, type: "public" as const },
    ])
      expectRefusal(await use({}, scene.subject, await server.addClient(client)), "unauthorized_client");
    expectRefusal(await use({}, scene.subject, await addAgent(server, exchanging({}))), "invalid_request");
  });

  test("the grant type is switched off → unsupported_grant_type, and metadata does not list it", async () => {
    const off = await startServer({ config: { grantTypes: ["authorization_code"] } });
    try {
      const agent = await addAgent(off);
      expectRefusal(await exchange(off, agent, scene.subject), "unsupported_grant_type");
      const metadata = await (await fetch(`${off.issuer}/.well-known/oauth-authorization-server`)).text();
      expect(metadata).not.toContain("token-exchange");
    } finally {
      await off.stop();
    }
  });
});

test("TX-13 an operator with a narrower token → no exchange settings, no impersonation, no secret of such a client", async () => {
  const [all, narrow] = [await adminApi(server), await adminApi(server, "admin:clients:write admin:clients:read")];
  const policy = {
    subjects: ["access_token"],
    sources: [API1],
    audiences: [API2],
    scope: "mail:read",
    impersonation: true,
  };
  const made = await all.post("/clients", {
    client_name: "Agent",
    type: "confidential",
    grant_types: [TOKEN_EXCHANGE],
  });
  const path = `/clients/${made.body?.["client_id"]}`;
  expect((await narrow.patch(path, { token_exchange: policy })).status).toBe(403);
  const changed = await all.patch(path, { token_exchange: policy });
  expect(changed.body).toMatchObject({ token_exchange: policy });
  expect((await narrow.post(`${path}/rotate-secret`, { overlap: 0 })).status).toBe(403);
  expect((await all.patch(path, { token_exchange: { scope: "nothing" } })).status).toBe(400);
  expect((await all.patch(path, { token_exchange: { secret: "x" } })).status).toBe(400);
  expect((await all.patch(path, { token_exchange: null })).body).not.toHaveProperty("token_exchange");
});

test("TX-21 requested_token_type of SAML, of an ID token, unknown → invalid_request", async () => {
  for (const requested_token_type of ["urn:ietf:params:oauth:token-type:saml2", typeOf("id_token"), "urn:x:y"])
    expect(conditionOf(await use({ requested_token_type }))).toBe("requested_token_type_unsupported");
});

test("TX-20 the grant is paused → refused, and its exchanged token is inactive; resumed → a token", async () => {
  const { owner, agent, subject } = await aScene(server, api2);
  const { body } = await use({}, subject, agent);
  const pause = (at: string) =>
    byHand(server.assent.config.databaseUrl, [
      `UPDATE grants SET paused_at = ${at} WHERE owner_id = '${owner.personId}'`,
    ]);
  await pause(String(server.now()));
  await expectSubjectRefused(use({}, subject, agent));
  expect(await isActive(server, api2, body.access_token)).toBe(false);
  await pause("NULL");
  expect((await use({}, subject, agent)).status).toBe(200);
});

test("TX-08 a scope that demands a certain sign-in, by a consent to the client alone → invalid_scope", async () => {
  const { owner, agent, subject } = await aScene(server, api2);
  const asking = { ask: { scope: "mail:write" }, answer: {}, fields: { resource: API2 } };
  await assistantTokens(server, agent, owner, asking);
  expect((await use({ scope: "mail:write" }, subject, agent)).status).toBe(200);
  const scope = { name: "mail:write", description: "Do mail:write", resource: API2 };
  await server.addScope({ ...scope, acr: "mfa" });
  expectRefusal(await use({ scope: "mail:write" }, subject, agent), "invalid_scope");
  await server.addScope(scope);
});

test("TX-20 20 exchanges at the moment of a revocation → none of their tokens is active afterwards", async () => {
  const { owner, assistant, agent, subject } = await aScene(server, api2);
  const [answers] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => use({}, subject, agent))),
    revoke(owner, assistant),
  ]);
  for (const { body } of answers) {
    if (body.access_token !== undefined) expect(await isActive(server, api2, body.access_token)).toBe(false);
  }
  await expectSubjectRefused(use({}, subject, agent));
});
