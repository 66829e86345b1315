/** A self-signed certificate for localhost, made at run time, so that the repository has no private key. */

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const SHA256_WITH_ECDSA = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const SUBJECT_ALT_NAME = "0603551d11";

/** PEM of a certificate (RFC 5280 §4.1) that is valid for a day, and of its key. */
export function aCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, hex(SHA256_WITH_ECDSA));
  const name = der(0x30, der(0x31, der(0x30, hex(COMMON_NAME), der(0x0c, Buffer.from("localhost")))));
  const validity = der(0x30, utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000));
  const dnsName = der(0x30, der(0x82, Buffer.from("localhost")));
  const extensions = der(0xa3, der(0x30, der(0x30, hex(SUBJECT_ALT_NAME), der(0x04, dnsName))));
  const version = der(0xa0, hex("020102"));
  const serial = der(0x02, Buffer.concat([hex("01"), randomBytes(8)]));
  const spki = publicKey.export({ type: "spki", format: "der" });
  const body = der(0x30, version, serial, algorithm, name, validity, name, spki, extensions);
  const signature = der(0x03, hex("00"), sign("sha256", body, privateKey));
  const base64 = der(0x30, body, algorithm, signature).toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** One DER element (X.690 §8.1) of less than 64 KiB. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  // The shortest form is the only one allowed.
  if (length >= 128 && length < 256) head.splice(1, 2, 0x81);
  return Buffer.concat([Buffer.from(head), content]);
}

function utcTime(millis: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(millis).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
