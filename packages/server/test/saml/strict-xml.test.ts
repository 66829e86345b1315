import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anIdentityProvider, assertionXml, encoded, signed } from "../../../../test/support/saml-idp.ts";
import { byTheClock } from "../../../../test/support/timing-test-retries.ts";
import { readXml, textOf, XmlRefused } from "../../src/saml/strict-xml.ts";
import { readAssertion } from "../../src/saml/verify-assertion.ts";

describe("what isn't read", () => {
  test.each([
    ["nothing", ""],
    ["no end", "<a>"],
    ["another end", "<a></b>"],
    ["an end alone", "</a>"],
    ["text before", "x<a/>"],
    ["a comment", "<a><!-- b --></a>"],
    ["CDATA", "<a><![CDATA[b]]></a>"],
    ["a processing instruction", "<a><?b c?></a>"],
    ["a document type", "<!DOCTYPE a><a/>"],
    ["XML 1.1", '<?xml version="1.1"?><a/>'],
    ["another encoding", '<?xml version="1.0" encoding="ISO-8859-1"?><a/>'],
    ["an entity", "<a>&b;</a>"],
    ["a bare ampersand", "<a>b & c</a>"],
    ["a reference to a surrogate", "<a>&#xD800;</a>"],
    ["a reference past Unicode", "<a>&#x110000;</a>"],
    ["a reference to a control character", "<a>&#1;</a>"],
    ["]]> in text", "<a>]]></a>"],
    ["a control character", "<a>\u0001</a>"],
    ["half a surrogate pair", "<a>\ud800</a>"],
    ["an attribute without quotes", "<a b=c/>"],
    ["an attribute in single quotes", "<a b='c'/>"],
    ["a line end in an attribute", '<a b="c\nd"/>'],
    ["< in an attribute", '<a b="<"/>'],
    ["attributes without a space between", '<a b="c"d="e"/>'],
    ["a name outside of ASCII", "<ä/>"],
    ["an undeclared prefix", "<a:b/>"],
    ["a prefix after its element ended", '<a><b xmlns:c="urn:c"/><c:d/></a>'],
    ["51 deep", "<a>".repeat(51) + "</a>".repeat(51)],
  ])("%s → refused", (_, text) => {
    expect(() => readXml(text)).toThrow(XmlRefused);
  });
});

test("elements, namespaces, attributes and text → as XML says", () => {
  const root = readXml(
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a xmlns="urn:a" xmlns:b="urn:b" b:c="&lt;&#65;&quot;"> x<b:d xmlns="urn:e"><f/></b:d>&amp;y\r\nz </a >\n',
  );
  expect(root).toMatchObject({ name: "a", namespace: "urn:a", prefix: "" });
  expect([...root.attributes]).toEqual([["b:c", '<A"']]);
  expect(root.text).toBe(" x&y\nz ");
  expect(root.children[0]).toMatchObject({ name: "d", namespace: "urn:b", prefix: "b" });
  expect(root.children[0]?.children[0]).toMatchObject({ name: "f", namespace: "urn:e" });
  expect(() => textOf(root)).toThrow("holds more than text");
});

test("50,000 spaces before a letter → read at once", byTheClock, () => {
  const root = readXml(`<a>${" ".repeat(50_000)}b${" ".repeat(50_000)}</a>`);
  const before = performance.now();
  expect(textOf(root)).toBe("b");
  expect(performance.now() - before).toBeLessThan(50);
});

const idp = anIdentityProvider("https://idp.test");
const keys = new Map([[idp.entityId, [idp.certificate]]]);
const good = signed(assertionXml({ issuer: "https://as.test", now: Date.now }, idp, "alice"), idp);

test("any text, any bytes → refused, never an exception", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 300 })), (sent) => {
      const text = typeof sent === "string" ? sent : encoded(sent);
      expect(readAssertion(text, keys).kind).toBe("refused");
    }),
    { numRuns: 300 },
  );
});

test("a signed assertion with any piece of it replaced → refused, or nothing that it says has changed", () => {
  const says = readAssertion(encoded(good), keys);
  expect(says.kind).toBe("verified");
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom("<!---->", "&amp;", " ", "\n", 'ID="_x"', "<a/>", "</saml:NameID>", 'xmlns:x="urn:x"', "&#x20;"),
  );
  fc.assert(
    fc.property(fc.nat(good.length), fc.nat(8), piece, (from, length, instead) => {
      const bent = good.slice(0, from) + instead + good.slice(from + length);
      const reading = readAssertion(encoded(bent), keys);
      if (reading.kind === "verified") expect(reading).toEqual(says);
    }),
    { numRuns: 400 },
  );
});
