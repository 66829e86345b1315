/**
 * Rotation of the signing key (RFC 7517; RFC 8725 §3): published a day before its first use, and kept until its last
 * token has expired.
 */

import { randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { addSigningKey, ensureKeys } from "../../packages/server/src/crypto/signing-keys.ts";
import { anOwner, tokensOf } from "../support/back-channel.ts";
import { postForm, refresh } from "../support/http-browser.ts";
import { API, settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const secret = randomBytes(32);
let server: TestServer;
let client: TestClient;
let token: string;

beforeAll(async () => {
  server = await startServer({ config: { secret: [secret] } });
  client = await server.addClient();
  const owner = await anOwner(server);
  token = (await tokensOf(server, client, owner, { answer: { duration: "forever" } })).refresh;
});
afterAll(() => server.stop());

const keySet = async () => (await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet;
const published = async () => (await keySet()).keys.map(({ kid }) => kid);
const signed = async () => (await refresh(server, client, token)).body.access_token ?? "";
const signer = async () => decodeProtectedHeader(await signed()).kid;
const isActive = async (access: string) =>
  (await postForm(server, "/introspect", { clientId: API.id, secret: API.secret }, { token: access })).body["active"];

/** The hourly work of the server. */
async function housekeeping(): Promise<void> {
  await ensureKeys(server.assent.storage, new Secrets([secret]), server.now());
  await settle();
}

async function verifies(access: string, keys: JSONWebKeySet): Promise<boolean> {
  const options = { issuer: server.issuer, audience: "https://api.test", currentDate: new Date(server.now()) };
  return jwtVerify(access, createLocalJWKSet(keys), options).then(
    () => true,
    () => false,
  );
}

describe("a key's life, in order", () => {
  let first: string | undefined;
  let second: string | undefined;
  let announced: JSONWebKeySet;
  let last: string;

  test("before its 29th day → nothing is made", async () => {
    [first] = await published();
    server.tick(28 * DAY);
    await housekeeping();
    expect(await published()).toEqual([first]);
    expect(await signer()).toBe(first);
  });

  test("on its 29th day → the next one is published, and does not sign", async () => {
    server.tick(DAY);
    await housekeeping();
    announced = await keySet();
    expect(announced.keys).toHaveLength(2);
    second = announced.keys.find(({ kid }) => kid !== first)?.kid;
    expect(await signer()).toBe(first);
    await housekeeping();
    expect(await published()).toHaveLength(2);
  });

  test("a minute before a day has passed → the old one signs", async () => {
    server.tick(DAY - 60 * SECOND);
    last = await signed();
    expect(decodeProtectedHeader(last).kid).toBe(first);
  });

  test("a day after → the new one signs; an API that fetched the keys a day ago verifies it", async () => {
    server.tick(61 * SECOND);
    const access = await signed();
    expect(decodeProtectedHeader(access).kid).toBe(second);
    expect(await verifies(access, announced)).toBe(true);
    expect(await isActive(access)).toBe(true);
  });

  test("the last token of the old one → lives out its minutes, at APIs and at introspection", async () => {
    server.tick(8 * 60 * SECOND);
    expect(await published()).toEqual([first, second]);
    expect(await verifies(last, await keySet())).toBe(true);
    expect(await isActive(last)).toBe(true);
  });

  test("25 hours later → the old one is gone; the refresh token knows nothing of it", async () => {
    server.tick(25 * HOUR);
    expect(await published()).toEqual([second]);
    expect(await signer()).toBe(second);
    expect(await isActive(last)).toBe(false);
  });

  test("a rotation at once while another is announced → it signs at once and goes on to, past the other's day", async () => {
    server.tick(28 * DAY);
    await housekeeping();
    const { storage } = server.assent;
    const before = await storage.keys.list();
    expect(before.filter(({ activeFrom }) => activeFrom > server.now())).toHaveLength(1);
    await addSigningKey(storage, new Secrets([secret]), before, server.now(), server.now());
    await settle();
    const newest = (await storage.keys.list()).at(-1)?.kid;
    expect(await signer()).toBe(newest);
    server.tick(DAY + 60 * SECOND);
    expect(await signer()).toBe(newest);
  });

  test("a key retired → it stays published for its last tokens, then goes; another signs", async () => {
    const { storage } = server.assent;
    await addSigningKey(storage, new Secrets([secret]), await storage.keys.list(), server.now(), server.now());
    await settle();
    const access = await signed();
    const { kid = "" } = decodeProtectedHeader(access);
    await storage.keys.retire({ kid, now: server.now() });
    await settle();
    expect(await signer()).not.toBe(kid);
    expect(await published()).toContain(kid);
    expect(await isActive(access)).toBe(true);
    server.tick(25 * HOUR);
    expect(await published()).not.toContain(kid);
  });
});
