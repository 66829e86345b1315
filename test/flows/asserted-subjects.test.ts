/**
 * The owner that an assertion is about: by link, by verified address, by a claim or attribute. Owners can be created at
 * first use (RFC 7521 §5.2).
 */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import {
  aJwtIssuer,
  claimsFor,
  claimsOf,
  expectAssertionRefused,
  JWT_BEARER,
  jwtOf,
  present,
  SAML2_BEARER,
  trust,
} from "../support/assertion-requests.ts";
import type { TokenAnswer } from "../support/http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "../support/saml-idp.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
const jwt = aJwtIssuer("https://idp.test");
const saml = anIdentityProvider("https://idp.test/saml", "P-256");

/** One issuer for each kind of mapping, by its host. */
const RECORDS = {
  linked: { type: "jwt", mapSubject: "link" },
  making: { type: "jwt", mapSubject: "link", createOwners: true },
  named: { type: "jwt", mapSubject: "username", createOwners: true },
  mailed: { type: "jwt", mapSubject: "email" },
  domains: { type: "jwt", mapSubject: "email", emailDomains: ["corp.test"] },
  claimed: { type: "jwt", mapSubject: "username", subjectClaim: "upn" },
  objects: { type: "jwt", mapSubject: "link", subjectClaim: "oid", createOwners: true },
  profile: { type: "jwt", mapSubject: "email", subjectClaim: "email" },
  "saml-claimed": { type: "saml", mapSubject: "username", subjectClaim: "urn:oid:0.9.2342.19200300.100.1.1" },
  "saml-linked": { type: "saml", mapSubject: "link", createOwners: true },
  "saml-mailed": { type: "saml", mapSubject: "email", emailDomains: ["corp.test"], createOwners: true },
  "saml-opaque": { type: "saml", mapSubject: "email" },
} as const satisfies Record<string, Partial<TrustedIssuer>>;
type Name = keyof typeof RECORDS;
const nameOf = (name: Name) => `https://${name}.test`;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [JWT_BEARER, SAML2_BEARER], redirectUris: [] });
  await Promise.all(
    Object.entries<Partial<TrustedIssuer> & Pick<TrustedIssuer, "type">>(RECORDS).map(([name, record]) => {
      const keys = record.type === "jwt" ? { jwks: jwt.jwks } : { certificates: [saml.certificate] };
      return trust(server, { ...keys, ...record, issuer: nameOf(name as Name) });
    }),
  );
});
afterAll(() => server.stop());

const random = () => randomBytes(5).toString("hex");
const by = (name: Name, sub: string, claims: Record<string, unknown> = {}) =>
  present(server, client, JWT_BEARER, jwtOf(jwt, { ...claimsFor(server, { issuer: nameOf(name) }, sub), ...claims }));
const statement = (...attributes: readonly string[]) =>
  `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`;
