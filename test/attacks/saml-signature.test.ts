/** Attacks on the signature of SAML assertions (SAML Core §5, XML Signature): wrapping, ambiguity, weak or foreign keys. */

import { createPublicKey, X509Certificate } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { expectAssertionRefused, present, SAML2_BEARER, trust } from "../support/assertion-requests.ts";
import {
  ALGORITHMS,
  anIdentityProvider,
  assertionXml,
  certificateOf,
  DSIG,
  EXC_C14N,
  encoded,
  type SigningOptions,
  signed,
} from "../support/saml-idp.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let mallory: Person;
let victim: Person;
let site: Server;
let visits = 0;
const idp = anIdentityProvider("https://idp.test");
const mallorysIdp = anIdentityProvider("https://mallory.test");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ grantTypes: [SAML2_BEARER], redirectUris: [] });
  mallory = await server.addPerson();
  victim = await server.addPerson();
  await trust(server, { issuer: mallorysIdp.entityId, type: "saml", certificates: [mallorysIdp.certificate] });
  await trust(server, { issuer: idp.entityId, type: "saml", certificates: [idp.certificate] });
  site = createServer((_, response) => {
    visits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  site.close();
  await server.stop();
});

const use = (xml: string | Uint8Array) => present(server, client, SAML2_BEARER, encoded(xml));
const xmlAbout = (person: Person, id?: string) =>
  assertionXml(server, idp, person.username, id === undefined ? {} : { id });
/** The attacker's own assertion: validly signed, about the attacker. */
const held = () => signed(xmlAbout(mallory), idp);
const refusedAs = (xml: string | Uint8Array, ...conditions: ConditionName[]) =>
  expectAssertionRefused(server, use(xml), conditions);
const BAD: ConditionName[] = ["assertion_malformed", "assertion_signature_wrong"];

const SIGNATURE = /<ds:Signature[\s\S]*<\/ds:Signature>/;
/** The parts of a signed assertion: its signature, its unsigned content, and content about another person. */
function pieces(evilId = "_evil") {
  const original = held();
  const signature = SIGNATURE.exec(original)?.[0] ?? "";
  const bare = original.replace(SIGNATURE, "");
  const evil = xmlAbout(victim, evilId);
  const into = (inner: string) => evil.replace("</saml:Issuer>", `</saml:Issuer>${inner}`);
  const withObject = (inner: string) => signature.replace("</ds:Signature>", `${inner}</ds:Signature>`);
  return { original, signature, bare, evil, into, withObject };
}
const response = (inner: string) =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r" Version="2.0">${inner}</samlp:Response>`;

test("what the attacks are made of, left alone → accepted", async () => {
  expect((await use(held())).status).toBe(200);
});

describe("SA-03 a signed assertion wrapped so that another one would be read → refused", () => {
  test.each([
    ["XSW1: the signed one within the signature of the other", () => pieces().into(pieces().withObject(pieces().bare))],
    [
      "XSW2: the signed one beside its detached signature",
      () => {
        const { into, bare, signature } = pieces();
        return into(bare + signature);
      },
    ],
    ["XSW3: the other first, in one Response", () => response(pieces().evil + pieces().original)],
    ["XSW4: the other around the signed one", () => pieces().into(pieces().original)],
    [
      "XSW5: the signature moved to the other, the signed one after it",
      () => {
        const { into, signature, bare } = pieces();
        return response(into(signature) + bare);
      },
    ],
    [
      "XSW6: the signature in the other, the signed one in the signature",
      () => {
        const { into, withObject, bare } = pieces();
        return into(withObject(bare));
      },
    ],
    [
      "XSW7: the other in Extensions",
      () => response(`<samlp:Extensions>${pieces().evil}</samlp:Extensions>${pieces().original}`),
    ],
    [
      "XSW8: the signed one in an Object of the signature",
      () => {
        const { into, withObject, bare } = pieces();
        return into(withObject(`<ds:Object>${bare}</ds:Object>`));
      },
    ],
  ])("%s", async (_, xml) => {
    await refusedAs(xml(), ...BAD);
  });

  test("the signature alone moved to the other, under the same ID", async () => {
    const original = held();
    const id = /ID="([^"]+)"/.exec(original)?.[1] ?? "";
    const evil = xmlAbout(victim, id).replace("</saml:Issuer>", `</saml:Issuer>${SIGNATURE.exec(original)?.[0]}`);
    await refusedAs(evil, "assertion_signature_wrong");
  });

  test("a letter changed after signing", async () => {
    await refusedAs(held().replace(mallory.username, victim.username), "assertion_signature_wrong");
  });

  test("no signature", async () => {
    await refusedAs(xmlAbout(victim), "assertion_signature_wrong");
  });
});

