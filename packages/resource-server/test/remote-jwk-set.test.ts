/**
 * The issuer's metadata and keys (RFC 8414, RFC 7517): their allowed addresses, their caching, and the cost of floods.
 */

import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { byTheClock } from "../../../test/support/timing-test-retries.ts";
import { createResourceServer, type ResourceServerOptions } from "../src/index.ts";
import { startApi, type TestApi } from "./support/api.ts";
import { AUDIENCE, aKey, aToken, sendJson, startIssuer, type TestIssuer } from "./support/issuer.ts";

const key = await aKey("ES256", "first");
const next = await aKey("ES256", "second");
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((it) => it.close()));
});

/** An issuer, an API, and a clock that only the test moves. */
async function setUp(options: Partial<ResourceServerOptions> = {}, path = "", port = 0) {
  const issuer = await startIssuer([key.jwk], path, port);
  let ahead = 0;
  const api = await startApi({ issuer: issuer.issuer, audience: AUDIENCE, now: () => Date.now() + ahead, ...options });
  closing.push(issuer, api);
  const claims = { iat: 0, exp: 9e9 };
  const by = (signer = key) => aToken(issuer.issuer, signer, { claims });
  const pass = (seconds: number) => {
    ahead += seconds * 1000;
  };
  return { issuer, api, by, pass };
}

const statusOf = async (api: TestApi, token: string) => (await api.call(token)).status;

/** Expects 503 with Retry-After, because no keys are cached. Only the operator learns the reason. */
async function isUnavailable(api: TestApi, token: string, reason: RegExp): Promise<void> {
  const answer = await api.call(token);
  expect(answer.status).toBe(503);
  expect(answer.headers["retry-after"]).toBe("5");
  expect(answer.headers["www-authenticate"]).toBeUndefined();
  expect(JSON.parse(answer.body).error).toBe("temporarily_unavailable");
  expect(api.refusals.at(-1)?.detail).toMatch(reason);
  expect(api.issuerErrors.at(-1)?.message).toMatch(reason);
  expect(answer.body).not.toContain("127.0.0.1");
}

describe("metadata", () => {
  test.each<[string, (issuer: TestIssuer) => Record<string, unknown>]>([
    ["another issuer", (it) => ({ ...it.metadata, issuer: "https://evil.example" })],
    ["a trailing slash", (it) => ({ ...it.metadata, issuer: `${it.issuer}/` })],
    ["no issuer", (it) => ({ jwks_uri: it.jwksUri })],
  ])("%s → nothing accepted", async (_, metadata) => {
    const { issuer, api, by } = await setUp();
    issuer.metadata = metadata(issuer);
    await isUnavailable(api, by(), /issuer \((missing|"http.*")\) is not identical/);
    expect(issuer.hits.jwks).toBe(0);
  });
  test.each([
    "http://example.com/keys",
    "file:///etc/passwd",
    "data:application/json,{}",
    "keys",
    "https://u:p@example.com/",
    "",
    null,
    1,
    undefined,
  ])("jwks_uri %j → not fetched", async (jwksUri) => {
    const { issuer, api, by } = await setUp();
    issuer.metadata = { issuer: issuer.issuer, jwks_uri: jwksUri };
    await isUnavailable(api, by(), /jwks_uri must/);
  });
  test("an issuer with a path → metadata between host and path (§3.1)", async () => {
    const { issuer, api, by } = await setUp({}, "/tenants/one");
    expect(await statusOf(api, by())).toBe(200);
    expect(issuer.hits).toMatchObject({ metadata: 1, jwks: 1, other: [] });
  });
  test("jwksUri set → metadata is not asked for", async () => {
    const issuer = await startIssuer([key.jwk]);
    const api = await startApi({ issuer: "https://login.example", audience: AUDIENCE, jwksUri: issuer.jwksUri });
    closing.push(issuer, api);
    expect(await statusOf(api, aToken("https://login.example", key))).toBe(200);
    expect(issuer.hits.metadata).toBe(0);
  });
});

