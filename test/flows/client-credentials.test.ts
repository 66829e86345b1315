/** The client credentials grant (RFC 6749 §4.4; RFC 9068 §2.2; RFC 8707 §2). */

import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf, createClient } from "../../packages/server/src/admin/index.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretsOf } from "../../packages/server/src/data-dir.ts";
import { basic, changeClient, expectRefusal, logged, post } from "../support/back-channel.ts";
import { aKeyPair, aSigningClient } from "../support/signing-clients.ts";
import { API, settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  await server.addResource({ identifier: "https://other.test", tokenLifetime: 120 });
  await server.addScope({ name: "stats", description: "See figures", resource: "https://other.test" });
  client = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read", "write"], scopes: [] });
});
afterAll(() => server.stop());

const tokens = (fields: Record<string, string> = {}, by = client) =>
  post(server, "/token", `${new URLSearchParams({ grant_type: "client_credentials", ...fields })}`, {
    authorization: basic(by.clientId, by.secret),
  });

describe("refused", () => {
  test("GR-11 a public client, whatever grant types it has → unauthorized_client", async () => {
    const pub = await server.addClient({ type: "public", grantTypes: ["client_credentials"], ownScopes: ["read"] });
    const body = `grant_type=client_credentials&client_id=${pub.clientId}`;
    expectRefusal(await post(server, "/token", body), "unauthorized_client");
    expect(logged(server, "grant_needs_confidential_client")).toBe(1);
  });

  test("GR-11 a public client registers for the grant type → refused", async () => {
    const admin = adminOf(server.assent.storage, server.issuer);
    const metadata = { client_name: "Robot", grant_types: ["client_credentials"] };
    await expect(createClient({ type: "public", metadata }, admin)).rejects.toThrow(
      /only clients that authenticate can use client_credentials/,
    );
  });

  test("a client without the grant type → unauthorized_client", async () => {
    const other = await server.addClient({ ownScopes: ["read"] });
    expectRefusal(await tokens({}, other), "unauthorized_client");
  });

  test("a wrong secret → invalid_client, before any other check", async () => {
    expectRefusal(await tokens({ scope: "nonsense" }, { ...client, secret: "wrong" }), "invalid_client");
  });

  test.each(["profile", "offline_access", "openid", "read profile", "stats", "unknown", "READ"])(
    "GR-12 scope %j, which the client doesn't hold → invalid_scope",
    async (scope) => expectRefusal(await tokens({ scope }), "invalid_scope"),
  );

  test("GR-12 a scope that it may ask of owners, but doesn't hold itself → invalid_scope", async () => {
    const asking = await server.addClient({
      grantTypes: ["client_credentials"],
      ownScopes: ["read"],
      scopes: ["write"],
    });
    expectRefusal(await tokens({ scope: "write" }, asking), "invalid_scope");
  });

  test.each(['"read"', "re\\ad", "read\twrite", "réad", "read  write", " read"])(
    "TE-18 scope %j → invalid_scope",
    async (scope) => expectRefusal(await tokens({ scope }), "invalid_scope"),
  );

  test("a client without scopes of its own → invalid_scope", async () => {
    const poor = await server.addClient({ grantTypes: ["client_credentials"] });
    expectRefusal(await tokens({}, poor), "invalid_scope");
  });

  test("scopes of two APIs, no resource named → invalid_target", async () => {
    const both = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read", "stats"] });
    expectRefusal(await tokens({}, both), "invalid_target");
    expectRefusal(await tokens({ scope: "read stats" }, both), "invalid_target");
    expectRefusal(await tokens({ scope: "read stats", resource: "https://api.test" }, both), "invalid_target");
  });

  test("a resource that is unknown, or of whose scopes the client has none → invalid_target", async () => {
    for (const resource of ["https://unknown.test", "https://other.test", "https://api.test/", server.issuer]) {
      expectRefusal(await tokens({ resource }), "invalid_target");
    }
  });
});

