/** The files that TLS is ended with: what is wrong with them is told at the start. */

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aCertificate } from "../../../test/support/certificates.ts";
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
  ["the key of another certificate", { ...pair, tlsKey: another.keyPath }, "don't go together"],
  ["a certificate where the key should be", { ...pair, tlsKey: site.certPath }, "don't go together"],
  ["an empty certificate", { ...pair, tlsCert: empty }, "don't go together"],
  ["no authorities", { ...pair, tlsClientCa: empty }, "no authority's certificate"],
  ["a certificate that is no authority's", { ...pair, tlsClientCa: site.certPath }, "no authority's certificate"],
])("%s → refused, and no key repeated", (_, values, told) => {
  const found = problems(values);
  expect(found).toEqual([expect.stringContaining(told)]);
  expect(found.join()).not.toContain("BEGIN");
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