describe("PM-09 what the keys' address answers", () => {
  const keys = { keys: [key.jwk] };
  test.each<[string, RegExp, TestIssuer["onJwks"]]>([
    ["302", /redirect/, (_, response) => response.writeHead(302, { location: "/elsewhere" }).end()],
    [
      "308 with keys",
      /redirect/,
      (_, response) => response.writeHead(308, { location: "/keys" }).end(JSON.stringify(keys)),
    ],
    ["500", /status 500/, (_, response) => response.writeHead(500).end(JSON.stringify(keys))],
    ["204", /status 204/, (_, response) => response.writeHead(204).end()],
    ["no JSON", /JSON/, (_, response) => response.end("<html>")],
    ["keys twice", /twice/, (_, response) => response.end(`{"keys":[],"keys":${JSON.stringify([key.jwk])}}`)],
    ["an array", /not a JSON object/, (_, response) => sendJson(response, [key.jwk])],
    ["no keys", /not a JWK Set/, (_, response) => sendJson(response, {})],
    ["101 keys", /more than 100/, (_, response) => sendJson(response, { keys: Array(101).fill(key.jwk) })],
    ["10 MB", /longer than/, (_, response) => response.end(`{"keys":[],"x":"${"x".repeat(10_000_000)}"}`)],
    [
      "gzip",
      /compressed/,
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(keys))),
    ],
    [
      "a cut connection",
      /aborted|socket|reset/i,
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{");
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])("%s → 503, and nothing else is fetched", async (_, reason, respond) => {
    const { issuer, api, by } = await setUp();
    issuer.onJwks = respond;
    await isUnavailable(api, by(), reason);
    expect(issuer.hits).toMatchObject({ jwks: 1, other: [] });
  });
  test("a silent one, a dripping one → 503 within 6 s", { ...byTheClock, timeout: 15_000 }, async () => {
    const sites = await Promise.all([setUp(), setUp()]);
    sites[0].issuer.onJwks = () => {};
    sites[1].issuer.onJwks = (request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 100);
      request.socket.on("close", () => clearInterval(timer));
    };
    const from = Date.now();
    await Promise.all(sites.map(({ api, by }) => isUnavailable(api, by(), /took too long/)));
    expect(Date.now() - from).toBeLessThan(6000);
  });
  test("unusable keys beside the right one → left out", async () => {
    const { issuer, api, by } = await setUp();
    const point = { ...key.jwk, x: key.jwk.y ?? "" };
    issuer.keys = [
      null,
      [],
      "x",
      { kty: "oct", k: "AAAA", kid: "first" },
      { kty: "EC" },
      { ...next.jwk, kid: 7 },
      { ...point, kid: "third" },
      key.jwk,
    ] as never;
    expect(await statusOf(api, by())).toBe(200);
    expect(await statusOf(api, aToken(issuer.issuer, key, { header: { kid: "third" }, claims: { exp: 9e9 } }))).toBe(
      401,
    );
  });
  test.each<[string, Record<string, unknown>]>([
    ["use enc", { use: "enc" }],
    ["key_ops without verify", { key_ops: ["sign"] }],
    ["another alg", { alg: "ES384" }],
    ["its private part", { d: "AAAA" }],
  ])("the key with %s → not used", async (_, more) => {
    const { issuer, api, by } = await setUp();
    issuer.keys = [{ ...key.jwk, ...more }];
    expect(await statusOf(api, by())).toBe(401);
  });
  test("two keys with one kid and algorithm → neither is used", async () => {
    const { issuer, api, by } = await setUp();
    issuer.keys = [key.jwk, { ...next.jwk, kid: "first" }];
    expect(await statusOf(api, by())).toBe(401);
  });
  test("a key without alg and use → accepted by its kind", async () => {
    const { issuer, api, by } = await setUp();
    const { alg: _, use: __, ...bare } = key.jwk;
    issuer.keys = [bare];
    expect(await statusOf(api, by())).toBe(200);
  });
  test("keys of several kinds without alg, a token without kid → the one of its kind", async () => {
    const { issuer, api } = await setUp();
    const rsa = await aKey("RS256");
    const p384 = await aKey("ES384");
    issuer.keys = [rsa, p384, key].map(({ jwk: { alg: _, ...bare } }) => bare);
    const parts = { header: { kid: undefined } };
    for (const one of [key, rsa]) expect(await statusOf(api, aToken(issuer.issuer, one, parts))).toBe(200);
    expect(await statusOf(api, aToken(issuer.issuer, next, parts))).toBe(401);
  });
  test("an RSA key of 1024 bits → not used", async () => {
    const { generateKeyPairSync } = await import("node:crypto");
    const pair = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "small" } as typeof key.jwk;
    const { issuer, api } = await setUp();
    issuer.keys = [jwk];
    expect(await statusOf(api, aToken(issuer.issuer, { alg: "RS256", jwk, ...pair }, {}))).toBe(401);
  });
});

