/** Attacks on JWTs as authorization grants (RFC 7523 §3, RFC 8725). */

import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, createAssent } from "../../packages/server/src/index.ts";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import {
  aJwtIssuer,
  claimsFor,
  claimsOf,
  expectAssertionRefused,
  JWT_BEARER,
  jwtOf,
  present,
  trust,
} from "../support/assertion-requests.ts";
import { anOwner, restarted, tokensOf } from "../support/back-channel.ts";
import { aKeySite, type KeySite } from "../support/signing-clients.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
let client: TestClient;
let alice: Person;
const idp = aJwtIssuer("https://idp.test");
const other = aJwtIssuer("https://other.test");
const disabled = aJwtIssuer("https://disabled.test");

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({
    grantTypes: [JWT_BEARER, "authorization_code", "refresh_token"],
    jwks: other.jwks,
  });
  alice = await server.addPerson();
  const elsewhere = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
  await trust(server, { issuer: other.issuer, type: "jwt", jwks: other.jwks, clients: [elsewhere.clientId] });
  await trust(server, { issuer: disabled.issuer, type: "jwt", jwks: disabled.jwks, status: "disabled" });
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks, subjects: [] });
});
afterAll(() => server.stop());

const use = (assertion: string) => present(server, client, JWT_BEARER, assertion);
const refusedAs = (assertion: string, ...conditions: ConditionName[]) =>
  expectAssertionRefused(server, use(assertion), conditions);
const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...claimsFor(server, idp, alice.username),
  ...changes,
});
const made = (changes: Readonly<Record<string, unknown>> = {}) => jwtOf(idp, claims(changes));
const now = () => Math.floor(server.now() / 1000);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("what the attacks are made of, left alone → accepted", async () => {
  expect((await use(made())).status).toBe(200);
});

describe("JB-02 issuer", () => {
  test.each([
    ["unknown", () => made({ iss: "https://unknown.test" }), "assertion_issuer_unknown"],
    ["missing", () => made({ iss: undefined }), "assertion_issuer_unknown"],
    ["a list", () => made({ iss: [idp.issuer] }), "assertion_issuer_unknown"],
    ["disabled", () => jwtOf(disabled, claims({ iss: disabled.issuer })), "assertion_issuer_unknown"],
    ["not for this client", () => jwtOf(other, claims({ iss: other.issuer })), "assertion_client_not_allowed"],
    ["another's name with one's own key", () => jwtOf(other, claims()), "assertion_signature_wrong"],
  ] satisfies [string, () => string, ConditionName][])("%s → refused", async (_, assertion, condition) => {
    await refusedAs(assertion(), condition);
  });
});

describe("JB-03 algorithm and key", () => {
  const unsigned = (alg: string) => `${part({ alg })}.${part(claims())}.`;
  const hmac = () => {
    const input = `${part({ alg: "HS256" })}.${part(claims())}`;
    return `${input}.${createHmac("sha256", idp.jwks).update(input).digest("base64url")}`;
  };
  test.each([
    ["none", () => unsigned("none"), ["assertion_algorithm_refused", "assertion_malformed"]],
    ["NONE", () => unsigned("NONE"), ["assertion_algorithm_refused", "assertion_malformed"]],
    ["HS256 with the public keys", hmac, ["assertion_algorithm_refused"]],
    ["ES256K", () => jwtOf(idp, claims(), { alg: "ES256K" }), ["assertion_algorithm_refused"]],
    ["RS256 over an EC key", () => jwtOf(idp, claims(), { alg: "RS256", kid: "one" }), ["assertion_key_unknown"]],
    ["another kid", () => jwtOf(idp, claims(), { alg: "ES256", kid: "../../etc/passwd" }), ["assertion_key_unknown"]],
    [
      "a key in the header",
      () => {
        const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        return jwtOf({ privateKey }, claims(), { alg: "ES256", jwk: publicKey.export({ format: "jwk" }) });
      },
      ["assertion_signature_wrong"],
    ],
    ["crit", () => jwtOf(idp, claims(), { alg: "ES256", crit: ["x"], x: 1 }), ["assertion_malformed"]],
    ["b64 false", () => jwtOf(idp, claims(), { alg: "ES256", b64: false }), ["assertion_malformed"]],
  ] satisfies [string, () => string, ConditionName[]][])("%s → refused", async (_, assertion, conditions) => {
    await refusedAs(assertion(), ...conditions);
  });
});

