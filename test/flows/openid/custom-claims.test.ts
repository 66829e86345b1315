/** Claims of an operator's own: given by code in the configuration, only with their scope (OpenID Connect Core §5.1.2). */

import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ClaimsRequest, CustomClaims } from "../../../packages/server/src/index.ts";
import { addCompany } from "../../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, redeem, refresh } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const PLAN = "https://shop.example/plan";
const asked: ClaimsRequest[] = [];
const usual = (): unknown => ({ team: "blue", team_roles: ["lead", { since: 2024 }], [PLAN]: null });
let given: (about: ClaimsRequest) => unknown = usual;

const team: CustomClaims = {
  scope: "team",
  claims: ["team", "team_roles", PLAN],
  timeout: 200,
  give(about) {
    asked.push(about);
    return given(about) as Record<string, unknown>;
  },
};
const floor: CustomClaims = { scope: "profile", claims: ["floor"], give: async ({ sub }) => ({ floor: sub.length }) };

const API = "https://files.example";
let server: TestServer;
let app: TestClient;
beforeAll(async () => {
  server = await startServer({ config: { customClaims: [team, floor] } });
  await server.addResource({ identifier: API });
  await server.addScope({ name: "team", description: "See your team" });
  await server.addScope({ name: "files", resource: API });
  app = await server.addClient({ scopes: ["openid", "profile", "team", "files", "read"] });
});
afterAll(() => server.stop());
afterEach(() => {
  given = usual;
  asked.length = 0;
});

async function codeFor(ask: Record<string, string>, answer?: Record<string, string>) {
  const person = await server.addPerson();
  const url = authorizeUrl(server, app, ask);
  return { person, callback: await authorize(new Agent(server.issuer), url, person.username, answer) };
}

