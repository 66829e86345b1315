import { describe, expect, test } from "vitest";
import { KNOWN_DEVICE_TTL, MOST_KNOWN_DEVICES } from "../../../src/owners/known-device-storage.ts";
import type { NewSession, Person } from "../../../src/owners/storage.ts";
import { backends, onEveryBackend } from "../support/backends.ts";
import { byHand } from "../support/raw-statements.ts";
import {
  aHash,
  anId,
  aPasskey,
  aPerson,
  aSession,
  aStoredPerson,
  DAY,
  FROM_OWNER,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("a known device", (storage) => {
  /** Signs in, and returns the new id of the device. */
  const signIn = async (person: Person, changes: Partial<NewSession> = {}) => {
    const session = aSession(person, changes);
    const seen = await storage().sessions.create(session);
    if (seen === undefined) throw new Error("the session was not made");
    return { ...seen, session };
  };
  const known = ({ partition, personId }: Person, deviceId: string) =>
    storage().knownDevices.get({ partition, personId, deviceId });
  const bound = async (person: Person, deviceId: string) => (await known(person, deviceId))?.bound;
  const again = (deviceId: string, generation = 0, now = NOW + HOUR) => ({
    ...{ now, authTime: now, idleUntil: now + HOUR, absoluteUntil: now + DAY },
    device: { presented: { deviceId, generation }, freshId: anId() },
  });
  /** Sets another password. `sessionId`: the session of the browser that asks for it. */
  const anotherPassword = async (person: Person, now: number, sessionId?: string): Promise<Person> => {
    const ends = { mustChange: false, endGrants: false, keepSessionId: null };
    const asked = sessionId === undefined ? {} : { sessionId };
    await storage().people.setPassword({ ...person, ...asked, passwordHash: "another", ...ends, now });
    return { ...person, passwordChangedAt: now };
  };

  test("that nobody signed in with, of another person, of nobody → undefined", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const { deviceId } = await signIn(person);
    expect(await known(person, anId())).toBeUndefined();
    expect(await known(other, deviceId)).toBeUndefined();
    expect(await known(aPerson(), deviceId)).toBeUndefined();
    expect(await storage().knownDevices.list(other)).toEqual([]);
  });

  test("of a sign-in that came to nothing → unknown", async () => {
    const person = await aStoredPerson(storage());
    await anotherPassword(person, NOW + 1);
    const late = aSession(person, { now: NOW + 2 });
    expect(await storage().sessions.create(late)).toBeUndefined();
    const key = { ...person, device: late.device, address: null, userAgent: null, now: NOW + 2 };
    expect(await storage().knownDevices.remember(key)).toBeUndefined();
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW + 3 });
    expect(await storage().knownDevices.remember({ ...key, passwordChangedAt: NOW + 1 })).toBeUndefined();
    expect(await storage().knownDevices.remember({ ...key, ...aPerson() })).toBeUndefined();
    expect(await storage().knownDevices.list(person)).toEqual([]);
  });

  test("signed in with → known, bound, the first of its account; the session names it", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId, generation, session } = await signIn(person, { address: "192.0.2.7", userAgent: "Firefox" });
    expect([deviceId, generation]).toEqual([session.device.freshId, 0]);
    expect(await known(person, deviceId)).toEqual({
      ...{
        partition: person.partition,
        personId: person.personId,
        deviceId,
        generation: 0,
        first: true,
        handedOut: false,
        bound: true,
        used: true,
        endedAt: null,
        oldest: true,
      },
      ...{ firstSeenAt: NOW, appearedAt: NOW, lastSeenAt: NOW, address: "192.0.2.7", userAgent: "Firefox" },
    });
    expect(await storage().sessions.list({ ...person, now: NOW })).toMatchObject([{ deviceId }]);
    const second = await signIn(person, { now: NOW + MINUTE });
    expect((await storage().knownDevices.list(person)).map((one) => [one.deviceId, one.first])).toEqual([
      [second.deviceId, false],
      [deviceId, true],
    ]);
  });

  test("signed in with again → the same device, seen since the first time", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId } = await signIn(person);
    const next = await signIn(person, { ...again(deviceId), address: "192.0.2.8", userAgent: null });
    expect([next.deviceId, next.generation]).toEqual([deviceId, 0]);
    expect(await storage().knownDevices.list(person)).toMatchObject([
      { deviceId, first: true, firstSeenAt: NOW, lastSeenAt: NOW + HOUR, address: "192.0.2.8", userAgent: null },
    ]);
  });

  test("with a cookie that nobody has, or of another person → another device", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const { deviceId } = await signIn(other);
    for (const presented of [deviceId, anId()]) {
      const next = await signIn(person, again(presented));
      expect(next.deviceId).not.toBe(presented);
    }
    expect((await storage().knownDevices.list(other)).map((one) => one.lastSeenAt)).toEqual([NOW]);
  });

  test("another password → not bound; bound anew by a sign-in, with a cookie that older copies don't match", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId, session } = await signIn(person);
    const changed = await anotherPassword(person, NOW + 1, session.sessionId);
    expect(await known(person, deviceId)).toMatchObject({ bound: false, firstSeenAt: NOW, generation: 0 });
    const next = await signIn(changed, again(deviceId));
    expect([next.deviceId, next.generation]).toEqual([deviceId, 1]);
    expect(await known(person, deviceId)).toMatchObject({ bound: true, firstSeenAt: NOW, generation: 1, first: true });
    // Somebody who signs in with a copy of the old cookie gets another device.
    const copy = await signIn(changed, again(deviceId, 0));
    expect(copy.deviceId).not.toBe(deviceId);
    expect(await known(person, copy.deviceId)).toMatchObject({ firstSeenAt: NOW + HOUR, first: false });
  });

  test("another browser's session, ended by a new password or from the list → its device begins anew, that of the one that asks goes on", async () => {
    for (const how of ["password", "operator", "list"] as const) {
      const person = await aStoredPerson(storage());
      const own = await signIn(person);
      const other = await signIn(person);
      const { sessionId } = own.session;
      const key = { partition: person.partition, personId: person.personId };
      const ended = how === "list";
      if (ended) await storage().sessions.endOne({ ...key, ends: other.session.sessionId, sessionId, now: NOW + 1 });
      const changed = ended
        ? person
        : await anotherPassword(person, NOW + 1, how === "operator" ? undefined : sessionId);
      for (const { deviceId } of [own, other]) await signIn(changed, again(deviceId));
      const since = async ({ deviceId }: typeof own) => (await known(person, deviceId))?.firstSeenAt;
      expect([how, await since(own), await since(other)]).toEqual([
        how,
        how === "operator" ? NOW + HOUR : NOW,
        NOW + HOUR,
      ]);
    }
  });

  test("a session ended from the list, of the device that asks, of somebody else, of nobody → no device begins anew", async () => {
    const [person, stranger] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const own = await signIn(person);
    const copy = await signIn(person, again(own.deviceId, 0, NOW + MINUTE));
    const theirs = await signIn(stranger);
    const key = { partition: person.partition, personId: person.personId, sessionId: own.session.sessionId, now: NOW };
    for (const { session } of [copy, theirs]) await storage().sessions.endOne({ ...key, ends: session.sessionId });
    expect(await storage().sessions.endOne({ ...key, ends: "nobody's" })).toBe(false);
    expect(await storage().sessions.list({ ...person, now: NOW })).toHaveLength(1);
    expect(await bound(person, own.deviceId)).toBe(true);
    expect(await bound(stranger, theirs.deviceId)).toBe(true);
  });

  test("a passkey or an authenticator added → not bound; taken away again → as before", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId } = await signIn(person);
    const passkey = aPasskey(person, { createdAt: NOW + 1 });
    await storage().passkeys.add({ passkey, now: NOW + 1 });
    expect(await bound(person, deviceId)).toBe(false);
    await storage().passkeys.remove({ ...passkey, now: NOW + 2 });
    expect(await bound(person, deviceId)).toBe(true);
    await storage().secondFactors.set({
      ...person,
      sealedSecret: aHash(),
      step: 1,
      codes: ["a"],
      added: FROM_OWNER,
      now: NOW + 3,
    });
    expect(await bound(person, deviceId)).toBe(false);
    await signIn(person, again(deviceId));
    expect(await bound(person, deviceId)).toBe(true);
    // New recovery codes, and the use of a code or passkey, let nobody sign in who couldn't before.
    await storage().secondFactors.setRecoveryCodes({ ...person, codes: ["b"], added: FROM_OWNER, now: NOW + 2 * HOUR });
    await storage().secondFactors.useRecoveryCode({ ...person, code: "b", now: NOW + 2 * HOUR });
    await storage().secondFactors.use({ ...person, step: 2, now: NOW + 2 * HOUR });
    expect(await bound(person, deviceId)).toBe(true);
    await storage().secondFactors.set({
      ...person,
      sealedSecret: aHash(),
      step: 1,
      codes: ["a"],
      added: FROM_OWNER,
      now: NOW + 2 * HOUR,
    });
    expect(await bound(person, deviceId)).toBe(false);
  });

  test("signed out everywhere → none is bound; everywhere else → that of the session alone", async () => {
    const person = await aStoredPerson(storage());
    const [one, other] = [await signIn(person), await signIn(person)];
    await storage().sessions.endAll({ ...person, keepSessionId: one.session.sessionId, now: NOW });
    expect([await bound(person, one.deviceId), await bound(person, other.deviceId)]).toEqual([true, false]);
    await storage().sessions.endAll({ ...person, now: NOW });
    expect(await storage().knownDevices.list(person)).toMatchObject([{ bound: false }, { bound: false }]);
    const next = await signIn(person, again(one.deviceId));
    expect([next.deviceId, next.generation, await bound(person, one.deviceId)]).toEqual([one.deviceId, 1, true]);
    await storage().sessions.endAll({ ...person, keepSessionId: anId(person.partition), now: NOW });
    expect(await bound(person, one.deviceId)).toBe(false);
  });

  test("of a person who was disabled, or wants to go → not bound, also after that is taken back", async () => {
    const person = await aStoredPerson(storage());
    const [one, other] = [await signIn(person), await signIn(person)];
    const leaving = { at: NOW + DAY, mails: [], now: NOW + 1 };
    await storage().people.setDeletion({ ...person, ...leaving, keepSessionId: one.session.sessionId });
    await storage().people.setDeletion({ ...person, ...leaving, at: null, keepSessionId: null });
    expect([await bound(person, one.deviceId), await bound(person, other.deviceId)]).toEqual([true, false]);
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW + 1 });
    await storage().people.setStatus({ ...person, status: "active", now: NOW + 2 });
    expect(await bound(person, one.deviceId)).toBe(false);
  });

  test("after a restore → not bound", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId } = await signIn(person);
    await storage().endAllBefore({ now: NOW + HOUR, keepConsents: true });
    expect(await known(person, deviceId)).toMatchObject({ bound: false, firstSeenAt: NOW });
  });

  test("one more than there may be → one is forgotten: of those that are older than a week, the one unused for longest", async () => {
    const person = await aStoredPerson(storage());
    const devices: string[] = [];
    for (let at = 0; at < MOST_KNOWN_DEVICES; at += 1) {
      devices.push((await signIn(person, { now: NOW + at })).deviceId);
    }
    const [first = "", second = "", third = ""] = devices;
    const later = NOW + 8 * DAY;
    await signIn(person, again(second, 0, later));
    const next = await signIn(person, { now: later + HOUR });
    const left = (await storage().knownDevices.list(person)).map(({ deviceId }) => deviceId);
    expect(left).toHaveLength(MOST_KNOWN_DEVICES);
    expect(left.slice(0, 2)).toEqual([next.deviceId, second]);
    // The account keeps its first device.
    expect([left.includes(first), left.includes(third)]).toEqual([true, false]);
    // If the clock goes back, a new device doesn't become the oldest.
    const early = await signIn(person, { now: NOW - DAY });
    expect(await bound(person, early.deviceId)).toBe(true);
    const forgotten = await signIn(person, again(third, 0, later + 2 * HOUR));
    expect(forgotten.deviceId).not.toBe(third);
    expect(await known(person, forgotten.deviceId)).toMatchObject({ firstSeenAt: later + 2 * HOUR, first: false });
  });

  test("signed out everywhere and in again → younger, but it appeared when it did", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId } = await signIn(person);
    await storage().sessions.endAll({ ...person, now: NOW });
    await signIn(person, again(deviceId));
    expect(await known(person, deviceId)).toMatchObject({ firstSeenAt: NOW + HOUR, appearedAt: NOW });
  });

  test("twenty sign-ins of new browsers at once → as many devices as there may be, one of them the first", async () => {
    const person = await aStoredPerson(storage());
    await Promise.all(Array.from({ length: 20 }, (_, at) => signIn(person, { now: NOW + at })));
    const devices = await storage().knownDevices.list(person);
    expect(devices).toHaveLength(MOST_KNOWN_DEVICES);
    expect(devices.filter(({ first }) => first).length).toBeLessThanOrEqual(1);
  });

  test("remembered without a session → bound like that of a sign-in", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId, session } = await signIn(person);
    const key = { partition: person.partition, personId: person.personId, address: "192.0.2.9", userAgent: "Chrome" };
    const changed = await anotherPassword(person, NOW + 1, session.sessionId);
    const device = { presented: { deviceId, generation: 0 }, freshId: anId() };
    const { passwordChangedAt } = changed;
    expect(await storage().knownDevices.remember({ ...key, device, passwordChangedAt, now: NOW + 2 })).toEqual({
      ...{ deviceId, generation: 1 },
    });
    expect(await known(person, deviceId)).toMatchObject({ bound: true, firstSeenAt: NOW, lastSeenAt: NOW + 2 });
  });

  test("nobody signed in with it for as long as its cookie lasts → collected", async () => {
    const person = await aStoredPerson(storage());
    const [old, used] = [await signIn(person), await signIn(person)];
    await signIn(person, again(used.deviceId, 0, NOW + DAY));
    await storage().housekeeping.collectGarbage({ now: NOW + KNOWN_DEVICE_TTL, limit: 10_000 });
    expect([await known(person, old.deviceId), await bound(person, used.deviceId)]).toEqual([undefined, true]);
  });

  test("the person is deleted → gone", async () => {
    const person = await aStoredPerson(storage());
    const { deviceId } = await signIn(person);
    await storage().people.delete({ ...person, now: NOW + 1 });
    expect(await known(person, deviceId)).toBeUndefined();
  });
});

