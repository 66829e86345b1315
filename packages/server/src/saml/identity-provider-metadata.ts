/** Signing certificates from an identity provider's metadata (SAML Metadata §§2.3, 2.4.1.1). */

import { X509Certificate } from "node:crypto";
import { DOMParser } from "@xmldom/xmldom";
import { signingKeyOf } from "./signature.ts";

const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";

export type MetadataReading =
  | { readonly kind: "read"; readonly certificates: readonly string[] }
  | { readonly kind: "invalid"; readonly problem: string };

/**
 * Reads a metadata document that the operator trusts; it doesn't check the document's own signature. `entityId` names
 * the issuer. A key without `use` is for signing, too. Refuses a document without a signing key. `certificates`: PEM.
 */
export function certificatesOfMetadata(text: string, entityId: string): MetadataReading {
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) return invalid("it has a document type, which metadata does not need");
  const strict = (_level: string, message: unknown) => {
    throw new Error(String(message));
  };
  let entities: Element[];
  try {
    const parsed = new DOMParser({ errorHandler: strict }).parseFromString(text, "text/xml");
    entities = Array.from(parsed.getElementsByTagNameNS(METADATA, "EntityDescriptor"));
  } catch {
    return invalid("it is not well-formed XML");
  }
  const own = entities.filter((entity) => entity.getAttribute("entityID") === entityId);
  if (own.length !== 1) return invalid(`it describes ${own.length === 0 ? "no" : "more than one"} entity of that id`);
  const keys = own.flatMap((entity) => below(entity, METADATA, "IDPSSODescriptor", "AttributeAuthorityDescriptor"));
  const signing = keys
    .flatMap((role) => below(role, METADATA, "KeyDescriptor"))
    .filter((key) => ["", "signing"].includes(key.getAttribute("use") ?? ""));
  const bodies = signing
    .flatMap((key) => below(key, DSIG, "X509Certificate"))
    .map((certificate) => (certificate.textContent ?? "").replace(/\s/g, ""));
  const certificates = [...new Set(bodies)].map(pemOf);
  if (certificates.length === 0) return invalid("it has no signing certificate of an identity provider");
  return readCertificates(certificates.join(""));
}

/** Certificates from an operator: PEM, one or several, each with a key that may sign. */
export function readCertificates(text: string): MetadataReading {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return invalid("there is no certificate in it (PEM)");
  const certificates: string[] = [];
  for (const [at, block] of blocks.entries()) {
    try {
      signingKeyOf(block);
      certificates.push(new X509Certificate(block).toString());
    } catch (error) {
      return invalid(`certificate ${at + 1}: ${(error as Error).message}`);
    }
  }
  return { kind: "read", certificates };
}

function below(element: Element, namespace: string, ...names: readonly string[]): Element[] {
  return names.flatMap((name) => Array.from(element.getElementsByTagNameNS(namespace, name)));
}

function pemOf(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

function invalid(problem: string): MetadataReading {
  return { kind: "invalid", problem };
}
