/** Sign-in with OpenID Connect: discovery, code flow, ID token, UserInfo, refresh (OpenID Connect Core §3.1). */

import { createHash } from "node:crypto";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, SigningAlg } from "../../../packages/server/src/oauth/model.ts";
import { aDevice, aDeviceClient, decide, poll } from "../../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, redeem, refresh, signIn } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const SCOPES = ["openid", "profile", "email", "read", "write"];

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await anApp();
});
afterAll(() => server.stop());

function anApp(changes: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({ scopes: SCOPES, ...changes });
}

/** The tokens of a new person who allows everything. */
async function tokensFor(of: TestClient, ask: Record<string, string> = {}, fields: Record<string, string> = {}) {
  const person = await server.addPerson({ name: "Ada Lovelace" });
  const callback = await authorize(
    new Agent(server.issuer),
    authorizeUrl(server, of, { scope: "openid", ...ask }),
    person.username,
  );
  const answer = await redeem(server, of, callback, fields);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { access_token = "", refresh_token = "", id_token } = answer.body;
  return { person, access: access_token, refreshToken: refresh_token, idToken: String(id_token), body: answer.body };
}

/** The claims of an ID token that this client's library would accept. */
async function verified(idToken: string, { clientId }: TestClient) {
  const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
  const { payload } = await jwtVerify(idToken, keys, { issuer: server.issuer, audience: clientId, typ: "JWT" });
  return payload;
}

describe("openid-client, with its usual discovery", () => {
  test("sign-in, UserInfo, refresh → each checked by the library", async () => {
    const config = await client.discovery(
      new URL(server.issuer),
      app.clientId,
      {},
      client.ClientSecretBasic(app.secret),
      { execute: [client.allowInsecureRequests] },
    );
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: "https://app.test/cb",
      scope: "openid profile email",
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
      max_age: "3600",
    });
    const person = await server.addPerson({ name: "Ada Lovelace" });
    const callback = await authorize(new Agent(server.issuer), url.href, person.username);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 3600 };
    const tokens = await client.authorizationCodeGrant(config, callback, checks);
    expect(tokens.claims()).toMatchObject({ sub: person.personId, nonce: expectedNonce });
    expect(await client.fetchUserInfo(config, tokens.access_token, person.personId)).toEqual({
      sub: person.personId,
      name: "Ada Lovelace",
      locale: "en",
      preferred_username: person.username,
      updated_at: expect.any(Number),
      email: person.email,
      email_verified: expect.any(Boolean),
    });
    const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect(again.claims()?.sub).toBe(person.personId);
  });
});

describe("the consent page", () => {
  const consentPage = async (scope: string) => {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    return agent.follow(await agent.get(authorizeUrl(server, app, { scope })));
  };

  test("openid alone → the app wants to sign the person in, without a box", async () => {
    const { text } = await consentPage("openid");
    expect(text).toContain("wants to sign you in");
    expect(text).not.toContain('type="checkbox"');
  });

  test("openid and more → a row with a box for each", async () => {
    const { text } = await consentPage("openid email read");
    expect(text).toContain("access to your account");
    expect(text.match(/name="scope"/g)).toHaveLength(3);
    expect(text.indexOf("Sign you in")).toBeLessThan(text.indexOf("See your e-mail address"));
  });
});

