/**
 * Exchanges a SAML 2.0 assertion of a trusted identity provider for an access token of a person (RFC 7522). This
 * program plays both parts: the provider that signs the assertion, and the client that presents it.
 *
 *   openssl req -x509 -newkey rsa:2048 -nodes -days 30 -keyout idp.key -out idp.pem -subj "/CN=idp.example.com"
 *   npx assent issuer create --type saml --issuer https://idp.example.com/saml --certificate idp.pem --scope photos:read --map-subject username
 *   npx assent client create --name "Photo Archive" --type confidential --scope photos:read \
 *     --grant-type urn:ietf:params:oauth:grant-type:saml2-bearer
 *   CLIENT_ID=… CLIENT_SECRET=… SUBJECT=demo node examples/saml2-bearer.ts
 *
 * A real provider writes and signs the assertion with its own software. docs/integrate/assertions.md says what the
 * assertion must contain.
 */

import { createHash, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  SUBJECT: subject,
} = process.env;
if (id === undefined || secret === undefined || subject === undefined) {
  console.error("Set CLIENT_ID, CLIENT_SECRET and SUBJECT.");
  process.exit(2);
}

const { origin, pathname } = new URL(issuer);
const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`);
const metadata = (await found.json()) as { issuer: string; token_endpoint: string };
if (metadata.issuer !== issuer) throw new Error(`this is ${metadata.issuer}, not ${issuer}`);

const form = new URLSearchParams({
  grant_type: "urn:ietf:params:oauth:grant-type:saml2-bearer",
  assertion: Buffer.from(signedAssertion(subject)).toString("base64url"),
});
const authorization = `Basic ${btoa([id, secret].map(encodeURIComponent).join(":"))}`;
const response = await fetch(metadata.token_endpoint, { method: "POST", body: form, headers: { authorization } });
console.log(response.status, await response.json());
process.exitCode = response.ok ? 0 : 1;

/**
 * The XML is in canonical form (double quotes, namespaces where they are first used, attributes in order, no empty
 * tags). So signing needs no XML library.
 */
function signedAssertion(nameId: string): string {
  const [now, end] = [0, 120].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  const name = `_${randomUUID()}`;
  const who = nameId.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const dsig = "http://www.w3.org/2000/09/xmldsig#";
  const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
  const before =
    `<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="${name}" IssueInstant="${now}" Version="2.0">` +
    "<Issuer>https://idp.example.com/saml</Issuer>";
  const after =
    `<Subject><NameID>${who}</NameID><SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<SubjectConfirmationData NotOnOrAfter="${end}" Recipient="${metadata.token_endpoint}"></SubjectConfirmationData>` +
    `</SubjectConfirmation></Subject><Conditions NotOnOrAfter="${end}"><AudienceRestriction><Audience>${issuer}</Audience>` +
    "</AudienceRestriction></Conditions></Assertion>";
  const digest = createHash("sha256").update(before).update(after).digest("base64");
  const info =
    `<SignedInfo xmlns="${dsig}"><CanonicalizationMethod Algorithm="${exclusive}"></CanonicalizationMethod>` +
    `<SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod><Reference URI="#${name}">` +
    `<Transforms><Transform Algorithm="${dsig}enveloped-signature"></Transform><Transform Algorithm="${exclusive}"></Transform></Transforms>` +
    `<DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></DigestMethod><DigestValue>${digest}</DigestValue></Reference></SignedInfo>`;
  const value = sign("sha256", Buffer.from(info), readFileSync("idp.key")).toString("base64");
  return `${before}<Signature xmlns="${dsig}">${info}<SignatureValue>${value}</SignatureValue></Signature>${after}`;
}
