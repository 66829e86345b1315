import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anIdentityProvider, certificateOf } from "../../../../test/support/saml-idp.ts";
import {
  createClient,
  createIssuer,
  createScope,
  deleteIssuer,
  type IssuerKeys,
  issuerRecord,
  issuerRemarks,
  type NewIssuer,
  updateIssuer,
} from "../../src/admin/index.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
const idp = anIdentityProvider("https://idp.test/saml");
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwks = { keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "a" }] };

beforeAll(async () => {
  admin = await openTestAdmin();
  await createScope({ name: "read", description: "Read" }, admin);
});
afterAll(() => admin.close());

const jwt = (changes: Partial<NewIssuer> = {}): NewIssuer => ({
  issuer: "https://idp.test",
  type: "jwt",
  keys: { jwks },
  scopes: ["read"],
  ...changes,
});
const saml = (keys: IssuerKeys | undefined, issuer = idp.entityId): NewIssuer => ({ issuer, type: "saml", keys });

const bare = (pem: string) => pem.replace(/-----[A-Z ]+-----|\s/g, "");
const key = (certificate: string, use: string) =>
  `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\n${certificate}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
const metadata = (keys: string, entityId = idp.entityId, role = "IDPSSODescriptor") =>
  `<?xml version="1.0"?><!-- made by hand --><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"><md:${role}>${keys}</md:${role}></md:EntityDescriptor>`;

describe("what can't be → refused", () => {
  test.each([
    ["JWT without keys", jwt({ keys: undefined }), "jwks"],
    ["JWT with a certificate", jwt({ keys: { certificate: idp.certificate } }), "certificate"],
    ["an empty JWK Set", jwt({ keys: { jwks: { keys: [] } } }), "jwks"],
    ["a private key", jwt({ keys: { jwks: { keys: [pair.privateKey.export({ format: "jwk" })] } } }), "jwks"],
    ["keys over http", jwt({ keys: { jwksUri: "http://idp.test/jwks" } }), "jwks_uri"],
    ["this server itself", jwt({ issuer: "https://id.test" }), "issuer"],
    ["an empty name", jwt({ issuer: "" }), "issuer"],
    ["a lifetime of 0", jwt({ maxLifetime: 0 }), "max_lifetime"],
    ["a lifetime of more than a day", jwt({ maxLifetime: 86_401 }), "max_lifetime"],
    ["owners made by id", jwt({ mapSubject: "id", createOwners: true }), "create_owners"],
    ["a claim that has a meaning of its own", jwt({ subjectClaim: "iss" }), "subject_claim"],
    ["a claim with a space", jwt({ subjectClaim: "employee number" }), "subject_claim"],
    ["an empty claim", jwt({ subjectClaim: "" }), "subject_claim"],
    [
      "an attribute of 257 characters",
      { ...saml({ certificate: idp.certificate }), subjectClaim: "x".repeat(257) },
      "subject_attribute",
    ],
    ["a domain that is none", jwt({ emailDomains: ["example.com", "exam ple"] }), "email_domain"],
    ["a domain that is an address", jwt({ emailDomains: ["a@example.com"] }), "email_domain"],
    ["201 domains", jwt({ emailDomains: Array.from({ length: 201 }, (_, at) => `${at}.test`) }), "email_domain"],
    [
      "addresses in a SAML attribute, of any domain",
      { ...saml({ certificate: idp.certificate }), mapSubject: "email", subjectClaim: "mail" },
      "email_domain",
    ],
    ["an unknown scope", jwt({ scopes: ["raed"] }), "scope"],
    ["an unknown client", jwt({ clients: ["nobody"] }), "client"],
    ["a subject that is @ alone", jwt({ subjects: ["@"] }), "subject"],
    ["SA-20 SAML without a certificate", saml(undefined), "certificate"],
    ["SA-20 SAML with an empty one", saml({ certificate: "" }), "certificate"],
    ["SAML with a JWK Set", saml({ jwks }), "jwks"],
    [
      "a certificate that is none",
      saml({ certificate: idp.certificate.replace(/[A-Za-z0-9]{20}\n/, "\n") }),
      "certificate",
    ],
    [
      "SA-18 an RSA key of 1,024 bits",
      saml({ certificate: anIdentityProvider("x", "rsa-1024").certificate }),
      "certificate",
    ],
    ["SA-18 a DSA key", saml({ certificate: anIdentityProvider("x", "dsa").certificate }), "certificate"],
    [
      "metadata of somebody else",
      saml({ samlMetadata: metadata(key(bare(idp.certificate), ""), "https://x.test") }),
      "saml_metadata",
    ],
    ["SA-20 metadata without a key", saml({ samlMetadata: metadata("") }), "saml_metadata"],
    [
      "SA-20 metadata with a key for encryption alone",
      saml({ samlMetadata: metadata(key(bare(idp.certificate), ' use="encryption"')) }),
      "saml_metadata",
    ],
    [
      "metadata of a service provider",
      saml({ samlMetadata: metadata(key(bare(idp.certificate), ""), idp.entityId, "SPSSODescriptor") }),
      "saml_metadata",
    ],
    [
      "metadata with a document type",
      saml({ samlMetadata: `<!DOCTYPE a [<!ENTITY b "c">]>${metadata("")}` }),
      "saml_metadata",
    ],
    ["metadata that isn't XML", saml({ samlMetadata: "{}" }), "saml_metadata"],
  ] satisfies [string, NewIssuer, string][])("%s", async (_, input, field) => {
    const { kind, problems } = await refusal(createIssuer(input, admin));
    expect(kind).toBe("invalid");
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });
});

