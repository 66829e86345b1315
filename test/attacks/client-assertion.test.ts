/** Attacks on client authentication by a signed JWT: its form, keys and claims (RFC 7523 §3; RFC 8725). */

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as rawSign,
} from "node:crypto";
import { exportPKCS8, exportSPKI } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { expectRefusal, expectUnlogged, logged, post } from "../support/back-channel.ts";
import {
  aKeyPair,
  aSigningClient,
  type Claims,
  claimsOf,
  JWT_BEARER,
  jwksOf,
  type KeyPair,
  sign,
  withAssertion,
} from "../support/signing-clients.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
let key: KeyPair;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  key = await aKeyPair();
  client = await aSigningClient(server, key);
});
afterAll(() => server.stop());

const claims = (changes: Claims = {}, of = client) => claimsOf(server, of, changes);
const send = (assertion: string, fields?: Record<string, string>, path?: string) =>
  withAssertion(server, assertion, fields, path);
const seconds = (from = 0) => Math.floor(server.now() / 1000) + from;
const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Signs exactly this header and payload with the client's key. */
async function signedText(header: string, payload: string): Promise<string> {
  const input = `${part(header)}.${part(payload)}`;
  const privateKey = createPrivateKey(await exportPKCS8(key.privateKey));
  const signature = rawSign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
}
const header = () => JSON.stringify({ alg: "ES256", kid: key.jwk.kid });

/** Expects the refusal, and its condition in the log. */
async function expectRefused(assertion: string, condition?: string, fields?: Record<string, string>): Promise<void> {
  const before = server.log.length;
  expectRefusal(await send(assertion, fields), "invalid_client");
  const found = server.log.slice(before).map((line) => (JSON.parse(line) as { condition?: string }).condition);
  if (condition !== undefined) expect(found).toContain(condition);
}

describe("a good assertion", () => {
  test("CJ-01 each typ that it may have → 200", async () => {
    for (const typ of [undefined, "JWT", "jwt", "client-authentication+jwt", "application/client-authentication+jwt"]) {
      expect((await send(await sign(key, claims(), { typ }))).status, String(typ)).toBe(200);
    }
  });

  test("with the client's id beside it, without iat, without kid, aud as a list of one → 200", async () => {
    expect((await send(await sign(key, claims()), { client_id: client.clientId })).status).toBe(200);
    expect((await send(await sign(key, claims({ iat: undefined })))).status).toBe(200);
    expect((await send(await sign(key, claims(), { kid: undefined }))).status).toBe(200);
    expect((await send(await sign(key, claims({ aud: [server.issuer] })))).status).toBe(200);
  });

  test.each(["ES256", "ES384", "PS256", "PS384", "RS256", "EdDSA"])("%s → 200", async (alg) => {
    const one = await aKeyPair(alg);
    const owner = await aSigningClient(server, one);
    expect((await send(await sign(one, claims({}, owner)))).status).toBe(200);
  });

  test("by the key of its kid among several → 200; without kid, where two fit → refused", async () => {
    const [first, second] = [await aKeyPair(), await aKeyPair()];
    const owner = await aSigningClient(server, first, { jwks: jwksOf(first, second) });
    for (const one of [first, second]) expect((await send(await sign(one, claims({}, owner)))).status).toBe(200);
    await expectRefused(await sign(first, claims({}, owner), { kid: undefined }), "client_assertion_key_unknown");
    await expectRefused(
      await sign(first, claims({}, owner), { kid: second.jwk.kid }),
      "client_assertion_signature_wrong",
    );
  });

  test("at revocation and introspection → authenticated; the same again elsewhere → refused", async () => {
    const { body } = await send(await sign(key, claims()));
    const token = { token: body.access_token ?? "" };
    const assertion = await sign(key, claims());
    expect((await send(assertion, token, "/introspect")).body).toMatchObject({ active: true });
    await expectRefused(assertion, "client_assertion_replayed");
    expect((await send(await sign(key, claims()), { token: "unknown" }, "/revoke")).status).toBe(200);
  });
});

