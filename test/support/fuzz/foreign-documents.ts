/** Parsers of documents that others made, and the properties of each. */

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DOMParser } from "@xmldom/xmldom";
import {
  credentialIdOf,
  madePasskey,
  type RelyingParty,
  usedPasskey,
} from "../../../packages/server/src/crypto/passkeys.ts";
import { clientCertificate } from "../../../packages/server/src/http/connections/client-certificate.ts";
import { readKeySet } from "../../../packages/server/src/jose/foreign-jwts.ts";
import { readJsonObject } from "../../../packages/server/src/jose/strict-json.ts";
import { MAX_JWT, readJwt, verifySignature } from "../../../packages/server/src/jose/verify-jwt.ts";
import { canonicalName } from "../../../packages/server/src/oauth/distinguished-name.ts";
import { readPublishedKeys, readRegisteredKeys } from "../../../packages/server/src/oauth/foreign-jwk-set.ts";
import { timeClaim } from "../../../packages/server/src/oauth/numeric-date.ts";
import type { Passkey } from "../../../packages/server/src/owners/factor-storage.ts";
import {
  certificatesOfMetadata,
  readCertificates,
} from "../../../packages/server/src/saml/identity-provider-metadata.ts";
import { readXml, type XmlElement, XmlRefused } from "../../../packages/server/src/saml/strict-xml.ts";
import { readAssertion } from "../../../packages/server/src/saml/verify-assertion.ts";
import { corpusOf, type Parser } from "./harness.ts";

const HOSTILE = ["\0", "\u202e", "\ud800", "😀", "é", "\ufeff", "__proto__"];

const JSON_PIECES = [
  ...['{"a":', '"a"', '"\\u0061"', ":", ",", "{", "}", "[", "]", "1", "-0", "1e999", "0.5", "true", "null", '"', "\\"],
  ...['"__proto__":', '{"alg":"ES256"}', '"\\ud800"', " ", "\n", '"sub":"b"', ...HOSTILE],
];

/** JSON as text or bytes. Undefined: invalid JSON. */
function plainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const strictJson: Parser = {
  name: "json",
  longest: 65_536,
  pieces: JSON_PIECES,
  check(input) {
    const read = readJsonObject(Buffer.from(input));
    if (read === undefined) return;
    // Accepted input is JSON for every parser, and has no duplicate names.
    assert.deepEqual(read, plainJson(Buffer.from(input).toString()));
    // A number that is too large becomes infinite, which JSON can't express.
    const again = JSON.stringify(read);
    assert.deepEqual(readJsonObject(Buffer.from(again)), plainJson(again));
    const escaped = JSON.stringify(Object.keys(read)[0] ?? "");
    const twice = `{${escaped}:1,${JSON.stringify(read).slice(1)}`;
    if (Object.keys(read).length > 0) assert.equal(readJsonObject(Buffer.from(twice)), undefined);
  },
};

const part = (text: string) => Buffer.from(text).toString("base64url");

const jwt: Parser = {
  name: "jwt",
  longest: 16_384,
  pieces: [
    ...[".", part('{"alg":"ES256"}'), part('{"alg":"none"}'), part('{"iss":"a","exp":1}'), part('{"a":1,"a":2}'), "AA"],
    ...["=", "AB", part('{"alg":"ES256","crit":["b64"]}'), part("["), "A", "-", "_", "+", "/", " ", ...HOSTILE],
  ],
  async check(input) {
    const read = readJwt(input);
    if (read === undefined) return;
    assert.ok(input.length <= MAX_JWT);
    assert.match(input, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/);
    const [head = "", body = ""] = input.split(".").map((one) => Buffer.from(one, "base64url").toString());
    assert.equal((plainJson(head) as { alg: unknown }).alg, read.alg);
    assert.deepEqual(read.claims, plainJson(body));
    for (const name of ["exp", "nbf", "iat"]) timeClaim(read.claims, name);
    // A key that signed nothing verifies nothing, for any alg in the header.
    assert.equal(await verifySignature(read, Buffer.alloc(64, 1)), false);
  },
};

const EC =
  '{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}';

