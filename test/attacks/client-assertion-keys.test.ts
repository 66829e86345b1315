/** Attacks through keys at a client's jwks_uri, and through secrets that sign (RFC 7591 §2; RFC 7518 §3.2). */

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  adminOf,
  clientRecord,
  createClient,
  rotateSecret,
  updateClient,
} from "../../packages/server/src/admin/index.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretsOf } from "../../packages/server/src/data-dir.ts";
import { MAX_WAITING } from "../../packages/server/src/outbound/remote-keys.ts";
import { basic, expectRefusal, expectUnlogged, logged, post, restarted } from "../support/back-channel.ts";
import {
  aKeyPair,
  aKeySite,
  aSigningClient,
  type Claims,
  claimsOf,
  jwksOf,
  type KeyPair,
  type KeySite,
  sign,
  withAssertion,
} from "../support/signing-clients.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
const sites: KeySite[] = [];

beforeAll(async () => {
  server = await startServer({ fetchFromLoopback: true });
});
afterAll(async () => {
  for (const site of sites) site.stop();
  await server.stop();
});

async function aSite(...keys: readonly KeyPair[]): Promise<KeySite> {
  const site = await aKeySite(jwksOf(...keys));
  sites.push(site);
  return site;
}
const atUri = (jwksUri: string) => ({ jwks: null, jwksUri });
const admin = (of = server) =>
  adminOf(
    of.assent.storage,
    of.issuer,
    () => of.now(),
    () => new Secrets(secretsOf(of.assent.config)),
  );

