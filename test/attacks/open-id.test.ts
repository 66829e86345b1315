/** ID tokens and UserInfo: wrong tokens, wrong places, wrong scopes. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../support/front-channel.ts";
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

  describe("UI-03", () => {
    const answerOf = async (request: Promise<Response>) => {
      const answer = await request;
      const body = (await answer.json()) as { error?: string; sub?: string };
      return { status: answer.status, error: body.error, sub: body.sub, says: answer.headers.get("www-authenticate") };
    };
    const nothingSent = { status: 401, error: undefined, sub: undefined, says: 'Bearer realm="assent"' };
    const twice = { status: 400, error: "invalid_request", sub: undefined };

    test("the token in the query, alone or beside a form, or in JSON → no token was sent, and no log line has it", async () => {
      const { access } = await tokensFor();
      const json = { "content-type": "application/json" };
      const asJson = { method: "POST", headers: json, body: JSON.stringify({ access_token: access }) };
      for (const method of ["GET", "POST"]) {
        expect(await answerOf(fetch(`${userInfo}?access_token=${access}`, { method }))).toEqual(nothingSent);
      }
      expect(await answerOf(fetch(userInfo, asJson))).toEqual(nothingSent);
      expect(server.log.join("\n")).not.toContain(access);
    });

    test("the token in header and form, the same or another → invalid_request", async () => {
      const [{ access }, { access: other }] = [await tokensFor(), await tokensFor()];
      for (const inForm of [access, other, "x"]) {
        const body = new URLSearchParams({ access_token: inForm });
        const request = fetch(userInfo, { method: "POST", headers: bearer(access), body });
        expect(await answerOf(request)).toMatchObject({ ...twice, says: expect.stringContaining("invalid_request") });
      }
      const repeated = new URLSearchParams([
        ["access_token", access],
        ["access_token", access],
      ]);
      expect(await answerOf(fetch(userInfo, { method: "POST", body: repeated }))).toMatchObject(twice);
    });

    test("two Authorization headers → invalid_request, in any order; one with two tokens → none", async () => {
      const { access } = await tokensFor();
      for (const values of [
        [`Bearer ${access}`, `Bearer ${access}`],
        [`Bearer ${access}`, "Basic eDp5"],
        ["Basic eDp5", `Bearer ${access}`],
      ]) {
        const { status, text } = await send(server.issuer, { path: "/userinfo", headers: { authorization: values } });
        expect([status, JSON.parse(text)]).toMatchObject([400, { error: "invalid_request" }]);
      }
      const joined = { authorization: `Bearer ${access}, Bearer ${access}` };
      expect((await answerOf(fetch(userInfo, { headers: joined }))).status).toBe(401);
    });

    test("the scheme in any case → the claims", async () => {
      const { access, person } = await tokensFor();
      for (const scheme of ["bearer", "BEARER", "bEaReR"]) {
        const request = fetch(userInfo, { headers: { authorization: `${scheme} ${access}` } });
        expect(await answerOf(request)).toMatchObject({ status: 200, sub: person.personId });
      }
    });
  });

  test("UI-04 expired, unsigned, changed, of another issuer, for an API alone; an ID token, a refresh token → the same 401", async () => {
    const { access, refreshToken, idToken } = await tokensFor();
    const ofApi = (await tokensFor({ scope: "read" })).access;
    await server.addResource({ identifier: "https://closed.test", userInfo: false });
    await server.addScope({ name: "closed", resource: "https://closed.test" });
    const closed = await server.addClient({ scopes: ["openid", "closed"] });
    const forApiAlone = (await tokensFor({ scope: "openid closed" }, closed)).access;
    expect(decodeJwt(forApiAlone)).toMatchObject({ aud: "https://closed.test", scope: "openid closed" });
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const [header = "", payload = "", signature = ""] = access.split(".");
    const changed = (token: string, claims: object) => {
      const [first, , last] = token.split(".");
      return `${first}.${encoded({ ...decodeJwt(token), ...claims })}.${last}`;
    };
    const wrong = [
      ...[`${encoded({ alg: "none", typ: "at+jwt" })}.${payload}.`, `${header}.${payload}.`],
      ...[changed(access, { sub: "somebody" }), changed(ofApi, { scope: "openid email" })],
      ...[changed(ofApi, { scope: "openid", aud: userInfo }), `${header}.${payload}.${signature.slice(0, -4)}AAAA`],
      ...[await tokenOfAnotherIssuer(), forApiAlone, idToken, refreshToken, "x", `${access}.x`],
    ];
    const texts = new Set<string>();
    const present = async (token: string) => {
      const answer = await fetch(userInfo, { headers: bearer(token) });
      expect(answer.headers.get("www-authenticate"), token).toBe('Bearer realm="assent", error="invalid_token"');
      // Each refusal has an id of its own for the log.
      texts.add(`${answer.status} ${(await answer.text()).replace(/\?id=[\w-]+/, "")}`);
    };
    for (const token of wrong) await present(token);
    expect((await fetch(userInfo, { headers: bearer(access) })).status).toBe(200);
    server.tick(3_600_000);
    await present(access);
    expect([...texts]).toEqual([expect.stringMatching(/^401 .*"invalid_token"/)]);
  });

  type Ended = Awaited<ReturnType<typeof tokensFor>> & { readonly of: TestClient };
  test.each<[string, (ended: Ended) => Promise<unknown>]>([
    [
      "the person is deleted",
      ({ person: { partition, personId } }) =>
        server.assent.storage.people.delete({ partition, personId, now: server.now() }),
    ],
    [
      "the person is disabled",
      ({ person: { partition, personId } }) =>
        server.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() }),
    ],
    [
      "the owner revoked the app",
      ({ person: { partition, personId }, of: { clientId } }) =>
        server.assent.storage.consents.revoke({
          ...{ partition, clientId, ownerId: personId, revokedBy: personId },
          now: server.now(),
        }),
    ],
    [
      "the client revoked its grant",
      ({ refreshToken, of }) => postForm(server, "/revoke", of, { token: refreshToken }),
    ],
    [
      "the client is disabled",
      async ({ of: { clientId } }) => {
        const { clients } = server.assent.storage;
        const found = await clients.get({ clientId });
        if (found === undefined) throw new Error("no client");
        await clients.put({ client: { ...found.record, status: "disabled" }, expect: found.version });
      },
    ],
  ])("UI-09 %s → 401 and no claim", async (_, end) => {
    const of = await server.addClient({ scopes: ["openid", "email"] });
    const tokens = await tokensFor({}, of);
    expect((await fetch(userInfo, { headers: bearer(tokens.access) })).status).toBe(200);
    await end({ ...tokens, of });
    const answer = await fetch(userInfo, { headers: bearer(tokens.access) });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: "invalid_token" }]);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="assent", error="invalid_token"');
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

  test("UI-14 another method → 405 with Allow; HEAD as GET without a body; an override has no effect", async () => {
    const { access, person } = await tokensFor();
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const answer = await fetch(userInfo, { method, headers: bearer(access) });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
    const [get, head] = [await fetch(userInfo, { headers: bearer(access) }), await fetch(userInfo, { method: "HEAD" })];
    expect([head.status, await head.text()]).toEqual([401, ""]);
    const known = await fetch(userInfo, { method: "HEAD", headers: bearer(access) });
    expect([known.status, await known.text()]).toEqual([200, ""]);
    expect(known.headers.get("content-type")).toBe(get.headers.get("content-type"));
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      const answer = await fetch(userInfo, { headers: { ...bearer(access), [name]: "DELETE" } });
      expect(await answer.json()).toMatchObject({ sub: person.personId });
    }
  });
});

/** An access token for UserInfo, as another server of the same program makes it. */
async function tokenOfAnotherIssuer(): Promise<string> {
  const other = await startServer();
  try {
    const client = await other.addClient({ scopes: ["openid"] });
    const { username } = await other.addPerson();
    const link = authorizeUrl(other, client, { scope: "openid" });
    const { body } = await redeem(other, client, await authorize(new Agent(other.issuer), link, username));
    return String(body.access_token);
  } finally {
    await other.stop();
  }
}