describe("SA-04 an id twice → refused", () => {
  test.each(["ID", "Id", "id"])("under the name %s", async (name) => {
    const original = held();
    const id = /ID="([^"]+)"/.exec(original)?.[1] ?? "";
    await refusedAs(original.replace("<saml:Subject>", `<saml:Subject ${name}="${id}">`), "assertion_malformed");
  });
});

describe("SA-05 a second Assertion → refused", () => {
  test.each([
    ["beside", (extra: string) => ({ extraXml: extra })],
    ["in Advice", (extra: string) => ({ extraXml: `<saml:Advice>${extra}</saml:Advice>` })],
    ["in an Extensions", (extra: string) => ({ extraXml: `<x:Extensions xmlns:x="urn:x">${extra}</x:Extensions>` })],
    ["in another namespace", () => ({ extraXml: '<x:Assertion xmlns:x="urn:x" ID="_x"/>' })],
  ])("%s, though all of it is signed", async (_, where) => {
    const xml = assertionXml(server, idp, mallory.username, where(xmlAbout(victim, "_second")));
    await refusedAs(signed(xml, idp), "assertion_malformed");
  });
});

describe("SA-06 another root → refused", () => {
  test.each([
    ["a Response", (xml: string) => response(xml)],
    ["two roots", (xml: string) => `${xml}<x/>`],
    ["text after it", (xml: string) => `${xml}x`],
  ])("%s", async (_, wrap) => {
    await refusedAs(wrap(held()), "assertion_malformed");
  });
});

