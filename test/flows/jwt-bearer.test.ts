/** JWTs as authorization grants (RFC 7523 §2.1). */

import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import {
  aJwtIssuer,
  claimsFor,
  claimsOf,
  expectAssertionRefused,
  JWT_BEARER,
  jwtOf,
  present,
  trust,
} from "../support/assertion-requests.ts";
import { expectRefusal, expectUnlogged } from "../support/back-channel.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let alice: Person;
const idp = aJwtIssuer("https://idp.test");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
  alice = await server.addPerson();
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks });
});
afterAll(() => server.stop());

const about = (sub: string, changes: Readonly<Record<string, unknown>> = {}) =>
  jwtOf(idp, { ...claimsFor(server, idp, sub), ...changes });
const use = (assertion: string | undefined, more: Record<string, string> = {}) =>
  present(server, client, JWT_BEARER, assertion, more);

describe("the request", () => {
  test("no assertion → invalid_request", async () => {
    expectRefusal(await use(undefined), "invalid_request");
  });

  test("no client, or a confidential one without its secret → invalid_client", async () => {
    const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion: about(alice.username) });
    const answer = await fetch(`${server.issuer}/token`, { method: "POST", body });
    expect(answer.status).toBe(401);
    expectRefusal(
      await present(server, { ...client, type: "public" }, JWT_BEARER, about(alice.username)),
      "invalid_client",
    );
  });

  test("a client that isn't registered for it → unauthorized_client", async () => {
    expectRefusal(
      await present(server, await server.addClient(), JWT_BEARER, about(alice.username)),
      "unauthorized_client",
    );
  });

  test("a scope that the client may not ask for → invalid_scope, and the assertion is unspent", async () => {
    const assertion = about(alice.username);
    expectRefusal(await use(assertion, { scope: "read no-such-scope" }), "invalid_scope");
    expect((await use(assertion)).status).toBe(200);
  });

  test("an unknown resource → invalid_target", async () => {
    expectRefusal(await use(about(alice.username), { resource: "https://unknown.test" }), "invalid_target");
  });
});

