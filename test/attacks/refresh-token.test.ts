/** Attacks on refresh tokens (RFC 6749 §§6, 10.4; RFC 9700 §4.14). */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  anOwner,
  changeClient,
  cpuClock,
  expectRefusal,
  expectUnlogged,
  logged,
  type Owner,
  post,
  provenCode,
  restarted,
  tokensOf,
} from "../support/back-channel.ts";
import { redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECOND = 1000;
const DAY = 86_400_000;

let server: TestServer;
let pub: TestClient;
let rotating: TestClient;
let keeping: TestClient;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  pub = await server.addClient({ type: "public" });
  rotating = await server.addClient({ refresh: "rotate" });
  keeping = await server.addClient();
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const first = async (client: TestClient) => (await tokensOf(server, client, owner)).refresh;
const use = (client: TestClient, token: string | undefined) => refresh(server, client, token);
/** Expects success, and returns the refresh token of the answer. */
async function next(client: TestClient, token: string | undefined): Promise<string> {
  const { status, body } = await use(client, token);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.refresh_token ?? "";
}

describe.each(["public", "confidential"] as const)("rotation, %s", (type) => {
  const client = () => (type === "public" ? pub : rotating);
  const window = type === "public" ? 10 : 30;

  test("RT-01 a refresh → a new token, and the old one is spent", async () => {
    const one = await first(client());
    const two = await next(client(), one);
    expect(two).not.toBe(one);
    const three = await next(client(), two);
    server.tick((window + 1) * SECOND);
    expectRefusal(await use(client(), two), "invalid_grant");
    // The replay was detected, so the current token has ended, too.
    expectRefusal(await use(client(), three), "invalid_grant");
    expectUnlogged(server, one, two, three);
  });

  test(`RT-03 the same token again within ${window} s → the same successor, which works; at most 3 times`, async () => {
    const one = await first(client());
    onTestFinished(server.stand());
    const two = await next(client(), one);
    server.tick((window - 1) * SECOND);
    for (let retry = 0; retry < 3; retry += 1) expect(await next(client(), one)).toBe(two);
    expect(await next(client(), two)).not.toBe(two);
  });

  test("RT-03 a fourth time → theft", async () => {
    const one = await first(client());
    const two = await next(client(), one);
    for (let retry = 0; retry < 3; retry += 1) await next(client(), one);
    expectRefusal(await use(client(), one), "invalid_grant");
    expectRefusal(await use(client(), two), "invalid_grant");
  });

  test(`RT-03 the same token again after ${window} s → theft: invalid_grant, and all has ended`, async () => {
    const one = await first(client());
    const two = await next(client(), one);
    const before = logged(server, "refresh_token_replayed");
    server.tick((window + 1) * SECOND);
    expectRefusal(await use(client(), one), "invalid_grant");
    // The log has one event and one refusal.
    expect(logged(server, "refresh_token_replayed")).toBe(before + 2);
    expectRefusal(await use(client(), two), "invalid_grant");
    // A grant that has ended causes no further alarm.
    expect(logged(server, "refresh_token_replayed")).toBe(before + 2);
  });

  test("RT-04 the same token again once its successor is used, within the window → theft", async () => {
    const one = await first(client());
    const two = await next(client(), one);
    const three = await next(client(), two);
    expectRefusal(await use(client(), one), "invalid_grant");
    expectRefusal(await use(client(), three), "invalid_grant");
  });

  test("RT-08 retries that ask for too much, or for another API → refused, and none of the 3 is used up", async () => {
    const one = await first(client());
    const two = await next(client(), one);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expectRefusal(await refresh(server, client(), one, { scope: "admin" }), "invalid_scope");
      expectRefusal(await refresh(server, client(), one, { resource: "https://other.test" }), "invalid_target");
    }
    expect(await next(client(), one)).toBe(two);
  });

  test("RT-15 garbage collection between → still known as theft", async () => {
    const one = await first(client());
    await next(client(), await next(client(), one));
    server.tick(5 * DAY);
    await server.assent.storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
    const before = logged(server, "refresh_token_replayed");
    expectRefusal(await use(client(), one), "invalid_grant");
    expect(logged(server, "refresh_token_replayed")).toBe(before + 2);
  });
});

test("RT-14 rotated, the server restarted, the old one presented → theft, as without the restart; another line lives on", async () => {
  const one = await first(rotating);
  const two = await next(rotating, one);
  const safe = await first(rotating);
  const again = await restarted(server);
  try {
    again.tick(31 * SECOND);
    expectRefusal(await refresh(again, rotating, one), "invalid_grant");
    expect(logged(again, "refresh_token_replayed")).toBe(2);
    expectRefusal(await refresh(again, rotating, two), "invalid_grant");
    expect((await refresh(again, rotating, safe)).status).toBe(200);
  } finally {
    await again.stop();
  }
});

