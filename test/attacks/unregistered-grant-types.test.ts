/**
 * Grant types that a client may not use, limits on the lifetime of answers, and credentials of one flow presented to
 * another.
 */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashPassword } from "../../packages/server/src/crypto/password-hashing.ts";
import type { CustomGrant } from "../../packages/server/src/index.ts";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, jwtOf, trust } from "../support/assertion-requests.ts";
import { anOwner, basic, codeOf, tokensOf } from "../support/back-channel.ts";
import { aDevice, poll } from "../support/device-actor.ts";
import { atConsent, expectPage400, inputValue } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  postForm,
  redeem,
  refresh,
  type TokenAnswer,
} from "../support/http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "../support/saml-idp.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const idp = aJwtIssuer("https://idp.test");
const saml = anIdentityProvider("https://saml.test");
let server: TestServer;
let person: Person;
/** Failures are counted by address, so each test has its own. */
let address: string;
let next = 1;

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"], customGrants: [badge] } });
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks });
  await trust(server, { issuer: saml.entityId, type: "saml", certificates: [saml.certificate] });
});
afterAll(() => server.stop());
beforeEach(async () => {
  person = await server.addPerson();
  address = `192.0.2.${next++}`;
});

const from = () => ({ "x-forwarded-for": address });
const agentHere = () => new Agent(server.issuer, from());
const aPasswordClient = (changes: Partial<Client> = {}) => server.addClient({ grantTypes: ["password"], ...changes });
const byPassword = (client: TestClient, password = PASSWORD): Promise<TokenAnswer> => {
  const fields = { grant_type: "password", username: person.username, password, scope: "read" };
  return postForm(server, "/token", client, fields, from());
};
const inFragment = ({ location }: Page) => new URLSearchParams(location?.hash.slice(1));

async function onLoginPage(password: string, agent = agentHere()): Promise<Page> {
  const form = (await agent.get("/login")).forms[0];
  if (form === undefined) throw new Error("no sign-in form");
  return agent.submit(form, { username: person.username, password });
}

/** A custom grant type that allows everything, so that every refusal comes from the server. */
const badge: CustomGrant = {
  grantType: "https://desk.test/grants/badge",
  parameters: { badge: "required" },
  redeem: (request) =>
    request.parameter("badge").startsWith("bdg_")
      ? { for: "owner", owner: { by: "username", value: "badge-holder" }, under: "operator policy", scopes: ["read"] }
      : request.refuse("invalid_grant", "no badge"),
};

const URN = "urn:ietf:params:oauth:grant-type:";
const GRANTS = [
  ...["authorization_code", "refresh_token", "client_credentials", "password"],
  ...[`${URN}device_code`, `${URN}jwt-bearer`, `${URN}saml2-bearer`],
  badge.grantType,
];

