/** SAML 2.0 assertions as authorization grants (RFC 7522). */

import { randomBytes } from "node:crypto";
import { Saml20 } from "saml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { claimsOf, expectAssertionRefused, present, SAML2_BEARER, trust } from "../support/assertion-requests.ts";
import { expectRefusal, expectUnlogged } from "../support/back-channel.ts";
import {
  ALGORITHMS,
  anIdentityProvider,
  assertionXml,
  audience,
  bearer,
  conditions,
  encoded,
  type IdentityProvider,
  type SigningOptions,
  signed,
} from "../support/saml-idp.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let alice: Person;
const idp = anIdentityProvider("https://idp.test/saml");
const ecIdp = anIdentityProvider("https://ec.test/saml", "P-256");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [SAML2_BEARER], redirectUris: [] });
  alice = await server.addPerson();
  await trust(server, { issuer: ecIdp.entityId, type: "saml", certificates: [ecIdp.certificate] });
  await trust(server, { issuer: idp.entityId, type: "saml", certificates: [idp.certificate] });
});
afterAll(() => server.stop());

const about = (person: Pick<Person, "username">, by: IdentityProvider = idp) =>
  encoded(signed(assertionXml(server, by, person.username), by));
const use = (assertion: string | undefined, more: Record<string, string> = {}) =>
  present(server, client, SAML2_BEARER, assertion, more);

describe("the request", () => {
  test("no assertion → invalid_request", async () => {
    expectRefusal(await use(undefined), "invalid_request");
  });

  test("SA-33 a confidential client without its secret → invalid_client", async () => {
    const { type: _, ...rest } = client;
    expectRefusal(await present(server, { ...rest, type: "public" }, SAML2_BEARER, about(alice)), "invalid_client");
  });

  test("a client that isn't registered for it → unauthorized_client", async () => {
    const other = await server.addClient();
    expectRefusal(await present(server, other, SAML2_BEARER, about(alice)), "unauthorized_client");
  });

  test.each([
    ["SA-32 beyond the client's", "admin"],
    ["unknown", "no-such-scope"],
  ])("a scope %s → invalid_scope", async (_, scope) => {
    expectRefusal(await use(about(alice), { scope }), "invalid_scope");
  });

  test("SA-32 a scope beyond the issuer's → invalid_scope; what is within → granted", async () => {
    const narrow = anIdentityProvider("https://narrow.test");
    await trust(server, {
      issuer: narrow.entityId,
      type: "saml",
      certificates: [narrow.certificate],
      scopes: ["read"],
    });
    expectRefusal(await use(about(alice, narrow), { scope: "read write" }), "invalid_scope");
    expect((await use(about(alice, narrow), { scope: "" })).body.scope).toBe("read");
  });
});