describe("JB-05 times", () => {
  test.each([
    ["exp missing", () => ({ exp: undefined }), "assertion_expired"],
    ["exp 61 s ago", () => ({ exp: now() - 61 }), "assertion_expired"],
    ["exp 29 s ago, so that no token fits in", () => ({ exp: now() - 29, iat: now() - 100 }), "assertion_expired"],
    ["exp in more than an hour", () => ({ exp: now() + 3700 }), "assertion_lifetime_too_long"],
    ["nbf in 61 s", () => ({ nbf: now() + 61 }), "assertion_not_yet_valid"],
    ["iat in 61 s", () => ({ iat: now() + 61 }), "assertion_not_yet_valid"],
    ["auth_time in 61 s", () => ({ auth_time: now() + 61 }), "assertion_not_yet_valid"],
    ["auth_time a text", () => ({ auth_time: `${now()}` }), "assertion_malformed"],
    ["iat more than an hour ago", () => ({ iat: now() - 3700 }), "assertion_lifetime_too_long"],
    ["exp a text", () => ({ exp: `${now() + 60}` }), "assertion_malformed"],
    ["exp null", () => ({ exp: null }), "assertion_malformed"],
    ["exp negative", () => ({ exp: -1 }), "assertion_malformed"],
    ["exp beyond all time", () => ({ exp: 1e300 }), "assertion_malformed"],
  ] satisfies [string, () => Record<string, unknown>, ConditionName][])(
    "%s → refused",
    async (_, changes, condition) => {
      await refusedAs(made(changes()), condition);
    },
  );

  test("a sign-in that is ahead by 10 s → it was now", async () => {
    const { body } = await use(made({ auth_time: now() + 10 }));
    expect(Number(claimsOf(body.access_token)["auth_time"])).toBeLessThanOrEqual(server.now() / 1000);
  });

  test("clocks that differ by 10 s → accepted", async () => {
    for (const changes of [{ nbf: now() + 10 }, { iat: now() + 10 }, { exp: now() - 10, iat: now() - 100 }]) {
      const { status, body } = await use(made(changes));
      expect(status).toBe(200);
      expect(body.expires_in).toBeGreaterThan(0);
    }
  });
});