const attribute = (name: string, ...values: readonly string[]) =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`;
function bySaml(name: Name, nameId: string, statementsXml = "", format = ""): Promise<TokenAnswer> {
  const parts = { statementsXml, nameId: `<saml:NameID${format}>${nameId}</saml:NameID>` };
  const xml = assertionXml(server, { entityId: nameOf(name) }, nameId, parts);
  return present(server, client, SAML2_BEARER, encoded(signed(xml, saml)));
}
async function ownerOf(answer: Promise<TokenAnswer>): Promise<unknown> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(200);
  return claimsOf(body.access_token)["sub"];
}
const refused = (answer: Promise<TokenAnswer>, condition: ConditionName) =>
  expectAssertionRefused(server, answer, condition);
const findByName = (name: string) => server.assent.storage.people.findByName({ name });
const subjectOf = (name: Name, subject: string, claim: string | null = null) => ({
  issuerId: `record of ${nameOf(name)}`,
  claim,
  subject,
});
const link = ({ partition, personId }: Person, name: Name, subject: string) =>
  server.assent.storage.subjectLinks.link({
    ...{ partition, personId, subject: subjectOf(name, subject) },
    ...{ sole: false, madeBy: "operator", now: server.now() },
  });

describe("by link", () => {
  test("a subject that nobody linked, though a user has it as name, address or id → refused", async () => {
    const person = await server.addPerson();
    for (const sub of [person.username, person.email, person.personId])
      await refused(by("linked", sub, { email: person.email, email_verified: true }), "assertion_subject_unknown");
  });

  test("linked → its owner; the same subject of another issuer → refused; unlinked → refused", async () => {
    const person = await server.addPerson();
    const sub = `00u${random()}`;
    await link(person, "linked", sub);
    expect(await ownerOf(by("linked", sub))).toBe(person.personId);
    await refused(by("claimed", sub, { upn: sub }), "assertion_subject_unknown");
    await server.assent.storage.subjectLinks.unlink({ subject: subjectOf("linked", sub), now: server.now() });
    await refused(by("linked", sub), "assertion_subject_unknown");
  });

  test("a link goes before a name → the linked owner, not the user who is called so", async () => {
    const [person, called] = [await server.addPerson(), await server.addPerson()];
    await link(person, "named", called.username);
    expect(await ownerOf(by("named", called.username))).toBe(person.personId);
    expect(await ownerOf(by("named", called.username.toUpperCase()))).toBe(person.personId);
  });

  test("linked to an operator, or to an owner who is disabled → refused", async () => {
    const [operator, off] = [await server.addPerson({ operator: ["read"] }), await server.addPerson()];
    await link(operator, "linked", "op");
    await link(off, "linked", "off");
    await server.assent.storage.people.setStatus({ ...off, status: "disabled", now: server.now() });
    await refused(by("linked", "op"), "assertion_subject_not_allowed");
    await refused(by("linked", "off"), "assertion_owner_disabled");
  });
});

describe("made at first use, by link", () => {
  test("20 at once → one owner and one link", async () => {
    const sub = `00u${random()}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => by("making", sub)));
    expect(new Set(answers.map(({ body }) => claimsOf(body.access_token)["sub"])).size).toBe(1);
    const [first] = answers;
    const links = await server.assent.storage.subjectLinks.list({
      issuerId: subjectOf("making", "").issuerId,
      limit: 200,
      after: null,
    });
    expect(links.filter(({ subject }) => subject === sub)).toMatchObject([
      { ownerId: claimsOf(first?.body.access_token)["sub"], madeBy: "first use" },
    ]);
  });

  test("with a verified address → it is theirs, verified; an address that nobody verified is not kept", async () => {
    const email = `zoe.${random()}@new.test`;
    const id = await ownerOf(by("making", random(), { email, email_verified: true }));
    expect(await findByName(email)).toMatchObject({
      personId: id,
      username: email.split("@")[0],
      emailVerifiedAt: expect.any(Number),
      passwordHash: null,
    });
    for (const claims of [{}, { email_verified: false }, { email_verified: "true" }]) {
      const other = `eve.${random()}@new.test`;
      await ownerOf(by("making", random(), { email: other, ...claims }));
      expect(await findByName(other)).toBeUndefined();
    }
  });

  test("whose verified address a user has → refused, never merged", async () => {
    const person = await server.addPerson();
    await refused(by("making", random(), { email: person.email, email_verified: true }), "assertion_subject_unknown");
  });

  test("renamed, with another address, that a newcomer then gets → each stays who they were", async () => {
    const [first, second] = [random(), random()];
    const email = `a.${random()}@new.test`;
    const owner = await ownerOf(by("making", first, { email, email_verified: true }));
    const moved = { email: `b.${random()}@new.test`, email_verified: true };
    expect(await ownerOf(by("making", first, moved))).toBe(owner);
    await refused(by("making", second, { email, email_verified: true }), "assertion_subject_unknown");
    expect(await ownerOf(by("making", second))).not.toBe(owner);
  });

  test("deleted, then seen again → another owner", async () => {
    const sub = random();
    const first = await ownerOf(by("making", sub));
    const person = await server.assent.storage.subjectLinks.findPerson({ subject: subjectOf("making", sub) });
    expect(person?.personId).toBe(first);
    if (person !== undefined) await server.assent.storage.people.delete({ ...person, now: server.now() });
    expect(await ownerOf(by("making", sub))).not.toBe(first);
  });

  test("made by username → linked: a later user of the same name elsewhere is not reached by another spelling", async () => {
    const name = `Nina-${random()}`;
    const owner = await ownerOf(by("named", name));
    expect(await ownerOf(by("named", name.toLowerCase()))).toBe(owner);
    const subject = subjectOf("named", name.toLowerCase());
    expect((await server.assent.storage.subjectLinks.findPerson({ subject }))?.personId).toBe(owner);
  });

  test("SAML: a NameID that is made up for this once → refused, no owner is made", async () => {
    const transient = ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"';
    await refused(bySaml("saml-linked", `_${random()}`, "", transient), "assertion_subject_unknown");
    const persistent = ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"';
    const nameId = `_${random()}`;
    expect(await ownerOf(bySaml("saml-linked", nameId, "", persistent))).toBe(
      await ownerOf(bySaml("saml-linked", nameId)),
    );
  });
});

