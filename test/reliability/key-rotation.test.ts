/**
 * REL-18, REL-25: keys change under an API that caches them as long as it may; clients' keys are at sites that never answer. Every token verifies, and who
 * has done nothing wrong doesn't wait.
 */

import { randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminOf, rotateKey } from "../../packages/server/src/admin/index.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { bodyOf, send } from "../support/keep-alive-requests.ts";
import { cyclesOf, figure, quantile } from "../support/reliability-cycles-and-figures.ts";
import {
  aKeyPair,
  aKeySite,
  aSigningClient,
  claimsOf,
  type KeyPair,
  sign,
  withAssertion,
} from "../support/signing-clients.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

const SECOND = 1000;
const DAY = 86_400 * SECOND;

let server: TestServer;
let robot: TestClient;
const secret = randomBytes(32);

beforeAll(async () => {
  server = await startServer({ config: { secret: [secret], logLevel: "warn" }, fetchFromLoopback: true });
  robot = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
});
afterAll(() => server.stop());

async function aToken(): Promise<string> {
  const form = { grant_type: "client_credentials", scope: "read" };
  return bodyOf(await send(server.issuer, { path: "/token", client: robot, form }))["access_token"] ?? "";
}

async function keySet(): Promise<JSONWebKeySet> {
  const response = await fetch(`${server.issuer}/jwks`);
  // The test caches the keys as long as an API may.
  expect(response.headers.get("cache-control")).toContain("max-age=300");
  return (await response.json()) as JSONWebKeySet;
}

function verifies(token: string, keys: JSONWebKeySet): Promise<boolean> {
  const options = { issuer: server.issuer, audience: "https://api.test", currentDate: new Date(server.now()) };
  return jwtVerify(token, createLocalJWKSet(keys), options).then(
    () => true,
    () => false,
  );
}

test("REL-18 the key is rotated again and again → every token verifies by a key set that is 5 minutes old", {
  timeout: 60_000 + cyclesOf(100, 10) * 5_000,
}, async () => {
  const rotations = cyclesOf(100, 10);
  const context = {
    ...adminOf(server.assent.storage, server.issuer),
    now: server.now,
    secrets: () => new Secrets([secret]),
  };
  const kids = new Set<string | undefined>();
  let [verified, failures] = [0, 0];
  const check = async (tokens: readonly string[], keys: JSONWebKeySet) => {
    for (const token of tokens) {
      verified += 1;
      if (!(await verifies(token, keys))) failures += 1;
    }
  };
  const some = () => Promise.all(Array.from({ length: 10 }, aToken));
  for (let rotation = 0; rotation < rotations; rotation += 1) {
    const { activeFrom } = await rotateKey({ immediately: false }, context);
    // An API fetches the keys four minutes before the new key signs, and again after five minutes.
    server.tick(activeFrom - server.now() - 240 * SECOND);
    await settle();
    const held = await keySet();
    const before = await some();
    server.tick(250 * SECOND);
    await settle();
    const after = await some();
    await check([...before, ...after], held);
    for (const token of [...before, ...after]) kids.add(decodeProtectedHeader(token).kid);
    // The last tokens of the old key are valid for ten minutes. By then, the API has fetched the keys again.
    server.tick(340 * SECOND);
    await check(before, await keySet());
    server.tick(DAY);
  }
  expect(kids.size).toBe(rotations + 1);
  expect(failures).toBe(0);
  figure("REL-18", "rotations of the signing key, an API that caches its keys for 5 minutes", {
    rotations,
    "tokens verified": verified,
    failures,
  });
});

test("REL-25 clients whose jwks_uri never answers → they fail in 5 s; another client's tokens come as before", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const STUCK = Math.min(200, cyclesOf(40));
  const key = await aKeyPair();
  const pit = await aKeySite();
  pit.answer(() => new Promise<string>(() => undefined));
  const good = await aSigningClient(server, key);
  const stuck = await Promise.all(
    Array.from({ length: STUCK }, (_, at) => aSigningClient(server, key, { jwks: null, jwksUri: `${pit.uri}?${at}` })),
  );
  await settle();
  const ask = async (client: TestClient, pair: KeyPair) => {
    const assertion = await sign(pair, claimsOf(server, client));
    const started = performance.now();
    const { status } = await withAssertion(server, assertion);
    return { status, took: performance.now() - started };
  };
  const measured = async (count: number) => {
    const took: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const answer = await ask(good, key);
      expect(answer.status).toBe(200);
      took.push(answer.took);
    }
    return took;
  };
  await measured(50);
  const alone = await measured(200);
  const waiting = Promise.all(stuck.map((client) => ask(client, key)));
  const beside = await measured(200);
  const failed = await waiting;
  pit.stop();
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([401]));
  const slowest = Math.max(...failed.map(({ took }) => took));
  expect(slowest).toBeLessThan(8_000);
  expect(quantile(beside, 0.5)).toBeLessThan(quantile(alone, 0.5) * 3 + 20);
  figure("REL-25", `${STUCK} clients whose keys never come`, {
    "ms to another client's token, median alone": quantile(alone, 0.5),
    "ms, 99 % alone": quantile(alone, 0.99),
    "ms, median beside": quantile(beside, 0.5),
    "ms, 99 % beside": quantile(beside, 0.99),
    "s until the last of them failed": slowest / 1000,
  });
});
