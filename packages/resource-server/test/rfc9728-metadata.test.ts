/** Protected resource metadata (RFC 9728) and the challenges that lead to it, in every adapter. */

import { sign } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveMetadata as inFastify } from "../src/fastify.ts";
import { serveMetadata as inFetch, withToken } from "../src/fetch.ts";
import { serveMetadata as inHono } from "../src/hono.ts";
import {
  createResourceServer,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
  type ResourceServerOptions,
} from "../src/index.ts";
import { serveMetadata as inNode } from "../src/node.ts";
import { send } from "./support/api.ts";
import { frameworks, type Running } from "./support/frameworks.ts";
import { aKey, aToken, type SigningKey, seconds, startIssuer, type TestIssuer } from "./support/issuer.ts";

const API = "https://api.test/mcp";
const PATH = "/.well-known/oauth-protected-resource/mcp";
const HOME = `https://api.test${PATH}`;

let key: SigningKey;
let issuer: TestIssuer;
beforeAll(async () => {
  key = await aKey();
  issuer = await startIssuer([key.jwk]);
});
afterAll(() => issuer.close());

const options = (more: Partial<ResourceServerOptions> = {}): ResourceServerOptions => ({
  ...{ issuer: issuer.issuer, audience: API, metadata: { scopes: ["files:read", "files:write"], name: "Files" } },
  ...more,
});
const document = () => ({
  resource: API,
  authorization_servers: [issuer.issuer],
  bearer_methods_supported: ["header"],
  scopes_supported: ["files:read", "files:write"],
  resource_name: "Files",
});
const token = (claims: Record<string, unknown> = {}) =>
  aToken(issuer.issuer, key, { claims: { aud: API, scope: "files:read", ...claims } });

describe("the document", () => {
  test.each<readonly [string, Partial<Parameters<typeof protectedResourceMetadata>[0]>, RegExp]>([
    ["PM-20 an authorization server over http", { issuer: "http://login.test" }, /issuer must be https/],
    ["PM-20 one with a password in its URL", { issuer: "https://a:b@login.test" }, /issuer must not hold a password/],
    ["PM-20 no URL", { issuer: "login.test" }, /issuer must be an absolute URL/],
    ["an issuer with a query", { issuer: "https://login.test?x" }, /issuer has a query or fragment/],
    ["an API over http", { audience: "http://api.test" }, /audience must be https/],
    ["an API that is no URL", { audience: "urn:files" }, /audience must be https/],
    ["an API with a fragment (§1.2)", { audience: "https://api.test/#a" }, /audience has a fragment/],
    ["a scope with a quote", { scopes: ['a"b'] }, /scopes: scope must be/],
    ["no scope in the list", { scopes: [] }, /scopes: scope must be/],
    ["an empty name", { name: "" }, /name must be a text/],
    ["a page that is a script", { documentation: "javascript:x()" }, /documentation must be https/],
  ])("%s → refused at the start, never published", (_, changes, problem) => {
    const { metadata, ...all } = options();
    expect(() => protectedResourceMetadata({ ...all, ...metadata, ...changes })).toThrow(problem);
    const { issuer: by = issuer.issuer, audience = API, ...details } = changes;
    expect(() => createResourceServer({ issuer: by, audience, metadata: details })).toThrow(TypeError);
  });

  test("no option metadata → no adapter serves anything", () => {
    const api = createResourceServer({ issuer: issuer.issuer, audience: API });
    expect(api.metadata).toBeNull();
    for (const serve of [inNode, inFetch, inFastify, inHono]) expect(() => serve(api)).toThrow("the option metadata");
  });

  test.each([
    ["https://api.test", "https://api.test/.well-known/oauth-protected-resource"],
    ["https://api.test/", "https://api.test/.well-known/oauth-protected-resource"],
    ["https://api.test/mcp", HOME],
    ["https://api.test/mcp/", `${HOME}/`],
    ["https://api.test:8443/a/b?tenant=x", "https://api.test:8443/.well-known/oauth-protected-resource/a/b?tenant=x"],
  ])("of %s → at %s (§3.1)", (audience, url) => {
    expect(protectedResourceMetadataUrl(audience)).toBe(url);
    expect(createResourceServer(options({ audience })).metadata?.url).toBe(url);
  });

  test("all details → all members", () => {
    const pages = { documentation: "https://api.test/docs", policy: "https://api.test/policy" };
    const metadata = { ...pages, terms: "https://api.test/terms", scopes: "files:read files:write", name: "Files" };
    expect(createResourceServer(options({ metadata })).metadata?.document).toEqual({
      ...document(),
      resource_documentation: "https://api.test/docs",
      resource_policy_uri: "https://api.test/policy",
      resource_tos_uri: "https://api.test/terms",
    });
  });
});

