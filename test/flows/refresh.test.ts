/**
 * Refreshing an access token (RFC 6749 §6; RFC 9700 §4.14.2): kept or rotated, with fewer scopes, repeated after a lost
 * answer, stolen.
 */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, changeClient, expectRefusal, logged, type Owner, tokensOf } from "../support/back-channel.ts";
import { refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECOND = 1000;

let server: TestServer;
let keeping: TestClient;
let rotating: TestClient;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  keeping = await server.addClient();
  rotating = await server.addClient({ type: "public" });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const wide = { ask: { scope: "read write" }, answer: { scope: ["read", "write"] } };

describe.each(["keep", "rotate"] as const)("%s", (kind) => {
  const client = () => (kind === "keep" ? keeping : rotating);

  test("each refresh → a new access token with a life of its own; the refresh token that is valid", async () => {
    const first = await tokensOf(server, client(), owner);
    server.tick(300 * SECOND);
    const { status, body } = await refresh(server, client(), first.refresh);
    expect(status).toBe(200);
    expect(body.refresh_token === first.refresh).toBe(kind === "keep");
    const [one, two] = [decodeJwt(first.access), decodeJwt(body.access_token ?? "")];
    expect(two.jti).not.toBe(one.jti);
    expect((two.exp ?? 0) - (one.exp ?? 0)).toBeGreaterThanOrEqual(300);
    // The person and the time of the sign-in stay the same.
    expect([two.sub, two["auth_time"], two.scope]).toEqual([one.sub, one["auth_time"], one.scope]);
  });

  test("a narrower scope → that access token alone; the next has all again", async () => {
    const { refresh: token } = await tokensOf(server, client(), owner, wide);
    const narrow = await refresh(server, client(), token, { scope: "write" });
    expect([narrow.body.scope, decodeJwt(narrow.body.access_token ?? "")["scope"]]).toEqual(["write", "write"]);
    const full = await refresh(server, client(), narrow.body.refresh_token);
    expect(full.body.scope).toBe("read write");
  });

  test("in use, within its idle time each time → it goes on past it", async () => {
    const who = await anOwner(server);
    const days = kind === "keep" ? 90 : 14;
    let { refresh: token } = await tokensOf(server, client(), who, { answer: { duration: "31536000" } });
    for (let round = 0; round < 3; round += 1) {
      server.tick((days - 1) * 86_400_000);
      const { status, body } = await refresh(server, client(), token);
      expect(status, JSON.stringify(body)).toBe(200);
      token = body.refresh_token ?? "";
    }
  });
});

describe("rotate", () => {
  test("a lost answer, repeated in time → the same successor, an access token of its own, and an event with the count", async () => {
    const { refresh: one } = await tokensOf(server, rotating, owner);
    const lost = await refresh(server, rotating, one);
    const before = logged(server, "refresh_retried");
    const again = await refresh(server, rotating, one);
    expect(again.body.refresh_token).toBe(lost.body.refresh_token);
    expect(again.body.access_token).not.toBe(lost.body.access_token);
    expect(logged(server, "refresh_retried")).toBe(before + 1);
  });

  test("a theft → the owner's dashboard says so, and the app can be authorized again", async () => {
    const app = await server.addClient({ type: "public", name: "Stolen App" });
    const who = await anOwner(server);
    const { refresh: one } = await tokensOf(server, app, who);
    const two = (await refresh(server, app, one)).body.refresh_token;
    const quiet = await who.agent.get("/account/apps");
    expect(quiet.text).not.toMatch(/old key/);
    server.tick(11 * SECOND);
    expectRefusal(await refresh(server, app, one), "invalid_grant");
    expectRefusal(await refresh(server, app, two), "invalid_grant");
    const told = await who.agent.get("/account/apps");
    expect(told.text).toMatch(/Stolen App[\s\S]*Somebody used an old key of this app/);
    const { refresh: three } = await tokensOf(server, app, who);
    expect((await refresh(server, app, three)).status).toBe(200);
  });

  test("another grant of the same app and owner → untouched by the theft of one", async () => {
    const [stolen, safe] = [await tokensOf(server, rotating, owner), await tokensOf(server, rotating, owner)];
    await refresh(server, rotating, stolen.refresh);
    server.tick(11 * SECOND);
    expectRefusal(await refresh(server, rotating, stolen.refresh), "invalid_grant");
    expect((await refresh(server, rotating, safe.refresh)).status).toBe(200);
  });

  test("a client changed from keep to rotate, and back → its tokens live on", async () => {
    const client = await server.addClient();
    const { refresh: one } = await tokensOf(server, client, owner);
    await changeClient(server, client, { refresh: "rotate" });
    const two = (await refresh(server, client, one)).body.refresh_token;
    expect(two).not.toBe(one);
    await changeClient(server, client, { refresh: "keep" });
    expect((await refresh(server, client, two)).body.refresh_token).toBe(two);
    server.tick(31 * SECOND);
    // A spent token is a theft, even if the client's settings have changed.
    expectRefusal(await refresh(server, client, one), "invalid_grant");
  });
});
