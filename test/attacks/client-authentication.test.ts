/** Attacks on client authentication with secrets (RFC 6749 §2.3; RFC 7617). */

import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf, createClient, rotateSecret } from "../../packages/server/src/admin/index.ts";
import {
  anOwner,
  basic,
  changeClient,
  cpuClock,
  expectRefusal,
  expectUnlogged,
  logged,
  post,
  tokensOf,
} from "../support/back-channel.ts";
import { refresh, unnumbered } from "../support/http-browser.ts";
import { API, settle, sha256, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let pub: TestClient;
let token: string;

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1/32"] } });
  client = await server.addClient();
  pub = await server.addClient({ type: "public" });
  token = (await tokensOf(server, client, await anOwner(server))).refresh;
});
afterAll(() => server.stop());

const refreshing = () => ({ grant_type: "refresh_token", refresh_token: token });
const form = (fields: Record<string, string>) => `${new URLSearchParams(fields)}`;
const b64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");
const tokens = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  post(server, "/token", form({ ...refreshing(), ...fields }), headers);

describe("the right secret", () => {
  test("by Basic, in the body, with the id beside the header → 200", async () => {
    const authorization = basic(client.clientId, client.secret);
    expect((await tokens({}, { authorization })).status).toBe(200);
    expect((await tokens({ client_id: client.clientId }, { authorization })).status).toBe(200);
    expect((await tokens({ client_id: client.clientId, client_secret: client.secret })).status).toBe(200);
    expect((await tokens({}, { authorization: authorization.replace("Basic", "bAsIc") })).status).toBe(200);
  });

  test("with characters that Basic must encode → 200 (RFC 6749 §2.3.1)", async () => {
    const secret = "a+b%c:d é&=/";
    const odd = await server.addClient({
      secrets: [{ hash: sha256(secret), createdAt: server.now(), expiresAt: null }],
    });
    const mine = (await tokensOf(server, { ...odd, secret }, await anOwner(server))).refresh;
    const encode = (text: string) => `${new URLSearchParams({ a: text })}`.slice(2);
    const headers = { authorization: `Basic ${b64(`${encode(odd.clientId)}:${encode(secret)}`)}` };
    expect(
      (await post(server, "/token", form({ grant_type: "refresh_token", refresh_token: mine }), headers)).status,
    ).toBe(200);
  });
});