describe("what can be", () => {
  test("a JWT issuer → stored with public members alone; again → taken; deleted → unknown", async () => {
    const issuer = await createIssuer(jwt(), admin);
    expect(issuerRecord(issuer)).toMatchObject({ issuer: "https://idp.test", max_lifetime: 3600, scope: "read", jwks });
    expect((await refusal(createIssuer(jwt(), admin))).kind).toBe("taken");
    await deleteIssuer("https://idp.test", admin);
    expect((await refusal(deleteIssuer("https://idp.test", admin))).kind).toBe("unknown");
    expect((await refusal(updateIssuer("https://idp.test", {}, admin))).kind).toBe("unknown");
  });

  test("several certificates, metadata whose key says no use → its keys", async () => {
    const next = certificateOf(idp.privateKey, "next");
    const two = await createIssuer(saml({ certificate: `${idp.certificate}\n${next}` }), admin);
    expect(two.certificates).toHaveLength(2);
    const samlMetadata = metadata(key(bare(next), "") + key(bare(idp.certificate), ' use="encryption"'));
    const changed = await updateIssuer(idp.entityId, { keys: { samlMetadata }, maxLifetime: 60 }, admin);
    expect(changed.certificates.map(bare)).toEqual([bare(next)]);
    expect(changed).toMatchObject({ maxLifetime: 60, scopes: [] });
    expect(issuerRemarks(changed)).toEqual([{ field: "scope", problem: expect.stringMatching("no scope") }]);
  });

  test("domains of addresses → folded, once each; none, and addresses looked for → a remark", async () => {
    const issuer = "https://domains.test";
    const made = await createIssuer(
      jwt({ issuer, mapSubject: "email", emailDomains: ["@Example.com", "example.COM", "bücher.test"] }),
      admin,
    );
    expect(made.emailDomains).toEqual(["example.com", "bücher.test"]);
    expect(issuerRemarks(made)).toEqual([]);
    const changed = await updateIssuer(issuer, { emailDomains: [], subjectClaim: "upn" }, admin);
    expect(issuerRemarks(changed)).toEqual([{ field: "email_domain", problem: expect.stringMatching("any domain") }]);
    expect(issuerRecord(changed)).toMatchObject({ subject_claim: "upn", email_domains: [], map_subject: "email" });
  });

  test("it may make owners, and no domain is its own → a remark, where it can call addresses verified", async () => {
    const maker = { createOwners: true, subjects: ["kiosk"], mapSubject: "link" } as const;
    const made = await createIssuer(jwt({ issuer: "https://maker.test", ...maker }), admin);
    expect(issuerRemarks(made)).toEqual([{ field: "email_domain", problem: expect.stringMatching("calls verified") }]);
    expect(issuerRemarks({ ...made, emailDomains: ["corp.test"] })).toEqual([]);
    expect(issuerRemarks({ ...made, type: "saml" })).toEqual([]);
  });

  test("ID-JAGs: no company or tenant for other types; links or proved addresses; a company that exists", async () => {
    const idJag = (changes: object = {}) =>
      jwt({ issuer: "https://acme.idp.test", type: "id-jag", ...changes } as Parameters<typeof jwt>[0]);
    for (const [input, field] of [
      [jwt({ issuer: "https://x.test", tenant: "t" }), "tenant"],
      [idJag({ mapSubject: "username" }), "map_subject"],
      [idJag({ mapSubject: "id" }), "map_subject"],
      [idJag({ mapSubject: "email" }), "email_domain"],
      [idJag({ audience: "urn:us" }), "audience"],
      [idJag({ exchange: true }), "token_exchange"],
      [idJag({ company: "AAAAAAAAAAAAAAAAAAAAAA" }), "company"],
      [idJag({ tenant: "two words" }), "tenant"],
    ] as const) {
      const { problems } = await refusal(createIssuer(input, admin));
      expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
    }
    const made = await createIssuer(idJag({ tenant: "acme" }), admin);
    expect(issuerRecord(made)).toMatchObject({ type: "id-jag", map_subject: "link", tenant: "acme", company: null });
  });

  test("changed → what isn't named stays, its keys among it", async () => {
    const { client } = await createClient(
      {
        type: "confidential",
        metadata: { client_name: "App", grant_types: ["urn:ietf:params:oauth:grant-type:jwt-bearer"], scope: "read" },
      },
      admin,
    );
    const { jwks: held } = await createIssuer(jwt({ issuer: "https://change.test" }), admin);
    const changed = await updateIssuer(
      "https://change.test",
      { clients: [client.clientId], status: "disabled" },
      admin,
    );
    expect(changed).toMatchObject({ scopes: ["read"], status: "disabled", jwks: held });
    const moved = await updateIssuer("https://change.test", { keys: { jwksUri: "https://change.test/jwks" } }, admin);
    expect(moved).toMatchObject({ jwks: null, jwksUri: "https://change.test/jwks" });
  });
});