describe("PM-09 cache", () => {
  test("200 requests at once on a cold start → one fetch of each document", async () => {
    const { issuer, api, by } = await setUp();
    const token = by();
    const statuses = await Promise.all(Array.from({ length: 200 }, () => statusOf(api, token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(issuer.hits).toMatchObject({ metadata: 1, jwks: 1 });
  });
  test("tokens that could never pass → no fetch at all", async () => {
    const { issuer, api } = await setUp();
    for (const header of [{ alg: "none" }, { typ: "JWT" }, { kid: 1 }, { crit: ["x"] }]) {
      expect(await statusOf(api, aToken(issuer.issuer, key, { header }))).toBe(401);
    }
    expect(await statusOf(api, "x.y.z")).toBe(401);
    expect(issuer.hits).toMatchObject({ metadata: 0, jwks: 0 });
  });
  test("a flood of unknown kids → one fetch more in 60 s, then one again", async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    const flood = () =>
      Promise.all(
        Array.from({ length: 300 }, (_, i) => statusOf(api, aToken(issuer.issuer, next, { header: { kid: `k${i}` } }))),
      );
    expect(new Set(await flood())).toEqual(new Set([401]));
    await flood();
    expect(issuer.hits.jwks).toBe(2);
    // The floods themselves take a while.
    pass(40);
    await flood();
    expect(issuer.hits.jwks).toBe(2);
    pass(21);
    await flood();
    expect(issuer.hits.jwks).toBe(3);
    expect(await statusOf(api, by())).toBe(200);
  });
  test("an unknown kid on a cold start → one fetch, not two", async () => {
    const { issuer, api, by } = await setUp();
    expect(await statusOf(api, by(next))).toBe(401);
    expect(issuer.hits.jwks).toBe(1);
  });
  test("a new key → accepted at once, by one fetch", async () => {
    const { issuer, api, by } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    issuer.keys = [key.jwk, next.jwk];
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(api, by(next))));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(issuer.hits).toMatchObject({ metadata: 1, jwks: 2 });
    expect(await statusOf(api, by())).toBe(200);
  });
  test("a removed key → accepted until the cache ends, refused after", async () => {
    const { issuer, api, by, pass } = await setUp();
    issuer.cacheControl = "max-age=120";
    issuer.keys = [key.jwk, next.jwk];
    expect(await statusOf(api, by())).toBe(200);
    issuer.keys = [next.jwk];
    pass(95);
    expect(await statusOf(api, by(next))).toBe(200);
    pass(26);
    expect(await statusOf(api, by())).toBe(401);
    expect(await statusOf(api, by(next))).toBe(200);
  });
  test("an emptied set → nothing is accepted any more", async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    issuer.keys = [];
    pass(301);
    expect(await statusOf(api, by())).toBe(401);
  });
  test.each<[string | undefined, number, number]>([
    ["max-age=0", 45, 62],
    ["no-store", 45, 62],
    ["public, max-age=7", 45, 62],
    [undefined, 235, 301],
    ["public, max-age=600", 475, 601],
    ["max-age=999999999", 2870, 3601],
  ])("Cache-Control %s → kept %d s, renewed by %d s", async (cacheControl, kept, renewed) => {
    const { issuer, api, by, pass } = await setUp();
    issuer.cacheControl = cacheControl;
    expect(await statusOf(api, by())).toBe(200);
    pass(kept);
    expect(await statusOf(api, by())).toBe(200);
    expect(issuer.hits.jwks).toBe(1);
    pass(renewed - kept);
    expect(await statusOf(api, by())).toBe(200);
    expect(issuer.hits.jwks).toBe(2);
  });
  test("an answer that a cache already held for 500 of its 600 s → kept for the rest", async () => {
    const { issuer, api, by, pass } = await setUp();
    issuer.onJwks = (_, response) => {
      response.setHeader("age", "500");
      sendJson(response, { keys: [key.jwk] }, "max-age=600");
    };
    expect(await statusOf(api, by())).toBe(200);
    pass(101);
    expect(await statusOf(api, by())).toBe(200);
    expect(issuer.hits.jwks).toBe(2);
  });
  test("near the end → renewed while requests go on with the old keys", async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    pass(250);
    let release = () => {};
    issuer.onJwks = (_, response) => {
      release = () => sendJson(response, { keys: [next.jwk] });
    };
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(api, by())));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(() => issuer.hits.jwks).toBe(2);
    release();
    expect(await statusOf(api, by(next))).toBe(200);
    expect(issuer.hits.jwks).toBe(2);
  });
});

