import { describe, expect, test } from "vitest";
import { decodedJwt, forged, pretty, recordExchange, shorten } from "../src/app/recorded-exchange.ts";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = `${part({ alg: "ES256", typ: "at+jwt" })}.${part({ sub: "someone", exp: 1 })}.${"s".repeat(86)}`;
const secret = "x1y2".repeat(12);

describe("shortening", () => {
  test.each([
    ["a code", `ac_${secret}`, "ac_x1y2…x1y2"],
    ["a refresh token", `rt_${secret}`, "rt_x1y2…x1y2"],
    ["a client secret", `cs_${secret}`, "cs_x1y2…x1y2"],
    ["a bearer header", `Bearer ${jwt}`, `Bearer ${shorten(jwt)}`],
    ["state or verifier", secret, "x1y2x1…x1y2"],
  ])("%s → its ends alone", (_, value, shown) => {
    expect(shorten(value)).toBe(shown);
    expect(shorten(value).length).toBeLessThan(50);
  });

  test("a JWT → three cut parts", () => {
    expect(shorten(jwt)).toMatch(/^eyJhbG….{4}\.eyJzdW….{4}\.ssssss…ssss$/);
  });

  test.each(["photos:read profile:read", "http://127.0.0.1:9401/callback", "authorization_code", "S256"])(
    "%s → stays",
    (value) => {
      expect(shorten(value)).toBe(value);
    },
  );
});

test("an exchange → nothing secret is kept, what matters is", async () => {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: `rt_${secret}` });
  const headers = { authorization: `Bearer ${jwt}`, "user-agent": "x", accept: "application/json" };
  const answer = Response.json(
    { access_token: jwt, refresh_token: `rt_${secret}`, error_uri: "http://localhost:1/errors/x" },
    { status: 400, statusText: "Bad Request", headers: { "cache-control": "no-store", "x-request-id": "1" } },
  );
  const exchange = await recordExchange("http://localhost:1/token?a=b", { method: "POST", headers, body }, answer, 3);
  const text = JSON.stringify(exchange);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(jwt);
  expect(text).not.toMatch(/user-agent|x-request-id/);
  expect(exchange.request[0]).toEqual({ kind: "start", text: "POST /token?…" });
  expect(exchange.request).toContainEqual({ kind: "field", name: "refresh_token", value: "rt_x1y2…x1y2" });
  expect(exchange).toMatchObject({ status: 400, errorUri: "http://localhost:1/errors/x" });
  expect(await answer.json()).toMatchObject({ access_token: jwt });
});

test("an error_uri that is no web address → no link", async () => {
  const answer = Response.json({ error_uri: "javascript:alert(1)" });
  const exchange = await recordExchange("http://localhost:1/", { method: "GET", headers: {} }, answer, 1);
  expect(exchange.errorUri).toBeNull();
});

test("long lists → the first thing, and how many more there are", () => {
  const text = pretty({
    photos: [{ id: "1", image: "data:image/svg+xml,abcdefghijklmnop" }, { id: "2" }, { id: "3" }],
  });
  expect(text).toContain("… 2 more");
  expect(text).not.toContain("ghijkl");
  expect(pretty({ scopes: ["a", "b"] })).toContain('"scopes": [ "a", "b" ]');
});

test("a forged token → other claims under the old signature", () => {
  const token = forged(jwt, { exp: 2 });
  expect(decodedJwt(token)?.claims).toEqual({ sub: "someone", exp: 2 });
  expect(token.split(".")[2]).toBe(jwt.split(".")[2]);
});

test("what is no JWT → not decoded", () => {
  expect(decodedJwt("at_opaque")).toBeUndefined();
});
