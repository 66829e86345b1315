/**
 * Texts that a parser could take for something else: SQL, property names, markup, line feeds, paths (CWE-89, CWE-1321,
 * CWE-79, CWE-117, CWE-22).
 */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectPage400, logSince, rowCounts, send } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, postForm, redeem, signIn } from "../support/http-browser.ts";
import { onPostgres, PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const SQL = [
  "'",
  '"',
  "\\",
  "--",
  ";",
  "%_",
  "\u02bc",
  "$1",
  ":clientId",
  "?1",
  "' OR '1'='1",
  "'); DROP TABLE clients; --",
  "x' UNION SELECT * FROM people --",
  "1; PRAGMA writable_schema = 1",
  "\0",
  "a\0' OR 1",
] as const;

const NAMES_OF_OBJECTS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
];

/** Every text field of a request that needs no secret. All other fields of the request are valid. */
const places: readonly (readonly [place: string, send: (text: string) => Promise<{ status: number }>])[] = [
  ...[
    "client_id",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "response_mode",
    "prompt",
    "max_age",
    "login_hint",
  ].map(
    (name) =>
      [`/authorize ${name}`, (text: string) => stranger().get(authorizeUrl(server, client, { [name]: text }))] as const,
  ),
  ...["code_challenge", "code_challenge_method", "resource", "ui_locales", "acr_values", "nonce", "unknown"].map(
    (name) =>
      [`/authorize ${name}`, (text: string) => stranger().get(authorizeUrl(server, client, { [name]: text }))] as const,
  ),
  ["/authorize a name", (text) => stranger().get(`${authorizeUrl(server, client)}&${encodeURIComponent(text)}=x`)],
  ["/consent request", (text) => stranger().get(`/consent?${new URLSearchParams({ request: text })}`)],
  ["/errors/", (text) => stranger().get(`/errors/${encodeURIComponent(text)}`)],
  ["/logos/", (text) => stranger().get(`/logos/${encodeURIComponent(text)}`)],
  ["/assets/", (text) => stranger().get(`/assets/${encodeURIComponent(text)}/${encodeURIComponent(text)}`)],
  ["/login username", (text) => typed({ username: text, password: PASSWORD })],
  ["/login password", (text) => typed({ username: "nobody", password: text })],
  ["/login csrf", (text) => typed({ username: "nobody", password: "x", csrf: text })],
  ["/login request", (text) => typed({ username: "nobody", password: "x", request: text })],
  ...[
    "client_id",
    "client_secret",
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
    "resource",
  ].map(
    (name) =>
      [
        `/token ${name}`,
        (text: string) =>
          postForm(server, "/token", null, {
            grant_type: name === "refresh_token" ? "refresh_token" : "authorization_code",
            client_id: client.clientId,
            client_secret: client.secret,
            code: "ac_x",
            redirect_uri: "https://app.test/cb",
            [name]: text,
          }),
      ] as const,
  ),
  [
    "/token Basic",
    (text) => postForm(server, "/token", { clientId: text, secret: text }, { grant_type: "authorization_code" }),
  ],
  ["/revoke token", (text) => postForm(server, "/revoke", client, { token: text })],
  ["/introspect token", (text) => postForm(server, "/introspect", client, { token: text })],
  [
    "cookie",
    (text) =>
      send(server.issuer, { path: "/account/apps", headers: { cookie: `assent_session=${encodeURIComponent(text)}` } }),
  ],
];

const stranger = () => new Agent(server.issuer);

async function typed(fields: Record<string, string>) {
  const agent = stranger();
  const form = (await agent.get("/login")).forms[0];
  if (form === undefined) throw new Error("no form");
  return agent.submit(form, fields);
}

describe("IN-01 SQL in every text that can be sent", () => {
  test.each(places)("%s → no fault, no row more or less, quick", byTheClock, async (_, ask) => {
    const counted = async () => {
      // Failed sign-ins may change only their counters.
      // Refusals are stored a moment after their answers.
      const { attempts: _attempts, refusals: _refusals, ...rest } = await rowCounts(server.dataDir);
      return rest;
    };
    const before = await counted();
    for (const text of SQL) {
      const started = performance.now();
      const { status } = await ask(text);
      expect([text, status >= 200 && status < 500]).toEqual([text, true]);
      expect(performance.now() - started).toBeLessThan(2000);
    }
    expect(await counted()).toEqual(before);
  });

  test("afterwards the database is whole, and a good request works", async () => {
    if (!onPostgres) {
      const database = new DatabaseSync(join(server.dataDir, "assent.db"), { readOnly: true });
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      database.close();
    }
    const { username } = await server.addPerson();
    const callback = await authorize(stranger(), authorizeUrl(server, client), username);
    expect((await redeem(server, client, callback)).status).toBe(200);
  });
});

