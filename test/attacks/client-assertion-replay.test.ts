/**
 * Replays of a client's assertion: the server accepts each jti once, from any caller and at any endpoint (RFC 7523 §3,
 * RFC 7521 §8.2).
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAssent } from "../../packages/server/src/index.ts";
import { expectRefusal, restarted } from "../support/back-channel.ts";
import {
  aKeyPair,
  aSigningClient,
  type Claims,
  claimsOf,
  type KeyPair,
  sign,
  withAssertion,
} from "../support/signing-clients.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let key: KeyPair;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  key = await aKeyPair();
  client = await aSigningClient(server, key);
});
afterAll(() => server.stop());

const signed = (changes: Claims = {}, of = client) => sign(key, claimsOf(server, of, changes));

describe("CJ-16 jti", () => {
  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["a number", 7],
    ["null", null],
    ["a list", ["a"]],
    ["2 kB", "x".repeat(2000)],
    ["10 kB", "x".repeat(10_000)],
  ])("%s → refused", async (_, jti) => {
    expectRefusal(await withAssertion(server, await signed({ jti })), "invalid_client");
  });

  test("the same assertion again → refused; the same jti in another assertion → refused", async () => {
    const assertion = await signed({ jti: "first" });
    expect((await withAssertion(server, assertion)).status).toBe(200);
    expectRefusal(await withAssertion(server, assertion), "invalid_client");
    expectRefusal(
      await withAssertion(server, await signed({ jti: "first", exp: Math.floor(server.now() / 1000) + 200 })),
      "invalid_client",
    );
  });

  test("50 at once → one", async () => {
    const assertion = await signed();
    const answers = await Promise.all(Array.from({ length: 50 }, () => withAssertion(server, assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  test("at two nodes on one database, 25 at each at once → one", async () => {
    const { config, log } = server.assent;
    const other = await createAssent(config, { now: server.now, log });
    const http = createServer(other.handler);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const second = { issuer: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
    try {
      for (let round = 0; round < 3; round += 1) {
        const assertion = await signed();
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, at) => withAssertion(at % 2 === 0 ? server : second, assertion)),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
      }
      expect((await withAssertion(second, await signed())).status).toBe(200);
    } finally {
      http.closeAllConnections();
      http.close();
      await other.close();
    }
  });

  test("after a restart → refused", async () => {
    const jti = "before the restart";
    expect((await withAssertion(server, await signed({ jti }))).status).toBe(200);
    const again = await restarted(server);
    try {
      // The second server has another issuer, so this assertion names it as audience, with the same client and jti.
      expectRefusal(await withAssertion(again, await sign(key, claimsOf(again, client, { jti }))), "invalid_client");
      expect((await withAssertion(again, await sign(key, claimsOf(again, client)))).status).toBe(200);
    } finally {
      await again.stop();
    }
  });

  test("after it has ended, rows collected → refused as long as it could be accepted, and after", async () => {
    const clocked = await startServer();
    try {
      const owner = await aSigningClient(clocked, key);
      const assertion = await sign(key, claimsOf(clocked, owner, { exp: Math.floor(clocked.now() / 1000) + 20 }));
      expect((await withAssertion(clocked, assertion)).status).toBe(200);
      for (const later of [15_000, 8_000, 5_000, 60_000]) {
        clocked.tick(later);
        await clocked.assent.storage.housekeeping.collectGarbage({ now: clocked.now(), limit: 1000 });
        expectRefusal(await withAssertion(clocked, assertion), "invalid_client");
      }
    } finally {
      await clocked.stop();
    }
  });

  test("CJ-17 the same jti from two clients → both", async () => {
    const other = await aSigningClient(server, key);
    expect((await withAssertion(server, await signed({ jti: "shared" }))).status).toBe(200);
    expect((await withAssertion(server, await signed({ jti: "shared" }, other))).status).toBe(200);
  });

  test("a wrongly signed one spends nothing → the right one with that jti is served", async () => {
    const thief = await aKeyPair("ES256", key.jwk.kid);
    expectRefusal(
      await withAssertion(server, await sign(thief, claimsOf(server, client, { jti: "mine" }))),
      "invalid_client",
    );
    expect((await withAssertion(server, await signed({ jti: "mine" }))).status).toBe(200);
  });
});
