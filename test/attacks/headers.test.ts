/** Headers of every answer: framing, scripts, caches, referrers, cookies, other origins, methods (RFC 9700 §§2.6, 4.2.4, 4.16). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../packages/server/src/http/endpoint-table.ts";
import { type ProxiedServer, send, sendBytes, startBehindProxy } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let proxied: ProxiedServer;
let client: TestClient;
/** An example of every kind of page, by its name. */
let pages: Record<string, Page>;

beforeAll(async () => {
  [server, proxied] = await Promise.all([startServer(), startBehindProxy()]);
  client = await server.addClient({ policyUri: "https://app.test/policy", tosUri: "https://app.test/terms" });
  const { username } = await server.addPerson();
  const stranger = new Agent(server.issuer);
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, client);
  const signInPage = await agent.get(url);
  const consent = await signIn(agent, username, signInPage);
  const posting = await agent.get(authorizeUrl(server, client, { response_mode: "form_post", prompt: "consent" }));
  pages = {
    "sign-in, with a request": signInPage,
    "sign-in": await stranger.get("/login"),
    "sign-in, refused": await stranger.submit((await stranger.get("/login")).forms[0] ?? noForm(), {
      username: "x",
      password: "y",
    }),
    "sign-in, stale": await stranger.post("/login", { username: "x" }),
    consent,
    "consent, stale": await agent.submit(consentForm(consent), { csrf: "x", decision: "allow" }),
    "an answer by post": await agent.submit(consentForm(posting), { decision: "allow" }),
    "an error by post": await stranger.get(
      authorizeUrl(server, client, { response_mode: "form_post", prompt: "none" }),
    ),
    apps: await agent.get("/account/apps"),
    security: await agent.get("/account/security"),
    "another password": await agent.get("/account/security/password"),
    profile: await agent.get("/account/profile"),
    "end of the account": await agent.get("/account/profile/delete"),
    "a link that holds no more": await stranger.get("/confirm/verify?link=x"),
    "sign-out": await agent.get("/account/sign-out"),
    "form refused": await agent.post("/account/sign-out", {}),
    "unknown client": await stranger.get("/authorize?client_id=x"),
    "unknown redirect_uri": await stranger.get(authorizeUrl(server, client, { redirect_uri: "https://evil.test" })),
    "unknown request": await stranger.get("/consent?request=x"),
    "not found": await stranger.get("/nothing"),
    "method not allowed": await stranger.request("PUT", "/login"),
    "too large": await stranger.post("/login", { username: "x".repeat(70_000) }),
    condition: await stranger.get("/errors/invalid_grant"),
    "signed out": await agent.submit((await agent.get("/account/sign-out")).forms.at(-1) ?? noForm()),
  };
});
afterAll(async () => {
  await Promise.all([server.stop(), proxied.stop()]);
});

function noForm(): never {
  throw new Error("no form");
}

function policyOf(page: Page): Map<string, string> {
  const policy = page.headers.get("content-security-policy") ?? "";
  return new Map(
    policy.split(";").map((one) => [one.trim().split(" ")[0] ?? "", one.trim().split(" ").slice(1).join(" ")]),
  );
}

const PAGE_NAMES = 24;

