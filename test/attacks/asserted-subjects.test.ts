/**
 * Attacks on the subject of an assertion (RFC 7521 §5.2, RFC 7523 §3, RFC 7522 §3): the subject of one issuer must
 * never lead to the owner of another issuer's subject, nor to an owner with a similar spelling.
 */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { unnumbered } from "../support/http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "../support/saml-idp.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
const one = aJwtIssuer("https://one.test");
const two = aJwtIssuer("https://two.test");
const strict = aJwtIssuer("https://strict.test");
const saml = anIdentityProvider("https://saml.test", "P-256");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [JWT_BEARER, SAML2_BEARER], redirectUris: [] });
  await Promise.all([
    trust(server, { issuer: one.issuer, type: "jwt", jwks: one.jwks, mapSubject: "link", createOwners: true }),
    trust(server, { issuer: two.issuer, type: "jwt", jwks: two.jwks, mapSubject: "link", createOwners: true }),
    trust(server, { issuer: strict.issuer, type: "jwt", jwks: strict.jwks, mapSubject: "link" }),
    trust(server, { issuer: saml.entityId, type: "saml", certificates: [saml.certificate], mapSubject: "link" }),
  ]);
});
afterAll(() => server.stop());

const by = (idp: typeof one, sub: string, claims: Record<string, unknown> = {}) =>
  present(server, client, JWT_BEARER, jwtOf(idp, { ...claimsFor(server, idp, sub), ...claims }));
const bySaml = (nameIdXml: string) =>
  present(
    server,
    client,
    SAML2_BEARER,
    encoded(signed(assertionXml(server, saml, "", { nameId: `<saml:NameID>${nameIdXml}</saml:NameID>` }), saml)),
  );
const link = ({ partition, personId }: Person, issuer: string, subject: string) =>
  server.assent.storage.subjectLinks.link({
    ...{ partition, personId, subject: { issuerId: `record of ${issuer}`, claim: null, subject } },
    ...{ sole: false, madeBy: "operator", now: server.now() },
  });
const sub = () => `Zoë.${randomBytes(5).toString("hex")}`;

describe("JB-07 a subject that another issuer calls the same", () => {
  test("linked there → here it is nobody, or somebody new; and the other way round", async () => {
    const person = await server.addPerson();
    const subject = sub();
    await link(person, one.issuer, subject);
    await expectAssertionRefused(server, by(strict, subject), "assertion_subject_unknown");
    await expectAssertionRefused(server, bySaml(subject), "assertion_subject_unknown");
    const [mine, theirs] = [await by(one, subject), await by(two, subject)];
    expect(claimsOf(mine.body.access_token)["sub"]).toBe(person.personId);
    expect(theirs.status).toBe(200);
    expect(claimsOf(theirs.body.access_token)["sub"]).not.toBe(person.personId);
  });

  test("an issuer that signs as the other → refused before anybody is looked for", async () => {
    const subject = sub();
    await link(await server.addPerson(), one.issuer, subject);
    const forged = jwtOf(two, claimsFor(server, one, subject));
    await expectAssertionRefused(server, present(server, client, JWT_BEARER, forged), "assertion_signature_wrong");
  });

  test("an address verified by one issuer only → the other doesn't get the account made of it", async () => {
    const email = `${randomBytes(5).toString("hex")}@new.test`;
    expect((await by(one, sub(), { email, email_verified: true })).status).toBe(200);
    await expectAssertionRefused(server, by(two, sub(), { email, email_verified: true }), "assertion_subject_unknown");
  });
});

/** Spellings that look equal to the victim's subject and are different texts. */
const SPELLINGS: readonly [string, (subject: string) => string][] = [
  ["in lower case", (text) => text.toLowerCase()],
  ["in capitals", (text) => text.toUpperCase()],
  ["decomposed", (text) => text.normalize("NFD")],
  ["in full-width letters", (text) => text.replace("Z", "Ｚ")],
  ["with a Cyrillic letter", (text) => text.replace("o", "о")],
  ["with a zero-width space", (text) => `${text}\u200b`],
  ["with an ignorable joiner", (text) => text.replace("o", "o\u034f")],
  ["with a turn of direction", (text) => `\u202e${text}`],
  ["with a no-break space after it", (text) => `${text}\u00a0`],
  ["cut off", (text) => text.slice(0, -1)],
  ["twice", (text) => text + text],
  ["as JSON of the key", (text) => `${text}",null,"`],
];

