/** Certificates in a header: from a trusted proxy, and from everybody else (RFC 9440; RFC 9700 §4.13). */

import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { anOwner, exchangeBytes, tokensOf } from "../support/back-channel.ts";
import { aCertificate, chainOf, headerOf } from "../support/make-certificates.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const authority = aCertificate({ days: 30, subject: "/CN=Clients CA", authority: true });
const leaf = aCertificate({ days: 30, subject: "/CN=leaf", by: authority });
const good = aCertificate({ days: 30, subject: "/CN=import", by: authority });
const alone = aCertificate({ days: 30, subject: "/CN=import" });
const forServers = aCertificate({ days: 30, subject: "/CN=import", by: authority, purpose: "serverAuth" });
const byLeaf = aCertificate({ days: 30, subject: "/CN=import", by: leaf });
const intermediate = aCertificate({ days: 30, subject: "/CN=Clients CA 2", authority: true, by: authority });
const below = aCertificate({ days: 30, subject: "/CN=import", by: intermediate });

/**
 * `strict` trusts no proxy. `addresses` trusts this machine for addresses only. `proxied` and `checking` trust its
 * header for certificates, too. All but `proxied` have certificate authorities.
 */
let strict: TestServer;
let addresses: TestServer;
let proxied: TestServer;
let checking: TestServer;
/** Trusts a header with another name. */
let renamed: TestServer;

beforeAll(async () => {
  const trusting = { trustProxy: ["127.0.0.1"] };
  const known = { tlsClientCa: authority.certPath };
  const header = { clientCertHeader: "Client-Cert" };
  [strict, addresses, proxied, checking, renamed] = await Promise.all([
    startServer({ config: { ...known, ...header } }),
    startServer({ config: { ...trusting, ...known } }),
    startServer({ config: { ...trusting, ...header } }),
    startServer({ config: { ...trusting, ...known, ...header } }),
    startServer({ config: { ...trusting, ...known, clientCertHeader: "X-Client-Cert" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([strict, addresses, proxied, checking, renamed].map((server) => server.stop()));
});

const robot: Partial<Client> = {
  grantTypes: ["client_credentials"],
  ownScopes: ["read"],
  secrets: [],
  authMethod: "tls_client_auth",
  tlsSubject: { field: "tls_client_auth_subject_dn", value: "CN=import" },
};

async function ask(server: TestServer, { clientId }: TestClient, headers: HeadersInit) {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId });
  const answer = await fetch(`${server.issuer}/token`, { method: "POST", body, headers });
  const text = await answer.text();
  return { status: answer.status, error: text === "" ? undefined : (JSON.parse(text) as { error?: string }).error };
}

describe("MT-04 from somebody who isn't believed", () => {
  test.each([
    ["Client-Cert", headerOf(good)],
    ["X-SSL-Client-Cert", encodeURIComponent(good.cert)],
    ["X-Forwarded-Client-Cert", `Hash=abc;Cert="${encodeURIComponent(good.cert)}";Subject="CN=import"`],
  ])("%s → ignored, invalid_client", async (name, value) => {
    expect(await ask(strict, await strict.addClient(robot), { [name]: value })).toEqual({
      status: 401,
      error: "invalid_client",
    });
  });

  test("for a client known by its key → ignored, invalid_client", async () => {
    const client = await strict.addClient({ ...robot, authMethod: "self_signed_tls_client_auth", jwks: alone.jwks });
    expect((await ask(strict, client, { "client-cert": headerOf(alone) })).status).toBe(401);
  });
});

describe("from a proxy that is believed for addresses alone", () => {
  test("Client-Cert → ignored, invalid_client, whatever the method; metadata names none", async () => {
    const byKey: Partial<Client> = { ...robot, authMethod: "self_signed_tls_client_auth", jwks: good.jwks };
    for (const client of [await addresses.addClient(robot), await addresses.addClient(byKey)]) {
      expect(await ask(addresses, client, { "client-cert": headerOf(good) })).toEqual({
        status: 401,
        error: "invalid_client",
      });
    }
    const metadata = await fetch(`${addresses.issuer}/.well-known/oauth-authorization-server`);
    expect(await metadata.text()).not.toContain("tls_client_auth");
  });

  test("a token bound to a certificate that the client only names → refused", async () => {
    const { secret, ...client } = await addresses.addClient({ ...robot, authMethod: "client_secret_post" });
    const hash = createHash("sha256").update("a secret").digest("base64url");
    const secrets = [{ hash, createdAt: 0, expiresAt: null }];
    await addresses.assent.storage.clients.put({
      client: { ...client, secrets, certificateBound: true },
      expect: null,
    });
    await settle();
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id: client.clientId });
    body.append("client_secret", "a secret");
    const headers = { "client-cert": headerOf(good) };
    const answer = await fetch(`${addresses.issuer}/token`, { method: "POST", body, headers });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: "invalid_request" }]);
  });
});

