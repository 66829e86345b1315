/**
 * Which endpoints other origins may read (RFC 9700 §2.6; the Fetch standard): all origins may read those for programs,
 * without credentials; nobody may read others.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post } from "../support/back-channel.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const METADATA = "/.well-known/oauth-authorization-server";
const open = [
  ["/token", "POST"],
  ["/revoke", "POST"],
  ["/device_authorization", "POST"],
  [METADATA, "GET"],
  ["/jwks", "GET"],
] as const;
const origins = ["https://app.test", "https://nobody.test", "null"];

function granted(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe.each(open)("%s", (path, method) => {
  test.each(origins)("a preflight from %s → allowed, without credentials", async (origin) => {
    const response = await fetch(server.issuer + path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,content-type",
      },
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe(method);
    expect(response.headers.get("access-control-allow-headers")?.toLowerCase()).toMatch(/authorization.*content-type/);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each(origins)("a request from %s → readable, refusals too", async (origin) => {
    const response = await fetch(server.issuer + path, { method, headers: { origin } });
    expect(response.status).toBe(method === "GET" ? 200 : 400);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("another method from an origin → 405, readable", async () => {
    const response = await fetch(server.issuer + path, { method: "DELETE", headers: { origin: "https://app.test" } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([405, "*"]);
  });
});

test.each(["/token", "/revoke", "/device_authorization"])(
  "%s: 401, 413 and 415 from an origin → readable, with the headers that tell why",
  async (path) => {
    const origin = { origin: "https://app.test" };
    const answers = [
      await post(server, path, "grant_type=refresh_token&token=x&client_id=nobody", origin),
      await post(server, path, "a".repeat(70_000), origin),
      await post(server, path, "a", { ...origin, "content-encoding": "gzip" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 413, 415]);
    for (const { headers } of answers) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toMatch(/www-authenticate.*retry-after/);
    }
  },
);

describe.each([
  ["/introspect", "POST"],
  ["/authorize", "GET"],
  ["/authorize", "POST"],
  ["/login", "GET"],
  ["/login", "POST"],
  ["/consent", "GET"],
  ["/consent", "POST"],
  ["/device", "GET"],
  ["/device", "POST"],
  ["/device/consent", "POST"],
  ["/account/apps", "GET"],
  ["/account/apps/revoke", "POST"],
  ["/errors/invalid_grant", "GET"],
  ["/health/live", "GET"],
  ["/nowhere", "GET"],
])("%s %s", (path, method) => {
  test.each(origins)("preflight and request from %s → no header that lets it read", async (origin) => {
    const preflight = await fetch(server.issuer + path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": method },
    });
    expect(granted(preflight.headers)).toEqual([]);
    const response = await fetch(server.issuer + path, { method, headers: { origin }, redirect: "manual" });
    expect(granted(response.headers)).toEqual([]);
    expect(response.status).toBeLessThan(500);
  });
});

test("a body too large for /introspect, from an origin → no header that lets it read", async () => {
  const answer = await post(server, "/introspect", "a".repeat(70_000), { origin: "https://app.test" });
  expect([answer.status, granted(answer.headers)]).toEqual([413, []]);
});