const keySet: Parser = {
  name: "jwk-set",
  longest: 65_536,
  pieces: [
    ...[
      '{"keys":[',
      "]}",
      ",",
      EC,
      '"kid":"a"',
      '"d":"AA"',
      '"use":"enc"',
      '"key_ops":["verify"]',
      '"kty":"RSA"',
      '"n":"',
    ],
    ...['"e":"AQAB"', '"kty":"OKP"', '"crv":"Ed25519"', '"x":"', "AAAA", '"', "{", "}", ":", "[", "]", "1", "null"],
  ],
  check(input) {
    const published = readKeySet(Buffer.from(input));
    const document = plainJson(input);
    const registered = readRegisteredKeys(document);
    assert.ok((published?.length ?? 0) <= 100);
    if (registered.kind === "invalid") return assert.notEqual(registered.problem, "");
    for (const key of registered.keys)
      assert.ok(Object.keys(key).every((name) => ["kty", "crv", "x", "y", "n", "e", "kid", "alg"].includes(name)));
    // A registered document is read the same from a server, and parses again to the same result.
    assert.deepEqual(readPublishedKeys(document), registered.keys);
    assert.deepEqual(readRegisteredKeys({ keys: registered.keys }), registered);
  },
};

const numericDate: Parser = {
  name: "numeric-date",
  longest: 400,
  pieces: [
    "0",
    "1",
    "9",
    "-",
    ".",
    "e",
    "E",
    "+",
    "253402300799",
    "9007199254740993",
    "1767225600",
    '"',
    "null",
    "[",
    "]",
  ],
  check(input) {
    const value = plainJson(input);
    const time = timeClaim({ exp: value }, "exp");
    assert.equal(timeClaim({}, "exp"), null);
    if (typeof value !== "number" || !(value >= 0 && value <= 253_402_300_799)) return assert.equal(time, undefined);
    assert.ok(Number.isSafeInteger(time));
    // Truncated to milliseconds, from a number that may not be exact in binary.
    assert.ok(Math.abs((time ?? 0) / 1000 - value) < 0.002);
    assert.ok(Number.isFinite(new Date(time ?? 0).getTime()));
  },
};

/** The parts of an element, for comparison with another parser's. */
function outline(element: XmlElement): unknown {
  return [element.namespace, element.name, element.children.map(outline)];
}

interface DomNode {
  readonly nodeType: number;
  readonly namespaceURI: string | null;
  readonly localName: string | null;
  readonly childNodes: ArrayLike<DomNode>;
}

function domOutline(node: DomNode): unknown {
  const children = Array.from(node.childNodes).filter(({ nodeType }) => nodeType === 1);
  return [node.namespaceURI ?? "", node.localName, children.map(domOutline)];
}

const xml: Parser = {
  name: "xml",
  longest: 65_536,
  pieces: [
    ...[
      "<a>",
      "</a>",
      "<a/>",
      "<b:c>",
      "</b:c>",
      ' xmlns="urn:a"',
      ' xmlns:b="urn:b"',
      ' x="1"',
      "<",
      ">",
      "/",
      "=",
      '"',
    ],
    ...[
      "&lt;",
      "&#65;",
      "&#x10FFFF;",
      "&#0;",
      "&amp;",
      "&x;",
      "&",
      "]]>",
      "<!--",
      "-->",
      "<![CDATA[",
      "<!DOCTYPE a>",
      "<?x?>",
    ],
    ...['<?xml version="1.0"?>', " ", "\n", "\r", "\t", "text", "'", ...HOSTILE],
  ],
  check(input) {
    let root: XmlElement;
    try {
      root = readXml(input);
    } catch (error) {
      if (error instanceof XmlRefused) return;
      throw error;
    }
    // Accepted input is XML for another parser too, with the same elements.
    const problems: unknown[] = [];
    const note = (problem: unknown) => problems.push(problem);
    const parser = new DOMParser({ locator: {}, errorHandler: { warning: note, error: note, fatalError: note } });
    const other = parser.parseFromString(input, "text/xml") as unknown as { documentElement: DomNode } | undefined;
    assert.deepEqual(problems, []);
    assert.ok(other !== undefined);
    assert.deepEqual(domOutline(other.documentElement), outline(root));
  },
};

const samlAssertion: Parser = {
  name: "saml-assertion",
  longest: 90_000,
  pieces: [
    ...[part("<a/>"), part("<a"), "PA", "Pg", "A", "-", "_", "=", " ", "\n", "PHNhbWw6QXNzZXJ0aW9u", "AAAA", "+", "/"],
    ...HOSTILE,
  ],
  check(input) {
    for (const text of [input, part(input)]) {
      const read = readAssertion(text, new Map([["https://idp.test", []]]));
      // No certificate in this input signed anything.
      assert.equal(read.kind, "refused");
    }
  },
};

