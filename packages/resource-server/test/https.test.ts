/** An issuer over https: its certificate must be trusted, and the SDK must not load keys over plain http. */

import { createServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startApi, type TestApi } from "./support/api.ts";
import { aCertificate } from "./support/certificate.ts";
import { AUDIENCE, aKey, aToken, close, listen, sendJson, startIssuer, type TestIssuer } from "./support/issuer.ts";

const key = await aKey();
const certificate = aCertificate();
const trusted = getCACertificates("default");
let issuer: string;
let jwksUri: string;
let plain: TestIssuer;
let api: TestApi;
let ahead = 0;

const server = createServer(certificate, (request, response) => {
  if (request.url === "/keys") sendJson(response, { keys: [key.jwk] });
  else sendJson(response, { issuer, jwks_uri: jwksUri });
});

beforeAll(async () => {
  const { port } = new URL(await listen(server));
  issuer = `https://localhost:${port}`;
  plain = await startIssuer([key.jwk]);
  api = await startApi({ issuer, audience: AUDIENCE, now: () => Date.now() + ahead });
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  await Promise.all([close(server), plain.close(), api.close()]);
});

/** Moves the clock by a minute before each call, so that the SDK doesn't reuse an earlier failure. */
async function call() {
  ahead += 60_000;
  const { status } = await api.call(aToken(issuer, key));
  return { status, detail: api.refusals.at(-1)?.detail };
}

test("an untrusted certificate → 503", async () => {
  jwksUri = `${issuer}/keys`;
  expect(await call()).toMatchObject({ status: 503, detail: expect.stringContaining("self-signed certificate") });
});

test("a trusted certificate, and keys over plain http, even on localhost → 503, not fetched", async () => {
  setDefaultCACertificates([...trusted, certificate.cert]);
  jwksUri = plain.jwksUri;
  expect(await call()).toMatchObject({ status: 503, detail: expect.stringContaining("jwks_uri must be https") });
  expect(plain.hits.jwks).toBe(0);
});

test("a trusted certificate for another name → 503", async () => {
  jwksUri = `${issuer.replace("localhost", "127.0.0.1")}/keys`;
  expect(await call()).toMatchObject({ status: 503, detail: expect.stringContaining("altnames") });
});

test("everything over https, all certificates trusted → accepted", async () => {
  jwksUri = `${issuer}/keys`;
  expect((await call()).status).toBe(200);
});
