/**
 * The errors of the token endpoint (RFC 6749 §5.2): code, status and headers of each condition, and the precedence of
 * two conditions.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anOwner,
  basic,
  changeClient,
  codeOf,
  expectRefusal,
  type Owner,
  post,
  tokensOf,
} from "../support/back-channel.ts";
import { pkce, unnumbered } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let other: TestClient;
let pub: TestClient;
let owner: Owner;
let token: string;
let code: () => Promise<string>;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
  other = await server.addClient({ grantTypes: ["authorization_code"] });
  pub = await server.addClient({ type: "public" });
  owner = await anOwner(server);
  token = (await tokensOf(server, client, owner)).refresh;
  code = () => codeOf(server, client, owner);
});
afterAll(() => server.stop());

type Fields = Record<string, string | undefined>;

/** A valid request with changes. Undefined removes a field. */
async function send(good: Fields, changes: Fields = {}, headers: Record<string, string> = {}, more = "") {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...good, ...changes }))
    if (value !== undefined) form.append(name, value);
  return post(server, "/token", `${form}${more}`, headers);
}

const mine = () => ({ client_id: client.clientId, client_secret: client.secret });
const refreshing = (): Fields => ({ grant_type: "refresh_token", refresh_token: token, ...mine() });
const redeeming = async (): Promise<Fields> => ({
  grant_type: "authorization_code",
  code: await code(),
  redirect_uri: "https://app.test/cb",
  ...mine(),
});

interface Row {
  readonly condition: string;
  readonly error: string;
  readonly status?: number;
  readonly request: () => ReturnType<typeof send>;
}

