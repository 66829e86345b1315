/** Tokens that are bound to a certificate (RFC 8705 §3): over real TLS, wrong callers first. */

import { createHash, X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aCertificate, overTls } from "../../../test/support/make-certificates.ts";
import { createResourceServer, type ResourceServer, ResourceServerError } from "../src/index.ts";
import { withToken } from "../src/node.ts";
import { AUDIENCE, aKey, aToken, type SigningKey, startIssuer, type TestIssuer } from "./support/issuer.ts";

const site = aCertificate({ subject: "/CN=api.test" });
const mine = aCertificate({ subject: "/CN=client" });
const other = aCertificate({ subject: "/CN=client" });
let key: SigningKey;
let issuer: TestIssuer;
let api: ResourceServer;

const server = createServer({
  cert: site.cert,
  key: site.key,
  requestCert: true,
  rejectUnauthorized: false,
});
let port: number;

beforeAll(async () => {
  key = await aKey();
  issuer = await startIssuer([key.jwk]);
  api = createResourceServer({ issuer: issuer.issuer, audience: AUDIENCE });
  server.on(
    "request",
    withToken(api, {}, (_, response, { sub }) => response.end(JSON.stringify({ sub }))),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await issuer.close();
});

const bound = (cnf: unknown) => aToken(issuer.issuer, key, { claims: { cnf } });
const call = (token: string, certificate?: typeof mine) =>
  overTls(port, "/", { certificate, headers: { authorization: `Bearer ${token}` } });

describe("MT-06 a token bound to a certificate", () => {
  test("no certificate, another one of the same name → invalid_token", async () => {
    const token = bound({ "x5t#S256": mine.thumbprint });
    for (const certificate of [undefined, other]) {
      const { status, body } = await call(token, certificate);
      expect([status, body["error"]]).toEqual([401, "invalid_token"]);
    }
  });

  test.each([
    ["no member", {}],
    ["a key beside it", { "x5t#S256": mine.thumbprint, jkt: "x" }],
    ["a key alone", { jkt: mine.thumbprint }],
    ["padding", { "x5t#S256": `${mine.thumbprint}=` }],
    ["the older hash", { x5t: createHash("sha1").update(mine.der).digest("base64url") }],
    ["a list", [["x5t#S256", mine.thumbprint]]],
    ["a text", mine.thumbprint],
    ["null", null],
  ])("with the certificate, but cnf is %s → invalid_token", async (_, cnf) => {
    expect((await call(bound(cnf), mine)).status).toBe(401);
  });

  test("with the certificate → accepted", async () => {
    expect(await call(bound({ "x5t#S256": mine.thumbprint }), mine)).toMatchObject({
      status: 200,
      body: { sub: "alice" },
    });
  });

  test("a token bound to nothing, with whatever certificate → accepted", async () => {
    expect((await call(aToken(issuer.issuer, key, {}), other)).status).toBe(200);
  });

  test("TLS ends before the API → the certificate is what the API says", async () => {
    const request = new Request("https://api.test/", {
      headers: { authorization: `Bearer ${bound({ "x5t#S256": mine.thumbprint })}` },
    });
    const handed = (pem: string) =>
      createResourceServer({
        issuer: issuer.issuer,
        audience: AUDIENCE,
        clientCertificate: () => new X509Certificate(pem).raw,
      });
    await expect(api.protect(request)).rejects.toThrow(ResourceServerError);
    await expect(handed(other.cert).protect(request)).rejects.toMatchObject({ condition: "token_bound" });
    expect(await handed(mine.cert).protect(request)).toMatchObject({ sub: "alice" });
  });
});
