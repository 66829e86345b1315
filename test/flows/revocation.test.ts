/** Token revocation (RFC 7009) and introspection (RFC 7662) for clients and APIs. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, expectRefusal, logged, type Owner, post, tokensOf } from "../support/back-channel.ts";
import { postForm, refresh } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let pub: TestClient;
let owner: Owner;
let bound: { id: string; secret: string };

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ scopes: ["read", "bound:read"] });
  pub = await server.addClient({ type: "public" });
  bound = await server.addResource({ identifier: "https://bound.test", grantBound: true });
  await server.addScope({ name: "bound:read", description: "Read", resource: "https://bound.test" });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const api = { clientId: API.id, secret: API.secret };
const boundApi = () => ({ clientId: bound.id, secret: bound.secret });
const introspect = (caller: { clientId: string; secret: string }, token: string) =>
  postForm(server, "/introspect", caller, { token });

describe("a client revokes its refresh token", () => {
  test.each(["confidential", "public"] as const)(
    "%s → 200, the token has ended, the owner's consent stays",
    async (type) => {
      const mine = type === "public" ? pub : client;
      const { refresh: token } = await tokensOf(server, mine, owner);
      const answer = await postForm(server, "/revoke", mine, { token, token_type_hint: "refresh_token" });
      expect([answer.status, answer.body, answer.headers.get("cache-control")]).toEqual([200, {}, "no-store"]);
      expectRefusal(await refresh(server, mine, token), "invalid_grant");
      const { partition, personId: ownerId } = owner.person;
      const consent = await server.assent.storage.consents.find({ partition, ownerId, clientId: mine.clientId });
      expect(consent?.status).toBe("active");
    },
  );

  test("an event tells of it; revoking it again, or refreshing it, is no theft", async () => {
    const { refresh: token } = await tokensOf(server, pub, owner);
    const before = logged(server, "grant_revoked_by_client");
    await postForm(server, "/revoke", pub, { token });
    await postForm(server, "/revoke", pub, { token });
    await refresh(server, pub, token);
    expect(logged(server, "grant_revoked_by_client")).toBe(before + 1);
    expect(logged(server, "refresh_token_replayed")).toBe(0);
  });

  test("the secret in the body instead of the header → 200", async () => {
    const { refresh: token } = await tokensOf(server, client, owner);
    const form = new URLSearchParams({ token, client_id: client.clientId, client_secret: client.secret });
    expect((await post(server, "/revoke", `${form}`)).status).toBe(200);
    expectRefusal(await refresh(server, client, token), "invalid_grant");
  });
});

describe("introspection", () => {
  test("by the API that it is for → active, with the claims of the token itself", async () => {
    const { access } = await tokensOf(server, client, owner);
    const { status, headers, body } = await introspect(api, access);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({ active: true, token_type: "Bearer", ...decodeJwt(access) });
  });

  test("by the client, of both its tokens → active; the refresh token with its end", async () => {
    const { access, refresh: token } = await tokensOf(server, client, owner, { answer: { duration: "forever" } });
    expect((await introspect(client, access)).body["active"]).toBe(true);
    const { body } = await introspect(client, token);
    expect(body).toMatchObject({
      active: true,
      client_id: client.clientId,
      sub: owner.person.personId,
      iss: server.issuer,
      scope: "read",
    });
    const days = (Number(body["exp"]) - server.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(0);
    expect(days).toBeLessThanOrEqual(90);
  });

  test("a refresh token that was rotated → inactive; its successor active", async () => {
    const mine = await server.addClient({ refresh: "rotate" });
    const { refresh: one } = await tokensOf(server, mine, owner);
    const two = (await refresh(server, mine, one)).body.refresh_token ?? "";
    expect((await introspect(mine, one)).body).toEqual({ active: false });
    expect((await introspect(mine, two)).body["active"]).toBe(true);
  });

  test.each<[string, (owner: Owner, token: string) => Promise<unknown>]>([
    ["the client revoked it", (_, token) => postForm(server, "/revoke", client, { token })],
    [
      "the owner took it back",
      ({ person }) =>
        server.assent.storage.consents.revoke({
          partition: person.partition,
          ownerId: person.personId,
          clientId: client.clientId,
          revokedBy: person.personId,
          now: server.now(),
        }),
    ],
  ])("%s → inactive for a grant-bound API at once; for others when it times out", async (_, end) => {
    const who = await anOwner(server);
    const asking = { ask: { scope: "read bound:read" }, fields: { resource: "https://api.test" } };
    const { access, refresh: token } = await tokensOf(server, client, who, asking);
    const forBound = (await refresh(server, client, token, { resource: "https://bound.test" })).body.access_token ?? "";
    expect((await introspect(boundApi(), forBound)).body["active"]).toBe(true);
    await end(who, token);
    expect((await introspect(boundApi(), forBound)).body).toEqual({ active: false });
    expect((await introspect(client, forBound)).body).toEqual({ active: false });
    expect((await introspect(api, access)).body["active"]).toBe(true);
    server.tick(601_000);
    expect((await introspect(api, access)).body).toEqual({ active: false });
  });
});
