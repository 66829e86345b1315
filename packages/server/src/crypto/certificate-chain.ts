/**
 * Whether a certificate that this server's TLS did not verify leads to an authority of the operator (RFC 5280 §6.1).
 */

import type { X509Certificate } from "node:crypto";
import { weakKeyName } from "./key-strength.ts";

/** Maximum number of certificates between a client's certificate and its authority. */
export const MAX_INTERMEDIATES = 4;

/** Object identifiers, in hexadecimal DER. */
const OID = {
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  extendedKeyUsage: "551d25",
  nameConstraints: "551d1e",
} as const;

/**
 * Critical extensions that the code below reads, or that need no check. Any other critical extension makes a
 * certificate useless (§4.2).
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...[OID.basicConstraints, OID.keyUsage, OID.extendedKeyUsage],
  // subjectAltName, certificatePolicies.
  ...["551d11", "551d20"],
]);

/** Signatures over SHA-256, SHA-384 or SHA-512 by RSA (PKCS #1) or ECDSA; Ed25519 and Ed448. */
const SIGNATURES: ReadonlySet<string> = new Set([
  ...["2a864886f70d01010b", "2a864886f70d01010c", "2a864886f70d01010d"],
  ...["2a8648ce3d040302", "2a8648ce3d040303", "2a8648ce3d040304", "2b6570", "2b6571"],
]);

/** Purposes in extendedKeyUsage (§4.2.1.12). */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const ANY_PURPOSE = "2.5.29.37.0";

/** Bits of keyUsage (§4.2.1.3). */
const DIGITAL_SIGNATURE = 0;
const KEY_CERT_SIGN = 5;

/**
 * True if one of the authorities issued the certificate for clients, directly or through the intermediates in their
 * order, and all of them are valid at `now` (milliseconds since the epoch). This code does not check name constraints:
 * it refuses a chain with nameConstraints.
 */
export function leadsToAuthority(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): boolean {
  if (intermediates.length > MAX_INTERMEDIATES || !isSound(leaf, now) || !isForClients(leaf)) return false;
  let subject = leaf;
  // Each certificate of the chain is checked once, because a client can send any chain.
  const rest = [...intermediates];
  for (let below = 0; below <= MAX_INTERMEDIATES; below += 1) {
    const child = subject;
    if (authorities.some((one) => isIssuer(one, child, below, now))) return true;
    const at = rest.findIndex((one) => isIssuer(one, child, below, now));
    const next = rest[at];
    if (next === undefined) return false;
    rest.splice(0, at + 1);
    subject = next;
  }
  return false;
}

/** `below`: number of intermediates between the issuer and the client's certificate. */
function isIssuer(issuer: X509Certificate, subject: X509Certificate, below: number, now: number): boolean {
  return (
    issuer.ca &&
    subject.checkIssued(issuer) &&
    subject.verify(issuer.publicKey) &&
    isSound(issuer, now) &&
    mayIssue(issuer, below)
  );
}

/** True: valid now, with an acceptable key and signature, and without unknown critical extensions. */
function isSound(certificate: X509Certificate, now: number): boolean {
  if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime()) return false;
  if (weakKeyName(certificate.publicKey) !== undefined) return false;
  const fields = fieldsOf(certificate);
  if (fields === undefined || !SIGNATURES.has(fields.signature)) return false;
  return fields.extensions.every(({ id, critical }) => id !== OID.nameConstraints && (!critical || UNDERSTOOD.has(id)));
}

function isForClients(leaf: X509Certificate): boolean {
  const purposes: readonly string[] | undefined = leaf.keyUsage;
  return (purposes?.includes(CLIENT_AUTH) ?? true) && allows(leaf, DIGITAL_SIGNATURE);
}

function mayIssue(issuer: X509Certificate, below: number): boolean {
  const purposes: readonly string[] | undefined = issuer.keyUsage;
  const forClients = purposes === undefined || purposes.includes(CLIENT_AUTH) || purposes.includes(ANY_PURPOSE);
  return forClients && allows(issuer, KEY_CERT_SIGN) && below <= pathLengthOf(issuer);
}

/**
 * True: keyUsage allows it, or is absent. node:crypto's `keyUsage` is extendedKeyUsage, so this code reads the real
 * one.
 */
function allows(certificate: X509Certificate, bit: number): boolean {
  const value = extensionOf(certificate, OID.keyUsage);
  if (value === undefined) return true;
  const [bits] = elementsOf(value);
  // The first byte of a bit string is the number of unused bits in the last one.
  const byte = bits?.tag === 0x03 ? bits.body[1 + (bit >> 3)] : undefined;
  return byte !== undefined && (byte & (0x80 >> (bit & 7))) !== 0;
}

/** Maximum number of intermediates below an authority (§4.2.1.9). */
function pathLengthOf(authority: X509Certificate): number {
  const value = extensionOf(authority, OID.basicConstraints);
  const [sequence] = value === undefined ? [] : elementsOf(value);
  const length = sequence === undefined ? undefined : elementsOf(sequence.body).find(({ tag }) => tag === 0x02);
  if (length === undefined) return Number.POSITIVE_INFINITY;
  return length.body.length === 1 ? (length.body[0] ?? 0) : Number.POSITIVE_INFINITY;
}

interface Extension {
  /** In hexadecimal DER. */
  readonly id: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

interface Fields {
  /** The algorithm of its signature, in hexadecimal DER. */
  readonly signature: string;
  readonly extensions: readonly Extension[];
}

function extensionOf(certificate: X509Certificate, id: string): Buffer | undefined {
  return fieldsOf(certificate)?.extensions.find((one) => one.id === id)?.value;
}

/** The fields that node:crypto does not return (§4.1). Undefined: it is not proper DER. */
function fieldsOf({ raw }: X509Certificate): Fields | undefined {
  try {
    const [certificate] = elementsOf(raw);
    const [signed, algorithm] = elementsOf(certificate?.body ?? EMPTY);
    const [signature] = elementsOf(algorithm?.body ?? EMPTY);
    const wrapped = elementsOf(signed?.body ?? EMPTY).find(({ tag }) => tag === 0xa3);
    const [list] = elementsOf(wrapped?.body ?? EMPTY);
    return {
      signature: signature?.body.toString("hex") ?? "",
      extensions: elementsOf(list?.body ?? EMPTY).map(({ body }) => extension(elementsOf(body))),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function extension([id, ...others]: readonly Element[]): Extension {
  const value = others.at(-1);
  if (id?.tag !== 0x06 || value?.tag !== 0x04) throw new RangeError("no extension");
  const critical = others.length === 2 && others[0]?.tag === 0x01 && others[0].body[0] !== 0;
  return { id: id.body.toString("hex"), critical, value: value.body };
}

interface Element {
  readonly tag: number;
  readonly body: Buffer;
}

const EMPTY = Buffer.alloc(0);

/** Reads one level of DER (X.690 §8.1). Throws a `RangeError` if a length exceeds the input. */
function elementsOf(bytes: Buffer): readonly Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const more = first < 0x80 ? 0 : first - 0x80;
    if (more > 3 || first === 0x80) throw new RangeError("a length that no certificate has");
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    const from = at + 2 + more;
    if (from + length > bytes.length) throw new RangeError("a length beyond the end");
    elements.push({ tag, body: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
