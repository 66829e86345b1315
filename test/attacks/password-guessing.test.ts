/**
 * Guessing passwords: limits per account and per network count before the password is checked. The person's own browser
 * can still sign in.
 */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "../support/http-browser.ts";
import { aNetwork, Guesser, isSignedIn, networks } from "../support/password-guesser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const QUARTER = 15 * 60_000;
const all = (status: number, times: number) => Array<number>(times).fill(status);

/** This server trusts 127.0.0.1 as a proxy, so that a test can use several addresses. */
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"] } });
});
afterAll(() => server.stop());

function guesser(address = aNetwork()): Guesser {
  return new Guesser(server.issuer, { address });
}

function expectThrottled(page: Page): void {
  expect(page.status).toBe(429);
  expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(page.headers.get("location")).toBeNull();
  expect(page.headers.getSetCookie()).toEqual([]);
  expect(page.forms.some(({ fields }) => fields.has("username"))).toBe(true);
}

describe("EN-05 limits", () => {
  test("11th failure of an account → 429 with Retry-After and the form, though the password be right; after 15 minutes it is taken", async () => {
    const { username } = await server.addPerson();
    const mallory = guesser();
    expect(await mallory.wrong(username, 10)).toEqual(all(200, 10));
    const eleventh = await mallory.try(username, PASSWORD);
    expectThrottled(eleventh);
    expect(Number(eleventh.headers.get("retry-after"))).toBeLessThanOrEqual(QUARTER / 1000);
    expect(eleventh.text).toContain("Too many attempts");
    server.tick(QUARTER + 1000);
    expect(isSignedIn(await mallory.try(username, PASSWORD))).toBe(true);
  });

  test("9 failures, the right password, 9 failures, the right password → signed in twice: a success starts anew", async () => {
    const { username } = await server.addPerson();
    const alice = guesser();
    for (let round = 0; round < 2; round += 1) {
      expect(await alice.wrong(username, 9)).toEqual(all(200, 9));
      expect(isSignedIn(await new Guesser(server.issuer, { address: aNetwork() }).try(username, PASSWORD))).toBe(true);
      expect(isSignedIn(await alice.try(username, PASSWORD))).toBe(true);
    }
  });

  test("51st failure from a network, each for another name → 429; a person elsewhere signs in", async () => {
    const { username } = await server.addPerson();
    const mallory = guesser();
    for (let at = 0; at < 50; at += 1) expect((await mallory.try(`nobody-${at}`, "x")).status).toBe(200);
    expectThrottled(await mallory.try("nobody-51", "x"));
    expectThrottled(await mallory.try(username, PASSWORD));
    expect(isSignedIn(await guesser().try(username, PASSWORD))).toBe(true);
  });

  test("an own account signed in between → takes nothing off the network's count", async () => {
    const own = await server.addPerson();
    const mallory = guesser();
    for (let at = 0; at < 50; at += 1) {
      expect((await mallory.try(`nobody-${at}`, "x")).status).toBe(200);
      if (at % 10 === 5) {
        const fresh = new Guesser(server.issuer);
        expect(isSignedIn(await fresh.try(own.username, PASSWORD, { "x-forwarded-for": aNetwork() }))).toBe(true);
      }
    }
    expectThrottled(await mallory.try("nobody-51", "x"));
  });

  test("an account guessed from 5 networks, 50 times in an hour → 429 from a sixth, by name and by address; free again after the hour", async () => {
    const { username, email } = await server.addPerson();
    for (const address of networks(5)) expect(await guesser(address).wrong(username, 10)).toEqual(all(200, 10));
    expectThrottled(await guesser().try(username, PASSWORD));
    // The e-mail address and the username share one counter.
    expectThrottled(await guesser().try(email, PASSWORD));
    server.tick(4 * QUARTER + 1000);
    expect(isSignedIn(await guesser().try(email, PASSWORD))).toBe(true);
  });

  test.each([
    ["case", (name: string) => name.toUpperCase()],
    ["spaces around", (name: string) => `  ${name} `],
    [
      "full-width letters",
      (name: string) => name.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
    ],
  ])("another spelling of the name (%s) → the same counter", async (_, spelt) => {
    const { username } = await server.addPerson();
    const mallory = guesser();
    expect(await mallory.wrong(username, 5)).toEqual(all(200, 5));
    expect(await mallory.wrong(spelt(username), 5)).toEqual(all(200, 5));
    expectThrottled(await mallory.try(username, PASSWORD));
  });
});

