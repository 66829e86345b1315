/** A SAML assertion: from its base64url form to its content (SAML Core §2; RFC 7522 §2.1). */

import type { Millis } from "../oauth/model.ts";
import type { SamlAssertion, SamlConditions, SamlConfirmation, SamlReading } from "../oauth/saml-assertion-model.ts";
import { ASSERTION_NAMESPACE, checkShape, pretendToVerify, SignatureRefused, verifiedAssertion } from "./signature.ts";
import { childOf, childrenOf, descendants, readXml, textOf, type XmlElement, XmlRefused } from "./strict-xml.ts";

/** Entity id of the issuer → its certificates, PEM. */
export type CertificatesOf = ReadonlyMap<string, readonly string[]>;

/** Bytes of XML. */
export const MAX_ASSERTION = 65_536;

const KNOWN_CONDITIONS: ReadonlySet<string> = new Set(["AudienceRestriction", "OneTimeUse", "ProxyRestriction"]);
const EMAIL_ATTRIBUTES: ReadonlySet<string> = new Set([
  "email",
  "mail",
  "urn:oid:0.9.2342.19200300.100.1.3",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
]);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads and verifies an assertion. The signature covers everything that it returns. It never throws because of the
 * input. The detail of a refusal is for the log, and contains nothing of the assertion except names of elements and
 * algorithms.
 */
export function readAssertion(encoded: string, certificatesOf: CertificatesOf): SamlReading {
  try {
    const text = decoded(encoded);
    const root = readXml(text);
    checkShape(root);
    // Read the issuer only to find the keys. It is read again from the signed bytes.
    const certificates = certificatesOf.get(issuerOf(root));
    if (certificates === undefined) {
      pretendToVerify(text);
      return { kind: "refused", condition: "assertion_issuer_unknown", detail: "" };
    }
    const signed = verifiedAssertion(text, root, certificates);
    return { kind: "verified", assertion: assertionOf(signed) };
  } catch (error) {
    if (error instanceof SignatureRefused) return refused("assertion_signature_wrong", error.message);
    if (error instanceof XmlRefused) return refused("assertion_malformed", error.message);
    throw error;
  }
}

function refused(condition: "assertion_signature_wrong" | "assertion_malformed", detail: string): SamlReading {
  return { kind: "refused", condition, detail };
}

/**
 * RFC 7522 §2.1: base64url without line breaks or padding. Unused bits must be zero, otherwise one assertion would have
 * several forms.
 */
function decoded(encoded: string): string {
  const bytes = Buffer.from(encoded, "base64url");
  if (!/^[A-Za-z0-9_-]+$/.test(encoded) || bytes.toString("base64url") !== encoded) {
    throw new XmlRefused("not base64url without padding");
  }
  if (bytes.length > MAX_ASSERTION) throw new XmlRefused(`over ${MAX_ASSERTION} bytes`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new XmlRefused("not UTF-8");
  }
}

function issuerOf(root: XmlElement): string {
  const issuer = childOf(root, ASSERTION_NAMESPACE, "Issuer");
  return issuer === undefined ? "" : textOf(issuer);
}

function assertionOf(root: XmlElement): SamlAssertion {
  if (root.attributes.get("Version") !== "2.0") throw new XmlRefused("not version 2.0");
  const subject = childOf(root, ASSERTION_NAMESPACE, "Subject");
  const conditions = childOf(root, ASSERTION_NAMESPACE, "Conditions");
  const nameId = subject && childOf(subject, ASSERTION_NAMESPACE, "NameID");
  const statements = childrenOf(root, ASSERTION_NAMESPACE, "AuthnStatement");
  return {
    id: root.attributes.get("ID") ?? "",
    issuer: issuerOf(root),
    issuedAt: timeOf(root, "IssueInstant"),
    nameId: nameId === undefined ? null : textOf(nameId),
    nameIdFormat: nameId?.attributes.get("Format") ?? null,
    email: emailOf(root),
    attributes: attributesOf(root),
    confirmations: subject === undefined ? [] : confirmationsOf(subject),
    conditions: conditions === undefined ? null : conditionsOf(conditions),
    authenticatedAt: statements.map((one) => timeOf(one, "AuthnInstant")).find((time) => time !== null) ?? null,
    sessionEnds: statements.map((one) => timeOf(one, "SessionNotOnOrAfter")).filter((time) => time !== null),
  };
}

function confirmationsOf(subject: XmlElement): readonly SamlConfirmation[] {
  return childrenOf(subject, ASSERTION_NAMESPACE, "SubjectConfirmation").map((confirmation) => {
    const data = childOf(confirmation, ASSERTION_NAMESPACE, "SubjectConfirmationData");
    return {
      method: confirmation.attributes.get("Method") ?? "",
      recipient: data?.attributes.get("Recipient") ?? null,
      notBefore: data === undefined ? null : timeOf(data, "NotBefore"),
      notOnOrAfter: data === undefined ? null : timeOf(data, "NotOnOrAfter"),
    };
  });
}

function conditionsOf(conditions: XmlElement): SamlConditions {
  const unknown = conditions.children.filter(
    ({ namespace, name }) => namespace !== ASSERTION_NAMESPACE || !KNOWN_CONDITIONS.has(name),
  );
  // SAML Core §§2.5.1.5, 2.5.1.6: at most one of each.
  childOf(conditions, ASSERTION_NAMESPACE, "OneTimeUse");
  childOf(conditions, ASSERTION_NAMESPACE, "ProxyRestriction");
  return {
    notBefore: timeOf(conditions, "NotBefore"),
    notOnOrAfter: timeOf(conditions, "NotOnOrAfter"),
    audiences: childrenOf(conditions, ASSERTION_NAMESPACE, "AudienceRestriction").map((restriction) =>
      childrenOf(restriction, ASSERTION_NAMESPACE, "Audience").map(textOf),
    ),
    unknown: unknown.map(({ name }) => name),
  };
}

/** The value of an e-mail attribute with one of its well-known names; null: none, or several. */
function emailOf(root: XmlElement): string | null {
  const values = [...descendants(root)]
    .filter(({ name, namespace }) => name === "Attribute" && namespace === ASSERTION_NAMESPACE)
    .filter(({ attributes }) => EMAIL_ATTRIBUTES.has(attributes.get("Name") ?? ""))
    .flatMap((attribute) => childrenOf(attribute, ASSERTION_NAMESPACE, "AttributeValue").map(textOf));
  const [only] = new Set(values);
  return new Set(values).size === 1 && only !== undefined ? only : null;
}

function attributesOf(root: XmlElement): ReadonlyMap<string, readonly (string | null)[]> {
  const found = new Map<string, (string | null)[]>();
  for (const statement of childrenOf(root, ASSERTION_NAMESPACE, "AttributeStatement")) {
    for (const attribute of childrenOf(statement, ASSERTION_NAMESPACE, "Attribute")) {
      const name = attribute.attributes.get("Name") ?? "";
      const values = childrenOf(attribute, ASSERTION_NAMESPACE, "AttributeValue");
      const texts = values.map((value) => (value.children.length === 0 ? textOf(value) : null));
      found.set(name, [...(found.get(name) ?? []), ...texts]);
    }
  }
  return found;
}

const INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

/** SAML Core §1.3.3: UTC, with a Z. Null: absent. */
function timeOf(element: XmlElement, name: string): Millis | null {
  const text = element.attributes.get(name);
  if (text === undefined) return null;
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new XmlRefused(`${name} is not a time in UTC`);
  return time;
}
