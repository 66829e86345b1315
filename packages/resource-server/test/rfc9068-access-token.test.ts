/** Which access tokens are accepted (RFC 9068 §4, RFC 8725): over real HTTP, wrong ones first. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApi, type TestApi } from "./support/api.ts";
import {
  AUDIENCE,
  aKey,
  aToken,
  base64url,
  macToken,
  type SigningKey,
  seconds,
  startIssuer,
  type TestIssuer,
  type TokenParts,
  unsigned,
} from "./support/issuer.ts";

let key: SigningKey;
let rsa: SigningKey;
let stranger: SigningKey;
let issuer: TestIssuer;
let api: TestApi;

beforeAll(async () => {
  [key, rsa, stranger] = await Promise.all([aKey(), aKey("RS256"), aKey("ES256", "key-ES256")]);
  issuer = await startIssuer([key.jwk, rsa.jwk]);
  api = await startApi({ issuer: issuer.issuer, audience: AUDIENCE }, "photos:read");
});

afterAll(async () => {
  await Promise.all([api.close(), issuer.close()]);
});

const make = (parts: TokenParts = {}, by: SigningKey = key) => aToken(issuer.issuer, by, parts);
const claims = (more: Record<string, unknown>) => make({ claims: more });
const header = (more: Record<string, unknown>) => make({ header: more });

async function refused(token: string, condition: string): Promise<void> {
  const answer = await api.call(token);
  expect({ status: answer.status, condition: api.refusals.at(-1)?.condition }).toEqual({ status: 401, condition });
  expect(JSON.parse(answer.body).error).toBe("invalid_token");
  expect(answer.headers["www-authenticate"]).toMatch(
    /^Bearer realm="[^"]+", error="invalid_token", error_description="/,
  );
  expect(answer.body + JSON.stringify(answer.headers) + api.refusals.at(-1)?.detail).not.toContain(token.slice(0, 60));
}

async function accepted(token: string): Promise<Record<string, unknown>> {
  const answer = await api.call(token);
  expect(answer.status, api.refusals.at(-1)?.detail).toBe(200);
  return JSON.parse(answer.body);
}

test("a valid token → its claims, unknown ones included", async () => {
  expect(await accepted(claims({ act: { sub: "bob" } }))).toMatchObject({
    sub: "alice",
    act: { sub: "bob" },
    aud: AUDIENCE,
  });
});

test("a chain of actors → its claims; an inner actor without sub, or a chain of 100 → refused", async () => {
  const chain = { sub: "agent", act: { sub: "assistant", act: { sub: "bob" } } };
  expect(await accepted(claims({ act: chain }))).toMatchObject({ act: chain });
  let long: object = { sub: "bob" };
  for (let depth = 0; depth < 100; depth += 1) long = { sub: "agent", act: long };
  for (const act of [{ sub: "agent", act: { sub: 1 } }, { sub: "agent", act: null }, long])
    await refused(claims({ act }), "claim_invalid");
});

describe("PM-08 signature", () => {
  test.each(["none", "None", "NONE", "nOnE"])("alg %s, empty signature → refused", async (alg) => {
    await refused(`${unsigned(issuer.issuer, key, { header: { alg } })}.`, "token_malformed");
  });
  test("alg none with a signature part → refused", async () => {
    await refused(`${unsigned(issuer.issuer, key, { header: { alg: "none" } })}.AAAA`, "algorithm_refused");
  });
  test.each(["pem", "pem trimmed", "der", "jwk", "jwk n", "empty"])(
    "HS256 keyed with the public key as %s → refused",
    async (form) => {
      const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
      const secrets: Record<string, string | Buffer> = {
        pem,
        "pem trimmed": String(pem).trim(),
        der: rsa.publicKey.export({ type: "spki", format: "der" }),
        jwk: JSON.stringify(rsa.jwk),
        "jwk n": Buffer.from(rsa.jwk.n ?? "", "base64url"),
        empty: "",
      };
      await refused(macToken(issuer.issuer, rsa, secrets[form] ?? ""), "algorithm_refused");
    },
  );
  test.each(["ES384", "RS512", "ES256K", "RS1", "HS512", "dir", 256, null, ["ES256"], { a: 1 }])(
    "alg %j outside the list → refused",
    async (alg) => {
      await refused(header({ alg }), "algorithm_refused");
    },
  );
  test("alg of another key type than the kid's → refused", async () => {
    await refused(header({ alg: "RS256" }), "key_unknown");
    await refused(make({ header: { alg: "PS256" } }, rsa), "key_unknown");
  });
  test("another key under the issuer's kid → refused", async () => {
    await refused(make({}, stranger), "signature_invalid");
  });
  test("another key, sent along as jwk, jku, x5u, x5c → refused, and nothing fetched", async () => {
    const there = `${issuer.origin}/stranger`;
    const x5c = [stranger.publicKey.export({ type: "spki", format: "der" }).toString("base64")];
    await refused(make({ header: { jwk: stranger.jwk, jku: there, x5u: there, x5c } }, stranger), "signature_invalid");
    expect(issuer.hits.other).toEqual([]);
  });
  test("the issuer's key with a stray jwk and jku → accepted, both ignored", async () => {
    await accepted(header({ jwk: stranger.jwk, jku: `${issuer.origin}/stranger` }));
    expect(issuer.hits.other).toEqual([]);
  });
  test("DER signature, cut signature, all zero → refused", async () => {
    const input = unsigned(issuer.issuer, key);
    const valid = Buffer.from(make().split(".")[2] ?? "", "base64url");
    for (const bytes of [valid.subarray(0, 63), Buffer.alloc(64), Buffer.concat([valid, Buffer.alloc(1)])]) {
      await refused(`${input}.${base64url(bytes)}`, "signature_invalid");
    }
  });
  test("EdDSA and PS256 of the issuer → accepted", async () => {
    const keys = await Promise.all([aKey("Ed25519"), aKey("PS256"), aKey("EdDSA")]);
    const other = await startIssuer(keys.map(({ jwk }) => jwk));
    const otherApi = await startApi({ issuer: other.issuer, audience: AUDIENCE });
    for (const one of keys) expect((await otherApi.call(aToken(other.issuer, one))).status).toBe(200);
    await Promise.all([other.close(), otherApi.close()]);
  });
  test("RS256 → accepted, unless the API's list leaves it out", async () => {
    await accepted(make({}, rsa));
    const strict = await startApi({ issuer: issuer.issuer, audience: AUDIENCE, algorithms: ["ES256"] });
    expect((await strict.call(make({}, rsa))).status).toBe(401);
    expect((await strict.call(make())).status).toBe(200);
    await strict.close();
  });
});

describe("PM-08 header", () => {
  test.each([undefined, "JWT", "at", "at+jwt ", "dpop+jwt", "logout+jwt", "text/at+jwt", "", null, 1, ["at+jwt"]])(
    "typ %j → refused",
    async (typ) => {
      await refused(header({ typ }), "token_type_wrong");
    },
  );
  test("an ID token of the same issuer → refused", async () => {
    await refused(make({ header: { typ: "JWT" }, claims: { nonce: "n", azp: "printer" } }), "token_type_wrong");
  });
  test.each(["at+jwt", "application/at+jwt", "AT+JWT"])("typ %s → accepted", async (typ) => {
    await accepted(header({ typ }));
  });
  test.each([[["exp"]], [["b64"]], [[]], ["x"], [null]])("crit %j → refused", async (crit) => {
    await refused(header({ crit, b64: false }), "header_extension");
  });
  test.each(["../../../../etc/passwd", "' OR 1=1 --", "__proto__", "constructor", "x".repeat(4000), "\u0000", ""])(
    "kid %j → refused",
    async (kid) => {
      await refused(header({ kid }), "key_unknown");
    },
  );
  test.each([null, 1, true, ["key-ES256"], { toString: "key-ES256" }])("kid %j, no string → refused", async (kid) => {
    await refused(header({ kid }), "token_malformed");
  });
  test("no kid: one key of that algorithm → accepted", async () => {
    await accepted(header({ kid: undefined }));
  });
  test("no kid: several keys of that algorithm → refused", async () => {
    const second = await aKey("ES256", "second");
    const other = await startIssuer([key.jwk, second.jwk]);
    const otherApi = await startApi({ issuer: other.issuer, audience: AUDIENCE });
    expect((await otherApi.call(aToken(other.issuer, key, { header: { kid: undefined } }))).status).toBe(401);
    expect((await otherApi.call(aToken(other.issuer, key))).status).toBe(200);
    await Promise.all([other.close(), otherApi.close()]);
  });
});

describe("form", () => {
  const valid = () => make().split(".");
  test.each<[string, () => string]>([
    ["one part", () => "abc"],
    ["two parts", () => valid().slice(0, 2).join(".")],
    ["four parts", () => `${make()}.AAAA`],
    ["five parts (JWE)", () => `${make()}.AAAA.AAAA`],
    ["an empty part", () => `${valid()[0]}..${valid()[2]}`],
    ["padding", () => `${make()}=`],
    ["base64 instead of base64url", () => `${valid()[0]}+.${valid()[1]}.${valid()[2]}`],
    ["header null", () => make({ headerText: "null" })],
    ["header an array", () => make({ headerText: "[]" })],
    ["header no JSON", () => make({ headerText: "{alg:'ES256'}" })],
    ["a BOM before the header", () => make({ headerText: `\uFEFF{"alg":"ES256","typ":"at+jwt","kid":"key-ES256"}` })],
    ["claims null", () => make({ claimsText: "null" })],
    ["claims an array", () => make({ claimsText: "[]" })],
    ["claims a string", () => make({ claimsText: '"x"' })],
    ["claims deep", () => make({ claimsText: `${"[".repeat(2500)}${"]".repeat(2500)}` })],
    ["a JWT inside", () => make({ claimsText: make() })],
    ["an opaque token", () => "at_4uMZ0nVZc1bNqVb3zDl5"],
  ])("%s → refused", async (_, token) => {
    await refused(token(), "token_malformed");
  });
  test("sub twice, plainly and in escapes → refused; once in escapes → accepted", async () => {
    const text = JSON.stringify({ ...JSON.parse(Buffer.from(valid()[1] ?? "", "base64url").toString()) });
    await refused(make({ claimsText: text.replace("{", '{"sub":"mallory",') }), "token_malformed");
    await refused(make({ claimsText: text.replace("{", '{"\\u0073ub":"mallory",') }), "token_malformed");
    await refused(make({ claimsText: text.replace("{", '{"act":{"sub":"a","sub" :"b"},') }), "token_malformed");
    await accepted(make({ claimsText: text.replace('"sub"', '"\\u0073ub"') }));
    await accepted(make({ claimsText: text.replace("{", '{"act":{"sub":"a"},"say":"\\"sub\\": {",') }));
  });
  test("alg twice in the header → refused", async () => {
    await refused(
      make({ headerText: '{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"key-ES256"}' }),
      "token_malformed",
    );
    await accepted(make({ headerText: '{"alg":"ES256","typ":"at+jwt","kid":"key-ES256"}' }));
  });
  test("longer than 8 KiB → refused; just below → accepted", async () => {
    await refused(claims({ filler: "x".repeat(8192) }), "token_too_long");
    await accepted(claims({ filler: "x".repeat(5600) }));
  });
  test("a claim named __proto__ → changes nothing", async () => {
    const text = JSON.stringify({ iss: issuer.issuer, aud: AUDIENCE }).replace(
      "}",
      ',"__proto__":{"sub":"alice","exp":9999999999}}',
    );
    await refused(make({ claimsText: text }), "claim_invalid");
  });
});

describe("claims", () => {
  test.each<[string, () => unknown]>([
    ["a trailing slash", () => `${issuer.issuer}/`],
    ["upper case", () => issuer.issuer.toUpperCase()],
    ["another host", () => "https://evil.example"],
    ["an array", () => [issuer.issuer]],
    ["missing", () => undefined],
    ["null", () => null],
  ])("PM-07 iss: %s → refused", async (_, iss) => {
    await refused(claims({ iss: iss() }), "issuer_wrong");
  });
  test("PM-07 a genuine token of another issuer, under the same kid → refused, and that issuer isn't asked", async () => {
    const other = await startIssuer([stranger.jwk]);
    try {
      const foreign = aToken(other.issuer, stranger);
      await refused(foreign, "signature_invalid");
      await refused(aToken(other.issuer, key), "issuer_wrong");
      expect(other.hits).toEqual({ metadata: 0, jwks: 0, other: [] });
      const second = await startApi({ issuer: other.issuer, audience: AUDIENCE });
      expect([(await second.call(foreign)).status, (await second.call(make())).status]).toEqual([200, 401]);
      await second.close();
    } finally {
      await other.close();
    }
  });
  test.each([
    [["https://other.example", "https://third.example"]],
    [`${AUDIENCE}/v2`],
    [AUDIENCE.slice(0, -1)],
    [`${AUDIENCE}/`],
    [AUDIENCE.toUpperCase()],
    [[[AUDIENCE]]],
    [{ 0: AUDIENCE }],
    [[]],
    [""],
    ["*"],
    [null],
    [undefined],
  ])("aud %j → refused", async (aud) => {
    await refused(claims({ aud }), "audience_wrong");
  });
  test("aud with the own identifier among others → accepted; beside a number → refused", async () => {
    await accepted(claims({ aud: [AUDIENCE] }));
    await accepted(claims({ aud: ["https://other.example", AUDIENCE] }));
    await refused(claims({ aud: [AUDIENCE, 1] }), "claim_invalid");
  });
  test.each(["sub", "client_id", "jti"])("%s missing, empty, null, a number → refused", async (name) => {
    for (const value of [undefined, "", null, 1, ["a"]]) await refused(claims({ [name]: value }), "claim_invalid");
  });
  test.each(["exp", "iat"])("PM-10 %s missing, a string, null, negative → refused", async (name) => {
    for (const value of [undefined, String(seconds() + 60), null, -1, [seconds()]]) {
      await refused(claims({ [name]: value }), "claim_invalid");
    }
  });
  test("exp 1e400 → refused", async () => {
    const text = JSON.stringify({
      ...JSON.parse(Buffer.from(make().split(".")[1] ?? "", "base64url").toString()),
      exp: 0,
    });
    await refused(make({ claimsText: text.replace('"exp":0', '"exp":1e400') }), "claim_invalid");
    await accepted(make({ claimsText: text.replace('"exp":0', '"exp":1e11') }));
  });
  test("PM-14 scope an array → refused", async () => {
    await refused(claims({ scope: ["photos:read"] }), "claim_invalid");
  });
  test("PM-10 expired 11 s ago → refused; 5 s ago → accepted by the tolerance", async () => {
    const now = seconds();
    await refused(claims({ iat: now - 600, exp: now - 11 }), "token_expired");
    await accepted(claims({ iat: now - 600, exp: now - 5 }));
  });
  test("PM-10 nbf, iat 15 s ahead → refused; 8 s → accepted", async () => {
    const now = seconds();
    await refused(claims({ nbf: now + 15 }), "token_not_yet_valid");
    await refused(claims({ iat: now + 15 }), "token_not_yet_valid");
    await refused(claims({ nbf: "0" }), "claim_invalid");
    await refused(claims({ iat: now + 700 }), "claim_invalid");
    await accepted(claims({ nbf: now + 8, iat: now + 8 }));
    await accepted(claims({ nbf: now - 600 }));
  });
  test("clockTolerance 0 and 60 → what they say; the same token is refused once its time is over", async () => {
    let ahead = 0;
    const now = () => Date.now() + ahead * 1000;
    const exact = await startApi({ issuer: issuer.issuer, audience: AUDIENCE, clockTolerance: 0, now });
    const wide = await startApi({ issuer: issuer.issuer, audience: AUDIENCE, clockTolerance: 60, now });
    const token = make();
    expect((await exact.call(token)).status).toBe(200);
    ahead = 601;
    expect((await exact.call(token)).status).toBe(401);
    expect((await wide.call(token)).status).toBe(200);
    ahead = 661;
    expect((await wide.call(token)).status).toBe(401);
    await Promise.all([exact.close(), wide.close()]);
  });
  test.each([{ jkt: "x" }, { "x5t#S256": "x" }, { jwk: {} }, { unknown: "x" }, {}, null])(
    "DP-14, PM-11, PM-12 cnf %j, bound to a key that nobody proves → refused",
    async (cnf) => {
      await refused(claims({ cnf }), "token_bound");
    },
  );
});

describe("scope", () => {
  test.each([
    "photos",
    "photos:read2",
    "PHOTOS:READ",
    "photos:list",
    "photos:read,photos:list",
    "photos:read\tx",
    "photos:read:all",
    "",
    undefined,
  ])("PM-14 scope %j → 403 and what is needed", async (scope) => {
    const answer = await api.call(claims({ scope }));
    expect(answer.status).toBe(403);
    expect(answer.headers["www-authenticate"]).toMatch(/error="insufficient_scope".*, scope="photos:read"$/);
    expect(JSON.parse(answer.body)).toMatchObject({ error: "insufficient_scope" });
  });
  test("PM-14 the needed one in scp, or in no claim → 403", async () => {
    const answer = await api.call(claims({ scope: undefined, scp: "photos:read" }));
    expect(answer.status).toBe(403);
  });
  test("the needed one among others → accepted", async () => {
    await accepted(claims({ scope: "openid photos:read photos:write" }));
  });
  test("an expired token without the scope → 401, not 403", async () => {
    await refused(claims({ scope: "x", iat: 1, exp: 2 }), "token_expired");
  });
});