describe("issuer down", () => {
  test("none cached → 503 at once for everybody, one attempt in 5 s; back → accepted", async () => {
    // A fixed port, so that nothing else uses it in the meantime.
    const port = await freePort();
    const { issuer, api, by, pass } = await setUp({}, "", port);
    await issuer.close();
    const token = by();
    await isUnavailable(api, token, /ECONNREFUSED/);
    const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(api, token)));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(api.issuerErrors).toHaveLength(1);
    closing.push(await startIssuer([key.jwk], "", port));
    pass(6);
    expect(await statusOf(api, token)).toBe(200);
  });
  test("none cached, but a token that could never pass → 401, not 503", async () => {
    const { issuer, api } = await setUp();
    await issuer.close();
    expect(await statusOf(api, "x")).toBe(401);
  });
  test("cached → the last good keys serve for a day, unknown kids are refused; then 503", async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    await issuer.close();
    for (const seconds of [301, 3600, 40_000, 40_000]) {
      pass(seconds);
      expect(await statusOf(api, by())).toBe(200);
    }
    expect(await statusOf(api, by(next))).toBe(401);
    expect(api.issuerErrors.length).toBeGreaterThan(2);
    pass(3000);
    expect(await statusOf(api, by())).toBe(503);
  });
  test("hanging, with old keys → only the first request waits", { ...byTheClock, timeout: 15_000 }, async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    issuer.onJwks = () => {};
    pass(301);
    expect(await statusOf(api, by())).toBe(200);
    pass(10);
    const from = Date.now();
    for (let i = 0; i < 5; i++) expect(await statusOf(api, by())).toBe(200);
    expect(Date.now() - from).toBeLessThan(1000);
  });
  test("keys moved → found again through metadata", async () => {
    const { issuer, api, by, pass } = await setUp();
    const other = await startIssuer([next.jwk]);
    closing.push(other);
    expect(await statusOf(api, by())).toBe(200);
    issuer.metadata = { issuer: issuer.issuer, jwks_uri: other.jwksUri };
    issuer.onJwks = (_, response) => response.writeHead(404).end();
    pass(301);
    expect(await statusOf(api, by())).toBe(200);
    pass(6);
    await expect.poll(() => statusOf(api, by(next))).toBe(200);
    expect(await statusOf(api, by())).toBe(401);
  });
  test("a clock set back → keys are renewed, not kept longer", async () => {
    const { issuer, api, by, pass } = await setUp();
    expect(await statusOf(api, by())).toBe(200);
    issuer.keys = [next.jwk];
    pass(-86_400);
    expect(await statusOf(api, by())).toBe(401);
    expect(await statusOf(api, by(next))).toBe(200);
  });
});

describe("ready", () => {
  test("issuer down → rejects with the reason; up → resolves and no request fetches again", async () => {
    const { issuer, api, by } = await setUp();
    const options = { issuer: issuer.issuer, audience: AUDIENCE };
    const server = createResourceServer(options);
    issuer.metadata = { issuer: "https://evil.example" };
    await expect(server.ready()).rejects.toThrow(/not identical/);
    issuer.metadata = { issuer: issuer.issuer, jwks_uri: issuer.jwksUri };
    const second = createResourceServer(options);
    await second.ready();
    await second.ready();
    await second.protect({ rawHeaders: ["authorization", `Bearer ${by()}`] });
    expect(issuer.hits.jwks).toBe(1);
    expect(api.issuerErrors).toEqual([]);
  });
});
