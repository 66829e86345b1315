/** Attacks on the device flow (RFC 8628 §5): guesses, phishing, other sessions, races, floods. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { userCodes } from "../../packages/server/src/crypto/user-codes.ts";
import { makeUserCode, readUserCode, USER_CODE_LETTERS } from "../../packages/server/src/oauth/user-code.ts";
import { expectRefusal, expectUnlogged, restarted } from "../support/back-channel.ts";
import { aDevice, aDeviceClient, decide, enter, formWith, poll } from "../support/device-actor.ts";
import { rowCounts } from "../support/front-channel.ts";
import { Agent, type Page, postForm, signIn } from "../support/http-browser.ts";
import { aNetwork } from "../support/password-guesser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** This server trusts 127.0.0.1 as a proxy, so that a test can use several addresses. */
let server: TestServer;
let tv: TestClient;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"] } });
  tv = await aDeviceClient(server);
});
afterAll(() => server.stop());

const from = (address = aNetwork()) => ({ "x-forwarded-for": address });
const anAgent = (address?: string) => new Agent(server.issuer, address === undefined ? {} : from(address));
const aUsername = async () => (await server.addPerson()).username;
const pending = { error: "authorization_pending" };

describe("polls", () => {
  test("DV-01 not yet approved → authorization_pending", async () => {
    const { deviceCode } = await aDevice(server, tv);
    expectRefusal(await poll(server, tv, deviceCode), "authorization_pending");
  });

  test("DV-02 too early, twice → slow_down, 5 s more each time, and a restart forgets none of it", async () => {
    const { deviceCode } = await aDevice(server, tv);
    // The clock stands still, because a restart takes seconds on a busy machine.
    onTestFinished(server.stand());
    await poll(server, tv, deviceCode);
    for (let times = 0; times < 2; times += 1) expectRefusal(await poll(server, tv, deviceCode), "slow_down");
    const other = await restarted(server);
    other.tick(12 * SECOND);
    expectRefusal(await poll(other, tv, deviceCode), "slow_down");
    other.tick(20 * SECOND);
    expect((await poll(other, tv, deviceCode)).body).toMatchObject(pending);
    await other.stop();
  });

  test("DV-03 past its end → expired_token; once it is collected → invalid_grant", async () => {
    const { deviceCode } = await aDevice(server, tv);
    server.tick(10 * MINUTE);
    expectRefusal(await poll(server, tv, deviceCode), "expired_token");
    await server.assent.storage.housekeeping.collectGarbage({ now: server.now() + 60 * MINUTE, limit: 10_000 });
    expectRefusal(await poll(server, tv, deviceCode), "invalid_grant");
  });

  test("DV-05 another client's device code → invalid_grant, and the right one still waits", async () => {
    const { deviceCode } = await aDevice(server, tv);
    expectRefusal(await poll(server, await aDeviceClient(server), deviceCode), "invalid_grant");
    expectRefusal(await poll(server, tv, deviceCode), "authorization_pending");
  });

  test("DV-06 after the success → invalid_grant, and what was handed out goes on working", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    await decide(anAgent(), userCode, await aUsername());
    const { body } = await poll(server, tv, deviceCode);
    expectRefusal(await poll(server, tv, deviceCode), "invalid_grant");
    const fields = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    expect((await postForm(server, "/token", tv, fields)).status).toBe(200);
  });

  test("20 polls at once of an approved request → one success, and its tokens work", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    await decide(anAgent(), userCode, await aUsername());
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(server, tv, deviceCode)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, "invalid_grant");
    const fields = { grant_type: "refresh_token", refresh_token: won[0]?.body.refresh_token };
    expect((await postForm(server, "/token", tv, fields)).status).toBe(200);
  });

  test("AC-08 a user code, an authorization code's place, a refresh token as device_code, and the other way round → invalid_grant", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    for (const wrong of [userCode, `ac_${deviceCode.slice(3)}`, `rt_${deviceCode.slice(3)}`, `${deviceCode}A`])
      expectRefusal(await poll(server, tv, wrong), "invalid_grant");
    const both = await server.addClient({ grantTypes: ["authorization_code", "refresh_token"] });
    const code = { grant_type: "authorization_code", redirect_uri: "https://app.test/cb" };
    for (const wrong of [deviceCode, `ac_${deviceCode.slice(3)}`]) {
      expectRefusal(await postForm(server, "/token", both, { ...code, code: wrong }), "invalid_grant");
      const refresh = { grant_type: "refresh_token", refresh_token: wrong };
      expectRefusal(await postForm(server, "/token", both, refresh), "invalid_grant");
    }
  });
});

