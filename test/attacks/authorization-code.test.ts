/** Attacks on the authorization code: injection, replay, binding (RFC 6749 §§4.1, 10.5; RFC 9700 §§2.1, 4.5). */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { randomBytes } from "../../packages/server/src/crypto/random.ts";
import {
  anOwner,
  changeClient,
  codeOf,
  cpuClock,
  expectRefusal,
  expectUnlogged,
  logged,
  type Owner,
  post,
  provenCode,
  tokensOf,
} from "../support/back-channel.ts";
import { Agent, authorizeUrl, consentForm, pkce, postForm, redeem, refresh, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let other: TestClient;
let owner: Owner;
let bound: { id: string; secret: string };

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ scopes: ["read", "write", "profile", "bound:read"] });
  other = await server.addClient();
  owner = await anOwner(server);
  bound = await server.addResource({ identifier: "https://bound.test", grantBound: true });
  await server.addScope({ name: "bound:read", description: "Read", resource: "https://bound.test" });
});
afterAll(() => server.stop());

/** Introspects a token as the API with `grant_bound`. */
async function isActive(token: string): Promise<unknown> {
  const answer = await postForm(server, "/introspect", { clientId: bound.id, secret: bound.secret }, { token });
  return answer.body["active"];
}

describe("replay", () => {
  const redeemed = async () => {
    const proven = await provenCode(server, client, owner, { ask: { scope: "bound:read" } });
    const { body } = await redeem(server, client, proven.code, proven);
    return { proven, access: body.access_token ?? "", token: body.refresh_token };
  };

  test.each([
    ["AC-01 at once", async () => {}],
    ["AC-02 30 s later", async () => server.tick(30_000)],
    [
      "AC-02 an hour later, after garbage collection",
      async () => {
        server.tick(3_600_000);
        await server.assent.storage.housekeeping.collectGarbage({ now: server.now(), limit: 1000 });
      },
    ],
  ])("%s → invalid_grant, and all that came of the code has ended", async (_, wait) => {
    const { proven, access, token } = await redeemed();
    expect(await isActive(access)).toBe(true);
    const before = logged(server, "code_replayed");
    await wait();
    expectRefusal(await redeem(server, client, proven.code, proven), "invalid_grant");
    expectRefusal(await refresh(server, client, token), "invalid_grant");
    expect(await isActive(access)).toBe(false);
    expect(logged(server, "code_replayed")).toBe(before + 2);
    expectUnlogged(server, proven.code, proven.code_verifier, access, token ?? "");
  });

  test.each([
    ["another client", (): TestClient => other, {}],
    ["no verifier", (): TestClient => client, { code_verifier: undefined }],
    ["a wrong verifier", (): TestClient => client, { code_verifier: pkce().verifier }],
    ["another redirect_uri", (): TestClient => client, { redirect_uri: "https://app.test/other" }],
  ])("AC-01 by somebody who proves nothing: %s → invalid_grant, the grant lives", async (_, who, changes) => {
    const { proven, access, token } = await redeemed();
    expectRefusal(await redeem(server, who(), proven.code, { ...proven, ...changes }), "invalid_grant");
    expect(await isActive(access)).toBe(true);
    expect((await refresh(server, client, token)).status).toBe(200);
  });
});

