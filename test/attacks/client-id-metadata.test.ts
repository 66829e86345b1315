/** Attacks with client ID metadata documents: hostile addresses, documents, hosts, and floods. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteClient, setLogo, updateClient } from "../../packages/server/src/admin/clients.ts";
import type { AdminContext } from "../../packages/server/src/admin/context.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { aDocument, aDocumentSite, type DocumentSite } from "../support/document-site.ts";
import { expectPage400, rowCounts } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, pkce, postForm, unnumbered } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let site: DocumentSite;

beforeAll(async () => {
  [server, site] = await Promise.all([
    startServer({ fetchFromLoopback: true, config: { clientIdMetadata: "on" } }),
    aDocumentSite(),
  ]);
});
afterAll(async () => {
  await server.stop();
  await site.close();
});

const PKCE = { code_challenge: pkce().challenge, code_challenge_method: "S256" };
const ask = (client: Pick<TestClient, "clientId" | "redirectUris">, at: TestServer = server) =>
  new Agent(at.issuer).get(authorizeUrl(at, client, PKCE));
const named = (clientId: string) => ({ clientId, redirectUris: ["http://127.0.0.1/cb"] });
const UNUSABLE = "client_document_unusable";

/** Further documents count for nobody's limit: a minute has passed. */
async function aMinuteLater() {
  for (let step = 0; step < 120; step += 1) await settle();
}

describe("CM-03 addresses", () => {
  test.each([
    "http://tool.test/c",
    "https://tool.test",
    "https://u:p@tool.test/c",
    "https://tool.test/c#f",
    "https://tool.test/c#",
    "https://tool.test/a/../c",
    "https://tool.test/a/./c",
    "https://tool.test/a/%2e%2e/c",
    "https://TOOL.test/c",
    "https://tool.test:443/c",
    "HTTPS://tool.test/c",
    "https://tool.test./c",
    "https://gооgle.test/c",
    "https://2130706433/c",
    "https:\\\\tool.test\\c",
    `https://tool.test/${"a".repeat(300)}`,
    "ftp://tool.test/c",
    "http://127.0.0.1.tool.test/c",
  ])("CM-16 %s → a page with 400, nothing is fetched", async (clientId) => {
    const before = site.asked.length;
    expectPage400(await ask(named(clientId)), clientId.includes("://") ? UNUSABLE : undefined);
    expect(site.asked.length).toBe(before);
  });

  test("CM-04 a query in canonical form → accepted", async () => {
    expect((await ask(site.publish("/c?x=1"))).status).toBe(200);
  });
});

describe("CM-04 the document names another client", () => {
  test.each<readonly [string, unknown]>([
    ["another address", "https://tool.test/c.json"],
    ["a trailing slash", "/"],
    ["upper case", "UP"],
    ["a list", ["x"]],
    ["nothing", undefined],
  ])("%s → 400, nothing is stored", async (what, id) => {
    await aMinuteLater();
    const path = `/cm-04-${what.replaceAll(" ", "-")}.json`;
    const address = site.origin + path;
    const clientId = id === "/" ? `${address}/` : id === "UP" ? address.toUpperCase() : id;
    const before = await rowCounts(server.dataDir);
    expectPage400(await ask(site.publish(path, { client_id: clientId })), UNUSABLE);
    const { refusals: _, ...after } = await rowCounts(server.dataDir);
    const { refusals: __, ...rest } = before;
    expect(after).toEqual(rest);
  });
});

