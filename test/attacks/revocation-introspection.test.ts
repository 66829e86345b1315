/** Attacks on revocation and introspection (RFC 7009, RFC 7662). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anOwner,
  basic,
  changeClient,
  codeOf,
  expectRefusal,
  expectUnlogged,
  logged,
  type Owner,
  post,
  tokensOf,
} from "../support/back-channel.ts";
import { postForm, redeem, refresh } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let other: TestClient;
let pub: TestClient;
let bound: { id: string; secret: string };
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ scopes: ["read", "write", "profile", "bound:read"] });
  other = await server.addClient();
  pub = await server.addClient({ type: "public" });
  bound = await server.addResource({ identifier: "https://bound.test", grantBound: true });
  await server.addScope({ name: "bound:read", description: "Read", resource: "https://bound.test" });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

type Caller = { readonly clientId: string; readonly secret: string };
const api: Caller = { clientId: API.id, secret: API.secret };
const boundApi = (): Caller => ({ clientId: bound.id, secret: bound.secret });
const introspect = (caller: Caller | null, token: string, more: Record<string, string> = {}) =>
  postForm(server, "/introspect", caller, { token, ...more });
const revoke = (caller: Caller | null, token: string, more: Record<string, string> = {}) =>
  postForm(server, "/revoke", caller, { token, ...more });

async function expectInactive(caller: Caller, token: string): Promise<void> {
  const answer = await introspect(caller, token);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, '{"active":false}']);
}

const isAlive = async (mine: TestClient, token: string) => (await refresh(server, mine, token)).status === 200;

describe("revocation", () => {
  test.each<[string, () => Caller | null, Record<string, string>]>([
    ["nobody", () => null, {}],
    ["its id alone", () => null, { client_id: "the client" }],
    ["a wrong secret", () => ({ ...client, secret: "x" }), {}],
    ["an API's introspection client", () => api, {}],
  ])("RI-01 by %s → invalid_client, the token lives", async (_, who, fields) => {
    const { refresh: token } = await tokensOf(server, client, owner);
    const more = fields["client_id"] === undefined ? {} : { client_id: client.clientId };
    expectRefusal(await revoke(who(), token, more), "invalid_client");
    expect(await isAlive(client, token)).toBe(true);
  });

  test("RI-01 a disabled client → invalid_client", async () => {
    const off = await server.addClient({ status: "disabled" });
    expectRefusal(await revoke(off, "x"), "invalid_client");
  });

  test("RI-02 another client's refresh token → invalid_grant and an event, the token lives", async () => {
    for (const [mine, thief] of [
      [client, other],
      [client, pub],
      [pub, client],
    ] as const) {
      const { refresh: token } = await tokensOf(server, mine, owner);
      const before = logged(server, "revocation_of_other_clients_token");
      expectRefusal(await revoke(thief, token), "invalid_grant");
      expect(logged(server, "revocation_of_other_clients_token")).toBe(before + 1);
      expectUnlogged(server, token);
      expect(await isAlive(mine, token)).toBe(true);
    }
  });

  test.each(["a random text", "rt_", `rt_${"A".repeat(119)}`, "{}", "e30.e30.x", "%", "é🔥", "a".repeat(16_000)])(
    "RI-03 unknown: %j → 200 without a body",
    async (token) => {
      const answer = await revoke(client, token);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  test.each(["access_token", "unknown_kind", "refresh_token", "<script>"])(
    "RI-04 hint %j → revoked all the same",
    async (token_type_hint) => {
      const { refresh: token } = await tokensOf(server, client, owner);
      expect((await revoke(client, token, { token_type_hint })).status).toBe(200);
      expectRefusal(await refresh(server, client, token), "invalid_grant");
    },
  );

  test("RI-05 no token, an empty one, two, GET → refused; callback= → no script", async () => {
    const { refresh: token } = await tokensOf(server, client, owner);
    expectRefusal(await postForm(server, "/revoke", client, {}), "invalid_request");
    expectRefusal(await revoke(client, ""), "invalid_request");
    const authorization = basic(client.clientId, client.secret);
    expectRefusal(await post(server, "/revoke", `token=${token}&token=${token}`, { authorization }), "invalid_request");
    const get = await fetch(`${server.issuer}/revoke?token=${token}&callback=f`, { headers: { authorization } });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await isAlive(client, token)).toBe(true);
    const called = await post(server, "/revoke", `token=${token}&callback=f`, { authorization });
    expect([called.status, called.text]).toEqual([200, "{}"]);
  });

  test("RI-06 a refresh token → its grant has ended, also for a bound API; other grants live", async () => {
    const asking = { ask: { scope: "bound:read" } };
    const one = await tokensOf(server, client, owner, asking);
    const two = await tokensOf(server, client, owner, asking);
    expect((await revoke(client, one.refresh)).status).toBe(200);
    await expectInactive(boundApi(), one.access);
    expectRefusal(await refresh(server, client, one.refresh), "invalid_grant");
    expect((await introspect(boundApi(), two.access)).body["active"]).toBe(true);
    expect(await isAlive(client, two.refresh)).toBe(true);
    // A second revocation succeeds, too (RFC 7009 §2.2).
    expect((await revoke(client, one.refresh)).status).toBe(200);
  });

  test("RI-06 a spent refresh token → the whole grant ends, without a theft", async () => {
    const { refresh: one } = await tokensOf(server, pub, owner);
    const two = (await refresh(server, pub, one)).body.refresh_token ?? "";
    const before = logged(server, "refresh_token_replayed");
    expect((await revoke(pub, one)).status).toBe(200);
    expectRefusal(await refresh(server, pub, two), "invalid_grant");
    expect(logged(server, "refresh_token_replayed")).toBe(before);
  });

  test("RI-07 an access token → unsupported_token_type, and it times out; expired → 200", async () => {
    const { access, refresh: token } = await tokensOf(server, client, owner);
    for (const token_type_hint of ["access_token", "refresh_token"])
      expectRefusal(await revoke(client, access, { token_type_hint }), "unsupported_token_type");
    expect((await introspect(api, access)).body["active"]).toBe(true);
    expect(await isAlive(client, token)).toBe(true);
    server.tick(601_000);
    expect((await revoke(client, access)).status).toBe(200);
  });

  test("a code → 200, and it still redeems: it is no token", async () => {
    const code = await codeOf(server, client, owner);
    expect((await revoke(client, code)).status).toBe(200);
    expect((await redeem(server, client, code)).status).toBe(200);
  });
});

describe("introspection", () => {
  test.each<[string, () => Caller | null]>([
    ["nobody", () => null],
    ["a public client", () => pub],
    ["a client with a wrong secret", () => ({ ...client, secret: "x" })],
    ["an API with a wrong secret", () => ({ ...api, secret: "x" })],
    ["an API with another's secret", () => ({ ...api, secret: bound.secret })],
    ["an API by its id alone", () => ({ ...api, secret: "" })],
    ["an API by its identifier", () => ({ clientId: "https://api.test", secret: API.secret })],
  ])("RI-10 by %s → invalid_client, nothing said of the token", async (_, who) => {
    const { access } = await tokensOf(server, client, owner);
    expectRefusal(await introspect(who(), access), "invalid_client");
  });

  test("RI-10 by a bearer token → invalid_client", async () => {
    const { access } = await tokensOf(server, client, owner);
    expectRefusal(
      await post(server, "/introspect", `token=${access}`, { authorization: `Bearer ${access}` }),
      "invalid_client",
    );
  });

  test.each(["application/json", "application/token-introspection+jwt", "*/*"])(
    "RI-11 another API's token, Accept: %s → inactive, nothing more",
    async (accept) => {
      const { access } = await tokensOf(server, client, owner);
      const answer = await postForm(server, "/introspect", boundApi(), { token: access }, { accept });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, '{"active":false}']);
      expect((await introspect(api, access)).body["active"]).toBe(true);
    },
  );

  test("RI-11 another client's token, by a client → inactive; by its own → active", async () => {
    const { access, refresh: token } = await tokensOf(server, client, owner);
    for (const one of [access, token]) {
      await expectInactive(other, one);
      expect((await introspect(client, one)).body["active"]).toBe(true);
    }
  });

  test("RI-12 expired, garbage, revoked, or a refresh token shown to an API → inactive, nothing more", async () => {
    const { access, refresh: token } = await tokensOf(server, client, owner);
    const code = await codeOf(server, client, owner);
    for (const caller of [api, boundApi()]) await expectInactive(caller, token);
    for (const garbage of [
      "x",
      "e30.e30.e30",
      "..",
      "a".repeat(16_000),
      code,
      `${access}x`,
      access.slice(0, -1),
      `${access}.`,
      `.${access}`,
    ])
      for (const caller of [api, client]) await expectInactive(caller, garbage);
    await revoke(client, token);
    await expectInactive(client, token);
    server.tick(601_000);
    await expectInactive(api, access);
    await expectInactive(client, access);
  });

  test("RI-12 a refresh token past its end, spent, or all of whose scopes are gone → inactive", async () => {
    const mine = await server.addClient({ refresh: "rotate" });
    const { refresh: one } = await tokensOf(server, mine, owner);
    const two = (await refresh(server, mine, one)).body.refresh_token ?? "";
    await expectInactive(mine, one);
    expect((await introspect(mine, two)).body).toMatchObject({ active: true, scope: "read", client_id: mine.clientId });
    await changeClient(server, mine, { scopes: [], reducedAt: server.now() });
    await expectInactive(mine, two);
    await changeClient(server, mine, {});
    server.tick(91 * 86_400_000);
    await expectInactive(mine, two);
  });

  test("RI-13 the owner disabled → inactive for a bound API and for refresh tokens; other access tokens time out", async () => {
    const who = await anOwner(server);
    const asking = { ask: { scope: "bound:read read" } };
    const one = await tokensOf(server, client, who, { ...asking, fields: { resource: "https://bound.test" } });
    const two = await tokensOf(server, client, who, { ask: { scope: "read" } });
    const { partition, personId } = who.person;
    await server.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    await expectInactive(boundApi(), one.access);
    await expectInactive(client, one.access);
    await expectInactive(client, two.refresh);
    expect((await introspect(api, two.access)).body["active"]).toBe(true);
  });

  test("RI-14 GET → 405; the token is not logged", async () => {
    const { access } = await tokensOf(server, client, owner);
    const get = await fetch(`${server.issuer}/introspect?token=${access}`, {
      headers: { authorization: basic(API.id, API.secret) },
    });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    expectUnlogged(server, access, API.secret);
  });

  test("no token → invalid_request; the caller is known first", async () => {
    expectRefusal(await postForm(server, "/introspect", api, {}), "invalid_request");
    expectRefusal(await postForm(server, "/introspect", null, {}), "invalid_client");
  });
});