async function tokensFor(ask: Record<string, string>, fields: Record<string, string> = {}) {
  const { person, callback } = await codeFor(ask);
  const { status, body } = await redeem(server, app, callback, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return { person, body, idToken: decodeJwt(String(body["id_token"])) };
}

const userInfo = async (token: unknown) => {
  const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};
const inIdToken = { scope: "openid team", claims: JSON.stringify({ id_token: { team: null, [PLAN]: null } }) };

describe("what is wrong → 500 server_error, no claim, and a line in the log that names the scope alone", () => {
  const deep = (levels: number): unknown => (levels === 0 ? "x" : [deep(levels - 1)]);
  class Team {
    readonly team = "blue";
  }
  test.each<[string, (about: ClaimsRequest) => unknown, string]>([
    ["it throws", ({ sub }) => Promise.reject(new TypeError(`no ${sub}`)), "the code threw TypeError"],
    [
      "it throws at once",
      ({ sub }) => {
        throw sub;
      },
      "the code threw string",
    ],
    ["it never answers", () => new Promise(() => undefined), "no answer after 200 ms"],
    ["nothing", () => undefined, "the answer is no object"],
    ["a text", () => "blue", "the answer is no object"],
    ["a list", () => ["blue"], "the answer is no object"],
    ["an object of a class", () => new Team(), "the answer is no object"],
    ["a claim that isn't named", () => ({ team: "blue", email: "x@x.test" }), "the answer is no object"],
    ["a reserved claim", () => ({ sub: "somebody" }), "the answer is no object"],
    ["__proto__", () => JSON.parse('{"__proto__":{"team":"x"}}'), "the answer is no object"],
    ["a function", () => ({ team: () => "blue" }), "the answer is no object"],
    ["a number that JSON doesn't have", () => ({ team: Number.NaN }), "the answer is no object"],
    ["a bigint", () => ({ team: 1n }), "the answer is no object"],
    ["a date", () => ({ team: new Date(0) }), "the answer is no object"],
    ["half a character", () => ({ team: "\ud800" }), "the answer is no object"],
    ["7 levels", () => ({ team: deep(7) }), "the answer is no object"],
    ["more than 4 KiB", () => ({ team: "x".repeat(4096) }), "the answer is no object"],
  ])("%s", async (_, gives, why) => {
    const { person, body } = await tokensFor({ scope: "openid team" });
    given = gives;
    const from = server.log.length;
    const refused = await userInfo(body.access_token);
    expect([refused.status, refused.body["error"]]).toEqual([500, "server_error"]);
    expect(refused.headers.get("www-authenticate")).toBeNull();
    expect(JSON.stringify(refused.body)).not.toContain("blue");
    const lines = server.log.slice(from).filter((line) => line.includes("custom_claims_failed"));
    expect(lines.join()).toContain(`the claims of the scope team: ${why}`);
    expect(lines.join()).not.toContain(person.personId);
    given = usual;
    expect((await userInfo(body.access_token)).body).toMatchObject({ team: "blue" });
  });

  test("the largest and the deepest that are allowed → given", async () => {
    given = () => ({ team: "x".repeat(4096 - '{"team":""}'.length) });
    const { body } = await tokensFor({ scope: "openid team" });
    expect((await userInfo(body.access_token)).status).toBe(200);
    given = () => ({ team: deep(6) });
    expect((await userInfo(body.access_token)).status).toBe(200);
  });

  test("at the token endpoint → no token, and the code and the refresh token work afterwards", async () => {
    const { callback } = await codeFor(inIdToken);
    given = () => Promise.reject(new Error("away"));
    const failed = await redeem(server, app, callback);
    expect([failed.status, failed.body.error, failed.body.access_token]).toEqual([500, "server_error", undefined]);
    given = usual;
    const { status, body } = await redeem(server, app, callback);
    expect([status, decodeJwt(String(body["id_token"]))["team"]]).toEqual([200, "blue"]);
    given = () => Promise.reject(new Error("away"));
    expect((await refresh(server, app, body.refresh_token)).status).toBe(500);
    given = () => ({ team: "green" });
    const again = await refresh(server, app, body.refresh_token);
    expect(decodeJwt(String(again.body["id_token"]))["team"]).toBe("green");
  });

  test("a code that was used before → the code's refusal, not that of the claims", async () => {
    const { callback } = await codeFor(inIdToken);
    expect((await redeem(server, app, callback)).status).toBe(200);
    given = () => Promise.reject(new Error("away"));
    const { status, body } = await redeem(server, app, callback);
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
  });
});

describe("where they are given", () => {
  test("the scope isn't granted → the code isn't even called", async () => {
    const { body } = await tokensFor({ scope: "openid" });
    expect(Object.keys((await userInfo(body.access_token)).body)).toEqual(["sub"]);
    expect(asked).toEqual([]);
  });

  test("granted → at UserInfo, unknown ones left out; not in the ID token", async () => {
    const { person, body, idToken } = await tokensFor({ scope: "openid team" });
    expect((await userInfo(body.access_token)).body).toEqual({
      ...{ sub: person.personId, team: "blue", team_roles: ["lead", { since: 2024 }] },
    });
    expect(idToken).not.toHaveProperty("team");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ sub: person.personId, organization: null, clientId: app.clientId });
    expect(Object.keys(asked[0] ?? {}).sort()).toEqual(["clientId", "organization", "signal", "sub"]);
  });

  test("beside the claims of a built-in scope → both", async () => {
    const { person, body } = await tokensFor({ scope: "openid profile" });
    const claims = (await userInfo(body.access_token)).body;
    expect(claims).toMatchObject({ preferred_username: person.username, floor: 22 });
  });

  test("the ID token asks for one → it alone, asked for once for the response", async () => {
    const { idToken } = await tokensFor(inIdToken);
    expect(idToken).toMatchObject({ team: "blue" });
    expect(idToken).not.toHaveProperty("team_roles");
    expect(idToken).not.toHaveProperty(PLAN);
    expect(asked).toHaveLength(1);
  });

  test("asked for without its scope, and declined → no claim; allowed → the claim", async () => {
    const ask = { ...inIdToken, scope: "openid" };
    for (const [scope, claim] of [
      ["openid", undefined],
      ["team", "blue"],
    ] as const) {
      const { callback } = await codeFor(ask, { scope });
      const { body } = await redeem(server, app, callback);
      expect(decodeJwt(String(body["id_token"]))["team"]).toBe(claim);
    }
  });

  test("with scopes of an API → one token for both", async () => {
    const { body } = await tokensFor({ scope: "openid team files" });
    expect(decodeJwt(String(body.access_token)).aud).toEqual([API, `${server.issuer}/userinfo`]);
    expect((await userInfo(body.access_token)).body).toMatchObject({ team: "blue" });
  });

  test("for a company → the person, and the company", async () => {
    const acme = await addCompany(server);
    const person = await server.addPerson();
    await server.assent.storage.members.add({
      ...{
        partition: acme.partition,
        companyId: acme.companyId,
        person,
        role: "admin",
        addedBy: "operator",
        link: "l",
      },
      now: server.now(),
    });
    const url = authorizeUrl(server, app, { scope: "openid team" });
    const callback = await authorize(new Agent(server.issuer), url, person.username, { owner: acme.companyId });
    const { body } = await redeem(server, app, callback);
    await userInfo(body.access_token);
    expect(asked.at(-1)).toMatchObject({ sub: person.personId, organization: acme.companyId });
  });

  test("the metadata → names them", async () => {
    const answer = await fetch(`${server.issuer}/.well-known/openid-configuration`);
    const { claims_supported: claims } = (await answer.json()) as { claims_supported: string[] };
    expect(claims.slice(-4)).toEqual(["team", "team_roles", PLAN, "floor"]);
  });

  test("time is over → the signal aborts, so that the code can stop", async () => {
    const { body } = await tokensFor({ scope: "openid team" });
    const stopped = Promise.withResolvers<boolean>();
    given = ({ signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(true));
      return new Promise(() => undefined);
    };
    expect((await userInfo(body.access_token)).status).toBe(500);
    expect(await stopped.promise).toBe(true);
  });
});

