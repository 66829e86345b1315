/** ID tokens and UserInfo: wrong tokens, wrong places, wrong scopes. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, postForm, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let app: TestClient;
let userInfo: string;

beforeAll(async () => {
  server = await startServer();
  app = await server.addClient({ scopes: ["openid", "profile", "email", "read"] });
  userInfo = `${server.issuer}/userinfo`;
});
afterAll(() => server.stop());

async function tokensFor(ask: Record<string, string> = {}, of = app) {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, of, { scope: "openid email", ...ask }), person.username);
  const { body } = await redeem(server, of, callback);
  return {
    person,
    access: body.access_token ?? "",
    refreshToken: body.refresh_token ?? "",
    idToken: String(body["id_token"]),
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("nonce", () => {
  test.each([
    ["2,048 characters", "n".repeat(2048)],
    ["quotes and a backslash", String.raw`"n'\1"`],
    ["U+1F600", "\u{1f600}"],
  ])("OI-03 %s → the ID token has the same text", async (_, nonce) => {
    expect(decodeJwt((await tokensFor({ nonce })).idToken)["nonce"]).toBe(nonce);
  });

  test("OI-03 an empty nonce → no nonce; a longer one than 2,048 characters → invalid_request", async () => {
    expect(decodeJwt((await tokensFor({ nonce: "" })).idToken)).not.toHaveProperty("nonce");
    const url = authorizeUrl(server, app, { scope: "openid", nonce: "n".repeat(2049) });
    const { location } = await new Agent(server.issuer).get(url);
    expect(location?.searchParams.get("error")).toBe("invalid_request");
  });
});

describe("an ID token in another place", () => {
  test("OI-10 as access token, at introspection and as refresh token → refused", async () => {
    const { idToken, access } = await tokensFor();
    const answer = await fetch(userInfo, { headers: bearer(idToken) });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: "invalid_token" }]);
    expect((await postForm(server, "/introspect", app, { token: idToken })).body).toEqual({ active: false });
    expect((await refresh(server, app, idToken)).body.error).toBe("invalid_grant");
    expect((await postForm(server, "/introspect", app, { token: access })).body["active"]).toBe(true);
  });
});

describe("UserInfo", () => {
  test("UI-01 the token in the header or in a form → the claims, and no cache keeps them", async () => {
    const { access, person } = await tokensFor();
    const form = new URLSearchParams({ access_token: access });
    const answers = await Promise.all([
      fetch(userInfo, { headers: bearer(access) }),
      fetch(userInfo, { method: "POST", headers: bearer(access) }),
      fetch(userInfo, { method: "POST", body: form }),
      fetch(userInfo, { headers: { authorization: `bearer ${access}` } }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(await answer.json()).toEqual({ sub: person.personId, email: person.email, email_verified: true });
    }
  });

  test("UI-02 no scope openid, or a token of the client itself → insufficient_scope and no claim", async () => {
    const { access: ofApi } = await tokensFor({ scope: "read" });
    const { access: withoutOpenId } = await tokensFor({ scope: "email" });
    const robot = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
    const { body } = await postForm(server, "/token", robot, { grant_type: "client_credentials", scope: "read" });
    for (const token of [ofApi, withoutOpenId, body.access_token ?? ""]) {
      const answer = await fetch(userInfo, { headers: bearer(token) });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer realm="assent", error="insufficient_scope", scope="openid"',
      );
      expect(Object.keys((await answer.json()) as object).sort()).toEqual(["error", "error_description", "error_uri"]);
    }
  });

  test("UI-02 a client asks for openid for itself → invalid_scope", async () => {
    const greedy = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
    const asked = { grant_type: "client_credentials", scope: "openid" };
    expect((await postForm(server, "/token", greedy, asked)).body.error).toBe("invalid_scope");
  });

  test("UI-03 the token in the query, as JSON, or twice → refused", async () => {
    const { access } = await tokensFor();
    const form = new URLSearchParams({ access_token: access });
    const inQuery = await fetch(`${userInfo}?access_token=${access}`);
    expect([inQuery.status, inQuery.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="assent"']);
    const asJson = await fetch(userInfo, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_token: access }),
    });
    expect(asJson.status).toBe(401);
    const twice = await fetch(userInfo, { method: "POST", headers: bearer(access), body: form });
    expect([twice.status, await twice.json()]).toMatchObject([400, { error: "invalid_request" }]);
    expect(server.log.join("\n")).not.toContain(access);
  });

  test("UI-04 an expired, unsigned or foreign token, or a refresh token → the same 401", async () => {
    const { access, refreshToken } = await tokensFor();
    const [header = "", payload = "", signature = ""] = access.split(".");
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(access), sub: "somebody" })).toString("base64url");
    const wrong = [`${unsigned}.${payload}.`, `${header}.${forged}.${signature}`, refreshToken, "x", `${access}.x`];
    const texts = new Set<string>();
    for (const token of wrong) {
      const answer = await fetch(userInfo, { headers: bearer(token) });
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="assent", error="invalid_token"');
      texts.add(`${answer.status} ${await answer.text()}`);
    }
    server.tick(3_600_000);
    const late = await fetch(userInfo, { headers: bearer(access) });
    texts.add(`${late.status} ${await late.text()}`);
    expect([...texts]).toEqual([expect.stringMatching(/^401 .*"invalid_token"/)]);
  });

  test("UI-09 the person is disabled or deleted → 401 and no claim", async () => {
    const { access, person } = await tokensFor();
    const { partition, personId } = person;
    const { storage } = server.assent;
    const found = await storage.people.get({ partition, personId });
    expect(found?.status).toBe("active");
    await storage.people.delete({ partition, personId, now: server.now() });
    const answer = await fetch(userInfo, { headers: bearer(access) });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: "invalid_token" }]);
  });

  test("UI-12 scripts of any origin → may ask with a token, never with a cookie", async () => {
    const { access } = await tokensFor();
    const preflight = await fetch(userInfo, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.test",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("authorization");
    expect(preflight.headers.has("access-control-allow-credentials")).toBe(false);
    const asked = await fetch(userInfo, { headers: { ...bearer(access), origin: "null" } });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect((await fetch(userInfo, { headers: { cookie: "assent_session=x", origin: "null" } })).status).toBe(401);
  });

  test("UI-14 another method → 405 with Allow", async () => {
    for (const method of ["PUT", "DELETE"]) {
      const answer = await fetch(userInfo, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, expect.stringContaining("GET")]);
    }
  });
});