describe("signature and algorithm", () => {
  test.each(["none", "None", "NONE", "nOnE"])("CJ-04 alg %s, no signature → refused", async (alg) => {
    for (const signature of ["", "e30", "AA"]) {
      await expectRefused(`${part({ alg, kid: key.jwk.kid })}.${part(claims())}.${signature}`);
    }
  });

  test("CJ-04 alg ES256, its signature empty, of zeros, of another assertion, cut, made longer → refused", async () => {
    const good = await sign(key, claims());
    const [first = "", second = "", signature = ""] = (await sign(key, claims())).split(".");
    const zeros = Buffer.alloc(64).toString("base64url");
    for (const other of ["", zeros, good.split(".")[2], signature.slice(0, -4), `${signature}AAAA`]) {
      await expectRefused(`${first}.${second}.${other}`);
    }
    // A DER signature instead of the two integers of RFC 7518 §3.4.
    const privateKey = createPrivateKey(await exportPKCS8(key.privateKey));
    await expectRefused(
      `${first}.${second}.${rawSign("sha256", Buffer.from(`${first}.${second}`), privateKey).toString("base64url")}`,
    );
    expect((await send(good)).status).toBe(200);
  });

  test("CJ-05 HS256 with the public key as secret: PEM, DER, JWK, PEM with a space before it → refused", async () => {
    const pem = await exportSPKI(key.publicKey);
    const der = createPublicKey(pem).export({ format: "der", type: "spki" });
    const { jwk } = key;
    for (const secret of [pem, der, JSON.stringify(jwk), ` ${pem}`, pem.trim(), client.jwks ?? "", ""]) {
      for (const [alg, hash] of [
        ["HS256", "sha256"],
        ["HS512", "sha512"],
      ] as const) {
        const input = `${part({ alg, kid: jwk.kid })}.${part(claims())}`;
        const mac = createHmac(hash, secret).update(input).digest("base64url");
        await expectRefused(`${input}.${mac}`, "client_assertion_alg_refused");
      }
    }
  });

  test("CJ-06 another alg than the key's own → refused", async () => {
    const rsa = await aKeyPair("RS256");
    const owner = await aSigningClient(server, rsa, { jwks: jwksOf({ jwk: { ...rsa.jwk, alg: "PS256" } }) });
    await expectRefused(await sign(rsa, claims({}, owner)), "client_assertion_key_unknown");
  });

  test("CJ-06 an alg for another kind of key → refused", async () => {
    const privateKey = createPrivateKey(await exportPKCS8(key.privateKey));
    for (const [alg, hash] of [
      ["RS256", "sha256"],
      ["ES384", "sha384"],
      ["EdDSA", "sha256"],
      ["PS256", "sha256"],
    ] as const) {
      const input = `${part({ alg, kid: key.jwk.kid })}.${part(claims())}`;
      const signature = rawSign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
      await expectRefused(`${input}.${signature.toString("base64url")}`, "client_assertion_key_unknown");
    }
  });

  /** A client whose stored record has a key that registration would refuse, and an assertion signed by this key. */
  async function smuggled(pair: { privateKey: KeyObject; publicKey: KeyObject }, alg: string, hash: string) {
    const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "k" };
    const owner = await aSigningClient(server, key, { jwks: JSON.stringify({ keys: [jwk] }) });
    const input = `${part({ alg, kid: "k" })}.${part(claims({}, owner))}`;
    const signature = rawSign(hash, Buffer.from(input), { key: pair.privateKey, dsaEncoding: "ieee-p1363" });
    return `${input}.${signature.toString("base64url")}`;
  }

  test("CJ-06 a P-384 key with ES256, ES256K, ES512, RS1, an RSA key of 1024 bits → refused", async () => {
    const ec = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
    const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength });
    await expectRefused(await smuggled(ec("P-384"), "ES256", "sha256"), "client_assertion_key_unknown");
    await expectRefused(await smuggled(ec("secp256k1"), "ES256K", "sha256"), "client_assertion_alg_refused");
    await expectRefused(await smuggled(ec("P-521"), "ES512", "sha512"), "client_assertion_alg_refused");
    await expectRefused(await smuggled(rsa(2048), "RS1", "sha1"), "client_assertion_alg_refused");
    await expectRefused(await smuggled(rsa(1024), "RS256", "sha256"), "client_assertion_key_unknown");
  });

  test("CJ-06 EdDSA with a key of small order, for which anybody can sign → refused", async () => {
    for (const first of ["00", "01", "ec"]) {
      const point = Buffer.alloc(32, first === "ec" ? 0xff : 0);
      point[0] = Number.parseInt(first, 16);
      if (first === "ec") point[31] = 0x7f;
      const jwk = { kty: "OKP", crv: "Ed25519", x: point.toString("base64url"), kid: "k" };
      const owner = await aSigningClient(server, key, { jwks: JSON.stringify({ keys: [jwk] }) });
      const neutral = Buffer.alloc(64);
      neutral[0] = 1;
      const text = `${part({ alg: "EdDSA", kid: "k" })}.${part(claims({}, owner))}.${neutral.toString("base64url")}`;
      await expectRefused(text, "client_assertion_key_unknown");
    }
  });

  test("a key in the header, or an address of one → not looked at", async () => {
    const thief = await aKeyPair("ES256", key.jwk.kid);
    for (const extra of [
      { jwk: thief.jwk },
      { jku: "http://127.0.0.1:9/" },
      { x5u: "http://127.0.0.1:9/" },
      { x5c: ["AA"] },
    ]) {
      await expectRefused(await sign(thief, claims(), extra), "client_assertion_signature_wrong");
    }
  });
});