describe("IN-04 names of objects", () => {
  test.each(NAMES_OF_OBJECTS)("%s in every text, and as a name → a text like any other", async (name) => {
    for (const [place, ask] of places)
      expect([place, (await ask(name)).status]).toEqual([place, expect.toSatisfy((status: number) => status < 500)]);
    for (const path of [
      "/authorize",
      "/login",
      "/token",
      "/revoke",
      "/introspect",
      "/consent",
      "/account/apps/revoke",
    ]) {
      const fields = [`${name}=x`, `${name}[${name}]=x`, `client_id[${name}]=x`, `${name}.x=1`].join("&");
      for (const method of ["GET", "POST"]) {
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        const answer = await send(server.issuer, {
          method,
          path: `${path}?${fields}`,
          headers,
          body: method === "POST" ? fields : "",
        });
        expect([path, answer.status < 500]).toEqual([path, true]);
      }
    }
    expectPage400(
      await stranger().get(authorizeUrl(server, client, { client_id: name })),
      "authorization_client_unknown",
    );
    expect((await stranger().get(`/errors/${name}`)).status).toBe(404);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("markup", () => {
  const PAYLOAD = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> {{1234567*7}} \${1234567*7}`;

  test.each([
    "/error?error=access_denied&error_description=<script>alert(1)</script>&error_hint=canary",
    "/errors/invalid_grant?error_description=<script>canary</script>",
    "/errors/<script>canary</script>",
    "/errors/%3Cscript%3Ecanary",
    "/login?error=canary&message=canary&username=canary",
    "/nothing/<svg onload=canary>",
    "/authorize?client_id=<script>canary</script>",
    "/authorize?client_id=x&redirect_uri=javascript:canary&error=canary",
    "/consent?request=<script>canary</script>",
    "/account/sign-out?canary=<b>",
  ])("IN-05 %s → only texts of our own", async (path) => {
    const encoded = path.replaceAll("<", "%3C").replaceAll(">", "%3E").replaceAll(" ", "%20");
    for (const as of [path.replaceAll(" ", "+"), encoded]) {
      const answer = await send(server.issuer, {
        path: as,
        headers: { accept: "text/html", referer: "https://evil.test/canary" },
      });
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toMatch(/canary|alert\(1\)|evil\.test/);
    }
  });

  test("IN-02, IN-05 names of app, person, scope and API with markup → shown as text, on every page", async () => {
    await server.addResource({ identifier: "https://x.test", name: PAYLOAD });
    await server.addScope({ name: "bad", description: PAYLOAD, resource: "https://x.test" });
    const bad = await server.addClient({
      name: PAYLOAD,
      scopes: ["bad"],
      clientUri: "javascript:alert(1)",
      policyUri: "javascript:alert(1)",
      tosUri: "data:text/html,<script>alert(1)</script>",
    });
    const { username } = await server.addPerson({ name: PAYLOAD });
    const agent = stranger();
    const login = await agent.get(authorizeUrl(server, bad, { scope: "bad" }));
    const consent = await signIn(agent, username, login);
    const answered = await agent.submit(consentForm(consent), { decision: "allow" });
    expect(answered.status).toBe(302);
    const csrf = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
    const pages = [login, consent, await agent.get("/account/apps"), await agent.get("/account/sign-out")];
    pages.push(await agent.follow(await agent.post("/account/apps/revoke", { client_id: bad.clientId, csrf })));
    for (const { status, text } of pages) {
      expect(status).toBe(200);
      expect(text).toContain("&lt;script>alert(1)");
      expect(text).not.toMatch(/<script>|<img src=x|="javascript:|="data:text|8641969/);
    }
  });
});

describe("IN-06, IN-07 line feeds and escapes", () => {
  const BREAKS = ['a\r\n{"level":60}', "\u001b[31mred\u001b[0m", "a\nb", "\u2028x\u2029", "a\u0085b", "\u009b31m"];

  test.each(BREAKS)(
    "%j in id, name, password, path and User-Agent → each entry of the log one line of JSON",
    async (text) => {
      const mark = server.log.length;
      const agent = stranger();
      await agent.get(authorizeUrl(server, client, { client_id: text }));
      await agent.get(authorizeUrl(server, client, { redirect_uri: text, scope: text }));
      await agent.get(`/nothing/${encodeURIComponent(text)}`);
      await agent.get(`/errors/${encodeURIComponent(text)}`);
      await typed({ username: text, password: text });
      await postForm(server, "/token", { clientId: text, secret: text }, { grant_type: text });
      await send(server.issuer, { path: "/account/apps", headers: { "user-agent": encodeURIComponent(text) } });
      const lines = server.log.slice(mark);
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) {
        expect(line.endsWith("\n")).toBe(true);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
        expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
      }
    },
  );

  test.each(BREAKS)("%j in everything that comes back → no header more", async (text) => {
    const fields = { state: text, login_hint: text, ui_locales: text, nonce: text };
    const page = await stranger().get(
      authorizeUrl(server, client, {
        ...fields,
        login_hint: undefined,
        ui_locales: undefined,
        nonce: undefined,
        prompt: "none",
      }),
    );
    expect(page.status).toBe(302);
    const twin = await stranger().get(authorizeUrl(server, client, { state: "plain", prompt: "none" }));
    expect([...page.headers.keys()].toSorted()).toEqual([...twin.headers.keys()].toSorted());
    expect(page.location?.searchParams.get("state")).toBe(text);
    const refused = await stranger().get(authorizeUrl(server, client, fields));
    expect([...refused.headers.keys()]).not.toContain("x");
    // A body can contain unescaped line feeds.
    const body = `client_id=${client.clientId}&redirect_uri=https://app.test/cb&response_type=code&scope=read&state=${text}`;
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
    const posted = await send(server.issuer, { method: "POST", path: "/authorize", headers, body });
    expect(posted.status).toBe(303);
    expect(posted.headers.location).toMatch(/^[\x21-\x7e]+$/);
    expect(new URL(posted.headers.location ?? "").searchParams.get("state")).toBe(text);
  });
});

test("IN-06 a request's number is ours, whatever the caller sends → not taken, not logged", async () => {
  const mark = server.log.length;
  for (const name of ["x-request-id", "request-id", "x-correlation-id", "traceparent"]) {
    const answer = await send(server.issuer, {
      path: "/nothing",
      headers: { [name]: "canary-id", accept: "text/html" },
    });
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain("canary-id");
  }
  expect(logSince(server, mark)).not.toContain("canary-id");
});

describe("IN-10 paths", () => {
  test.each([
    "/assets/..%2f..%2fetc/passwd",
    "/assets/../../etc/passwd",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/x/..%5c..%5cassent.db",
    "/assets/x/%00",
    "/assets/x/assent.css%00.png",
    `/assets/x/${"a".repeat(8000)}`,
    `/errors/${"a".repeat(8000)}`,
    `/logos/${"../".repeat(50)}secret`,
    "/assets//assent.css",
    "/%2e%2e/secret",
    "/.git/config",
    "/data/secret",
    "/assent.db",
    "/favicon.svg/..%2fsecret",
    "/%ff",
    "/%",
    "/errors/%ff",
  ])("%s → 404, without a word of it", async (path) => {
    const answer = await send(server.issuer, { path, headers: { accept: "text/html" } });
    expect([404, 400]).toContain(answer.status);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.text).not.toMatch(/root:|passwd|a{20}|SQLite/);
  });

  test("the file as the page names it → 200", async () => {
    const place = /href="(\/assets\/[^"]+\.css)"/.exec((await stranger().get("/login")).text)?.[1] ?? "";
    expect((await send(server.issuer, { path: place })).status).toBe(200);
  });
});