describe("a grant that the client isn't registered for", () => {
  test.each(GRANTS)(
    "TE-08 %s → unauthorized_client, whatever comes along, and nothing is spent",
    async (grant_type) => {
      const grantTypes = GRANTS.filter((one) => one !== grant_type);
      const client = await server.addClient({ grantTypes, ownScopes: ["read"] });
      const registered = await server.addClient();
      const tokens = await tokensOf(server, registered, await anOwner(server));
      const fields = {
        ...{ grant_type, code: "ac_x", redirect_uri: "https://app.test/cb", refresh_token: tokens.refresh },
        ...{
          username: person.username,
          password: PASSWORD,
          scope: "read",
          device_code: "dc_x",
          assertion: "e30.e30.x",
          badge: "bdg_x",
        },
      };
      const { status, body } = await postForm(server, "/token", client, fields, from());
      expect([status, body.error]).toEqual([400, "unauthorized_client"]);
      expect((await refresh(server, registered, tokens.refresh)).status).toBe(200);
    },
  );

  test("GR-06 password, as a client is registered unless somebody says otherwise → unauthorized_client", async () => {
    for (const client of [await server.addClient(), await server.addClient({ type: "public" })]) {
      const { status, body } = await byPassword(client);
      expect([status, body.error]).toEqual([400, "unauthorized_client"]);
    }
  });

  test("GR-09 what the caller says of the client → changes nothing", async () => {
    const client = await server.addClient({ type: "public" });
    const fields = { grant_type: "password", username: person.username, password: PASSWORD, scope: "read" };
    const attempts = [
      { ...fields, type: "confidential", client_type: "confidential", first_party: "true" },
      { ...fields, token_endpoint_auth_method: "client_secret_post", grant_types: "password" },
      { ...fields, scope: "read password", response_type: "token" },
    ];
    for (const one of attempts) {
      expect((await postForm(server, "/token", client, one, from())).body.error).toBe("unauthorized_client");
    }
    const withSecret = { ...fields, client_id: client.clientId, client_secret: "anything" };
    expect((await postForm(server, "/token", null, withSecret, from())).body.error).toBe("invalid_client");
    const withHeader = { authorization: basic(client.clientId, "anything"), ...from() };
    expect((await postForm(server, "/token", null, fields, withHeader)).body.error).toBe("invalid_client");
    const disabled = await aPasswordClient({ status: "disabled" });
    expect((await byPassword(disabled)).body.error).toBe("invalid_client");
  });

  test("GR-01 response_type=token → unauthorized_client in the fragment, before anybody signs in", async () => {
    const client = await server.addClient({ type: "public" });
    const page = await agentHere().get(authorizeUrl(server, client, { response_type: "token" }));
    expect(page.location?.search).toBe("");
    expect(inFragment(page).get("error")).toBe("unauthorized_client");
    expect(inFragment(page).get("state")).toBe("a state");
  });
});

describe("the response type", () => {
  test.each([
    ["missing", undefined, "invalid_request"],
    ["empty", "", "invalid_request"],
    ["unknown", "id_token", "unsupported_response_type"],
    ["twice the same", "code code", "unsupported_response_type"],
    ["two", "token code", "unsupported_response_type"],
    ["two, in order", "code token", "unsupported_response_type"],
    ["in capitals", "TOKEN", "unsupported_response_type"],
    ["with a space", "token ", "unsupported_response_type"],
  ])("GR-04 %s → an error by redirect, no token", async (_, response_type, error) => {
    const client = await server.addClient({
      grantTypes: ["authorization_code", "implicit"],
      responseTypes: ["code", "token"],
    });
    const { location } = await agentHere().get(authorizeUrl(server, client, { response_type }));
    expect(location?.searchParams.get("error")).toBe(error);
    expect(location?.hash).toBe("");
  });

  test("GR-05 the request under way, flipped from code to token → a page, no token", async () => {
    const client = await server.addClient({
      grantTypes: ["authorization_code", "implicit"],
      responseTypes: ["code", "token"],
    });
    const agent = agentHere();
    const page = await atConsent(agent, authorizeUrl(server, client), person.username);
    const sealed = inputValue(page, "request") ?? "";
    const bytes = Buffer.from(sealed, "base64url");
    for (let at = 0; at < bytes.length; at += 23) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const request = changed.toString("base64url");
      expectPage400(await agent.submit(consentForm(page), { decision: "allow", request }), "interaction_unknown");
    }
    const { location } = await agent.submit(consentForm(page), { decision: "allow", response_type: "token" });
    expect([location?.searchParams.has("code"), location?.hash]).toEqual([true, ""]);
  });

  test("GR-03 a token in the fragment → no refresh token, minutes at the most, state and iss", async () => {
    const client = await server.addClient({
      grantTypes: ["implicit", "refresh_token"],
      responseTypes: ["token"],
    });
    const location = await authorize(
      agentHere(),
      authorizeUrl(server, client, { response_type: "token" }),
      person.username,
    );
    const answer = new URLSearchParams(location.hash.slice(1));
    expect([answer.has("refresh_token"), answer.has("code")]).toEqual([false, false]);
    expect(Number(answer.get("expires_in"))).toBeLessThanOrEqual(900);
    const { iat = 0, exp = 0 } = decodeJwt(answer.get("access_token") ?? "");
    expect(exp - iat).toBe(Number(answer.get("expires_in")));
    expect([answer.get("state"), answer.get("iss")]).toEqual(["a state", server.issuer]);
  });
});

