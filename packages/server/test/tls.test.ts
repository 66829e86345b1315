/** The certificate files of TLS: their problems are reported at the start. */

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aCertificate } from "../../../test/support/make-certificates.ts";
import { type Config, ConfigError, configOf } from "../src/config.ts";
import { readTls } from "../src/tls.ts";

const folder = mkdtempSync(join(tmpdir(), "assent-tls-"));
const site = aCertificate({ subject: "/CN=login.test" });
const another = aCertificate({ subject: "/CN=login.test" });
const authority = aCertificate({ subject: "/CN=CA", authority: true });
const empty = join(folder, "empty.pem");
writeFileSync(empty, "");

function problems(values: Partial<Config>): readonly string[] {
  try {
    readTls(configOf(values));
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.problems : [`other: ${String(error)}`];
  }
}

const pair = { tlsCert: site.certPath, tlsKey: site.keyPath };

test("files that aren't there → each of them named", () => {
  const missing = join(folder, "missing.pem");
  expect(problems({ tlsCert: missing, tlsKey: missing, tlsClientCa: missing })).toEqual([
    expect.stringMatching(/^ASSENT_TLS_CERT: .*ENOENT/),
    expect.stringMatching(/^ASSENT_TLS_KEY: .*ENOENT/),
    expect.stringMatching(/^ASSENT_TLS_CLIENT_CA: .*ENOENT/),
  ]);
});

test.each<[string, Partial<Config>, string]>([
  ["a certificate alone", { tlsCert: site.certPath }, "both or neither"],
  ["the key of another certificate", { ...pair, tlsKey: another.keyPath }, "don't match"],
  ["a certificate where the key should be", { ...pair, tlsKey: site.certPath }, "don't match"],
  ["an empty certificate", { ...pair, tlsCert: empty }, "don't match"],
  ["no authorities", { ...pair, tlsClientCa: empty }, "no authority's certificate"],
  ["a certificate that is no authority's", { ...pair, tlsClientCa: site.certPath }, "no authority's certificate"],
])("%s → refused, and no key repeated", (_, values, told) => {
  const found = problems(values);
  expect(found).toEqual([expect.stringContaining(told)]);
  expect(found.join()).not.toContain("BEGIN");
});

describe("KY-07 a key that can be broken", () => {
  const keys = [
    ["RSA of 1024 bits", ["rsa", "rsa_keygen_bits:1024"], "RSA of 1024 bits"],
    ["RSA of 2048 bits with exponent 3", ["rsa", "rsa_keygen_bits:2048", "rsa_keygen_pubexp:3"], "with exponent 3"],
    ["P-192", ["ec", "ec_paramgen_curve:P-192"], "prime192v1"],
    ["secp256k1", ["ec", "ec_paramgen_curve:secp256k1"], "secp256k1"],
  ] as const;

  test.each(keys)("%s → the start is refused, for the server's certificate and for authorities", (_, key, told) => {
    const weak = aCertificate({ subject: "/CN=login.test", authority: true, key });
    for (const [values, variable] of [
      [{ tlsCert: weak.certPath, tlsKey: weak.keyPath }, "ASSENT_TLS_CERT, ASSENT_TLS_KEY"],
      [{ ...pair, tlsClientCa: weak.certPath }, "ASSENT_TLS_CLIENT_CA"],
    ] as const) {
      const found = problems(values);
      expect(found).toEqual([expect.stringMatching(`^${variable}: found a key that is too weak .*${told}`)]);
      expect(found.join()).not.toContain("BEGIN");
    }
  });

  test.each([
    ["RSA of 2048 bits", ["rsa", "rsa_keygen_bits:2048"]],
    ["P-384", ["ec", "ec_paramgen_curve:P-384"]],
    ["Ed25519", ["ed25519"]],
  ] as const)("%s → read", (_, key) => {
    const strong = aCertificate({ subject: "/CN=login.test", authority: true, key });
    expect(problems({ tlsCert: strong.certPath, tlsKey: strong.keyPath, tlsClientCa: strong.certPath })).toEqual([]);
  });
});

test("a key that others may read → a warning; one for its owner and group → none", () => {
  chmodSync(site.keyPath, 0o644);
  expect(readTls(configOf(pair)).warnings).toEqual([expect.stringContaining("ASSENT_TLS_KEY")]);
  chmodSync(site.keyPath, 0o640);
  expect(readTls(configOf(pair)).warnings).toEqual([]);
});

test("a pair and authorities → read; nothing set → nothing", () => {
  const { server, clientCa } = readTls(configOf({ ...pair, tlsClientCa: authority.certPath }));
  expect(server?.cert.toString()).toBe(site.cert);
  expect(clientCa?.certificates).toHaveLength(1);
  expect(readTls(configOf({}))).toEqual({ server: null, clientCa: null, warnings: [] });
});