describe("jwks_uri", () => {
  test("keys there → fetched once, for 20 at a time and all that follow", async () => {
    const key = await aKeyPair();
    const site = await aSite(key);
    const client = await aSigningClient(server, key, atUri(site.uri));
    const send = async () => (await withAssertion(server, await sign(key, claimsOf(server, client)))).status;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, send)))).toEqual(new Set([200]));
    expect(await send()).toBe(200);
    expect(site.asked()).toBe(1);
  });

  test("CJ-11 300 unknown kids → at most one more fetch", async () => {
    const key = await aKeyPair();
    const site = await aSite(key);
    const client = await aSigningClient(server, key, atUri(site.uri));
    // A busy server answers more than this number of simultaneous requests with 503.
    for (let round = 0; round < 10; round += 1) {
      const sent = Array.from({ length: 30 }, async (_, at) => {
        const assertion = await sign(key, claimsOf(server, client), { kid: `unknown-${round}-${at}` });
        return (await withAssertion(server, assertion)).status;
      });
      expect(new Set(await Promise.all(sent))).toEqual(new Set([401]));
    }
    expect(site.asked()).toBeLessThanOrEqual(2);
    expect((await withAssertion(server, await sign(key, claimsOf(server, client)))).status).toBe(200);
  });

  test("keys that are long in coming, and more who wait for them than may → those come again later, all others are served", async () => {
    const key = await aKeyPair();
    const site = await aSite(key);
    const { promise, resolve } = Promise.withResolvers<string>();
    site.answer(() => promise);
    const client = await aSigningClient(server, key, atUri(site.uri));
    const answers: Awaited<ReturnType<typeof withAssertion>>[] = [];
    const send = async () => void answers.push(await withAssertion(server, await sign(key, claimsOf(server, client))));
    const sent = Promise.all(Array.from({ length: MAX_WAITING + 20 }, send));
    await expect.poll(() => answers.length).toBe(20);
    for (const late of answers) {
      expectRefusal(late, "temporarily_unavailable", 503);
      expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    resolve(jwksOf(key));
    await sent;
    expect(answers.slice(20).map(({ status }) => status)).toEqual(Array(MAX_WAITING).fill(200));
    expect(site.asked()).toBe(1);
  });

  test.each([
    ["no JSON", "x"],
    ["no JWK Set", "[]"],
    ["a member twice", '{"keys":[],"keys":[]}'],
    ["101 keys", JSON.stringify({ keys: Array.from({ length: 101 }, (_, at) => ({ kty: "EC", kid: `${at}` })) })],
    ["more than 64 KiB", JSON.stringify({ keys: [], filler: "x".repeat(65_536) })],
  ])("%s there → refused", async (_, body) => {
    const key = await aKeyPair();
    const site = await aSite();
    site.answer(body);
    const client = await aSigningClient(server, key, atUri(site.uri));
    const before = logged(server, "client_assertion_keys_unavailable");
    expectRefusal(await withAssertion(server, await sign(key, claimsOf(server, client))), "invalid_client");
    expect(logged(server, "client_assertion_keys_unavailable")).toBe(before + 1);
  });

  test("its private part published, a weak key, a small-order point there → not used", async () => {
    const key = await aKeyPair();
    const weak = { kty: "RSA", n: Buffer.alloc(128, 0xff).toString("base64url"), e: "AQAB", kid: "weak" };
    const site = await aSite();
    const client = await aSigningClient(server, key, atUri(site.uri));
    site.answer(
      JSON.stringify({ keys: [await exportJWK(key.privateKey), weak].map((jwk) => ({ ...jwk, kid: key.jwk.kid })) }),
    );
    expectRefusal(await withAssertion(server, await sign(key, claimsOf(server, client))), "invalid_client");
  });

  test("a private or loopback address, http to elsewhere → nothing is fetched", async () => {
    const closed = await startServer();
    try {
      const key = await aKeyPair();
      const site = await aSite(key);
      for (const uri of [
        site.uri,
        site.uri.replace("http:", "https:"),
        "https://169.254.169.254/jwks",
        "http://192.0.2.1/jwks",
      ]) {
        const client = await aSigningClient(closed, key, atUri(uri));
        expectRefusal(await withAssertion(closed, await sign(key, claimsOf(closed, client))), "invalid_client");
      }
      expect(site.asked()).toBe(0);
      expect(logged(closed, "remote_keys_unavailable")).toBe(4);
    } finally {
      await closed.stop();
    }
  });

  test("DS-12 20 clients whose keys never come → refused in 5 s; others are served meanwhile", byTheClock, async () => {
    const key = await aKeyPair();
    const pit = await aSite();
    pit.answer(() => new Promise(() => undefined));
    const stuck = await Promise.all(
      Array.from({ length: 20 }, (_, at) => aSigningClient(server, key, atUri(`${pit.uri}?${at}`))),
    );
    const site = await aSite(key);
    const good = await aSigningClient(server, key, atUri(site.uri));
    const start = performance.now();
    const waiting = Promise.all(
      stuck.map(async (client) => (await withAssertion(server, await sign(key, claimsOf(server, client)))).status),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = performance.now();
    expect((await withAssertion(server, await sign(key, claimsOf(server, good)))).status).toBe(200);
    expect(performance.now() - before).toBeLessThan(1500);
    expect(new Set(await waiting)).toEqual(new Set([401]));
    expect(performance.now() - start).toBeLessThan(8000);
    expect(pit.asked()).toBeLessThanOrEqual(4);
  });
});

