/**
 * Which server an answer comes from: issuer identification, Host headers, metadata (RFC 9207, RFC 8414 §3.3, RFC 9700
 * §4.4).
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withOpenIdScopes } from "../../packages/server/src/oauth/openid/scopes.ts";
import { serverMetadata } from "../../packages/server/src/oauth/server-metadata.ts";
import {
  atConsent,
  expectRedirectError,
  type ProxiedServer,
  send,
  sendBytes,
  startBehindProxy,
} from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const METADATA = "/.well-known/oauth-authorization-server";
let server: TestServer;
let client: TestClient;
let person: Awaited<ReturnType<TestServer["addPerson"]>>;
let proxied: ProxiedServer;
/** As `proxied`, but trusts no proxy. */
let bare: ProxiedServer;

beforeAll(async () => {
  [server, proxied, bare] = await Promise.all([
    startServer(),
    startBehindProxy(),
    startBehindProxy({ config: { trustProxy: [] } }),
  ]);
  client = await server.addClient();
  person = await server.addPerson();
});
afterAll(async () => {
  await Promise.all([server.stop(), proxied.stop(), bare.stop()]);
});

describe("MX-01 iss in every answer", () => {
  test("success → the issuer as it is configured, once", async () => {
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), person.username);
    expect(callback.searchParams.getAll("iss")).toEqual([server.issuer]);
  });

  test("refusals before, on and after the pages → the same", async () => {
    const agent = new Agent(server.issuer);
    expectRedirectError(await agent.get(authorizeUrl(server, client, { scope: "none" })), server, "invalid_scope");
    expectRedirectError(await agent.get(authorizeUrl(server, client, { prompt: "none" })), server, "login_required");
    const page = await atConsent(agent, authorizeUrl(server, client, { prompt: "consent" }), person.username);
    expectRedirectError(await agent.submit(consentForm(page), { decision: "deny" }), server, "access_denied");
  });

  test("form_post, allowed and denied → a field of the form", async () => {
    for (const [decision, other] of [
      ["allow", "code"],
      ["deny", "error"],
    ] as const) {
      const agent = new Agent(server.issuer);
      const url = authorizeUrl(server, client, { response_mode: "form_post", prompt: "consent" });
      const page = await agent.submit(consentForm(await atConsent(agent, url, person.username)), { decision });
      const [form] = page.forms;
      expect([form?.action, form?.method]).toEqual(["https://app.test/cb", "post"]);
      expect(form?.fields.getAll("iss")).toEqual([server.issuer]);
      expect(form?.fields.get(other)).toEqual(expect.any(String));
    }
  });

  test("iss, code or error sent with the request → not echoed", async () => {
    const extra = { iss: "https://evil.test", code: "evil", error: "evil", error_uri: "https://evil.test" };
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { ...extra, prompt: "none" }));
    const answer = expectRedirectError(page, server, "login_required");
    expect(answer.toString()).not.toContain("evil");
  });
});

test("MX-02 the metadata → the configured issuer, iss announced, no endpoint that isn't there", async () => {
  const document: Record<string, unknown> = await (await fetch(server.issuer + METADATA)).json();
  expect(document["issuer"]).toBe(server.issuer);
  expect(document["authorization_response_iss_parameter_supported"]).toBe(true);
  const urls = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name));
  expect(urls.length).toBeGreaterThanOrEqual(5);
  for (const [name, url] of urls) {
    expect(String(url).startsWith(`${server.issuer}/`), name).toBe(true);
    expect((await fetch(String(url))).status, name).not.toBe(404);
  }
  for (const absent of ["registration", "pushed_authorization_request"])
    expect(document).not.toHaveProperty(`${absent}_endpoint`);
  for (const path of ["/register", "/par", "/admin/"])
    expect((await fetch(server.issuer + path)).status, path).toBe(404);
});