describe("IN-13 spellings of one name", () => {
  test("letters of other widths, cases and compositions → the same person; lone surrogates, emoji → nobody", async () => {
    const username = `zoë-${Math.floor(performance.now())}`.normalize("NFC");
    await server.addPerson({ username });
    const asWidth = [...username]
      .map((one) => (/[a-z]/.test(one) ? String.fromCodePoint(one.charCodeAt(0) + 0xfee0) : one))
      .join("");
    for (const spelling of [username, username.normalize("NFD"), username.toUpperCase(), ` ${username} `, asWidth])
      expect([spelling, (await typed({ username: spelling, password: PASSWORD })).status]).toEqual([spelling, 303]);
    const bytes = ["%ED%A0%80", "%F0%9F%98%80", "%ED%B0%80", "%C0%80", "%EF%BF%BE"];
    const agent = stranger();
    const form = (await agent.get("/login")).forms[0];
    for (const name of bytes) {
      const body = `${form?.fields}&username=${name}&password=x`;
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        cookie: `assent_browser=${agent.cookies.get("assent_browser")}`,
      };
      const answer = await send(server.issuer, { method: "POST", path: "/login", headers, body });
      expect([name, answer.status]).toEqual([name, 200]);
    }
  });
});

test("the log of all this → no password, no secret, no code", () => {
  const text = logSince(server, 0);
  for (const secret of [PASSWORD, client.secret, encodeURIComponent(PASSWORD)]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/ac_[A-Za-z0-9_-]{40}|rt_[A-Za-z0-9_-]{40}/);
  // The log has the refused parameter for the operator, only as a value of its member.
  for (const line of text.split("\n").filter((one) => one.includes("DROP TABLE"))) {
    const { received, client_id: clientId, ...rest } = JSON.parse(line.slice(line.indexOf("{")));
    expect(`${received} ${clientId}`).toContain("DROP TABLE");
    expect(JSON.stringify(rest)).not.toContain("DROP TABLE");
  }
  expect(text).not.toMatch(/"level":[56]0/);
});
