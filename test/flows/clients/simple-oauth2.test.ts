/** simple-oauth2: a client without discovery or PKCE of its own, against a running server. */

import { AuthorizationCode } from "simple-oauth2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, pkce } from "../../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const REDIRECT_URI = "https://app.test/cb";

let server: TestServer;
let registered: TestClient;

beforeAll(async () => {
  server = await startServer();
  registered = await server.addClient();
});
afterAll(() => server.stop());

function appOf(authorizationMethod: "header" | "body", secret = registered.secret): AuthorizationCode {
  return new AuthorizationCode({
    client: { id: registered.clientId, secret },
    auth: { tokenHost: server.issuer, tokenPath: "/token", authorizePath: "/authorize", revokePath: "/revoke" },
    options: { authorizationMethod },
  });
}

async function callbackOf(app: AuthorizationCode, more: Record<string, string> = {}): Promise<URL> {
  const url = app.authorizeURL({ redirect_uri: REDIRECT_URI, scope: "read write", state: "3(#0/!~", ...more });
  return authorize(new Agent(server.issuer), url, (await server.addPerson()).username);
}

const codeOf = (callback: URL) => ({ code: callback.searchParams.get("code") ?? "", redirect_uri: REDIRECT_URI });
const refusal = (error: string, status: number) => ({ data: { payload: { error } }, output: { statusCode: status } });

test("a wrong secret, in header or body → invalid_client", async () => {
  const form = codeOf(await callbackOf(appOf("header")));
  for (const method of ["header", "body"] as const)
    await expect(appOf(method, "cs_wrong").getToken(form)).rejects.toMatchObject(refusal("invalid_client", 401));
  expect((await appOf("header").getToken(form)).token.scope).toBe("read write");
});

test("a code twice → invalid_grant, and what it gave ends", async () => {
  const app = appOf("header");
  const form = codeOf(await callbackOf(app));
  const first = await app.getToken(form);
  await expect(app.getToken(form)).rejects.toMatchObject(refusal("invalid_grant", 400));
  await expect(first.refresh()).rejects.toMatchObject(refusal("invalid_grant", 400));
});

test("a challenge that its request carries, and no verifier → invalid_grant", async () => {
  const app = appOf("header");
  const proof = { code_challenge: pkce().challenge, code_challenge_method: "S256" };
  await expect(app.getToken(codeOf(await callbackOf(app, proof)))).rejects.toMatchObject(refusal("invalid_grant", 400));
});

describe.each(["header", "body"] as const)("the secret in the %s", (method) => {
  test("code with PKCE, refresh, revocation → each as it should be; state comes back byte for byte", async () => {
    const app = appOf(method);
    const { challenge, verifier } = pkce();
    const callback = await callbackOf(app, { code_challenge: challenge, code_challenge_method: "S256" });
    expect(callback.searchParams.get("state")).toBe("3(#0/!~");
    const tokens = await app.getToken({ ...codeOf(callback), code_verifier: verifier });
    expect(tokens.token).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "read write" });
    expect([tokens.expired(), tokens.expired(601)]).toEqual([false, true]);

    const narrower = await tokens.refresh({ scope: "read" });
    expect(narrower.token.scope).toBe("read");
    expect(narrower.token.refresh_token).toBe(tokens.token.refresh_token);

    await narrower.revoke("refresh_token");
    await expect(tokens.refresh()).rejects.toMatchObject(refusal("invalid_grant", 400));
  });

  test("revokeAll, which begins with the access token → unsupported_token_type, and nothing is revoked", async () => {
    const app = appOf(method);
    const tokens = await app.getToken(codeOf(await callbackOf(app)));
    await expect(tokens.revokeAll()).rejects.toMatchObject(refusal("unsupported_token_type", 400));
    expect((await tokens.refresh()).token.token_type).toBe("Bearer");
  });
});