describe("passwords", () => {
  test("GR-08 locked by the sign-in page → the grant doesn't look either; and the other way round", async () => {
    const client = await aPasswordClient();
    for (let tries = 0; tries < 10; tries += 1) expect((await onLoginPage("wrong")).status).toBe(200);
    const answer = await byPassword(client);
    expect([answer.status, answer.body.error]).toEqual([429, "temporarily_unavailable"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.body.access_token).toBeUndefined();

    address = "198.51.100.1";
    person = await server.addPerson();
    for (let tries = 0; tries < 10; tries += 1) expect((await byPassword(client, "wrong")).status).toBe(400);
    expect((await onLoginPage(PASSWORD)).status).toBe(429);
  });

  test("GR-08 twenty guesses at once → no more than ten are looked at", async () => {
    const client = await aPasswordClient();
    const answers = await Promise.all(Array.from({ length: 20 }, () => byPassword(client, "wrong")));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  const long = "a".repeat(72);
  test.each([
    ["equal in their first 72 bytes", `${long}1`, `${long}2`],
    ["of 1,024 bytes, the last one different", `${"é".repeat(511)}12`, `${"é".repeat(511)}13`],
    ["in other letters", "Correct horse battery", "correct horse battery"],
    ["with a space behind", "correct horse battery", "correct horse battery "],
  ])("GR-10 two passwords %s → two passwords", async (_, right, wrong) => {
    person = await server.addPerson({ passwordHash: await hashPassword(right) });
    const client = await aPasswordClient();
    expect((await byPassword(client, wrong)).body.error).toBe("invalid_grant");
    expect((await onLoginPage(wrong)).status).toBe(200);
    expect((await byPassword(client, right)).status).toBe(200);
    expect((await onLoginPage(right)).status).toBe(303);
  });

  test("GR-10 composed and decomposed → the same; a NUL → refused; over 1,024 bytes → 400 before anything is hashed", async () => {
    person = await server.addPerson({ passwordHash: await hashPassword("Ångström é 12") });
    const client = await aPasswordClient();
    for (const form of ["NFC", "NFD"]) {
      expect((await byPassword(client, "Ångström é 12".normalize(form))).status).toBe(200);
      expect((await onLoginPage("Ångström é 12".normalize(form))).status).toBe(303);
    }
    expect((await byPassword(client, "Ångström é 12\0")).status).toBe(400);
    expect((await onLoginPage("Ångström é 12\0")).status).toBe(200);
    for (const size of [1025, 2000]) expect((await byPassword(client, "a".repeat(size))).status).toBe(400);
    // None of these counts as an attempt.
    for (let times = 0; times < 12; times += 1) await byPassword(client, "a".repeat(1025));
    expect((await byPassword(client, "Ångström é 12")).status).toBe(200);
  });

  test("CN-10 an owner who took their consent back → invalid_grant, however often, and no grant", async () => {
    const client = await aPasswordClient();
    expect((await byPassword(client)).status).toBe(200);
    const key = { partition: person.partition, ownerId: person.personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: person.personId, now: server.now() });
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await byPassword(client);
      expect([status, body.error]).toEqual([400, "invalid_grant"]);
    }
    expect((await server.assent.storage.consents.find(key))?.status).toBe("revoked");
  });
});

describe("what one flow gives, presented to another", () => {
  test("each artefact at each place but its own → refused, and still good at its own", async () => {
    await server.addResource({ identifier: "https://sealed.test", tokenFormat: "opaque" });
    await server.addScope({ name: "sealed", description: "Sealed", resource: "https://sealed.test" });
    const client = await server.addClient({
      grantTypes: [...GRANTS, "implicit"],
      responseTypes: ["code", "token"],
      scopes: ["read", "sealed"],
      ownScopes: ["read"],
    });
    const owner = await anOwner(server);
    await server.addPerson({ username: "badge-holder" });
    const byBadge = await postForm(server, "/token", client, { grant_type: badge.grantType, badge: "bdg_1" }, from());
    const device = await aDevice(server, client, {}, from());
    const code = await codeOf(server, client, owner);
    const tokens = await tokensOf(server, client, owner);
    const sealed = await tokensOf(server, client, owner, { ask: { scope: "sealed" } });
    const callback = await authorize(owner.agent, authorizeUrl(server, client, { response_type: "token" }), "");
    const artefacts: Record<string, string> = {
      code,
      "refresh token": tokens.refresh,
      JWT: tokens.access,
      "sealed token": sealed.access,
      "implicit token": new URLSearchParams(callback.hash.slice(1)).get("access_token") ?? "",
      "client secret": client.secret,
      badge: "bdg_1",
      "token by badge": byBadge.body.access_token ?? "",
      "device code": device.deviceCode,
      "user code": device.userCode,
      JWT_bearer: jwtOf(idp, claimsFor(server, idp, owner.person.username)),
      SAML_bearer: encoded(signed(assertionXml(server, saml, owner.person.username), saml)),
      session: owner.agent.cookies.get("session") ?? [...owner.agent.cookies.values()].join(),
    };
    const redirect_uri = "https://app.test/cb";
    const places: Record<string, (value: string) => Record<string, string>> = {
      code: (value) => ({ grant_type: "authorization_code", code: value, redirect_uri }),
      "refresh token": (value) => ({ grant_type: "refresh_token", refresh_token: value }),
      "device code": (value) => ({ grant_type: `${URN}device_code`, device_code: value }),
      JWT_bearer: (value) => ({ grant_type: `${URN}jwt-bearer`, assertion: value }),
      SAML_bearer: (value) => ({ grant_type: `${URN}saml2-bearer`, assertion: value }),
      badge: (value) => ({ grant_type: badge.grantType, badge: value }),
      password: (value) => ({
        grant_type: "password",
        username: owner.person.username,
        password: value,
        scope: "read",
      }),
    };
    for (const [what, value] of Object.entries(artefacts)) {
      expect(value, what).not.toBe("");
      // Wrong passwords are counted by address, so each case has its own.
      address = `198.51.100.${100 + next++}`;
      for (const [where, fields] of Object.entries(places)) {
        if (what === where) continue;
        const { status, body } = await postForm(server, "/token", client, fields(value), from());
        // A SAML assertion may be longer than the maximum length of a code.
        const error = value.length > 2048 && !where.endsWith("_bearer") ? "invalid_request" : "invalid_grant";
        expect([what, where, status, body.error]).toEqual([what, where, 400, error]);
      }
    }
    const asBearerOfTheClient = { authorization: `Bearer ${tokens.access}` };
    const own = { grant_type: "client_credentials" };
    expect((await postForm(server, "/token", null, own, asBearerOfTheClient)).status).toBe(401);
    expect((await redeem(server, client, code)).status).toBe(200);
    expect((await refresh(server, client, tokens.refresh)).status).toBe(200);
    // Afterwards, each credential still works at its own grant type.
    expect((await poll(server, client, device.deviceCode)).body.error).toBe("authorization_pending");
    for (const bearer of ["JWT_bearer", "SAML_bearer", "badge"]) {
      const fields = { ...places[bearer]?.(artefacts[bearer] ?? ""), scope: "read" };
      expect([bearer, (await postForm(server, "/token", client, fields, from())).status]).toEqual([bearer, 200]);
    }
  });
});

describe("the answer of every grant", () => {
  test("TE-21 JSON that nobody keeps, these members and no others, a whole number of seconds", async () => {
    const client = await server.addClient({ grantTypes: GRANTS, ownScopes: ["read"] });
    const owner = await anOwner(server);
    const byCode = await redeem(server, client, await codeOf(server, client, owner));
    const answers = {
      code: byCode,
      refresh: await refresh(server, client, byCode.body.refresh_token),
      client: await postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" }),
      password: await byPassword(client),
    };
    for (const [grant, { status, headers, body }] of Object.entries(answers)) {
      expect([grant, status]).toEqual([grant, 200]);
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect([headers.get("cache-control"), headers.get("pragma")]).toEqual(["no-store", "no-cache"]);
      const { refresh_token, ...rest } = body;
      expect([grant, refresh_token !== undefined]).toEqual([grant, grant === "code" || grant === "refresh"]);
      expect(rest).toEqual({ access_token: expect.any(String), token_type: "Bearer", expires_in: 600, scope: "read" });
    }
  });
});