describe("codes", () => {
  test("DV-09 100,000 user codes: 8 letters of the 20, each letter as often in each place, none twice in 10,000", () => {
    const counts = Array.from({ length: 8 }, () => new Map<string, number>());
    const drawn = new Set<string>();
    const codes = userCodes(new Secrets([Buffer.alloc(32, 7)]));
    for (let at = 0; at < 100_000; at += 1) {
      const { userCode } = codes.draw();
      if (at < 10_000) drawn.add(userCode);
      for (const [place, letter] of [...userCode].entries()) {
        const count = counts[place];
        count?.set(letter, (count.get(letter) ?? 0) + 1);
      }
    }
    for (const count of counts) {
      expect([...count.keys()].sort().join("")).toBe(USER_CODE_LETTERS);
      for (const times of count.values()) expect(Math.abs(times - 5000)).toBeLessThan(450);
    }
    // A correct generator gives two equal codes among 10,000 in about one of 500 runs.
    expect(drawn.size).toBeGreaterThanOrEqual(9998);
  });

  test("DV-09 bytes from 240 on are drawn again: no letter is favoured", () => {
    const bytes = [255, 240, 0, 19, 20, 239, 1, 2, 3, 4];
    expect(makeUserCode(() => bytes.shift() ?? 255)).toBe("BZBZCDFG");
  });

  test.each([
    ["small letters and a space", (code: string) => code.toLowerCase().replace("-", " ")],
    ["as it is shown", (code: string) => code],
    ["other punctuation", (code: string) => ` ${[...code.replace("-", "")].join(".")}\u2013 `],
    [
      "full-width letters",
      (code: string) =>
        [...code].map((one) => (one === "-" ? one : String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0))).join(""),
    ],
  ])("DV-10 %s → the same code", async (_, spell) => {
    const { userCode } = await aDevice(server, tv);
    formWith(await enter(anAgent(), spell(userCode), await aUsername()), "decision");
  });

  test.each(["", "BCDF", "BCDF-GHJKL", "AEIO-UAEI", "0123-4567", "BCDF-GHJ\u0416", "x".repeat(101), "BCDF\u0000GHJK"])(
    "DV-10 %j → no code",
    (typed) => expect(readUserCode(typed)).toBeUndefined(),
  );

  test("DV-12 device code: 32 random bytes, and nothing of the user code in it", async () => {
    const [one, two] = [await aDevice(server, tv), await aDevice(server, tv)];
    const bytes = (code: string) => Buffer.from(code.slice(3), "base64url");
    expect(one.deviceCode).toMatch(/^dc_[A-Za-z0-9_-]{119}$/);
    expect(bytes(one.deviceCode).subarray(25, 57).equals(bytes(two.deviceCode).subarray(25, 57))).toBe(false);
    expect(bytes(one.deviceCode).includes(one.userCode.replace("-", ""))).toBe(false);
  });

  test("LG-01 neither code stands in the log or the database", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    await agent.get(`/device?user_code=${userCode}`);
    await decide(agent, userCode, await aUsername());
    await poll(server, tv, deviceCode);
    const plain = userCode.replace("-", "");
    expectUnlogged(server, deviceCode, userCode, plain);
    for (const file of ["assent.db", "assent.db-wal"]) {
      const bytes = readFileSync(join(server.dataDir, file));
      for (const secret of [userCode, plain, deviceCode]) expect(bytes.includes(secret)).toBe(false);
    }
  });
});

