/** A client authenticates only by the method that it is registered for (RFC 6749 §2.3; RFC 7523 §3). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basic, expectRefusal, post } from "../support/back-channel.ts";
import {
  aKeyPair,
  aSigningClient,
  type Claims,
  claimsOf,
  JWT_BEARER,
  jwksOf,
  type KeyPair,
  sign,
  withAssertion,
} from "../support/signing-clients.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let key: KeyPair;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  key = await aKeyPair();
  client = await aSigningClient(server, key);
});
afterAll(() => server.stop());

const claims = (changes: Claims = {}, of = client) => claimsOf(server, of, changes);
const send = (assertion: string) => withAssertion(server, assertion);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Expects the refusal, and its condition in the log. */
async function expectRefused(assertion: string, condition: string): Promise<void> {
  const before = server.log.length;
  expectRefusal(await send(assertion), "invalid_client");
  const found = server.log.slice(before).map((line) => (JSON.parse(line) as { condition?: string }).condition);
  expect(found).toContain(condition);
}

describe("the registered method and no other", () => {
  test("a client registered for a secret sends an assertion → refused", async () => {
    const withSecret = await server.addClient({
      grantTypes: ["client_credentials"],
      ownScopes: ["read"],
      jwks: jwksOf(key),
    });
    await expectRefused(await sign(key, claims({}, withSecret)), "client_method_not_registered");
    const pub = await server.addClient({ type: "public", jwks: jwksOf(key) });
    await expectRefused(await sign(key, claims({}, pub)), "client_method_not_registered");
  });

  test("CJ-28 a client that must sign sends a secret, its id alone, both with an assertion → refused", async () => {
    const both = await server.addClient({
      authMethod: "private_key_jwt",
      jwks: jwksOf(key),
      grantTypes: ["client_credentials"],
      ownScopes: ["read"],
    });
    const body = (fields: Record<string, string> = {}) =>
      `${new URLSearchParams({ grant_type: "client_credentials", ...fields })}`;
    const authorization = basic(both.clientId, both.secret);
    expectRefusal(await post(server, "/token", body(), { authorization }), "invalid_client");
    expectRefusal(
      await post(server, "/token", body({ client_id: both.clientId, client_secret: both.secret })),
      "invalid_client",
    );
    expectRefusal(await post(server, "/token", body({ client_id: both.clientId })), "invalid_client");
    const unsigned = `${part({ alg: "none" })}.${part(claims({}, both))}.`;
    const fake = { client_assertion: unsigned, client_assertion_type: JWT_BEARER };
    expectRefusal(await post(server, "/token", body(fake), { authorization }), "invalid_request");
    expectRefusal(
      await post(server, "/token", body({ client_id: both.clientId, client_secret: both.secret, ...fake })),
      "invalid_request",
    );
    expect((await send(await sign(key, claims({}, both)))).status).toBe(200);
  });

  test("CJ-24 a client without keys → refused", async () => {
    const bare = await aSigningClient(server, key, { jwks: null });
    await expectRefused(await sign(key, claims({}, bare)), "client_assertion_key_unknown");
    for (const jwks of ['{"keys":[]}', "null", "[]", "x", '{"keys":[null,1,[]]}']) {
      const broken = await aSigningClient(server, key, { jwks });
      await expectRefused(await sign(key, claims({}, broken)), "client_assertion_key_unknown");
    }
  });

  test("a disabled client → refused", async () => {
    const off = await aSigningClient(server, key, { status: "disabled" });
    await expectRefused(await sign(key, claims({}, off)), "client_disabled");
  });

  test("60 wrong signatures in a minute → 429 for that client from there; others are served", async () => {
    const flooded = await aSigningClient(server, key);
    const thief = await aKeyPair("ES256", key.jwk.kid);
    const wrong = async () => (await send(await sign(thief, claims({}, flooded)))).status;
    for (let at = 0; at < 60; at += 1) expect(await wrong()).toBe(401);
    expect(await wrong()).toBe(429);
    expect((await send(await sign(key, claims()))).status).toBe(200);
  });
});