onEveryBackend("the oldest browser of an account", (storage) => {
  const signIn = async (person: Person, changes: Partial<NewSession> = {}) =>
    (await storage().sessions.create(aSession(person, changes)))?.deviceId ?? "";
  const at = (now: number, presented: string | null = null) => ({
    ...{ now, authTime: now, idleUntil: now + HOUR, absoluteUntil: now + DAY },
    device: { presented: presented === null ? null : { deviceId: presented, generation: 0 }, freshId: anId() },
  });
  const oldest = async (person: Person) =>
    (await storage().knownDevices.list(person)).filter((one) => one.oldest).map(({ deviceId }) => deviceId);
  const operatorsPassword = (person: Person, now: number) =>
    storage().people.setPassword({
      ...{ ...person, passwordHash: "another", mustChange: false, endGrants: false, endWaysBack: true },
      ...{ keepSessionId: null, now },
    });

  test("the first to sign in is the oldest, and stays so when it is signed out everywhere and comes back weeks later", async () => {
    const person = await aStoredPerson(storage());
    const first = await signIn(person);
    await signIn(person, at(NOW + 1));
    expect(await oldest(person)).toEqual([first]);
    await storage().sessions.endAll({ ...person, now: NOW + 2 });
    await signIn(person, at(NOW + 30 * DAY, first));
    expect(await storage().knownDevices.get({ ...person, deviceId: first })).toMatchObject({
      ...{ oldest: true, first: false, firstSeenAt: NOW + 30 * DAY },
    });
  });

  test("it is no longer the first: more browsers than there may be → it is not the one that is forgotten", async () => {
    const person = await aStoredPerson(storage());
    const first = await signIn(person);
    await storage().sessions.endAll({ ...person, now: NOW + 1 });
    await signIn(person, at(NOW + 2, first));
    for (let count = 0; count < MOST_KNOWN_DEVICES; count += 1) await signIn(person, at(NOW + 8 * DAY + count));
    for (let count = 0; count < MOST_KNOWN_DEVICES; count += 1) await signIn(person, at(NOW + 17 * DAY + count));
    expect(await oldest(person)).toEqual([first]);
  });

  test("it is forgotten after a year → no other is the oldest, whoever signs in", async () => {
    const person = await aStoredPerson(storage());
    await signIn(person);
    const other = await signIn(person, at(NOW + HOUR));
    await storage().housekeeping.collectGarbage({ now: NOW + KNOWN_DEVICE_TTL, limit: 10_000 });
    await signIn(person, at(NOW + KNOWN_DEVICE_TTL, other));
    await signIn(person, at(NOW + KNOWN_DEVICE_TTL + 1));
    expect([(await storage().knownDevices.list(person)).length, await oldest(person)]).toEqual([2, []]);
  });

  test("the operator sets a password → the next to sign in is the oldest, whatever signed in before", async () => {
    const person = await aStoredPerson(storage());
    const first = await signIn(person);
    await operatorsPassword(person, NOW + 1);
    expect(await oldest(person)).toEqual([]);
    const changed = { ...person, passwordChangedAt: NOW + 1 };
    const next = await signIn(changed, at(NOW + 2));
    await signIn(changed, at(NOW + 3, first));
    expect(await oldest(person)).toEqual([next]);
  });

  test("the operator signs everybody out, or disables the person → the oldest is the same", async () => {
    const person = await aStoredPerson(storage());
    const first = await signIn(person);
    await storage().sessions.endAll({ ...person, now: NOW + 1 });
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW + 2 });
    await storage().people.setStatus({ ...person, status: "active", now: NOW + 3 });
    await signIn(person, at(NOW + 4));
    expect(await oldest(person)).toEqual([first]);
  });

  test("twenty browsers at once sign in for the first time → one is the oldest", async () => {
    const person = await aStoredPerson(storage());
    await Promise.all(Array.from({ length: 20 }, (_, count) => signIn(person, at(NOW + count))));
    expect(await oldest(person)).toHaveLength(1);
  });
});