/** `target`: sent as it is, also a whole URL or a path with two slashes. */
function raw(origin: string, target: string, headers: Record<string, string> = {}, method = "GET") {
  const { hostname, port } = new URL(origin);
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const sent = httpRequest({ host: hostname, port, path: target, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on("error", reject).end();
  });
}

describe.each(Object.keys(frameworks))("in %s", (name) => {
  const needed = { scope: "files:write" };
  let app: Running;
  let stepUp: Running;
  beforeAll(async () => {
    const start = frameworks[name];
    if (start === undefined) throw new Error(name);
    app = await start(createResourceServer(options()), needed);
    stepUp = await start(createResourceServer(options()), { scope: "files:read", acr: "mfa phr", maxAge: 300 });
  });
  afterAll(() => Promise.all([app.close(), stepUp.close()]));

  test("PM-01 GET → the document; HEAD without it; OPTIONS for scripts of any site; another method → 405", async () => {
    const get = await raw(app.origin, PATH);
    expect([get.status, JSON.parse(get.text)]).toEqual([200, document()]);
    expect(get.headers).toMatchObject({
      ...{ "content-type": expect.stringMatching(/^application\/json/), "access-control-allow-origin": "*" },
      "cache-control": "public, max-age=300",
    });
    const head = await raw(app.origin, PATH, {}, "HEAD");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect((await raw(app.origin, PATH, {}, "OPTIONS")).status).toBe(204);
    const post = await raw(app.origin, PATH, {}, "POST");
    expect([post.status, post.headers["allow"], post.text]).toEqual([405, "GET, HEAD, OPTIONS", ""]);
  });

  test("PM-03 another Host, forwarded headers, a whole URL as target → the same document and the same address", async () => {
    const forged = { host: "evil.test", "x-forwarded-host": "evil.test", forwarded: "host=evil.test" };
    for (const [target, headers] of [
      [PATH, forged],
      [`${PATH}?x=1`, {}],
      [`http://evil.test${PATH}`, { host: "evil.test" }],
    ] as const) {
      const { status, text } = await raw(app.origin, target, headers);
      expect([status, JSON.parse(text)]).toEqual([200, document()]);
    }
    const refused = await raw(app.origin, "/files", forged);
    expect(refused.headers["www-authenticate"]).toContain(`resource_metadata="${HOME}"`);
    expect(JSON.stringify(refused)).not.toContain("evil.test");
  });

  test("PM-03, PM-19 another case, a slash at the end or at the start, an encoded letter → not the document", async () => {
    const near = [`${PATH}/`, PATH.toUpperCase(), `/${PATH}`, `//evil.test${PATH}`, `${PATH.slice(0, -1)}%70`];
    for (const target of [...near, `/x/..${PATH}x`, "/.well-known/oauth-protected-resource"]) {
      const { status, text } = await raw(app.origin, target);
      expect([target, status, text]).toEqual([target, 401, "{}"]);
    }
  });

  test("PM-04 each refusal → its status, its error, the scope to ask for and the document's address", async () => {
    const challenge = async (at: Running, authorization?: string) => {
      const { status, headers } = await send(
        `${at.origin}/files`,
        authorization ? ["Authorization", authorization] : [],
      );
      return [status, headers["www-authenticate"]] as const;
    };
    const end = `resource_metadata="${HOME}"`;
    expect(await challenge(app)).toEqual([401, `Bearer realm="${API}", scope="files:write", ${end}`]);
    const [late, said] = await challenge(app, `Bearer ${token({ exp: seconds() - 600, iat: seconds() - 900 })}`);
    expect([late, said]).toEqual([
      401,
      expect.stringMatching(/error="invalid_token".*, scope="files:write", resource/),
    ]);
    const [poor, lacks] = await challenge(app, `Bearer ${token()}`);
    expect([poor, lacks]).toEqual([
      403,
      expect.stringMatching(/error="insufficient_scope".*, scope="files:write", res/),
    ]);
    const [odd, malformed] = await challenge(app, "Bearer a b");
    expect([odd, malformed]).toEqual([400, expect.stringMatching(/error="invalid_request".*", resource_metadata=/)]);
    expect(malformed).not.toContain("scope=");
    const [weak, stronger] = await challenge(stepUp, `Bearer ${token({ acr: "1fa", auth_time: seconds() })}`);
    expect(weak).toBe(401);
    expect(stronger).toMatch(/error="insufficient_user_authentication"/);
    expect(stronger).toContain(`scope="files:read", acr_values="mfa phr", max_age="300", ${end}`);
    const right = token({ acr: "mfa", auth_time: seconds() });
    const welcome = await send(`${stepUp.origin}/files`, ["Authorization", `Bearer ${right}`]);
    expect([welcome.status, welcome.body]).toEqual([200, "Hello alice"]);
  });

  test("PM-16, PM-19 a token in the query, in a cookie, twice, joined by a comma; HEAD and OPTIONS without one → no data", async () => {
    const right = token({ scope: "files:write" });
    const refused = async (target: string, headers: Record<string, string>, method = "GET") => {
      const { status, text } = await raw(app.origin, target, headers, method);
      expect(text).not.toContain("alice");
      return status;
    };
    expect(await refused(`/files?access_token=${right}`, {})).toBe(401);
    expect(await refused("/files", { cookie: `access_token=${right}` })).toBe(401);
    expect(await refused("/files", { authorization: `Bearer ${right}, Bearer ${right}` })).toBe(400);
    const twice = ["Authorization", `Bearer ${right}`, "Authorization", `Bearer ${right}`];
    expect((await send(`${app.origin}/files`, twice)).status).toBe(400);
    expect(await refused("/files", {}, "HEAD")).toBe(401);
    expect(await refused("/files", {}, "OPTIONS")).toBe(401);
    const welcome = await send(`${app.origin}/files`, ["Authorization", `Bearer ${right}`]);
    expect([welcome.status, welcome.body]).toEqual([200, "Hello alice"]);
  });

  test("PM-19 the program's own reader of certificates throws → refused, and the next request is answered", async () => {
    const start = frameworks[name];
    const clientCertificate = () => {
      throw new Error("unreadable");
    };
    const own = await start?.(createResourceServer(options({ clientCertificate })), {});
    const bound = token({ cnf: { "x5t#S256": "x" } });
    for (const _ of [1, 2]) {
      const { status, body } = await send(`${own?.origin}/files`, ["Authorization", `Bearer ${bound}`]);
      expect([status, JSON.parse(body)]).toMatchObject([401, { error: "invalid_token" }]);
    }
    expect((await send(`${own?.origin}/files`, ["Authorization", `Bearer ${token()}`])).status).toBe(200);
    await own?.close();
  });
});

describe("PM-05 a scope or an acr with", () => {
  test.each([
    ["a quote", 'files:read", error="none'],
    ["a line feed", "files:read\r\nx-evil: 1"],
    ["another letter than ASCII", "dossiers:lus-é"],
    ["10,000 characters", "f".repeat(10_000)],
    ["nothing", ""],
  ])("%s → a TypeError, at the start or when the program asks for it; no header is written", async (_, text) => {
    const api = createResourceServer(options());
    expect(() => createResourceServer(options({ scope: text }))).toThrow(TypeError);
    const handler = () => new Response("never");
    for (const requirement of [{ scope: text }, { acr: text }]) {
      expect(() => withToken(api, requirement, handler)).toThrow(TypeError);
      const request = new Request("https://api.test/mcp");
      await expect(api.protect(request, requirement)).rejects.toThrow(TypeError);
    }
  });
});

/** A JWT of `signed_metadata` (§2.2). Without a key, it has no signature. */
function signedMetadata(claims: Record<string, unknown>, by?: SigningKey): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const input = `${part({ alg: by?.alg ?? "none" })}.${part(claims)}`;
  const how = by && { key: by.privateKey, dsaEncoding: "ieee-p1363" as const };
  return `${input}.${how === undefined ? "" : sign("sha256", Buffer.from(input), how).toString("base64url")}`;
}

describe("signed_metadata, which no part of this package makes or reads", () => {
  test("PM-18 the document has none, whatever a program puts into the options", async () => {
    const metadata = { name: "Files", scopes: ["files:read"], signed_metadata: "x.y.z" };
    const served = inFetch(createResourceServer(options({ metadata })));
    const published = (await served(new Request(HOME))?.json()) as object;
    expect(published).toHaveProperty("resource_name");
    expect(published).not.toHaveProperty("signed_metadata");
  });

  test("PM-18 in the issuer's metadata, of another issuer, without a signature, or with another value → ignored: the plain values count", async () => {
    const elsewhere = await startIssuer([key.jwk]);
    const intruder = await aKey();
    const login = await startIssuer([key.jwk]);
    const other = { jwks_uri: elsewhere.jwksUri };
    try {
      for (const signed of [
        signedMetadata({ iss: elsewhere.issuer, issuer: login.issuer, ...other }, intruder),
        signedMetadata({ iss: login.issuer, issuer: login.issuer, ...other }),
        signedMetadata({ iss: login.issuer, issuer: login.issuer, ...other }, key),
        { not: "a JWT" },
      ]) {
        login.metadata = { issuer: login.issuer, jwks_uri: login.jwksUri, signed_metadata: signed };
        const api = createResourceServer({ issuer: login.issuer, audience: API });
        const bearer = `Bearer ${aToken(login.issuer, key, { claims: { aud: API } })}`;
        const claims = await api.protect(new Request(API, { headers: { authorization: bearer } }));
        expect(claims.iss).toBe(login.issuer);
      }
      expect(elsewhere.hits).toEqual({ metadata: 0, jwks: 0, other: [] });
      expect(login.hits.jwks).toBe(4);
    } finally {
      await Promise.all([elsewhere.close(), login.close()]);
    }
  });
});