test("RT-01 a confidential client that keeps → the same token, again and again", async () => {
  const one = await first(keeping);
  for (let round = 0; round < 5; round += 1) {
    expect(await next(keeping, one)).toBe(one);
    server.tick(60 * SECOND);
  }
});

describe("binding", () => {
  test.each([
    ["a public client's, by a confidential one", () => pub, () => keeping],
    ["a confidential client's, by a public one", () => keeping, () => pub],
    ["a confidential client's, by another", () => keeping, () => rotating],
  ])("RT-06 %s → invalid_grant and an event; the row is untouched", async (_, mine, other) => {
    const one = await first(mine());
    const before = logged(server, "refresh_token_of_other_client");
    expectRefusal(await use(other(), one), "invalid_grant");
    expect(logged(server, "refresh_token_of_other_client")).toBe(before + 2);
    expect((await use(mine(), one)).status).toBe(200);
  });

  test("RT-06 a spent one of another client → no theft of it", async () => {
    const one = await first(pub);
    const two = await next(pub, one);
    server.tick(DAY);
    expectRefusal(await use(keeping, one), "invalid_grant");
    await next(pub, two);
  });

  test("RT-08 wider → invalid_scope; narrower → 200 so; then all again → 200", async () => {
    const wide = await tokensOf(server, rotating, owner, {
      ask: { scope: "read write profile" },
      answer: { scope: ["read", "write", "profile"] },
      fields: { resource: "https://api.test" },
    });
    const resource = "https://api.test";
    expect(wide.body.scope).toBe("read write");
    expectRefusal(await refresh(server, rotating, wide.refresh, { scope: "read admin", resource }), "invalid_scope");
    const narrow = await refresh(server, rotating, wide.refresh, { scope: "read", resource });
    expect([narrow.status, narrow.body.scope]).toEqual([200, "read"]);
    const full = await refresh(server, rotating, narrow.body.refresh_token, { resource });
    expect([full.status, full.body.scope]).toEqual([200, "read write"]);
  });

  test("RT-08 a scope that the client may ask for, but did not → invalid_scope", async () => {
    expectRefusal(await refresh(server, keeping, await first(keeping), { scope: "read write" }), "invalid_scope");
  });

  test("RT-19 a resource outside the grant → invalid_target, nothing written", async () => {
    const one = await first(pub);
    for (const resource of ["https://other.test", server.issuer, "https://api.test/", "HTTPS://api.test"])
      expectRefusal(await refresh(server, pub, one, { resource }), "invalid_target");
    expect((await refresh(server, pub, one, { resource: "https://api.test" })).status).toBe(200);
  });
});

