/** The operator's policy about tokens: it refuses and narrows, never adds, and fails closed. */

import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import example from "../../examples/policies/assent.config.ts";
import type { IssueAnswer, Policies, TokenRequestFacts } from "../../packages/server/src/index.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const asked: TokenRequestFacts[] = [];
const all = (): unknown => ({ allow: true });
let answer: (about: TokenRequestFacts) => unknown = all;
const policies: Policies = {
  issue: {
    timeout: 200,
    decide(about) {
      asked.push(about);
      return answer(about) as IssueAnswer;
    },
  },
};

const GRANTS = ["authorization_code", "refresh_token", "client_credentials", "password"] as const;
let server: TestServer;
let app: TestClient;
let rotating: TestClient;
beforeAll(async () => {
  server = await startServer({ config: { policies } });
  app = await server.addClient({ grantTypes: GRANTS, ownScopes: ["read"], scopes: ["openid", "read", "write"] });
  rotating = await server.addClient({ grantTypes: GRANTS.slice(0, 2), refresh: "rotate" });
});
afterAll(() => server.stop());
afterEach(() => {
  answer = all;
  asked.length = 0;
});

async function codeFor(client: TestClient, scope = "read write") {
  const person = await server.addPerson();
  return {
    person,
    callback: await authorize(new Agent(server.issuer), authorizeUrl(server, client, { scope }), person.username),
  };
}

const own = () => postForm(server, "/token", app, { grant_type: "client_credentials", scope: "read" });
const refresh = (client: TestClient, token: unknown) =>
  postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token: String(token) });
const logged = (name: string, from: number) =>
  server.log
    .slice(from)
    .filter((line) => line.includes(name))
    .join("\n");

describe("what is wrong → 500 server_error, no token, and a line in the log", () => {
  test.each<[string, (about: TokenRequestFacts) => unknown, string]>([
    ["it throws", () => Promise.reject(new TypeError("no")), "the code threw TypeError"],
    ["it never answers", () => new Promise(() => undefined), "no answer after 200 ms"],
    ["nothing", () => undefined, "the answer has no allow"],
    ["true", () => true, "the answer has no allow"],
    ["allow is a text", () => ({ allow: "yes" }), "the answer has no allow"],
    ["a scope that was not asked for", () => ({ allow: true, scopes: ["read", "write"] }), "scopes are no list"],
    ["scopes as a text", () => ({ allow: true, scopes: "read" }), "scopes are no list"],
    ["a lifetime of zero", () => ({ allow: true, lifetime: 0 }), "lifetime is no number"],
    ["a lifetime without end", () => ({ allow: true, lifetime: Number.POSITIVE_INFINITY }), "lifetime is no number"],
    ["the question is changed", (about) => Object.assign(about, { sub: "x" }), "the code threw TypeError"],
  ])("%s", async (_, gives, why) => {
    answer = gives;
    const from = server.log.length;
    const { status, body } = await own();
    expect([status, body["error"], body["access_token"]]).toEqual([500, "server_error", undefined]);
    expect(logged("issue_policy_failed", from)).toContain(why);
  });
});

test("a code, client credentials, a password, a refresh → asked with what the token will have", async () => {
  const { person, callback } = await codeFor(app, "openid read");
  const { body } = await redeem(server, app, callback);
  await refresh(app, body["refresh_token"]);
  await own();
  const common = { clientId: app.clientId, clientName: app.name };
  expect(asked.map(({ signal: _, ...about }) => about)).toMatchObject([
    {
      ...common,
      grantType: "authorization_code",
      sub: person.personId,
      actor: null,
      scopes: ["openid", "read"],
      amr: ["pwd"],
    },
    {
      ...common,
      grantType: "refresh_token",
      sub: person.personId,
      audience: "https://api.test",
      authTime: expect.any(Number),
    },
    {
      ...common,
      grantType: "client_credentials",
      sub: app.clientId,
      scopes: ["read"],
      acr: null,
      amr: [],
      authTime: null,
    },
  ]);
});

test("refused → 400 access_denied without the reason, which the log has; the code works later", async () => {
  const { callback } = await codeFor(app);
  answer = () => ({ allow: false, reason: "it is night\n" });
  const from = server.log.length;
  const refused = await redeem(server, app, callback);
  expect([refused.status, refused.body["error"]]).toEqual([400, "access_denied"]);
  expect(JSON.stringify(refused.body)).not.toContain("night");
  expect(logged("issue_policy_denied", from)).toContain("it is night");
  answer = all;
  expect((await redeem(server, app, callback)).status).toBe(200);
});

test("a refresh token that rotates is refused → it stays valid, and nobody is suspected of theft", async () => {
  const { callback } = await codeFor(rotating);
  const first = (await redeem(server, rotating, callback)).body["refresh_token"];
  expect(first).toMatch(/^rt_/);
  answer = () => ({ allow: false });
  for (let tries = 0; tries < 3; tries += 1) expect((await refresh(rotating, first)).status).toBe(400);
  server.tick(60_000);
  expect((await refresh(rotating, first)).status).toBe(400);
  answer = all;
  const next = await refresh(rotating, first);
  expect(next.status).toBe(200);
  expect(next.body["refresh_token"]).not.toBe(first);
});

test("narrowed and shortened → the token has less; the grant keeps its scopes; nothing left → refused", async () => {
  const { callback } = await codeFor(app);
  answer = () => ({ allow: true, scopes: ["read"], lifetime: 60 });
  const { body } = await redeem(server, app, callback);
  expect([body["scope"], body["expires_in"]]).toEqual(["read", 60]);
  const { scope, exp = 0, iat = 0 } = decodeJwt(String(body["access_token"]));
  expect([scope, exp - iat]).toEqual(["read", 60]);
  answer = () => ({ allow: true, lifetime: 1_000_000 });
  const later = await refresh(app, body["refresh_token"]);
  expect(later.body["scope"]).toBe("read write");
  expect(Number(later.body["expires_in"])).toBeLessThan(1_000_000);
  answer = () => ({ allow: true, scopes: [] });
  expect((await refresh(app, body["refresh_token"])).body["error"]).toBe("access_denied");
});

test("without openid → no ID token", async () => {
  const { callback } = await codeFor(app, "openid read");
  answer = () => ({ allow: true, scopes: ["read"] });
  const { body } = await redeem(server, app, callback);
  expect([body["scope"], body["id_token"]]).toEqual(["read", undefined]);
});

test("many clients at once, a policy that refuses half of them → each gets its own answer", async () => {
  answer = ({ clientId }) => ({ allow: clientId !== app.clientId });
  const other = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
  const ask = (client: TestClient) =>
    postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" }).then(
      ({ status }) => status,
    );
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? app : other)));
  expect(statuses).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 400 : 200)));
});

test("the example of the page → its rules", async () => {
  const { issue } = example.policies;
  if (issue === undefined) throw new Error("no policy");
  answer = (about) => issue.decide(about);
  const { callback } = await codeFor(app);
  expect((await redeem(server, app, callback)).body["expires_in"]).toBe(300);
  expect((await own()).status).toBe(200);
});

test.each<[string, unknown, string]>([
  ["no object", "all", "policies: wanted"],
  ["an unknown policy", { signin: {} }, "policies.signin: unknown"],
  ["no function", { issue: {} }, "policies.issue.decide: wanted a function"],
  ["a timeout of a minute", { issue: { decide: all, timeout: 60_000 } }, "policies.issue.timeout: wanted"],
])("a configuration with %s → the server does not start", async (_, wrong, problem) => {
  await expect(startServer({ config: { policies: wrong as Policies } })).rejects.toThrow(problem);
});
