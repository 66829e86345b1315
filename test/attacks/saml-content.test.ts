/**
 * Attacks on the content of a SAML assertion and on its transport (RFC 7522 §3): issuer, audience, confirmation, times,
 * replay, subject, form.
 */

import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { expectAssertionRefused, present, SAML2_BEARER, trust } from "../support/assertion-requests.ts";
import { expectRefusal, restarted } from "../support/back-channel.ts";
import {
  type AssertionParts,
  anIdentityProvider,
  assertionXml,
  audience,
  bearer,
  conditions,
  encoded,
  type IdentityProvider,
  instant,
  signed,
} from "../support/saml-idp.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

const SECOND = 1000;
let server: TestServer;
let client: TestClient;
let alice: Person;
let clientsOnly: TestClient;
const idp = anIdentityProvider("https://idp.test");
const other = anIdentityProvider("https://other.test");
const disabled = anIdentityProvider("https://disabled.test");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [SAML2_BEARER], redirectUris: [] });
  clientsOnly = await server.addClient({ grantTypes: [SAML2_BEARER], redirectUris: [] });
  alice = await server.addPerson();
  const saml = (by: IdentityProvider) => ({
    issuer: by.entityId,
    type: "saml" as const,
    certificates: [by.certificate],
  });
  await trust(server, { ...saml(other), clients: [clientsOnly.clientId] });
  await trust(server, { ...saml(disabled), status: "disabled" });
  await trust(server, saml(idp));
});
afterAll(() => server.stop());

const use = (assertion: string) => present(server, client, SAML2_BEARER, assertion);
const made = (changes: Partial<AssertionParts> = {}, by: IdentityProvider = idp, nameId = alice.username) =>
  encoded(signed(assertionXml(server, by, nameId, changes), by));
const refusedAs = (assertion: string, ...conditions: ConditionName[]) =>
  expectAssertionRefused(server, use(assertion), conditions);
const at = (seconds: number) => server.now() + seconds * SECOND;
const here = () => `${server.issuer}/token`;

describe("SA-19 issuer", () => {
  test.each([
    ["another's key", () => made({ issuer: idp.entityId }, other), "assertion_signature_wrong"],
    ["unknown", () => made({ issuer: "https://unknown.test" }), "assertion_issuer_unknown"],
    ["missing", () => made({ issuer: undefined }), "assertion_issuer_unknown"],
    ["disabled", () => made({}, disabled), "assertion_issuer_unknown"],
    ["not for this client", () => made({}, other), "assertion_client_not_allowed"],
  ] satisfies [string, () => string, ConditionName][])("%s → refused", async (_, assertion, condition) => {
    await refusedAs(assertion(), condition);
  });

  test("for the client that it names → accepted", async () => {
    expect((await present(server, clientsOnly, SAML2_BEARER, made({}, other))).status).toBe(200);
  });
});

describe("SA-21 audience", () => {
  const withAudience = (...inner: string[]) => made({ conditionsXml: conditions(at(60), inner.join("")) });
  test.each([
    ["no restriction", () => withAudience()],
    ["no Conditions", () => made({ conditionsXml: "" })],
    ["an empty restriction", () => withAudience("<saml:AudienceRestriction/>")],
    ["somebody else", () => withAudience(audience("https://else.test"))],
    ["a trailing slash", () => withAudience(audience(`${server.issuer}/`))],
    [
      "us, and somebody else who could have passed it on",
      () => withAudience(audience(server.issuer, "https://else.test")),
    ],
    [
      "two restrictions, one of them for others",
      () => withAudience(audience(server.issuer), audience("https://else.test")),
    ],
  ])("%s → refused", async (_, assertion) => {
    await refusedAs(assertion(), "assertion_audience_wrong");
  });
});

describe("subject confirmation", () => {
  const method = (name: string) => bearer(here(), at(60)).replace("cm:bearer", `cm:${name}`);
  test.each([
    ["SA-22 no Recipient", () => bearer(undefined, at(60))],
    ["SA-22 another Recipient", () => bearer("https://else.test/token", at(60))],
    ["SA-22 the issuer as Recipient", () => bearer(server.issuer, at(60))],
    ["SA-23 holder-of-key alone", () => method("holder-of-key")],
    ["SA-23 sender-vouches", () => method("sender-vouches")],
    ["SA-23 bearer without data", () => '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"/>'],
    ["none", () => ""],
    ["a NotBefore in it", () => bearer(here(), at(60), ` NotBefore="${instant(at(-60))}"`)],
    ["SA-24 no NotOnOrAfter", () => bearer(here(), undefined)],
  ])("%s → refused", async (_, confirmationXml) => {
    await refusedAs(made({ confirmationXml: confirmationXml() }), "assertion_confirmation_wrong");
  });

  test("one that fits among others → accepted", async () => {
    const confirmationXml = method("holder-of-key") + bearer("https://else.test", at(60)) + bearer(here(), at(60));
    expect((await use(made({ confirmationXml }))).status).toBe(200);
  });
});

