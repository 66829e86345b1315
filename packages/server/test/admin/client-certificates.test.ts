/** Registration of clients with certificates (RFC 8705 §§2.1.2, 2.2.2, 3.4). */

import { describe, expect, test } from "vitest";
import { aCertificate } from "../../../../test/support/make-certificates.ts";
import { type ClientMetadata, readRegistration } from "../../src/oauth/client-registration/metadata.ts";

const DN = "tls_client_auth_subject_dn";
const BOUND = "tls_client_certificate_bound_access_tokens";
const robot = { client_name: "Import", grant_types: ["client_credentials"] };
const byCa = { ...robot, token_endpoint_auth_method: "tls_client_auth" };
const byKey = { ...robot, token_endpoint_auth_method: "self_signed_tls_client_auth" };

function problemsOf(metadata: ClientMetadata): string[] {
  const read = readRegistration(metadata);
  return read.kind === "valid" ? [] : read.problems.map(({ field, problem }) => `${field}: ${problem}`);
}

function fieldsOf(metadata: ClientMetadata) {
  const read = readRegistration(metadata);
  if (read.kind === "invalid") throw new Error(JSON.stringify(read.problems));
  return read.fields;
}

describe("tls_client_auth", () => {
  test("no subject, or two → refused", () => {
    expect(problemsOf(byCa)).toEqual([expect.stringContaining("exactly one of")]);
    const two = { ...byCa, [DN]: "CN=import", tls_client_auth_san_dns: "import.test" };
    expect(problemsOf(two)).toEqual([expect.stringContaining("2 are given")]);
  });

  test.each([
    [DN, ""],
    [DN, "import"],
    [DN, "CN="],
    [DN, "CN=a,,O=b"],
    [DN, "CN=a,"],
    [DN, "CN=#0403414243"],
    [DN, 'CN="import"'],
    [DN, "CN=a\\"],
    [DN, "CN=\\ff"],
    [DN, `CN=${"a".repeat(2048)}`],
    ["tls_client_auth_san_dns", "*.example.com"],
    ["tls_client_auth_san_dns", ".example.com"],
    ["tls_client_auth_san_dns", "a b"],
    ["tls_client_auth_san_uri", "example.com"],
    ["tls_client_auth_san_ip", "192.0.2"],
    ["tls_client_auth_san_ip", "import"],
    ["tls_client_auth_san_email", "import"],
  ])("%s %j → refused", (field, value) => {
    expect(problemsOf({ ...byCa, [field]: value })).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test.each([
    [DN, "CN=import,O=Example\\, Inc.,C=DE"],
    ["tls_client_auth_san_dns", "import.example.com"],
    ["tls_client_auth_san_uri", "urn:example:import"],
    ["tls_client_auth_san_ip", "2001:db8::7"],
    ["tls_client_auth_san_email", "import@example.com"],
  ])("%s %j → registered as it is, without a secret's sort of client", (field, value) => {
    expect(fieldsOf({ ...byCa, [field]: value })).toMatchObject({
      type: "confidential",
      tlsSubject: { field, value },
      certificateBound: false,
    });
  });

  test("a subject of a client with another method → left out", () => {
    expect(fieldsOf({ ...robot, [DN]: "CN=import" }).tlsSubject).toBeNull();
  });
});

test("self_signed_tls_client_auth without keys, or with keys elsewhere → refused; with its certificate's key → registered", () => {
  expect(problemsOf(byKey)).toEqual([expect.stringMatching(/^jwks: missing/)]);
  expect(problemsOf({ ...byKey, jwks_uri: "https://app.test/keys" })).toEqual([expect.stringMatching(/^jwks: /)]);
  const jwks = JSON.parse(aCertificate({ subject: "/CN=import" }).jwks) as unknown;
  expect(fieldsOf({ ...byKey, jwks })).toMatchObject({ type: "confidential", tlsSubject: null });
});

describe("bound tokens", () => {
  test("for a public client, for implicit, or neither true nor false → refused", () => {
    const app = { ...robot, redirect_uris: ["https://app.test/cb"] };
    const open = { ...app, token_endpoint_auth_method: "none", grant_types: ["authorization_code"], [BOUND]: true };
    expect(problemsOf(open)).toEqual([expect.stringMatching(`^${BOUND}: `)]);
    expect(problemsOf({ ...app, grant_types: ["implicit"], [BOUND]: true })).toEqual([
      expect.stringMatching(`^${BOUND}: `),
    ]);
    expect(problemsOf({ ...robot, [BOUND]: "yes" })).toEqual([expect.stringMatching(`^${BOUND}: `)]);
  });

  test("for a client that authenticates, in whatever way → registered", () => {
    expect(fieldsOf({ ...robot, [BOUND]: true }).certificateBound).toBe(true);
    expect(fieldsOf({ ...byCa, [DN]: "CN=import", [BOUND]: true }).certificateBound).toBe(true);
    expect(fieldsOf({ ...robot, [BOUND]: null }).certificateBound).toBe(false);
  });
});
