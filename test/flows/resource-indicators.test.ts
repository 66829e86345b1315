/** Resource indicators (RFC 8707): one access token, one audience; one grant may cover several APIs. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, codeOf, expectRefusal, type Owner, tokensOf } from "../support/back-channel.ts";
import { Agent, authorizeUrl, postForm, redeem, refresh, type TokenAnswer } from "../support/http-browser.ts";
import { API, settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const PHOTOS = "https://api.test";
const MUSIC = "https://music.test/v1";

let server: TestServer;
let client: TestClient;
let owner: Owner;
let music: { id: string; secret: string };

beforeAll(async () => {
  server = await startServer();
  music = await server.addResource({ identifier: MUSIC, name: "Music", tokenLifetime: 120 });
  await server.addScope({ name: "play", description: "Play your music", resource: MUSIC });
  client = await server.addClient({ scopes: ["read", "write", "profile", "play"] });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

function expectToken({ status, body }: TokenAnswer, audience: string, scope: string, expiresIn = 600): void {
  expect(status, JSON.stringify(body)).toBe(200);
  expect(decodeJwt(body.access_token ?? "")).toMatchObject({ aud: audience, scope });
  expect([body.scope, body.expires_in]).toEqual([scope, expiresIn]);
}

describe("the authorization request", () => {
  test.each<[string, string, string]>([
    ["unknown", "read", "https://nobody.test"],
    ["with a slash more", "read", `${PHOTOS}/`],
    ["in upper case", "read", "HTTPS://API.TEST"],
    ["not absolute", "read", "api"],
    ["of which no scope is", "read", MUSIC],
    ["that has not all the scopes", "read play", PHOTOS],
    ["that has not the server's own scope", "read profile", PHOTOS],
  ])("a resource %s → invalid_target by redirect", async (_, scope, resource) => {
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { scope, resource }));
    expect(page.status).toBe(302);
    expect(page.location?.searchParams.get("error")).toBe("invalid_target");
    expect(page.location?.searchParams.get("state")).toBe("a state");
  });

  test("one resource, or none, for the scopes of one API → its audience", async () => {
    for (const resource of [PHOTOS, undefined]) {
      const code = await codeOf(server, client, owner, { ask: { scope: "read", resource } });
      expectToken(await redeem(server, client, code), PHOTOS, "read");
    }
  });

  test("two resources for the scopes of both → a code for both", async () => {
    const url = `${authorizeUrl(server, client, { scope: "read play", resource: PHOTOS })}&resource=${encodeURIComponent(MUSIC)}`;
    const page = await owner.agent.follow(await owner.agent.get(url));
    // Either answer is correct, because the consent may cover only a part. There must be no error.
    expect(page.location?.searchParams.get("error") ?? null).toBeNull();
  });
});

describe("a code for two APIs", () => {
  const both = () => codeOf(server, client, owner, { ask: { scope: "read play" } });

  test("no resource → invalid_target, the code untouched; one → that API's scopes and lifetime", async () => {
    const code = await both();
    expectRefusal(await redeem(server, client, code), "invalid_target");
    expectToken(await redeem(server, client, code, { resource: MUSIC }), MUSIC, "play", 120);
  });

  test("a resource that is not of the grant, or both at once → invalid_target, the code untouched", async () => {
    const code = await both();
    expectRefusal(await redeem(server, client, code, { resource: server.issuer }), "invalid_target");
    expectRefusal(await redeem(server, client, code, { resource: "https://nobody.test" }), "invalid_target");
    expectToken(await redeem(server, client, code, { resource: PHOTOS }), PHOTOS, "read");
  });

  test.each(["keep", "rotate"] as const)(
    "refreshed (%s) → one token for each API in turn; none named → invalid_target, nothing spent",
    async (kind) => {
      const mine = await server.addClient({ refresh: kind, scopes: ["read", "write", "profile", "play"] });
      const code = await codeOf(server, mine, owner, {
        ask: { scope: "read write play profile" },
        answer: { scope: ["read", "write", "play", "profile"] },
      });
      const first = await redeem(server, mine, code, { resource: PHOTOS });
      expectToken(first, PHOTOS, "read write");
      expectRefusal(await refresh(server, mine, first.body.refresh_token), "invalid_target");
      const second = await refresh(server, mine, first.body.refresh_token, { resource: MUSIC });
      expectToken(second, MUSIC, "play", 120);
      const third = await refresh(server, mine, second.body.refresh_token, { resource: server.issuer });
      expectToken(third, server.issuer, "profile");
      const fourth = await refresh(server, mine, third.body.refresh_token, { resource: PHOTOS, scope: "write" });
      expectToken(fourth, PHOTOS, "write");
      const fifth = await refresh(server, mine, fourth.body.refresh_token, { scope: "play" });
      expectToken(fifth, MUSIC, "play", 120);
      expectRefusal(
        await refresh(server, mine, fifth.body.refresh_token, { scope: "play", resource: PHOTOS }),
        "invalid_target",
      );
    },
  );

  test("each API sees its own token alone", async () => {
    const code = await both();
    const one = await redeem(server, client, code, { resource: PHOTOS });
    const two = await refresh(server, client, one.body.refresh_token, { resource: MUSIC });
    const ask = async (id: string, secret: string, token: string | undefined) =>
      (await postForm(server, "/introspect", { clientId: id, secret }, { token })).body["active"];
    expect(await ask(API.id, API.secret, one.body.access_token)).toBe(true);
    expect(await ask(music.id, music.secret, one.body.access_token)).toBe(false);
    expect(await ask(music.id, music.secret, two.body.access_token)).toBe(true);
    expect(await ask(API.id, API.secret, two.body.access_token)).toBe(false);
  });
});

test("all scopes of a code are taken before it is redeemed → refused without spending it, also with a resource; spent → its replay is found all the same", async () => {
  const scope = { name: "hum", description: "Hum", resource: MUSIC };
  await server.addScope(scope);
  const mine = await server.addClient({ scopes: ["hum"] });
  const code = await codeOf(server, mine, owner, { ask: { scope: "hum" } });
  const takeScope = async () => {
    await server.assent.storage.scopes.delete({ name: "hum", now: server.now() });
    await settle();
  };
  await takeScope();
  for (const more of [{}, { resource: MUSIC }]) expectRefusal(await redeem(server, mine, code, more), "invalid_grant");
  await server.addScope(scope);
  const tokens = await redeem(server, mine, code);
  expectToken(tokens, MUSIC, "hum", 120);
  await takeScope();
  expectRefusal(await redeem(server, mine, code), "invalid_grant");
  await server.addScope(scope);
  expectRefusal(await refresh(server, mine, tokens.body.refresh_token), "invalid_grant");
});

test("an API's scope is taken from the service → the other API remains, without naming it", async () => {
  await server.addScope({ name: "sing", description: "Sing", resource: MUSIC });
  const mine = await server.addClient({ scopes: ["read", "sing"] });
  const { refresh: token } = await tokensOf(server, mine, owner, {
    ask: { scope: "read sing" },
    fields: { resource: PHOTOS },
  });
  expectRefusal(await refresh(server, mine, token), "invalid_target");
  await server.assent.storage.scopes.delete({ name: "sing", now: server.now() });
  await settle();
  expectToken(await refresh(server, mine, token), PHOTOS, "read");
  expectRefusal(await refresh(server, mine, token, { resource: MUSIC }), "invalid_target");
});