describe("ends", () => {
  test.each([
    ["public, 14 days", () => pub, 14],
    ["confidential, 90 days", () => keeping, 90],
  ])("RT-10 unused: %s → invalid_grant, without a theft; a second before → 200", async (_, client, days) => {
    const who = await anOwner(server);
    onTestFinished(server.stand());
    const { refresh: one } = await tokensOf(server, client(), who, { answer: { duration: "31536000" } });
    server.tick(days * DAY - SECOND);
    const two = await next(client(), one);
    const before = logged(server, "refresh_token_replayed");
    server.tick(days * DAY + SECOND);
    expectRefusal(await use(client(), two), "invalid_grant");
    expectRefusal(await use(client(), one), "invalid_grant");
    expect(logged(server, "refresh_token_replayed")).toBe(before);
  });

  test("RT-11 rotated daily → ends with its consent, not later", async () => {
    const who = await anOwner(server);
    let token = (await tokensOf(server, pub, who, { answer: { duration: "604800" } })).refresh;
    for (let day = 0; day < 6; day += 1) {
      server.tick(DAY);
      token = await next(pub, token);
    }
    server.tick(DAY + SECOND);
    expectRefusal(await use(pub, token), "invalid_grant");
  });

  const key = ({ person }: Owner) => ({ partition: person.partition, personId: person.personId });
  test.each<[string, string, (who: Owner) => Promise<unknown>]>([
    [
      "the owner disabled",
      "invalid_grant",
      (who) => server.assent.storage.people.setStatus({ ...key(who), status: "disabled", now: server.now() }),
    ],
    [
      "the owner deleted",
      "invalid_grant",
      (who) => server.assent.storage.people.delete({ ...key(who), now: server.now() }),
    ],
    [
      "the owner disabled and enabled again",
      "invalid_grant",
      async (who) => {
        await server.assent.storage.people.setStatus({ ...key(who), status: "disabled", now: server.now() });
        await server.assent.storage.people.setStatus({ ...key(who), status: "active", now: server.now() });
      },
    ],
    [
      "the account recovered",
      "invalid_grant",
      (who) =>
        server.assent.storage.people.setPassword({
          ...key(who),
          passwordHash: who.person.passwordHash ?? "",
          mustChange: false,
          endGrants: true,
          keepSessionId: null,
          now: server.now(),
        }),
    ],
    ["all sessions ended", "200", (who) => server.assent.storage.sessions.endAll({ ...key(who), now: server.now() })],
  ])("RT-12 %s → %s", async (_, outcome, change) => {
    const who = await anOwner(server);
    const tokens = [
      [pub, (await tokensOf(server, pub, who)).refresh],
      [keeping, (await tokensOf(server, keeping, who)).refresh],
    ] as const;
    await change(who);
    for (const [client, token] of tokens) {
      const answer = await use(client, token);
      if (outcome === "200") expect(answer.status).toBe(200);
      else expectRefusal(answer, outcome);
    }
  });

  test("RT-13 refreshing taken from the client → unauthorized_client, and the token lives on for when that is undone", async () => {
    const mine = await server.addClient();
    const one = await first(mine);
    await changeClient(server, mine, { grantTypes: ["authorization_code"], reducedAt: server.now() });
    expectRefusal(await use(mine, one), "unauthorized_client");
    await changeClient(server, mine, {});
    expect((await use(mine, one)).status).toBe(200);
  });

  test("RT-13 the client disabled → invalid_client, and its tokens have ended when it is enabled again", async () => {
    const mine = await server.addClient();
    const one = await first(mine);
    await changeClient(server, mine, { status: "disabled" });
    expectRefusal(await use(mine, one), "invalid_client");
    await changeClient(server, mine, {});
    expectRefusal(await use(mine, one), "invalid_grant");
  });
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The same bytes in non-canonical base64url: the last two bits of the last letter are unused. */
function respelled(token: string): string {
  const other = token.slice(0, -1) + ALPHABET[ALPHABET.indexOf(token.slice(-1)) + 1];
  expect(Buffer.from(other.slice(3), "base64url")).toEqual(Buffer.from(token.slice(3), "base64url"));
  return other;
}

describe("garbage", () => {
  test.each<[string, string, number, (token: string) => string]>([
    ["cut off", "invalid_grant", 400, (token) => token.slice(0, -1)],
    ["with a character behind it", "invalid_grant", 400, (token) => `${token}A`],
    ["another spelling of its last byte", "invalid_grant", 400, respelled],
    ["without its prefix", "invalid_grant", 400, (token) => token.slice(3)],
    ["with another prefix", "invalid_grant", 400, (token) => `ac_${token.slice(3)}`],
    ["SQL", "invalid_grant", 400, () => "rt_' OR '1'='1"],
    ["unicode", "invalid_grant", 400, () => "rt_ṙéƒŕéşħ🔥"],
    ["a NUL", "invalid_request", 400, (token) => `${token}\0`],
    ["a line break", "invalid_request", 400, (token) => `${token}\n`],
    ["1 MB", "invalid_request", 413, () => "r".repeat(1_000_000)],
  ])("RT-20 %s → %s, at once, the token untouched", async (_, error, status, bend) => {
    const one = await first(pub);
    const cpu = cpuClock();
    expectRefusal(await use(pub, bend(one)), error, status);
    expect(cpu()).toBeLessThan(200);
    expect((await use(pub, one)).status).toBe(200);
  });

  test("RT-20 every character changed → invalid_grant each time; the token itself → 200", async () => {
    const one = await first(pub);
    const mutants = [...one].map((char, at) => one.slice(0, at) + (char === "A" ? "B" : "A") + one.slice(at + 1));
    // A busy server answers more than this number of simultaneous requests with 503.
    for (let at = 0; at < mutants.length; at += 32) {
      for (const answer of await Promise.all(mutants.slice(at, at + 32).map((mutant) => use(pub, mutant))))
        expectRefusal(answer, "invalid_grant");
    }
    expect((await use(pub, one)).status).toBe(200);
  });

  test("RT-22 parameters that name a host → no effect, the same answer", async () => {
    const fields = {
      client_session_host: "169.254.169.254",
      client_session_state: "x",
      jwks_uri: "http://127.0.0.1:1/",
      request_uri: "http://127.0.0.1:1/",
    };
    expect((await refresh(server, keeping, await first(keeping), fields)).status).toBe(200);
  });

  test("a refresh token twice, or beside a code → invalid_request; not read", async () => {
    const one = await first(keeping);
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: keeping.clientId,
      client_secret: keeping.secret,
    });
    expectRefusal(await post(server, "/token", `${form}&refresh_token=${one}&refresh_token=${one}`), "invalid_request");
    expect((await post(server, "/token", `${form}&refresh_token=${one}&code=ac_x`)).status).toBe(200);
  });
});

test("a client not registered for refresh_token → no refresh token, whatever it asks", async () => {
  for (const type of ["public", "confidential"] as const) {
    const without = await server.addClient({ type, grantTypes: ["authorization_code"] });
    const proven = await provenCode(server, without, owner);
    const answer = await redeem(server, without, proven.code, proven);
    expect([answer.status, answer.body.refresh_token]).toEqual([200, undefined]);
  }
});
