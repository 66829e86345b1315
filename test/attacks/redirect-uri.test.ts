/** Attacks on redirect_uri at the authorization endpoint (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §4.1). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AdminError, adminOf, createClient } from "../../packages/server/src/admin/index.ts";
import { redirectUriProblem } from "../../packages/server/src/oauth/redirect-uri.ts";
import { expectGoesOn, expectPage400, rawAuthorizeUrl, send } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, pkce } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
/** Public client with one redirect URI. */
let pub: TestClient;
/** Confidential client with one URI without a query and one with a query. */
let conf: TestClient;
/** Native client with a loopback URI and a private-use scheme. */
let native: TestClient;

const { challenge } = pkce();
const withPkce = { code_challenge: challenge, code_challenge_method: "S256" };

beforeAll(async () => {
  server = await startServer();
  pub = await server.addClient({ type: "public" });
  conf = await server.addClient({ redirectUris: ["https://web.test/cb", "https://web.test/cb?x=1"] });
  native = await server.addClient({
    type: "public",
    redirectUris: ["http://127.0.0.1/cb", "http://[::1]/cb", "com.example.app:/cb"],
  });
});
afterAll(() => server.stop());

const ask = (client: TestClient, redirectUri: string | undefined) =>
  new Agent(server.issuer).get(authorizeUrl(server, client, { redirect_uri: redirectUri, ...withPkce }));

/** Sends the URI without any encoding, because parsers may read it differently. */
const askRaw = (client: TestClient, raw: string) =>
  new Agent(server.issuer).get(
    rawAuthorizeUrl(server, client, `code_challenge=${challenge}&code_challenge_method=S256&${raw}`),
  );

/** Expects an answer that contains the URI neither encoded nor decoded. */
function expectUnseen(page: Awaited<ReturnType<typeof ask>>, uri: string): void {
  expectPage400(page, "redirect_uri_mismatch");
  expect(page.text).not.toContain(uri);
  expect(page.text).not.toContain("evil");
  for (const [name, value] of page.headers) expect(`${name}: ${value}`).not.toContain("evil");
}

describe("the positive twins", () => {
  test("the registered URI of each client → the request goes on", async () => {
    expectGoesOn(await ask(pub, "https://app.test/cb"));
    for (const uri of conf.redirectUris) expectGoesOn(await ask(conf, uri));
    for (const uri of native.redirectUris) expectGoesOn(await ask(native, uri));
  });

  test("RU-15 a registered query → kept, the answer behind it, one question mark", async () => {
    const { username } = await server.addPerson();
    const url = authorizeUrl(server, conf, { redirect_uri: "https://web.test/cb?x=1" });
    const callback = await authorize(new Agent(server.issuer), url, username);
    expect(callback.href.startsWith("https://web.test/cb?x=1&code=")).toBe(true);
    expect(callback.href.split("?")).toHaveLength(2);
    expect([...callback.searchParams.keys()]).toEqual(["x", "code", "state", "iss"]);
  });

  test.each(["http://127.0.0.1:51004/cb", "http://[::1]:51004/cb"])("RU-26 %s, any port → accepted", async (uri) => {
    expectGoesOn(await ask(native, uri));
  });
});

