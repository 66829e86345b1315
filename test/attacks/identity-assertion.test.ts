/** ID-JAGs of trusted issuers (draft-ietf-oauth-identity-assertion-authz-grant-03 §4.4): what must not give a token. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, createAssent } from "../../packages/server/src/index.ts";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
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
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { addCompanyProvider, addProvider } from "../support/sign-in-providers.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const TYP = "oauth-id-jag+jwt";
const API = "https://api.test";
const MCP = "https://mcp.test/mcp";

let server: TestServer;
let client: TestClient;
let company: TestCompany;
let member: Person;
const idp = aJwtIssuer("https://acme.idp.test");
const plain = aJwtIssuer("https://plain.test");

/** The record of Acme's provider, changed. */
const acme = (changes: Partial<TrustedIssuer> = {}) =>
  trust(server, {
    ...{ issuer: idp.issuer, type: "id-jag", jwks: idp.jwks, scopes: ["read", "tools"], mapSubject: "email" },
    company: company.companyId,
    ...changes,
  });

beforeAll(async () => {
  server = await startServer();
  await server.addResource({ identifier: MCP, name: "Tools" });
  await server.addScope({ name: "tools", description: "Use the tools", resource: MCP });
  const scopes = ["read", "write", "tools"];
  client = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [], scopes });
  company = await addCompany(server, { defaultRule: "members" });
  const { partition, companyId } = company;
  const key = { partition, companyId, ownProvider: true, removeDomains: [] };
  await server.assent.storage.companySignIn.set({ ...key, addDomains: ["acme.test"], now: server.now() });
  member = await aMember();
  await acme();
  await trust(server, { issuer: plain.issuer, type: "jwt", jwks: plain.jwks });
});
afterAll(() => server.stop());

let people = 0;
async function aMember(changes: Partial<Person> = {}, at = company): Promise<Person> {
  people += 1;
  const person = await server.addPerson({ email: `p${people}@acme.test`, emailVerifiedAt: 1, ...changes });
  await addMember(server, at, person);
  return person;
}

/** The person's subject at the provider. */
const subOf = ({ email }: Pick<Person, "email">) => `00u-${email.replace("@", "-")}`;
const seconds = () => Math.floor(server.now() / 1000);
const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...claimsFor(server, idp, subOf(member)),
  ...{ client_id: client.clientId, email: member.email, email_verified: true },
  ...changes,
});
const about = ({ email }: Person, changes: Readonly<Record<string, unknown>> = {}) =>
  claims({ sub: subOf({ email }), email, ...changes });
const made = (changes: Readonly<Record<string, unknown>> = {}, header: object = {}) =>
  jwtOf(idp, claims(changes), { alg: "ES256", kid: "one", typ: TYP, ...header });
const sign = (of: unknown, by = idp) => jwtOf(by, of, { alg: "ES256", kid: "one", typ: TYP });
const use = (assertion: string, more: Record<string, string> = {}, by = client) =>
  present(server, by, JWT_BEARER, assertion, more);
const refusedAs = (assertion: string, condition: ConditionName, by = client) =>
  expectAssertionRefused(server, use(assertion, {}, by), condition);

describe("IJ-06 an ID-JAG that is right in all", () => {
  test("→ a token for its subject, no refresh token, no longer than the rest of it; the record says who approved", async () => {
    const assertion = made({ exp: seconds() + 100, scope: "read", resource: API });
    const { status, body } = await use(assertion);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", scope: "read", resource: API });
    expect(body.refresh_token).toBeUndefined();
    expect(body.expires_in).toBeGreaterThan(90);
    expect(body.expires_in).toBeLessThanOrEqual(100);
    const { personId, partition } = member;
    expect(claimsOf(body.access_token)).toMatchObject({ sub: personId, client_id: client.clientId, aud: API });
    const key = { partition, ownerId: personId, clientId: client.clientId };
    expect(await server.assent.storage.consents.find(key)).toMatchObject({ via: "operator policy" });
    expectUnlogged(server, assertion, body.access_token ?? "-");
  });
});

describe("IJ-07 typ", () => {
  test.each<[string, string | undefined, ConditionName]>([
    ["missing", undefined, "assertion_issuer_unknown"],
    ["JWT", "JWT", "assertion_issuer_unknown"],
    ["at+jwt", "at+jwt", "assertion_type_refused"],
    ["logout+jwt", "logout+jwt", "assertion_type_refused"],
    ["oauth-id-jag-jwt", "oauth-id-jag-jwt", "assertion_type_refused"],
    ["the long form", `application/${TYP}`, "assertion_type_refused"],
    ["upper case", TYP.toUpperCase(), "assertion_type_refused"],
  ])("%s → refused", async (_, typ, condition) => {
    await refusedAs(made({}, { typ }), condition);
  });

  test("an ID-JAG of an issuer of plain JWTs → refused, as is a plain JWT as an exchange's subject", async () => {
    const sub = member.username;
    await refusedAs(sign(claims({ iss: plain.issuer, sub }), plain), "assertion_issuer_unknown");
    const jwt = jwtOf(plain, claims({ iss: plain.issuer, sub }));
    expect((await use(jwt)).status).toBe(200);
  });
});