describe("SA-07 a reference to something else → refused, and nothing is fetched", () => {
  test.each([
    ["empty", () => ""],
    ["missing", () => undefined],
    ["another id", () => "#_other"],
    ["http://", () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/a`],
    ["xpointer", () => "#xpointer(/)"],
  ])("%s", async (_, uri) => {
    const value = uri();
    const xml = held().replace(/ URI="[^"]*"/, value === undefined ? "" : ` URI="${value}"`);
    await refusedAs(xml, "assertion_signature_wrong");
    expect(visits).toBe(0);
  });
});

describe("SA-08 something of the signature twice → refused", () => {
  test.each(["Reference", "SignedInfo", "SignatureValue", "DigestValue", "SignatureMethod", "Transforms"])(
    "%s",
    async (name) => {
      const whole = new RegExp(`<ds:${name}(?:>| [^>]*[^/]>)[^]*?</ds:${name}>|<ds:${name} [^>]*/>`);
      const twice = held().replace(whole, "$&$&");
      await refusedAs(twice, "assertion_signature_wrong");
    },
  );
});

describe("what parsers read differently → refused", () => {
  test.each(["DigestValue", "SignatureValue"])("SA-09 a comment inside %s", async (name) => {
    await refusedAs(held().replace(`<ds:${name}>`, `<ds:${name}><!--x-->`), "assertion_malformed");
  });

  test.each([
    ["a comment", "admin<!---->.evil"],
    ["a processing instruction", "admin<?x y?>.evil"],
    ["CDATA", "admin<![CDATA[.evil]]>"],
  ])("SA-10 %s in the subject, signed", async (_, nameId) => {
    const xml = assertionXml(server, idp, "", { nameId: `<saml:NameID>${nameId}</saml:NameID>` });
    await refusedAs(signed(xml, idp), "assertion_malformed");
  });

  test.each([
    ["a relative namespace", 'xmlns:x="evil"'],
    ["an empty namespace", 'xmlns=""'],
    ["the namespace of namespaces", 'xmlns:x="http://www.w3.org/2000/xmlns/"'],
    ["another prefix xml", 'xmlns:xml="urn:x"'],
  ])("SA-13 %s", async (_, declaration) => {
    await refusedAs(held().replace("<saml:Assertion", `<saml:Assertion ${declaration}`), "assertion_malformed");
  });

  test.each([
    ["a prefix bound to two things", (xml: string) => xml.replace("<saml:NameID>", '<saml:NameID xmlns:saml="urn:x">')],
    [
      "an attribute under two prefixes",
      (xml: string) => xml.replace("<saml:NameID>", '<saml:NameID xmlns:a="urn:x" xmlns:b="urn:x" a:c="1" b:c="2">'),
    ],
    ["an attribute twice", (xml: string) => xml.replace('Version="2.0"', 'Version="2.0" Version="2.0"')],
    ["an undeclared prefix", (xml: string) => xml.replace("<saml:NameID>", '<saml:NameID y:z="1">')],
  ])("SA-14 %s", async (_, bend) => {
    await refusedAs(bend(held()), ...BAD);
  });

  test.each([
    ["two colons in a name", (xml: string) => xml.replaceAll("saml:NameID", "saml:x:NameID")],
    ["a name that begins with a colon", (xml: string) => xml.replaceAll("saml:NameID", ":NameID")],
    ["> in an attribute's name", (xml: string) => xml.replace('Version="2.0"', 'Version="2.0" a>b="c"')],
    ["a document type", (xml: string) => `<!DOCTYPE a [<!ENTITY e "${"x".repeat(9)}">]>${xml}`],
    ["an entity", (xml: string) => xml.replace("</saml:NameID>", "&e;</saml:NameID>")],
    ["a reference to NUL", (xml: string) => xml.replace("</saml:NameID>", "&#0;</saml:NameID>")],
  ])("SA-15 %s", async (_, bend) => {
    await refusedAs(bend(held()), "assertion_malformed");
  });
});

describe("SA-12 a transform that isn't needed → refused", () => {
  const ENVELOPED = `${DSIG}enveloped-signature`;
  test.each([
    ["XSLT", ["http://www.w3.org/TR/1999/REC-xslt-19991116"]],
    ["XPath", ["http://www.w3.org/TR/1999/REC-xpath-19991116"]],
    ["base64", [`${DSIG}base64`]],
    ["with comments", [ENVELOPED, `${EXC_C14N}WithComments`]],
    ["ten", [ENVELOPED, ...Array.from({ length: 9 }, () => EXC_C14N)]],
    ["inclusive canonicalization", [ENVELOPED, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"]],
    ["none", []],
  ])("%s", async (_, transforms) => {
    const list = transforms.map((uri) => `<ds:Transform Algorithm="${uri}"/>`).join("");
    const xml = held().replace(/<ds:Transforms>.*<\/ds:Transforms>/, `<ds:Transforms>${list}</ds:Transforms>`);
    await refusedAs(xml, "assertion_signature_wrong");
  });
});

describe("SA-16 what the message says of its key is not looked at", () => {
  const keyInfo = (inner: string): SigningOptions => ({ keyInfoXml: inner });
  const attackers = () =>
    certificateOf(mallorysIdp.privateKey, idp.entityId)
      .replace(/-----[A-Z ]+-----/g, "")
      .trim();
  test.each([
    ["its certificate", () => `<X509Data><X509Certificate>${attackers()}</X509Certificate></X509Data>`],
    ["where to get it", () => `<RetrievalMethod URI="http://127.0.0.1:${(site.address() as AddressInfo).port}/"/>`],
    ["its name", () => "<KeyName>../../etc/passwd</KeyName>"],
  ])("%s, signed by somebody else's → refused", async (_, inner) => {
    const by = { ...mallorysIdp, entityId: idp.entityId };
    await refusedAs(signed(xmlAbout(victim), by, keyInfo(inner())), "assertion_signature_wrong");
    expect(visits).toBe(0);
  });

  test("a KeyInfo of somebody else beside a good signature → accepted", async () => {
    const how = keyInfo(`<ds:X509Data><ds:X509Certificate>${attackers()}</ds:X509Certificate></ds:X509Data>`);
    expect((await use(signed(xmlAbout(mallory), idp, how))).status).toBe(200);
  });
});

describe("weak or foreign algorithms and keys → refused", () => {
  const publicPem = () => new X509Certificate(idp.certificate).publicKey.export({ type: "spki", format: "pem" });
  test.each([
    ["hmac-sha1, keyed with the public key", `${DSIG}hmac-sha1`],
    ["hmac-sha256, keyed with the public key", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"],
  ])("SA-17 %s", async (_, signature) => {
    const key = Buffer.from(publicPem());
    await refusedAs(signed(xmlAbout(victim), idp, { signature, key }), "assertion_signature_wrong");
  });

  test.each([
    ["rsa-sha1", { signature: `${DSIG}rsa-sha1` }],
    ["rsa-md5", { signature: "http://www.w3.org/2001/04/xmldsig-more#rsa-md5" }],
    ["digest sha1", { digest: ALGORITHMS.sha1 }],
    ["digest md5", { digest: ALGORITHMS.md5 }],
    ["canonicalization with comments of the signature", { canonicalization: `${EXC_C14N}WithComments` }],
  ])("SA-18 %s", async (_, how) => {
    await refusedAs(signed(xmlAbout(mallory), idp, how), "assertion_signature_wrong");
  });

  test("SA-18 dsa", async () => {
    const dsa = { ...anIdentityProvider("https://dsa.test", "dsa"), entityId: idp.entityId };
    await refusedAs(signed(xmlAbout(mallory), dsa, { signature: `${DSIG}dsa-sha1` }), "assertion_signature_wrong");
  });

  test("SA-18 an RSA key of 1,024 bits, though it came to be on the record", async () => {
    const weak = anIdentityProvider("https://weak.test", "rsa-1024");
    await trust(server, { issuer: weak.entityId, type: "saml", certificates: [weak.certificate] });
    await refusedAs(signed(assertionXml(server, weak, mallory.username), weak), "assertion_signature_wrong");
  });

  test("an ECDSA signature under an RSA key's issuer", async () => {
    const ec = { ...anIdentityProvider("https://x.test", "P-256"), entityId: idp.entityId };
    await refusedAs(signed(xmlAbout(mallory), ec), "assertion_signature_wrong");
  });

  test("the certificate's own key is another's", async () => {
    expect(createPublicKey(idp.privateKey).equals(createPublicKey(mallorysIdp.privateKey))).toBe(false);
    await refusedAs(signed(xmlAbout(victim), { ...mallorysIdp, entityId: idp.entityId }), "assertion_signature_wrong");
  });
});

describe("SA-28 anything encrypted → refused", () => {
  const encryptedData = (method: string) =>
    `<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"><xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#${method}"/></xenc:EncryptedData>`;
  test.each([
    [
      "an EncryptedAssertion",
      () =>
        `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${encryptedData("aes128-cbc")}</saml:EncryptedAssertion>`,
    ],
    [
      "one under RSA 1.5",
      () =>
        `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${encryptedData("rsa-1_5")}</saml:EncryptedAssertion>`,
    ],
    [
      "an EncryptedID",
      () =>
        signed(
          assertionXml(server, idp, "", {
            nameId: `<saml:EncryptedID>${encryptedData("aes256-cbc")}</saml:EncryptedID>`,
          }),
          idp,
        ),
    ],
    [
      "an EncryptedAttribute",
      () =>
        signed(
          assertionXml(server, idp, mallory.username, {
            extraXml: `<saml:AttributeStatement><saml:EncryptedAttribute>${encryptedData("aes256-cbc")}</saml:EncryptedAttribute></saml:AttributeStatement>`,
          }),
          idp,
        ),
    ],
  ])("%s", async (_, xml) => {
    await refusedAs(xml(), "assertion_malformed");
  });
});

test("SA-20 an issuer without a certificate → nothing of it is accepted", async () => {
  const bare = anIdentityProvider("https://bare.test");
  await trust(server, { issuer: bare.entityId, type: "saml", certificates: [] });
  await refusedAs(signed(assertionXml(server, bare, victim.username), bare), "assertion_signature_wrong");
});