describe("granted", () => {
  test("GR-13 no scope parameter → all of the client's own scopes, named in the answer; no refresh token", async () => {
    const { status, headers, body } = await tokens();
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      scope: "read write",
    });
  });

  test("GR-14 the token → sub is the client, no claim names a person", async () => {
    const { body } = await tokens({ scope: "read" });
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
    const { payload, protectedHeader } = await jwtVerify(body.access_token ?? "", keys, {
      issuer: server.issuer,
      audience: "https://api.test",
      typ: "at+jwt",
    });
    expect(protectedHeader.alg).toBe("ES256");
    expect(Object.keys(payload).sort()).toEqual(["aud", "client_id", "exp", "iat", "iss", "jti", "scope", "sub"]);
    expect(payload).toMatchObject({ sub: client.clientId, client_id: client.clientId, scope: "read" });
  });

  test("GR-14 a client's id → never has the form of an owner's id", async () => {
    const admin = adminOf(server.assent.storage, server.issuer);
    const { client: made } = await createClient(
      { type: "confidential", metadata: { client_name: "R", redirect_uris: ["https://r.test/"] } },
      admin,
    );
    const { personId } = await server.addPerson();
    const partition = (id: string) => Buffer.from(id, "base64url").readUInt16BE(0);
    expect(partition(personId)).toBeLessThan(1024);
    expect(partition(made.clientId)).toBeGreaterThanOrEqual(1024);
  });

  test("scopes of two APIs, one resource named → its scopes and its lifetime", async () => {
    const both = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read", "stats"] });
    const { status, body } = await tokens({ resource: "https://other.test" }, both);
    expect([status, body.scope, body.expires_in]).toEqual([200, "stats", 120]);
    expect((await tokens({ resource: "https://api.test", scope: "read" }, both)).body.scope).toBe("read");
  });

  test("a scope that was deleted → no longer in the answer", async () => {
    await server.addScope({ name: "brief", description: "Soon gone", resource: "https://api.test" });
    const holder = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read", "brief"] });
    expect((await tokens({}, holder)).body.scope).toBe("read brief");
    await server.assent.storage.scopes.delete({ name: "brief", now: server.now() });
    await settle();
    expect((await tokens({}, holder)).body.scope).toBe("read");
  });

  test("a disabled client → invalid_client", async () => {
    const brief = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
    expect((await tokens({}, brief)).status).toBe(200);
    await changeClient(server, brief, { status: "disabled" });
    expectRefusal(await tokens({}, brief), "invalid_client");
  });

  test("introspection by the API and by the client itself → active; by others → inactive", async () => {
    const { body } = await tokens({ scope: "read" });
    const form = `${new URLSearchParams({ token: body.access_token ?? "" })}`;
    const ask = async (id: string, secret: string) =>
      (await post(server, "/introspect", form, { authorization: basic(id, secret) })).body;
    expect(await ask(API.id, API.secret)).toMatchObject({ active: true, sub: client.clientId, scope: "read" });
    expect(await ask(client.clientId, client.secret)).toMatchObject({ active: true });
    const other = await server.addClient();
    expect(await ask(other.clientId, other.secret)).toEqual({ active: false });
  });

  test("oauth4webapi by each method → tokens", async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(server.issuer);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const key = await aKeyPair();
    const signing = await aSigningClient(server, key);
    const secrets = () => new Secrets(secretsOf(server.assent.config));
    const admin = adminOf(server.assent.storage, server.issuer, server.now, secrets);
    const sealed = await createClient(
      {
        type: "confidential",
        ownScopes: ["read"],
        metadata: {
          client_name: "Robot",
          grant_types: ["client_credentials"],
          token_endpoint_auth_method: "client_secret_jwt",
        },
      },
      admin,
    );
    await settle();
    const kinds = [
      { id: client.clientId, by: oauth.ClientSecretPost(client.secret) },
      { id: sealed.client.clientId, by: oauth.ClientSecretJwt(sealed.secret ?? "") },
      { id: client.clientId, by: oauth.ClientSecretBasic(client.secret) },
      { id: signing.clientId, by: oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid ?? "" }) },
    ];
    for (const { id, by } of kinds) {
      const parameters = new URLSearchParams({ scope: "read" });
      const response = await oauth.clientCredentialsGrantRequest(as, { client_id: id }, by, parameters, insecure);
      const result = await oauth.processClientCredentialsResponse(as, { client_id: id }, response);
      expect(result.scope).toBe("read");
    }
  });
});
