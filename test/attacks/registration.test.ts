/** Attacks on dynamic registration: strangers that want more than a client of their own. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateClient } from "../../packages/server/src/admin/clients.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { createIssuer } from "../../packages/server/src/admin/trusted-issuers.ts";
import { expectUnlogged, signedInPerson, tokensOf } from "../support/back-channel.ts";
import { authorizeUrl, pkce, refresh, unnumbered } from "../support/http-browser.ts";
import {
  aNetwork,
  anInitialToken,
  aRegistration,
  clientOf,
  manage,
  type Registration,
  register,
  send,
} from "../support/registration.ts";
import { aKeyPair, claimsOf, type KeyPair, sign, withAssertion } from "../support/signing-clients.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

let open: TestServer;
let closed: TestServer;

beforeAll(async () => {
  [open, closed] = await Promise.all([
    startServer({ config: { registration: "open", trustProxy: ["127.0.0.0/8"] } }),
    startServer({ config: { registration: "token", trustProxy: ["127.0.0.0/8"] } }),
  ]);
});
afterAll(() => Promise.all([open.stop(), closed.stop()]));

const admin = (server: TestServer) => adminOf(server.assent.storage, server.issuer, server.now);
const ask = (changes: object, at = open) => register(at, { ...aRegistration, ...changes });
const stored = async (server: TestServer, { body }: Registration) =>
  (await server.assent.storage.clients.get({ clientId: body.client_id ?? "" }))?.record;
/** The answer's code, and 201 for none. */
const codeOf = ({ status, body }: Registration) => (status === 201 ? "registered" : `${status} ${body.error}`);
const METADATA = "400 invalid_client_metadata";
const REDIRECT = "400 invalid_redirect_uri";

describe("tokens", () => {
  test("DR-01 no token, an unknown one, other credentials → 401 with a challenge; the right one → 201", async () => {
    const { registration_access_token: rat } = (
      await register(closed, aRegistration, { token: await anInitialToken(closed) })
    ).body;
    const missing = await register(closed);
    expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="assent registration"',
    ]);
    for (const token of [`iat_${"a".repeat(43)}`, rat, "x", `iat_${"a".repeat(5000)}`]) {
      const answer = await register(closed, aRegistration, { token: token ?? "" });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="assent registration", error="invalid_token"',
      ]);
    }
    expect(
      (await send("POST", `${closed.issuer}/register?access_token=${await anInitialToken(closed)}`, aRegistration))
        .status,
    ).toBe(401);
  });

  test("DR-02 expired, used up, revoked, for another policy → 401 or the policy's refusal; a refused request uses nothing up", async () => {
    const token = await anInitialToken(closed, { lifetime: 60, policy: { grantTypes: ["authorization_code"] } });
    expect(codeOf(await register(closed, aRegistration, { token }))).toBe(METADATA);
    const mine = { ...aRegistration, grant_types: ["authorization_code"] };
    const late = await anInitialToken(closed, { lifetime: 60 });
    expect(codeOf(await register(closed, mine, { token }))).toBe("registered");
    expect(codeOf(await register(closed, mine, { token }))).toBe("401 invalid_token");
    const revoked = await anInitialToken(closed);
    const tokens = await closed.assent.storage.registrations.listTokens();
    for (const { tokenId } of tokens.slice(0, 1)) await closed.assent.storage.registrations.revokeToken({ tokenId });
    closed.tick(61_000);
    expect(codeOf(await register(closed, aRegistration, { token: late }))).toBe("401 invalid_token");
    expect(codeOf(await register(closed, aRegistration, { token: revoked }))).toBe("401 invalid_token");
  });

  test("no token is stored or logged in clear; a wrong and a foreign registration token get the same answer as an unknown client", async () => {
    const token = await anInitialToken(closed, { uses: 2 });
    const [one, other] = [
      await register(closed, aRegistration, { token }),
      await register(closed, aRegistration, { token }),
    ];
    const own = one.body.registration_access_token ?? "";
    expect(JSON.stringify(await stored(closed, one))).not.toContain(own);
    expectUnlogged(closed, token, own);
    const foreign = await manage("GET", one, undefined, other.body.registration_access_token);
    const wrong = await manage(
      "PUT",
      one,
      { ...aRegistration, client_id: one.body.client_id },
      `rat_${"a".repeat(43)}`,
    );
    const unknown = await send("GET", `${closed.issuer}/register/nobody`, undefined, { token: own });
    const operators = await closed.addClient();
    const operatorsOwn = await send("DELETE", `${closed.issuer}/register/${operators.clientId}`, undefined, {
      token: own,
    });
    const texts = [foreign, wrong, unknown, operatorsOwn].map(({ status, text }) => `${status} ${unnumbered(text)}`);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/^401 .*invalid_token/);
    expect((await send("GET", one.body.registration_client_uri ?? "", undefined)).status).toBe(401);
  });
});

