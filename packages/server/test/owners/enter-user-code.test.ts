/** Connecting devices: what floods of requests and of wrong codes leave to others. */

import { expect, test } from "vitest";
import { admitDevice, type CodeReader, enterUserCode } from "../../src/owners/enter-user-code.ts";
import type { KnownDevice } from "../../src/owners/known-device-storage.ts";
import { onEveryBackend } from "../storage/support/backends.ts";
import { aClaim, aDevice as aWaitingDevice } from "../storage/support/device-builders.ts";
import { aPerson, DAY, MINUTE, NOW } from "../storage/support/record-builders.ts";

let serial = 0;
const fresh = (what: string) => {
  serial += 1;
  return `${what} ${serial}`;
};

onEveryBackend("devices that wait", (storage) => {
  const SHARES = { ceilings: [30, 40], network: [10, 3, 1], provider: [20, 4, 2] } as const;
  const setUp = () => {
    const clock = { now: NOW };
    const context = {
      storage: storage(),
      attemptKey: (...parts: readonly string[]) => JSON.stringify(parts),
      policy: { deviceTtl: 10 * MINUTE },
      now: () => clock.now,
    };
    const clientId = fresh("client");
    const ask = async (times: number, from: { network?: string; provider?: string } = {}) => {
      let admitted = 0;
      for (let at = 0; at < times; at += 1)
        if (
          await admitDevice(
            { clientId, network: fresh("network"), provider: fresh("provider"), ...from },
            context,
            SHARES,
          )
        )
          admitted += 1;
      return admitted;
    };
    return { clock, ask };
  };

  test("one /48, a fresh /64 each → so many of the /48, far fewer than in all; others go on", async () => {
    const { clock, ask } = setUp();
    const provider = fresh("provider");
    expect(await ask(25, { provider })).toBe(20);
    expect(await ask(9)).toBe(9);
    expect(await ask(1, { provider })).toBe(0);
    clock.now += 10 * MINUTE;
    expect(await ask(1, { provider })).toBe(1);
  });

  test("the whole is reached, by as many providers as it takes → those who have few go on, each with fewer", async () => {
    const { ask } = setUp();
    const quiet = { network: fresh("network"), provider: fresh("provider") };
    expect(await ask(1, quiet)).toBe(1);
    expect(await ask(20, { provider: fresh("provider") })).toBe(20);
    expect(await ask(9, { provider: fresh("provider") })).toBe(9);
    expect(await ask(5, quiet)).toBe(2);
    expect(await ask(5, { provider: fresh("provider") })).toBe(4);
    while ((await ask(5, { provider: fresh("provider") })) > 2);
    expect(await ask(5, { provider: fresh("provider") })).toBe(2);
    expect(await ask(2, { network: fresh("network"), provider: quiet.provider })).toBe(0);
    expect(await ask(1)).toBe(1);
  });
});

onEveryBackend("codes that are guessed", (storage) => {
  const SHARES = { ceilings: [30], network: [20, 5], provider: [25, 8] } as const;
  const RIGHT = "BCDF-GHJK";
  const setUp = async () => {
    const clock = { now: NOW };
    const waiting = aWaitingDevice({ expiresAt: NOW + DAY });
    await storage().deviceRequests.create(waiting);
    const { partition, userCodeHash } = aClaim(waiting);
    const context = {
      storage: storage(),
      // A key of its own for each test: the count in all would be shared with the others.
      attemptKey: (
        (test) =>
        (...parts: readonly string[]) =>
          JSON.stringify([test, ...parts])
      )(fresh("test")),
      userCodes: {
        draw: () => ({ userCode: RIGHT, requestId: waiting.requestId, partition, userCodeHash }),
        keysOf: (code: string) => (code === "BCDFGHJK" ? [{ partition, userCodeHash }] : []),
      },
      now: () => clock.now,
    };
    const enter = async (typed: string, from: Partial<CodeReader> = {}) => {
      const reader = { personId: fresh("person"), sessionId: "session-1", before: null, device: undefined };
      const place = { network: fresh("network"), provider: fresh("provider") };
      return (await enterUserCode(typed, { ...reader, ...place, ...from }, context, SHARES)).kind;
    };
    const wrong = async (times: number, from: Partial<CodeReader> = {}) => {
      let looked = 0;
      for (let at = 0; at < times; at += 1) looked += (await enter("ZZZZ-ZZZZ", from)) === "unknown" ? 1 : 0;
      return looked;
    };
    return { clock, enter, wrong };
  };

  test("more wrong codes a minute than in all → right codes of others are found; whoever guesses has fewer", async () => {
    const { clock, enter, wrong } = await setUp();
    const [network, provider] = [fresh("network"), fresh("provider")];
    expect(await wrong(40, { network, provider })).toBe(20);
    expect(await wrong(40, { provider })).toBe(5);
    expect(await wrong(10)).toBe(10);
    const personId = fresh("person");
    expect(await wrong(4, { personId })).toBe(2);
    expect(await wrong(6, { network: fresh("network"), provider: fresh("provider") })).toBe(5);
    expect(await enter(RIGHT)).toBe("found");
    expect(await enter(RIGHT, { network, provider })).toBe("throttled");
    clock.now += 15 * MINUTE;
    expect(await enter(RIGHT, { network, provider })).toBe("found");
  });

  test("a person in a network where somebody guesses → goes on in a browser of theirs that is a week old; a new one waits", async () => {
    const { enter, wrong } = await setUp();
    const office = { network: fresh("network"), provider: fresh("provider") };
    expect(await wrong(21, office)).toBe(20);
    const person = aPerson();
    const device = (firstSeenAt: number, { personId, partition } = person): KnownDevice => ({
      ...{ personId, partition, firstSeenAt, deviceId: fresh("device"), generation: 0, first: false },
      ...{
        handedOut: false,
        bound: true,
        used: true,
        appearedAt: NOW,
        oldest: false,
        lastSeenAt: NOW,
        endedAt: null,
        address: null,
        userAgent: null,
      },
    });
    const { personId } = person;
    expect(await enter(RIGHT, { ...office, personId, device: device(NOW) })).toBe("throttled");
    expect(await enter(RIGHT, { ...office, personId, device: device(NOW - 7 * DAY, aPerson()) })).toBe("throttled");
    expect(await enter(RIGHT, { ...office, personId, device: device(NOW - 7 * DAY) })).toBe("found");
    expect(await wrong(9, { ...office, personId, device: device(NOW - 7 * DAY) })).toBe(5);
  });
});