const rows: readonly Row[] = [
  { condition: "nothing at all", error: "invalid_request", request: () => send({}) },
  {
    condition: "grant_type missing",
    error: "invalid_request",
    request: () => send(refreshing(), { grant_type: undefined }),
  },
  {
    condition: "code missing",
    error: "invalid_request",
    request: async () => send(await redeeming(), { code: undefined }),
  },
  {
    condition: "redirect_uri missing",
    error: "invalid_request",
    request: async () => send(await redeeming(), { redirect_uri: undefined }),
  },
  {
    condition: "refresh_token missing",
    error: "invalid_request",
    request: () => send(refreshing(), { refresh_token: undefined }),
  },
  {
    condition: "a parameter repeated",
    error: "invalid_request",
    request: () => send(refreshing(), {}, {}, "&scope=read&scope=read"),
  },
  { condition: "a parameter malformed", error: "invalid_request", request: () => send(refreshing(), {}, {}, "&x=%ZZ") },
  {
    condition: "a parameter too long",
    error: "invalid_request",
    request: () => send(refreshing(), { x: "a".repeat(2_049) }),
  },
  {
    condition: "two credentials",
    error: "invalid_request",
    request: () => send(refreshing(), {}, { authorization: basic(client.clientId, client.secret) }),
  },
  {
    condition: "a verifier without a challenge",
    error: "invalid_request",
    request: async () => send(await redeeming(), { code_verifier: pkce().verifier }),
  },
  {
    condition: "not a form",
    error: "invalid_request",
    request: () => send(refreshing(), {}, { "content-type": "application/json" }),
  },
  {
    condition: "a body over 64 KiB",
    error: "invalid_request",
    status: 413,
    request: () => send(refreshing(), { x: "a".repeat(65_536) }),
  },
  {
    condition: "no client named",
    error: "invalid_client",
    request: () => send(refreshing(), { client_id: undefined, client_secret: undefined }),
  },
  {
    condition: "an unknown client",
    error: "invalid_client",
    request: () => send(refreshing(), { client_id: "nobody" }),
  },
  { condition: "a wrong secret", error: "invalid_client", request: () => send(refreshing(), { client_secret: "x" }) },
  { condition: "no secret", error: "invalid_client", request: () => send(refreshing(), { client_secret: undefined }) },
  {
    condition: "an assertion, which is not the registered method",
    error: "invalid_client",
    request: () => send(refreshing(), { client_secret: undefined, client_assertion: "x", client_assertion_type: "y" }),
  },
  {
    condition: "a secret for a public client",
    error: "invalid_client",
    request: () => send(refreshing(), { client_id: pub.clientId }),
  },
  {
    condition: "a disabled client",
    error: "invalid_client",
    request: async () => {
      const off = await server.addClient({ status: "disabled" });
      return send(refreshing(), { client_id: off.clientId, client_secret: off.secret });
    },
  },
  {
    condition: "a code of nobody",
    error: "invalid_grant",
    request: async () => send(await redeeming(), { code: "ac_x" }),
  },
  {
    condition: "a code used",
    error: "invalid_grant",
    request: async () => {
      const good = await redeeming();
      expect((await send(good)).status).toBe(200);
      return send(good);
    },
  },
  {
    condition: "another client's code",
    error: "invalid_grant",
    request: async () => send(await redeeming(), { client_id: other.clientId, client_secret: other.secret }),
  },
  {
    condition: "another redirect_uri",
    error: "invalid_grant",
    request: async () => send(await redeeming(), { redirect_uri: "https://app.test/" }),
  },
  {
    condition: "a wrong verifier",
    error: "invalid_grant",
    request: async () => {
      const ask = { code_challenge: pkce().challenge, code_challenge_method: "S256" };
      const proven = await codeOf(server, client, owner, { ask });
      return send(await redeeming(), { code: proven, code_verifier: pkce().verifier });
    },
  },
  {
    condition: "a refresh token of nobody",
    error: "invalid_grant",
    request: () => send(refreshing(), { refresh_token: "rt_x" }),
  },
  {
    condition: "a refresh token revoked",
    error: "invalid_grant",
    request: async () => {
      const { refresh: ended } = await tokensOf(server, client, owner);
      await post(server, "/revoke", `${new URLSearchParams({ token: ended, ...mine() })}`);
      return send(refreshing(), { refresh_token: ended });
    },
  },
  {
    condition: "another client's refresh token",
    error: "invalid_grant",
    request: () => send(refreshing(), { client_id: pub.clientId, client_secret: undefined }),
  },
  {
    condition: "a grant type that the client has not",
    error: "unauthorized_client",
    request: () => send(refreshing(), { client_id: other.clientId, client_secret: other.secret }),
  },
  {
    condition: "a grant type of nobody",
    error: "unsupported_grant_type",
    request: () => send(refreshing(), { grant_type: "x" }),
  },
  { condition: "a scope unknown", error: "invalid_scope", request: () => send(refreshing(), { scope: "nobody" }) },
  {
    condition: "a scope wider than granted",
    error: "invalid_scope",
    request: () => send(refreshing(), { scope: "read write" }),
  },
  { condition: "a scope malformed", error: "invalid_scope", request: () => send(refreshing(), { scope: 'read"' }) },
  {
    condition: "a resource unknown",
    error: "invalid_target",
    request: () => send(refreshing(), { resource: "https://nobody.test" }),
  },
  {
    condition: "a resource not granted",
    error: "invalid_target",
    request: () => send(refreshing(), { resource: "urn:x" }),
  },
];