describe("binding", () => {
  test("AC-05 a code of 61 s → invalid_grant, the grant is not alarmed; one of 59 s → tokens", async () => {
    const late = await codeOf(server, client, owner);
    server.tick(61_000);
    expectRefusal(await redeem(server, client, late), "invalid_grant");
    onTestFinished(server.stand());
    const early = await codeOf(server, client, owner);
    server.tick(59_000);
    expect((await redeem(server, client, early)).status).toBe(200);
  });

  test("AC-06 another client with its own secret → invalid_grant; the owner of the code still redeems it", async () => {
    const code = await codeOf(server, client, owner);
    expectRefusal(await redeem(server, other, code), "invalid_grant");
    const answer = await redeem(server, client, code);
    expect([answer.status, answer.body.scope]).toEqual([200, "read"]);
  });

  test("AC-06 another client's id beside its own secret → invalid_client", async () => {
    const code = await codeOf(server, client, owner);
    const mixed = { clientId: client.clientId, secret: other.secret };
    expectRefusal(await redeem(server, { ...client, ...mixed }, code), "invalid_client");
  });

  test.each([
    ["another that is registered", "https://app.test/second"],
    ["with a slash behind it", "https://app.test/cb/"],
    ["in upper case", "https://app.test/CB"],
    ["with its port", "https://app.test:443/cb"],
  ])("redirect_uri %s → invalid_grant, the code burned", async (_, redirect_uri) => {
    const two = await server.addClient({ redirectUris: ["https://app.test/cb", "https://app.test/second"] });
    const code = await codeOf(server, two, owner);
    expectRefusal(await redeem(server, two, code, { redirect_uri }), "invalid_grant");
    expectRefusal(await redeem(server, two, code), "invalid_grant");
  });

  test.each([
    ["missing", undefined],
    ["empty", ""],
  ])("redirect_uri %s → invalid_request, the code untouched", async (_, redirect_uri) => {
    const code = await codeOf(server, client, owner);
    expectRefusal(await redeem(server, client, code, { redirect_uri }), "invalid_request");
    expect((await redeem(server, client, code)).status).toBe(200);
  });

  test("a loopback redirect_uri with another port than the request's → invalid_grant; the same → tokens", async () => {
    const native = await server.addClient({ redirectUris: ["http://127.0.0.1/cb"] });
    const ask = { redirect_uri: "http://127.0.0.1:50001/cb" };
    for (const redirect_uri of ["http://127.0.0.1:50002/cb", "http://127.0.0.1/cb"]) {
      const code = await codeOf(server, native, owner, { ask });
      expectRefusal(await redeem(server, native, code, { redirect_uri }), "invalid_grant");
    }
    expect((await redeem(server, native, await codeOf(server, native, owner, { ask }), ask)).status).toBe(200);
  });

  test("AC-13 a scope with the code → what was granted, never more", async () => {
    const code = await codeOf(server, client, owner, { ask: { scope: "read" } });
    const answer = await redeem(server, client, code, { scope: "read write admin" });
    expect([answer.status, answer.body.scope]).toEqual([200, "read"]);
  });

  test("AC-14 a resource that the grant does not cover, or nobody knows → invalid_target, the code untouched", async () => {
    const code = await codeOf(server, client, owner, { ask: { scope: "read" } });
    expectRefusal(await redeem(server, client, code, { resource: "https://bound.test" }), "invalid_target");
    expectRefusal(await redeem(server, client, code, { resource: "https://nobody.test" }), "invalid_target");
    expect((await redeem(server, client, code, { resource: "https://api.test" })).status).toBe(200);
  });
});