describe.each(backends)("the oldest browsers of accounts from before they were noted, on $name", (backend) => {
  test("the migration notes the oldest that was not signed out for good; people without a browser get theirs with the next sign-in", async () => {
    const { storage, url, remove } = await backend.create();
    const [owner, ended, nobody] = [
      await aStoredPerson(storage),
      await aStoredPerson(storage),
      await aStoredPerson(storage),
    ];
    const signIn = async (person: Person, now: number) =>
      (await storage.sessions.create(aSession(person, { now })))?.deviceId ?? "";
    const first = await signIn(owner, NOW);
    await signIn(owner, NOW + 1);
    await signIn(ended, NOW);
    await byHand(
      url,
      ["UPDATE known_devices SET appeared_at = NULL WHERE person_id = $1", owner.personId],
      ["UPDATE known_devices SET revoked = 1, revoked_at = NULL WHERE person_id = $1", ended.personId],
      ["ALTER TABLE people DROP COLUMN oldest_browser_at"],
      ["DELETE FROM migrations WHERE name = $1", "oldest browsers"],
    );
    expect(await storage.migrate({ now: NOW })).toEqual(["oldest browsers"]);
    const oldest = async (person: Person) =>
      (await storage.knownDevices.list(person)).filter((one) => one.oldest).map(({ deviceId }) => deviceId);
    expect([await oldest(owner), await oldest(ended), await oldest(nobody)]).toEqual([[first], [], []]);
    const since = [await signIn(ended, NOW + 2), await signIn(nobody, NOW + 2)];
    expect([...(await oldest(ended)), ...(await oldest(nobody))]).toEqual(since);
    await remove();
  });
});