describe("two credentials", () => {
  const both = () => ({ client_id: client.clientId, client_secret: client.secret });
  const assertion = {
    client_assertion: "e30.e30.x",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  const header = () => ({ authorization: basic(client.clientId, client.secret) });

  test("CA-02 Basic and a secret in the body → invalid_request", async () =>
    expectRefusal(await tokens(both(), header()), "invalid_request"));
  test("CA-02 Basic and an assertion → invalid_request", async () =>
    expectRefusal(await tokens(assertion, header()), "invalid_request"));
  test("CA-02 Basic and half an assertion → invalid_request", async () =>
    expectRefusal(await tokens({ client_assertion: "x" }, header()), "invalid_request"));
  test("CA-02 a secret in the body and an assertion → invalid_request", async () =>
    expectRefusal(await tokens({ ...both(), ...assertion }), "invalid_request"));
  test("Basic and another client's id in the body → invalid_request", async () =>
    expectRefusal(await tokens({ client_id: pub.clientId }, header()), "invalid_request"));
  test("an assertion alone, which no client has → invalid_client", async () =>
    expectRefusal(await tokens({ client_id: client.clientId, ...assertion }), "invalid_client"));

  test("CA-11 two Authorization headers, the same or two → invalid_request", async () => {
    const body = form(refreshing());
    for (const second of [header().authorization, basic(pub.clientId, "x"), "Bearer x", ""]) {
      const answer = await raw([`Authorization: ${header().authorization}`, `Authorization: ${second}`], body);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"invalid_request"/);
    }
    expect(await raw([`Authorization: ${header().authorization}`], body)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

function raw(headers: readonly string[], body: string): Promise<string> {
  const { port } = new URL(server.issuer);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    const head = [
      "POST /token HTTP/1.1",
      "Host: a",
      "Connection: close",
      "Content-Type: application/x-www-form-urlencoded",
    ];
    socket.end([...head, ...headers, `Content-Length: ${body.length}`, "", body].join("\r\n"));
  });
}

describe("a secret that is not the client's", () => {
  test("CA-03 a wrong secret by Basic and in the body → invalid_client with the challenge, unlogged", async () => {
    const wrong = "cs_a-wrong-secret-of-somebody";
    expectRefusal(await tokens({}, { authorization: basic(client.clientId, wrong) }), "invalid_client");
    expectRefusal(await tokens({ client_id: client.clientId, client_secret: wrong }), "invalid_client");
    expectUnlogged(server, wrong, basic(client.clientId, wrong).slice(6), client.secret);
  });

  test("an unknown client and a wrong secret → the same answer but for its number", async () => {
    const unknown = await tokens({}, { authorization: basic("c-nobody", "x") });
    const wrong = await tokens({}, { authorization: basic(client.clientId, "x") });
    expect(unnumbered(unknown.text)).toBe(unnumbered(wrong.text));
    const names = (headers: Headers) => [...headers.keys()].join();
    expect(names(unknown.headers)).toBe(names(wrong.headers));
  });

  test.each<[string, (secret: string) => string]>([
    ["its hash", sha256],
    ["its first half", (secret) => secret.slice(0, 20)],
    ["with a character behind it", (secret) => `${secret}x`],
    ["with a space behind it", (secret) => `${secret} `],
    ["in upper case", (secret) => secret.toUpperCase()],
    ["without its prefix", (secret) => secret.slice(3)],
  ])("the secret: %s → invalid_client", async (_, bend) => {
    expectRefusal(await tokens({ client_id: client.clientId, client_secret: bend(client.secret) }), "invalid_client");
  });

  test("CA-07 an empty secret → invalid_client", async () => {
    expectRefusal(await tokens({ client_id: client.clientId, client_secret: "" }), "invalid_client");
    expectRefusal(await tokens({}, { authorization: `Basic ${b64(`${client.clientId}:`)}` }), "invalid_client");
    expectRefusal(await tokens({}, { authorization: `Basic ${b64(`:${client.secret}`)}` }), "invalid_client");
    expectRefusal(await tokens({}, { authorization: `Basic ${b64(":")}` }), "invalid_client");
  });

  test.each(["a secret", "null", "undefined", "[object Object]", sha256(""), "A".repeat(43)])(
    "CA-08 a public client with the secret %j → invalid_client",
    async (secret) => {
      expectRefusal(await tokens({ client_id: pub.clientId, client_secret: secret }), "invalid_client");
      expectRefusal(await tokens({}, { authorization: basic(pub.clientId, secret) }), "invalid_client");
    },
  );

  test("CA-08 a public client by its id alone → known; a confidential one, or one without secrets → invalid_client", async () => {
    expectRefusal(await tokens({ client_id: pub.clientId }), "invalid_grant");
    expectRefusal(await tokens({ client_id: client.clientId }), "invalid_client");
    const bare = await server.addClient({ secrets: [] });
    for (const secret of ["null", "undefined", "A".repeat(43)])
      expectRefusal(await tokens({ client_id: bare.clientId, client_secret: secret }), "invalid_client");
    expectRefusal(await tokens({ client_id: bare.clientId }), "invalid_client");
  });

  test("nobody named, or a name of the language → invalid_client", async () => {
    expectRefusal(await tokens({}), "invalid_client");
    for (const id of ["__proto__", "constructor", "toString", "' OR 1=1 --", API.id])
      expectRefusal(await tokens({ client_id: id, client_secret: "x" }), "invalid_client");
  });

  test("the introspection client of an API at the token endpoint, or at /revoke → invalid_client", async () => {
    expectRefusal(await tokens({ client_id: API.id, client_secret: API.secret }), "invalid_client");
    expectRefusal(
      await post(server, "/revoke", form({ token: "x", client_id: API.id, client_secret: API.secret })),
      "invalid_client",
    );
  });
});

describe("CA-10 a header that is not Basic as it should be", () => {
  const pair = () => b64(`${client.clientId}:${client.secret}`);
  test.each<[string, () => string]>([
    ["no colon", () => `Basic ${b64(client.clientId)}`],
    ["no base64", () => "Basic !!!!"],
    ["spaces inside", () => `Basic ${pair().slice(0, 8)} ${pair().slice(8)}`],
    [
      "without padding",
      () => `Basic ${b64(`${client.clientId}:${client.secret}1`).replace(/=+$/, "")}`.replace(/=/g, ""),
    ],
    [
      "bits that stand for nothing",
      () => `Basic ${b64(`${client.clientId}:x`).replace(/.=$/, "9=").replace(/.==$/, "9==")}`,
    ],
    ["base64url", () => `Basic ${b64("c-?>~~~:?>~~~").replaceAll("+", "-").replaceAll("/", "_")}`],
    ["not UTF-8", () => `Basic ${b64(Buffer.concat([Buffer.from(`${client.clientId}:`), Buffer.of(0xff, 0xfe)]))}`],
    ["a NUL", () => `Basic ${b64(`${client.clientId}\0:${client.secret}`)}`],
    ["the scheme alone", () => "Basic"],
    ["no space", () => `Basic${pair()}`],
    ["a tab", () => `Basic\t${pair()}`],
    ["more behind it", () => `Basic ${pair()}, Basic ${pair()}`],
    ["Bearer", () => `Bearer ${pair()}`],
    ["Digest", () => 'Digest username="x"'],
    ["10 kB", () => `Basic ${"A".repeat(10_000)}`],
  ])("%s → invalid_client", async (_, header) => {
    expectRefusal(await tokens({}, { authorization: header() }), "invalid_client");
  });
});

describe("the secret's life", () => {
  test("CA-12 CA-13 a rotation: both while they overlap, the new one alone afterwards", async () => {
    const mine = await server.addClient();
    const fresh = "cs_the-new-secret-of-this-client";
    const [old] = mine.secrets;
    if (old === undefined) throw new Error("no secret");
    const end = server.now() + 60_000;
    await changeClient(server, mine, {
      secrets: [
        { ...old, expiresAt: end },
        { hash: sha256(fresh), createdAt: server.now(), expiresAt: null },
      ],
    });
    const known = (secret: string) => tokens({ client_id: mine.clientId, client_secret: secret });
    expectRefusal(await known(mine.secret), "invalid_grant");
    expectRefusal(await known(fresh), "invalid_grant");
    server.tick(60_000);
    const before = logged(server, "client_secret_expired");
    expectRefusal(await known(mine.secret), "invalid_client");
    expect(logged(server, "client_secret_expired")).toBe(before + 1);
    expectRefusal(await known(fresh), "invalid_grant");
  });

  test("CA-13 CA-16 CA-17 made and rotated by the operator → 256 bits, told once; the old one works until its last second", async () => {
    const admin = adminOf(server.assent.storage, server.issuer, () => server.now());
    const metadata = { client_name: "Made", redirect_uris: ["https://app.test/cb"], scope: "read" };
    const { client: mine, secret: first } = await createClient({ type: "confidential", metadata }, admin);
    const { secret: second } = await rotateSecret(mine.clientId, 60_000, admin);
    await settle();
    const secrets = [first ?? "", second];
    for (const secret of secrets) {
      expect(Buffer.from(secret.slice(3), "base64url")).toHaveLength(32);
      const known = {
        grant_type: "refresh_token",
        refresh_token: "rt_x",
        client_id: mine.clientId,
        client_secret: secret,
      };
      expectRefusal(await post(server, "/token", form(known)), "invalid_grant");
    }
    const stored = JSON.stringify(await server.assent.storage.clients.get({ clientId: mine.clientId }));
    for (const secret of secrets) expect(stored).not.toContain(secret);
    server.tick(60_000);
    const at = (secret: string) => tokens({ client_id: mine.clientId, client_secret: secret });
    expectRefusal(await at(first ?? ""), "invalid_client");
    expectRefusal(await at(second), "invalid_grant");
    expectUnlogged(server, ...secrets);
  });

  test("CA-14 a secret of 1 MB, or of as much as a parameter holds → refused at once", async () => {
    const cpu = cpuClock();
    expectRefusal(
      await tokens({ client_id: client.clientId, client_secret: "a".repeat(1_000_000) }),
      "invalid_request",
      413,
    );
    expectRefusal(await tokens({ client_id: client.clientId, client_secret: "a".repeat(2_048) }), "invalid_client");
    expect(cpu()).toBeLessThan(300);
  });
});

describe("CA-18 a thousand wrong secrets", () => {
  const guess = (id: string, headers: Record<string, string>, secret = "x") =>
    tokens({ client_id: id, client_secret: secret }, headers);
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("from one network → 429 with Retry-After; the right secret is taken all the same: nobody is shut out by who fails in their name", async () => {
    const mine = await server.addClient();
    const statuses: number[] = [];
    // A busy server answers more than this number of simultaneous requests with 503.
    for (let batch = 0; batch < 25; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => guess(mine.clientId, from("192.0.2.1"))));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(200);
    expect(statuses.at(-1)).toBe(429);
    const refused = await guess(mine.clientId, from("192.0.2.1"));
    expectRefusal(refused, "temporarily_unavailable", 429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    for (const address of ["192.0.2.1", "198.51.100.7"])
      expectRefusal(await guess(mine.clientId, from(address), mine.secret), "invalid_grant");
    expect((await guess(client.clientId, from("192.0.2.1"), client.secret)).status).toBe(200);
  });

  test.each<[string, (id: string) => Promise<{ status: number }>]>([
    [
      "escaped in the body",
      (id) =>
        post(
          server,
          "/token",
          `grant_type=refresh_token&client_id=%63${id.slice(1)}&client_secret=x`,
          from("192.0.2.2"),
        ),
    ],
    [
      "its name escaped in the body",
      (id) => post(server, "/token", `grant_type=refresh_token&client%5Fid=${id}&client_secret=x`, from("192.0.2.2")),
    ],
    [
      "escaped in the header",
      (id) => tokens({}, { ...from("192.0.2.2"), authorization: `Basic ${b64(`%63${id.slice(1)}:x`)}` }),
    ],
    ["in the header", (id) => tokens({}, { ...from("192.0.2.2"), authorization: basic(id, "x") })],
    [
      "in the header, after two spaces",
      (id) => tokens({}, { ...from("192.0.2.2"), authorization: basic(id, "x").replace(" ", "  ") }),
    ],
    [
      "at /revoke",
      (id) => post(server, "/revoke", form({ token: "x", client_id: id, client_secret: "x" }), from("192.0.2.2")),
    ],
    [
      "at /introspect",
      (id) => post(server, "/introspect", form({ token: "x", client_id: id, client_secret: "x" }), from("192.0.2.2")),
    ],
  ])("the same client spelled otherwise: %s → counted as the same", async (_, spelled) => {
    const mine = await server.addClient();
    // In two groups, because a busy server refuses some of many simultaneous requests before it checks them.
    for (const length of [30, 31])
      await Promise.all(Array.from({ length }, () => guess(mine.clientId, from("192.0.2.2"))));
    expect((await guess(mine.clientId, from("192.0.2.2"))).status).toBe(429);
    expect((await spelled(mine.clientId)).status).toBe(429);
  });
});

test("RT-07 a confidential client's refresh token with its id alone → invalid_client, the token untouched", async () => {
  expectRefusal(await tokens({ client_id: client.clientId }), "invalid_client");
  expect((await refresh(server, client, token)).status).toBe(200);
});
