import { expect, test } from "vitest";
import {
  admitGuess,
  CODE_LIMITS,
  FROM_A_NETWORK,
  FROM_A_PROVIDER,
  type Guess,
  type Guessed,
  PASSWORD_LIMITS,
  TRIES,
} from "../../src/owners/guessing-limits.ts";
import type { KnownDevice } from "../../src/owners/known-device-storage.ts";
import type { Person } from "../../src/owners/storage.ts";
import { onEveryBackend } from "../storage/support/backends.ts";
import { aPerson, DAY, HOUR, MINUTE, NOW } from "../storage/support/record-builders.ts";

const QUARTER = 15 * MINUTE;

/** `anId()`-like names, so that no two tests share a counter. */
let serial = 0;
const aNetwork = () => {
  serial += 1;
  return `network ${serial}`;
};

function aDevice({ partition, personId }: Person): KnownDevice {
  serial += 1;
  return {
    ...{
      partition,
      personId,
      deviceId: `device ${serial}`,
      generation: 0,
      first: false,
      handedOut: false,
      bound: true,
      used: true,
      oldest: false,
    },
    ...{ firstSeenAt: NOW, appearedAt: NOW, endedAt: null, lastSeenAt: NOW, address: null, userAgent: null },
  };
}

onEveryBackend("guesses at an account", (storage) => {
  const setUp = (guessed: Guessed, person: Person | undefined = aPerson()) => {
    const clock = { now: NOW };
    const alarms: Guessed[] = [];
    const context = {
      storage: storage(),
      attemptKey: (...parts: readonly string[]) => JSON.stringify(parts),
      alarm: (_: Person, what: Guessed) => void alarms.push(what),
      now: () => clock.now,
    };
    serial += 1;
    const login = person?.username ?? `nobody ${serial}`;
    const guess = (changes: Partial<Guess>) =>
      admitGuess({ guessed, person, login, network: aNetwork(), device: undefined, ...changes }, context);
    /** So many in a row; how many were let through. */
    const wrong = async (times: number, changes: Partial<Guess> = {}) => {
      let allowed = 0;
      for (let each = 0; each < times; each += 1) allowed += (await guess(changes)).kind === "allowed" ? 1 : 0;
      return allowed;
    };
    return { clock, alarms, guess, wrong, person: person ?? aPerson() };
  };

  test.each([
    ["password", PASSWORD_LIMITS],
    ["code", CODE_LIMITS],
  ] as const)(
    "%s: strangers → so many of a network, so many in an hour; from the day's ceiling on fewer",
    async (guessed, limits) => {
      const { clock, alarms, wrong } = setUp(guessed);
      expect(await wrong(limits.network + 2, { network: aNetwork() })).toBe(limits.network);
      expect(alarms).toEqual([]);
      expect(await wrong(limits.hour)).toBe(limits.hour - limits.network);
      expect(alarms.length).toBeGreaterThan(0);
      for (let seen = limits.hour; seen < limits.day; seen += limits.hour) {
        clock.now += HOUR;
        expect(await wrong(limits.hour + 1)).toBe(limits.hour);
      }
      clock.now += HOUR;
      expect(await wrong(limits.hour)).toBe(limits.strangersLater);
      clock.now = NOW + DAY;
      expect(await wrong(limits.hour + 1)).toBe(limits.hour);
    },
  );

  test.each([
    ["password", PASSWORD_LIMITS],
    ["code", CODE_LIMITS],
  ] as const)(
    "%s: known devices → their own limits; above a ceiling fewer, and never none",
    async (guessed, limits) => {
      const { clock, alarms, wrong, guess, person } = setUp(guessed);
      const devices = Array.from({ length: 10 }, () => aDevice(person));
      const own = aDevice(person);
      const [full, narrowed, least] = limits.device;
      const round = async () => {
        let allowed = 0;
        for (const device of devices) allowed += await wrong(full + 1, { device });
        return allowed;
      };
      const filling = limits.hour / full;
      expect(await round()).toBe(limits.hour + (devices.length - filling) * narrowed);
      expect(alarms.length).toBeGreaterThan(0);
      // Strangers share the ceiling, the owner's device doesn't wait for it.
      expect(await wrong(1)).toBe(0);
      expect(await wrong(narrowed + 1, { device: own })).toBe(narrowed);
      let seen = limits.hour + (devices.length - filling) * narrowed + narrowed;
      while (seen < limits.day) {
        clock.now += HOUR;
        seen += await round();
      }
      clock.now += QUARTER;
      expect(await round()).toBe(devices.length * least);
      expect(await wrong(least + 1, { device: own })).toBe(least);
      const refused = await guess({ device: own });
      if (refused.kind === "allowed") throw new Error("not refused");
      expect(refused.until - clock.now).toBeLessThanOrEqual(QUARTER);
      clock.now = refused.until;
      const admitted = await guess({ device: own });
      if (admitted.kind !== "allowed") throw new Error("not admitted");
      await admitted.right();
      // A right answer empties the device's own counter, whatever the ceilings are.
      expect(await wrong(1, { device: own })).toBe(least);
    },
  );

  test("another person's device → a stranger's limits", async () => {
    const { wrong } = setUp("password");
    const device = aDevice(aPerson());
    expect(await wrong(PASSWORD_LIMITS.network + 1, { device, network: aNetwork() })).toBe(PASSWORD_LIMITS.network);
  });

  test("a name that nobody has → the same limits, no alarm", async () => {
    const clock = { now: NOW };
    const alarms: unknown[] = [];
    const attemptKey = (...parts: readonly string[]) => JSON.stringify(parts);
    const alarm = (person: Person) => void alarms.push(person);
    const context = { storage: storage(), attemptKey, alarm, now: () => clock.now };
    serial += 1;
    const login = `nobody ${serial}`;
    const nobody = { guessed: "password", person: undefined, login, device: undefined } as const;
    let allowed = 0;
    for (let each = 0; each < PASSWORD_LIMITS.hour + 5; each += 1)
      allowed += (await admitGuess({ ...nobody, network: aNetwork() }, context)).kind === "allowed" ? 1 : 0;
    expect([allowed, alarms]).toEqual([PASSWORD_LIMITS.hour, []]);
  });

  test("never looked at → not counted; right → the shared counters count it as none", async () => {
    const { wrong, guess } = setUp("password");
    for (let each = 0; each < PASSWORD_LIMITS.day + 1; each += 1) {
      const admitted = await guess({});
      if (admitted.kind !== "allowed") throw new Error(`throttled at ${each}`);
      await (each % 2 === 0 ? admitted.unseen() : admitted.right());
    }
    expect(await wrong(PASSWORD_LIMITS.hour + 1)).toBe(PASSWORD_LIMITS.hour);
  });

  test("names that nobody has, each from another /64 of one /48 → so many of the /48; another one and known devices go on", async () => {
    const { clock, guess, person } = setUp("password");
    const provider = aNetwork();
    const nobody = () => ({ person: undefined, login: aNetwork(), provider });
    for (let each = 0; each < FROM_A_PROVIDER; each += 1) expect((await guess(nobody())).kind).toBe("allowed");
    expect((await guess(nobody())).kind).toBe("throttled");
    expect((await guess({ provider })).kind).toBe("throttled");
    expect((await guess({ provider: aNetwork() })).kind).toBe("allowed");
    expect((await guess({ provider, device: aDevice(person) })).kind).toBe("allowed");
    clock.now += QUARTER;
    expect((await guess(nobody())).kind).toBe("allowed");
  });

  test("right passwords without end from one network or device → so many; elsewhere and of others as many again", async () => {
    const { clock, guess, person } = setUp("password");
    const provider = aNetwork();
    const rights = async (times: number, from: Partial<Guess>) => {
      let allowed = 0;
      for (let each = 0; each < times; each += 1) {
        const admitted = await guess({ provider, ...from });
        if (admitted.kind !== "allowed") continue;
        allowed += 1;
        await admitted.right();
      }
      return allowed;
    };
    const [network, device] = [aNetwork(), aDevice(person)];
    expect(await rights(TRIES + 2, { network })).toBe(TRIES);
    expect(await rights(TRIES + 2, { network, device })).toBe(TRIES);
    // Neither the network nor the provider is used up: a company signs in behind one address.
    const colleague = aPerson();
    for (let each = 0; each <= Math.ceil(FROM_A_PROVIDER / FROM_A_NETWORK); each += 1)
      expect(await rights(FROM_A_NETWORK, { network, person: aPerson(), login: aNetwork() })).toBe(FROM_A_NETWORK);
    expect(await rights(1, { network, person: colleague, login: colleague.username })).toBe(1);
    expect(await rights(1, { network: aNetwork() })).toBe(1);
    clock.now += QUARTER;
    expect(await rights(1, { network })).toBe(1);
  });

  test("forty at once from one device above the hour's ceiling → as many as it may have", async () => {
    const { wrong, guess, person } = setUp("code");
    await wrong(CODE_LIMITS.hour);
    const device = aDevice(person);
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => guess({ device })));
    expect(outcomes.filter(({ kind }) => kind === "allowed")).toHaveLength(CODE_LIMITS.device[1]);
  });
});