describe("an assertion that is right in all", () => {
  test("→ an access token for its subject, without a refresh token, no longer than the assertion", async () => {
    const assertion = about(alice);
    const { status, body } = await use(assertion, { scope: "read write" });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "scope", "token_type"]);
    expect(body.expires_in).toBeLessThanOrEqual(300);
    expect(body.expires_in).toBeGreaterThan(290);
    expect(claimsOf(body.access_token)).toMatchObject({
      iss: server.issuer,
      sub: alice.personId,
      aud: "https://api.test",
      client_id: client.clientId,
      scope: "read write",
    });
    expectUnlogged(server, assertion, body.access_token ?? "-");
  });

  test("without scope and for several APIs → one must be named; named → the scopes of that one", async () => {
    expectRefusal(await use(about(alice), { scope: "" }), "invalid_target");
    const { body } = await use(about(alice), { scope: "", resource: "https://api.test" });
    expect(body.scope).toBe("read write");
  });

  test("→ a consent that the operator gave, which the owner's revocation ends for good", async () => {
    const owner = await server.addPerson();
    expect((await use(about(owner))).status).toBe(200);
    const { storage } = server.assent;
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    expect(await storage.consents.find(key)).toMatchObject({
      via: "operator policy",
      status: "active",
      expiresAt: null,
    });
    await storage.consents.revoke({ ...key, revokedBy: owner.personId, now: server.now() });
    await expectAssertionRefused(server, use(about(owner)), "assertion_consent_revoked");
  });

  test.each([
    ["rsa-sha384", idp, { signature: `${ALGORITHMS.rsa}sha384`, digest: ALGORITHMS.sha384 }],
    ["rsa-sha512", idp, { signature: `${ALGORITHMS.rsa}sha512`, digest: ALGORITHMS.sha512 }],
    ["ecdsa-sha256", ecIdp, {}],
    ["ecdsa-sha512", ecIdp, { signature: `${ALGORITHMS.ecdsa}sha512` }],
  ] satisfies [string, IdentityProvider, SigningOptions][])("signed by %s → accepted", async (_, by, how) => {
    const { status } = await use(encoded(signed(assertionXml(server, by, alice.username), by, how)));
    expect(status).toBe(200);
  });

  test("several certificates (one is on its way out) → either may have signed", async () => {
    const [old, next] = [anIdentityProvider("https://two.test"), anIdentityProvider("https://two.test")];
    await trust(server, { issuer: old.entityId, type: "saml", certificates: [old.certificate, next.certificate] });
    expect((await use(about(alice, old))).status).toBe(200);
    expect((await use(about(alice, next))).status).toBe(200);
  });

  test("the audience is the token endpoint, or the one on the record → accepted", async () => {
    await trust(server, {
      issuer: idp.entityId,
      type: "saml",
      certificates: [idp.certificate],
      audience: "urn:example:photos",
    });
    for (const name of [`${server.issuer}/token`, "urn:example:photos"]) {
      const conditionsXml = conditions(server.now() + 60_000, audience(server.issuer, name));
      const xml = assertionXml(server, idp, alice.username, { conditionsXml });
      expect((await use(encoded(signed(xml, idp)))).status, name).toBe(200);
    }
  });

  test("a session that ends sooner → so does the token", async () => {
    const at = (seconds: number) => new Date(server.now() + seconds * 1000).toISOString();
    const signedInAt = at(-100);
    const statementsXml = `<saml:AuthnStatement AuthnInstant="${signedInAt}" SessionNotOnOrAfter="${at(90)}"/>`;
    const { body } = await use(encoded(signed(assertionXml(server, idp, alice.username, { statementsXml }), idp)));
    expect(body.expires_in).toBeLessThanOrEqual(90);
    expect(claimsOf(body.access_token)["auth_time"]).toBe(Math.floor(Date.parse(signedInAt) / 1000));
    const unsaid = await use(encoded(signed(assertionXml(server, idp, alice.username), idp)));
    expect(claimsOf(unsaid.body.access_token)).not.toHaveProperty("auth_time");
  });

  test("declaration, white space between elements, other prefixes, OneTimeUse → accepted", async () => {
    const end = server.now() + 60_000;
    const xml = assertionXml(server, idp, alice.username, {
      confirmationXml: `\n  ${bearer(`${server.issuer}/token`, end)}\n`,
      conditionsXml: conditions(end, `\r\n${audience(server.issuer)}<saml:OneTimeUse/>`),
    })
      .replace(/saml:/g, "a2:")
      .replace("xmlns:saml", "xmlns:a2");
    const declared = `<?xml version="1.0" encoding="UTF-8"?>\n${signed(xml, idp)}\n`;
    expect((await use(encoded(declared))).status).toBe(200);
  });

  test("more than 16 KiB, read in a thread → accepted, its copy refused", async () => {
    const values = Array.from(
      { length: 200 },
      (_, at) => `<saml:AttributeValue>group-${at}-${"x".repeat(90)}</saml:AttributeValue>`,
    );
    const statementsXml = `<saml:AttributeStatement><saml:Attribute Name="groups">${values.join("")}</saml:Attribute></saml:AttributeStatement>`;
    const assertion = encoded(signed(assertionXml(server, idp, alice.username, { statementsXml }), idp));
    expect(assertion.length).toBeGreaterThan(30_000);
    expect((await use(assertion)).status).toBe(200);
    await expectAssertionRefused(server, use(assertion), "assertion_replayed");
  });
});

