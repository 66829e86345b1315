/** Custom grant types of an embedder (RFC 6749 §4.5): what they can do, and what they can't. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { beginEpoch } from "../../packages/server/src/admin/index.ts";
import { type Config, ConfigError, type CustomGrant, configOf, createAssent } from "../../packages/server/src/index.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { claimsOf } from "../support/assertion-requests.ts";
import { copyOf, expectRefusal, expectUnlogged, tokensOf } from "../support/back-channel.ts";
import { Agent, postForm, signIn, type TokenAnswer } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const GRANT = "https://desk.test/grants/decided";
const OPEN = "urn:example:open";

/** The test's decision function. `shown` has its arguments. */
let decide: CustomGrant["redeem"];
const shown: Parameters<CustomGrant["redeem"]>[0][] = [];
const decided: CustomGrant = {
  grantType: GRANT,
  parameters: { voucher: "required", note: "optional" },
  redeem(request) {
    shown.push(request);
    return decide(request);
  },
};
const open: CustomGrant = { grantType: OPEN, parameters: {}, redeem: () => ({ for: "client" }) };

let server: TestServer;
let client: TestClient;
let alice: Person;

beforeAll(async () => {
  server = await startServer({ config: { customGrants: [decided, open] } });
  await server.addScope({
    name: "staff",
    description: "Staff alone",
    resource: "https://api.test",
    ownerRole: "admin",
  });
  client = await server.addClient({
    grantTypes: [GRANT, OPEN, "authorization_code", "refresh_token"],
    scopes: ["read", "write", "profile", "staff"],
    ownScopes: ["read", "write"],
  });
  alice = await server.addPerson();
});
afterAll(() => server.stop());

const forAlice = (changes: object = {}) => ({
  ...{ for: "owner", owner: { by: "id", value: alice.personId }, under: "operator policy", scopes: ["read", "write"] },
  ...changes,
});
/**
 * Sets the decision, and sends a request. The decision may break its types, because embedders also write JavaScript.
 */
function ask(decision: unknown, fields: Record<string, string | undefined> = {}, by = client): Promise<TokenAnswer> {
  decide = () => decision as ReturnType<CustomGrant["redeem"]>;
  return postForm(server, "/token", by, { grant_type: GRANT, voucher: "v1", ...fields });
}
async function refusedAs(answer: Promise<TokenAnswer>, condition: string, detail: RegExp): Promise<void> {
  const before = server.log.length;
  expectRefusal(await answer, "invalid_grant");
  expect(server.log.slice(before).join("\n")).toMatch(new RegExp(`"condition":"${condition}"`));
  expect(server.log.slice(before).join("\n")).toMatch(detail);
}

