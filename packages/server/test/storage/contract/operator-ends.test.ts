import { expect, test } from "vitest";
import { adminOf } from "../../../src/admin/context.ts";
import { setPassword } from "../../../src/admin/people.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLink, aSentLink } from "../support/mail-builders.ts";
import { anId, aSession, aStoredPerson, DAY, HOUR, NOW } from "../support/record-builders.ts";

onEveryBackend("what an operator ends", (storage) => {
  test("one session → its device begins anew at the next sign-in, as after the operator's other acts; others stay", async () => {
    const person = await aStoredPerson(storage());
    const [ended, other] = [aSession(person), aSession(person)];
    const [device, kept] = [await storage().sessions.create(ended), await storage().sessions.create(other)];
    if (device === undefined || kept === undefined) throw new Error("no session");
    const key = { partition: person.partition, sessionId: ended.sessionId, now: NOW + 1 };
    expect(await storage().sessions.revoke({ ...key, sessionId: anId(person.partition) })).toBe(false);
    expect(await storage().sessions.revoke(key)).toBe(true);
    expect(await storage().sessions.revoke(key)).toBe(false);
    const known = (deviceId: string) => storage().knownDevices.get({ ...person, deviceId });
    // The device is nobody's own browser any more. After the next sign-in, it counts as new.
    expect(await known(device.deviceId)).toMatchObject({ bound: false, endedAt: 0 });
    expect(await known(kept.deviceId)).toMatchObject({ bound: true, endedAt: null });
    const at = NOW + HOUR;
    const again = { presented: device, freshId: anId() };
    await storage().sessions.create(aSession(person, { device: again, now: at, authTime: at }));
    expect(await known(device.deviceId)).toMatchObject({ bound: true, firstSeenAt: at, first: false });
  });

  test("by a password that is not written → the links that take something back hold; written → they have ended", async () => {
    const person = await aStoredPerson(storage());
    const undo = await aSentLink(storage(), aLink(person, "undo", { expiresAt: NOW + DAY }));
    const restore = await aSentLink(storage(), aLink(person, "restore", { expiresAt: NOW + DAY }));
    const held = async () => [
      await storage().mailLinks.find({ ...undo, purpose: "undo" }),
      await storage().mailLinks.find({ ...restore, purpose: "restore" }),
    ];
    const ends = { mustChange: false, endGrants: false, keepSessionId: null, endWaysBack: true, now: NOW + 1 };
    const args = { partition: person.partition, personId: person.personId, passwordHash: "another", ...ends };
    expect(await storage().people.setPassword({ ...args, replacing: NOW - 5 })).toBe(false);
    expect(await held()).toEqual([expect.anything(), expect.anything()]);
    expect(await storage().people.setPassword({ ...args, endWaysBack: false })).toBe(true);
    expect(await held()).toEqual([expect.anything(), expect.anything()]);
    expect(await storage().people.setPassword(args)).toBe(true);
    expect(await held()).toEqual([undefined, undefined]);
  });

  test("by a password that is refused → the links hold; by one that is taken → they have ended", async () => {
    const person = await aStoredPerson(storage());
    const undo = await aSentLink(storage(), aLink(person, "undo", { expiresAt: NOW + DAY }));
    const admin = adminOf(storage(), "https://as.example", () => NOW);
    const sets = (password: string) => setPassword(person.username, { password }, { keepGrants: true }, admin);
    await expect(sets("short")).rejects.toThrow();
    expect(await storage().mailLinks.find({ ...undo, purpose: "undo" })).toBeDefined();
    await sets("seven green umbrellas");
    expect(await storage().mailLinks.find({ ...undo, purpose: "undo" })).toBeUndefined();
  });
});