describe("IJ-08 client_id", () => {
  test.each([
    ["another client", { client_id: "another" }],
    ["missing", { client_id: undefined }],
    ["a list", { client_id: [] }],
  ])("%s → refused", async (_, changes) => {
    await refusedAs(made(changes), "assertion_of_another_client");
  });

  test("stolen from its client, presented by another one, or by a public client → refused", async () => {
    const other = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
    await refusedAs(made(), "assertion_of_another_client", other);
    const open = await server.addClient({ type: "public", grantTypes: [JWT_BEARER], authMethod: "none" });
    await refusedAs(made({ client_id: open.clientId }), "assertion_client_not_allowed", open);
  });
});

describe("IJ-09 aud", () => {
  test("the token endpoint; another server; several; a slash more; missing; an API; a name in the record → refused", async () => {
    for (const aud of [
      ...[`${server.issuer}/token`, "https://as.other.test", [server.issuer, "https://as.other.test"]],
      ...[`${server.issuer}/`, undefined, API, [], [server.issuer, 7]],
    ])
      await refusedAs(made({ aud }), "assertion_audience_wrong");
    await acme({ audience: "urn:us" });
    await refusedAs(made({ aud: "urn:us" }), "assertion_audience_wrong");
    await acme();
    expect((await use(made({ aud: [server.issuer] }))).status).toBe(200);
  });
});

describe("IJ-10 jti", () => {
  test("twice → once; the same jti of another issuer → accepted; none → refused", async () => {
    const other = aJwtIssuer("https://other.idp.test");
    await acme({ issuer: other.issuer, jwks: other.jwks });
    const assertion = made({ jti: "the-same" });
    expect((await use(assertion)).status).toBe(200);
    await refusedAs(assertion, "assertion_replayed");
    await refusedAs(made({ jti: "the-same", exp: seconds() + 200 }), "assertion_replayed");
    const person = await aMember();
    expect((await use(sign(about(person, { iss: other.issuer, jti: "the-same" }), other))).status).toBe(200);
    await refusedAs(made({ jti: undefined }), "assertion_id_missing");
  });

  test("25 at once at each of two nodes, and once more after their restart → one", async () => {
    const assertion = made();
    const node = await createAssent(configOf({ dataDir: server.dataDir, issuer: server.issuer, logLevel: "fatal" }));
    const site = createServer(node.handler);
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    try {
      const there = { issuer: `http://127.0.0.1:${(site.address() as AddressInfo).port}` };
      const both = Array.from({ length: 25 }, () => [server, there]).flat();
      const answers = await Promise.all(both.map((at) => present(at, client, JWT_BEARER, assertion)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === "invalid_grant")).toHaveLength(49);
    } finally {
      site.closeAllConnections();
      site.close();
      await node.close();
    }
    await refusedAs(assertion, "assertion_replayed");
  });
});

describe("IJ-11 times", () => {
  test.each<[string, () => object, ConditionName]>([
    ["exp past", () => ({ exp: seconds() - 61 }), "assertion_expired"],
    ["exp missing", () => ({ exp: undefined }), "assertion_expired"],
    ["exp 2 h ahead", () => ({ exp: seconds() + 7200 }), "assertion_lifetime_too_long"],
    ["iat 10 min ahead", () => ({ iat: seconds() + 600 }), "assertion_not_yet_valid"],
    ["iat missing", () => ({ iat: undefined }), "assertion_malformed"],
    ["nbf ahead", () => ({ nbf: seconds() + 120 }), "assertion_not_yet_valid"],
    ["exp a text", () => ({ exp: String(seconds() + 60) }), "assertion_malformed"],
  ])("%s → refused", async (_, changes, condition) => {
    await refusedAs(made({ ...changes() }), condition);
  });

  test("longer than the record allows → refused; 60 s ahead → accepted", async () => {
    await acme({ maxLifetime: 60 });
    await refusedAs(made({ exp: seconds() + 200 }), "assertion_lifetime_too_long");
    expect((await use(made({ exp: seconds() + 60 }))).status).toBe(200);
    await acme();
  });
});