describe("missing", () => {
  test("RU-01 two registered URIs, none sent → 400 page", async () => {
    expectPage400(await ask(conf, undefined), "redirect_uri_mismatch");
  });

  test("RU-02 one registered URI, none sent → 400 page, it isn't guessed", async () => {
    expectPage400(await ask(pub, undefined), "redirect_uri_mismatch");
  });

  test("RU-02 one registered URI, an empty one sent → 400 page", async () => {
    expectPage400(await ask(pub, ""), "redirect_uri_mismatch");
  });

  test.each(["redirect_uri[]", "redirect_uri[0]", "redirect_uri[$ne]", "redirect_uri.x", "REDIRECT_URI"])(
    "RU-22 %s → another parameter, so the URI is missing: 400 page",
    async (name) => {
      for (const uri of ["https://evil.test/cb", "https://app.test/cb"]) {
        expectPage400(await askRaw(pub, `${encodeURIComponent(name)}=${encodeURIComponent(uri)}`));
        expectPage400(await askRaw(pub, `${name}=${encodeURIComponent(uri)}`));
      }
    },
  );

  test.each([
    ["good, evil", ["https://app.test/cb", "https://evil.test/cb"]],
    ["evil, good", ["https://evil.test/cb", "https://app.test/cb"]],
    ["good twice", ["https://app.test/cb", "https://app.test/cb"]],
    ["empty, good", ["", "https://app.test/cb"]],
    ["good, good by another spelling of the name", ["https://app.test/cb", "https://app.test/cb"]],
  ])("RU-21 twice: %s → 400 page", async (what, uris) => {
    const names = what.includes("spelling") ? ["redirect_uri", "redirect%5Furi"] : ["redirect_uri", "redirect_uri"];
    const page = await askRaw(pub, uris.map((uri, at) => `${names[at]}=${encodeURIComponent(uri)}`).join("&"));
    expectPage400(page, "redirect_uri_mismatch");
    expect(page.text).not.toContain("evil");
  });

  test("RU-21 client_id twice, own and another's → 400 page, whichever is first", async () => {
    for (const [first, second] of [
      [pub, conf],
      [conf, pub],
    ] as const) {
      const query = new URLSearchParams([
        ["client_id", first.clientId],
        ["client_id", second.clientId],
        ["redirect_uri", "https://app.test/cb"],
        ["response_type", "code"],
        ["scope", "read"],
      ]);
      expectPage400(await new Agent(server.issuer).get(`/authorize?${query}`), "authorization_client_unknown");
    }
  });
});

const notRegistered: readonly (readonly [id: string, what: string, ...uris: string[]])[] = [
  ["RU-03", "another host", "https://evil.test/cb"],
  ["RU-04", "the registered host as a prefix", "https://app.test.evil.test/cb", "https://app.testevil.test/cb"],
  ["RU-05", "a host around the registered one", "https://x.app.test/cb", "https://evil-app.test/cb"],
  ["RU-06", "a longer path", "https://app.test/cb/extra", "https://app.test/cb/", "https://app.test/cbx"],
  ["RU-06", "a shorter path", "https://app.test/c", "https://app.test/", "https://app.test"],
  [
    "RU-07",
    "a way up",
    "https://app.test/cb/../evil",
    "https://app.test/cb/%2e%2e/evil",
    "https://app.test/cb/..%2fevil",
    "https://app.test/cb%252f..%252fevil",
    "https://app.test/./cb",
    "https://app.test/x/../cb",
  ],
  ["RU-08", "a path parameter", "https://app.test/cb/..;/evil", "https://app.test/cb;x=1"],
  [
    "RU-09",
    "a backslash",
    "https://evil.test\\@app.test/cb",
    "https://app.test\\cb",
    "https:/\\evil.test",
    "https:\\\\app.test\\cb",
  ],
  ["RU-10", "user information", "https://app.test@evil.test/cb", "https://user:pw@app.test/cb", "https://@app.test/cb"],
  ["RU-11", "what parsers disagree about", "https://a@b@app.test/cb", "https://app.test%40evil.test/cb"],
  ["RU-12", "a fragment", "https://app.test/cb#x", "https://app.test/cb#", "https://app.test/cb%23x"],
  ["RU-13", "an answer in a fragment", "https://app.test/cb#code=evil&state=x&iss=evil"],
  ["RU-14", "a query that isn't registered", "https://app.test/cb?x=1", "https://app.test/cb?"],
  ["RU-17", "other case", "https://APP.TEST/cb", "https://app.test/CB", "HTTPS://app.test/cb"],
  ["RU-18", "a port", "https://app.test:443/cb", "https://app.test:8443/cb", "https://app.test:/cb"],
  ["RU-19", "http", "http://app.test/cb", "//app.test/cb", "app.test/cb", "/cb"],
  [
    "RU-20",
    "a scheme that runs or reads",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://app.test/x",
    "file:///etc/passwd",
    "about:blank",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
  ],
  ["RU-24", "a percent-encoded host", "https://app%2etest/cb", "https://%61pp.test/cb"],
  [
    "RU-25",
    "control characters and blanks",
    "https://app.test/cb\0",
    "https://app.test/cb\r\nSet-Cookie: x=1",
    "https://app.test/cb\t",
    " https://app.test/cb",
    "https://app.test/cb\n",
    "https://app.test/cb ",
    "https://app.test/\u2028cb",
    "\ufeffhttps://app.test/cb",
    "https://app.test／cb",
    "https://аpp.test/cb",
  ],
  ["RU-29", "a port where no port may vary", "https://app.test:9/cb", "http://192.168.0.2:9/cb"],
];

