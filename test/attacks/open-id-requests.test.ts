/** Authentication requests of OpenID Connect with hostile parameters (OpenID Connect Core §3.1.2.1). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await server.addClient({ scopes: ["openid", "profile", "email", "read"] });
});
afterAll(() => server.stop());

const url = (changes: Record<string, string | undefined> = {}, of = app) =>
  authorizeUrl(server, of, { scope: "openid", ...changes });

/** A new person who is signed in and has allowed the app. */
async function somebody(of = app) {
  const { username, personId } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const { body } = await redeem(server, of, await authorize(agent, url({}, of), username));
  return { agent, username, personId, access: body.access_token ?? "", idToken: String(body["id_token"]) };
}

/** `code`, `page`, or the error. */
async function silentAnswer(agent: Agent, changes: Record<string, string>, of = app): Promise<string> {
  const { location, status } = await agent.get(url({ prompt: "none", ...changes }, of));
  if (location === undefined) return `page ${status}`;
  return location.searchParams.get("error") ?? "code";
}

describe("max_age", () => {
  test.each([
    ["0", "login_required"],
    ["1", "login_required"],
    ["3600", "code"],
    ["9999999999", "code"],
    ["-1", "invalid_request"],
    ["1.5", "invalid_request"],
    ["abc", "invalid_request"],
    ["99999999999999999999", "invalid_request"],
    ["1e3", "invalid_request"],
    [" 1", "invalid_request"],
  ])("OI-17 %s, 10 s after the sign-in → %s", async (max_age, expected) => {
    const { agent } = await somebody();
    server.tick(10_000);
    expect(await silentAnswer(agent, { max_age })).toBe(expected);
  });
});

describe("ui_locales, claims_locales", () => {
  test.each([
    ["a script", "<script>alert(1)</script>"],
    ["1,000 languages", "xx ".repeat(600)],
    ["a line break and NUL", "en\r\nset-cookie: a=b\u0000"],
    ["a file", "../../../etc/passwd"],
    ["a member of objects", "__proto__ constructor"],
  ])("OI-25 %s → no effect", async (_, hostile) => {
    const page = await new Agent(server.issuer).get(url({ ui_locales: hostile, claims_locales: hostile }));
    const problem = hostile.includes("\0");
    if (!problem) {
      expect(page.status).toBe(200);
      expect(page.text).toContain('lang="en"');
    }
    expect(page.text).not.toContain("<script>alert");
    expect(page.headers.get("set-cookie") ?? "").not.toContain("a=b");
  });
});