describe("IJ-13 the owner", () => {
  test("disabled, must change the password, of another company, of two companies, an operator, deleted → one refusal", async () => {
    const other = await addCompany(server, { defaultRule: "members" });
    const both = await aMember();
    await addMember(server, other, both);
    const cases: readonly (readonly [Person, ConditionName])[] = [
      [await aMember({ status: "disabled" }), "assertion_owner_outside_company"],
      [await aMember({ mustChangePassword: true }), "assertion_owner_disabled"],
      [await aMember({}, other), "assertion_owner_outside_company"],
      [both, "assertion_owner_outside_company"],
      [await aMember({ operator: ["read"] }), "assertion_owner_outside_company"],
      [await server.addPerson({ email: "nobody@acme.test", emailVerifiedAt: 1 }), "assertion_owner_outside_company"],
    ];
    for (const [person, condition] of cases) await refusedAs(sign(about(person)), condition);
    const gone = { ...member, email: "gone@acme.test" };
    await refusedAs(sign(about(gone)), "assertion_subject_unknown");
  });

  test("without a company: creation never takes an existing account, or one that was disabled", async () => {
    await acme({ company: null, mapSubject: "email", emailDomains: ["acme.test"], createOwners: true });
    const disabled = await server.addPerson({ email: "off@acme.test", emailVerifiedAt: 1, status: "disabled" });
    await refusedAs(sign(about(disabled)), "assertion_owner_disabled");
    const unproven = await server.addPerson({ email: "typed@acme.test", emailVerifiedAt: null });
    await refusedAs(sign(about(unproven)), "assertion_email_unverified");
    const { status, body } = await use(sign(claims({ sub: "new", email: "new@acme.test" })));
    expect([status, claimsOf(body.access_token)["sub"]]).not.toEqual([200, disabled.personId]);
    expect(status).toBe(200);
    await acme();
  });
});

describe("IJ-14 the subject", () => {
  test("an address of another domain, an unverified one, an internal id, a second subject of one address → refused", async () => {
    const far = await aMember({ email: "far@globex.test" });
    await refusedAs(sign(about(far)), "assertion_email_unverified");
    await refusedAs(made({ email_verified: false, sub: "s1" }), "assertion_email_unverified");
    await refusedAs(made({ sub: member.personId, email: undefined }), "assertion_subject_unknown");
    const person = await aMember();
    expect((await use(sign(about(person)))).status).toBe(200);
    await refusedAs(sign(about(person, { sub: "the next owner of the address" })), "assertion_subject_unknown");
    // An address is one person, in whatever case: its first subject stays.
    const { body } = await use(sign(about(person, { email: person.email.toUpperCase() })));
    expect(claimsOf(body.access_token)["sub"]).toBe(person.personId);
  });

  test("links alone: a person who signs in at the same provider of the same company is found, by no other provider", async () => {
    await acme({ mapSubject: "link" });
    const { partition, personId } = member;
    await refusedAs(made({ sub: "at-provider" }), "assertion_subject_unknown");
    const link = async ({ id }: { readonly id: string }, subject: string) =>
      server.assent.storage.subjectLinks.link({
        ...{ partition, personId, sole: false, madeBy: "person", now: server.now() },
        subject: { issuerId: id, claim: idp.issuer, subject },
      });
    await link(await addProvider(server, idp.issuer), "at-operators");
    await refusedAs(made({ sub: "at-operators" }), "assertion_subject_unknown");
    await link(await addCompanyProvider(server, company, idp.issuer, { domains: [] }), "at-provider");
    const { status, body } = await use(made({ sub: "at-provider", email: undefined }));
    expect([status, claimsOf(body.access_token)["sub"]]).toEqual([200, personId]);
    await acme();
  });
});

describe("IJ-15 scope and resource", () => {
  test("what the claim, the record, the client and the request have in common, and no more", async () => {
    const wide = await use(made({ scope: "read admin" }), { scope: "" });
    expect([wide.status, wide.body.scope]).toEqual([200, "read"]);
    expectRefusal(await use(made(), { scope: "write" }), "invalid_scope");
    expectRefusal(await use(made({ scope: "tools" }), { scope: "read" }), "invalid_scope");
    expectRefusal(await use(made({ scope: "" }), { scope: "" }), "invalid_scope");
    await refusedAs(made({ scope: ["read"] }), "assertion_malformed");
    expectRefusal(await use(made({ resource: MCP }), { scope: "", resource: API }), "invalid_target");
    expectRefusal(await use(made({ resource: MCP }), { scope: "read" }), "invalid_target");
    expectRefusal(await use(made({ resource: "https://unknown.test" })), "invalid_target");
    expectRefusal(await use(made({ resource: ["https://unknown.test", MCP] })), "invalid_target");
    await refusedAs(made({ resource: [7] }), "assertion_malformed");
  });

  test("neither scope nor resource anywhere → all that record and client have of one API; of several → invalid_target", async () => {
    expectRefusal(await use(made(), { scope: "" }), "invalid_target");
    const named = await use(made({ resource: MCP }), { scope: "" });
    expect([named.status, named.body.scope, named.body["resource"]]).toEqual([200, "tools", MCP]);
    const asked = await use(made({ resource: [API, MCP] }), { scope: "", resource: API });
    expect([asked.status, asked.body.scope]).toEqual([200, "read"]);
  });
});