describe("the ID token", () => {
  test("code redeemed → signed RS256, for the client alone, with the sign-in's time and method", async () => {
    const { person, idToken, access, body } = await tokensFor(app, { nonce: "n1" });
    expect(decodeProtectedHeader(idToken)).toEqual({ alg: "RS256", typ: "JWT", kid: expect.any(String) });
    const half = createHash("sha256").update(access).digest().subarray(0, 16).toString("base64url");
    expect(await verified(idToken, app)).toEqual({
      iss: server.issuer,
      sub: person.personId,
      aud: app.clientId,
      azp: app.clientId,
      iat: expect.any(Number),
      exp: expect.any(Number),
      auth_time: expect.any(Number),
      nonce: "n1",
      acr: "1fa",
      amr: ["pwd"],
      sid: expect.stringMatching(/^[\w-]{22}$/),
      at_hash: half,
    });
    expect(body.scope).toBe("openid");
  });

  test.each<[SigningAlg, string]>([
    ["ES256", "sha256"],
    ["ES384", "sha384"],
    ["EdDSA", "sha512"],
    ["PS256", "sha256"],
  ])("OI-07 the client registered %s → signed with it, at_hash is half of %s", async (idTokenAlg, hash) => {
    const registered = await anApp({ idTokenAlg });
    const { idToken, access } = await tokensFor(registered);
    expect(decodeProtectedHeader(idToken).alg).toBe(idTokenAlg);
    const digest = createHash(hash).update(access).digest();
    const half = digest.subarray(0, digest.length / 2).toString("base64url");
    expect((await verified(idToken, registered))["at_hash"]).toBe(half);
  });

  test("the scope openid is not asked for → no ID token", async () => {
    const { body } = await tokensFor(app, { scope: "read" });
    expect(body).not.toHaveProperty("id_token");
  });

  test("a device is connected → its token response has an ID token", async () => {
    const tv = await aDeviceClient(server, { scopes: SCOPES });
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "openid" });
    const person = await server.addPerson();
    await decide(new Agent(server.issuer), userCode, person.username);
    const { body } = await poll(server, tv, deviceCode);
    expect((await verified(String(body["id_token"]), tv)).sub).toBe(person.personId);
  });

  test("OI-28 refreshed → same iss, sub, aud and auth_time, no nonce; without openid no ID token", async () => {
    const { idToken, refreshToken } = await tokensFor(app, { scope: "openid read", nonce: "n1" });
    const first = decodeJwt(idToken);
    server.tick(3_600_000);
    const again = await refresh(server, app, refreshToken);
    const second = decodeJwt(String(again.body["id_token"]));
    for (const name of ["iss", "sub", "aud", "auth_time"]) expect(second[name]).toEqual(first[name]);
    expect(second).not.toHaveProperty("nonce");
    const narrowed = await refresh(server, app, again.body.refresh_token, { scope: "read" });
    expect(narrowed.status).toBe(200);
    expect(narrowed.body).not.toHaveProperty("id_token");
  });
});

describe("the audience of the access token", () => {
  const audience = (token: string) => decodeJwt(token).aud;

  test("OI-26 openid and an API → the API and UserInfo; the ID token is for the client alone", async () => {
    const { access, idToken } = await tokensFor(app, { scope: "openid read" });
    expect(audience(access)).toEqual(["https://api.test", `${server.issuer}/userinfo`]);
    expect(audience(idToken)).toBe(app.clientId);
  });

  test("openid alone, or resource names UserInfo → UserInfo alone", async () => {
    expect(audience((await tokensFor(app)).access)).toBe(`${server.issuer}/userinfo`);
    const { access, body } = await tokensFor(
      app,
      { scope: "openid profile read" },
      { resource: `${server.issuer}/userinfo` },
    );
    expect(audience(access)).toBe(`${server.issuer}/userinfo`);
    expect(body.scope).toBe("openid profile");
  });

  test("the API opted out → the API alone, and UserInfo refuses the token", async () => {
    await server.addResource({ identifier: "https://closed.test", userInfo: false });
    await server.addScope({ name: "closed", resource: "https://closed.test" });
    const { access } = await tokensFor(await anApp({ scopes: ["openid", "closed"] }), { scope: "openid closed" });
    expect(audience(access)).toBe("https://closed.test");
    const answer = await fetch(`${server.issuer}/userinfo`, { headers: { authorization: `Bearer ${access}` } });
    expect(answer.status).toBe(401);
  });
});

describe("metadata", () => {
  test("a new server's document, then its keys → the key of the first ID token is among them", async () => {
    const fresh = await startServer();
    try {
      const document = await (await fetch(`${fresh.issuer}/.well-known/openid-configuration`)).json();
      const { keys } = await (await fetch(document.jwks_uri)).json();
      const aClient = await fresh.addClient({ scopes: SCOPES });
      const person = await fresh.addPerson();
      const asked = authorizeUrl(fresh, aClient, { scope: "openid" });
      const callback = await authorize(new Agent(fresh.issuer), asked, person.username);
      const { body } = await redeem(fresh, aClient, callback);
      const { kid } = decodeProtectedHeader(String(body["id_token"]));
      expect(keys).toContainEqual(expect.objectContaining({ kid, alg: "RS256" }));
    } finally {
      await fresh.stop();
    }
  });

  test("both documents → the same, with what OpenID Connect adds", async () => {
    const [openId, oauth] = await Promise.all(
      ["openid-configuration", "oauth-authorization-server"].map(async (name) =>
        (await fetch(`${server.issuer}/.well-known/${name}`)).json(),
      ),
    );
    expect(openId).toEqual(oauth);
    expect(openId).toMatchObject({
      userinfo_endpoint: `${server.issuer}/userinfo`,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "ES256", "ES384", "EdDSA", "PS256"],
      request_uri_parameter_supported: false,
      scopes_supported: expect.arrayContaining(["openid", "profile", "email"]),
    });
  });
});