describe("id_token_hint", () => {
  test("of the person who is signed in, also expired → the code without a page", async () => {
    const { agent, idToken } = await somebody();
    expect(await silentAnswer(agent, { id_token_hint: idToken })).toBe("code");
    server.tick(2 * 3_600_000);
    expect(await silentAnswer(agent, { id_token_hint: idToken })).toBe("code");
  });

  test("of somebody else with prompt=none → login_required", async () => {
    const [one, other] = [await somebody(), await somebody()];
    expect(await silentAnswer(one.agent, { id_token_hint: other.idToken })).toBe("login_required");
    expect(await silentAnswer(new Agent(server.issuer), { id_token_hint: other.idToken })).toBe("login_required");
    const said = async (agent: Agent) =>
      (await agent.get(url({ prompt: "none", id_token_hint: other.idToken }))).location?.searchParams.get("error_uri");
    expect(await said(one.agent)).toMatch(/\/errors\/other_person_signed_in\?id=/);
    expect(await said(new Agent(server.issuer))).toMatch(/\/errors\/login_required\?id=/);
  });

  test("of somebody else → the sign-in page, which names nobody else; their sign-in goes on, another is refused", async () => {
    const [one, other] = [await somebody(), await somebody()];
    const page = await one.agent.follow(await one.agent.get(url({ id_token_hint: other.idToken })));
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(other.username);
    // Who is signed in is not asked to confirm that it's them: their sign-in would be refused.
    expect(page.text).toContain("but this app asks for a different account. Sign in with that one.");
    expect(page.text).not.toContain("to confirm that it’s you");
    const choosing = await one.agent.get(url({ id_token_hint: other.idToken, prompt: "select_account" }));
    expect(choosing.text).toContain("but this app asks for a different account.");
    expect(choosing.text).not.toContain("To continue with this account");
    const refused = await signIn(one.agent, one.username, page);
    expect(refused.location?.searchParams.get("error")).toBe("login_required");
    const again = await one.agent.follow(await one.agent.get(url({ id_token_hint: other.idToken })));
    const done = await signIn(one.agent, other.username, again);
    expect(done.location?.searchParams.has("code")).toBe(true);
  });

  test("an access token, a forged one, one of another client, or any text → counts as no hint", async () => {
    const [one, other] = [await somebody(), await somebody()];
    const foreign = await server.addClient({ scopes: ["openid"] });
    const ofForeign = await somebody(foreign);
    const [header = "", payload = "", signature = ""] = other.idToken.split(".");
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
    const [accessHeader] = other.access.split(".");
    const hints = [
      other.access,
      ofForeign.idToken,
      `${header}.${payload}.${"A".repeat(signature.length)}`,
      `${unsigned}.${payload}.`,
      `${accessHeader}.${payload}.${signature}`,
      `${other.idToken}.x`,
      `${other.idToken}=`,
      "x",
      "",
      "a.b.c",
      `${header}.${"A".repeat(3000)}.${signature}`,
    ];
    for (const id_token_hint of hints) expect(await silentAnswer(one.agent, { id_token_hint })).toBe("code");
  });
});

