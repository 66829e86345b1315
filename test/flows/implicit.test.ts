/** The implicit grant over real HTTP (RFC 6749 §4.2): only for clients that are registered for it. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, postForm } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let person: Person;
let agent: Agent;

const IMPLICIT: Partial<Client> = { type: "public", grantTypes: ["implicit"], responseTypes: ["token"] };

beforeAll(async () => {
  server = await startServer({ config: { consentDurations: ["once", 120, 7_776_000, "forever"] } });
  client = await server.addClient(IMPLICIT);
});
afterAll(() => server.stop());
beforeEach(async () => {
  person = await server.addPerson();
  agent = new Agent(server.issuer);
});

const urlOf = (changes: Record<string, string | undefined> = {}, of = client) =>
  authorizeUrl(server, of, { response_type: "token", ...changes });
const inFragment = ({ hash }: URL) => Object.fromEntries(new URLSearchParams(hash.slice(1)));
const granted = async (url = urlOf(), answer: Record<string, string> = {}) =>
  inFragment(await authorize(agent, url, person.username, answer));

/** Expects a refusal in the fragment of the redirect. Returns its parameters. */
function refusedWith(page: Page): Record<string, string> {
  expect(page.status, page.text.slice(0, 300)).toBe(302);
  const location = page.location ?? new URL("about:blank");
  expect(location.origin + location.pathname + location.search).toBe("https://app.test/cb");
  const answer = inFragment(location);
  expect(answer["access_token"]).toBeUndefined();
  expect([answer["state"], answer["iss"]]).toEqual(["a state", server.issuer]);
  return answer;
}

describe("refused", () => {
  test.each<[string, Partial<Client>]>([
    ["neither of the two", {}],
    ["the grant type alone", { grantTypes: ["authorization_code", "implicit"] }],
    ["the response type alone", { responseTypes: ["code", "token"] }],
  ])("a client registered for %s → unauthorized_client, in the fragment", async (_, changes) => {
    const other = await server.addClient({ type: "public", ...changes });
    expect(refusedWith(await agent.get(urlOf({}, other)))["error"]).toBe("unauthorized_client");
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["a scope that isn't there", { scope: "nothing" }, "invalid_scope"],
    ["scopes of several APIs", { scope: "read profile" }, "invalid_scope"],
    ["an unknown resource", { resource: "https://other.test" }, "invalid_target"],
    ["an unknown prompt", { prompt: "never" }, "invalid_request"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["prompt=none and nobody signed in", { prompt: "none" }, "login_required"],
    [
      "response_mode=query, where a token would be kept by servers and histories",
      { response_mode: "query" },
      "invalid_request",
    ],
    ["an unknown response_mode", { response_mode: "jwt" }, "invalid_request"],
  ])("%s → %o in the fragment", async (_, changes, error) => {
    expect(refusedWith(await agent.get(urlOf(changes)))["error"]).toBe(error);
  });

  test("a repeated parameter → invalid_request in the fragment", async () => {
    expect(refusedWith(await agent.get(`${urlOf()}&scope=write`))["error"]).toBe("invalid_request");
  });

  test("the owner says no → access_denied in the fragment, and no grant", async () => {
    const page = await atConsent(agent, urlOf(), person.username);
    expect(refusedWith(await agent.submit(consentForm(page), { decision: "deny" }))["error"]).toBe("access_denied");
    expect(await dashboard()).toEqual([]);
  });

  test("a fragment for a code → refused; a client of the code flow keeps its query", async () => {
    const other = await server.addClient();
    const { location } = await agent.get(authorizeUrl(server, other, { response_mode: "fragment" }));
    expect(location?.searchParams.get("error")).toBe("invalid_request");
    expect(location?.hash).toBe("");
  });

  test("at the token endpoint → there is no such grant type", async () => {
    const { status, body } = await postForm(server, "/token", client, { grant_type: "implicit", scope: "read" });
    expect([status, body.error]).toEqual([400, "unsupported_grant_type"]);
  });
});

describe("granted", () => {
  test("→ the members of §4.2.2, state and iss in the fragment, nothing in the query, never a refresh token", async () => {
    const both = await server.addClient({
      grantTypes: ["authorization_code", "implicit", "refresh_token"],
      responseTypes: ["code", "token"],
    });
    for (const one of [client, both]) {
      const location = await authorize(agent, urlOf({}, one), person.username);
      expect(location.origin + location.pathname + location.search).toBe("https://app.test/cb");
      expect(inFragment(location)).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: "300",
        scope: "read",
        state: "a state",
        iss: server.issuer,
      });
    }
  });

  test("→ the token is the API's own: aud, sub, amr, five minutes", async () => {
    const { access_token = "" } = await granted();
    const claims = decodeJwt(access_token);
    expect(claims).toMatchObject({ aud: "https://api.test", sub: person.personId, client_id: client.clientId });
    expect(claims).toMatchObject({ scope: "read", amr: ["pwd"] });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
  });

  test("a scope of no API → for the issuer; a choice that the owner left out → not in it", async () => {
    const own = await granted(urlOf({ scope: "profile" }));
    expect(decodeJwt(own["access_token"] ?? "").aud).toBe(server.issuer);
    const page = await atConsent(agent, urlOf({ scope: "read write" }), person.username);
    const { location } = await agent.submit(consentForm(page), { decision: "allow", scope: ["read"] });
    expect(inFragment(location ?? new URL("about:blank"))["scope"]).toBe("read");
  });

  test("an API with shorter tokens, a consent that ends sooner, a server with shorter tokens → the shortest", async () => {
    await server.addResource({ identifier: "https://short.test", tokenLifetime: 60 });
    await server.addScope({ name: "short", description: "Short", resource: "https://short.test" });
    const other = await server.addClient({ ...IMPLICIT, scopes: ["read", "short"] });
    expect((await granted(urlOf({ scope: "short" }, other)))["expires_in"]).toBe("60");
    const until = Number((await granted(urlOf(), { duration: "120" }))["expires_in"]);
    expect(until).toBeGreaterThan(110);
    expect(until).toBeLessThanOrEqual(120);
    const quick = await startServer({ config: { accessTtl: 5000 } });
    const there = await quick.addClient(IMPLICIT);
    const owner = await quick.addPerson();
    const url = authorizeUrl(quick, there, { response_type: "token" });
    const callback = await authorize(new Agent(quick.issuer), url, owner.username);
    await quick.stop();
    expect(inFragment(callback)["expires_in"]).toBe("5");
  });

  test("PKCE wanted by the server → not for a token, which no verifier could redeem", async () => {
    const strict = await server.addClient({ ...IMPLICIT, requirePkce: true });
    expect(await granted(urlOf({}, strict))).toHaveProperty("access_token");
    const challenge = { code_challenge: "x", code_challenge_method: "S256" };
    expect(await granted(urlOf(challenge, strict))).toHaveProperty("access_token");
  });

  test("form_post → the same members in a form, none in an address", async () => {
    const page = await atConsent(agent, urlOf({ response_mode: "form_post" }), person.username);
    const answer = await agent.submit(consentForm(page), { decision: "allow" });
    expect([answer.status, answer.location]).toEqual([200, undefined]);
    const [form] = answer.forms;
    expect(form?.action).toBe("https://app.test/cb");
    expect([...(form?.fields.keys() ?? [])]).toEqual([
      ...["access_token", "token_type", "expires_in", "scope", "state", "iss"],
    ]);
  });

  test("→ no cache, no Referer, and the log has no token", async () => {
    const page = await atConsent(agent, urlOf(), person.username);
    const mark = server.log.length;
    const answer = await agent.submit(consentForm(page), { decision: "allow" });
    const { access_token = "" } = inFragment(answer.location ?? new URL("about:blank"));
    expect(access_token).not.toBe("");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const [, payload = "", signature = ""] = access_token.split(".");
    for (const part of [payload, signature]) expect(server.log.slice(mark).join("")).not.toContain(part);
  });

  test("no code leads to the grant: its row is born redeemed, with the hash of no salt", async () => {
    const { access_token = "" } = await granted();
    const grantId = String(decodeJwt(access_token).jti).split(".")[0] ?? "";
    const database = new DatabaseSync(join(server.dataDir, "assent.db"), { readOnly: true });
    const row = database
      .prepare("SELECT generation, refreshable, length(code_salt_hash) AS salt FROM grants WHERE grant_id = ?")
      .get(grantId);
    database.close();
    expect({ ...row }).toEqual({ generation: 1, refreshable: 0, salt: 0 });
  });
});