describe("JB-06 jti", () => {
  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["a number", 7],
    ["600 characters", "x".repeat(600)],
  ])("%s → refused", async (_, jti) => {
    await refusedAs(made({ jti }), "assertion_id_missing");
  });

  test("twice → once; the same jti of another issuer → accepted", async () => {
    const assertion = made({ jti: "the-same" });
    expect((await use(assertion)).status).toBe(200);
    await refusedAs(assertion, "assertion_replayed");
    await refusedAs(made({ jti: "the-same", exp: now() + 200 }), "assertion_replayed");
    const third = aJwtIssuer("https://third.test");
    await trust(server, { issuer: third.issuer, type: "jwt", jwks: third.jwks });
    expect((await use(jwtOf(third, claims({ iss: third.issuer, jti: "the-same" })))).status).toBe(200);
  });

  test("50 at once → one", async () => {
    const assertion = made();
    const answers = await Promise.all(Array.from({ length: 50 }, () => use(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("25 at once at each of two nodes on one database → one", async () => {
    const node = await createAssent(configOf({ dataDir: server.dataDir, issuer: server.issuer, logLevel: "fatal" }));
    const site = createServer(node.handler);
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    try {
      // The address of the other node. Both nodes have the same issuer.
      const there = { issuer: `http://127.0.0.1:${(site.address() as AddressInfo).port}` };
      const assertion = made();
      const both = Array.from({ length: 25 }, () => [server, there]).flat();
      const answers = await Promise.all(both.map((at) => present(at, client, JWT_BEARER, assertion)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === "invalid_grant")).toHaveLength(49);
    } finally {
      site.closeAllConnections();
      site.close();
      await node.close();
    }
  });

  test("after a restart → refused", async () => {
    expect((await use(made({ jti: "before" }))).status).toBe(200);
    const later = await restarted(server);
    try {
      const again = (jti: string) =>
        present(later, client, JWT_BEARER, jwtOf(idp, { ...claimsFor(later, idp, alice.username), jti }));
      await expectAssertionRefused(later, again("before"), "assertion_replayed");
      expect((await again("after")).status).toBe(200);
    } finally {
      await later.stop();
    }
  });
});

describe("JB-07 JB-08 subject", () => {
  test.each([
    ["missing", undefined, "assertion_subject_missing"],
    ["empty", "", "assertion_subject_missing"],
    ["a list", ["alice"], "assertion_subject_missing"],
    ["nobody's", "nobody", "assertion_subject_unknown"],
  ] satisfies [string, unknown, ConditionName][])("%s → refused", async (_, sub, condition) => {
    await refusedAs(made({ sub }), condition);
  });

  test("outside the issuer's subjects, and a domain that only ends alike → refused", async () => {
    const some = aJwtIssuer("https://some.test");
    await trust(server, {
      issuer: some.issuer,
      type: "jwt",
      jwks: some.jwks,
      mapSubject: "email",
      subjects: ["@example.test"],
    });
    const by = (sub: string) => use(jwtOf(some, { ...claimsFor(server, some, sub) }));
    const outside = await server.addPerson({ email: "bob@evil-example.test" });
    await expectAssertionRefused(server, by(outside.email), "assertion_subject_not_allowed");
    await expectAssertionRefused(server, by(`${outside.email}@example.test`), "assertion_subject_unknown");
    expect((await by(alice.email)).status).toBe(200);
  });

  test("an owner who is disabled, deleted, or an operator → refused", async () => {
    const { storage } = server.assent;
    const off = await server.addPerson();
    const { partition, personId } = off;
    await storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    await refusedAs(made({ sub: off.username }), "assertion_owner_disabled");
    const gone = await server.addPerson();
    await storage.people.delete({ partition: gone.partition, personId: gone.personId, now: server.now() });
    await refusedAs(made({ sub: gone.username }), "assertion_subject_unknown");
    const operator = await server.addPerson({ operator: ["admin"] });
    await refusedAs(made({ sub: operator.username }), "assertion_subject_not_allowed");
  });
});

describe("JB-09 JB-10 tokens and keys made for something else → refused", () => {
  test("an access token and a refresh token of this server", async () => {
    const { access, refresh } = await tokensOf(server, client, await anOwner(server));
    await refusedAs(access, "assertion_type_refused");
    await refusedAs(refresh, "assertion_malformed");
  });

  test.each(["at+jwt", "dpop+jwt", "logout+jwt", "client-authentication+jwt", "oauth-authz-req+jwt"])(
    "a JWT of type %s",
    async (typ) => {
      await refusedAs(jwtOf(idp, claims(), { alg: "ES256", kid: "one", typ }), "assertion_type_refused");
    },
  );

  test("this server as its own issuer", async () => {
    await refusedAs(made({ iss: server.issuer }), "assertion_issuer_unknown");
  });

  test("the client's own key, in the issuer's name and in its own", async () => {
    await refusedAs(jwtOf(other, claims()), "assertion_signature_wrong");
    await refusedAs(jwtOf(other, claims({ iss: client.clientId })), "assertion_issuer_unknown");
  });
});

describe("audience", () => {
  test.each<[string, unknown]>([
    ["missing", undefined],
    ["somebody else", "https://else.test"],
    ["an empty list", []],
    ["a trailing slash", "SERVER/"],
    ["the token endpoint, which nobody put on the record", "SERVER/token"],
    ["us, and somebody else who could have passed it on", ["SERVER", "https://else.test"]],
    ["somebody else, and us", ["https://else.test", "SERVER"]],
    ["us, and what is no text", ["SERVER", null]],
  ])("%s → refused", async (_, aud) => {
    const named = JSON.parse(JSON.stringify({ aud }).replace("SERVER", server.issuer)) as { aud?: unknown };
    await refusedAs(made({ aud: named.aud }), "assertion_audience_wrong");
  });

  test("us alone, as a list → accepted", async () => {
    expect((await use(made({ aud: [server.issuer] }))).status).toBe(200);
  });
});

describe("JB-14 the operator trusts it no more", () => {
  test("→ refused within a second", async () => {
    const brief = aJwtIssuer("https://brief.test");
    await trust(server, { issuer: brief.issuer, type: "jwt", jwks: brief.jwks });
    const by = () => use(jwtOf(brief, claimsFor(server, brief, alice.username)));
    expect((await by()).status).toBe(200);
    await server.assent.storage.issuers.delete({ issuer: brief.issuer, now: server.now() });
    await settle();
    await expectAssertionRefused(server, by(), "assertion_issuer_unknown");
  });
});

describe("JB-15 JSON", () => {
  const text = (json: string) => jwtOf(idp, json);
  test.each([
    ["a member twice", () => text(JSON.stringify(claims()).replace("{", '{"sub":"admin",'))],
    ["a member twice, once with an escape", () => text(JSON.stringify(claims()).replace("{", '{"s\\u0075b":"admin",'))],
    ["a header's member twice", () => jwtOf(idp, claims(), '{"alg":"none","alg":"ES256"}')],
    ["a list", () => text("[]")],
    ["null", () => text("null")],
    ["a header that is null", () => jwtOf(idp, claims(), "null")],
    ["no JSON", () => text("{")],
    ["40 deep", () => text(JSON.stringify(claims()).replace("{", `{"a":${"[".repeat(40)}${"]".repeat(40)},`))],
    ["more than 8 KiB", () => made({ a: "x".repeat(9000) })],
    ["two parts", () => made().split(".").slice(0, 2).join(".")],
    ["five parts", () => `${made()}.a.b`],
    ["padding", () => `${made()}=`],
  ])("%s → refused", async (_, assertion) => {
    await refusedAs(assertion(), "assertion_malformed");
  });

  test("__proto__ among the claims → nothing of it is taken", async () => {
    const polluted = JSON.stringify(claims({ sub: undefined })).replace("{", '{"__proto__":{"sub":"admin"},');
    await refusedAs(text(polluted), "assertion_subject_missing");
  });
});

describe("JB-13 keys at an address", () => {
  let near: TestServer;
  let site: KeySite;
  let nearby: TestClient;
  beforeAll(async () => {
    near = await startServer({ fetchFromLoopback: true });
    nearby = await near.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
    site = await aKeySite(idp.jwks);
  });
  afterAll(async () => {
    site.stop();
    await near.stop();
  });

  /** Each case has its own issuer, because the server caches keys. */
  async function anIssuerAt(at: TestServer, jwksUri: string): Promise<string> {
    const issuer = `https://${randomBytes(6).toString("hex")}.test`;
    await trust(at, { issuer, type: "jwt", jwksUri });
    return issuer;
  }

  test("a site with the keys → accepted; they are fetched once", async () => {
    const owner = await near.addPerson();
    const issuer = await anIssuerAt(near, site.uri);
    const asked = site.asked();
    for (let time = 0; time < 3; time += 1) {
      const assertion = jwtOf(idp, { ...claimsFor(near, { issuer }, owner.username) });
      expect((await present(near, nearby, JWT_BEARER, assertion)).status).toBe(200);
    }
    expect(site.asked() - asked).toBe(1);
  });

  test.each([
    ["redirecting", () => site.answer("", { location: "https://elsewhere.test/" }, 302)],
    ["10 MB", () => site.answer("x".repeat(10_000_000))],
    ["no keys", () => site.answer("<html>")],
    ["compressed", () => site.answer(idp.jwks, { "content-encoding": "gzip" })],
    ["slow", () => site.answer(() => new Promise((resolve) => setTimeout(() => resolve(idp.jwks), 8000)))],
  ])("%s → refused within some 5 s", byTheClock, async (_, answer) => {
    answer();
    const issuer = await anIssuerAt(near, `${site.uri}?${randomBytes(4).toString("hex")}`);
    const before = performance.now();
    const assertion = jwtOf(idp, claimsFor(near, { issuer }, alice.username));
    await expectAssertionRefused(near, present(near, nearby, JWT_BEARER, assertion), "assertion_keys_unavailable");
    expect(performance.now() - before).toBeLessThan(6500);
  });

  test("an internal one → refused without asking it; other issuers go on", async () => {
    const asked = site.asked();
    const { port } = new URL(site.uri);
    const inside = [`https://127.0.0.1:${port}/`, `https://localhost:${port}/`, "https://169.254.169.254/"];
    for (const jwksUri of inside) {
      const issuer = await anIssuerAt(server, jwksUri);
      await refusedAs(jwtOf(idp, claims({ iss: issuer })), "assertion_keys_unavailable");
      expect((await use(made())).status).toBe(200);
    }
    expect(site.asked()).toBe(asked);
  });
});
