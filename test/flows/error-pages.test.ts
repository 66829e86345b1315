/** Errors as pages and as JSON; the pages of `error_uri`; HEAD and OPTIONS (RFC 6749 §§4.1.2.1, 5.2; RFC 9110 §9). */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../packages/server/src/http/endpoint-table.ts";
import { type Condition, conditions, publicConditions } from "../../packages/server/src/oauth/errors.ts";
import { expectRedirectError, send } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem, signIn } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const page = (path: string, method = "GET") =>
  send(server.issuer, { method, path, headers: { accept: "text/html,*/*" } });
const json = (path: string, method = "GET") =>
  send(server.issuer, { method, path, headers: { accept: "application/json" } });

describe("/errors/{condition}", () => {
  test("the others that are named on it → those with the same code, and no more", async () => {
    for (const [name, error] of [
      ["access_denied", "access_denied"],
      ["redirect_uri_mismatch", "invalid_request"],
    ] as const) {
      const { text } = await page(`/errors/${name}`);
      const linked = [...text.matchAll(/class="alone" href="\/errors\/(\w+)"/g)].map(([, one]) => one);
      expect(linked).toEqual(publicConditions().filter((one) => one !== name && conditions[one].error === error));
    }
  });

  test.each(publicConditions().map((name) => [name, conditions[name] as Condition] as const))(
    "%s → a page with its error, its section and what to do",
    async (name, { error, section, help, description }) => {
      const found = await page(`/errors/${name}`);
      expect([found.status, found.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      const text = found.text
        .replace(/<wbr\/?>|<!--.*?-->/g, "")
        .replaceAll("&amp;", "&")
        .replaceAll("&lt;", "<")
        .replaceAll("&quot;", '"');
      for (const part of [name, error, section, help, description]) {
        expect(part.length).toBeGreaterThan(0);
        expect(text).toContain(part);
      }
    },
  );

  test("a condition that only the log may know, an unknown one, none → 404", async () => {
    const hidden = Object.keys(conditions).filter((name) => !publicConditions().some((one) => one === name));
    expect(hidden.length).toBeGreaterThan(5);
    for (const name of [...hidden, "nothing", "Invalid_Grant", "invalid_grant/", ""])
      expect([name, (await page(`/errors/${name}`)).status]).toEqual([name, 404]);
  });

  test("the error_uri of JSON, of a redirect, and the link on a page → lead there", async () => {
    const refused = await postForm(server, "/token", client, { grant_type: "nothing" });
    const redirected = await new Agent(server.issuer).get(authorizeUrl(server, client, { scope: "nothing" }));
    const shown = await page("/authorize?client_id=x");
    const links = [
      String(refused.body["error_uri"]),
      redirected.location?.searchParams.get("error_uri") ?? "",
      `${server.issuer}${/href="(\/errors\/[^"]+)"/.exec(shown.text)?.[1] ?? ""}`,
    ];
    const numbers = [refused.headers, redirected.headers].map((headers) => headers.get("x-request-id"));
    expect(links.map((link) => link.slice(server.issuer.length))).toEqual([
      `/errors/unsupported_grant_type?id=${numbers[0]}`,
      `/errors/scope_not_allowed?id=${numbers[1]}`,
      `/errors/authorization_client_unknown?id=${shown.headers["x-request-id"]}`,
    ]);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
  });
});

describe("a page where something went wrong has a way on", () => {
  const doors = (text: string) =>
    [...text.matchAll(/<a class="button primary" href="([^"]+)"/g)].map(([, href]) => href);

  test.each([
    ["an app that isn't known", () => "/authorize?client_id=x"],
    ["an address that isn't the app's", () => authorizeUrl(server, client, { redirect_uri: "https://evil.example/" })],
    ["a page that isn't there", () => "/nothing"],
  ])("%s → to one's apps", async (_, address) => {
    const url = new URL(address(), server.issuer);
    const found = await page(url.pathname + url.search);
    expect([found.status >= 400, doors(found.text)]).toEqual([true, ["/account/apps"]]);
  });
});

describe("paths and methods that aren't there", () => {
  test("404 on a page of an account or a company → the page names no error for the developer of an app", async () => {
    for (const path of ["/account/apps/", "/company/x/y/z", "/account/nothing"]) {
      const { status, text } = await page(path);
      expect([path, status, text.includes("For the developer")]).toEqual([path, 404, false]);
    }
    for (const path of ["/authorise", "/accounts"])
      expect((await page(path)).text).toContain("For the developer of the app");
  });

  test("404 → a page for people, JSON for programs, each with the request's number in the log's form", async () => {
    for (const path of [
      "/nothing",
      "/login/",
      "/authorize/x",
      "/LOGIN",
      "/account/apps/",
      "/token/",
      "/errors",
      "/assets/x/y",
    ]) {
      const shown = await page(path);
      expect([path, shown.status, shown.headers["content-type"]]).toEqual([path, 404, "text/html; charset=utf-8"]);
      expect(shown.text).toContain(String(shown.headers["x-request-id"]));
      expect(shown.text).toContain('href="/account/apps"');
    }
    const told = await json("/nothing");
    expect([told.status, JSON.parse(told.text)]).toEqual([
      404,
      {
        error: "not_found",
        error_description: expect.any(String),
        error_uri: `${server.issuer}/errors/not_found?id=${told.headers["x-request-id"]}`,
      },
    ]);
  });

  test("405 → a page for people, JSON for programs; Allow in both", async () => {
    const shown = await page("/login", "DELETE");
    expect([shown.status, shown.headers.allow, shown.text.slice(0, 15)]).toEqual([
      405,
      "GET, HEAD, POST",
      "<!doctype html>",
    ]);
    for (const told of [await json("/login", "DELETE"), await page("/token", "GET"), await json("/token", "GET")]) {
      expect([told.status, JSON.parse(told.text).error]).toEqual([405, "invalid_request"]);
      expect(told.headers.allow).toMatch(/POST/);
    }
  });
});

describe("HEAD and OPTIONS", () => {
  test("HEAD → the status and type of GET, no body", async () => {
    for (const { path } of routes) {
      const one = path.replace(":condition", "invalid_grant").replace(/:\w+/g, "x");
      const [head, get] = [await page(one, "HEAD"), await page(one)];
      expect([one, head.status, head.text]).toEqual([one, get.status, ""]);
      expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
      expect(head.headers.location).toBe(get.headers.location);
    }
    const document = "/.well-known/oauth-authorization-server";
    expect((await page(document, "HEAD")).headers["content-length"]).toBe(String((await page(document)).text.length));
  });

  test("HEAD on a refused and on a good authorization request → as GET", async () => {
    const agent = new Agent(server.issuer);
    expect((await agent.request("HEAD", "/authorize?client_id=x")).status).toBe(400);
    expect((await agent.request("HEAD", authorizeUrl(server, client))).status).toBe(200);
    expect((await agent.request("HEAD", authorizeUrl(server, client, { prompt: "none" }))).status).toBe(302);
  });

  test("OPTIONS → 204 with Allow where scripts may ask, 405 elsewhere", async () => {
    for (const { path, cors, GET, POST, all } of routes) {
      // The admin API answers a caller without a token only with 401.
      if (all !== undefined) continue;
      const one = path.replace(":condition", "invalid_grant").replace(/:\w+/g, "x");
      const answer = await json(one, "OPTIONS");
      expect([one, answer.status]).toEqual([one, cors === true ? 204 : 405]);
      expect(answer.headers.allow).toBe(
        [...(GET ? ["GET", "HEAD"] : []), ...(POST ? ["POST"] : []), ...(cors ? ["OPTIONS"] : [])].join(", "),
      );
    }
  });
});

describe("faults", () => {
  test("a table is gone → 500, a page for people and JSON for programs, the cause in the log alone", async () => {
    const own = await startServer();
    try {
      const known = await own.addClient();
      const { username } = await own.addPerson();
      const agent = new Agent(own.issuer);
      const callback = await authorize(agent, authorizeUrl(own, known), username);
      const database = new DatabaseSync(join(own.dataDir, "assent.db"), { timeout: 5_000 });
      database.exec(
        "PRAGMA foreign_keys = OFF; ALTER TABLE sessions RENAME TO sessions_gone; ALTER TABLE grants RENAME TO grants_gone",
      );
      database.close();
      const shown = await agent.get("/account/apps");
      expect([shown.status, shown.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"]);
      expect(shown.text).toContain(String(shown.headers.get("x-request-id")));
      expect(shown.text).not.toMatch(/sessions|SQLITE|no such table|\.ts\b|node:/);
      expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      // With prompt=none, nobody sees a page, so the app gets the error.
      const silent = await agent.get(authorizeUrl(own, known, { prompt: "none" }));
      expectRedirectError(silent, own, "server_error");
      expect((await agent.get(authorizeUrl(own, known))).status).toBe(500);
      const told = await redeem(own, known, callback);
      expect([told.status, told.body]).toEqual([
        500,
        {
          error: "server_error",
          error_description: expect.any(String),
          error_uri: `${own.issuer}/errors/server_error?id=${told.headers.get("x-request-id")}`,
        },
      ]);
      expect(told.headers.get("cache-control")).toBe("no-store");
      expect(own.log.join("")).toContain("no such table");
    } finally {
      await own.stop();
    }
  });

  test("the database is closed → 503 with Retry-After, page and JSON; metadata, keys and life still answer", async () => {
    const own = await startServer();
    const known = await own.addClient();
    const { username } = await own.addPerson();
    const agent = new Agent(own.issuer);
    await signIn(agent, username);
    await fetch(`${own.issuer}/.well-known/oauth-authorization-server`);
    await own.assent.storage.close();
    try {
      const shown = await agent.get("/account/apps");
      expect([shown.status, shown.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
      expect(Number(shown.headers.get("retry-after"))).toBeGreaterThan(0);
      const told = await postForm(own, "/token", known, { grant_type: "refresh_token", refresh_token: "rt_x" });
      expect([told.status, told.body.error]).toEqual([503, "temporarily_unavailable"]);
      expect(Number(told.headers.get("retry-after"))).toBeGreaterThan(0);
      // By now, the caches have been checked against the database. Endpoints that don't need the database still work.
      await settle();
      for (const path of ["/health/live", "/jwks", "/.well-known/oauth-authorization-server", "/errors/invalid_grant"])
        expect([path, (await fetch(own.issuer + path)).status]).toEqual([path, 200]);
      expect((await fetch(`${own.issuer}/health/ready`)).status).toBe(503);
    } finally {
      await own.stop();
    }
  });
});