describe("kid", () => {
  test.each(["../../etc/passwd", "' OR 1=1--", "", "x".repeat(1000), "\u0000", "__proto__"])(
    "CJ-10 %j → refused",
    async (kid) => expectRefused(await sign(key, claims(), { kid }), "client_assertion_key_unknown"),
  );

  test.each([[["k"]], [null], [7], [{}]])("CJ-10 %j, which is no text → refused", async (kid) =>
    expectRefused(
      await signedText(JSON.stringify({ alg: "ES256", kid }), JSON.stringify(claims())),
      "client_assertion_malformed",
    ),
  );

  test("CJ-10 of 10 kB → refused", async () => expectRefused(await sign(key, claims(), { kid: "x".repeat(10_000) })));

  test("CJ-10 another client's kid, with its key → refused", async () => {
    const other = await aKeyPair();
    await aSigningClient(server, other);
    await expectRefused(await sign(other, claims()), "client_assertion_key_unknown");
  });
});

describe("header and form", () => {
  test("CJ-12 crit, b64 → refused", async () => {
    for (const extra of [
      { crit: ["x"], x: 1 },
      { crit: [] },
      { b64: false, crit: ["b64"] },
      { b64: false },
      { b64: true },
    ]) {
      const text = JSON.stringify({ alg: "ES256", kid: key.jwk.kid, ...extra });
      await expectRefused(await signedText(text, JSON.stringify(claims())), "client_assertion_malformed");
    }
  });

  test.each(["at+jwt", "dpop+jwt", "logout+jwt", "oauth-authz-req+jwt", "secevent+jwt", "", "JWT "])(
    "CJ-18, PR-22 typ %j, a request object among them → refused",
    async (typ) => expectRefused(await sign(key, claims(), { typ }), "client_assertion_typ_refused"),
  );

  test("CJ-18 an access token of ours as assertion → refused", async () => {
    const { body } = await send(await sign(key, claims()));
    await expectRefused(body.access_token ?? "");
  });

  test("CJ-19 a member twice, in the payload, in the header, spelt with an escape, deeper inside → refused", async () => {
    const good = JSON.stringify(claims());
    for (const [head, payload] of [
      [header(), good.replace("{", '{"sub":"a",')],
      [header(), good.replace(/}$/, `,"sub":"${client.clientId}"}`)],
      [header(), good.replace("{", '{"s\\u0075b":"a",')],
      [header(), good.replace("{", '{"x":{"a":1,"a":2},')],
      [header().replace("{", '{"alg":"none",'), good],
      [header().replace("{", '{"kid":"other",'), good],
    ] as const) {
      await expectRefused(await signedText(head, payload), "client_assertion_malformed");
    }
    expect(
      (
        await send(
          await signedText(header(), JSON.stringify(claims({ x: { sub: "a" }, y: [{ sub: "b" }, { sub: "c" }] }))),
        )
      ).status,
    ).toBe(200);
  });

  test("CJ-29 null, a list, a text, a number, nothing in place of header or payload → refused", async () => {
    for (const other of ["null", "[]", '"x"', "1", "", "{", "true", "\u0000"]) {
      await expectRefused(await signedText(other, JSON.stringify(claims())), "client_assertion_malformed");
      await expectRefused(await signedText(header(), other), "client_assertion_malformed");
    }
  });

  test("two parts, four, five (a JWE), none, padding, other characters → refused", async () => {
    const good = await sign(key, claims());
    const [first = "", second = "", third = ""] = good.split(".");
    for (const text of [
      `${first}.${second}`,
      `${good}.x`,
      `${good}.${first}.${second}`,
      ".",
      "..",
      "x",
      `${first}=.${second}.${third}`,
      `${good}=`,
      ` ${good}`,
      good.replace(/-|_/g, "+"),
      `${first}..${third}`,
    ]) {
      if (text !== good) await expectRefused(text, "client_assertion_malformed");
    }
    expect((await send(good)).status).toBe(200);
  });

  test("more than 8 KiB, though well signed → refused; 60 kB in a moment", byTheClock, async () => {
    await expectRefused(await sign(key, claims({ filler: "x".repeat(8192) })), "client_assertion_malformed");
    const start = performance.now();
    await expectRefused(`e30.${"A".repeat(60_000)}.AA`, "client_assertion_malformed");
    expect(performance.now() - start).toBeLessThan(200);
  });

  test("CJ-22 its type missing, wrong, of SAML; the assertion missing → invalid_client", async () => {
    const assertion = await sign(key, claims());
    const saml = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
    for (const fields of [
      { client_assertion: assertion },
      { client_assertion: assertion, client_assertion_type: "jwt-bearer" },
      { client_assertion: assertion, client_assertion_type: saml },
      { client_assertion_type: JWT_BEARER },
      { client_assertion_type: JWT_BEARER, client_id: client.clientId },
    ]) {
      const body = `${new URLSearchParams({ grant_type: "client_credentials", ...fields })}`;
      expectRefusal(await post(server, "/token", body), "invalid_client");
    }
    expect((await send(assertion)).status).toBe(200);
  });

  test("sent twice → invalid_request", async () => {
    const body = new URLSearchParams({ grant_type: "client_credentials", client_assertion_type: JWT_BEARER });
    for (let at = 0; at < 2; at += 1) body.append("client_assertion", await sign(key, claims()));
    expectRefusal(await post(server, "/token", `${body}`), "invalid_request");
  });
});

