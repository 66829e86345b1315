/** Attacks on keys and on the format of tokens (RFC 7515, RFC 7517, RFC 8725, RFC 9068). */

import { execFile } from "node:child_process";
import { createHmac, createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, codeOf, expectRefusal, type Owner, tokensOf } from "../support/back-channel.ts";
import { postForm } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let owner: Owner;
let access: string;
let refreshToken: string;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
  owner = await anOwner(server);
  ({ access, refresh: refreshToken } = await tokensOf(server, client, owner));
});
afterAll(() => server.stop());

const jwks = async () => (await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const isActive = async (token: string) =>
  (await postForm(server, "/introspect", { clientId: API.id, secret: API.secret }, { token })).body["active"];

test("KY-01 the key set → public members alone, ids of their own, use and alg, cached for minutes", async () => {
  const response = await fetch(`${server.issuer}/jwks`);
  expect(response.headers.get("content-type")).toMatch(/^application\/(jwk-set\+)?json/);
  expect(Number(/max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1])).toBeLessThanOrEqual(3_600);
  const { keys } = (await response.json()) as JSONWebKeySet;
  expect(keys.length).toBeGreaterThan(0);
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  for (const key of keys) {
    expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect(key).toMatchObject({ alg: "ES256", use: "sig", kty: "EC", crv: "P-256" });
  }
});

test("KY-04 an access token → what RFC 9068 wants, verifiable by the published key alone", async () => {
  const { payload, protectedHeader } = await jwtVerify(access, createLocalJWKSet(await jwks()), {
    issuer: server.issuer,
    audience: "https://api.test",
    typ: "at+jwt",
    algorithms: ["ES256"],
    currentDate: new Date(server.now()),
  });
  expect(Object.keys(protectedHeader).sort()).toEqual(["alg", "kid", "typ"]);
  expect(payload).toEqual({
    iss: server.issuer,
    sub: owner.person.personId,
    aud: "https://api.test",
    client_id: client.clientId,
    scope: "read",
    iat: expect.any(Number),
    exp: (payload.iat ?? 0) + 600,
    jti: expect.any(String),
    auth_time: expect.any(Number),
    acr: "1fa",
    amr: ["pwd"],
  });
});

test("KY-04 twenty tokens → twenty ids", async () => {
  const ids = new Set<string | undefined>();
  for (let round = 0; round < 20; round += 1) ids.add(decodeJwt((await tokensOf(server, client, owner)).access).jti);
  expect(ids.size).toBe(20);
});

test("KY-05 everything else of ours as an access token → inactive", async () => {
  const code = await codeOf(server, client, owner);
  for (const one of [refreshToken, code, ...owner.agent.cookies.values(), client.secret])
    expect(await isActive(one)).toBe(false);
  expect(await isActive(access)).toBe(true);
});

describe("KY-06 a token signed by somebody else", () => {
  const parts = () => access.split(".") as [string, string, string];
  const claims = () => decodeJwt(access);
  const header = () => JSON.parse(Buffer.from(parts()[0], "base64url").toString()) as Record<string, unknown>;

  test("alg none, in four spellings, with and without a signature → inactive", async () => {
    for (const alg of ["none", "None", "NONE", "nOnE"])
      for (const signature of ["", parts()[2]])
        expect(await isActive(`${encoded({ ...header(), alg })}.${parts()[1]}.${signature}`)).toBe(false);
    expect(await isActive(`${parts()[0]}.${parts()[1]}.`)).toBe(false);
  });

  test("HS256 under the public key, as JWK, PEM or DER → inactive", async () => {
    const [jwk] = (await jwks()).keys;
    const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
    const secrets = [
      JSON.stringify(jwk),
      key.export({ type: "spki", format: "pem" }),
      key.export({ type: "spki", format: "der" }),
      Buffer.from(jwk?.["x"] ?? "", "base64url"),
    ];
    for (const secret of secrets) {
      const input = `${encoded({ ...header(), alg: "HS256" })}.${parts()[1]}`;
      expect(await isActive(`${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`)).toBe(false);
    }
  });

  test("another key, its own in the header, under our kid → inactive", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const { kid } = header();
    const headers = [
      { kid },
      { kid, jwk },
      { kid: "other", jwk },
      { kid, jku: "http://127.0.0.1:1/jwks" },
      { kid: "../../dev/null" },
    ];
    for (const extra of headers) {
      const protectedHeader = { alg: "ES256", typ: "at+jwt", ...extra } as JWTHeaderParameters;
      const token = await new SignJWT({ ...claims(), scope: "read write admin" })
        .setProtectedHeader(protectedHeader)
        .sign(privateKey);
      expect(await isActive(token)).toBe(false);
    }
  });

  test("one claim or one bit of the signature changed, the signature zero or twice as long → inactive", async () => {
    const [head, payload, signature] = parts();
    const bytes = Buffer.from(signature, "base64url");
    const flipped = Buffer.from(bytes);
    flipped[10] = (flipped[10] ?? 0) ^ 1;
    const payloads = [
      { ...claims(), scope: "admin" },
      { ...claims(), exp: 9_999_999_999 },
      { ...claims(), aud: "https://other.test" },
    ];
    const forged = [
      ...payloads.map((one) => `${head}.${encoded(one)}.${signature}`),
      ...[flipped, Buffer.alloc(64), Buffer.alloc(0), Buffer.concat([bytes, bytes])].map(
        (one) => `${head}.${payload}.${one.toString("base64url")}`,
      ),
      `${head}.${payload}.${signature}=`,
      `${head}.${payload}.${signature}.${signature}`,
      `${payload}.${head}.${signature}`,
    ];
    for (const token of forged) expect(await isActive(token)).toBe(false);
    expect(await isActive(access)).toBe(true);
  });
});

test("KY-09 without a resource → the API that owns the scopes; scopes of none → the issuer; never *", async () => {
  expect(decodeJwt(access).aud).toBe("https://api.test");
  const own = await tokensOf(server, client, owner, { ask: { scope: "profile" } });
  expect(decodeJwt(own.access).aud).toBe(server.issuer);
  expect(await isActive(own.access)).toBe(false);
});

test("KY-10 credentials → a prefix of their kind, and 256 bits that no database knows", async () => {
  const code = await codeOf(server, client, owner);
  expect(code).toMatch(/^ac_[A-Za-z0-9_-]{119}$/);
  expect(refreshToken).toMatch(/^rt_[A-Za-z0-9_-]{119}$/);
  expectRefusal(
    await postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token: code }),
    "invalid_grant",
  );
});

/** A separate process: opens the database as a server, prints the ids of its keys, and ends. */
const NODE = `
  import { configOf, createAssent } from ${JSON.stringify(import.meta.resolve("../../packages/server/src/index.ts"))};
  const assent = await createAssent(configOf({ dataDir: process.argv[1], logLevel: "silent" }));
  const keys = await assent.storage.keys.list();
  console.log(keys.map(({ kid }) => kid).join());
  await assent.close();
`;

test("KY-11 ten nodes start on one empty database → one signing key, the same for all", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "assent-"));
  try {
    const start = () => promisify(execFile)(process.execPath, ["--eval", NODE, dataDir]);
    const started = await Promise.all(Array.from({ length: 10 }, start));
    const kids = started.map(({ stdout }) => stdout.trim());
    expect(kids[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(kids).size).toBe(1);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