describe("SA-24 times", () => {
  const within = (from: string, until: number | undefined) => conditions(until, audience(server.issuer), from);
  test.each([
    ["over for 61 s", () => ({ confirmationXml: bearer(here(), at(-61)) }), "assertion_expired"],
    ["Conditions over for 61 s", () => ({ conditionsXml: within("", at(-61)) }), "assertion_expired"],
    [
      "valid for more than an hour",
      () => ({
        confirmationXml: bearer(here(), at(3700)),
        conditionsXml: within("", at(3700)),
      }),
      "assertion_lifetime_too_long",
    ],
    [
      "not before 61 s from now",
      () => ({ conditionsXml: within(` NotBefore="${instant(at(61))}"`, at(300)) }),
      "assertion_not_yet_valid",
    ],
    ["issued 61 s from now", () => ({ issueInstant: instant(at(61)) }), "assertion_not_yet_valid"],
    ["issued two hours ago", () => ({ issueInstant: instant(at(-7200)) }), "assertion_lifetime_too_long"],
    [
      "a session that is over",
      () => ({
        statementsXml: `<saml:AuthnStatement AuthnInstant="${instant(at(-100))}" SessionNotOnOrAfter="${instant(at(-61))}"/>`,
      }),
      "assertion_expired",
    ],
    ["a time without its zone", () => ({ issueInstant: "2026-01-01T00:00:00" }), "assertion_malformed"],
  ] satisfies [string, () => Partial<AssertionParts>, ConditionName][])(
    "%s → refused",
    async (_, changes, condition) => {
      await refusedAs(made(changes()), condition);
    },
  );

  test.each([
    [
      "over for 10 s by our clock",
      () => ({
        confirmationXml: bearer(here(), at(-10)),
        conditionsXml: within("", at(-10)),
      }),
    ],
    ["not before 10 s from now", () => ({ conditionsXml: within(` NotBefore="${instant(at(10))}"`, at(300)) })],
  ])("%s → accepted; clocks differ", async (_, changes) => {
    const { status, body } = await use(made(changes()));
    expect(status).toBe(200);
    expect(body.expires_in).toBeGreaterThan(0);
    expect(body.expires_in).toBeLessThanOrEqual(300);
  });
});

describe("SA-25 conditions", () => {
  const withCondition = (xml: string) => made({ conditionsXml: conditions(at(60), audience(server.issuer) + xml) });
  test.each([
    ["unknown", '<x:OnlyOnSundays xmlns:x="urn:x"/>', "assertion_condition_unknown"],
    [
      "a Condition of another type",
      '<saml:Condition xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x"/>',
      "assertion_condition_unknown",
    ],
    ["OneTimeUse twice", "<saml:OneTimeUse/><saml:OneTimeUse/>", "assertion_malformed"],
    ["ProxyRestriction twice", "<saml:ProxyRestriction/><saml:ProxyRestriction/>", "assertion_malformed"],
  ] satisfies [string, string, ConditionName][])("%s → refused", async (_, xml, condition) => {
    await refusedAs(withCondition(xml), condition);
  });

  test("ProxyRestriction, which forbids nothing here → accepted", async () => {
    expect((await use(withCondition('<saml:ProxyRestriction Count="0"/>'))).status).toBe(200);
  });
});

