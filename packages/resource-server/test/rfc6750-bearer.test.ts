/** How a token may be sent and how refusals read (RFC 6750 §§2–3), on node:http, Fastify, Express and Fetch requests alike. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimsOf as fastifyClaimsOf, requireToken as fastifyRequireToken } from "../src/fastify.ts";
import { createResourceServer, type ResourceServer, ResourceServerError } from "../src/index.ts";
import { claimsOf, requireToken, sendRefusal } from "../src/node.ts";
import { type Answer, send, startApi, type TestApi } from "./support/api.ts";
import { AUDIENCE, aKey, aToken, close, listen, startIssuer, type TestIssuer } from "./support/issuer.ts";

const DOCUMENT = "https://photos.example/.well-known/oauth-protected-resource/api";

interface Site {
  readonly origin: string;
  readonly handled: () => number;
  close(): Promise<void>;
}

let issuer: TestIssuer;
let token: string;
let api: ResourceServer;
const sites: Record<string, Site> = {};

beforeAll(async () => {
  const key = await aKey();
  issuer = await startIssuer([key.jwk]);
  token = aToken(issuer.issuer, key);
  api = createResourceServer({
    issuer: issuer.issuer,
    audience: AUDIENCE,
    realm: "photos",
    resourceMetadata: DOCUMENT,
  });
  sites["node:http"] = await nodeSite();
  sites.fastify = await fastifySite();
  sites.express = await expressSite();
  sites.fetch = await fetchSite();
});

afterAll(async () => {
  await Promise.all([issuer.close(), ...Object.values(sites).map((site) => site.close())]);
});

async function nodeSite(): Promise<Site> {
  let handled = 0;
  const guard = requireToken(api, { scope: "photos:read" });
  const server = createServer((request, response) =>
    guard(request, response, () => {
      handled++;
      response.end(claimsOf(request).sub);
    }),
  );
  return { origin: await listen(server), handled: () => handled, close: () => close(server) };
}

async function fastifySite(): Promise<Site> {
  let handled = 0;
  const app = Fastify();
  app.route({
    method: ["GET", "POST"],
    url: "/",
    onRequest: fastifyRequireToken(api, { scope: "photos:read" }),
    handler: (request) => {
      handled++;
      return fastifyClaimsOf(request).sub;
    },
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, handled: () => handled, close: () => app.close() };
}

/** Express comes without types; this much of it is used. */
type Express = () => {
  use(handler: (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown): void;
  (request: IncomingMessage, response: ServerResponse): void;
};

async function expressSite(): Promise<Site> {
  let handled = 0;
  const express: Express = createRequire(import.meta.url)("express");
  const app = express();
  app.use(requireToken(api, { scope: "photos:read" }));
  app.use((request, response) => {
    handled++;
    response.end(claimsOf(request).sub);
  });
  const server = createServer(app);
  return { origin: await listen(server), handled: () => handled, close: () => close(server) };
}

/** A site whose handler gets a Fetch Request, as in Hono. */
async function fetchSite(): Promise<Site> {
  let handled = 0;
  const server = createServer(async (incoming, response) => {
    const headers = new Headers();
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      headers.append(incoming.rawHeaders[i] ?? "", incoming.rawHeaders[i + 1] ?? "");
    }
    const request = new Request(`http://localhost${incoming.url}`, { headers });
    try {
      const claims = await api.protect(request, { scope: ["photos:read"] });
      handled++;
      response.end(claims.sub);
    } catch (error) {
      if (error instanceof ResourceServerError) sendRefusal(response, error);
      else response.writeHead(500).end();
    }
  });
  return { origin: await listen(server), handled: () => handled, close: () => close(server) };
}