describe("metadata", () => {
  test.each<readonly [string, unknown]>([
    ...["javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "http://app.test/cb"].map(
      (uri) => [uri, [uri]] as const,
    ),
    ...["https://app.test/cb#f", "https://*.app.test/cb", "https://u:p@app.test/cb"].map(
      (uri) => [uri, [uri]] as const,
    ),
    ["an empty list", []],
    ["nothing", undefined],
    ["21 URIs", Array.from({ length: 21 }, (_, at) => `https://app.test/${at}`)],
    ["a number", [1]],
    ["null in the list", [null]],
  ])("DR-03 redirect_uris %s → 400 invalid_redirect_uri", async (_, uris) => {
    expect(codeOf(await ask({ redirect_uris: uris }))).toBe(REDIRECT);
  });

  test.each(["client_uri", "policy_uri", "tos_uri", "logo_uri", "initiate_login_uri", "sector_identifier_uri"])(
    "DR-06 DR-24 %s = javascript:, data:, http → 400; https → 201",
    async (field) => {
      for (const uri of ["javascript:alert(1)", "data:text/html,x", "http://app.test/"])
        expect(codeOf(await ask({ [field]: uri }))).toBe(METADATA);
      expect(codeOf(await ask({ [field]: "https://app.test/x" }))).toBe("registered");
    },
  );

  test.each(["post_logout_redirect_uris", "request_uris"])(
    "DR-24 %s = javascript:, data: → 400; https → 201",
    async (field) => {
      for (const uri of ["javascript:alert(1)", "data:text/html,x"])
        expect(codeOf(await ask({ [field]: [uri] }))).toBe(METADATA);
      expect(codeOf(await ask({ [field]: ["https://app.test/x"] }))).toBe("registered");
    },
  );

  test("DR-08 scopes of operators → left out, or 400 if nothing is left; they are never stored", async () => {
    const answer = await ask({ scope: "read admin admin:clients:write nothing" });
    expect([answer.status, answer.body["scope"]]).toEqual([201, "read"]);
    expect((await stored(open, answer))?.scopes).toEqual(["read"]);
    expect(codeOf(await ask({ scope: "admin" }))).toBe(METADATA);
    expect(codeOf(await ask({ scope: 'a"b' }))).toBe(METADATA);
    const all = await stored(open, await ask({ scope: undefined }));
    expect(all?.scopes.filter((name) => name.startsWith("admin"))).toEqual([]);
  });

  test.each([
    "password",
    "implicit",
    "client_credentials",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ])("DR-09 grant type %s → 400", async (grantType) => {
    const method = { token_endpoint_auth_method: "client_secret_basic" };
    expect(codeOf(await ask({ ...method, grant_types: ["authorization_code", grantType] }))).toBe(METADATA);
  });

  test("the method of a platform's token → 400: only an operator knows the platform", async () => {
    expect(codeOf(await ask({ token_endpoint_auth_method: "workload_jwt" }))).toBe(METADATA);
  });

  test("DR-11 a client_id, secret and dates of its choice → ignored", async () => {
    const chosen = { client_id: "mine", client_secret: "cs_mine", client_id_issued_at: 1, created_at: 1 };
    const answer = await ask({ ...chosen, token_endpoint_auth_method: "client_secret_basic" });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toMatchObject({ client_id: "mine" });
    expect(answer.body.client_secret).not.toBe("cs_mine");
    expect(answer.body["client_id_issued_at"]).toBeGreaterThan(1_000_000);
  });

  const INTERNAL = {
    ...{ skip_consent: true, trusted: true, owner: "x", roles: ["admin"], service_account: true, first_party: true },
    ...{ firstParty: true, verified: true, reviewed: true, publisher: "Us", own_scope: "read", ownScopes: ["read"] },
    ...{ status: "disabled", require_pkce: false, requirePkce: false, consent_ceiling: "none", optional_scope: "read" },
    ...{ registered: { policy: null }, accent: "#000000" },
  };

  test("DR-12 members that only an operator sets, by POST and PUT → ignored, not stored, not in the answer", async () => {
    const answer = await ask(INTERNAL);
    const { client_id } = answer.body;
    const put = await manage("PUT", answer, { ...aRegistration, ...INTERNAL, client_id });
    for (const [sent, { body }] of [answer, put].map((one) => [INTERNAL, one] as const))
      expect(Object.keys(sent).filter((name) => name in body)).toEqual([]);
    expect(await stored(open, answer)).toMatchObject({
      ...{ firstParty: false, verified: false, reviewed: false, publisher: null, ownScopes: [], status: "active" },
      ...{ requirePkce: true, optionalScopes: [], accent: null },
    });
    expect(Object.keys((await stored(open, answer)) ?? {})).not.toContain("trusted");
  });

  test.each<readonly [string, string]>([
    ["twice the same name", '{"client_name":"a","client_name":"b","redirect_uris":["https://a.test/"]}'],
    ["__proto__", '{"__proto__":{"firstParty":true},"redirect_uris":["https://a.test/"]}'],
    ["1,000 levels", `{"x":${"[".repeat(1000)}${"]".repeat(1000)}}`],
    ["65 kB", JSON.stringify({ ...aRegistration, x: "a".repeat(66_000) })],
    ["an array", "[]"],
    ["null", "null"],
    ["no JSON", "{"],
    ["nothing", ""],
    ["U+0000", '{"client_name":"a\\u0000","redirect_uris":["https://a.test/"]}'],
  ])("DR-18 %s, by POST and PUT → 400 invalid_client_metadata", async (_, raw) => {
    expect(codeOf(await register(open, undefined, { raw }))).toBe(METADATA);
    const made = await ask({});
    const { registration_client_uri: url = "", registration_access_token: token = "" } = made.body;
    expect(codeOf(await send("PUT", url, undefined, { raw, token }))).toBe(METADATA);
  });

  test("DR-18 text/plain, compressed → 400", async () => {
    for (const headers of [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }])
      expect(codeOf(await register(open, aRegistration, { headers: { ...aNetwork(), ...headers } }))).toBe(METADATA);
  });

  test("DR-19 markup in the name of a member → JSON that doesn't repeat it", async () => {
    const markup = "<img src=x onerror=alert(1)>";
    for (const body of [
      { [markup]: 1, redirect_uris: [] },
      { ...aRegistration, [`client_name#${markup}`]: "x" },
    ]) {
      const answer = await register(open, body);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.text).not.toContain("img");
    }
  });

  test("DR-20 a private key, a symmetric one, 101 keys, one kid twice, RSA-1024, jwks with jwks_uri → 400; a good one → 201", async () => {
    const { jwk } = await aKeyPair();
    const weak = { kty: "RSA", e: "AQAB", n: Buffer.alloc(128, 255).toString("base64url"), kid: "w" };
    const bad = [
      { keys: [{ ...jwk, d: jwk.x }] },
      { keys: [{ kty: "oct", k: "AAAA" }] },
      { keys: Array.from({ length: 101 }, (_, at) => ({ ...jwk, kid: String(at) })) },
      { keys: [jwk, jwk] },
      { keys: [weak] },
    ];
    const method = { token_endpoint_auth_method: "private_key_jwt" };
    for (const jwks of bad) expect(codeOf(await ask({ ...method, jwks }))).toBe(METADATA);
    const both = { jwks: { keys: [jwk] }, jwks_uri: "https://app.test/jwks" };
    expect(codeOf(await ask({ ...method, ...both }))).toBe(METADATA);
    expect(codeOf(await ask({ ...method, jwks: { keys: [jwk] } }))).toBe("registered");
  });

  test.each<readonly [string, object, string]>([
    ["web, http redirect", { application_type: "web", redirect_uris: ["http://app.test/cb"] }, REDIRECT],
    ["web, localhost", { application_type: "web", redirect_uris: ["https://localhost/cb"] }, REDIRECT],
    ["web, loopback", { application_type: "web", redirect_uris: ["http://127.0.0.1/cb"] }, REDIRECT],
    ["web, custom scheme", { application_type: "web", redirect_uris: ["com.example.app:/cb"] }, REDIRECT],
    ["native, claimed https", { application_type: "native", redirect_uris: ["https://app.test/cb"] }, "registered"],
    ["native, scheme with a dot", { application_type: "native", redirect_uris: ["com.example.app:/cb"] }, "registered"],
    ["native, scheme without one", { application_type: "native", redirect_uris: ["myapp:/cb"] }, REDIRECT],
    [
      "native, a secret",
      { application_type: "native", token_endpoint_auth_method: "client_secret_basic" },
      "registered",
    ],
    ["unknown", { application_type: "x" }, METADATA],
    ["none, loopback", { redirect_uris: ["http://127.0.0.1:51004/cb"] }, "registered"],
    ["web, https", { application_type: "web" }, "registered"],
  ])("DR-26 application_type %s → by the rules of its type", async (_, changes, outcome) => {
    expect(codeOf(await ask(changes))).toBe(outcome);
  });

  test.each<readonly [string, object]>([
    ["id_token without implicit", { response_types: ["id_token"] }],
    ["code without authorization_code", { grant_types: ["refresh_token"], response_types: ["code"] }],
    ["refresh_token with nothing that gives one", { grant_types: ["refresh_token"], response_types: [] }],
    ["empty lists", { grant_types: [], response_types: [] }],
    ["no response type for a code", { response_types: [] }],
  ])("DR-28 %s, by POST and PUT → 400; matching → 201", async (_, changes) => {
    expect(codeOf(await ask(changes))).toBe(METADATA);
    const made = await ask({ response_types: ["code"] });
    expect(codeOf(made)).toBe("registered");
    const put = await manage("PUT", made, { ...aRegistration, ...changes, client_id: made.body.client_id });
    expect(codeOf(put)).toBe(METADATA);
  });

  test("subject_type pairwise, contacts, ages and versions of a wrong form → 400", async () => {
    const wrong: readonly object[] = [
      ...[{ subject_type: "pairwise" }, { contacts: "a@b.test" }, { contacts: Array(11).fill("a@b.test") }],
      ...[{ default_max_age: -1 }, { default_max_age: "60" }, { require_auth_time: "true" }, { software_id: 5 }],
      ...[{ software_version: "ä" }, { scope: ["read"] }, { grant_types: "authorization_code" }],
    ];
    for (const changes of wrong) expect([changes, codeOf(await ask(changes))]).toEqual([changes, METADATA]);
  });
});

