/** openid-client, as plain OAuth 2.0 (discovery by RFC 8414), against a running server. */

import * as client from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const REDIRECT_URI = "https://app.test/cb";

let server: TestServer;
let confidential: TestClient;
let config: client.Configuration;

beforeAll(async () => {
  server = await startServer();
  confidential = await server.addClient();
  config = await discovered(confidential);
});
afterAll(() => server.stop());

function discovered({ clientId, secret }: TestClient): Promise<client.Configuration> {
  const auth = secret === "" ? client.None() : client.ClientSecretBasic(secret);
  return client.discovery(new URL(server.issuer), clientId, {}, auth, {
    algorithm: "oauth2",
    execute: [client.allowInsecureRequests],
  });
}

/** The steps of an app. Returns the unchecked callback, and the values to check it with. */
async function callbackOf(configuration: client.Configuration, answer: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: "read write",
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
  });
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), url.href, username, answer);
  return { callback, checks: { pkceCodeVerifier, expectedState } };
}

test("discovery → the server's own metadata, PKCE and iss included", () => {
  expect(config.serverMetadata()).toMatchObject({
    issuer: server.issuer,
    token_endpoint: `${server.issuer}/token`,
    authorization_response_iss_parameter_supported: true,
  });
  expect(config.serverMetadata().supportsPKCE("S256")).toBe(true);
});

test.each([
  ["another state", (url: URL) => url.searchParams.set("state", "of-somebody-else")],
  ["no state", (url: URL) => url.searchParams.delete("state")],
  ["another iss", (url: URL) => url.searchParams.set("iss", "https://other.test")],
  ["no iss", (url: URL) => url.searchParams.delete("iss")],
])("a callback with %s → refused, and the code is still good", async (_, spoil) => {
  const { callback, checks } = await callbackOf(config);
  const spoilt = new URL(callback);
  spoil(spoilt);
  await expect(client.authorizationCodeGrant(config, spoilt, checks)).rejects.toMatchObject({
    code: "OAUTH_INVALID_RESPONSE",
  });
  expect((await client.authorizationCodeGrant(config, callback, checks)).token_type).toBe("bearer");
});

test("another verifier → invalid_grant", async () => {
  const { callback, checks } = await callbackOf(config);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  await expect(client.authorizationCodeGrant(config, callback, { ...checks, pkceCodeVerifier })).rejects.toMatchObject({
    error: "invalid_grant",
    status: 400,
  });
});

test("the owner says no → access_denied", async () => {
  const { callback, checks } = await callbackOf(config, { decision: "deny" });
  await expect(client.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
    error: "access_denied",
  });
});

test("a wrong secret → 401 with a challenge", async () => {
  const wrong = await discovered({ ...confidential, secret: "cs_wrong" });
  const { callback, checks } = await callbackOf(wrong);
  await expect(client.authorizationCodeGrant(wrong, callback, checks)).rejects.toMatchObject({
    code: "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
    status: 401,
  });
});

describe("the whole story", () => {
  test("confidential: code, refresh, introspection, revocation → each as it should be", async () => {
    const { callback, checks } = await callbackOf(config);
    const tokens = await client.authorizationCodeGrant(config, callback, checks);
    expect(tokens.expiresIn()).toBeGreaterThan(590);
    expect(tokens.scope).toBe("read write");
    const narrower = await client.refreshTokenGrant(config, tokens.refresh_token ?? "", { scope: "read" });
    expect(narrower.scope).toBe("read");
    expect(await client.tokenIntrospection(config, narrower.access_token)).toMatchObject({
      active: true,
      scope: "read",
    });
    await client.tokenRevocation(config, tokens.refresh_token ?? "");
    expect(await client.tokenIntrospection(config, tokens.refresh_token ?? "")).toEqual({ active: false });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("public: code, rotation, revocation → the spent token of two steps ago is theft", async () => {
    const open = await discovered(await server.addClient({ type: "public" }));
    const { callback, checks } = await callbackOf(open);
    const tokens = await client.authorizationCodeGrant(open, callback, checks);
    const second = await client.refreshTokenGrant(open, tokens.refresh_token ?? "");
    const third = await client.refreshTokenGrant(open, second.refresh_token ?? "");
    expect(new Set([tokens, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3);
    await expect(client.refreshTokenGrant(open, tokens.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
    await expect(client.refreshTokenGrant(open, third.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
    await client.tokenRevocation(open, third.refresh_token ?? "");
  });
});