describe("not the registered one", () => {
  const rows = notRegistered.flatMap(([id, what, ...uris]) => uris.map((uri) => [id, what, uri] as const));

  test.each(rows)("%s %s (%j) → 400 page, no Location, nothing of it shown", async (_id, _what, uri) => {
    expectUnseen(await ask(pub, uri), uri);
  });

  test("RU-03…29 the same by POST → 400 page", async () => {
    for (const [, , uri] of rows) {
      const url = new URL(authorizeUrl(server, pub, { redirect_uri: uri, ...withPkce }));
      expectUnseen(await new Agent(server.issuer).post("/authorize", url.searchParams), uri);
    }
  });

  test("RU-03…29 with prompt=none or form_post, which leave the page out → 400 page", async () => {
    for (const [, , uri] of rows) {
      const extra = { prompt: "none", response_mode: "form_post", redirect_uri: uri, ...withPkce };
      expectUnseen(await new Agent(server.issuer).get(authorizeUrl(server, pub, extra)), uri);
    }
  });

  test.each(["https://web.test/cb?x=2", "https://web.test/cb?x=1&y=2", "https://web.test/cb?y=2&x=1"])(
    "RU-14 another query than the registered one (%s) → 400 page",
    async (uri) => expectPage400(await ask(conf, uri), "redirect_uri_mismatch"),
  );

  test.each(["code=evil", "state=", "iss=", "error=", "response="])(
    "RU-16 a query with a parameter of the answer (%s) → 400 page, and it can't be registered",
    async (query) => {
      expectPage400(await ask(conf, `https://web.test/cb?${query}`), "redirect_uri_mismatch");
      expect(redirectUriProblem(`https://web.test/cb?${query}`)).toMatch(/must not have the parameter/);
      expect(redirectUriProblem(`https://web.test/cb?x=1&${query}`)).toMatch(/must not have the parameter/);
    },
  );

  test("RU-25 raw bytes in the request line → refused before the page, or by it; never in a header", async () => {
    for (const raw of ["%00", "%0d%0aSet-Cookie:x=1", "%0aLocation:%20https://evil.test", "%E2%80%A8"]) {
      const path = `/authorize?client_id=${pub.clientId}&redirect_uri=https://app.test/cb${raw}`;
      const answer = await send(server.issuer, { path, headers: { accept: "text/html" } });
      expect(answer.status).toBe(400);
      expect(answer.headers.location).toBeUndefined();
      expect(JSON.stringify(answer.headers["set-cookie"] ?? "")).not.toContain("x=1");
    }
  });

  test.each([
    "http://127.0.0.1:51004/other",
    "http://127.0.0.1:51004/cb?q=1",
    "http://127.0.0.1.evil.test:1/cb",
    "http://127.0.0.1@evil.test/cb",
    "http://127.0.0.1:1@evil.test/cb",
    "http://127.0.0.1:/cb",
    "http://127.0.0.1:65536/cb",
    "http://127.0.0.1:-1/cb",
    "http://127.0.0.1:1e3/cb",
    "http://127.0.0.1:51004/cb#x",
    "http://127.1:51004/cb",
    "http://2130706433:51004/cb",
    "http://0x7f.0.0.1:51004/cb",
    "http://[::ffff:127.0.0.1]:51004/cb",
    "http://[0:0:0:0:0:0:0:1]:51004/cb",
    "http://localhost:51004/cb",
    "http://localhost/cb",
    "https://127.0.0.1:51004/cb",
    "http://0.0.0.0:51004/cb",
    "com.example.app:51004/cb",
    "com.example.app://cb",
    "com.example.app2:/cb",
    "COM.EXAMPLE.APP:/cb",
  ])("RU-27 %s is not the device → 400 page", async (uri) => {
    const page = await ask(native, uri);
    expectPage400(page, "redirect_uri_mismatch");
    expect(page.text).not.toContain("evil");
  });

  test("RU-32 the dots of a registered host are dots, not patterns → 400 page", async () => {
    const client = await server.addClient({ redirectUris: ["https://foo.example.com/cb"] });
    expectGoesOn(await ask(client, "https://foo.example.com/cb"));
    expectPage400(await ask(client, "https://fooaexample.com/cb"), "redirect_uri_mismatch");
  });

  test("RU-31 a client whose record holds a pattern → it matches itself at most, nothing else", async () => {
    const client = await server.addClient({ redirectUris: ["https://*.app.test/*", "https://app.test/.*"] });
    for (const uri of ["https://x.app.test/y", "https://evil.app.test/*", "https://app.test/", "https://app.test/x"])
      expectPage400(await ask(client, uri), "redirect_uri_mismatch");
  });

  test("another client's registered URI → 400 page", async () => {
    expectPage400(await ask(pub, "https://web.test/cb"), "redirect_uri_mismatch");
    expectPage400(await ask(conf, "https://app.test/cb"), "redirect_uri_mismatch");
  });
});