describe("claims", () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  test.each([
    ["a list", "[]"],
    ["a text", '"x"'],
    ["null", "null"],
    ["no JSON", "{userinfo:{}}"],
    ["a member that is a list", '{"id_token":[]}'],
    ["a member that is null", '{"userinfo":null}'],
    ["a number as claim", '{"userinfo":{"email":5}}'],
    ["a list as claim", '{"userinfo":{"email":[]}}'],
    ["a number as claim that nobody knows", '{"userinfo":{"shoe_size":42}}'],
    ["values that are a text", '{"id_token":{"acr":{"values":"a"}}}'],
    ["essential that is a text", '{"id_token":{"acr":{"essential":"true"}}}'],
    ["500 levels", deep(500)],
    ["1,000 lists", `{"userinfo":${"[".repeat(1000)}${"]".repeat(1000)}}`],
    ["seven levels inside a value", `{"userinfo":{"email":{"value":${deep(7)}}}}`],
    ["__proto__ as member", '{"__proto__":{"userinfo":{}}}'],
    ["__proto__ as claim", '{"userinfo":{"__proto__":{"essential":true}}}'],
    ["more than 8 KiB", `{"userinfo":{"email":{"value":"${"x".repeat(8192)}"}}}`],
    ["a line break inside a text", '{"userinfo":{"a\nb":null}}'],
  ])("OI-13 %s → invalid_request at once", async (_, claims) => {
    const form = new URLSearchParams(new URL(url({ claims, prompt: "none" })).search);
    const agent = new Agent(server.issuer);
    const before = performance.now();
    const { location } = await agent.post("/authorize", form);
    expect(location?.searchParams.get("error")).toBe("invalid_request");
    expect(performance.now() - before).toBeLessThan(1000);
  });

  test("OI-13 1,000 levels, which are too long in a link → 400, in a link and in a form", async () => {
    const form = new URLSearchParams(new URL(url({ claims: deep(1000) })).search);
    const agent = new Agent(server.issuer);
    expect((await agent.post("/authorize", form)).status).toBe(400);
    expect((await agent.get(`/authorize?${form}`)).status).toBeOneOf([400, 431]);
  });

  test("OI-13 64 kB in a form → invalid_request", async () => {
    const form = new URLSearchParams(new URL(url()).search);
    form.set("claims", `{"userinfo":{"email":{"value":"${"x".repeat(65_536)}"}}}`);
    const { status, location } = await new Agent(server.issuer).post("/authorize", form);
    expect(location?.searchParams.get("error") ?? status).toBeOneOf(["invalid_request", 413]);
  });

  test.each([
    ["nothing", "{}"],
    ["other members", '{"verified_claims":[1],"userinfo":{}}'],
    ["200 claims that nobody knows", `{"userinfo":{${Array.from({ length: 200 }, (_, at) => `"c${at}":{}`).join()}}}`],
    ["names of members of objects", '{"id_token":{"constructor":null,"toString":null,"hasOwnProperty":{}}}'],
    ["white space", '{\n  "userinfo": {}\n}'],
    ["a level that isn't essential", '{"id_token":{"acr":{"values":["gold"]}}}'],
    ["essential without a level", '{"id_token":{"acr":{"essential":true}}}'],
    ["auth_time essential", '{"id_token":{"auth_time":{"essential":true}}}'],
  ])("OI-13 %s → no effect", async (_, claims) => {
    const { agent } = await somebody();
    expect(await silentAnswer(agent, { claims })).toBe("code");
  });

  test("OI-16 acr essential, with an unknown level → access_denied, with prompt=none login_required", async () => {
    const { agent } = await somebody();
    const claims = '{"id_token":{"acr":{"essential":true,"values":["gold","silver"]}}}';
    expect(await silentAnswer(agent, { claims })).toBe("login_required");
    const { location } = await agent.get(url({ claims }));
    expect(location?.searchParams.get("error")).toBe("access_denied");
  });

  test("OI-16 acr with a level that the sign-in doesn't have → a stronger sign-in, with prompt=none login_required", async () => {
    const { agent } = await somebody();
    const claims = '{"id_token":{"acr":{"essential":true,"values":["phr","mfa"]}}}';
    expect(await silentAnswer(agent, { claims })).toBe("login_required");
    expect((await agent.get(url({ claims }))).location?.searchParams.get("code") ?? null).toBeNull();
    expect(await silentAnswer(agent, { claims: '{"id_token":{"acr":{"value":"1fa"}}}' })).toBe("code");
    expect(await silentAnswer(agent, { claims: '{"id_token":{"acr":{"value":"1fa"}}}', acr_values: "mfa" })).toBe(
      "login_required",
    );
  });

  test("sub of somebody else → login_required", async () => {
    const [one, other] = [await somebody(), await somebody()];
    const sub = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
    expect(await silentAnswer(one.agent, { claims: sub(one.personId) })).toBe("code");
    expect(await silentAnswer(one.agent, { claims: sub(other.personId) })).toBe("login_required");
    expect(await silentAnswer(one.agent, { claims: sub("nobody") })).toBe("login_required");
  });

  test("sub with several values → one of them is enough; in both members, or with a hint, all must agree", async () => {
    const [one, other] = [await somebody(), await somebody()];
    const values = (...people: unknown[]) => ({ sub: { values: people } });
    const answer = (claims: object, ask = {}) => silentAnswer(one.agent, { claims: JSON.stringify(claims), ...ask });
    expect(await answer({ id_token: values(other.personId, one.personId) })).toBe("code");
    expect(await answer({ id_token: values(other.personId, "nobody") })).toBe("login_required");
    expect(await answer({ id_token: values(5) })).toBe("login_required");
    expect(await answer({ id_token: values(one.personId), userinfo: values(other.personId) })).toBe("login_required");
    expect(await answer({ id_token: values() })).toBe("code");
    const both = { id_token: values(other.personId, one.personId) };
    expect(await answer(both, { id_token_hint: one.idToken })).toBe("code");
    expect(await answer(both, { id_token_hint: other.idToken })).toBe("login_required");
    expect(await answer({ id_token: values(one.personId) }, { id_token_hint: other.idToken })).toBe("login_required");
  });
});