describe("who and for whom", () => {
  test("CJ-13 iss or sub of another, missing, no text; client_id of another → refused", async () => {
    const other = await aSigningClient(server, await aKeyPair());
    const subject = "client_assertion_subject_wrong";
    await expectRefused(await sign(key, claims({ iss: other.clientId })), subject);
    await expectRefused(await sign(key, claims({ iss: undefined })), subject);
    await expectRefused(await sign(key, claims({ sub: undefined })), subject);
    await expectRefused(await sign(key, claims({ sub: [client.clientId] })), subject);
    await expectRefused(await sign(key, claims()), subject, { client_id: other.clientId });
    // The assertion names another client, so the server must check it with that client's keys.
    await expectRefused(await sign(key, claims({ sub: other.clientId })), subject);
    await expectRefused(
      await sign(key, claims({ sub: other.clientId, iss: other.clientId })),
      "client_assertion_key_unknown",
    );
  });

  test("an unknown client → as any other failure", async () => {
    await expectRefused(await sign(key, claims({ sub: "nobody", iss: "nobody" })), "client_unknown");
  });

  test("CJ-02 MX-07 aud: the token endpoint, another server, both, a list of more, none → refused", async () => {
    const { issuer } = server;
    for (const aud of [
      `${issuer}/token`,
      `${issuer}/par`,
      `${issuer}/`,
      issuer.toUpperCase(),
      "https://other-as.test",
      "https://other-as.test/token",
      [issuer, "https://other-as.test"],
      [issuer, `${issuer}/token`],
      [issuer, issuer],
      [],
      [[issuer]],
      { 0: issuer },
      "",
      null,
      undefined,
      7,
    ]) {
      await expectRefused(await sign(key, claims({ aud })), "client_assertion_audience_wrong");
    }
  });

  test("CJ-02 the token endpoint, where the operator allows it for this client → 200; nobody else beside it", async () => {
    const { issuer } = server;
    const old = await aSigningClient(server, key, { tokenEndpointAudience: true });
    for (const aud of [`${issuer}/token`, issuer, [issuer, `${issuer}/token`]]) {
      expect((await send(await sign(key, claims({ aud }, old)))).status).toBe(200);
    }
    for (const aud of [`${issuer}/revoke`, [`${issuer}/token`, "https://other-as.test/token"], []]) {
      await expectRefused(await sign(key, claims({ aud }, old)), "client_assertion_audience_wrong");
    }
  });
});