describe("owners", () => {
  const map = (changes: Parameters<typeof trust>[1]) =>
    trust(server, {
      ...changes,
      issuer: `https://${randomBytes(6).toString("hex")}.test`,
      certificates: [idp.certificate],
    });
  const from = (issuer: string, nameId: string, statementsXml = "") =>
    use(encoded(signed(assertionXml(server, { entityId: issuer }, nameId, { statementsXml }), idp)));

  test("by e-mail, in whatever case; by id", async () => {
    const byEmail = await map({ issuer: "", type: "saml", mapSubject: "email" });
    const { body } = await from(byEmail.issuer, alice.email.toUpperCase());
    expect(claimsOf(body.access_token)["sub"]).toBe(alice.personId);
    const byId = await map({ issuer: "", type: "saml", mapSubject: "id" });
    expect((await from(byId.issuer, alice.personId)).status).toBe(200);
    await expectAssertionRefused(server, from(byId.issuer, alice.username), "assertion_subject_unknown");
  });

  test("not there yet, and the issuer may make them → made once, with the subject's name and no password", async () => {
    const maker = await map({ issuer: "", type: "saml", mapSubject: "email", createOwners: true });
    const [one, two] = await Promise.all([from(maker.issuer, "Nora@New.test"), from(maker.issuer, "nora@new.test")]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(claimsOf(one.body.access_token)["sub"]).toBe(claimsOf(two.body.access_token)["sub"]);
    const person = await server.assent.storage.people.findByName({ name: "nora@new.test" });
    expect(person).toMatchObject({ username: "nora", email: "nora@new.test", passwordHash: null, operator: [] });
  });

  test("made by username → the address that the assertion gives, else one that is nobody's", async () => {
    const maker = await map({ issuer: "", type: "saml", createOwners: true });
    const mail = `<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>otto@new.test</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
    expect((await from(maker.issuer, "otto", mail)).status).toBe(200);
    expect((await from(maker.issuer, "paula")).status).toBe(200);
    const { storage } = server.assent;
    expect((await storage.people.findByName({ name: "otto" }))?.email).toBe("otto@new.test");
    expect((await storage.people.findByName({ name: "paula" }))?.email).toMatch(/@users\.invalid$/);
  });

  test("two of one name before the @ → two owners", async () => {
    const maker = await map({ issuer: "", type: "saml", mapSubject: "email", createOwners: true });
    const one = await from(maker.issuer, "same@one.test");
    const two = await from(maker.issuer, "same@two.test");
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(claimsOf(one.body.access_token)["sub"]).not.toBe(claimsOf(two.body.access_token)["sub"]);
  });

  test("beyond those that the issuer may speak for → refused; within → accepted", async () => {
    const some = await map({
      issuer: "",
      type: "saml",
      mapSubject: "email",
      subjects: ["@example.test", "eve@x.test"],
    });
    expect((await from(some.issuer, alice.email)).status).toBe(200);
    await expectAssertionRefused(server, from(some.issuer, "bob@sub.example.test"), "assertion_subject_not_allowed");
  });
});

test("assertions that another program made and signed → accepted", async () => {
  const other = anIdentityProvider("https://other.test");
  await trust(server, { issuer: other.entityId, type: "saml", certificates: [other.certificate] });
  const xml = Saml20.create({
    cert: Buffer.from(other.certificate),
    key: Buffer.from(other.privateKey.export({ type: "pkcs8", format: "pem" })),
    issuer: other.entityId,
    lifetimeInSeconds: 120,
    audiences: server.issuer,
    recipient: `${server.issuer}/token`,
    nameIdentifier: alice.username,
    attributes: { groups: ["a", "b"], mail: alice.email },
    signatureAlgorithm: "rsa-sha256",
    digestAlgorithm: "sha256",
  });
  const { status, body } = await use(encoded(xml));
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.expires_in).toBeLessThanOrEqual(120);
});

test("metadata name both assertion grants", async () => {
  const metadata = (await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json()) as {
    grant_types_supported: string[];
  };
  expect(metadata.grant_types_supported).toEqual(
    expect.arrayContaining([SAML2_BEARER, "urn:ietf:params:oauth:grant-type:jwt-bearer"]),
  );
});