describe("by a header of another name", () => {
  test("that one → a token; Client-Cert → ignored", async () => {
    const client = await renamed.addClient(robot);
    expect((await ask(renamed, client, { "x-client-cert": headerOf(good) })).status).toBe(200);
    expect((await ask(renamed, client, { "client-cert": headerOf(good) })).status).toBe(401);
    const chain = { "x-client-cert": headerOf(below), "x-client-cert-chain": chainOf(intermediate) };
    expect((await ask(renamed, client, chain)).status).toBe(200);
    const other = { "x-client-cert": headerOf(below), "client-cert-chain": chainOf(intermediate) };
    expect((await ask(renamed, client, other)).status).toBe(401);
  });
});

describe("MT-05 from a proxy that is believed", () => {
  const encoded = good.der.toString("base64");
  test.each<[string, HeadersInit]>([
    ["no header", {}],
    ["an empty one", { "client-cert": "" }],
    ["an empty sequence", { "client-cert": "::" }],
    ["PEM", { "client-cert": good.cert.replaceAll("\n", " ") }],
    ["PEM in base64", { "client-cert": `:${btoa(good.cert)}:` }],
    ["PEM that is cut off", { "client-cert": "-----BEGIN CERTIFICATE-----" }],
    ["escaped PEM", { "client-cert": encodeURIComponent(good.cert) }],
    ["bare base64", { "client-cert": encoded }],
    ["base64url", { "client-cert": `:${good.der.toString("base64url")}:` }],
    ["base64 with a blank", { "client-cert": `:${encoded.slice(0, 64)} ${encoded.slice(64)}:` }],
    ["a parameter behind it", { "client-cert": `${headerOf(good)};a=1` }],
    ["two in one header", { "client-cert": `${headerOf(good)}, ${headerOf(good)}` }],
    ["two in one sequence", { "client-cert": headerOf({ der: Buffer.concat([good.der, good.der]) }) }],
    ["one that is cut off", { "client-cert": headerOf({ der: good.der.subarray(0, -1) }) }],
    ["a byte behind it", { "client-cert": headerOf({ der: Buffer.concat([good.der, Buffer.of(0)]) }) }],
    ["no certificate", { "client-cert": headerOf({ der: Buffer.from("hello") }) }],
    ["another header", { "x-ssl-client-cert": encodeURIComponent(good.cert) }],
  ])("%s → invalid_client", async (_, headers) => {
    expect(await ask(checking, await checking.addClient(robot), headers)).toEqual({
      status: 401,
      error: "invalid_client",
    });
  });

  // Sends two header lines, because `fetch` would join them into one.
  test.each([
    ["the same one twice", [headerOf(good), headerOf(good)]],
    ["the right one, then another", [headerOf(good), headerOf(alone)]],
    ["an empty one behind it", [headerOf(good), ""]],
  ])("several header lines: %s → invalid_client; the first alone → a token", async (_, values) => {
    const { clientId } = await checking.addClient(robot);
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId }).toString();
    const { host, port } = new URL(checking.issuer);
    const form = ["Content-Type: application/x-www-form-urlencoded", `Content-Length: ${body.length}`];
    const send = (certificates: readonly string[]) => {
      const sent = certificates.map((value) => `Client-Cert: ${value}`);
      const head = ["POST /token HTTP/1.1", `Host: ${host}`, "Connection: close", ...form, ...sent];
      return exchangeBytes(Number(port), [...head, "", body].join("\r\n"));
    };
    expect((await send(values)).text).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid_client"/);
    expect((await send(values.slice(0, 1))).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*"access_token"/);
  });

  test("12 kB of zeros → invalid_client; 64 kB → refused before anything is read", async () => {
    const client = await checking.addClient(robot);
    expect((await ask(checking, client, { "client-cert": headerOf({ der: Buffer.alloc(9000) }) })).status).toBe(401);
    expect((await ask(checking, client, { "client-cert": headerOf({ der: Buffer.alloc(48_000) }) })).status).toBe(431);
  });

  test("no authorities are known → no certificate is trusted; its key is compared as before", async () => {
    for (const certificate of [good, alone]) {
      const headers = { "client-cert": headerOf(certificate) };
      expect((await ask(proxied, await proxied.addClient(robot), headers)).status).toBe(401);
      const byKey: Partial<Client> = { ...robot, authMethod: "self_signed_tls_client_auth", jwks: certificate.jwks };
      expect((await ask(proxied, await proxied.addClient(byKey), headers)).status).toBe(200);
    }
    const metadata = await (await fetch(`${proxied.issuer}/.well-known/oauth-authorization-server`)).text();
    expect([metadata.includes('"tls_client_auth"'), metadata.includes('"self_signed_tls_client_auth"')]).toEqual([
      false,
      true,
    ]);
  });

  test.each([
    ["signed by itself", alone],
    ["for servers alone", forServers],
    ["signed by a client's certificate", byLeaf],
  ])("the authorities are known: %s → invalid_client", async (_, certificate) => {
    const answer = await ask(checking, await checking.addClient(robot), { "client-cert": headerOf(certificate) });
    expect(answer).toEqual({ status: 401, error: "invalid_client" });
  });

  test("the authorities are known: issued by one → a token, until it has ended", async () => {
    const client = await checking.addClient(robot);
    const brief = aCertificate({ subject: "/CN=import", by: authority, days: 1 });
    expect((await ask(checking, client, { "client-cert": headerOf(brief) })).status).toBe(200);
    checking.tick(2 * 86_400_000);
    expect((await ask(checking, client, { "client-cert": headerOf(brief) })).status).toBe(401);
    expect((await ask(checking, client, { "client-cert": headerOf(good) })).status).toBe(200);
  });
});

