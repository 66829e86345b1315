/**
 * Clients that authenticate by certificate, and tokens that are bound to it (RFC 8705), with TLS that this server
 * terminates.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AssentServer, type Config, configOf, createAssent, listen } from "../../packages/server/src/index.ts";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { aCertificate, type Certificate, overTls } from "../support/make-certificates.ts";
import { type Registering, registering, type TestClient } from "../support/test-server.ts";

const authority = aCertificate({ subject: "/CN=Clients CA", authority: true });
const rogue = aCertificate({ subject: "/CN=Clients CA", authority: true });
const site = aCertificate({ subject: "/CN=login.test", names: "DNS:login.test" });
const SUBJECT = "/C=DE/O=Example, Inc./CN=import";
const NAMES =
  "DNS:import.example.com,URI:https://example.com/import,IP:192.0.2.7,IP:2001:db8::7,email:import@example.com";
const good = aCertificate({ subject: SUBJECT, names: NAMES, by: authority });
const other = aCertificate({ subject: "/C=DE/O=Example, Inc./CN=export", by: authority });
const alone = aCertificate({ subject: "/CN=alone" });

const dataDir = mkdtempSync(join(tmpdir(), "assent-"));
const log: string[] = [];
let assent: AssentServer;
let port: number;
let stop: () => Promise<void>;
let add: Registering;

const tls: Partial<Config> = {
  issuer: "https://login.test",
  listen: { host: "127.0.0.1", port: 0 },
  tlsCert: site.certPath,
  tlsKey: site.keyPath,
  tlsClientCa: authority.certPath,
};

beforeAll(async () => {
  const logger = pino({ level: "trace" }, { write: (line: string) => void log.push(line) });
  assent = await createAssent(configOf({ ...tls, dataDir }), { log: logger });
  ({ port, stop } = await listen(assent));
  add = registering(assent, Date.now);
  await add.addStandardScopes();
});
afterAll(async () => {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const DN = "tls_client_auth_subject_dn";
const robot = { grantTypes: ["client_credentials"], ownScopes: ["read"], secrets: [] } as const;
const byCa = (value: string, field: NonNullable<Client["tlsSubject"]>["field"] = DN): Partial<Client> => ({
  ...robot,
  authMethod: "tls_client_auth",
  tlsSubject: { field, value },
});
const byKey = (certificate: Certificate): Partial<Client> => ({
  ...robot,
  authMethod: "self_signed_tls_client_auth",
  jwks: certificate.jwks,
});

async function ask(
  { clientId }: Pick<TestClient, "clientId">,
  certificate?: Certificate,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const form = { grant_type: "client_credentials", client_id: clientId, ...fields };
  return overTls(port, "/token", { form, certificate, headers });
}

const lastCondition = () => log.map((line) => JSON.parse(line)).findLast(({ event }) => event === "refused")?.condition;

describe("MT-01, MT-02 tls_client_auth", () => {
  test("MT-07 no certificate → invalid_client", async () => {
    const { status, body } = await ask(await add.addClient(byCa("CN=import,O=Example\\, Inc.,C=DE")));
    expect([status, body["error"], lastCondition()]).toEqual([401, "invalid_client", "client_certificate_missing"]);
  });

  test.each([
    ["another authority of the same name", aCertificate({ subject: SUBJECT, names: NAMES, by: rogue })],
    ["itself", aCertificate({ subject: SUBJECT, names: NAMES })],
    ["the authority, for servers alone", aCertificate({ subject: SUBJECT, by: authority, purpose: "serverAuth" })],
  ])("the right subject, issued by %s → invalid_client", async (_, certificate) => {
    const { status, body } = await ask(await add.addClient(byCa("CN=import,O=Example\\, Inc.,C=DE")), certificate);
    expect([status, body["error"], lastCondition()]).toEqual([401, "invalid_client", "client_certificate_untrusted"]);
  });

  test.each<[string, string, NonNullable<Client["tlsSubject"]>["field"]]>([
    ["another name", "CN=export,O=Example\\, Inc.,C=DE", DN],
    ["another order", "C=DE,O=Example\\, Inc.,CN=import", DN],
    ["a comma that separates", "CN=import,O=Example,Inc.=,C=DE", DN],
    ["another case of a value", "CN=Import,O=Example\\, Inc.,C=DE", DN],
    ["its beginning", "CN=imp,O=Example\\, Inc.,C=DE", DN],
    ["a part of it", "CN=import", DN],
    ["several names in one", "CN=import+O=Example\\, Inc.,C=DE", DN],
    ["no name at all", "import", DN],
    ["the DNS name as a subject", "CN=import.example.com", DN],
    ["the CN as a DNS name", "import", "tls_client_auth_san_dns"],
    ["a parent of the DNS name", "example.com", "tls_client_auth_san_dns"],
    ["what hosts below would match", ".example.com", "tls_client_auth_san_dns"],
    ["the DNS name as a URI", "import.example.com", "tls_client_auth_san_uri"],
    ["another address", "192.0.2.8", "tls_client_auth_san_ip"],
    ["an address's beginning", "192.0.2", "tls_client_auth_san_ip"],
    ["another mailbox", "Import@example.com", "tls_client_auth_san_email"],
  ])("%s → invalid_client", async (_, value, field) => {
    const { status, body } = await ask(await add.addClient(byCa(value, field)), good);
    expect([status, body["error"], lastCondition()]).toEqual([
      401,
      "invalid_client",
      "client_certificate_subject_wrong",
    ]);
  });

  test("a subject whose value looks like more names → only what it is", async () => {
    const sly = aCertificate({ subject: "/CN=import,O=Example\\, Inc.,C=DE", by: authority });
    expect((await ask(await add.addClient(byCa("CN=import,O=Example\\, Inc.,C=DE")), sly)).status).toBe(401);
  });

  test.each<[string, string, NonNullable<Client["tlsSubject"]>["field"]]>([
    ["the subject", "CN=import,O=Example\\, Inc.,C=DE", DN],
    ["the subject in another spelling", "2.5.4.3=imp\\6frt, o=Example\\2C Inc., c=DE", DN],
    ["the DNS name in another case", "IMPORT.example.com", "tls_client_auth_san_dns"],
    ["the URI", "https://example.com/import", "tls_client_auth_san_uri"],
    ["the IPv4 address", "192.0.2.7", "tls_client_auth_san_ip"],
    ["the IPv6 address in another spelling", "2001:0db8:0::7", "tls_client_auth_san_ip"],
    ["the mailbox", "import@example.com", "tls_client_auth_san_email"],
  ])("%s → a token", async (_, value, field) => {
    const { status, body } = await ask(await add.addClient(byCa(value, field)), good);
    expect([status, body["scope"]]).toEqual([200, "read"]);
    expect(decodeJwt(String(body["access_token"]))["cnf"]).toBeUndefined();
  });

  test("with a secret, too → invalid_request; a secret in its place → invalid_client", async () => {
    const client = await add.addClient(byCa("CN=import,O=Example\\, Inc.,C=DE"));
    const authorization = `Basic ${btoa(`${client.clientId}:guess`)}`;
    expect((await ask(client, good, {}, { authorization })).body["error"]).toBe("invalid_request");
    expect((await ask(client, good, { client_secret: "guess" })).body["error"]).toBe("invalid_request");
    expect((await ask(client, undefined, { client_secret: "guess" })).body["error"]).toBe("invalid_client");
  });

  test("a certificate in place of a secret → invalid_client", async () => {
    const client = await add.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
    expect((await ask(client, good)).body["error"]).toBe("invalid_client");
  });
});

describe("self_signed_tls_client_auth", () => {
  test("no certificate, another key, another key under the same subject → invalid_client", async () => {
    const client = await add.addClient(byKey(alone));
    for (const certificate of [undefined, good, aCertificate({ subject: "/CN=alone" })]) {
      const { status, body } = await ask(client, certificate);
      expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    }
  });

  test("the registered key, whoever signed its certificate → a token", async () => {
    expect((await ask(await add.addClient(byKey(alone)), alone)).status).toBe(200);
    expect((await ask(await add.addClient(byKey(good)), good)).status).toBe(200);
  });
});

describe("RI-16 certificate-bound tokens", () => {
  const bound = { certificateBound: true } as const;

  test("a client with a secret and no certificate → invalid_request", async () => {
    const client = await add.addClient({ ...robot, ...bound, secrets: [] });
    const secretive = await add.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"], ...bound });
    expect((await ask(client)).status).toBe(401);
    const { status, body } = await ask(secretive, undefined, { client_secret: secretive.secret });
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });

  test("each token names the certificate of its own request, in itself and in introspection", async () => {
    const client = await add.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"], ...bound });
    for (const certificate of [good, other, alone]) {
      const { body } = await ask(client, certificate, { client_secret: client.secret });
      const token = String(body["access_token"]);
      expect(decodeJwt(token)["cnf"]).toEqual({ "x5t#S256": certificate.thumbprint });
      const form = { token, client_id: "api-test", client_secret: "api-test-secret" };
      const told = await overTls(port, "/introspect", { form });
      expect(told.body).toMatchObject({ active: true, cnf: { "x5t#S256": certificate.thumbprint } });
    }
  });

  test("AD-22 at the admin API → only with the certificate of the token", async () => {
    const client = await add.addClient({
      ...{ grantTypes: ["client_credentials"], ownScopes: ["admin:clients:read"], ...bound },
    });
    const { body } = await ask(client, good, { client_secret: client.secret });
    const headers = { authorization: `Bearer ${body["access_token"]}` };
    const answers = [];
    for (const certificate of [good, other, alone, undefined])
      answers.push((await overTls(port, "/admin/api/v1/clients", { headers, certificate })).status);
    expect(answers).toEqual([200, 401, 401, 401]);
  });

  test("an opaque token → introspection names the certificate", async () => {
    const api = await add.addResource({ identifier: "https://sealed.test", tokenFormat: "opaque" });
    await add.addScope({ name: "sealed", resource: "https://sealed.test" });
    const client = await add.addClient({ ...byKey(alone), ...bound, ownScopes: ["sealed"] });
    const { body } = await ask(client, alone);
    const form = { token: String(body["access_token"]), client_id: api.id, client_secret: api.secret };
    const told = await overTls(port, "/introspect", { form });
    expect(told.body).toMatchObject({ active: true, cnf: { "x5t#S256": alone.thumbprint } });
  });
});

test("a session that is taken up again → the same certificate", async () => {
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
  const client = await add.addClient({ ...byCa("CN=import,O=Example\\, Inc.,C=DE"), certificateBound: true });
  const form = { grant_type: "client_credentials", client_id: client.clientId };
  const answers = [];
  for (let times = 0; times < 3; times += 1)
    answers.push(await overTls(port, "/token", { form, certificate: good, agent }));
  expect(answers.map(({ status, resumed }) => [status, resumed])).toEqual([
    [200, false],
    [200, true],
    [200, true],
  ]);
  for (const { body } of answers) {
    expect(decodeJwt(String(body["access_token"]))["cnf"]).toEqual({ "x5t#S256": good.thumbprint });
  }
});

test("MT-07 metadata → both methods, bound tokens, the same at each endpoint; no other address for clients with certificates", async () => {
  const { body } = await overTls(port, "/.well-known/oauth-authorization-server", {});
  for (const endpoint of ["token", "revocation", "introspection"]) {
    const methods = body[`${endpoint}_endpoint_auth_methods_supported`];
    expect(methods).toEqual(expect.arrayContaining(["tls_client_auth", "self_signed_tls_client_auth"]));
  }
  expect(body["tls_client_certificate_bound_access_tokens"]).toBe(true);
  expect(body["mtls_endpoint_aliases"]).toBeUndefined();
});

describe("without authorities", () => {
  test("a certificate vouches for its key alone, and metadata says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-"));
    const plain = await createAssent(configOf({ ...tls, tlsClientCa: null, dataDir: folder, logLevel: "silent" }));
    const listening = await listen(plain);
    try {
      const its = registering(plain, Date.now);
      await its.addStandardScopes();
      const [named, keyed] = [
        await its.addClient(byCa("CN=export,O=Example\\, Inc.,C=DE")),
        await its.addClient(byKey(other)),
      ];
      const token = ({ clientId }: TestClient) =>
        overTls(listening.port, "/token", {
          form: { grant_type: "client_credentials", client_id: clientId },
          certificate: other,
        });
      expect((await token(named)).status).toBe(401);
      expect((await token(keyed)).status).toBe(200);
      const { body } = await overTls(listening.port, "/.well-known/oauth-authorization-server", {});
      const methods = body["token_endpoint_auth_methods_supported"];
      expect(methods).toContain("self_signed_tls_client_auth");
      expect(methods).not.toContain("tls_client_auth");
    } finally {
      await listening.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