describe("registration", () => {
  const register = (metadata: Record<string, unknown>) =>
    createClient(
      {
        type: "confidential",
        metadata: {
          client_name: "Robot",
          grant_types: ["client_credentials"],
          token_endpoint_auth_method: "private_key_jwt",
          ...metadata,
        },
      },
      admin(),
    );
  const ec = async () => (await aKeyPair()).jwk;

  test("no keys, keys and their address, an address that is not https → refused", async () => {
    const jwks = { keys: [await ec()] };
    await expect(register({})).rejects.toThrow(/jwks: missing/);
    await expect(register({ jwks, jwks_uri: "https://a.test/jwks" })).rejects.toThrow(/either jwks or jwks_uri/);
    await expect(register({ jwks_uri: "http://a.test/jwks" })).rejects.toThrow(/not an https URL/);
  });

  test("DS-13, DR-20 a private key, RSA of 1024 and 16,384 bits, a small-order point, HMAC, encryption, 101 keys → refused", async () => {
    const rsa = (bits: number, e = "AQAB") => ({
      kty: "RSA",
      n: Buffer.alloc(bits / 8, 0xff).toString("base64url"),
      e,
    });
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const good = await ec();
    for (const [keys, problem] of [
      [[await exportJWK(privateKey)], /private part/],
      [[rsa(1024)], /1024 bits/],
      [[{ ...rsa(2048), n: Buffer.from([0, ...Buffer.alloc(255, 0xff)]).toString("base64url") }], /2040 bits/],
      [[rsa(8200)], /8200 bits/],
      [[rsa(16_384)], /base64url/],
      [[rsa(2048, "Aw")], /e is not/],
      [[{ kty: "OKP", crv: "Ed25519", x: Buffer.alloc(32).toString("base64url") }], /small order/],
      [[{ kty: "OKP", crv: "X25519", x: Buffer.alloc(32, 9).toString("base64url") }], /curve/],
      [[{ kty: "EC", crv: "secp256k1", x: good.x, y: good.y }], /curve/],
      [[{ kty: "oct", k: "AAAA" }], /private part/],
      [[{ ...good, use: "enc" }], /use is not sig/],
      [[{ ...good, alg: "ES384" }], /another kind/],
      [[{ ...good, alg: "none" }], /alg is not/],
      [[{ ...good, x: "AA" }], /32 bytes/],
      [[good, good], /same kid/],
      [[], /no key/],
      [Array.from({ length: 101 }, () => good), /100 is the most/],
      ["x", /not a JWK Set/],
    ] as const) {
      await expect(register({ jwks: { keys } }), String(problem)).rejects.toThrow(problem);
    }
  });

  test("a good one → public members alone are kept, and it has no secret", async () => {
    const jwk = await ec();
    const { client, secret } = await register({ jwks: { keys: [{ ...jwk, x5c: ["AA"], note: "x" }] } });
    expect(secret).toBeNull();
    const { crv, kid, kty, x, y } = jwk;
    expect(JSON.parse(client.jwks ?? "")).toEqual({ keys: [{ crv, kid, kty, x, y }] });
    expect(clientRecord(client, server.issuer)).not.toHaveProperty("client_secret_expires_at");
    await expect(rotateSecret(client.clientId, 0, admin())).rejects.toThrow(/has no secret/);
  });
});