describe("forgery", () => {
  test("AC-07 every character of a code changed → invalid_grant each time; the code itself → tokens", async () => {
    const code = await codeOf(server, client, owner);
    const mutants = [...code].flatMap((char, at) =>
      ["A", "_", "9"].filter((one) => one !== char).map((one) => code.slice(0, at) + one + code.slice(at + 1)),
    );
    expect(mutants.length).toBeGreaterThan(256);
    for (let at = 0; at < mutants.length; at += 32) {
      const answers = await Promise.all(mutants.slice(at, at + 32).map((mutant) => redeem(server, client, mutant)));
      for (const answer of answers) expectRefusal(answer, "invalid_grant");
    }
    expect((await redeem(server, client, code)).status).toBe(200);
  });

  test("AC-08 any other secret of this server, bare or with the prefix of a code → invalid_grant", async () => {
    const { access, refresh: token } = await tokensOf(server, client, owner);
    const asked = await new Agent(server.issuer).get(authorizeUrl(server, client));
    const handle = (await new Agent(server.issuer).follow(asked)).forms[0]?.fields.get("request") ?? "";
    const cookies = [...owner.agent.cookies.values()];
    expect(cookies.length).toBeGreaterThan(1);
    for (const one of [
      access,
      token,
      token.slice(3),
      handle.slice(0, 2000),
      ...cookies,
      client.clientId,
      owner.person.personId,
    ]) {
      expect(one.length).toBeGreaterThan(8);
      expectRefusal(await redeem(server, client, one), "invalid_grant");
      expectRefusal(await redeem(server, client, `ac_${one}`), "invalid_grant");
      if (one !== token)
        expectRefusal(await refresh(server, client, `rt_${one.replace(/^rt_/, "").slice(0, 1000)}x`), "invalid_grant");
    }
  });

  test("AC-08 a code as a refresh token, before and after it is spent → invalid_grant", async () => {
    const code = await codeOf(server, client, owner);
    expectRefusal(await refresh(server, client, code), "invalid_grant");
    expectRefusal(await refresh(server, client, `rt_${code.slice(3)}`), "invalid_grant");
    expect((await redeem(server, client, code)).status).toBe(200);
    expectRefusal(await refresh(server, client, `rt_${code.slice(3)}`), "invalid_grant");
  });

  test("AC-09 100,000 salts → 256 bits each, every one as often 1 as 0, none twice", () => {
    const salts = Array.from({ length: 100_000 }, () => Buffer.from(randomBytes(32)));
    expect(new Set(salts.map((salt) => salt.toString("latin1"))).size).toBe(salts.length);
    const ones = new Uint32Array(256);
    for (const salt of salts)
      for (let bit = 0; bit < 256; bit += 1) ones[bit] = (ones[bit] ?? 0) + (((salt[bit >> 3] ?? 0) >> (bit & 7)) & 1);
    // Six standard deviations: a correct generator fails here once in two million runs.
    const bound = 6 * Math.sqrt(salts.length / 4);
    for (const count of ones) expect(Math.abs(count - salts.length / 2)).toBeLessThan(bound);
  });

  test.each<[string, string]>([
    ["a JSON array", '["ac_x"]'],
    ["a name with brackets", ""],
    ["10,000 characters", "a".repeat(10_000)],
    ["spaces and unicode", "ac_ 🔥 ümläut"],
    ["SQL", "ac_' OR 1=1; DROP TABLE grants;--"],
  ])("AC-19 the code as %s → 400, at once", async (_, code) => {
    const fields = code === "" ? { "code[]": "ac_x" } : { code };
    const cpu = cpuClock();
    const answer = await redeem(server, client, "", { ...fields });
    expect(cpu()).toBeLessThan(200);
    expectRefusal(answer, code === "" || code.length > 2048 ? "invalid_request" : "invalid_grant");
  });
});

describe("what happens between code and token", () => {
  const key = ({ person }: Owner) => ({ partition: person.partition, personId: person.personId });
  const password = (who: Owner, endGrants: boolean) =>
    server.assent.storage.people.setPassword({
      ...key(who),
      passwordHash: who.person.passwordHash ?? "",
      mustChange: false,
      endGrants,
      keepSessionId: null,
      now: server.now(),
    });

  test.each<[string, (who: Owner) => Promise<unknown>]>([
    [
      "AC-10 the owner disabled",
      (who) => server.assent.storage.people.setStatus({ ...key(who), status: "disabled", now: server.now() }),
    ],
    ["AC-10 the owner deleted", (who) => server.assent.storage.people.delete({ ...key(who), now: server.now() })],
    ["AC-10 the password recovered", (who) => password(who, true)],
    [
      "AC-12 the consent revoked",
      ({ person }) =>
        server.assent.storage.consents.revoke({
          partition: person.partition,
          ownerId: person.personId,
          clientId: client.clientId,
          revokedBy: person.personId,
          now: server.now(),
        }),
    ],
  ])("%s → invalid_grant", async (_, change) => {
    const who = await anOwner(server);
    const code = await codeOf(server, client, who);
    await change(who);
    expectRefusal(await redeem(server, client, code), "invalid_grant");
  });

  test("AC-10 a routine change of the password → tokens all the same", async () => {
    const who = await anOwner(server);
    const code = await codeOf(server, client, who);
    await password(who, false);
    expect((await redeem(server, client, code)).status).toBe(200);
  });

  test.each<[string, Parameters<typeof changeClient>[2], string]>([
    ["the grant type taken away", { grantTypes: ["refresh_token"] }, "unauthorized_client"],
    ["the secret replaced", { secrets: [] }, "invalid_client"],
  ])("AC-11 %s → %s", async (_, changes, error) => {
    const mine = await server.addClient();
    const code = await codeOf(server, mine, owner);
    await changeClient(server, mine, changes);
    expectRefusal(await redeem(server, mine, code), error);
    await changeClient(server, mine, {});
    expect((await redeem(server, mine, code)).status).toBe(200);
  });

  test("AC-11 the client disabled → invalid_client; enabled again → the code has ended", async () => {
    const mine = await server.addClient();
    const code = await codeOf(server, mine, owner);
    await changeClient(server, mine, { status: "disabled" });
    expectRefusal(await redeem(server, mine, code), "invalid_client");
    await changeClient(server, mine, {});
    expectRefusal(await redeem(server, mine, code), "invalid_grant");
  });
});