describe("software statements", () => {
  const PUBLISHER = "https://publisher.test";
  let server: TestServer;
  let key: KeyPair;
  beforeAll(async () => {
    const config = { registration: "open", registrationStatementIssuers: [PUBLISHER] } as const;
    [server, key] = await Promise.all([
      startServer({ config: { ...config, trustProxy: ["127.0.0.0/8"] } }),
      aKeyPair(),
    ]);
    for (const issuer of [PUBLISHER, "https://people.test"])
      await createIssuer({ type: "jwt", issuer, keys: { jwks: { keys: [key.jwk] } } }, admin(server));
  });
  afterAll(() => server.stop());
  const signed = (claims: object = {}, by = key, header = {}) =>
    sign(
      by,
      { iss: PUBLISHER, software_id: "s", client_name: "Signed", redirect_uris: ["https://signed.test/cb"], ...claims },
      header,
    );
  const send = async (statement: unknown, more: object = {}) =>
    register(server, { ...aRegistration, ...more, software_statement: statement });
  const INVALID = "400 invalid_software_statement";

  test("DR-14 alg none, HMAC, a wrong key, expired, not yet valid, another type, no JWT → invalid; an issuer that is unknown, or speaks for people alone → unapproved", async () => {
    const seconds = Math.floor(server.now() / 1000);
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await signed()).split(".")[1]}.`;
    const hostile = [
      ...[none, none.replace(/\.$/, ""), "x", 5, ["a"], "a".repeat(9000)],
      await signed({}, await aKeyPair()),
      ...[await signed({ exp: seconds - 1 }), await signed({ exp: "soon" }), await signed({ nbf: seconds + 3600 })],
      ...[await signed({ software_id: undefined }), await signed({ aud: "https://other.test" })],
      await signed({}, key, { typ: "at+jwt" }),
    ];
    for (const one of hostile) expect([one, codeOf(await send(one))]).toEqual([one, INVALID]);
    for (const iss of ["https://unknown.test", "https://people.test", undefined])
      expect(codeOf(await send(await signed({ iss })))).toBe("400 unapproved_software_statement");
  });

  test("DR-27 its values win and pass the policy; another software_id → refused; it counts for the limits; it is returned", async () => {
    const statement = await signed({ aud: [server.issuer], exp: Math.floor(server.now() / 1000) + 3600, sub: "x" });
    const made = await send(statement, { software_id: "s" });
    expect(made.body).toMatchObject({
      ...{ client_name: "Signed", redirect_uris: ["https://signed.test/cb"], software_id: "s" },
      software_statement: statement,
    });
    expect((await stored(server, made))?.registered).toMatchObject({ statementIssuer: PUBLISHER });
    expect((await stored(server, made))?.reviewed).toBe(false);
    expect(codeOf(await send(statement, { software_id: "other" }))).toBe(INVALID);
    expect(codeOf(await send(await signed({ redirect_uris: ["javascript:alert(1)"] })))).toBe(REDIRECT);
    expect(codeOf(await send(await signed({ grant_types: ["password"] })))).toBe(METADATA);
    const headers = { "x-forwarded-for": "198.51.100.9", "x-forwarded-proto": "https" };
    const again = { ...aRegistration, software_statement: statement };
    const answers = await Promise.all(Array.from({ length: 15 }, () => register(server, again, { headers })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const put = await manage("PUT", made, { ...aRegistration, client_id: made.body.client_id });
    expect([put.status, put.body["software_statement"], put.body["client_name"]]).toEqual([200, undefined, "Stranger"]);
  });
});

describe("DR-04 addresses of documents", () => {
  test.each(["gopher://a.test/", "file:///etc/passwd", "http://169.254.169.254/", "//a.test/"])(
    "jwks_uri %s → 400",
    async (uri) => {
      expect(codeOf(await ask({ token_endpoint_auth_method: "private_key_jwt", jwks_uri: uri }))).toBe(METADATA);
    },
  );

  test.each([
    ...["https://127.0.0.1", "https://169.254.169.254/latest", "https://10.0.0.1/", "https://0.0.0.0/"],
    ...["https://2130706433/", "https://localhost/", "https://127.0.0.1:22/"],
  ])("jwks_uri %s → registered, but nothing is fetched: its assertion is refused", async (uri) => {
    const key = await aKeyPair();
    const made = await ask({ token_endpoint_auth_method: "private_key_jwt", jwks_uri: uri });
    expect(codeOf(made)).toBe("registered");
    const assertion = await sign(key, claimsOf(open, clientOf(made)));
    const form = { grant_type: "authorization_code", code: "x", redirect_uri: "x" };
    expect((await withAssertion(open, assertion, form)).status).toBe(401);
  });
});

describe("management", () => {
  test("DR-13 harmless at first, then PUT with other grants, scopes, types, addresses → the whole policy again", async () => {
    const made = await ask({ token_endpoint_auth_method: "client_secret_basic" });
    const before = await stored(open, made);
    const base = {
      ...aRegistration,
      token_endpoint_auth_method: "client_secret_basic",
      client_id: made.body.client_id,
    };
    for (const [changes, code] of [
      [{ grant_types: ["authorization_code", "client_credentials"] }, METADATA],
      [{ token_endpoint_auth_method: "none" }, METADATA],
      [{ scope: "admin" }, METADATA],
      [{ redirect_uris: ["javascript:alert(1)"] }, REDIRECT],
      [{ application_type: "web", redirect_uris: ["http://127.0.0.1/"] }, REDIRECT],
      [{ client_id: "another" }, METADATA],
      [{ client_id: undefined }, METADATA],
      [{ client_secret: "cs_another" }, METADATA],
    ] as const)
      expect([changes, codeOf(await manage("PUT", made, { ...base, ...changes }))]).toEqual([changes, code]);
    expect(await stored(open, made)).toEqual(before);
    expect((await manage("PUT", made, base)).status).toBe(200);
  });

  test("DR-13 an operator takes a scope and a grant type away → PUT doesn't bring them back", async () => {
    const made = await ask({});
    const clientId = made.body.client_id ?? "";
    await updateClient(clientId, { metadata: { scope: "read", grant_types: ["authorization_code"] } }, admin(open));
    const put = { ...aRegistration, client_id: clientId };
    expect(codeOf(await manage("PUT", made, put))).toBe(METADATA);
    const { scope: _, ...rest } = { scope: "", ...put };
    const all = await manage("PUT", made, { ...rest, grant_types: ["authorization_code"] });
    expect([all.status, all.body["scope"]]).toEqual([200, "read"]);
    const more = await manage("PUT", made, { ...put, grant_types: ["authorization_code"], scope: "read write" });
    expect(more.body["scope"]).toBe("read");
  });

  test("DR-23 an operator disabled the client → PUT, GET, DELETE 401, also with disabled=false; it stays; an active client's PUT works", async () => {
    const made = await ask({});
    const clientId = made.body.client_id ?? "";
    const put = { ...aRegistration, client_id: clientId, disabled: false, status: "active" };
    expect((await manage("PUT", made, put)).status).toBe(200);
    await updateClient(clientId, { status: "disabled" }, admin(open));
    for (const [method, body] of [["PUT", put], ["GET"], ["DELETE"]] as const) {
      const answer = await manage(method, made, body);
      expect([method, answer.status, answer.body.client_secret]).toEqual([method, 401, undefined]);
    }
    expect((await stored(open, made))?.status).toBe("disabled");
    const again = await ask({});
    expect([again.status, again.body.client_id === clientId]).toEqual([201, false]);
    expect((await stored(open, again))?.reviewed).toBe(false);
  });

  test("a client deletes itself while it changes itself: it is gone, and no PUT brings it back", async () => {
    const made = await ask({});
    const put = { ...aRegistration, client_id: made.body.client_id };
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => manage("PUT", made, put)),
      manage("DELETE", made),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 401].includes(status))).toEqual([]);
    expect(await stored(open, made)).toBeUndefined();
  });
});

describe("limits", () => {
  test("DR-21 the 11th registration of an hour from one network → 429 with Retry-After; others register; after an hour again; 500 more cost no row", async () => {
    const headers = { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https" };
    const from = () => register(open, aRegistration, { headers });
    const answers = await Promise.all(Array.from({ length: 20 }, from));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toBe("temporarily_unavailable");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(3000);
    const wrong = await register(open, { ...aRegistration, redirect_uris: [] }, { headers });
    expect(wrong.status).toBe(429);
    expect(codeOf(await ask({}))).toBe("registered");
    const { storage } = open.assent;
    const before = (await storage.clients.list({ limit: 10_000, after: null })).length;
    const flood = await Promise.all(Array.from({ length: 500 }, from));
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([429]));
    expect((await storage.clients.list({ limit: 10_000, after: null })).length).toBe(before);
    open.tick(3_600_001);
    expect(codeOf(await from())).toBe("registered");
  });

  test("DR-21 the 61st change of an hour by one client → 429; it can still read itself, and others change", async () => {
    const [made, other] = [await ask({}), await ask({})];
    const put = (of: Registration) => manage("PUT", of, { ...aRegistration, client_id: of.body.client_id });
    const answers = await Promise.all(Array.from({ length: 70 }, () => put(made)));
    const good = answers.filter(({ status }) => status === 200).length;
    expect(good).toBe(60);
    const refused = await put(made);
    expect([refused.status, refused.body.error]).toEqual([429, "temporarily_unavailable"]);
    expect((await manage("GET", made)).status).toBe(200);
    expect((await put(other)).status).toBe(200);
  });

  test("DR-21 a token registers at most 1,000 clients", async () => {
    await expect(anInitialToken(closed, { uses: 1001 })).rejects.toThrow(/1 to 1000/);
    await expect(anInitialToken(closed, { uses: 0 })).rejects.toThrow(/1 to 1000/);
  });
});

test("DR-22 an unreviewed client → the page each time, which says so, with the redirect's host; reviewed → remembered", async () => {
  const made = await ask({ scope: "read" });
  const client = clientOf(made);
  const owner = await signedInPerson(open);
  const first = await tokensOf(open, client, owner);
  const challenge = { code_challenge: pkce().challenge, code_challenge_method: "S256" };
  const page = await owner.agent.get(authorizeUrl(open, client, challenge));
  expect(page.status).toBe(200);
  expect(page.text).toContain("registered itself");
  expect(page.text).toContain("stranger.test");
  await updateClient(client.clientId, { reviewed: true }, admin(open));
  await settle();
  expect((await owner.agent.get(authorizeUrl(open, client, challenge))).location?.searchParams.has("code")).toBe(true);
  expect((await refresh(open, client, first.refresh)).status).toBe(200);
});