describe("guesses (DV-11)", () => {
  const wrong = "BBBB-BBBB";
  const guess = async (agent: Agent, code = wrong): Promise<Page> =>
    agent.submit(formWith(await agent.get("/device"), "user_code"), { user_code: code });

  test("a 6th wrong code of a person → 429, a right one too; after 15 minutes it is taken", async () => {
    const { userCode } = await aDevice(server, tv);
    const agent = anAgent(aNetwork());
    await signIn(agent, await aUsername());
    for (let times = 0; times < 5; times += 1) expect((await guess(agent)).status).toBe(200);
    for (const code of [wrong, userCode]) {
      const page = await guess(agent, code);
      expect(page.status).toBe(429);
      expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
      formWith(page, "user_code");
    }
    server.tick(16 * MINUTE);
    const later = await aDevice(server, tv);
    formWith(await agent.follow(await guess(agent, later.userCode)), "decision");
  });

  test("right codes between wrong ones make no room", async () => {
    const agent = anAgent(aNetwork());
    await signIn(agent, await aUsername());
    const statuses: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      await guess(agent, (await aDevice(server, tv)).userCode);
      statuses.push((await guess(agent)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("20 at once of one person → 5 are looked at", async () => {
    const agent = anAgent(aNetwork());
    await signIn(agent, await aUsername());
    const form = formWith(await agent.get("/device"), "user_code");
    const pages = await Promise.all(Array.from({ length: 20 }, () => agent.submit(form, { user_code: wrong })));
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  test("21 of one network by many people → 429, and other networks go on", async () => {
    const network = aNetwork();
    const statuses: number[] = [];
    for (let person = 0; person < 5; person += 1) {
      const agent = anAgent(network);
      await signIn(agent, await aUsername());
      for (let times = 0; times < (person < 4 ? 5 : 1); times += 1) statuses.push((await guess(agent)).status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
    const elsewhere = anAgent(aNetwork());
    await signIn(elsewhere, await aUsername());
    expect((await guess(elsewhere)).status).toBe(200);
  });

  test("nobody learns whether a code is right without signing in", async () => {
    const { userCode } = await aDevice(server, tv);
    const [right, not] = [await guess(anAgent(), userCode), await guess(anAgent())];
    // Encrypted values differ each time, in the form and in the links that change the language.
    const plain = ({ text }: Page) =>
      text.replaceAll(/value="[^"]*"/g, "value").replaceAll(/device%3D[\w-]+/g, "sealed");
    expect([right.status, plain(right)]).toEqual([not.status, plain(not)]);
  });
});

describe("sessions and forms", () => {
  test("DV-13 without a session → sign-in first; without csrf, with another's, from another browser → 403, nothing happens", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const username = await aUsername();
    const agent = anAgent();
    const field = formWith(await agent.get("/device"), "user_code");
    for (const csrf of ["", "x"]) expect((await agent.submit(field, { user_code: userCode, csrf })).status).toBe(403);
    expect((await anAgent().submit(field, { user_code: userCode })).status).toBe(403);
    const form = formWith(await enter(agent, userCode, username), "decision");
    for (const csrf of ["", "x", field.fields.get("csrf") ?? ""])
      expect((await agent.submit(form, { decision: "allow", csrf })).status).toBe(403);
    expect((await anAgent().submit(form, { decision: "allow" })).status).toBe(403);
    agent.cookies.delete("assent_session");
    expect((await agent.submit(form, { decision: "allow" })).text).toContain('name="password"');
    expect((await poll(server, tv, deviceCode)).body).toMatchObject(pending);
  });

  test("SS-06 GET on the answer → changes nothing", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const { fields } = formWith(await enter(agent, userCode, await aUsername()), "decision");
    await agent.get(`/device/consent?${new URLSearchParams([...fields, ["decision", "allow"]])}`);
    expect((await agent.get(`/device/elsewhere?${fields}`)).status).toBe(405);
    expect((await poll(server, tv, deviceCode)).body).toMatchObject(pending);
  });

  test.each(["allow", "deny"])(
    "DV-16 alice entered the code, mallory posts %s → refused; nor can she enter it",
    async (decision) => {
      const { deviceCode, userCode } = await aDevice(server, tv);
      const [alice, mallory] = [anAgent(), anAgent()];
      const form = formWith(await enter(alice, userCode, await aUsername()), "decision");
      const own = formWith(await enter(mallory, (await aDevice(server, tv)).userCode, await aUsername()), "decision");
      expect((await mallory.submit(form, { decision })).status).toBe(403);
      const mixed = { device: form.fields.get("device") ?? "", decision };
      expect((await mallory.submit(own, mixed)).status).toBe(403);
      const page = await mallory.submit(formWith(await mallory.get("/device"), "user_code"), { user_code: userCode });
      expect(page.text).toContain("No device is waiting with that code");
      expect((await poll(server, tv, deviceCode)).body).toMatchObject(pending);
      expect((await alice.submit(form, { decision: "allow" })).status).toBe(200);
      expect((await poll(server, tv, deviceCode)).status).toBe(200);
    },
  );

  test("the sealed code of a device is no authorization request, nor the other way round", async () => {
    const { userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const device = formWith(await enter(agent, userCode, await aUsername()), "decision").fields.get("device") ?? "";
    expect((await agent.get(`/consent?request=${device}`)).status).toBe(400);
    expect((await agent.get("/device/consent?device=x")).status).toBe(400);
    const changed = `${device.slice(0, -2)}${device.at(-2) === "A" ? "B" : "A"}${device.slice(-1)}`;
    expect((await agent.get(`/device/consent?device=${changed}`)).status).toBe(400);
  });
});

describe("phishing (DV-15)", () => {
  test("the device asked from another network → an extra question before the consent page, and no way around it", async () => {
    const tvNetwork = aNetwork();
    const { deviceCode, userCode } = await aDevice(server, tv, {}, from(tvNetwork));
    const agent = anAgent(aNetwork());
    const asked = await enter(agent, userCode, await aUsername());
    for (const text of [
      "Is this your device?",
      "Photo TV",
      tvNetwork,
      "not your network",
      userCode,
      "Allow it only if",
    ])
      expect(asked.text).toContain(text);
    const form = formWith(asked, "decision");
    const around = await agent.submit({ ...form, action: "/device/consent" }, { decision: "allow", duration: "3600" });
    expect(around.text).toContain("Is this your device?");
    expect((await poll(server, tv, deviceCode)).body).toMatchObject(pending);
    const consent = await agent.submit(form, { decision: "go_on" });
    expect(consent.text).toContain('name="duration"');
    expect((await agent.submit(formWith(consent, "decision"), { decision: "allow" })).text).toContain("is connected");
    expect((await poll(server, tv, deviceCode)).status).toBe(200);
  });

  test("“No, refuse it” → access_denied", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, {}, from());
    const agent = anAgent(aNetwork());
    const form = formWith(await enter(agent, userCode, await aUsername()), "decision");
    expect((await agent.submit(form, { decision: "deny" })).text).toContain("was not connected");
    expectRefusal(await poll(server, tv, deviceCode), "access_denied");
  });
});

describe("owners", () => {
  test("DV-17 who may grant nothing of it → refused at once; the device gets access_denied", async () => {
    await server.addScope({ name: "admin:all", description: "Everything", ownerRole: "operator" });
    const client = await aDeviceClient(server, { scopes: ["admin:all"] });
    const { deviceCode, userCode } = await aDevice(server, client, { scope: "admin:all" });
    const page = await enter(anAgent(), userCode, await aUsername());
    expect(page.text).toContain("isn’t permitted to allow what the device asked for");
    expectRefusal(await poll(server, client, deviceCode), "access_denied");
  });

  test("DV-19 disabled after the yes → invalid_grant, also once enabled again", async () => {
    const person = await server.addPerson();
    const { deviceCode, userCode } = await aDevice(server, tv);
    await decide(anAgent(), userCode, person.username);
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    expectRefusal(await poll(server, tv, deviceCode), "invalid_grant");
    await server.assent.storage.people.setStatus({ ...person, status: "active", now: server.now() });
    expectRefusal(await poll(server, tv, deviceCode), "invalid_grant");
  });

  test("DV-19 the consent revoked after the yes → invalid_grant", async () => {
    const person = await server.addPerson();
    const { deviceCode, userCode } = await aDevice(server, tv);
    await decide(anAgent(), userCode, person.username);
    const consent = { partition: person.partition, ownerId: person.personId, clientId: tv.clientId };
    await server.assent.storage.consents.revoke({ ...consent, revokedBy: person.personId, now: server.now() });
    expectRefusal(await poll(server, tv, deviceCode), "invalid_grant");
  });

  test("never a token after a no: 20 polls beside it", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const form = formWith(await enter(agent, userCode, await aUsername()), "decision");
    const polls = Array.from({ length: 20 }, () => poll(server, tv, deviceCode));
    await agent.submit(form, { decision: "deny" });
    for (const { status } of await Promise.all(polls)) expect(status).toBe(400);
    expect((await agent.submit(form, { decision: "allow" })).text).toContain("was not connected");
    expectRefusal(await poll(server, tv, deviceCode), "access_denied");
  });
});

describe("pages", () => {
  test("DV-22 unknown, expired, used and refused codes → one page", async () => {
    const [expired, used, refused] = [await aDevice(server, tv), await aDevice(server, tv), await aDevice(server, tv)];
    await decide(anAgent(), used.userCode, await aUsername());
    await decide(anAgent(), refused.userCode, await aUsername(), { decision: "deny" });
    await poll(server, tv, used.deviceCode);
    server.tick(10 * MINUTE);
    const agent = anAgent(aNetwork());
    await signIn(agent, await aUsername());
    const seen = new Set<string>();
    for (const code of ["BCDF-GHJK", expired.userCode, used.userCode, refused.userCode]) {
      const page = await agent.submit(formWith(await agent.get("/device"), "user_code"), { user_code: code });
      seen.add(`${page.status} ${page.text.replaceAll(code, "CODE")}`);
    }
    expect(seen.size).toBe(1);
  });

  test("DV-23 headers of every page: no frame, no cache, no referrer", async () => {
    const { userCode } = await aDevice(server, tv);
    const agent = anAgent();
    const asked = await enter(agent, userCode, await aUsername());
    const done = await agent.submit(formWith(asked, "decision"), { decision: "deny" });
    for (const page of [await agent.get("/device"), asked, done]) {
      expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'; form-action 'self'/);
      expect(page.headers.get("x-frame-options")).toBe("DENY");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test.each([
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}'\u202e",
    "\u0000",
    "x".repeat(5000),
  ])("DV-24 user_code=%j in the link → text, cut where it is long", async (payload) => {
    const page = await anAgent().get(`/device?user_code=${encodeURIComponent(payload)}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<script|<img|x{101}/);
  });
});

test("DV-21 more than a thousand requests of a client from a network → 429 with Retry-After, rows capped; others go on", async () => {
  const own = await startServer({ config: { trustProxy: ["127.0.0.1"], logLevel: "silent" } });
  const [client, other] = [await aDeviceClient(own), await aDeviceClient(own)];
  const flood = from();
  const ask = () => postForm(own, "/device_authorization", client, { scope: "read" }, flood);
  const codes = new Set<unknown>();
  const statuses: number[] = [];
  for (let round = 0; round < 22; round += 1) {
    for (const { status, body } of await Promise.all(Array.from({ length: 50 }, ask))) {
      statuses.push(status);
      if (status === 200) codes.add(body["user_code"]);
    }
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(1000);
  expect(codes.size).toBe(1000);
  const refused = await ask();
  expectRefusal(refused, "temporarily_unavailable", 429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await rowCounts(own.dataDir))["device_requests"]).toBe(1000);
  await aDevice(own, client, {}, from());
  await aDevice(own, other, {}, flood);
  await own.stop();
}, 60_000);