describe("CM-08 CM-09 answers of the host", () => {
  const text = (path: string) => JSON.stringify({ ...aDocument, client_id: site.origin + path });
  const JSON_TYPE = { "content-type": "application/json" };
  const cases: readonly (readonly [
    string,
    (path: string) => readonly [number, Record<string, string>, string | Buffer],
  ])[] = [
    ["HTML", (path) => [200, { "content-type": "text/html" }, text(path)]],
    ["plain text", (path) => [200, { "content-type": "text/plain" }, text(path)]],
    ["a list", (path) => [200, JSON_TYPE, `[${text(path)}]`]],
    ["a name twice", (path) => [200, JSON_TYPE, text(path).replace("{", '{"client_name":"A",')]],
    ["more than 10 KiB", (path) => [200, JSON_TYPE, text(path).replace("{", `{"x":"${"a".repeat(10_240)}",`)]],
    ["2 MB", () => [200, JSON_TYPE, Buffer.alloc(2_000_000, 32)]],
    ["compressed", (path) => [200, { ...JSON_TYPE, "content-encoding": "gzip" }, gzipSync(text(path))]],
    ["a byte order mark", (path) => [200, JSON_TYPE, `\uFEFF${text(path)}`]],
    [
      "bytes that are not UTF-8",
      (path) => [200, JSON_TYPE, Buffer.concat([Buffer.from(text(path)), Buffer.from([0xff])])],
    ],
    ["301", (path) => [301, { location: `${site.origin}/cm-01.json` }, text(path)]],
    ["404", (path) => [404, JSON_TYPE, text(path)]],
    ["500", (path) => [500, JSON_TYPE, text(path)]],
    ["304 without a copy", () => [304, {}, ""]],
    ["status 201", (path) => [201, JSON_TYPE, text(path)]],
  ];
  test.each(cases)("%s → 400", async (what, answer) => {
    await aMinuteLater();
    const path = `/cm-08-${encodeURIComponent(what)}`;
    const client = site.answer(path, (_, response) => {
      const [status, headers, body] = answer(path);
      response.writeHead(status, headers).end(body);
    });
    expectPage400(await ask(client), UNUSABLE);
  });

  test("__proto__ in the document → no effect on any object", async () => {
    const path = "/proto.json";
    const client = site.answer(path, (_, response) =>
      response.writeHead(200, JSON_TYPE).end(text(path).replace("{", '{"__proto__":{"polluted":true},')),
    );
    expect((await ask(client)).status).toBe(200);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("CM-10 secrets and methods", () => {
  test.each<readonly [string, Record<string, unknown>]>([
    ["client_secret_basic", { token_endpoint_auth_method: "client_secret_basic" }],
    ["client_secret_jwt", { token_endpoint_auth_method: "client_secret_jwt" }],
    ["tls_client_auth", { token_endpoint_auth_method: "tls_client_auth", tls_client_auth_subject_dn: "CN=x" }],
    ["a secret", { client_secret: "x" }],
    ["keys without a method", { token_endpoint_auth_method: undefined, jwks: { keys: [] } }],
    ["private_key_jwt without keys", { token_endpoint_auth_method: "private_key_jwt" }],
    [
      "a private key",
      {
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ kty: "EC", crv: "P-256", x: "a", y: "b", d: "c" }] },
      },
    ],
    ["javascript: as redirect URI", { redirect_uris: ["javascript:alert(1)"] }],
    ["no redirect URI", { redirect_uris: [] }],
    ["implicit alone", { grant_types: ["implicit"] }],
    ["a name with a bidi control", { client_name: "Tool\u202e" }],
    ["javascript: as policy_uri", { policy_uri: "javascript:alert(1)" }],
  ])("%s → 400", async (what, changes) => {
    await aMinuteLater();
    expectPage400(await ask(site.publish(`/cm-10-${encodeURIComponent(what)}`, changes)), UNUSABLE);
  });
});

describe("CM-02 switched off, or another host", () => {
  test.each<readonly [string, "off" | readonly string[]]>([
    ["off", "off"],
    ["a list without this host", ["tool.test"]],
  ])("%s → 400, no request goes out; a client that was allowed before gets no token", async (_, clientIdMetadata) => {
    const other = await startServer({ fetchFromLoopback: true, config: { clientIdMetadata } });
    try {
      const client = site.publish("/cm-02.json");
      const before = site.asked.length;
      const condition = clientIdMetadata === "off" ? "authorization_client_unknown" : UNUSABLE;
      expectPage400(await ask(client, other), condition);
      const record = {
        ...(await other.addClient({ type: "public", clientId: client.clientId, redirectUris: client.redirectUris })),
        document: { checkedAt: other.now(), appearance: "a", logoUri: null, scope: null },
      };
      await other.assent.storage.clients.put({ client: record, expect: null });
      await settle();
      expectPage400(await ask(client, other), condition);
      const token = await postForm(other, "/token", null, {
        ...{ grant_type: "refresh_token", refresh_token: "rt_x", client_id: client.clientId },
      });
      expect([token.status, token.body["error"]]).toEqual([401, "invalid_client"]);
      expect(site.asked.length).toBe(before);
      const metadata = (await (await fetch(`${other.issuer}/.well-known/oauth-authorization-server`)).json()) as object;
      expect("client_id_metadata_document_supported" in metadata).toBe(clientIdMetadata !== "off");
    } finally {
      await other.stop();
    }
  });

  test("CM-07 a list of hosts → a document with a redirect on a host beside it is refused as a whole", async () => {
    const host = new URL(site.origin).host;
    const listed = await startServer({ fetchFromLoopback: true, config: { clientIdMetadata: [host] } });
    try {
      const stray = site.publish("/stray.json", { redirect_uris: ["http://127.0.0.1/cb", "https://evil.test/cb"] });
      expectPage400(await ask(stray, listed), UNUSABLE);
      expect((await ask(site.publish("/fine.json"), listed)).status).toBe(200);
    } finally {
      await listed.stop();
    }
  });
});

describe("CM-14 CM-15 caching and floods", () => {
  test.each(["max-age=31536000", "no-store", "max-age=-1", "max-age=5"])(
    "%s, and 20 at once → one fetch",
    async (control) => {
      await aMinuteLater();
      const path = `/cm-14-${encodeURIComponent(control)}`;
      const client = site.publish(path, {}, { "cache-control": control, age: "99999999", vary: "*" });
      await Promise.all(Array.from({ length: 20 }, () => ask(client)));
      await ask(client);
      expect(site.asked.filter((one) => one === path)).toHaveLength(1);
    },
  );

  test("200 new paths in a minute from one network → at most 30 fetches, then 429; a client that is known goes on", async () => {
    await aMinuteLater();
    const known = site.publish("/known.json", {}, { "cache-control": "max-age=86400" });
    await ask(known);
    const before = site.asked.length;
    const pages = await Promise.all(
      Array.from({ length: 200 }, (_, number) => ask(named(`${site.origin}/flood-${number}.json`))),
    );
    expect(pages.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(170);
    expect(site.asked.length - before).toBeLessThanOrEqual(30);
    expect(pages.find(({ status }) => status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await ask(known)).status).toBe(200);
  });

  test("at the token endpoint, an address that no owner has answered → invalid_client, no fetch", async () => {
    const before = site.asked.length;
    const client = site.publish("/never.json");
    const { status, body } = await postForm(server, "/token", null, {
      ...{
        grant_type: "authorization_code",
        code: "x",
        redirect_uri: "http://127.0.0.1/cb",
        client_id: client.clientId,
      },
    });
    expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    expect(site.asked.length).toBe(before);
  });
});

test("CM-18 the name doesn't resolve, the host refuses, TLS fails → one and the same page; the cause is in the log", async () => {
  await aMinuteLater();
  const addresses = [
    "https://nowhere.invalid/c",
    "http://127.0.0.1:1/c",
    `${site.origin.replace("http:", "https:")}/c`,
  ];
  const pages = await Promise.all(addresses.map((address) => ask(named(address))));
  expect(new Set(pages.map(({ text }) => unnumbered(text))).size).toBe(1);
  expect(pages[0]?.text).not.toMatch(/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|SSL/);
  expect(server.log.some((line) => line.includes("client_document_unusable") && line.includes("unreachable"))).toBe(
    true,
  );
});

test("CM-19 an operator deletes the client → its address stays refused, without a fetch, until it is enabled; a document's facts can't be changed here", async () => {
  await aMinuteLater();
  const client = site.publish("/deleted.json");
  const { agent } = await signedInPerson(server);
  const url = authorizeUrl(server, client, PKCE);
  await agent.submit(consentForm(await agent.get(url)), { decision: "allow" });
  const { storage, grants } = server.assent;
  const context = { storage, grants, issuer: server.issuer, now: server.now } as unknown as AdminContext;
  const { clientId } = client;
  await expect(updateClient(clientId, { metadata: { client_name: "X" } }, context)).rejects.toThrow("document");
  await expect(setLogo(clientId, null, context)).rejects.toThrow("document");
  await deleteClient(clientId, context);
  await aMinuteLater();
  const asked = site.asked.length;
  expectPage400(await agent.get(url), "authorization_client_unknown");
  expect(site.asked.length).toBe(asked);
  await updateClient(clientId, { status: "active" }, context);
  await settle();
  expect((await agent.get(url)).forms.some(({ action }) => action === "/consent")).toBe(true);
});

describe("clients that owners have answered", () => {
  async function answered(path: string, headers: Record<string, string> = {}) {
    const client = site.publish(path, {}, headers);
    const { agent } = await signedInPerson(server);
    const url = authorizeUrl(server, client, PKCE);
    await agent.submit(consentForm(await agent.get(url)), { decision: "allow" });
    return { client, agent, url };
  }

  test("CM-15 strangers of the same network use up its limit → a known client's document is read again all the same", async () => {
    await aMinuteLater();
    const { client, agent, url } = await answered("/within-limits.json", { "cache-control": "max-age=90" });
    for (let step = 0; step < 140; step += 1) await settle();
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, number) => ask(named(`${site.origin}/flood-again-${number}.json`))),
    );
    expect(flood.filter(({ status }) => status === 429)).toHaveLength(10);
    for (let step = 0; step < 50; step += 1) await settle();
    site.asked.length = 0;
    expect((await agent.get(url)).status).toBe(200);
    expect(site.asked).toEqual(["/within-limits.json"]);
    expect((await ask(client)).status).toBe(200);
  });

  test("CM-19 an operator disables it while a change of its document is stored → it stays disabled", async () => {
    await aMinuteLater();
    const { client, agent, url } = await answered("/disabled-meanwhile.json");
    await agent.get(url);
    await aMinuteLater();
    site.publish("/disabled-meanwhile.json", { client_name: "Another" });
    const { clients } = server.assent.storage;
    const stored = async () => (await clients.get({ clientId: client.clientId }))?.record;
    const before = await stored();
    if (before === undefined) throw new Error("not stored");
    // Compares the cache of clients, which then has the earlier record for half a second.
    await ask(site.publish("/compares.json"));
    await clients.put({ client: { ...before, status: "disabled" }, expect: null });
    await agent.get(url);
    expect(await stored()).toMatchObject({ status: "disabled" });
  });

  test("CM-15 20,000 are stored that no operator judged → a new one is refused with 429, and known ones go on", async () => {
    await aMinuteLater();
    const { agent, url } = await answered("/before-full.json");
    const database = `sqlite:${join(server.dataDir, "assent.db")}`;
    await byHand(database, [
      `INSERT INTO clients (client_id, version, forget_after) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        SELECT 'https://full.test/' || i, 0, 9000000000000 FROM n`,
    ]);
    try {
      const client = site.publish("/one-more.json");
      const page = await agent.get(authorizeUrl(server, client, PKCE));
      expect((await agent.submit(consentForm(page), { decision: "allow" })).status).toBe(429);
      expect((await agent.submit(consentForm(await agent.get(url)), { decision: "allow" })).location).toBeDefined();
    } finally {
      await byHand(database, ["DELETE FROM clients WHERE client_id LIKE 'https://full.test/%'"]);
    }
  });
});