const samlMetadata: Parser = {
  name: "saml-metadata",
  longest: 65_536,
  pieces: [
    ...[
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test">',
      "</EntityDescriptor>",
    ],
    ...[
      "<IDPSSODescriptor>",
      "</IDPSSODescriptor>",
      '<KeyDescriptor use="signing">',
      "</KeyDescriptor>",
      "<X509Certificate>",
    ],
    ...[
      "</X509Certificate>",
      "MIIB",
      "-----BEGIN CERTIFICATE-----\n",
      "-----END CERTIFICATE-----\n",
      "<!DOCTYPE a>",
      "&x;",
      "<",
    ],
    ...["text", ">", "\n", ...HOSTILE],
  ],
  check(input) {
    for (const read of [certificatesOfMetadata(input, "https://idp.test"), readCertificates(input)]) {
      if (read.kind !== "read") continue;
      for (const certificate of read.certificates) new X509Certificate(certificate);
    }
  },
};

const distinguishedName: Parser = {
  name: "distinguished-name",
  longest: 4096,
  pieces: [
    ...[
      "CN=",
      "cn=",
      "O=",
      "2.5.4.3=",
      "OU",
      "=",
      "a",
      ",",
      "+",
      "\\,",
      "\\2C",
      "\\C3\\A9",
      "\\FF",
      "\\",
      "#0401",
      " ",
      '"',
    ],
    ...[";", "<", "1.2.", ...HOSTILE],
  ],
  check(input) {
    const canonical = canonicalName(input);
    if (canonical === undefined) return;
    // The same name with another spelling of its type, or with spaces around the separator, is equal.
    assert.equal(canonicalName(input.replace(/^CN=/, "cn =")), canonical);
    assert.equal(canonicalName(`${input},O=x`), canonicalName(`${input} , o=x`));
    // A name with one more attribute is another name.
    assert.notEqual(canonicalName(`${input},O=x`), canonical);
  },
};

const nobody = { socket: {} } as Pick<IncomingMessage, "socket">;

const certificateHeader: Parser = {
  name: "client-cert-header",
  longest: 16_384,
  pieces: [":", "MIIB", "AAAA", "=", "==", " ", "\t", ",", "+", "/", "-----BEGIN CERTIFICATE-----", ";a=1", ...HOSTILE],
  check(input) {
    const source = { fromProxy: true, chainHeaders: [input], authorities: null, now: 0 };
    const read = clientCertificate(nobody, { ...source, headers: [input] });
    if (read !== undefined) {
      assert.match(read.thumbprint, /^[A-Za-z0-9_-]{43}$/);
      // RFC 8941 §3.3.5: exactly one byte sequence.
      assert.match(input.trim(), /^:[A-Za-z0-9+/]+={0,2}:$/);
    }
    assert.equal(clientCertificate(nobody, { ...source, headers: [input, input] }), undefined);
    assert.equal(clientCertificate(nobody, { ...source, fromProxy: false, headers: [input] }), undefined);
  },
};

const rp: RelyingParty = { id: "id.test", origin: "https://id.test" };
const challenge = { challenge: "A".repeat(43), until: 1 };
const NOWHERE = {} as Passkey["added"];
const passkey: Passkey = {
  ...{ partition: 0, personId: "A".repeat(22), credentialId: "AAAA", publicKey: new Uint8Array(77), counter: 0 },
  ...{
    backupEligible: false,
    backedUp: false,
    transports: [],
    name: "key",
    createdAt: 0,
    lastUsedAt: null,
    added: NOWHERE,
  },
};

const webauthn: Parser = {
  name: "webauthn",
  longest: 20_001,
  pieces: [
    ...[
      '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{',
      '"clientDataJSON":"',
      '"attestationObject":"',
      '"',
    ],
    ...[
      '"authenticatorData":"',
      '"signature":"',
      '"userHandle":"',
      ",",
      "}",
      "{",
      "[",
      "]",
      ":",
      "null",
      "1",
      "AAAA",
      "o2NmbXQ",
    ],
    ...["ZG5vbmU", '"transports":["usb"]', part('{"type":"webauthn.get"}'), "\\u0000", ...HOSTILE],
  ],
  async check(input) {
    assert.match(credentialIdOf(input) ?? "A", /^[A-Za-z0-9_-]{1,1364}$/);
    // Nobody has answered this challenge. So nothing verifies, and the reason fits in one line of the log.
    for (const answer of [await madePasskey(input, challenge, rp), await usedPasskey(input, passkey, challenge, rp)]) {
      assert.ok("refused" in answer);
      assert.match(answer.refused, /^[\x20-\x7e]{1,200}$/);
    }
  },
};

/** Checks that a corpus has accepted inputs. A parser that refuses everything would satisfy every property. */
export function acceptedOf(parser: Parser, accepts: (input: string) => boolean): number {
  return corpusOf(parser).filter(([, input]) => accepts(input)).length;
}

export const documentParsers: readonly Parser[] = [
  ...[strictJson, jwt, keySet, numericDate, xml, samlAssertion, samlMetadata],
  ...[distinguishedName, certificateHeader, webauthn],
];