describe("client_secret_jwt", () => {
  const metadata = {
    client_name: "Robot",
    grant_types: ["client_credentials"],
    token_endpoint_auth_method: "client_secret_jwt",
  };
  const make = async (of = server) => {
    const made = await createClient({ type: "confidential", metadata, ownScopes: ["read"] }, admin(of));
    await settle();
    return { clientId: made.client.clientId, secret: made.secret ?? "" };
  };
  const hmac = (secret: string | Uint8Array, claims: Claims, alg = "HS256") => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const input = `${part({ alg })}.${part(claims)}`;
    return `${input}.${createHmac(`sha${alg.slice(2)}`, secret)
      .update(input)
      .digest("base64url")}`;
  };

  test.each(["HS256", "HS384", "HS512"])(
    "%s with its secret → 200; with another, a hash of it, none → refused",
    async (alg) => {
      const client = await make();
      const send = (secret: string) => withAssertion(server, hmac(secret, claimsOf(server, client), alg));
      expect((await send(client.secret)).status).toBe(200);
      const record = await server.assent.storage.clients.get({ clientId: client.clientId });
      for (const other of [
        "",
        "x",
        `${client.secret}x`,
        record?.record.secrets[0]?.hash ?? "?",
        record?.record.sealedSecret ?? "?",
      ]) {
        expectRefusal(await send(other), "invalid_client");
      }
    },
  );

  test("its secret by Basic, in the body → refused: it signs, and is never sent", async () => {
    const client = await make();
    const body = (fields: Record<string, string> = {}) =>
      `${new URLSearchParams({ grant_type: "client_credentials", ...fields })}`;
    const authorization = basic(client.clientId, client.secret);
    expectRefusal(await post(server, "/token", body(), { authorization }), "invalid_client");
    expectRefusal(
      await post(server, "/token", body({ client_id: client.clientId, client_secret: client.secret })),
      "invalid_client",
    );
    expect(logged(server, "client_method_not_registered")).toBe(2);
  });

  test("CJ-24 no secret on the record, or one that isn't sealed here → refused", async () => {
    const client = await make();
    const found = await server.assent.storage.clients.get({ clientId: client.clientId });
    if (found === undefined) throw new Error("no client");
    for (const sealedSecret of [null, "", "AAAA", Buffer.from(JSON.stringify([client.secret])).toString("base64url")]) {
      await server.assent.storage.clients.put({ client: { ...found.record, sealedSecret }, expect: null });
      await settle();
      for (const secret of ["", client.secret]) {
        expectRefusal(await withAssertion(server, hmac(secret, claimsOf(server, client))), "invalid_client");
      }
    }
    // One client's encrypted secret can't be decrypted in another client's record.
    const other = await make();
    const foreign = (await server.assent.storage.clients.get({ clientId: other.clientId }))?.record;
    await server.assent.storage.clients.put({
      client: { ...found.record, sealedSecret: foreign?.sealedSecret ?? "" },
      expect: null,
    });
    await settle();
    expectRefusal(await withAssertion(server, hmac(other.secret, claimsOf(server, client))), "invalid_client");
  });

  test("rotation → both in the overlap, the new one alone after it", async () => {
    const client = await make();
    const { secret } = await rotateSecret(client.clientId, 60_000, admin());
    await settle();
    const status = async (by: string) => (await withAssertion(server, hmac(by, claimsOf(server, client)))).status;
    expect([await status(client.secret), await status(secret)]).toEqual([200, 200]);
    server.tick(61_000);
    expect([await status(client.secret), await status(secret)]).toEqual([401, 200]);
  });

  test("the method changes, there and back → the old secret is worth nothing in either", async () => {
    const client = await make();
    const change = async (token_endpoint_auth_method: string) => {
      const changed = await updateClient(client.clientId, { metadata: { token_endpoint_auth_method } }, admin());
      expect([changed.secrets, changed.sealedSecret]).toEqual([[], null]);
      await settle();
    };
    await change("client_secret_basic");
    const sent = async (secret: string) =>
      (await post(server, "/token", "grant_type=client_credentials", { authorization: basic(client.clientId, secret) }))
        .status;
    expect(await sent(client.secret)).toBe(401);
    const { secret } = await rotateSecret(client.clientId, 0, admin());
    await settle();
    expect(await sent(secret)).toBe(200);
    await change("client_secret_jwt");
    for (const one of [client.secret, secret]) {
      expectRefusal(await withAssertion(server, hmac(one, claimsOf(server, client))), "invalid_client");
    }
  });

  test("the database and the log → hold no secret in clear; another ASSENT_SECRET opens none", async () => {
    const client = await make();
    await withAssertion(server, hmac(client.secret, claimsOf(server, client)));
    expectUnlogged(server, client.secret);
    for (const file of ["assent.db", "assent.db-wal"]) {
      const bytes = readFileSync(join(server.dataDir, file));
      expect(bytes.includes(client.secret)).toBe(false);
      expect(bytes.includes(Buffer.from(client.secret).toString("base64url"))).toBe(false);
    }
    const record = clientRecord(
      (await server.assent.storage.clients.get({ clientId: client.clientId }))?.record ?? expect.fail(),
      server.issuer,
    );
    expect(JSON.stringify(record)).not.toContain("sealed");
    const same = await restarted(server);
    try {
      expect((await withAssertion(same, hmac(client.secret, claimsOf(same, client)))).status).toBe(200);
    } finally {
      await same.stop();
    }
  });
});