describe("SA-26 replay", () => {
  test("again, or in another spelling → refused", async () => {
    const xml = signed(assertionXml(server, idp, alice.username), idp);
    expect((await use(encoded(xml))).status).toBe(200);
    await refusedAs(encoded(xml), "assertion_replayed");
    await refusedAs(encoded(`\n${xml}\n`), "assertion_replayed");
    await refusedAs(encoded(xml.replace('" Version', '"\n Version')), "assertion_replayed");
    server.tick(320 * SECOND);
    await refusedAs(encoded(xml), "assertion_replayed");
    server.tick(100 * SECOND);
    await refusedAs(encoded(xml), "assertion_expired");
  });

  test("50 at once → one", async () => {
    const assertion = made();
    const answers = await Promise.all(Array.from({ length: 50 }, () => use(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
      new Set(["invalid_grant"]),
    );
  });

  test("after a restart → refused; one that is new → accepted", async () => {
    const id = `_${"a".repeat(32)}`;
    expect((await use(made({ id }))).status).toBe(200);
    const later = await restarted(server);
    try {
      // The other server has another port and so another audience. The issuer signs an assertion with the same id for
      // it.
      const again = (changes: Partial<AssertionParts>) =>
        present(later, client, SAML2_BEARER, encoded(signed(assertionXml(later, idp, alice.username, changes), idp)));
      await expectAssertionRefused(later, again({ id }), "assertion_replayed");
      expect((await again({})).status).toBe(200);
    } finally {
      await later.stop();
    }
  });
});

describe("SA-27 subject", () => {
  const named = (nameId: string | undefined) =>
    made({ nameId: nameId === undefined ? undefined : `<saml:NameID>${nameId}</saml:NameID>` });
  test.each([
    ["missing", undefined, "assertion_subject_missing"],
    ["empty", " ", "assertion_subject_missing"],
    ["nobody's", "nobody", "assertion_subject_unknown"],
    ["not a name", "a b", "assertion_subject_unknown"],
  ] satisfies [string, string | undefined, ConditionName][])("%s → refused", async (_, nameId, condition) => {
    await refusedAs(named(nameId), condition);
  });

  test("an owner who is disabled, deleted, or an operator → refused", async () => {
    const { storage } = server.assent;
    const off = await server.addPerson();
    await storage.people.setStatus({
      partition: off.partition,
      personId: off.personId,
      status: "disabled",
      now: server.now(),
    });
    await refusedAs(named(off.username), "assertion_owner_disabled");
    const gone = await server.addPerson();
    await storage.people.delete({ partition: gone.partition, personId: gone.personId, now: server.now() });
    await refusedAs(named(gone.username), "assertion_subject_unknown");
    const operator = await server.addPerson({ operator: ["read"] });
    await refusedAs(named(operator.username), "assertion_subject_not_allowed");
  });
});

describe("the form", () => {
  const xml = () => signed(assertionXml(server, idp, `${alice.username}`), idp);
  test.each([
    ["standard base64", (text: string) => `${Buffer.from(text).toString("base64").replace(/=+$/, "")}+/`],
    ["padding", (text: string) => `${encoded(text)}=`],
    ["deflated", (text: string) => deflateRawSync(text).toString("base64url")],
    ["encoded twice", (text: string) => encoded(encoded(text))],
    ["percent signs", (text: string) => encodeURIComponent(encoded(text).replace(/.$/, "%"))],
    ["not base64url at all", () => "<saml:Assertion/>"],
  ])("SA-29 %s → refused", async (_, bend) => {
    await refusedAs(bend(xml()), "assertion_malformed");
  });

  test("SA-29 wrapped in lines → invalid_request: a control character", async () => {
    expectRefusal(await use(encoded(xml()).replace(/.{64}/g, "$&\r\n")), "invalid_request");
  });

  test("SA-30 over 64 KiB → refused before it is read", async () => {
    const { status, body } = await use("A".repeat(66_000));
    expect([400, 413]).toContain(status);
    expect(body.error).toBe("invalid_request");
  });

  test.each([
    ["1,000 deep", () => `${"<a>".repeat(1000)}${"</a>".repeat(1000)}`],
    ["3,000 attributes", () => `<a ${Array.from({ length: 3000 }, (_, at) => `a${at}="1"`).join(" ")}/>`],
    ["5,000 elements", () => `<a>${"<b/>".repeat(5000)}</a>`],
    ["45,000 characters of one text", () => `<a>${"x".repeat(45_000)}</a>`],
    ["45,000 tag openers", () => "<".repeat(45_000)],
    ["spaces without end", () => `<a${" ".repeat(45_000)}`],
  ])("SA-30 %s → refused, quickly", byTheClock, async (_, content) => {
    const assertion = encoded(content());
    // The first assertion of this size starts a worker thread, so it isn't measured.
    await use(assertion);
    const before = performance.now();
    await refusedAs(assertion, "assertion_malformed");
    // About 20 ms of work, with room for a busy machine.
    expect(performance.now() - before).toBeLessThan(500);
  });

  test.each([
    ["UTF-16", () => Buffer.from(`\ufeff${xml()}`, "utf16le")],
    ["a byte order mark", () => Buffer.from(`\ufeff${xml()}`)],
    ["UTF-7 declared", () => Buffer.from(`<?xml version="1.0" encoding="UTF-7"?>${xml()}`)],
    ["bytes that are no UTF-8", () => Buffer.concat([Buffer.from(xml()), Buffer.from([0xc3, 0x28])])],
    ["an overlong form", () => Buffer.concat([Buffer.from("<a>"), Buffer.from([0xc0, 0xbc]), Buffer.from("</a>")])],
  ])("SA-31 %s → refused", async (_, bytes) => {
    await refusedAs(encoded(bytes()), "assertion_malformed");
  });
});

describe("CN-10 consent", () => {
  test("taken back by the owner → refused, whatever the issuer says, until they consent on a page", async () => {
    const owner = await server.addPerson();
    expect((await use(made({}, idp, owner.username))).status).toBe(200);
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: owner.personId, now: server.now() });
    await expectAssertionRefused(server, use(made({}, idp, owner.username)), "assertion_consent_revoked");
  });
});
