/** oauth4webapi, the low-level client of RFCs 6749, 7009, 7636, 7662, 8414, 9207, against a running server. */

import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const REDIRECT_URI = "https://app.test/cb";
const insecure = { [oauth.allowInsecureRequests]: true } as const;

let server: TestServer;
let as: oauth.AuthorizationServer;
let confidential: TestClient;
let open: TestClient;

beforeAll(async () => {
  server = await startServer();
  confidential = await server.addClient();
  open = await server.addClient({ type: "public" });
  const issuer = new URL(server.issuer);
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
});
afterAll(() => server.stop());

interface Side {
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
}

function sideOf({ clientId, secret }: TestClient): Side {
  return { client: { client_id: clientId }, auth: secret === "" ? oauth.None() : oauth.ClientSecretBasic(secret) };
}

/** The steps of an app: the link, the owner's answer, the check of the callback. */
async function callbackOf({ client }: Side) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "read write",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  }).toString();
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), url.href, username);
  return { callback, state, verifier };
}

async function tokensOf(side: Side): Promise<oauth.TokenEndpointResponse> {
  const { callback, state, verifier } = await callbackOf(side);
  const parameters = oauth.validateAuthResponse(as, side.client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    side.client,
    side.auth,
    parameters,
    REDIRECT_URI,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(as, side.client, response);
}

async function refreshed(side: Side, token: string): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(as, side.client, side.auth, token, insecure);
  return oauth.processRefreshTokenResponse(as, side.client, response);
}

const isRefused = (error: string) => expect.objectContaining({ error, status: error === "invalid_client" ? 401 : 400 });

test("metadata of another issuer → refused", async () => {
  const response = await oauth.discoveryRequest(new URL(server.issuer), { algorithm: "oauth2", ...insecure });
  await expect(oauth.processDiscoveryResponse(new URL("https://other.test"), response)).rejects.toThrow(/issuer/);
});

test.each([
  ["another state", (url: URL) => url.searchParams.set("state", "of-somebody-else")],
  ["no state", (url: URL) => url.searchParams.delete("state")],
  ["another iss (RFC 9207)", (url: URL) => url.searchParams.set("iss", "https://other.test")],
  ["no iss", (url: URL) => url.searchParams.delete("iss")],
])("a callback with %s → refused before anything is sent", async (_, spoil) => {
  const side = sideOf(confidential);
  const { callback, state } = await callbackOf(side);
  expect(oauth.validateAuthResponse(as, side.client, callback, state).get("code")).toMatch(/^ac_/);
  spoil(callback);
  expect(() => oauth.validateAuthResponse(as, side.client, callback, state)).toThrow(/state|iss/);
});

test("the owner says no → access_denied, with state and iss that pass the checks", async () => {
  const { client } = sideOf(confidential);
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? "");
  const request = {
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "read",
    state,
  };
  url.search = new URLSearchParams(request).toString();
  const { username } = await server.addPerson();
  const callback = await authorize(new Agent(server.issuer), url.href, username, { decision: "deny" });
  expect(() => oauth.validateAuthResponse(as, client, callback, state)).toThrow(
    expect.objectContaining({ error: "access_denied" }),
  );
});

test("another verifier → invalid_grant", async () => {
  const side = sideOf(open);
  const { callback, state } = await callbackOf(side);
  const parameters = oauth.validateAuthResponse(as, side.client, callback, state);
  const verifier = oauth.generateRandomCodeVerifier();
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    side.client,
    side.auth,
    parameters,
    REDIRECT_URI,
    verifier,
    insecure,
  );
  await expect(oauth.processAuthorizationCodeResponse(as, side.client, response)).rejects.toEqual(
    isRefused("invalid_grant"),
  );
});

test("a wrong secret → invalid_client, with a challenge", async () => {
  const side = { ...sideOf(confidential), auth: oauth.ClientSecretBasic("cs_wrong") };
  await expect(tokensOf(side)).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
  const posted = { ...side, auth: oauth.ClientSecretPost("cs_wrong") };
  await expect(tokensOf(posted)).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
});

describe("a confidential client", () => {
  test.each([
    ["client_secret_basic", oauth.ClientSecretBasic],
    ["client_secret_post", oauth.ClientSecretPost],
  ])("code, refresh, introspection, revocation by %s → as the RFCs say", async (_, method) => {
    const side = { ...sideOf(confidential), auth: method(confidential.secret) };
    const tokens = await tokensOf(side);
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 600, scope: "read write" });

    const introspected = async (token: string) =>
      oauth.processIntrospectionResponse(
        as,
        side.client,
        await oauth.introspectionRequest(as, side.client, side.auth, token, insecure),
      );
    expect(await introspected(tokens.access_token)).toMatchObject({
      active: true,
      client_id: confidential.clientId,
      scope: "read write",
    });
    expect(await introspected(tokens.refresh_token ?? "")).toMatchObject({ active: true });
    expect(await introspected("rt_unknown")).toEqual({ active: false });

    const again = await refreshed(side, tokens.refresh_token ?? "");
    expect(again.access_token).not.toBe(tokens.access_token);

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, side.client, side.auth, again.refresh_token ?? "", insecure),
    );
    expect(await introspected(tokens.refresh_token ?? "")).toEqual({ active: false });
    await expect(refreshed(side, again.refresh_token ?? "")).rejects.toEqual(isRefused("invalid_grant"));
  });

  test("revoking an access token → unsupported_token_type: it only times out", async () => {
    const side = sideOf(confidential);
    const { access_token } = await tokensOf(side);
    const response = await oauth.revocationRequest(as, side.client, side.auth, access_token, insecure);
    await expect(oauth.processRevocationResponse(response)).rejects.toEqual(isRefused("unsupported_token_type"));
  });
});

describe("a public client", () => {
  test("code, refresh → a new refresh token each time; the old one within the window gives the same", async () => {
    const side = sideOf(open);
    const tokens = await tokensOf(side);
    const first = await refreshed(side, tokens.refresh_token ?? "");
    expect(first.refresh_token).not.toBe(tokens.refresh_token);
    expect((await refreshed(side, tokens.refresh_token ?? "")).refresh_token).toBe(first.refresh_token);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, side.client, side.auth, first.refresh_token ?? "", insecure),
    );
    await expect(refreshed(side, first.refresh_token ?? "")).rejects.toEqual(isRefused("invalid_grant"));
  });
});