describe("EN-06 X-Forwarded-For", () => {
  let open: TestServer;
  beforeAll(async () => {
    open = await startServer();
  });
  afterAll(() => open.stop());

  test.each([
    ["X-Forwarded-For", (at: number) => ({ "x-forwarded-for": `203.0.113.${at}` })],
    ["Forwarded", (at: number) => ({ forwarded: `for=203.0.113.${at}` })],
    [
      "X-Real-IP, X-Client-IP, CF-Connecting-IP",
      (at: number) => ({
        "x-real-ip": `203.0.113.${at}`,
        "x-client-ip": `203.0.113.${at}`,
        "cf-connecting-ip": `203.0.113.${at}`,
      }),
    ],
  ])("rotated by a peer that isn't trusted (%s) → one bucket", async (_, headers) => {
    const { username } = await open.addPerson();
    const mallory = new Guesser(open.issuer);
    for (let at = 0; at < 10; at += 1) expect((await mallory.try(username, "x", headers(at))).status).toBe(200);
    expectThrottled(await mallory.try(username, PASSWORD, headers(99)));
    open.tick(QUARTER + 1000);
    expect(isSignedIn(await mallory.try(username, PASSWORD, headers(99)))).toBe(true);
  });

  test.each([
    [
      "what the client wrote before the proxy's own entry",
      (at: number, real: string) => ({ "x-forwarded-for": `203.0.113.${at}, ${real}` }),
    ],
    ["names that are no addresses", (at: number, real: string) => ({ "x-forwarded-for": `a${at}, ${real}` })],
    [
      "Forwarded, which the proxy passes on as it came",
      (at: number, real: string) => ({ forwarded: `for=203.0.113.${at}`, "x-forwarded-for": real }),
    ],
    ["a hop before one that the proxy hides", (at: number) => ({ forwarded: `for=203.0.113.${at}, for=_hidden` })],
  ])("rotated through a trusted proxy: %s → one bucket", async (_, headers) => {
    const { username } = await server.addPerson();
    const real = aNetwork();
    const mallory = new Guesser(server.issuer);
    for (let at = 0; at < 10; at += 1) expect((await mallory.try(username, "x", headers(at, real))).status).toBe(200);
    expectThrottled(await mallory.try(username, PASSWORD, headers(99, real)));
    expect(isSignedIn(await guesser().try(username, PASSWORD))).toBe(true);
    // Empties the counters of the proxy's own address for the next case.
    server.tick(QUARTER + 1000);
  });

  test("a trusted proxy names two people in turn → two buckets", async () => {
    const { username } = await server.addPerson();
    expect(await guesser().wrong(username, 10)).toEqual(all(200, 10));
    expect(isSignedIn(await guesser().try(username, PASSWORD))).toBe(true);
  });
});

describe("EN-07 IPv6", () => {
  test("rotated within one /64 → one bucket; the next /64 is another", async () => {
    const { username } = await server.addPerson();
    for (let at = 0; at < 10; at += 1)
      expect((await guesser(`2001:db8:1:2:${at}:${at}:ab:${at}`).try(username, "x")).status).toBe(200);
    expectThrottled(await guesser("2001:DB8:1:2::99").try(username, PASSWORD));
    expectThrottled(await guesser("[2001:db8:0001:0002::98]:4711").try(username, PASSWORD));
    expect(isSignedIn(await guesser("2001:db8:1:3::1").try(username, PASSWORD))).toBe(true);
  });

  test("::ffff:a.b.c.d and a.b.c.d → one bucket", async () => {
    const { username } = await server.addPerson();
    expect(await guesser("198.51.100.7").wrong(username, 5)).toEqual(all(200, 5));
    expect(await guesser("::ffff:198.51.100.7").wrong(username, 5)).toEqual(all(200, 5));
    expectThrottled(await guesser("::FFFF:198.51.100.7").try(username, PASSWORD));
    expectThrottled(await guesser("198.51.100.7:4711").try(username, PASSWORD));
    expect(isSignedIn(await guesser("::ffff:198.51.100.8").try(username, PASSWORD))).toBe(true);
  });
});

