/**
 * A second signer of assertions: xmldsigjs. Its parser, canonicalization and cryptography (Web Crypto) are not the
 * server's.
 */

import { webcrypto } from "node:crypto";
import { createRequire } from "node:module";
import { EXC_C14N, type IdentityProvider } from "./saml-idp.ts";

/** The used part of its API. Its own types would add the browser's types to every file of the project. */
interface Node {
  insertBefore(added: Node, before: Node | null): void;
  getAttribute(name: string): string | null;
  getElementsByTagNameNS(namespace: string, name: string): { readonly [at: number]: Node };
  readonly nextSibling: Node | null;
}
interface Document {
  readonly documentElement: Node;
  importNode(node: Node, deep: boolean): Node;
}
interface Signer {
  readonly XmlSignature: {
    readonly SignedInfo: { readonly CanonicalizationMethod: { Algorithm: string } };
    GetXml(): Node | null;
  };
  Sign(algorithm: object, key: unknown, data: Document, options: object): Promise<unknown>;
}
interface Xmldsigjs {
  readonly Application: { setEngine(name: string, crypto: unknown): void };
  readonly SignedXml: new () => Signer;
  Parse(xml: string): Document;
  Stringify(document: Document): string;
}

/** It has its own version of the parser, which only it can import. */
const nested = createRequire(createRequire(import.meta.url).resolve("xmldsigjs"));
const parser = nested("@xmldom/xmldom") as object;
const core = nested("xml-core") as { setNodeDependencies(parts: object): void };
core.setNodeDependencies({ ...parser, xpath: nested("xpath") });
const { Application, Parse, SignedXml, Stringify } = nested("xmldsigjs") as Xmldsigjs;
Application.setEngine("Node", webcrypto);

/** The assertion with an enveloped signature after its Issuer. `hash`: the hash of digest and signature. */
export async function signedByXmldsigjs(
  xml: string,
  { privateKey }: Pick<IdentityProvider, "privateKey">,
  hash: "SHA-256" | "SHA-512" = "SHA-256",
): Promise<string> {
  const curve = privateKey.asymmetricKeyDetails?.namedCurve;
  const algorithm =
    curve === undefined
      ? { name: "RSASSA-PKCS1-v1_5", hash }
      : { name: "ECDSA", namedCurve: curve === "secp384r1" ? "P-384" : "P-256", hash };
  const der = privateKey.export({ type: "pkcs8", format: "der" });
  const key = await webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  const document = Parse(xml);
  const root = document.documentElement;
  const signer = new SignedXml();
  signer.XmlSignature.SignedInfo.CanonicalizationMethod.Algorithm = EXC_C14N;
  const uri = `#${root.getAttribute("ID")}`;
  await signer.Sign(algorithm, key, document, { references: [{ uri, hash, transforms: ["enveloped", "exc-c14n"] }] });
  const signature = signer.XmlSignature.GetXml();
  const issuer = root.getElementsByTagNameNS("*", "Issuer")[0];
  if (signature === null || issuer === undefined) throw new Error("not an assertion");
  root.insertBefore(document.importNode(signature, true), issuer.nextSibling);
  return Stringify(document);
}