describe("JB-01 a JWT that is right in all", () => {
  test("→ an access token for its subject, no refresh token, no longer than the JWT", async () => {
    const assertion = about(alice.username, { exp: Math.floor(server.now() / 1000) + 100 });
    const { status, body } = await use(assertion);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "scope", "token_type"]);
    expect(body.expires_in).toBeGreaterThan(90);
    expect(body.expires_in).toBeLessThanOrEqual(100);
    expect(claimsOf(body.access_token)).toMatchObject({
      sub: alice.personId,
      client_id: client.clientId,
      scope: "read",
    });
    expectUnlogged(server, assertion, body.access_token ?? "-");
  });

  test("one that lives longer than an access token → the server's own lifetime", async () => {
    const { body } = await use(about(alice.username, { exp: Math.floor(server.now() / 1000) + 3000 }));
    expect(body.expires_in).toBe(600);
  });

  test("one that is about to end, or is over by our clock alone → a token of two seconds, over before the assertion is by any clock", async () => {
    onTestFinished(server.stand());
    for (const left of [1, 0, -10, -27]) {
      const exp = Math.floor(server.now() / 1000) + left;
      const { status, body } = await use(about(alice.username, { exp }));
      expect([status, [1, 2].includes(body.expires_in ?? 0)], String(left)).toEqual([200, true]);
      expect(Number(claimsOf(body.access_token)["exp"])).toBeLessThanOrEqual(exp + 30);
    }
  });

  test("times with fractions of a second, finer than ours (RFC 7519 §2) → accepted, and cut", async () => {
    const now = server.now() / 1000;
    const ends = [now + 100.123_456_7, now + 2000.987_654_3].map((exp) => ({ exp }));
    for (const times of [...ends, { iat: now - 5.123_456_7 }, { nbf: now - 5.1234 }, { auth_time: now - 10.1234 }]) {
      const { status, body } = await use(about(alice.username, times));
      expect(status, JSON.stringify([times, body])).toBe(200);
    }
  });

  test("who says when the person signed in is believed; who doesn't → no auth_time, and never an amr (RFC 9068 §2.2.1)", async () => {
    const at = Math.floor(server.now() / 1000) - 3600;
    expect(claimsOf((await use(about(alice.username, { auth_time: at }))).body.access_token)["auth_time"]).toBe(at);
    const claims = claimsOf((await use(about(alice.username))).body.access_token);
    expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(["auth_time"]));
    expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(["amr"]));
  });

  test("a refresh of what came of it → there is no token to refresh", async () => {
    const { body } = await use(about(alice.username));
    expect(body.refresh_token).toBeUndefined();
  });

  test("a public client, registered for it → identified, and served", async () => {
    const app = await server.addClient({ type: "public", grantTypes: [JWT_BEARER], redirectUris: [] });
    expect((await present(server, app, JWT_BEARER, about(alice.username))).status).toBe(200);
  });

  test("the audience on the record, alone or beside the issuer, types that fit → accepted", async () => {
    const named = aJwtIssuer("https://named.test");
    await trust(server, { issuer: named.issuer, type: "jwt", jwks: named.jwks, audience: "urn:example:photos" });
    const by = (changes: object, header?: Record<string, unknown>) =>
      use(jwtOf(named, { ...claimsFor(server, named, alice.username), ...changes }, header));
    expect((await by({ aud: ["urn:example:photos", server.issuer] })).status).toBe(200);
    expect((await by({ aud: "urn:example:photos" })).status).toBe(200);
    expect((await by({}, { alg: "ES256" })).status).toBe(200);
    expect((await by({}, { alg: "ES256", typ: "authorization-grant+jwt" })).status).toBe(200);
  });

  test.each([
    ["RS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["PS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["EdDSA", () => generateKeyPairSync("ed25519")],
    ["ES384", () => generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ])("signed by another library with %s → accepted", async (alg, make) => {
    const pair = make();
    const issuer = `https://${alg.toLowerCase()}.test`;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: "a" };
    await trust(server, { issuer, type: "jwt", jwks: JSON.stringify({ keys: [jwk] }) });
    const assertion = await new SignJWT(claimsFor(server, { issuer }, alice.username))
      .setProtectedHeader({ alg, kid: "a" })
      .sign(pair.privateKey);
    expect((await use(assertion)).status).toBe(200);
  });
});

describe("owners", () => {
  test("made by the first assertion where the issuer may, with the address that it gives", async () => {
    const maker = aJwtIssuer("https://maker.test");
    await trust(server, { issuer: maker.issuer, type: "jwt", jwks: maker.jwks, createOwners: true });
    const by = (sub: string, changes = {}) => use(jwtOf(maker, { ...claimsFor(server, maker, sub), ...changes }));
    const first = await by("Quentin", { email: "q@new.test" });
    const second = await by("quentin");
    expect(claimsOf(first.body.access_token)["sub"]).toBe(claimsOf(second.body.access_token)["sub"]);
    expect(await server.assent.storage.people.findByName({ name: "quentin" })).toMatchObject({ email: "q@new.test" });
    await expectAssertionRefused(server, by("x@y.test"), "assertion_subject_unknown");
    await expectAssertionRefused(server, by("rosa", { email: "q@new.test" }), "assertion_subject_unknown");
  });
});

describe("consent", () => {
  test("JB-11 CN-10 taken back by the owner → refused from then on", async () => {
    const owner = await server.addPerson();
    expect((await use(about(owner.username))).status).toBe(200);
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: owner.personId, now: server.now() });
    await expectAssertionRefused(server, use(about(owner.username)), "assertion_consent_revoked");
  });

  test("one scope taken back → the next assertion yields the others; that scope alone → refused", async () => {
    const owner = await server.addPerson();
    const both = { scope: "read write" };
    expect((await use(about(owner.username), both)).body.scope).toBe("read write");
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    await server.assent.storage.consents.narrow({ ...key, remove: ["write"], by: owner.personId, now: server.now() });
    expect((await use(about(owner.username), both)).body.scope).toBe("read");
    await expectAssertionRefused(server, use(about(owner.username), { scope: "write" }), "assertion_consent_revoked");
  });
});