describe("IJ-16 consent and approval", () => {
  test("the owner revoked the app → refused, and no ID-JAG brings it back", async () => {
    const person = await aMember();
    expect((await use(sign(about(person)))).status).toBe(200);
    const { partition, personId } = person;
    const key = { partition, ownerId: personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: server.now() });
    await refusedAs(sign(about(person)), "assertion_consent_revoked");
  });

  test("the company blocks the app, no longer approves it, or its rule ends → refused; approved again → a token", async () => {
    await decide(server, company, client, { rule: "block" });
    await refusedAs(made(), "assertion_app_not_approved");
    await decide(server, company, client, { rule: "ask" });
    await refusedAs(made(), "assertion_app_not_approved");
    await decide(server, company, client, { scopes: ["tools"] });
    await refusedAs(made({ scope: "read" }), "assertion_app_not_approved");
    await decide(server, company, client, { scopes: ["read"] });
    expect((await use(made({ scope: "read" }))).status).toBe(200);
    await decide(server, company, client, null);
  });

  test("the company's approval ends before the assertion → the token ends with the approval, for members, not for admins", async () => {
    await decide(server, company, client, { scopes: ["read"], endsAt: server.now() + 100_000 });
    const { body } = await use(made({ scope: "read" }));
    expect(body.expires_in).toBeGreaterThan(90);
    expect(body.expires_in).toBeLessThanOrEqual(100);
    const admin = await server.addPerson({ email: "boss@acme.test", emailVerifiedAt: 1 });
    await addMember(server, company, admin, "admin");
    expect((await use(sign(about(admin, { scope: "read" })))).body.expires_in).toBeGreaterThan(100);
    await decide(server, company, client, null);
  });

  test("an admin paused the app for the company → refused; resumed → a token", async () => {
    await decide(server, company, client, { scopes: ["read"] });
    const { partition, companyId } = company;
    const set = (paused: boolean) =>
      server.assent.storage.companyApps.setPaused({
        ...{ partition, companyId, clientId: client.clientId, paused, by: null, now: server.now() },
      });
    expect(await set(true)).toMatchObject({ kind: "changed" });
    await refusedAs(made({ scope: "read" }), "assertion_app_not_approved");
    await set(false);
    expect((await use(made({ scope: "read" }))).status).toBe(200);
    await decide(server, company, client, null);
  });

  test("the company is disabled → refused", async () => {
    const { partition, companyId } = company;
    const set = (status: "active" | "disabled") =>
      server.assent.storage.companies.setStatus({ partition, companyId, status, now: server.now() });
    await set("disabled");
    await refusedAs(made(), "assertion_owner_outside_company");
    await set("active");
    await settle();
    expect((await use(made())).status).toBe(200);
  });
});

describe("IJ-18 limits that this server can't keep", () => {
  test("a key that the client must prove to have, or structured permissions → refused, never a bearer token", async () => {
    await refusedAs(
      made({ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }),
      "assertion_claim_unsupported",
    );
    await refusedAs(made({ authorization_details: [{ type: "tools" }] }), "assertion_claim_unsupported");
  });

  test("a tenant that the record does not name, none where it names one → refused", async () => {
    await refusedAs(made({ tenant: "acme" }), "assertion_tenant_wrong");
    await acme({ tenant: "acme" });
    await refusedAs(made(), "assertion_tenant_wrong");
    await refusedAs(made({ tenant: "globex" }), "assertion_tenant_wrong");
    expect((await use(made({ tenant: "acme" }))).status).toBe(200);
    await acme();
  });

  test("a tenant → somebody who signs in at the same provider may be of another tenant, so only a link names them", async () => {
    await acme({ tenant: "acme", company: null, mapSubject: "link" });
    const { partition, personId } = await server.addPerson();
    const { id } = await addProvider(server, idp.issuer);
    await server.assent.storage.subjectLinks.link({
      ...{ partition, personId, sole: false, madeBy: "person", now: server.now() },
      subject: { issuerId: id, claim: idp.issuer, subject: "of-globex" },
    });
    await refusedAs(made({ tenant: "acme", sub: "of-globex", email: undefined }), "assertion_subject_unknown");
    await acme();
  });
});
