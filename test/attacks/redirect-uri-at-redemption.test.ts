/**
 * Checks of redirect_uri after the authorization request: at the token endpoint, after a change of the registration,
 * and in our own redirects (RFC 6749 §4.1.3, RFC 9700 §4.12).
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  atConsent,
  changeClient,
  expectGoesOn,
  expectPage400,
  expectRedirectError,
  logSince,
} from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ redirectUris: ["https://app.test/cb", "https://app.test/other"] });
});
afterAll(() => server.stop());

async function aCode(): Promise<string> {
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), username);
  return callback.searchParams.get("code") ?? "";
}

describe("RU-37 the redirect_uri of the token request", () => {
  test.each([
    ["another registered one", "https://app.test/other"],
    ["with a slash more", "https://app.test/cb/"],
    ["in other case", "https://APP.test/cb"],
    ["with a default port", "https://app.test:443/cb"],
  ])("%s → invalid_grant, and the code is burned", async (_, redirect_uri) => {
    const mark = server.log.length;
    const code = await aCode();
    const refused = await redeem(server, client, code, { redirect_uri });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
    expect(refused.body).not.toHaveProperty("access_token");
    const again = await redeem(server, client, code);
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
    expect(logSince(server, mark)).not.toContain(code);
  });

  test.each([undefined, ""])("missing (%j) → invalid_request, and the code still works", async (redirect_uri) => {
    const code = await aCode();
    const refused = await redeem(server, client, code, { redirect_uri });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    expect((await redeem(server, client, code)).status).toBe(200);
  });

  test("a loopback port is the variable part only of the authorization request: the token request repeats it", async () => {
    const native = await server.addClient({ redirectUris: ["http://127.0.0.1/cb"] });
    const { username } = await server.addPerson();
    const at = async (asked: string, redeemed: string) => {
      const url = authorizeUrl(server, native, { redirect_uri: asked });
      const callback = await authorize(new Agent(server.issuer), url, username);
      expect(callback.href.startsWith(`${asked}?`)).toBe(true);
      return (await redeem(server, native, callback, { redirect_uri: redeemed })).status;
    };
    expect(await at("http://127.0.0.1:51004/cb", "http://127.0.0.1:51005/cb")).toBe(400);
    expect(await at("http://127.0.0.1:51004/cb", "http://127.0.0.1/cb")).toBe(400);
    expect(await at("http://127.0.0.1:51004/cb", "http://127.0.0.1:51004/cb")).toBe(200);
  });
});

describe("RU-38 the registration changes while the consent page is open", () => {
  test("the URI is removed → 400 page, no code, no grant; put back → the same form works", async () => {
    const own = await server.addClient({ redirectUris: ["https://own.test/cb"] });
    const { username, partition, personId } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await atConsent(agent, authorizeUrl(server, own), username);
    await changeClient(server, own, { redirectUris: ["https://own.test/new"] });
    expectPage400(await agent.submit(consentForm(page), { decision: "allow" }), "redirect_uri_mismatch");
    expectPage400(await agent.submit(consentForm(page), { decision: "deny" }), "redirect_uri_mismatch");
    const held = await server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() });
    expect(held).toEqual([]);
    await changeClient(server, own, {});
    const allowed = await agent.submit(consentForm(page), { decision: "allow" });
    expect(allowed.location?.searchParams.get("code")).toMatch(/^ac_/);
  });

  test("the client is disabled → 400 page; the scope is taken from it → invalid_scope to the client", async () => {
    const own = await server.addClient();
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await atConsent(agent, authorizeUrl(server, own), username);
    await changeClient(server, own, { status: "disabled" });
    expectPage400(await agent.submit(consentForm(page), { decision: "allow" }), "authorization_client_unknown");
    await changeClient(server, own, { scopes: ["profile"] });
    expectRedirectError(await agent.submit(consentForm(page), { decision: "allow" }), server, "invalid_scope");
  });

  test("the URI is removed while the sign-in page is open → 400 page after the password, no Location", async () => {
    const own = await server.addClient({ redirectUris: ["https://own.test/cb"] });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await agent.get(authorizeUrl(server, own));
    await changeClient(server, own, { redirectUris: ["https://own.test/new"] });
    expectPage400(await signIn(agent, username, page), "redirect_uri_mismatch");
  });
});

describe("RU-39 the status of redirects", () => {
  test("sign-in 303 to us, consent 302 to the client, and no password or csrf behind either", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await agent.get(authorizeUrl(server, client));
    const [form] = page.forms;
    if (form === undefined) throw new Error("no form");
    const signedIn = await agent.submit(form, { username, password: "correct horse battery staple" });
    expect(signedIn.status).toBe(303);
    expect(signedIn.location?.origin).toBe(server.issuer);
    expect(signedIn.location?.href).not.toMatch(/horse|csrf/);
    const consent = await agent.follow(signedIn);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    expect(answer.status).toBe(302);
    expect([...(answer.location?.searchParams.keys() ?? [])]).toEqual(["code", "state", "iss"]);
    const denied = await atConsent(agent, authorizeUrl(server, client, { prompt: "consent" }), username);
    expect((await agent.submit(consentForm(denied), { decision: "deny" })).status).toBe(302);
  });
});

describe("RU-40 where a sign-in leads", () => {
  const places = [
    "//evil.test",
    "/\\evil.test",
    "/\t/evil.test",
    "/%09/evil.test",
    "https:evil.test",
    "/%5cevil.test",
    "///evil.test",
    "https://evil.test",
  ];
  const names = ["return_to", "redirect", "redirect_uri", "next", "continue", "url", "request_uri", "target"];

  test.each(places)("%j in any parameter, query or form → the page of apps", async (place) => {
    const { username } = await server.addPerson();
    const query = new URLSearchParams(names.map((name) => [name, place]));
    const agent = new Agent(server.issuer);
    const page = await agent.get(`/login?${query}`);
    expect(page.status).toBe(200);
    // With the dot, because sealed data can contain any four letters by chance.
    expect(page.text).not.toContain("evil.");
    const [form] = page.forms;
    if (form === undefined) throw new Error("no form");
    const fields = { ...Object.fromEntries(query), username, password: "correct horse battery staple" };
    const signedIn = await agent.submit(form, fields);
    expect([signedIn.status, signedIn.location?.href]).toEqual([303, `${server.issuer}/account/apps`]);
    for (const path of ["/login", "/", "/account"])
      expect((await agent.get(`${path}?${query}`)).location?.href).toBe(`${server.issuer}/account/apps`);
    const apps = await agent.get(`/account/apps?${query}`);
    expect([apps.status, apps.text.includes("evil.")]).toEqual([200, false]);
  });

  test("a door of ours in the place of the sealed request → 400 page", async () => {
    for (const request of [...places, `${server.issuer}/account/apps`]) {
      const agent = new Agent(server.issuer);
      const query = new URLSearchParams({ request });
      for (const path of ["/login", "/consent"])
        expectPage400(await agent.get(`${path}?${query}`), "interaction_unknown");
    }
  });

  test("the path of the request itself → never another host", async () => {
    for (const path of [
      "//evil.test/account",
      "/\\evil.test/..",
      "//evil.test",
      "/login//evil.test",
      "/.//evil.test",
    ]) {
      const response = await fetch(server.issuer + path, { redirect: "manual", headers: { accept: "text/html" } });
      expect(response.headers.get("location") ?? server.issuer).toMatch(new RegExp(`^${server.issuer}`));
      expect(response.status).toBeLessThan(500);
    }
  });
});

describe("RU-42 response_mode", () => {
  test.each(["web_message", "fragment", "jwt", "query.jwt", "Query", "form_post ", "no such", "__proto__"])(
    "%j → invalid_request to the client, by query",
    async (response_mode) => {
      const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { response_mode }));
      expectRedirectError(page, server, "invalid_request");
    },
  );

  test.each(["query", "form_post", ""])("%j → goes on", async (response_mode) => {
    expectGoesOn(await new Agent(server.issuer).get(authorizeUrl(server, client, { response_mode })));
  });

  test.each([
    ["repeated scope", "&scope=write", "invalid_request"],
    ["malformed parameter", "&x=%ff", "invalid_request"],
    ["unknown scope", "&scope=nothing", "invalid_scope"],
    ["unknown response_type", "&response_type=id_token", "unsupported_response_type"],
  ])("form_post and a %s → the error goes by form_post, too", async (_, extra, error) => {
    const name = extra.slice(1).split("=")[0] ?? "";
    const without = extra === "&scope=write" ? {} : { [name]: undefined };
    const url = authorizeUrl(server, client, { response_mode: "form_post", ...without });
    const page = await new Agent(server.issuer).get(url + extra);
    expect(page.status).toBe(200);
    expect(page.location).toBeUndefined();
    const [form] = page.forms;
    expect(form?.action).toBe("https://app.test/cb");
    expect(form?.fields.get("error")).toBe(error);
    expect(form?.fields.get("state")).toBe("a state");
    expect(form?.fields.get("iss")).toBe(server.issuer);
  });
});