describe("time", () => {
  test("CJ-14 exp missing, over, too far ahead, no number → refused", async () => {
    const condition = "client_assertion_out_of_time";
    onTestFinished(server.stand());
    for (const exp of [
      undefined,
      seconds(-61),
      seconds(-11),
      seconds(320),
      seconds(86_400),
      `${seconds(60)}`,
      null,
      -1,
      0,
      true,
      [seconds(60)],
    ]) {
      await expectRefused(await sign(key, claims({ exp })), condition);
    }
    await expectRefused(await sign(key, claims({ exp: seconds(301), iat: seconds() })), condition);
    await expectRefused(await sign(key, claims({ exp: seconds(302), iat: undefined })), condition);
    await expectRefused(
      await signedText(header(), JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e400')),
      condition,
    );
  });

  test.each([
    ["just over", -5, -20],
    ["5 minutes ahead", 299, 0],
    ["5 minutes after an iat that is ahead", 305, 6],
    ["with a fraction", 60.5, 0],
    ["with a fraction finer than ours", 60.123_456_7, -0.765_432_1],
  ])("CJ-14 exp %s → 200", async (_, exp, iat) => {
    expect((await send(await sign(key, claims({ exp: seconds() + exp, iat: seconds(iat) })))).status).toBe(200);
  });

  test("CJ-15 iat or nbf 8 s ahead → 200; 61 s ahead, no number → refused", async () => {
    for (const name of ["iat", "nbf"]) {
      expect((await send(await sign(key, claims({ [name]: seconds(8) })))).status).toBe(200);
      for (const value of [seconds(61), "now", null]) {
        await expectRefused(await sign(key, claims({ [name]: value })), "client_assertion_out_of_time");
      }
    }
  });
});

test("no assertion stands in the log", async () => {
  const assertion = await sign(key, claims({ aud: "https://other-as.test" }));
  await expectRefused(assertion);
  expectUnlogged(server, assertion, assertion.split(".")[1] ?? "", assertion.split(".")[2] ?? "");
  expect(logged(server, "client_assertion_audience_wrong")).toBeGreaterThan(0);
  expect(server.log.some((line) => line.includes('"level":50'))).toBe(false);
});