describe("MX-03 a Host of somebody else", () => {
  const lies: readonly (readonly [what: string, headers: Record<string, string>])[] = [
    ["Host", { host: "evil.test" }],
    ["X-Forwarded-Host", { "x-forwarded-host": "evil.test" }],
    [
      "X-Forwarded-*, all of them",
      {
        "x-forwarded-host": "evil.test",
        "x-forwarded-port": "666",
        "x-forwarded-prefix": "/evil.test",
        "x-original-url": "//evil.test",
        "x-rewrite-url": "//evil.test",
      },
    ],
    ["Forwarded", { forwarded: "host=evil.test;proto=http;for=1.2.3.4" }],
  ];

  test.each(lies)("%s → metadata, pages and redirects name the configured issuer alone", async (_, headers) => {
    for (const [of, origin] of [
      [server, server.issuer],
      [proxied, proxied.origin],
      [bare, bare.origin],
    ] as const) {
      const known = of === server ? client : await of.addClient();
      const answer = new URL(authorizeUrl(of, known, { prompt: "none" }));
      const paths = [
        METADATA,
        "/jwks",
        "/account/apps",
        "/",
        "/login",
        "/errors/invalid_grant",
        "/nothing",
        "/health/ready",
      ];
      for (const path of [...paths, answer.pathname + answer.search, `/authorize?client_id=x`]) {
        const got = await send(origin, { path, headers: { accept: "text/html", ...headers } });
        expect(got.status, path).toBeLessThan(500);
        expect(got.text + JSON.stringify(got.headers), path).not.toContain("evil.test");
      }
      const document = await send(origin, { path: METADATA, headers });
      expect([400, 421]).not.toContain(document.status);
      expect(JSON.parse(document.text)).toMatchObject({ issuer: of.issuer, token_endpoint: `${of.issuer}/token` });
    }
  });

  test("a request line with a whole URL → the canonical issuer or a refusal", async () => {
    const { host } = new URL(server.issuer);
    for (const target of [
      `http://evil.test${METADATA}`,
      `http://${host}${METADATA}`,
      "http://evil.test/",
      "//evil.test/login",
    ]) {
      const text = await sendBytes(
        server.issuer,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 (200|30[23]|400|404|421) /);
      expect(text).not.toContain("evil.test");
      if (text.startsWith("HTTP/1.1 200")) expect(text).toContain(`"issuer":"${server.issuer}"`);
    }
  });

  test("two Host lines, or none → 400 (RFC 9112 §3.2)", async () => {
    for (const lines of ["Host: a.test\r\nHost: evil.test\r\n", ""]) {
      const text = await sendBytes(server.issuer, `GET ${METADATA} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).not.toContain("evil.test");
    }
  });
});

describe("MX-04 X-Forwarded-Proto", () => {
  test("http, from a peer that isn't trusted → issuer and cookies stay as they are", async () => {
    for (const headers of [{ "x-forwarded-proto": "http" }, { forwarded: "proto=http" }]) {
      const page = await send(bare.origin, { path: "/login", headers });
      expect(page.headers["set-cookie"]?.[0]).toMatch(/^__Host-assent_browser=.*; Secure$/);
      const document = await send(bare.origin, { path: METADATA, headers });
      expect(JSON.parse(document.text)).toMatchObject({ issuer: "https://as.test" });
    }
  });

  test("http, from the trusted proxy → still a Secure cookie and the https issuer", async () => {
    const page = await send(proxied.origin, { path: "/login", headers: { "x-forwarded-proto": "http" } });
    for (const cookie of page.headers["set-cookie"] ?? []) expect(cookie).toMatch(/; Secure$/);
    const document = await send(proxied.origin, { path: METADATA, headers: { "x-forwarded-proto": "http" } });
    expect(document.text).toContain('"issuer":"https://as.test"');
  });
});

describe("MX-06 another server's credentials", () => {
  test("code, refresh token, session and form of one at the other → refused, and fine at home", async () => {
    const other = await startServer();
    try {
      // Both servers have the same client and person, so that they differ only in the issuer.
      const { secret, ...record } = client;
      await other.assent.storage.clients.put({ client: record, expect: null });
      const twin = { ...record, secret };
      await other.addPerson({ ...person });
      const agent = new Agent(server.issuer);
      const callback = await authorize(agent, authorizeUrl(server, client), person.username);
      const away = await redeem(other, twin, callback);
      expect([away.status, away.body.error]).toEqual([400, "invalid_grant"]);
      const home = await redeem(server, client, callback);
      expect(home.status).toBe(200);
      const refreshed = await refresh(other, twin, home.body.refresh_token);
      expect([refreshed.status, refreshed.body.error]).toEqual([400, "invalid_grant"]);
      expect((await refresh(server, client, home.body.refresh_token)).status).toBe(200);

      const stranger = new Agent(other.issuer);
      for (const [name, value] of agent.cookies) stranger.cookies.set(name, value);
      expect((await stranger.get("/account/apps")).location?.pathname).toBe("/login");
      const consent = await atConsent(agent, authorizeUrl(server, client, { prompt: "consent" }), person.username);
      expect((await stranger.submit(consentForm(consent), { decision: "allow" })).status).toBe(400);
    } finally {
      await other.stop();
    }
  });
});

test("MX-08 1,000 requests with any Host and language → the same bytes each time", async () => {
  const seen = new Map<string, Set<string>>([
    [METADATA, new Set()],
    ["/jwks", new Set()],
  ]);
  for (let at = 0; at < 1000; at += 1) {
    for (const [path, bodies] of at % 2 === 0
      ? [[METADATA, seen.get(METADATA)] as const]
      : [["/jwks", seen.get("/jwks")] as const]) {
      const headers = {
        host: `h${at}.test`,
        "accept-language": `x-${at}, de;q=0.${at % 10}`,
        "x-forwarded-host": `f${at}.test`,
        accept: at % 3 === 0 ? "text/html" : "*/*",
        ...(at % 5 === 0 ? { origin: `https://o${at}.test` } : {}),
      };
      const { status, text, headers: got } = await send(server.issuer, { path, headers });
      // The answer must be the same for every origin, because shared caches keep it.
      bodies?.add(`${status} ${got["content-type"]} ${got["access-control-allow-origin"]} ${got["vary"]} ${text}`);
    }
  }
  expect([...seen.values()].map(({ size }) => size)).toEqual([1, 1]);
  const { grants, storage } = server.assent;
  const document = JSON.stringify(serverMetadata(server.issuer, withOpenIdScopes(await storage.scopes.list()), grants));
  expect([...(seen.get(METADATA) ?? [])][0]).toContain(document);
});