describe("length", () => {
  test("RU-33 2,049 characters → 400 page; 64 k → refused by its length; neither slow", byTheClock, async () => {
    const times: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      const started = performance.now();
      const page = await ask(pub, `https://app.test/cb?${"x".repeat(2049 - 21)}`);
      times.push(performance.now() - started);
      expectPage400(page, "redirect_uri_mismatch");
    }
    expect(times.toSorted((a, b) => a - b)[15]).toBeLessThan(20);
    const long = `https://app.test/cb?${"x".repeat(65_536)}`;
    const path = new URL(authorizeUrl(server, pub, { redirect_uri: long })).search;
    // The server may close the connection before it has read everything. Then it gives no answer and processes nothing.
    const answer = await send(server.issuer, { path: `/authorize${path}` }).catch((error: Error) => error);
    if (answer instanceof Error) expect(answer.message).toMatch(/ECONNRESET|EPIPE|socket hang up/);
    else
      expect(answer).toMatchObject({
        status: 431,
        headers: expect.not.objectContaining({ location: expect.anything() }),
      });
    expectGoesOn(await ask(pub, "https://app.test/cb"));
  });

  test("RU-33 64 k by POST → 413 page", async () => {
    const url = new URL(authorizeUrl(server, pub, { redirect_uri: `https://app.test/cb?${"x".repeat(65_536)}` }));
    const page = await new Agent(server.issuer).post("/authorize", url.searchParams);
    expect(page.status).toBe(413);
    expect(page.location).toBeUndefined();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });
});

describe("registration", () => {
  const register = (redirect_uris: readonly string[]) =>
    createClient(
      { type: "confidential", metadata: { client_name: "Some app", redirect_uris, scope: "read" } },
      adminOf(server.assent.storage, server.issuer, server.now),
    );

  test.each([
    ["RU-31", "https://*.app.test/*"],
    ["RU-31", "https://app.test*"],
    ["RU-31", "https://app.test/*"],
    ["RU-31", "^https://app\\.test/.*$"],
    ["RU-19", "http://app.test/cb"],
    ["RU-20", "javascript:alert(1)"],
    ["RU-20", "JaVaScRiPt:alert(1)"],
    ["RU-20", "data:text/html,x"],
    ["RU-20", "vbscript:x"],
    ["RU-20", "blob:x"],
    ["RU-20", "file:///x"],
    ["RU-20", "about:blank"],
    ["RU-20", " javascript:x"],
    ["RU-20", "java\nscript:x"],
    ["RU-12", "https://app.test/cb#x"],
    ["RU-12", "https://app.test/cb#"],
    ["RU-09", "https://app.test\\cb"],
    ["RU-10", "https://user:pw@app.test/cb"],
    ["RU-17", "HTTPS://app.test/cb"],
    ["RU-07", "https://app.test/cb/../evil"],
    ["RU-25", "https://app.test/cb\r\nx"],
    ["RU-33", `https://app.test/${"x".repeat(2048)}`],
    ["RU-27", "http://127.0.0.1.evil.test/cb"],
    ["RU-27", "http://127.0.0.1@evil.test/cb"],
    ["RU-16", "https://app.test/cb?%63ode=x"],
    ["RFC 8252 §7.1", "myapp:/cb"],
  ])("%s %j → may not be registered, alone or beside a good one; no client comes of it", async (_, uri) => {
    for (const redirect_uris of [[uri], ["https://app.test/cb", uri]]) {
      const refused = await register(redirect_uris).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(AdminError);
      expect((refused as AdminError).problems.map(({ field }) => field)).toEqual(["redirect_uris"]);
    }
  });

  test.each([
    "https://app.test/cb",
    "https://app.test/cb?x=1",
    "https://app.test:8443/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:9401/cb",
    "http://[::1]/cb",
    "com.example.app:/cb",
  ])("%s → may be registered", async (uri) => {
    expect((await register([uri])).client.redirectUris).toEqual([uri]);
  });
});