describe.each(SPELLINGS)("JB-07 SA-27 a linked subject %s", (_, spelling) => {
  test("→ another subject: nobody, in a JWT and in SAML", async () => {
    const subject = sub();
    await link(await server.addPerson(), strict.issuer, subject);
    await link(await server.addPerson(), saml.entityId, subject);
    await expectAssertionRefused(server, by(strict, spelling(subject)), "assertion_subject_unknown");
    await expectAssertionRefused(server, bySaml(spelling(subject).replace('"', "&quot;")), "assertion_subject_unknown");
    expect((await by(strict, subject)).status).toBe(200);
    expect((await bySaml(subject)).status).toBe(200);
  });
});

describe.each([
  ["with NUL after it", (text: string) => `${text}\0`],
  ["with NUL and more after it", (text: string) => `${text}\0.evil.test`],
  ["with a space after it", (text: string) => `${text} `],
  ["with a tab before it", (text: string) => `\t${text}`],
  ["with a line end in it", (text: string) => text.replace("o", "o\n")],
  ["with half a character after it", (text: string) => `${text}\ud83d`],
  ["with 256 characters", (text: string) => text.padEnd(256, "x")],
  ["with 7,000 characters", (text: string) => text.padEnd(7_000, "x")],
  ["of spaces", () => "   "],
] satisfies [string, (text: string) => string][])("JB-07 a subject %s", (_, spelling) => {
  test("→ can't be linked nor made an owner: refused, and the linked one stays", async () => {
    const subject = sub();
    const person = await server.addPerson();
    await link(person, one.issuer, subject);
    const answer = await by(one, spelling(subject));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: "invalid_grant", error_description: "The assertion is not accepted." });
    const { body } = await by(one, subject);
    expect(claimsOf(body.access_token)["sub"]).toBe(person.personId);
  });
});

test("SA-27 a NameID split by a comment, or with an entity → never the linked one cut short", async () => {
  const subject = sub();
  await link(await server.addPerson(), saml.entityId, subject);
  const split = bySaml(`${subject}<!-- -->.evil.test`);
  await expectAssertionRefused(server, split, ["assertion_malformed", "assertion_signature_wrong"]);
  await expectAssertionRefused(server, bySaml(`${subject}&#x2e;evil.test`), "assertion_subject_unknown");
});

test("JB-14 an issuer deleted and trusted again → its links are gone: whoever has the name now reaches no owner of before", async () => {
  const idp = aJwtIssuer("https://sold.test");
  const record = { issuer: idp.issuer, type: "jwt", jwks: idp.jwks, mapSubject: "link" } as const;
  const { id } = await trust(server, record);
  const subject = sub();
  await link(await server.addPerson(), idp.issuer, subject);
  expect((await by(idp, subject)).status).toBe(200);
  await server.assent.storage.issuers.delete({ issuer: idp.issuer, now: server.now() });
  await settle();
  await expectAssertionRefused(server, by(idp, subject), "assertion_issuer_unknown");
  await trust(server, record);
  await expectAssertionRefused(server, by(idp, subject), "assertion_subject_unknown");
  // Such a link belongs to the deleted record: another process wrote it while the record was being deleted.
  await link(await server.addPerson(), idp.issuer, subject);
  await trust(server, { ...record, id: `not ${id}` });
  await expectAssertionRefused(server, by(idp, subject), "assertion_subject_unknown");
});

test("SA-34 whether a subject is linked, and by whom → not to be told by the answer", async () => {
  const subject = sub();
  const off = await server.addPerson();
  await link(off, strict.issuer, subject);
  await server.assent.storage.people.setStatus({ ...off, status: "disabled", now: server.now() });
  const operator = sub();
  await link(await server.addPerson({ operator: ["admin"] }), strict.issuer, operator);
  const answers = await Promise.all([by(strict, subject), by(strict, operator), by(strict, sub())]);
  expect(new Set(answers.map(({ status, body }) => unnumbered(JSON.stringify([status, body])))).size).toBe(1);
});
