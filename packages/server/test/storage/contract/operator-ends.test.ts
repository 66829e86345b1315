import { expect, test } from "vitest";
import { type AdminContext, adminOf } from "../../../src/admin/context.ts";
import { deleteUser, setPassword } from "../../../src/admin/people.ts";
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

  test("AD-25: somebody who has become an operator meanwhile → a lesser caller changes nothing", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId };
    const lesser = { ...key, unlessOperator: true, now: NOW + 1 };
    const ends = { mustChange: false, endGrants: true, keepSessionId: null };
    const admin = adminOf(storage(), "https://as.example", () => NOW);
    const become = (operator: readonly string[]) =>
      storage().people.update({ ...key, changes: { operator }, now: NOW });
    await become(["read"]);
    expect(await storage().people.setPassword({ ...lesser, ...ends, passwordHash: "another" })).toBe(false);
    expect(await storage().people.setStatus({ ...lesser, status: "disabled" })).toBe(false);
    expect(await storage().people.delete(lesser)).toBe(false);
    const { passwordHash, status, username } = person;
    expect(await storage().people.get(key)).toMatchObject({ passwordHash, status, operator: ["read"] });
    expect(await storage().people.findByName({ name: username })).toMatchObject({ personId: person.personId });

    // The use-case finds no operator, and they become one before it writes.
    await become([]);
    let looks = 0;
    const check = (present: { readonly operator: readonly string[] }) => {
      looks += 1;
      if (present.operator.length > 0) throw new Error("an operator");
    };
    const late = {
      ...admin,
      storage: {
        ...storage(),
        people: {
          ...storage().people,
          delete: async (args: Parameters<AdminContext["storage"]["people"]["delete"]>[0]) => {
            await become(["read"]);
            return storage().people.delete(args);
          },
        },
      },
    } as AdminContext;
    await expect(deleteUser({ id: person.personId }, late, check)).rejects.toThrow("an operator");
    expect([looks, (await storage().people.get(key))?.status]).toEqual([2, "active"]);
    await become([]);
    await deleteUser({ id: person.personId }, admin, check);
    expect(await storage().people.get(key)).toBeUndefined();
  });
});
