/** A SAML identity provider for tests: valid assertions, which tests can change and sign in any way. */

import {
  createHash,
  createHmac,
  createPublicKey,
  sign as cryptoSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { SignedXml } from "xml-crypto";

export const DSIG = "http://www.w3.org/2000/09/xmldsig#";
export const EXC_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const ENC = "http://www.w3.org/2001/04/xmlenc#";
const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";

export interface IdentityProvider {
  readonly entityId: string;
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly certificate: string;
}

/** `kind`: the kind of key. Default: RSA with 2,048 bits. */
export function anIdentityProvider(
  entityId: string,
  kind: "rsa" | "rsa-1024" | "P-256" | "P-384" | "dsa" = "rsa",
): IdentityProvider {
  const { privateKey } = keyPair(kind);
  return { entityId, privateKey, certificate: certificateOf(privateKey, entityId) };
}

function keyPair(kind: "rsa" | "rsa-1024" | "P-256" | "P-384" | "dsa"): { privateKey: KeyObject } {
  if (kind === "rsa" || kind === "rsa-1024") {
    return generateKeyPairSync("rsa", { modulusLength: kind === "rsa" ? 2048 : 1024 });
  }
  if (kind === "dsa") return generateKeyPairSync("dsa", { modulusLength: 2048, divisorLength: 256 });
  return generateKeyPairSync("ec", { namedCurve: kind });
}

/** The parts of an assertion. A name that ends in `Xml` is for XML. Undefined parts are left out. */
export interface AssertionParts {
  readonly id: string;
  readonly issuer: string | undefined;
  readonly issueInstant: string;
  readonly nameId: string | undefined;
  readonly confirmationXml: string;
  readonly conditionsXml: string;
  readonly statementsXml: string;
  readonly attributes: string;
  readonly extraXml: string;
}

export interface Audience {
  /** The server's issuer identifier. */
  readonly issuer: string;
  now(): number;
}

export const instant = (at: number) => new Date(at).toISOString();

export function bearer(recipient: string | undefined, notOnOrAfter: number | undefined, more = ""): string {
  const data = `${recipient === undefined ? "" : ` Recipient="${recipient}"`}${
    notOnOrAfter === undefined ? "" : ` NotOnOrAfter="${instant(notOnOrAfter)}"`
  }${more}`;
  return `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${data}/></saml:SubjectConfirmation>`;
}

export const audience = (...names: readonly string[]) =>
  `<saml:AudienceRestriction>${names.map((name) => `<saml:Audience>${name}</saml:Audience>`).join("")}</saml:AudienceRestriction>`;

export function conditions(notOnOrAfter: number | undefined, inner: string, more = ""): string {
  return `<saml:Conditions${notOnOrAfter === undefined ? "" : ` NotOnOrAfter="${instant(notOnOrAfter)}"`}${more}>${inner}</saml:Conditions>`;
}

/** An unsigned assertion about `nameId` for a server, valid for five minutes. */
export function assertionXml(
  { issuer, now }: Audience,
  idp: Pick<IdentityProvider, "entityId">,
  nameId: string,
  changes: Partial<AssertionParts> = {},
): string {
  const end = now() + 300_000;
  const parts: AssertionParts = {
    id: `_${randomBytes(16).toString("hex")}`,
    issuer: idp.entityId,
    issueInstant: instant(now()),
    nameId: `<saml:NameID>${nameId}</saml:NameID>`,
    confirmationXml: bearer(`${issuer}/token`, end),
    conditionsXml: conditions(end, audience(issuer)),
    statementsXml: "",
    attributes: "",
    extraXml: "",
    ...changes,
  };
  const from = parts.issuer === undefined ? "" : `<saml:Issuer>${parts.issuer}</saml:Issuer>`;
  return (
    `<saml:Assertion xmlns:saml="${SAML}" ID="${parts.id}" Version="2.0" IssueInstant="${parts.issueInstant}"${parts.attributes}>` +
    `${from}<saml:Subject>${parts.nameId ?? ""}${parts.confirmationXml}</saml:Subject>${parts.conditionsXml}${parts.statementsXml}${parts.extraXml}</saml:Assertion>`
  );
}

export interface SigningOptions {
  readonly signature?: string;
  readonly digest?: string;
  readonly transforms?: readonly string[];
  readonly canonicalization?: string;
  readonly keyInfoXml?: string;
  readonly key?: KeyObject | Buffer;
}

const rsa = (hash: string) => (material: string, key: KeyObject | Buffer) =>
  cryptoSign(hash, Buffer.from(material), key as KeyObject).toString("base64");
const ecdsa = (hash: string) => (material: string, key: KeyObject | Buffer) =>
  cryptoSign(hash, Buffer.from(material), { key: key as KeyObject, dsaEncoding: "ieee-p1363" }).toString("base64");
const hmac = (hash: string) => (material: string, key: KeyObject | Buffer) =>
  createHmac(hash, key as Buffer)
    .update(material)
    .digest("base64");

const SIGNERS: Readonly<Record<string, (material: string, key: KeyObject | Buffer) => string>> = {
  [`${DSIG}rsa-sha1`]: rsa("sha1"),
  [`${MORE}rsa-md5`]: rsa("md5"),
  [`${DSIG}dsa-sha1`]: ecdsa("sha1"),
  [`${DSIG}hmac-sha1`]: hmac("sha1"),
  [`${MORE}hmac-sha256`]: hmac("sha256"),
  ...Object.fromEntries(
    ["sha256", "sha384", "sha512"].flatMap((hash) => [
      [`${MORE}rsa-${hash}`, rsa(hash)],
      [`${MORE}ecdsa-${hash}`, ecdsa(hash)],
    ]),
  ),
};
const DIGESTS: Readonly<Record<string, string>> = {
  [`${DSIG}sha1`]: "sha1",
  [`${MORE}md5`]: "md5",
  [`${ENC}sha256`]: "sha256",
  [`${MORE}sha384`]: "sha384",
  [`${ENC}sha512`]: "sha512",
};
export const ALGORITHMS = {
  rsa: `${MORE}rsa-`,
  ecdsa: `${MORE}ecdsa-`,
  sha1: `${DSIG}sha1`,
  md5: `${MORE}md5`,
  sha384: `${MORE}sha384`,
  sha512: `${ENC}sha512`,
};

/** The assertion with an enveloped signature after its Issuer, or as its first child if it has no Issuer. */
export function signed(xml: string, idp: IdentityProvider, options: SigningOptions = {}): string {
  const ec = idp.privateKey.asymmetricKeyType === "ec";
  const signature = options.signature ?? `${MORE}${ec ? "ecdsa" : "rsa"}-sha256`;
  const signer = new SignedXml({
    privateKey: idp.privateKey,
    signatureAlgorithm: signature as `${string}rsa-sha256`,
    canonicalizationAlgorithm: (options.canonicalization ?? EXC_C14N) as typeof EXC_C14N,
    getKeyInfoContent: () => options.keyInfoXml ?? null,
    idAttribute: "ID",
  });
  for (const [uri, make] of Object.entries(SIGNERS)) {
    signer.SignatureAlgorithms[uri] = class {
      getAlgorithmName = () => uri;
      getSignature = (material: unknown) => make(String(material), options.key ?? idp.privateKey);
      verifySignature = () => false;
    };
  }
  for (const [uri, name] of Object.entries(DIGESTS)) {
    signer.HashAlgorithms[uri] = class {
      getAlgorithmName = () => uri;
      getHash = (text: string) => createHash(name).update(text).digest("base64");
    };
  }
  signer.addReference({
    xpath: "/*",
    digestAlgorithm: options.digest ?? `${ENC}sha256`,
    transforms: [...(options.transforms ?? [`${DSIG}enveloped-signature`, EXC_C14N])],
  });
  const hasIssuer = /^<saml:Assertion [^>]*><saml:Issuer>/.test(xml);
  signer.computeSignature(xml, {
    prefix: "ds",
    location: hasIssuer
      ? { reference: "/*/*[local-name(.)='Issuer']", action: "after" }
      : { reference: "/*", action: "prepend" },
  });
  return signer.getSignedXml();
}

/** The parameter `assertion` (RFC 7522 §2.1). */
export const encoded = (xml: string | Uint8Array) => Buffer.from(xml).toString("base64url");

/** A certificate (RFC 5280 §4.1) for the key, valid for a day. Its signer doesn't matter, because keys are pinned. */
export function certificateOf(key: KeyObject, name: string): string {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, hex("06082a8648ce3d040302"));
  const subject = der(0x30, der(0x31, der(0x30, hex("0603550403"), der(0x0c, Buffer.from(name.slice(0, 60))))));
  const validity = der(0x30, utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000));
  const serial = der(0x02, Buffer.concat([hex("01"), randomBytes(8)]));
  const body = der(0x30, der(0xa0, hex("020102")), serial, algorithm, subject, validity, subject, spki);
  const whole = der(0x30, body, algorithm, der(0x03, hex("00"), cryptoSign("sha256", body, privateKey)));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** One DER element (X.690 §8.1) of less than 64 KiB. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const short = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...short]), content]);
}

function utcTime(millis: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(millis).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