describe("EN-08 parallel guesses", () => {
  test("100 wrong passwords at once → ten are looked at, ninety are 429", async () => {
    const { username } = await server.addPerson();
    const mallory = guesser();
    await mallory.try("nobody", "x");
    const before = server.log.filter((line) => line.includes("sign_in_failed")).length;
    const pages = await Promise.all(Array.from({ length: 100 }, (_, at) => mallory.try(username, `wrong ${at}`)));
    const looked = pages.filter(({ status }) => status === 200).length;
    expect([looked, pages.filter(({ status }) => status === 429).length]).toEqual([10, 90]);
    expect(server.log.filter((line) => line.includes("sign_in_failed")).length - before).toBe(10);
    expectThrottled(await mallory.try(username, PASSWORD));
  });

  test("100 at once, from 100 networks → fifty are looked at", async () => {
    const { username } = await server.addPerson();
    const everywhere = networks(100).map(guesser);
    await Promise.all(everywhere.map((one) => one.try("", "")));
    const pages = await Promise.all(everywhere.map((one) => one.try(username, "x")));
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(50);
  });
});

describe("EN-13 restart", () => {
  test("while throttled → still throttled, and the window ends when it would have", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "assent-restart-"));
    const first = await startServer({ dataDir });
    const { username } = await first.addPerson();
    expect(await new Guesser(first.issuer).wrong(username, 10)).toEqual(all(200, 10));
    await first.assent.close();

    const second = await startServer({ dataDir });
    const mallory = new Guesser(second.issuer);
    expectThrottled(await mallory.try(username, PASSWORD));
    second.tick(QUARTER + 1000);
    expect(isSignedIn(await mallory.try(username, PASSWORD))).toBe(true);
    await second.stop();
    await first.stop();
  });
});

describe("DS-15 the person's own browser", () => {
  /** A browser that has signed in and out again. */
  async function knownBrowser(username: string): Promise<Guesser> {
    const alice = guesser();
    expect(isSignedIn(await alice.try(username, PASSWORD))).toBe(true);
    alice.agent.cookies.delete("assent_session");
    return alice;
  }

  test("wrong passwords for alice from everywhere → alice signs in from her browser; a new browser waits", async () => {
    const { username } = await server.addPerson();
    const alice = await knownBrowser(username);
    for (const address of networks(6)) await guesser(address).wrong(username, 10);
    expectThrottled(await guesser().try(username, PASSWORD));
    expect(isSignedIn(await alice.try(username, PASSWORD))).toBe(true);
  });

  test("her own network is full → she signs in", async () => {
    const { username } = await server.addPerson();
    const address = aNetwork();
    const alice = new Guesser(server.issuer, { address });
    expect(isSignedIn(await alice.try(username, PASSWORD))).toBe(true);
    alice.agent.cookies.delete("assent_session");
    for (let at = 0; at < 50; at += 1) await guesser(address).try(`nobody-${at}`, "x");
    expectThrottled(await guesser(address).try(username, PASSWORD));
    expect(isSignedIn(await alice.try(username, PASSWORD))).toBe(true);
  });

  test("11th failure in the known browser, by both her names → 429: it is no free pass", async () => {
    const { username, email } = await server.addPerson();
    const alice = await knownBrowser(username);
    expect(await alice.wrong(username, 5)).toEqual(all(200, 5));
    expect(await alice.wrong(email, 5)).toEqual(all(200, 5));
    expectThrottled(await alice.try(username, PASSWORD));
    expectThrottled(await alice.try(email, PASSWORD));
  });

  test("the cookie of mallory's browser, changed or for another account → the common limits", async () => {
    const { username } = await server.addPerson();
    const mallory = await knownBrowser((await server.addPerson()).username);
    expect(await mallory.wrong(username, 10)).toEqual(all(200, 10));
    expectThrottled(await mallory.try(username, PASSWORD));
    const device = mallory.agent.cookies.get("assent_device") ?? "";
    mallory.agent.cookies.set("assent_device", `${device.slice(0, -1)}${device.endsWith("A") ? "B" : "A"}`);
    expectThrottled(await mallory.try(username, PASSWORD));
    expect(isSignedIn(await guesser().try(username, PASSWORD))).toBe(true);
  });
});
