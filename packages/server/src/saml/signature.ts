/**
 * The signature of a SAML assertion (SAML Core §5.4, XML Signature). Only one shape is accepted, and the result is
 * exactly the signed bytes. The keys are the certificates in the issuer's record; a key inside a message is ignored.
 */

import { createHash, generateKeyPairSync, type KeyObject, verify, X509Certificate } from "node:crypto";
import { DOMParser } from "@xmldom/xmldom";
import { type SignatureAlgorithm, SignedXml } from "xml-crypto";
import { childOf, childrenOf, descendants, readXml, textOf, type XmlElement, XmlRefused } from "./strict-xml.ts";

export const ASSERTION_NAMESPACE = "urn:oasis:names:tc:SAML:2.0:assertion";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const ENVELOPED = `${DSIG}enveloped-signature`;
const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const MIN_RSA_BITS = 2048;
/** Maximum length of a prefix list. Every prefix of an assertion fits into it. */
const MAX_PREFIX_LIST = 500;

/** Identifier of a digest → its name. SHA-1 and MD5 are not allowed. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ["http://www.w3.org/2001/04/xmlenc#sha256", "sha256"],
  ["http://www.w3.org/2001/04/xmldsig-more#sha384", "sha384"],
  ["http://www.w3.org/2001/04/xmlenc#sha512", "sha512"],
]);

const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
/** Identifier of a signature → key type and hash. HMAC is not allowed: its key would be the public certificate. */
const SIGNATURES: ReadonlyMap<string, { readonly type: "rsa" | "ec"; readonly hash: string }> = new Map(
  ["sha256", "sha384", "sha512"].flatMap((hash) =>
    (["rsa", "ec"] as const).map((type) => [`${MORE}${type === "ec" ? "ecdsa" : type}-${hash}`, { type, hash }]),
  ),
);
const CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** The structure is refused before any signature is computed, or the signature is wrong. */
export class SignatureRefused extends Error {
  override readonly name = "SignatureRefused";
}

/**
 * The key of a PEM certificate if it may sign: RSA of 2,048 bits or more, or ECDSA on a NIST curve. Throws a text that
 * says what is wrong.
 */
export function signingKeyOf(pem: string): KeyObject {
  const key = new X509Certificate(pem).publicKey;
  const { modulusLength = 0, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "rsa" && modulusLength >= MIN_RSA_BITS) return key;
  if (key.asymmetricKeyType === "ec" && CURVES.has(namedCurve)) return key;
  const size = modulusLength === 0 ? namedCurve : `${modulusLength} bits`;
  throw new Error(`its key (${key.asymmetricKeyType} ${size}) is too weak or of a kind that signs no assertions here`);
}

/**
 * Checks the shape of a signed assertion: the root is the only Assertion. Its only Signature is its child and covers
 * the whole root. Returns the root's ID.
 */
export function checkShape(root: XmlElement): string {
  if (root.name !== "Assertion" || root.namespace !== ASSERTION_NAMESPACE)
    throw new XmlRefused("the root is no Assertion");
  const all = [...descendants(root)];
  const count = (name: string) => all.filter((one) => one.name === name).length;
  if (count("Assertion") !== 1) throw new XmlRefused("more than one Assertion");
  const encrypted = all.find(({ name }) => name.startsWith("Encrypted"));
  if (encrypted !== undefined) throw new XmlRefused(`${encrypted.name}: nothing encrypted is taken`);
  const stray = ["Object", "Manifest"].find((name) => all.some((one) => one.name === name && one.namespace === DSIG));
  if (stray !== undefined) throw new XmlRefused(`${stray} in the signature`);
  const once = ["Signature", "SignedInfo", "SignatureValue", "SignatureMethod", "CanonicalizationMethod", "Reference"];
  const wrong = [...once, "Transforms", "DigestMethod", "DigestValue"].find((name) => count(name) !== 1);
  if (wrong !== undefined) throw new SignatureRefused(`${count(wrong)} elements named ${wrong}`);

  const id = root.attributes.get("ID");
  if (id === undefined || !/^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(id)) throw new XmlRefused("no usable ID");
  const info = only(only(root, "Signature"), "SignedInfo");
  only(only(root, "Signature"), "SignatureValue");
  checkAlgorithm(only(info, "CanonicalizationMethod"), (one) => one === EXCLUSIVE);
  checkAlgorithm(only(info, "SignatureMethod"), (one) => SIGNATURES.has(one));
  checkReference(only(info, "Reference"), id);
  return id;
}

function checkReference(reference: XmlElement, id: string): void {
  if (reference.attributes.get("URI") !== `#${id}`) throw new SignatureRefused("the reference is not to the assertion");
  checkAlgorithm(only(reference, "DigestMethod"), (one) => DIGESTS.has(one));
  textOf(only(reference, "DigestValue"));
  const { children } = only(reference, "Transforms");
  const names = children.map((child) => (child.namespace === DSIG ? child.attributes.get("Algorithm") : undefined));
  if (names.length !== 2 || names[0] !== ENVELOPED || names[1] !== EXCLUSIVE) {
    throw new SignatureRefused("other transforms than enveloped-signature and exclusive canonicalization");
  }
  const inner = children.flatMap((child) => child.children);
  const fits = inner.every(
    ({ name, namespace, attributes, children: none }) =>
      name === "InclusiveNamespaces" &&
      namespace === EXCLUSIVE &&
      none.length === 0 &&
      (attributes.get("PrefixList") ?? "").length <= MAX_PREFIX_LIST,
  );
  if (!fits || inner.length > 1) throw new SignatureRefused("a transform with parameters");
}

