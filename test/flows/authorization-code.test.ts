/** The authorization code flow over real HTTP (RFC 6749 §4.1). */

import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

describe("a confidential client", () => {
  test("sign-in, consent, code, tokens, refresh → all as the RFC says", async () => {
    const person = await server.addPerson();
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), person.username);
    expect(callback.origin + callback.pathname).toBe("https://app.test/cb");
    expect(callback.searchParams.get("state")).toBe("a state");
    expect(callback.searchParams.get("iss")).toBe(server.issuer);

    const answer = await redeem(server, client, callback);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      refresh_token: expect.stringMatching(/^rt_/),
      scope: "read",
    });
    expect(decodeProtectedHeader(answer.body.access_token ?? "")).toEqual({
      alg: "ES256",
      typ: "at+jwt",
      kid: expect.any(String),
    });
    expect(decodeJwt(answer.body.access_token ?? "")).toMatchObject({
      iss: server.issuer,
      aud: "https://api.test",
      sub: person.personId,
      client_id: client.clientId,
      scope: "read",
      amr: ["pwd"],
    });

    const refreshed = await refresh(server, client, answer.body.refresh_token);
    expect(refreshed.status, JSON.stringify(refreshed.body)).toBe(200);
    expect(refreshed.body.refresh_token).toBe(answer.body.refresh_token);
  });
});