describe("pages and storage", () => {
  test("AC-17 sign-in, consent and the redirect to the client → no referrer, nothing from elsewhere", async () => {
    const agent = new Agent(server.issuer);
    const login = await agent.follow(await agent.get(authorizeUrl(server, client)));
    const consent = await signIn(agent, (await server.addPerson()).username, login);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    for (const page of [login, consent, answer]) {
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      const sources = [...page.text.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(([, source = ""]) => source);
      for (const source of sources) expect(new URL(source, server.issuer).origin).toBe(server.issuer);
    }
    expect(answer.location?.searchParams.get("code")).toMatch(/^ac_/);
  });

  test("AC-18 the same answer twice → one code; once it is spent → a page of 400, and the grant lives", async () => {
    const agent = new Agent(server.issuer);
    const { username } = await server.addPerson();
    const login = await agent.follow(await agent.get(authorizeUrl(server, client)));
    const form = consentForm(await signIn(agent, username, login));
    const [first, second] = await Promise.all([
      agent.submit(form, { decision: "allow" }),
      agent.submit(form, { decision: "allow" }),
    ]);
    const code = first.location?.searchParams.get("code") ?? "";
    expect(second.location?.searchParams.get("code")).toBe(code);
    const { body } = await redeem(server, client, code);
    const third = await agent.submit(form, { decision: "allow" });
    expect([third.status, third.location]).toEqual([400, undefined]);
    expect((await refresh(server, client, body.refresh_token)).status).toBe(200);
  });

  test("AC-16 RT-21 the data directory after many flows → no code, token, secret, verifier or password in it", async () => {
    const secrets: string[] = [client.secret, PASSWORD, ...[...owner.agent.cookies.values()]];
    for (let round = 0; round < 20; round += 1) {
      const proven = await provenCode(server, client, owner);
      const { body } = await redeem(server, client, proven.code, proven);
      const again = await refresh(server, client, body.refresh_token);
      secrets.push(
        proven.code,
        proven.code_verifier,
        body.access_token ?? "",
        body.refresh_token ?? "",
        again.body.access_token ?? "",
      );
    }
    const files = readdirSync(server.dataDir).map((name) => readFileSync(join(server.dataDir, name)));
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
      // The raw salt must not be stored either, because the server's key and the salt make the credential.
      const salt = /^(?:ac|rt)_/.test(secret) ? Buffer.from(secret.slice(3), "base64url").subarray(25, 57) : undefined;
      if (salt !== undefined) expect(files.some((bytes) => bytes.includes(salt))).toBe(false);
    }
    expectUnlogged(server, ...secrets);
    // Checks the search itself: it finds a value that is stored in plain text.
    expect(files.some((bytes) => bytes.includes(client.clientId))).toBe(true);
  });

  test("the code twice in the body → invalid_request, the code untouched", async () => {
    const code = await codeOf(server, client, owner);
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      redirect_uri: "https://app.test/cb",
      client_id: client.clientId,
      client_secret: client.secret,
      code,
    });
    expectRefusal(await post(server, "/token", `${form}&code=${code}`), "invalid_request");
    expect((await post(server, "/token", `${form}`)).status).toBe(200);
  });
});