describe("by e-mail", () => {
  test.each([
    ["not said to be verified", {}],
    ["said not to be", { email_verified: false }],
    ["said so in a text", { email_verified: "true" }],
    ["said so by a number", { email_verified: 1 }],
  ])("the profile's address, %s → refused", async (_, claims) => {
    const { email } = await server.addPerson();
    await refused(by("mailed", random(), { email, ...claims }), "assertion_email_unverified");
  });

  test("no address at all → refused", async () => {
    await refused(by("mailed", random()), "assertion_subject_unknown");
  });

  test("an address that the account has not proved → refused", async () => {
    const { email } = await server.addPerson({ emailVerifiedAt: null });
    await refused(by("mailed", email), "assertion_email_unverified");
    await refused(by("mailed", random(), { email, email_verified: true }), "assertion_email_unverified");
  });

  test("the subject is the address → its owner, unless the issuer says that it isn't verified", async () => {
    const { email, personId } = await server.addPerson();
    expect(await ownerOf(by("mailed", email))).toBe(personId);
    expect(await ownerOf(by("mailed", email, { email: "profile@elsewhere.test", email_verified: false }))).toBe(
      personId,
    );
    await refused(by("mailed", email, { email_verified: false }), "assertion_email_unverified");
  });

  test("a verified address of the profile → its owner from now on; the next who has it → refused", async () => {
    const [first, second] = [random(), random()];
    const { email, personId, ...person } = await server.addPerson();
    const verified = { email, email_verified: true };
    expect(await ownerOf(by("mailed", first, verified))).toBe(personId);
    expect(await ownerOf(by("mailed", first, { email: "other@x.test" }))).toBe(personId);
    await refused(by("mailed", second, verified), "assertion_subject_unknown");
    // Another person who gets this address later doesn't get the first subject.
    await server.assent.storage.people.update({
      ...{ partition: person.partition, personId, changes: { email: `moved.${random()}@x.test` }, now: server.now() },
    });
    const newcomer = await server.addPerson({ email });
    expect(await ownerOf(by("mailed", first, verified))).toBe(personId);
    expect(await ownerOf(by("mailed", second, verified))).toBe(newcomer.personId);
  });

  test("two subjects with one address at once → one of them is its owner", async () => {
    const { email } = await server.addPerson();
    const claims = { email, email_verified: true };
    const answers = await Promise.all(Array.from({ length: 10 }, () => by("mailed", random(), claims)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("domains named: beyond them → refused, whatever is said; within → believed", async () => {
    const [inside, outside] = [
      await server.addPerson({ email: `in.${random()}@corp.test` }),
      await server.addPerson({ email: `out.${random()}@corp.test.evil.test` }),
    ];
    const said = { email: outside.email, email_verified: true };
    await refused(by("domains", outside.email), "assertion_email_unverified");
    await refused(by("domains", random(), said), "assertion_email_unverified");
    await refused(by("domains", `x@sub.${inside.email.split("@")[1]}`), "assertion_email_unverified");
    expect(await ownerOf(by("domains", inside.email.toUpperCase()))).toBe(inside.personId);
    expect(await ownerOf(by("domains", random(), { email: inside.email }))).toBe(inside.personId);
  });

  test("the address as named claim → only if it is verified", async () => {
    const { email, personId } = await server.addPerson();
    await refused(by("profile", random(), { email }), "assertion_email_unverified");
    expect(await ownerOf(by("profile", random(), { email, email_verified: true }))).toBe(personId);
  });

  test("SAML: an attribute's address → believed in the issuer's domains alone", async () => {
    const { email, personId } = await server.addPerson({ email: `saml.${random()}@corp.test` });
    const other = await server.addPerson();
    const mail = (address: string) => statement(attribute("mail", address));
    await refused(bySaml("saml-mailed", random(), mail(other.email)), "assertion_email_unverified");
    await refused(bySaml("saml-opaque", random(), mail(email)), "assertion_email_unverified");
    const nameId = random();
    expect(await ownerOf(bySaml("saml-mailed", nameId, mail(email)))).toBe(personId);
    await refused(bySaml("saml-mailed", random(), mail(email)), "assertion_subject_unknown");
    expect(await ownerOf(bySaml("saml-mailed", nameId, mail(`another.${random()}@corp.test`)))).toBe(personId);
  });

  test("SAML: made at first use under a NameID for this once → found again by the address", async () => {
    const mail = statement(attribute("mail", `shib.${random()}@corp.test`));
    const transient = ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"';
    const owner = await ownerOf(bySaml("saml-mailed", `_${random()}`, mail, transient));
    expect(await ownerOf(bySaml("saml-mailed", `_${random()}`, mail, transient))).toBe(owner);
  });
});

describe("by a claim or an attribute", () => {
  test.each([
    ["missing", {}],
    ["null", { upn: null }],
    ["empty", { upn: "" }],
    ["a number", { upn: 7 }],
    ["a list of one", { upn: ["PERSON"] }],
    ["an object", { upn: { toString: "PERSON" } }],
    ["of the prototype", { constructor: "PERSON" }],
  ])("the claim is %s → refused, though sub is a user's name", async (_, claims) => {
    const { username } = await server.addPerson();
    const text = JSON.stringify(claims).replaceAll("PERSON", username);
    await refused(by("claimed", username, JSON.parse(text)), "assertion_subject_missing");
  });

  test("sub is missing, the claim is there → refused: a JWT has a subject", async () => {
    const { username } = await server.addPerson();
    await refused(by("claimed", "", { sub: undefined, upn: username }), "assertion_subject_missing");
  });

  test("→ the owner whom the claim names, whatever sub is", async () => {
    const [person, other] = [await server.addPerson(), await server.addPerson()];
    expect(await ownerOf(by("claimed", other.username, { upn: person.username }))).toBe(person.personId);
    const oid = random();
    const owner = await ownerOf(by("objects", random(), { oid }));
    expect(await ownerOf(by("objects", random(), { oid }))).toBe(owner);
    expect(await ownerOf(by("objects", oid, { oid: random() }))).not.toBe(owner);
  });

  test("another claim than the one that it was linked by → refused", async () => {
    const person = await server.addPerson();
    await link(person, "objects", "12345");
    const { subject } = subjectOf("objects", "12345");
    expect(await ownerOf(by("objects", random(), { oid: subject }))).not.toBe(person.personId);
  });

  const UID = "urn:oid:0.9.2342.19200300.100.1.1";
  test.each([
    ["missing", (name: string) => statement(attribute("uid", name))],
    ["there with two values", (name: string) => statement(attribute(UID, name, "x"))],
    ["there with one value twice", (name: string) => statement(attribute(UID, name, name))],
    ["there twice", (name: string) => statement(attribute(UID, name), attribute(UID, "x"))],
    ["in two statements", (name: string) => statement(attribute(UID, name)) + statement(attribute(UID, name))],
    ["empty", () => statement(attribute(UID, " "))],
    ["without a value", () => statement(attribute(UID))],
    ["an element", (name: string) => statement(attribute(UID, `<saml:NameID>${name}</saml:NameID>`))],
    ["in another part", (name: string) => `<saml:Advice>${attribute(UID, name)}</saml:Advice>`],
  ])("SAML: the attribute is %s → refused", async (_, statementOf) => {
    const { username } = await server.addPerson();
    await refused(bySaml("saml-claimed", username, statementOf(username)), "assertion_subject_missing");
  });

  test("SAML: → the owner whom the attribute names, beside others that are more than text", async () => {
    const { username, personId } = await server.addPerson();
    const targeted = attribute("urn:oid:1.3.6.1.4.1.5923.1.1.1.10", "<saml:NameID>x</saml:NameID>");
    expect(await ownerOf(bySaml("saml-claimed", "someone", statement(targeted, attribute(UID, username))))).toBe(
      personId,
    );
  });
});
