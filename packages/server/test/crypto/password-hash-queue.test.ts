/**
 * The queue for password hashes: how one network's requests affect it and others. These tests check order and counts,
 * never time.
 */

import { expect, test } from "vitest";
import {
  MAX_OF_ACCOUNT,
  MAX_OF_PERSON,
  MAX_WAITING,
  PasswordHashQueue,
  PasswordQueueFull,
} from "../../src/crypto/password-hash-queue.ts";
import { originOf } from "../../src/http/connections/client-address.ts";
import type { HashRequester } from "../../src/owners/password-hash-requester.ts";

/** `allocation` is optional here, because only tests of providers need it. */
type Asked = Omit<HashRequester, "allocation"> & Partial<HashRequester>;

/** A queue with one hash at a time. The test decides when each hash ends. */
function setUp() {
  const line = new PasswordHashQueue(() => 1);
  const running: { readonly who: string; end(): void }[] = [];
  const made: string[] = [];
  const sentAway: string[] = [];
  const ask = (who: string, asked: Asked) => {
    const whose = { allocation: asked.provider, ...asked };
    const { promise, resolve } = Promise.withResolvers<void>();
    line
      .inTurn(whose, () => {
        running.push({ who, end: resolve });
        made.push(who);
        return promise;
      })
      .catch((error: unknown) => {
        if (!(error instanceof PasswordQueueFull)) throw error;
        sentAway.push(who);
      });
  };
  /** Finishes this number of hashes, one after another. */
  const finish = async (times: number) => {
    await soon();
    for (let at = 0; at < times && running.length > 0; at += 1) {
      running.shift()?.end();
      await soon();
    }
  };
  return { line, ask, finish, made, sentAway };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A requester in one /48, with its own network and name. */
const from48 = (at: number): HashRequester => ({
  allocation: "2001:db8::/32",
  provider: "2001:db8:77::/48",
  network: `2001:db8:77:${at.toString(16)}::/64`,
  account: `nobody${at}`,
  known: false,
});
const newcomer: HashRequester = {
  ...{ allocation: "198.51.100.0/24", provider: "198.51.100.0/24", network: "198.51.100.9" },
  ...{ account: "alice", known: false },
};
const owner: HashRequester = { ...newcomer, known: true };

test.each([
  ["a stranger", newcomer],
  ["a known device", owner],
])("one /48 fills the line → %s from elsewhere is the next", async (_, whose) => {
  const { line, ask, finish, made, sentAway } = setUp();
  for (let at = 0; at < 3 * MAX_WAITING; at += 1) ask("flood", from48(at));
  await soon();
  expect([line.waiting, sentAway.length]).toEqual([MAX_WAITING, 2 * MAX_WAITING - 1]);
  expect(() => line.requireRoom(from48(9_999))).toThrow(PasswordQueueFull);
  expect(() => line.requireRoom(whose)).not.toThrow();
  ask("alice", whose);
  await finish(2);
  expect(made.indexOf("alice")).toBeLessThanOrEqual(2);
  expect(sentAway).not.toContain("alice");
});

test.each([
  ["a stranger", newcomer],
  ["a known device", owner],
])("one /32 fills the line, with one in each of its /48 → %s from elsewhere is the next", async (_, whose) => {
  const { line, ask, finish, made, sentAway } = setUp();
  const flood = (count: number) => {
    for (let at = 0; at < count; at += 1)
      ask("flood", { ...originOf(`2001:db8:${at.toString(16)}::1`), account: `nobody${at}`, known: false });
  };
  flood(256);
  await soon();
  expect([line.waiting, sentAway.length]).toEqual([MAX_WAITING, 256 - MAX_WAITING - 1]);
  expect(() => line.requireRoom(from48(9_999))).toThrow(PasswordQueueFull);
  expect(() => line.requireRoom(whose)).not.toThrow();
  ask("alice", whose);
  flood(100);
  await finish(2);
  expect(made.indexOf("alice")).toBeLessThanOrEqual(2);
  expect(made).toContain("alice");
  expect(sentAway).not.toContain("alice");
});

test("twenty hosting networks fill the line, without end → a newcomer waits for one hash of each at the most", async () => {
  const { line, ask, finish, made, sentAway } = setUp();
  const flood = (times: number) => {
    for (let at = 0; at < times; at += 1) {
      const provider = `203.0.${at % 20}.0/24`;
      ask("flood", { provider, network: `${provider} ${at}`, account: `nobody${at}`, known: false });
    }
  };
  flood(500);
  ask("alice", newcomer);
  for (let round = 0; round < 21; round += 1) {
    flood(100);
    await finish(1);
  }
  expect([made.includes("alice"), sentAway.includes("alice")]).toEqual([true, false]);
  expect(line.waiting).toBe(MAX_WAITING - 1);
});

test("known devices fill their line from one address → strangers and other known devices have their turn, one of each at a time", async () => {
  const { ask, finish, made } = setUp();
  for (let at = 0; at < 300; at += 1)
    ask("flood", { provider: "192.0.2.0/24", network: "192.0.2.1", account: `mallory${at % 30}`, known: true });
  ask("stranger", { ...newcomer, allocation: "203.0.113.0/24", provider: "203.0.113.0/24" });
  ask("alice", owner);
  await finish(4);
  expect(made).toContain("stranger");
  expect(made).toContain("alice");
});

test("one member of a company's network fills the line under many names → colleagues wait behind one of each name; known ones are next", async () => {
  const { ask, finish, made, sentAway } = setUp();
  const office = { provider: "192.0.2.0/24", network: "192.0.2.1" };
  for (let at = 0; at < 300; at += 1) ask("flood", { ...office, account: `nobody${at % 30}`, known: false });
  ask("colleague", { ...office, account: "bob", known: false });
  ask("known colleague", { ...office, account: "carol", known: true });
  await finish(2);
  expect(made).toContain("known colleague");
  await finish(32);
  expect(made).toContain("colleague");
  expect(sentAway).not.toContain("colleague");
});

test("a full line in which nobody has more than the newcomer → the newcomer is sent away, and no other", async () => {
  const { line, ask, sentAway } = setUp();
  const alone = (at: number): HashRequester => ({
    allocation: `allocation ${at}`,
    provider: `provider ${at}`,
    network: `network ${at}`,
    account: "a",
    known: false,
  });
  for (let at = 0; at <= MAX_WAITING; at += 1) ask(`${at}`, alone(at));
  expect(() => line.requireRoom(alone(999))).toThrow(PasswordQueueFull);
  ask("late", alone(999));
  await soon();
  expect(sentAway).toEqual(["late"]);
});

test("one account from one network → so many at a time; then again as many", async () => {
  const { line, ask, finish, made, sentAway } = setUp();
  for (let at = 0; at < 50; at += 1) ask("alice", newcomer);
  await soon();
  expect([line.waiting, sentAway.length]).toEqual([MAX_OF_ACCOUNT - 1, 50 - MAX_OF_ACCOUNT]);
  // The same name in another network has its own limit, so nobody can block an owner by using their name.
  ask("alice elsewhere", { ...newcomer, network: "198.51.100.10" });
  await finish(2);
  expect(made).toContain("alice elsewhere");
  await finish(MAX_OF_ACCOUNT);
  expect([line.running, line.waiting]).toEqual([0, 0]);
  ask("alice again", newcomer);
  await soon();
  expect(made.at(-1)).toBe("alice again");
});

test("two people's known devices on 200 networks → so many of each person at a time; an owner on their own device is served", async () => {
  const { line, ask, finish, made, sentAway } = setUp();
  for (let at = 0; at < 200; at += 1) {
    const provider = `2001:db8:${at.toString(16)}::/48`;
    const from = { allocation: provider, provider, network: `${provider} ${at}`, known: true };
    for (const account of ["mallory", "trudy"]) for (let of = 0; of < 10; of += 1) ask("flood", { ...from, account });
  }
  await soon();
  expect([line.running + line.waiting, sentAway.length]).toEqual([2 * MAX_OF_PERSON, 4_000 - 2 * MAX_OF_PERSON]);
  expect(() => line.requireRoom(owner)).not.toThrow();
  ask("alice", owner);
  await finish(2 * MAX_OF_PERSON);
  expect([made.includes("alice"), sentAway.includes("alice")]).toEqual([true, false]);
  // A stranger's requests with the owner's name don't count against the owner.
  for (let at = 0; at < 10; at += 1) ask("stranger", { ...newcomer, account: "mallory" });
  ask("mallory again", { ...owner, account: "mallory" });
  await finish(20);
  expect(made).toContain("mallory again");
});

test("operators' hashes → as many at a time as an account has from one network", async () => {
  const { line, ask, sentAway } = setUp();
  for (let at = 0; at < 20; at += 1) ask("own", { provider: "", network: "", account: "", known: true });
  await soon();
  expect([line.running + line.waiting, sentAway.length]).toEqual([MAX_OF_ACCOUNT, 20 - MAX_OF_ACCOUNT]);
});

test("work that fails → the next has its turn", async () => {
  const line = new PasswordHashQueue(() => 1);
  const failed = line.inTurn(newcomer, () => Promise.reject(new Error("broken")));
  const done = line.inTurn(owner, async () => "made");
  await expect(failed).rejects.toThrow("broken");
  expect(await done).toBe("made");
  expect([line.running, line.waiting]).toEqual([0, 0]);
});