describe("the chain between a certificate and its authority", () => {
  const stranger = aCertificate({ days: 30, subject: "/CN=Clients CA 2", authority: true });
  test.each<[string, Record<string, string>]>([
    ["none", {}],
    ["an empty one", { "client-cert-chain": "" }],
    ["another authority of the same name", { "client-cert-chain": chainOf(stranger) }],
    ["PEM", { "client-cert-chain": intermediate.cert.replaceAll("\n", " ") }],
    ["one that is cut off", { "client-cert-chain": `${chainOf(intermediate).slice(0, -9)}:` }],
    ["something else beside it", { "client-cert-chain": `${chainOf(intermediate)}, x` }],
    ["five, of which one would do", { "client-cert-chain": chainOf(leaf, leaf, leaf, leaf, intermediate) }],
  ])("%s → invalid_client", async (_, chain) => {
    const headers = { "client-cert": headerOf(below), ...chain };
    expect((await ask(checking, await checking.addClient(robot), headers)).status).toBe(401);
  });

  test("the intermediate, also beside others → a token", async () => {
    const client = await checking.addClient(robot);
    for (const chain of [chainOf(intermediate), chainOf(leaf, intermediate, authority)]) {
      const headers = { "client-cert": headerOf(below), "client-cert-chain": chain };
      expect((await ask(checking, client, headers)).status).toBe(200);
    }
  });
});

describe("RT-17 tokens of an owner's grant", () => {
  async function post(path: string, fields: Record<string, string>, certificate?: typeof good) {
    const headers: HeadersInit = certificate === undefined ? {} : { "client-cert": headerOf(certificate) };
    const answer = await fetch(checking.issuer + path, { method: "POST", body: new URLSearchParams(fields), headers });
    const text = await answer.text();
    return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
  }

  test("refreshed by a client whose tokens are bound: without a certificate → none; with one → bound to it", async () => {
    const { secret, ...client } = await checking.addClient();
    const { refresh } = await tokensOf(checking, { ...client, secret }, await anOwner(checking));
    await checking.assent.storage.clients.put({ client: { ...client, certificateBound: true }, expect: null });
    await settle();
    const fields = {
      ...{ grant_type: "refresh_token", refresh_token: refresh, scope: "read" },
      ...{ client_id: client.clientId, client_secret: secret },
    };
    expect(await post("/token", fields)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    for (const certificate of [good, alone]) {
      const { status, body } = await post("/token", fields, certificate);
      expect(status).toBe(200);
      expect(decodeJwt(String(body["access_token"]))["cnf"]).toEqual({ "x5t#S256": certificate.thumbprint });
    }
  });

  test("refreshed, introspected and revoked by a client known by its certificate: another or none → invalid_client", async () => {
    const { secret, ...client } = await checking.addClient();
    const { refresh } = await tokensOf(checking, { ...client, secret }, await anOwner(checking));
    const { authMethod = "tls_client_auth", tlsSubject = null } = robot;
    await checking.assent.storage.clients.put({ client: { ...client, authMethod, tlsSubject }, expect: null });
    await settle();
    const asked = { client_id: client.clientId, token: refresh };
    const refreshing = { ...asked, grant_type: "refresh_token", refresh_token: refresh, scope: "read" };
    for (const certificate of [undefined, leaf]) {
      for (const path of ["/token", "/introspect", "/revoke"]) {
        expect((await post(path, refreshing, certificate)).body).toMatchObject({ error: "invalid_client" });
      }
    }
    expect((await post("/token", refreshing, good)).status).toBe(200);
    expect((await post("/introspect", asked, good)).body["active"]).toBe(true);
    expect((await post("/revoke", asked, good)).status).toBe(200);
    expect((await post("/introspect", asked, good)).body).toEqual({ active: false });
  });
});