describe("what the endpoint does for it", () => {
  test("a client that isn't registered → unauthorized_client; an unknown one → invalid_client; its code isn't asked", async () => {
    const before = shown.length;
    expectRefusal(await ask(forAlice(), {}, await server.addClient()), "unauthorized_client");
    expectRefusal(await ask(forAlice(), {}, { ...client, secret: "cs_wrong" }), "invalid_client");
    expectRefusal(await ask(forAlice(), { voucher: undefined }), "invalid_request");
    expectRefusal(await ask(forAlice(), { voucher: "" }), "invalid_request");
    const twice = `${server.issuer}/token`;
    const body = `grant_type=${encodeURIComponent(GRANT)}&voucher=1&voucher=2&client_id=${client.clientId}&client_secret=${client.secret}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await fetch(twice, { method: "POST", body, headers })).status).toBe(400);
    expectRefusal(await ask(forAlice(), { voucher: "x".repeat(2049) }), "invalid_request");
    expectRefusal(await ask(forAlice(), { voucher: "a\nb" }), "invalid_request");
    expect(shown.length).toBe(before);
  });

  test("what its code is shown → declared parameters, no secret, nothing to change", async () => {
    await ask(forAlice(), { undeclared: "x" });
    const request = shown.at(-1);
    expect(request?.client).toEqual({ clientId: client.clientId, name: client.name, type: "confidential" });
    expect([request?.parameter("voucher"), request?.parameter("note")]).toEqual(["v1", ""]);
    expect([request?.address, Math.abs((request?.now ?? 0) - server.now()) < 5000]).toEqual(["127.0.0.1", true]);
    for (const name of ["undeclared", "client_secret", "grant_type", "toString", "__proto__"]) {
      expect(() => request?.parameter(name)).toThrow("isn't declared");
    }
    expect(Object.isFrozen(request)).toBe(true);
    expect(JSON.stringify(request)).not.toContain(client.secret);
  });

  test("metadata → it is listed like ours", async () => {
    const response = await fetch(`${server.issuer}/.well-known/oauth-authorization-server`);
    const { grant_types_supported } = (await response.json()) as { grant_types_supported: string[] };
    expect(grant_types_supported).toEqual(expect.arrayContaining([GRANT, OPEN, "implicit"]));
  });
});

describe("a token for an owner, under the operator's policy", () => {
  test("→ their token, no refresh token, on record for them to see", async () => {
    const person = await server.addPerson();
    const answer = await ask(forAlice({ owner: { by: "username", value: person.username } }), { scope: "read" });
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      scope: "read",
    });
    const claims = { sub: person.personId, client_id: client.clientId, aud: "https://api.test", scope: "read" };
    expect(claimsOf(answer.body.access_token)).toMatchObject(claims);
    const key = { partition: person.partition, ownerId: person.personId, clientId: client.clientId };
    const consent = await server.assent.storage.consents.find(key);
    expect([consent?.status, consent?.via]).toEqual(["active", "operator policy"]);
  });

  test("its token is over → the owner still sees what the app may get again, and that nobody asked them; takes part of it back", async () => {
    const person = await server.addPerson();
    const decision = forAlice({ owner: { by: "id", value: person.personId } });
    expect((await ask(decision, { scope: "read write" })).body.scope).toBe("read write");
    server.tick(3_600_000);
    onTestFinished(() => server.tick(-3_600_000));
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const page = await agent.get("/account/apps");
    expect(page.text).toMatch(/Since<\/dt>\s*<dd>[\s\S]*?, by the policy of this service/);
    for (const can of ["See your photos", "Change your photos"]) expect(page.text).toContain(can);
    expect(page.text).not.toContain(">Allowed<");
    const narrow = page.forms.find(({ action }) => action.endsWith("/narrow"));
    if (narrow === undefined) throw new Error("nothing to untick");
    await agent.submit(narrow, { keep: ["read"] });
    expect((await agent.get("/account/apps")).text).not.toContain("Change your photos");
    expect((await ask(decision)).body.scope).toBe("read");
    const { partition, personId: ownerId } = person;
    await server.assent.storage.consents.revoke({
      ...{ partition, ownerId, clientId: client.clientId, revokedBy: ownerId, now: server.now() },
    });
    const [revoked] = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 1 });
    expect(revoked).toMatchObject({ kind: "revoked", record: { removed: ["read"] } });
  });

  test("without scope → all that it stands for and the client may ask for; an end of its own → no longer", async () => {
    const expiresAt = server.now() + 60_000;
    const { body } = await ask(forAlice({ scopes: ["read", "write", "gone"], expiresAt }));
    expect(body.scope).toBe("read write");
    expect(body.expires_in).toBeGreaterThan(55);
    expect(Number(claimsOf(body.access_token)["exp"]) * 1000).toBeLessThanOrEqual(expiresAt);
    expect((await ask(forAlice({ expiresAt: server.now() + 86_400_000 }))).body.expires_in).toBe(600);
  });

  test("a scope beyond it, beyond the client, or that needs a role → invalid_scope; a wrong API → invalid_target", async () => {
    for (const scope of ["profile", "read nothing", "staff"]) {
      expectRefusal(await ask(forAlice({ scopes: ["read", "staff", "nothing"] }), { scope }), "invalid_scope");
    }
    expectRefusal(await ask(forAlice({ scopes: [] })), "invalid_scope");
    expectRefusal(await ask(forAlice(), { resource: "https://other.test" }), "invalid_target");
    expectRefusal(await ask(forAlice({ scopes: ["read", "profile"] })), "invalid_target");
    const own = await ask(forAlice({ scopes: ["read", "profile"] }), { resource: server.issuer });
    expect(own.body.scope).toBe("profile");
  });

  test("nobody, an operator, somebody disabled, an end that has passed → invalid_grant, the reason in the log alone", async () => {
    const operator = await server.addPerson({ operator: ["admin"] });
    const off = await server.addPerson({ status: "disabled" });
    const about = (value: string) => ask(forAlice({ owner: { by: "id", value } }));
    await refusedAs(about("nobody"), "custom_grant_refused", /no such owner/);
    await refusedAs(about(operator.personId), "custom_grant_refused", /operator/);
    await refusedAs(about(off.personId), "custom_grant_refused", /disabled/);
    await refusedAs(ask(forAlice({ expiresAt: server.now() + 500 })), "custom_grant_refused", /is over/);
    // Seconds instead of milliseconds are a time long ago, so this mistake issues no token.
    await refusedAs(
      ask(forAlice({ expiresAt: Math.floor(server.now() / 1000) + 60 })),
      "custom_grant_refused",
      /is over/,
    );
  });

  test("an owner who took their consent back → refused from then on", async () => {
    const person = await server.addPerson();
    const decision = forAlice({ owner: { by: "id", value: person.personId } });
    expect((await ask(decision)).status).toBe(200);
    const key = { partition: person.partition, ownerId: person.personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: person.personId, now: server.now() });
    await refusedAs(ask(decision), "custom_grant_refused", /operator policy/);
  });

  test("a client bound to its certificate, over a connection without one → refused before its code is asked", async () => {
    const bound = await server.addClient({ grantTypes: [GRANT], certificateBound: true });
    expectRefusal(await ask(forAlice(), {}, bound), "invalid_request");
  });
});

describe("a token for an owner, under their consent", () => {
  const under = (person: Person, changes: object = {}) =>
    forAlice({ owner: { by: "id", value: person.personId }, under: "consent", ...changes });

  test("no consent, or none that covers the request → invalid_grant; what was allowed on a page → granted, its end kept", async () => {
    const person = await server.addPerson();
    await refusedAs(ask(under(person), { scope: "read" }), "custom_grant_refused", /under consent/);
    const owner = { person, agent: new Agent(server.issuer) };
    await tokensOf(server, client, owner, { ask: { scope: "read" }, answer: { duration: "3600" } });
    const { body } = await ask(under(person, { authTime: server.now() - 60_000 }), { scope: "read" });
    expect([body.scope, body.expires_in, body.refresh_token]).toEqual(["read", 600, undefined]);
    expect(Number(claimsOf(body.access_token)["auth_time"])).toBeLessThan(server.now() / 1000 - 50);
    const unsaid = await ask(under(person), { scope: "read" });
    expect(claimsOf(unsaid.body.access_token)).not.toHaveProperty("auth_time");
    await refusedAs(ask(under(person), { scope: "read write" }), "custom_grant_refused", /under consent/);
    // The consent is unchanged.
    const key = { partition: person.partition, ownerId: person.personId, clientId: client.clientId };
    const consent = await server.assent.storage.consents.find(key);
    expect(consent?.scopes.map(({ name }) => name)).toEqual(["read"]);
    await server.assent.storage.consents.revoke({ ...key, revokedBy: person.personId, now: server.now() });
    await refusedAs(ask(under(person), { scope: "read" }), "custom_grant_refused", /under consent/);
  });
});

describe("a token for the client itself", () => {
  test("→ within its own scopes and what the code allows; its subject is the client", async () => {
    const { body } = await postForm(server, "/token", client, { grant_type: OPEN });
    expect(body.scope).toBe("read write");
    expect(claimsOf(body.access_token)).toMatchObject({ sub: client.clientId, aud: "https://api.test" });
    const expiresAt = server.now() + 30_000;
    const less = await ask({ for: "client", scopes: ["write", "profile"], expiresAt });
    expect(less.body.scope).toBe("write");
    expect(less.body.expires_in).toBeLessThanOrEqual(30);
    expectRefusal(await ask({ for: "client", scopes: ["write"] }, { scope: "read" }), "invalid_scope");
    expectRefusal(await ask({ for: "client", scopes: [] }), "invalid_scope");
  });

  test("a public client, whatever the code says → unauthorized_client", async () => {
    const app = await server.addClient({ type: "public", grantTypes: [GRANT], ownScopes: ["read"] });
    expectRefusal(await ask({ for: "client" }, {}, app), "unauthorized_client");
    expect((await ask(forAlice(), {}, app)).status).toBe(200);
  });
});

describe("what may be accepted once", () => {
  const memory = (id: string) => ({ id, madeAt: server.now(), until: server.now() + 300_000 });
  const once = (id: string, changes: object = {}) => forAlice({ once: memory(id), ...changes });

  test("fifty at once → one token; later, and for anybody else → refused", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(once("one"))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === "invalid_grant")).toHaveLength(49);
    const other = await server.addClient({ grantTypes: [GRANT], ownScopes: ["read"] });
    await refusedAs(ask(once("one"), {}, other), "custom_grant_refused", /used before/);
    await refusedAs(ask({ for: "client", once: memory("one") }, {}, other), "custom_grant_refused", /used before/);
  });

  test("refused for its scope, its owner or its API → not used up", async () => {
    expectRefusal(await ask(once("two"), { scope: "profile" }), "invalid_scope");
    expectRefusal(await ask(once("two"), { resource: "https://other.test" }), "invalid_target");
    expectRefusal(await ask(once("two", { owner: { by: "id", value: "nobody" } })), "invalid_grant");
    expect((await ask(once("two"))).status).toBe(200);
  });

  test("refused for want of a consent → used up, because that is found where the token would be made", async () => {
    await refusedAs(ask(once("four", { under: "consent" })), "custom_grant_refused", /under consent/);
    await refusedAs(ask(once("four")), "custom_grant_refused", /used before/);
  });

  test("made before the database was restored → refused, because whether it was used is forgotten", async () => {
    const dataDir = copyOf(server);
    const restoredAt = server.now();
    // The database says that the copied server is running, so `force` is necessary.
    await beginEpoch(configOf({ dataDir }), { keepConsents: true, force: true }, restoredAt);
    const later = await startServer({ dataDir, config: { customGrants: [decided, open] } });
    try {
      later.tick(120_000);
      const made = (madeAt: number) => {
        decide = () => forAlice({ once: { ...memory("restored"), madeAt } }) as ReturnType<CustomGrant["redeem"]>;
        return postForm(later, "/token", client, { grant_type: GRANT, voucher: "v1" });
      };
      expectRefusal(await made(restoredAt), "invalid_grant");
      expect(later.log.join("\n")).toContain("before the database was restored");
      expect((await made(later.now())).status).toBe(200);
    } finally {
      await later.stop();
    }
  });

  test("its time in seconds, or over → refused, so that nothing is forgotten at once", async () => {
    const until = Math.floor(server.now() / 1000) + 300;
    await refusedAs(
      ask(forAlice({ once: { id: "three", madeAt: server.now(), until } })),
      "custom_grant_refused",
      /is over/,
    );
  });
});

describe("what its code says in another way", () => {
  test.each([
    ["invalid_grant", 400, "custom_grant_refused"],
    ["invalid_request", 400, "custom_grant_malformed"],
    ["temporarily_unavailable", 503, "temporarily_unavailable"],
  ] as const)("it refuses as %s → that, the detail in the log alone", async (error, status, name) => {
    decide = (request) => request.refuse(error, "the printer's own reason");
    const before = server.log.length;
    const answer = await postForm(server, "/token", client, { grant_type: GRANT, voucher: "shown-once" });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body["error_uri"]).toMatch(`${server.issuer}/errors/${name}?id=`);
    expect((await fetch(String(answer.body["error_uri"]))).status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain("printer");
    expect(server.log.slice(before).join()).toContain("the printer's own reason");
    expectUnlogged(server, "shown-once");
  });

  test("it throws, or rejects → server_error, the error in the log alone", async () => {
    for (const fails of [
      () => {
        throw new Error("the printer burns");
      },
      () => Promise.reject(new Error("the printer burns")),
      (request: Parameters<CustomGrant["redeem"]>[0]) => request.refuse("access_granted" as "invalid_grant"),
    ]) {
      decide = fails;
      const answer = await postForm(server, "/token", client, { grant_type: GRANT, voucher: "v" });
      expect([answer.status, answer.body.error]).toEqual([500, "server_error"]);
      expect(JSON.stringify(answer.body)).not.toContain("printer");
    }
    expect(server.log.join()).toContain("the printer burns");
  });

  test.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["null", () => null],
    ["yes", () => true],
    ["for whom isn't said", () => ({ scopes: ["read"] })],
    ["for all", () => forAlice({ for: "everybody" })],
    ["an owner by e-mail", () => forAlice({ owner: { by: "email", value: alice.email } })],
    ["no owner", () => forAlice({ owner: undefined })],
    ["an owner that is no text", () => forAlice({ owner: { by: "id", value: 7 } })],
    ["under nothing", () => forAlice({ under: undefined })],
    ["no scopes", () => forAlice({ scopes: undefined })],
    ["scopes in one text", () => forAlice({ scopes: "read write" })],
    ["an end that is no number", () => forAlice({ expiresAt: Number.NaN })],
    ["an end that never comes", () => forAlice({ expiresAt: Number.POSITIVE_INFINITY })],
    ["an end between two milliseconds", () => forAlice({ expiresAt: server.now() + 60_000.5 })],
    ["an end that is null", () => forAlice({ expiresAt: null })],
    ["an end that is a date", () => forAlice({ expiresAt: new Date(server.now() + 60_000) })],
    ["a sign-in that is still to come", () => forAlice({ authTime: server.now() + 60_000 })],
    ["a sign-in before there was time", () => forAlice({ authTime: -1 })],
    ["once without an id", () => forAlice({ once: { id: "", madeAt: 0, until: server.now() + 9000 } })],
    ["once with a long id", () => forAlice({ once: { id: "x".repeat(513), madeAt: 0, until: server.now() + 9000 } })],
    ["once for ever", () => forAlice({ once: { id: "x", madeAt: 0, until: server.now() + 367 * 86_400_000 } })],
    ["once without an end", () => forAlice({ once: { id: "x", madeAt: 0 } })],
    ["once, made nobody knows when", () => forAlice({ once: { id: "x", until: server.now() + 9000 } })],
    ["a client's scopes in one text", () => ({ for: "client", scopes: "read" })],
  ])("it decides %s → server_error, never a token", async (_, decision) => {
    const answer = await ask(decision());
    expect([answer.status, answer.body.error, answer.body.access_token]).toEqual([500, "server_error", undefined]);
  });
});

describe("at the start", () => {
  const good: CustomGrant = { grantType: "urn:example:good", parameters: { key: "required" }, redeem: decided.redeem };
  const manyNames = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${at}`, "optional"]));
  test.each<[string, unknown, string]>([
    ["no list", { good }, "customGrants: found no list"],
    ["too many", Array.from({ length: 51 }, () => good), "customGrants: found 51"],
    ["no object", [null], "customGrants[0].grantType"],
    ["no name", [{ ...good, grantType: undefined }], "customGrants[0].grantType: wanted an absolute URI"],
    ["a plain word", [{ ...good, grantType: "voucher" }], "customGrants[0].grantType: wanted an absolute URI"],
    ["a relative reference", [{ ...good, grantType: "/grants/x" }], "customGrants[0].grantType: wanted"],
    ["a space", [{ ...good, grantType: "urn:a b" }], "customGrants[0].grantType: wanted"],
    ["a comma, which parts lists", [{ ...good, grantType: "urn:a,b" }], "customGrants[0].grantType: wanted"],
    ["too long a name", [{ ...good, grantType: `${"u".repeat(198)}:ab` }], "customGrants[0].grantType: wanted"],
    ["one of ours", [{ ...good, grantType: "urn:ietf:params:oauth:grant-type:device_code" }], "is taken"],
    ["the same twice", [good, good], "customGrants[1].grantType: urn:example:good is taken"],
    ["no code", [{ ...good, redeem: "yes" }], "customGrants[0].redeem: wanted a function"],
    ["no parameters", [{ ...good, parameters: undefined }], "customGrants[0].parameters: wanted an object"],
    ["parameters in a list", [{ ...good, parameters: ["key"] }], "customGrants[0].parameters: wanted an object"],
    ["too many parameters", [{ ...good, parameters: manyNames }], "customGrants[0].parameters: found 21"],
    ["a parameter's odd name", [{ ...good, parameters: { Key: "required" } }], "is not a name like"],
    [
      "a parameter of the endpoint",
      [{ ...good, parameters: { client_secret: "required" } }],
      "is the token endpoint's own",
    ],
    ["neither required nor optional", [{ ...good, parameters: { key: true } }], "customGrants[0].parameters.key"],
  ])("%s → refused by name", (_, customGrants, line) => {
    const problems = () => configOf({ customGrants: customGrants as CustomGrant[] });
    expect(problems).toThrow(ConfigError);
    expect(problems).toThrow(line);
  });

  test("a configuration that was changed after it was read → refused before anything is opened", async () => {
    const config: Config = { ...server.assent.config, customGrants: [good, good] };
    await expect(createAssent(config)).rejects.toThrow("is taken");
  });

  test("the operator's list names it, or doesn't → on, or off", async () => {
    const off = await startServer({
      dataDir: copyOf(server),
      config: { customGrants: [decided, open], grantTypes: [OPEN, "authorization_code"] },
    });
    try {
      expect((await postForm(off, "/token", client, { grant_type: OPEN })).status).toBe(200);
      expectRefusal(
        await postForm(off, "/token", client, { grant_type: GRANT, voucher: "v1" }),
        "unsupported_grant_type",
      );
    } finally {
      await off.stop();
    }
    expect(() => configOf({ grantTypes: [OPEN] })).toThrow('found "urn:example:open", wanted names of');
  });
});