describe("afterwards", () => {
  test("a second click within a minute → another token of the same grant; later → the request is finished", async () => {
    const page = await atConsent(agent, urlOf(), person.username);
    const click = () => agent.submit(consentForm(page), { decision: "allow" });
    const answers = await Promise.all([click(), click()]);
    const tokens = answers.map(({ location }) => inFragment(location ?? new URL("about:blank"))["access_token"] ?? "");
    const grants = new Set(tokens.map((token) => String(decodeJwt(token).jti).split(".")[0]));
    expect(grants.size).toBe(1);
    expect(await dashboard()).toEqual([1]);
    server.tick(61_000);
    const late = await click();
    expect([late.status, late.location]).toEqual([400, undefined]);
    expect(late.text).toContain("interaction_finished");
  });

  test("a standing consent → no page, also under prompt=none; another grant each time", async () => {
    await granted();
    for (const prompt of [undefined, "none"]) {
      const { location } = await agent.get(urlOf({ prompt }));
      expect(inFragment(location ?? new URL("about:blank"))).toHaveProperty("access_token");
    }
    expect(await dashboard()).toEqual([3]);
  });

  test("the owner takes the consent back → the next request asks, and a grant-bound API is told", async () => {
    const api = await server.addResource({ identifier: "https://bound.test", grantBound: true });
    await server.addScope({ name: "bound", description: "Bound", resource: "https://bound.test" });
    const other = await server.addClient({ ...IMPLICIT, scopes: ["bound"] });
    const { access_token } = await granted(urlOf({ scope: "bound" }, other));
    const active = async () => {
      const asApi = { clientId: api.id, secret: api.secret };
      return (await postForm(server, "/introspect", asApi, { token: access_token })).body["active"];
    };
    expect(await active()).toBe(true);
    const key = { partition: person.partition, ownerId: person.personId, clientId: other.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: person.personId, now: server.now() });
    expect(await active()).toBe(false);
    const again = await agent.follow(await agent.get(urlOf({ scope: "bound", prompt: "none" }, other)));
    expect(refusedWith(again)["error"]).toBe("consent_required");
  });

  test("the token has ended → off the dashboard, and no longer active", async () => {
    const { access_token } = await granted();
    server.tick(301_000);
    const asApi = { clientId: API.id, secret: API.secret };
    expect((await postForm(server, "/introspect", asApi, { token: access_token })).body).toEqual({ active: false });
    server.tick(60_000);
    expect(await dashboard()).toEqual([0]);
  });
});

/** Number of active grants of each app on the owner's page. */
async function dashboard(): Promise<number[]> {
  const { partition, personId: ownerId } = person;
  const consents = await server.assent.storage.consents.list({ partition, ownerId, now: server.now() });
  return consents.map(({ grants }) => grants.length);
}