describe("at the start", () => {
  const good: CustomClaims = { scope: "team", claims: ["team"], give: () => ({}) };
  test.each<[string, unknown, string]>([
    ["no list", { good }, "customClaims: found no list"],
    ["too many", Array.from({ length: 21 }, () => good), "customClaims: found 21"],
    ["no object", [null], "customClaims[0].scope: wanted the name of a scope"],
    ["a space in the scope", [{ ...good, scope: "a b" }], "customClaims[0].scope"],
    ["the scope openid", [{ ...good, scope: "openid" }], "openid gives no claims"],
    ["the scope twice", [good, { ...good, claims: ["x"] }], "customClaims[1].scope: team is there already"],
    ["no claims", [{ ...good, claims: [] }], "customClaims[0].claims: wanted a list"],
    ["a claim's odd name", [{ ...good, claims: ["a b"] }], "visible ASCII"],
    ...["sub", "aud", "acr", "sid", "organization", "email", "picture", "__proto__"].map(
      (name) =>
        [`the claim ${name}`, [{ ...good, claims: [name] }], `${name} is reserved`] as [string, unknown, string],
    ),
    ["a claim twice", [good, { ...good, scope: "b" }], "customClaims[1].claims: team is reserved, or there already"],
    ["no time", [{ ...good, timeout: 0 }], "customClaims[0].timeout"],
    ["a day", [{ ...good, timeout: 86_400_000 }], "customClaims[0].timeout"],
    ["no code", [{ ...good, give: {} }], "customClaims[0].give: wanted a function"],
  ])("%s → refused by name", async (_, customClaims, line) => {
    const start = startServer({ config: { customClaims: customClaims as CustomClaims[] } });
    await expect(start).rejects.toThrow(line);
  });
});
