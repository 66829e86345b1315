/**
 * SAML assertions (RFC 7522) that were signed by programs that share no code with the server: xmlsec1 (files, made by
 * test/support/xmlsec1/make.sh) and xmldsigjs. The server accepts them, and refuses them after any change.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import { claimsOf, expectAssertionRefused, present, SAML2_BEARER, trust } from "../support/assertion-requests.ts";
import type { TokenAnswer } from "../support/http-browser.ts";
import { anIdentityProvider, assertionXml, encoded, signed } from "../support/saml-idp.ts";
import { signedByXmldsigjs } from "../support/second-saml-signer.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const folder = join(import.meta.dirname, "../support/xmlsec1");
const file = (name: string) => readFileSync(join(folder, name), "utf8");
const FILES = ["prefixed", "default-namespace", "typed-attributes"] as const;
/** The audience in the files, and a time one minute after they were issued. */
const ISSUER = "https://login.test";
const THEN = Date.parse("2026-11-21T12:01:00Z");

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer({ config: { issuer: ISSUER } });
  server.tick(THEN - Date.now());
  client = await server.addClient({ grantTypes: [SAML2_BEARER], redirectUris: [] });
  for (const username of ["alice", "mallory"]) await server.addPerson({ username });
  for (const kind of ["rsa", "ecdsa"]) {
    await trust(server, { issuer: `https://${kind}.test`, type: "saml", certificates: [file(`${kind}.pem`)] });
  }
});
afterAll(() => server.stop());

/** Presents an assertion at the server's address on this machine, which differs from its issuer. */
const use = (xml: string): Promise<TokenAnswer> =>
  present({ issuer: server.url }, client, SAML2_BEARER, encoded(xml), { scope: "read" });

/** Expects a token about this person. */
async function expectAccepted(xml: string, username: string): Promise<void> {
  const { status, body } = await use(xml);
  expect(status, JSON.stringify(body)).toBe(200);
  const person = await server.assent.storage.people.findByName({ name: username });
  expect(claimsOf(body.access_token)["sub"]).toBe(person?.personId);
}

const BAD: readonly ConditionName[] = ["assertion_malformed", "assertion_signature_wrong"];
const NAME = /(<(?:\w+:)?NameID[^>]*>)alice/;
const SIGNATURE = /<ds:Signature[\s\S]*<\/ds:Signature>/;

/** Each makes another assertion of a good one; none may count. */
const MUTATIONS: readonly (readonly [what: string, (xml: string) => string])[] = [
  ["another subject", (xml) => xml.replace(NAME, "$1mallory")],
  ["a subject with a space", (xml) => xml.replace(NAME, "$1alice ")],
  ["a subject with a comment in it", (xml) => xml.replace(NAME, "$1<!---->alice")],
  ["a later end", (xml) => xml.replaceAll(/NotOnOrAfter="[^"]+"/g, 'NotOnOrAfter="2026-11-21T12:55:00Z"')],
  ["another audience", (xml) => xml.replace(/(Audience>)https:\/\/login\.test/, "$1https://other.test")],
  ["another ID", (xml) => xml.replace(/ ID="_/, ' ID="_again')],
  ["another ID, reference and all", (xml) => xml.replace(/ ID="_/, ' ID="_again').replace('URI="#_', 'URI="#_again')],
  ["another digest", (xml) => xml.replace(/(DigestValue>).{4}/, "$1AAAA")],
  ["another signature value", (xml) => xml.replace(/(SignatureValue>).{4}/, "$1AAAA")],
  [
    "SHA-1 for its digest",
    (xml) => xml.replace(/(DigestMethod Algorithm=")[^"]+/, "$1http://www.w3.org/2000/09/xmldsig#sha1"),
  ],
  [
    "inclusive canonicalization",
    (xml) =>
      xml.replaceAll('http://www.w3.org/2001/10/xml-exc-c14n#"', 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315"'),
  ],
  ["no signature", (xml) => xml.replace(SIGNATURE, "")],
  ["a text more", (xml) => xml.replace(/(<(?:\w+:)?Conditions )/, "x$1")],
  ["an attribute more", (xml) => xml.replace(NAME, (all) => all.replace(">", ' SPNameQualifier="x">'))],
  [
    "its subject twice",
    (xml) =>
      xml.replace(/<(?:\w+:)?Subject>[\s\S]*<\/(?:\w+:)?Subject>/, (all) => all.replace("alice", "mallory") + all),
  ],
  [
    "another one around it (XSW4)",
    (xml) =>
      xml
        .replace(SIGNATURE, (signature) => signature + xml.replace(/^<\?.*\?>\s*/, "").replace(NAME, "$1alice"))
        .replace(NAME, "$1mallory")
        .replace(/ ID="_/, ' ID="_evil'),
  ],
];

describe.each(FILES)("%s.xml signed by xmlsec1", (name) => {
  const xml = file(`${name}.xml`);

  test.each(MUTATIONS)("with %s → refused", async (_, mutate) => {
    const bent = mutate(xml);
    expect(bent).not.toBe(xml);
    await expectAssertionRefused({ issuer: ISSUER, log: server.log }, use(bent), BAD);
  });

  test("unchanged → accepted, once", async () => {
    await expectAccepted(xml, "alice");
    await expectAssertionRefused({ issuer: ISSUER, log: server.log }, use(xml), "assertion_replayed");
  });
});

test("a certificate in KeyInfo → ignored, because only the registered certificate counts", async () => {
  const mallory = anIdentityProvider("https://rsa.test");
  const own = mallory.certificate.replace(/-----.*-----|\s/g, "");
  const xml = assertionXml({ issuer: ISSUER, now: () => THEN }, mallory, "alice");
  const keyInfoXml = `<ds:X509Data><ds:X509Certificate>${own}</ds:X509Certificate></ds:X509Data>`;
  const forged = use(signed(xml, mallory, { keyInfoXml }));
  await expectAssertionRefused({ issuer: ISSUER, log: server.log }, forged, "assertion_signature_wrong");
});

describe.each([
  ["rsa", "SHA-256"],
  ["rsa", "SHA-512"],
  ["P-256", "SHA-256"],
  ["P-384", "SHA-512"],
] as const)("signed by xmldsigjs, %s with %s", (kind, hash) => {
  const idp = anIdentityProvider(`https://xmldsigjs-${kind}-${hash}.test`.toLowerCase(), kind);
  const fresh = () => signedByXmldsigjs(assertionXml({ issuer: ISSUER, now: server.now }, idp, "alice"), idp, hash);
  beforeAll(async () => {
    await trust(server, { issuer: idp.entityId, type: "saml", certificates: [idp.certificate] });
  });

  test("unchanged → accepted", async () => {
    await expectAccepted(await fresh(), "alice");
  });

  test("changed in any of these ways → refused", async () => {
    for (const [what, mutate] of MUTATIONS) {
      const good = await fresh();
      const bent = mutate(good);
      expect(bent, what).not.toBe(good);
      await expectAssertionRefused({ issuer: ISSUER, log: server.log }, use(bent), BAD);
    }
  });

  test("by a key that isn't registered → refused", async () => {
    const other = anIdentityProvider(idp.entityId, kind);
    const xml = await signedByXmldsigjs(assertionXml({ issuer: ISSUER, now: server.now }, idp, "alice"), other, hash);
    await expectAssertionRefused({ issuer: ISSUER, log: server.log }, use(xml), "assertion_signature_wrong");
  });
});