describe("pages", () => {
  test("all of them are pages, of the status they should have", () => {
    expect(Object.keys(pages)).toHaveLength(PAGE_NAMES);
    const statuses = Object.fromEntries(Object.entries(pages).map(([name, { status }]) => [name, status]));
    expect(statuses).toMatchObject({
      consent: 200,
      apps: 200,
      "not found": 404,
      "method not allowed": 405,
      "too large": 413,
    });
    for (const [name, page] of Object.entries(pages))
      expect([name, page.text.slice(0, 15)]).toEqual([name, "<!doctype html>"]);
  });

  test("HD-01 none may be framed", () => {
    for (const [name, page] of Object.entries(pages)) {
      expect([name, policyOf(page).get("frame-ancestors")]).toEqual([name, "'none'"]);
      expect([name, page.headers.get("x-frame-options")]).toEqual([name, "DENY"]);
    }
  });

  test("HD-02 nothing but our own files runs: no inline, no eval, no wildcard, no base", () => {
    for (const [name, page] of Object.entries(pages)) {
      const policy = policyOf(page);
      expect(policy.get("default-src"), name).toBe("'none'");
      expect(policy.get("script-src"), name).toBe("'self'");
      expect(policy.get("object-src"), name).toBe("'none'");
      expect(policy.get("base-uri"), name).toBe("'none'");
      expect(page.headers.get("content-security-policy"), name).not.toMatch(/unsafe|\*|https?:|blob:|strict-dynamic/);
      expect(page.text, name).not.toMatch(
        /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|<base|<iframe|<object|<embed/i,
      );
    }
  });

  test("HD-03 forms stay here, but for those that lead on to a client", () => {
    const onward = ["sign-in, with a request", "consent", "consent, stale", "an answer by post", "an error by post"];
    for (const [name, page] of Object.entries(pages)) {
      const allowed = policyOf(page).get("form-action");
      expect([name, allowed]).toEqual([name, onward.includes(name) ? undefined : "'self'"]);
      for (const { action } of page.forms.filter(() => !name.includes("by post"))) expect(action).toMatch(/^\/[a-z]/);
    }
  });

  test("HD-04 no page says where somebody came from; HD-06 each says its type; HD-07 none is kept", () => {
    for (const [name, page] of Object.entries(pages)) {
      expect([name, page.headers.get("referrer-policy")]).toEqual([name, "no-referrer"]);
      expect([name, page.headers.get("x-content-type-options")]).toEqual([name, "nosniff"]);
      expect([name, page.headers.get("content-type")]).toEqual([name, "text/html; charset=utf-8"]);
      expect([name, page.headers.get("cache-control")]).toEqual([name, "no-store"]);
      expect([name, page.headers.get("cross-origin-opener-policy")]).toEqual([name, "same-origin"]);
      expect([name, page.headers.get("cross-origin-resource-policy")]).toEqual([name, "same-origin"]);
    }
  });

  test("HD-08 nothing is fetched from anywhere else", async () => {
    const fetched = new Set<string>();
    for (const [name, { text }] of Object.entries(pages)) {
      const places = [...text.matchAll(/<(?:link|script|img|source|use)\b[^>]*?\s(?:href|src|srcset)="([^"]*)"/g)];
      expect(places.length, name).toBeGreaterThan(0);
      for (const [, place = ""] of places) fetched.add(place);
      expect(text, name).not.toMatch(/<meta[^>]*(refresh|preconnect|dns-prefetch)|url\(/i);
    }
    for (const place of fetched) {
      expect(place).toMatch(/^\/(?!\/)/);
      const response = await fetch(server.issuer + place);
      expect([place, response.status, response.headers.get("x-content-type-options")]).toEqual([place, 200, "nosniff"]);
      expect(response.headers.get("content-type")).toMatch(/^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)/);
      expect(response.headers.get("cache-control")).toMatch(/^public, max-age=\d+/);
      if (place.endsWith(".css")) expect(await response.text()).not.toMatch(/url\(\s*["']?(https?:)?\/\/|@import/);
    }
  });

  test("links to elsewhere open without our window and without saying where from", () => {
    const links = [...(pages["consent"]?.text ?? "").matchAll(/<a\b[^>]*href="https[^>]*>/g)].map(([link]) => link);
    expect(links).toHaveLength(2);
    for (const link of links) expect(link).toMatch(/rel="[^"]*noopener/);
  });
});

describe("HD-05, HD-09 behind https", () => {
  test("HD-05 every answer, page, JSON, file, redirect and error → a year of https, for all sub-domains", async () => {
    for (const path of ["/login", "/jwks", "/favicon.svg", "/", "/nothing", "/token", "/health/live", "/authorize"]) {
      const answer = await send(proxied.origin, { path, headers: { accept: "text/html" } });
      expect([path, answer.headers["strict-transport-security"]]).toEqual([
        path,
        "max-age=31536000; includeSubDomains",
      ]);
    }
    // For an http issuer on this machine, the header would also affect other programs on this host name.
    expect((await fetch(`${server.issuer}/login`)).headers.get("strict-transport-security")).toBeNull();
  });

  test("HD-09 every cookie → __Host-, Secure, HttpOnly, Lax, the whole host and nothing more", async () => {
    const { username } = await proxied.addPerson();
    const agent = new Agent(proxied.origin);
    const login = await agent.get("/login");
    const lines = [...login.headers.getSetCookie()];
    const signedIn = await agent.submit(login.forms[0] ?? noForm(), { username, password: PASSWORD });
    lines.push(...signedIn.headers.getSetCookie());
    const out = await agent.submit((await agent.get("/account/sign-out")).forms.at(-1) ?? noForm());
    lines.push(...out.headers.getSetCookie());
    expect(lines.map((line) => line.split("=")[0])).toEqual([
      "__Host-assent_browser",
      "__Host-assent_session",
      "__Host-assent_device",
      "__Host-assent_session",
    ]);
    for (const line of lines) {
      const attributes = line.split("; ").slice(1);
      expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "SameSite=Lax", "Secure"]));
      expect(attributes.filter((one) => !/^(Path=\/|HttpOnly|SameSite=Lax|Secure|Max-Age=\d+)$/.test(one))).toEqual([]);
    }
  });
});

test("HD-07 what holds tokens, or leads to them → no-store", async () => {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  const page = await agent.get(authorizeUrl(server, client));
  const answer = await agent.submit(consentForm(page), { decision: "allow" });
  const tokens = await redeem(server, client, answer.location ?? "");
  expect(tokens.status).toBe(200);
  const skipped = await agent.get(authorizeUrl(server, client));
  const refused = await agent.get(authorizeUrl(server, client, { scope: "nothing" }));
  for (const { status, headers } of [answer, tokens, skipped, refused]) {
    expect([status, headers.get("cache-control")]).toEqual([status, "no-store"]);
    expect(headers.get("etag") ?? headers.get("last-modified")).toBeNull();
  }
  for (const path of ["/token", "/introspect", "/revoke"])
    expect((await fetch(server.issuer + path, { method: "POST" })).headers.get("cache-control"), path).toBe("no-store");
});

test("HD-10 twenty requests in one browser → cookies as small as after one, with nothing of the requests in them", async () => {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  const size = () => [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ").length;
  const before = size();
  const forms = [];
  for (let at = 0; at < 20; at += 1)
    forms.push(consentForm(await agent.get(authorizeUrl(server, client, { state: `state-${at}`, prompt: "consent" }))));
  expect(size()).toBe(before);
  expect(size()).toBeLessThan(1024);
  const [last, ...others] = forms.toReversed();
  if (last === undefined) throw new Error("no form");
  // Each form still answers its own request. After the first "Allow", the others show something else than what holds.
  for (const form of others) expect((await agent.submit(form, { decision: "deny" })).status).toBe(302);
  expect((await agent.submit(last, { decision: "allow" })).status).toBe(302);
});

describe("other origins", () => {
  const origins = ["https://app.test", "https://evil.test", "null"];
  const allowHeaders = (headers: Record<string, unknown>) =>
    Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  const people = routes.filter(({ cors }) => cors !== true).map(({ path }) => path.replace(/:\w+/g, "x"));

  test("HD-11, HD-13 whatever isn't for scripts → no word of it, by GET, POST or preflight", async () => {
    expect(people).toEqual(
      expect.arrayContaining(["/authorize", "/login", "/consent", "/introspect", "/account/apps"]),
    );
    for (const path of [...people, "/nothing", "/admin/api/v1/clients"]) {
      for (const origin of origins) {
        for (const method of ["GET", "POST", "OPTIONS"]) {
          const headers = {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization",
          };
          const answer = await send(server.issuer, { method, path, headers });
          expect([path, method, allowHeaders(answer.headers)]).toEqual([path, method, []]);
          expect(answer.status, path).toBeLessThan(500);
        }
      }
    }
  });

  test("HD-12 token, revoke, metadata, keys → any origin, never with credentials", async () => {
    for (const [path, method] of [
      ["/token", "POST"],
      ["/revoke", "POST"],
      ["/jwks", "GET"],
      ["/.well-known/oauth-authorization-server", "GET"],
    ] as const) {
      for (const origin of origins) {
        const headers = { origin, "access-control-request-method": method };
        const preflight = await send(server.issuer, { method: "OPTIONS", path, headers });
        expect([path, preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([path, 204, "*"]);
        expect(preflight.headers["access-control-allow-methods"]).toBe(method);
        const actual = await send(server.issuer, { method, path, headers });
        expect([path, actual.headers["access-control-allow-origin"]]).toEqual([path, "*"]);
        for (const answer of [preflight, actual]) {
          expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
          expect(answer.headers["set-cookie"]).toBeUndefined();
        }
      }
    }
  });
});

describe("HD-14 methods", () => {
  const METHODS = ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "PURGE", "LINK", "QUERY"];

  test("others than a path takes → 405, Allow names those it takes, nothing comes back of the request", async () => {
    for (const route of routes) {
      // The admin API answers a caller without a token only with 401; its own tests try its methods.
      if (route.all !== undefined) continue;
      const path = route.path.replace(":condition", "invalid_grant").replace(/:\w+/g, "x");
      const wanted = [...(route.GET ? ["GET", "HEAD"] : []), ...(route.POST ? ["POST"] : [])];
      for (const method of METHODS) {
        const answer = await send(server.issuer, {
          method,
          path,
          headers: { cookie: "secret=canary", accept: "text/html" },
        });
        expect([path, method, answer.status]).toEqual([path, method, 405]);
        const allow = (answer.headers.allow ?? "").split(", ").filter((one) => one !== "OPTIONS");
        expect([path, allow]).toEqual([path, wanted]);
        expect(answer.text).not.toContain("canary");
      }
    }
  });

  test("CONNECT and methods that don't exist → no tunnel, no fault", async () => {
    for (const line of ["CONNECT evil.test:443", "CONNECT /token", "FOO /token", "GET\t/token", "get /token"]) {
      const text = await sendBytes(
        server.issuer,
        `${line} HTTP/1.1\r\nHost: evil.test:443\r\nConnection: close\r\n\r\n`,
      );
      expect(text).not.toMatch(/^HTTP\/1\.1 (2|3|5)/);
    }
  });

  test("a method in a header or parameter → not looked at", async () => {
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      const got = await send(server.issuer, { path: "/token", headers: { [name]: "POST" } });
      expect(got.status).toBe(405);
      const headers = { [name]: "GET", "content-type": "application/x-www-form-urlencoded" };
      expect(
        (await send(server.issuer, { method: "POST", path: "/login?_method=GET", headers, body: "_method=GET" }))
          .status,
      ).toBe(403);
    }
  });
});

describe("what a proxy says of the transport", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };

  test.each([
    ["x-forwarded-for", { "x-forwarded-proto": "http" }, { "x-forwarded-proto": "https" }],
    ["forwarded", { forwarded: "for=1.2.3.4;proto=http" }, { forwarded: "for=1.2.3.4;proto=https" }],
  ] as const)(
    "HD-15 http, by %s → refused on the back channel, not redirected; the secret is not in the log",
    async (proxyHeader, http, https) => {
      const body = "grant_type=client_credentials&client_id=x&client_secret=canary-secret";
      const server = await startBehindProxy({ config: { proxyHeader } });
      try {
        for (const path of ["/token", "/introspect", "/revoke"]) {
          const answer = await send(server.origin, { method: "POST", path, headers: { ...form, ...http }, body });
          expect([path, answer.status, answer.headers.location]).toEqual([path, 400, undefined]);
          expect(answer.text).toContain("insecure_transport");
        }
        const twin = await send(server.origin, {
          method: "POST",
          path: "/token",
          headers: { ...form, ...https },
          body,
        });
        expect(twin.status).toBe(401);
        expect(server.log.join("")).not.toContain("canary-secret");
      } finally {
        await server.stop();
      }
    },
  );

  test("HD-17 early data, which may be a replay → 425 on the back channel", async () => {
    for (const path of ["/token", "/introspect", "/revoke"]) {
      const answer = await send(proxied.origin, {
        method: "POST",
        path,
        headers: { ...form, "early-data": "1" },
        body: "token=x",
      });
      expect([path, answer.status]).toEqual([path, 425]);
    }
    expect((await send(proxied.origin, { path: "/jwks", headers: { "early-data": "1" } })).status).toBe(200);
  });
});

test("IN-11 JSON, opened in a browser → runs nothing", async () => {
  for (const path of ["/jwks", "/.well-known/oauth-authorization-server", "/health/live", "/health/ready"]) {
    const { headers } = await fetch(server.issuer + path, { headers: { accept: "text/html" } });
    expect([path, headers.get("content-type")]).toEqual([path, "application/json; charset=utf-8"]);
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
    expect([path, headers.get("content-security-policy")]).toEqual([
      path,
      expect.stringMatching(/default-src 'none'.*sandbox/),
    ]);
  }
});