describe("each condition", () => {
  test.each(rows)("$condition → $error", async ({ error, status, request }) => {
    const answer = await request();
    expectRefusal(answer, error, status);
    expect(answer.headers.get("pragma")).toBe("no-cache");
    const page = await fetch(String(answer.body["error_uri"]), { headers: { accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE"])("%s → 405 with Allow: POST", async (method) => {
    const response = await fetch(`${server.issuer}/token`, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    if (method !== "HEAD") expect(await response.json()).toMatchObject({ error: "invalid_request" });
  });

  test("the good requests that they were bent from → 200", async () => {
    expect((await send(refreshing())).status).toBe(200);
    expect((await send(await redeeming())).status).toBe(200);
  });
});

describe("what a caller must not tell apart", () => {
  test("code unknown, expired, used, another's → the same answer but for its number", async () => {
    const used = await redeeming();
    await send(used);
    const anothers = await codeOf(server, other, owner);
    const answers = [
      await send(used, { code: "ac_x" }),
      await send(used),
      await send(used, { code: anothers }),
      await send(used, { code: `${String(used["code"]).slice(0, -1)}_` }),
    ];
    const late = await redeeming();
    server.tick(61_000);
    answers.push(await send(late));
    expect(new Set(answers.map(({ status, text }) => `${status} ${unnumbered(text)}`)).size).toBe(1);
  });
});

/** Faults in the order of precedence. A request with two faults gets the error of the first. */
const faults: readonly {
  readonly name: string;
  readonly outcome: string;
  readonly fields?: () => Fields;
  readonly headers?: () => Record<string, string>;
  readonly more?: string;
}[] = [
  { name: "too large", outcome: "413 invalid_request", more: `&large=${"a".repeat(70_000)}` },
  { name: "not a form", outcome: "400 content_type_not_form", headers: () => ({ "content-type": "text/plain" }) },
  { name: "repeated", outcome: "400 parameter_repeated", more: "&twice=1&twice=2" },
  { name: "grant_type missing", outcome: "400 grant_type_missing", fields: () => ({ grant_type: undefined }) },
  {
    name: "two credentials",
    outcome: "400 two_credentials",
    headers: () => ({ authorization: basic(client.clientId, client.secret) }),
  },
  { name: "a wrong secret", outcome: "401 invalid_client", fields: () => ({ client_secret: "x" }) },
  { name: "an unknown grant type", outcome: "400 unsupported_grant_type", fields: () => ({ grant_type: "x" }) },
  {
    name: "a grant type that the client has not",
    outcome: "400 grant_type_not_registered",
    fields: () => ({ client_id: other.clientId, client_secret: other.secret }),
  },
  { name: "a parameter missing", outcome: "400 refresh_token_missing", fields: () => ({ refresh_token: undefined }) },
  { name: "a scope too wide", outcome: "400 scope_exceeds_grant", fields: () => ({ scope: "read write" }) },
];
const pairs = faults.flatMap((first, at) =>
  faults.slice(at + 1).map((second) => ({ first, second, names: `${first.name}, ${second.name}` })),
);

describe("two at once", () => {
  test.each(pairs)("$names → $first.outcome", async ({ first, second }) => {
    // If both faults change the same field, the earlier fault's value is sent.
    const fields = { ...second.fields?.(), ...first.fields?.() };
    const headers = { ...second.headers?.(), ...first.headers?.() };
    const answer = await send(refreshing(), fields, headers, `${first.more ?? ""}${second.more ?? ""}`);
    const [status, condition] = first.outcome.split(" ");
    expect(answer.status).toBe(Number(status));
    if (condition === "invalid_request") expect(answer.body.error).toBe("invalid_request");
    else expect(answer.body["error_uri"]).toMatch(`${server.issuer}/errors/${condition}?id=`);
  });

  test("a scope too wide and an ended grant → the grant is not live: invalid_grant", async () => {
    const { refresh: ended } = await tokensOf(server, client, owner);
    await post(server, "/revoke", `${new URLSearchParams({ token: ended, ...mine() })}`);
    expectRefusal(await send(refreshing(), { refresh_token: ended, scope: "read write" }), "invalid_grant");
  });
});

test("a client that has lost its last scope → invalid_grant, and nothing is written", async () => {
  const poor = await server.addClient();
  const { refresh: kept } = await tokensOf(server, poor, owner);
  await changeClient(server, poor, { scopes: ["profile"], reducedAt: server.now() });
  const fields = { refresh_token: kept, client_id: poor.clientId, client_secret: poor.secret };
  expectRefusal(await send(refreshing(), fields), "invalid_grant");
  await changeClient(server, poor, {});
  expect((await send(refreshing(), fields)).status).toBe(200);
});