function only(parent: XmlElement, name: string): XmlElement {
  const found = childOf(parent, DSIG, name);
  if (found === undefined) throw new SignatureRefused(`${name} is not where it belongs`);
  return found;
}

function checkAlgorithm(element: XmlElement, allowed: (algorithm: string) => boolean): void {
  const algorithm = element.attributes.get("Algorithm") ?? "";
  if (!allowed(algorithm)) throw new SignatureRefused(`${element.name} ${algorithm.slice(0, 80)} is not accepted`);
}

/**
 * The signed assertion: verified by one of the certificates (PEM), read again from the signed bytes, and equal to the
 * received one. `text`: a document whose shape `checkShape` has accepted. `root`: what was read from it.
 */
export function verifiedAssertion(text: string, root: XmlElement, certificates: readonly string[]): XmlElement {
  const keys = certificates.map(keyOrNone).filter((key) => key !== undefined);
  const bytes = keys.map((key) => signedBytes(text, key)).find((found) => found !== undefined);
  if (bytes === undefined) throw new SignatureRefused("no certificate of the issuer verifies it");
  if (bytes === "") throw new SignatureRefused("the signature covers nothing");
  const signed = readXml(bytes);
  const signature = childrenOf(root, DSIG, "Signature")[0];
  // This finds a text that two parsers would understand differently.
  if (!same(withoutChild(root, signature), signed)) throw new SignatureRefused("what was signed is not what was sent");
  return signed;
}

let nobodys: KeyObject | undefined;

/** Takes as long as verifying with a certificate, for an issuer that is unknown. */
export function pretendToVerify(text: string): void {
  nobodys ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
  signedBytes(text, nobodys);
}

/** A certificate in a record verifies nothing if its key may not sign. */
function keyOrNone(pem: string): KeyObject | undefined {
  try {
    return signingKeyOf(pem);
  } catch {
    return undefined;
  }
}

/** The bytes that the signature covers, if this key made it. */
function signedBytes(text: string, key: KeyObject): string | undefined {
  const strict = (_level: string, message: unknown) => {
    throw new XmlRefused(String(message).slice(0, 100));
  };
  const dom = new DOMParser({ errorHandler: strict }).parseFromString(text, "text/xml");
  const node = dom.getElementsByTagNameNS(DSIG, "Signature").item(0);
  if (node === null) throw new SignatureRefused("no Signature");
  const signed = new SignedXml({ publicCert: key, getCertFromKeyInfo: () => null });
  const kept = [EXCLUSIVE, ENVELOPED] as const;
  const { CanonicalizationAlgorithms: all } = signed;
  signed.CanonicalizationAlgorithms = Object.fromEntries(
    Object.entries(all).filter(([uri]) => kept.some((one) => one === uri)),
  );
  signed.HashAlgorithms = Object.fromEntries([...DIGESTS].map(([uri, name]) => [uri, digester(uri, name)]));
  signed.SignatureAlgorithms = Object.fromEntries([...SIGNATURES.keys()].map((uri) => [uri, verifierOf(uri)]));
  try {
    signed.loadSignature(node);
    if (!signed.checkSignature(text)) return undefined;
  } catch {
    // The library throws if it rejects the structure. To try another certificate is then useless, but harmless.
    return undefined;
  }
  const covered = signed.getSignedReferences();
  if (covered.length !== 1) throw new SignatureRefused(`${covered.length} things are signed`);
  return covered[0];
}

function digester(uri: string, name: string) {
  return class {
    getAlgorithmName = () => uri;
    getHash = (xml: string) => createHash(name).update(xml, "utf8").digest("base64");
  };
}

function verifierOf(uri: string): new () => SignatureAlgorithm {
  return class implements SignatureAlgorithm {
    getAlgorithmName = () => uri;

    getSignature(): string {
      throw new Error("this server signs no assertions");
    }

    verifySignature(material: string, key: unknown, value: string): boolean {
      const wanted = SIGNATURES.get(uri);
      const { asymmetricKeyType } = key as KeyObject;
      if (wanted === undefined || wanted.type !== asymmetricKeyType) return false;
      // XML Signature §6.4: an ECDSA signature is the two numbers one after the other, not DER.
      const how = { key: key as KeyObject, ...(wanted.type === "ec" ? { dsaEncoding: "ieee-p1363" as const } : {}) };
      const signature = value.replace(/[ \t\r\n]/g, "");
      if (!/^[A-Za-z0-9+/]{16,2048}={0,2}$/.test(signature)) return false;
      return verify(wanted.hash, Buffer.from(material), how, Buffer.from(signature, "base64"));
    }
  };
}

function withoutChild(element: XmlElement, child: XmlElement | undefined): XmlElement {
  return { ...element, children: element.children.filter((one) => one !== child) };
}

function same(one: XmlElement, other: XmlElement): boolean {
  return (
    one.name === other.name &&
    one.namespace === other.namespace &&
    one.text === other.text &&
    one.attributes.size === other.attributes.size &&
    [...one.attributes].every(([key, value]) => other.attributes.get(key) === value) &&
    one.children.length === other.children.length &&
    one.children.every((child, at) => {
      const counterpart = other.children[at];
      return counterpart !== undefined && same(child, counterpart);
    })
  );
}