describe.each(["node:http", "fastify", "express", "fetch"])("%s", (name) => {
  async function call(headers: readonly string[], path = "/", method = "GET"): Promise<Answer> {
    const site = sites[name];
    if (site === undefined) throw new Error(name);
    const before = site.handled();
    const answer = await send(site.origin + path, headers, method);
    expect(site.handled() - before, "the handler runs for accepted requests alone").toBe(answer.status === 200 ? 1 : 0);
    return answer;
  }
  const authorization = (value: string) => ["Authorization", value];

  async function isBare(headers: readonly string[], path?: string): Promise<void> {
    const answer = await call(headers, path);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe(
      `Bearer realm="photos", scope="photos:read", resource_metadata="${DOCUMENT}"`,
    );
    expect(JSON.parse(answer.body)).toEqual({});
  }

  async function isInvalidRequest(headers: readonly string[], path?: string): Promise<void> {
    const answer = await call(headers, path);
    expect(answer.status).toBe(400);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="photos", error="invalid_request", error_desc/);
    expect(JSON.parse(answer.body)).toMatchObject({ error: "invalid_request" });
  }

  test("no header, an empty one → 401 without an error code", async () => {
    await isBare([]);
    await isBare(authorization(""));
    await isBare(authorization("   "));
  });
  test("DP-14 another scheme, DPoP among them → 401 without an error code", async () => {
    for (const scheme of ["Basic", "DPoP", "Token", "Bearers", "Bearer-x", "XBearer"]) {
      await isBare(authorization(`${scheme} ${token}`));
    }
    await isBare(authorization(token));
  });
  test("the token in the query alone → as if there were none", async () => {
    await isBare([], `/?access_token=${token}`);
    await isBare(["X-Access-Token", token, "Cookie", `access_token=${token}`]);
  });
  test("no single token after Bearer → 400", async () => {
    const wrong = [
      "Bearer",
      "Bearer ",
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer "${token}"`,
    ];
    for (const value of [...wrong, `Bearer\t${token}`, `Bearer,${token}`, `Bearer ${token},`, "Bearer =", "Bearer é"]) {
      await isInvalidRequest(authorization(value));
    }
  });
  test("DP-14 two Authorization headers → 400, in any order and case, even the same twice", async () => {
    const valid = authorization(`Bearer ${token}`);
    await isInvalidRequest([...valid, ...valid]);
    await isInvalidRequest([...valid, "authorization", "Basic eDp5"]);
    await isInvalidRequest(["AUTHORIZATION", "Basic eDp5", ...valid]);
  });
  test("in the header and in the query → 400", async () => {
    await isInvalidRequest(authorization(`Bearer ${token}`), `/?access_token=${token}`);
    await isInvalidRequest(authorization(`Bearer ${token}`), "/?a=1&access%5Ftoken=");
  });
  test("bearer in any case, more spaces, other queries → accepted", async () => {
    for (const value of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `BEARER ${token}`,
      `Bearer    ${token}`,
      `  Bearer ${token}  `,
    ]) {
      const answer = await call(authorization(value), "/?token=x&q=access_token");
      expect([answer.status, answer.body]).toEqual([200, "alice"]);
    }
    expect((await call(["aUTHORIZATION", `Bearer ${token}`])).status).toBe(200);
  });
  test("a wrong token → 401 invalid_token, JSON, no-store, nothing reflected", async () => {
    const answer = await call(authorization("Bearer sloth.sloth.sloth"));
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(
      /^Bearer realm="photos", error="invalid_token", error_description="[^"]+", scope="photos:read", resource_metadata="[^"]+"$/,
    );
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(Object.keys(JSON.parse(answer.body))).toEqual(["error", "error_description"]);
    expect(answer.body + JSON.stringify(answer.headers)).not.toContain("sloth");
  });
  test("HEAD → the same status and headers", async () => {
    if (name === "fastify") return;
    const answer = await call([], "/", "HEAD");
    expect([answer.status, answer.body]).toEqual([401, ""]);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
  });
});

test("claimsOf an unprotected request → throws", () => {
  expect(() => claimsOf({})).toThrow("requireToken");
});

test("the body of a stranger's POST → not read before Fastify refuses", async () => {
  const answer = await send(`${sites.fastify?.origin}/`, ["Content-Type", "application/json"], "POST");
  expect(answer.status).toBe(401);
});

test("not a request → TypeError, never an acceptance", async () => {
  // A program without types may pass anything.
  const protect = api.protect as (request: unknown, requirement?: unknown) => Promise<unknown>;
  await expect(protect({})).rejects.toThrow(TypeError);
  await expect(protect({ headers: { authorization: `Bearer ${token}` } })).rejects.toThrow(TypeError);
  const request = { rawHeaders: ["Authorization", `Bearer ${token}`] };
  for (const scope of ["", " ", [], [""], "a  b", 'a"b', 1, null]) {
    await expect(protect(request, { scope }), JSON.stringify(scope)).rejects.toThrow(TypeError);
    expect(() => requireToken(api, { scope } as { scope: string })).toThrow(TypeError);
  }
  await expect(protect(request, { scope: "photos:read photos:list" })).resolves.toMatchObject({ sub: "alice" });
});

describe("the API's own scope", () => {
  let narrow: TestApi;
  beforeAll(async () => {
    narrow = await startApi(
      { issuer: issuer.issuer, audience: AUDIENCE, scope: ["photos:list"] },
      "photos:write photos:list",
    );
  });
  afterAll(() => narrow.close());

  test("and the operation's together → 403 names both, each once", async () => {
    const answer = await narrow.call(token);
    expect(answer.status).toBe(403);
    expect(answer.headers["www-authenticate"]).toContain('scope="photos:list photos:write"');
  });
});

test("a broken onRefusal → the refusal all the same", async () => {
  const onRefusal = () => {
    throw new Error("disk full");
  };
  const site = await startApi({ issuer: issuer.issuer, audience: AUDIENCE, onRefusal });
  expect((await send(site.origin)).status).toBe(401);
  expect((await site.call(token)).status).toBe(200);
  await site.close();
});
