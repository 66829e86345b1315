import sharp from "sharp";
import { expect, test } from "vitest";
import { type AdminContext, adminOf } from "../../../src/admin/context.ts";
import { removeIdentity } from "../../../src/admin/identities.ts";
import { deleteUser, resetSecondFactor, setPassword } from "../../../src/admin/people.ts";
import { setUserPicture } from "../../../src/admin/user-picture.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLink, aSentLink } from "../support/mail-builders.ts";
import {
  aHash,
  anId,
  aPasskey,
  aSession,
  aStoredPerson,
  DAY,
  FROM_OWNER,
  HOUR,
  NOW,
} from "../support/record-builders.ts";

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

  test("AD-25: somebody who becomes an operator before the transaction → a lesser caller resets no factor, sets no picture, disconnects nothing", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId };
    const become = (operator: readonly string[]) =>
      storage().people.update({ ...key, changes: { operator }, now: NOW });
    const subject = { issuerId: "provider", claim: "https://accounts.example.com", subject: anId() };
    await storage().subjectLinks.link({ ...key, subject, sole: true, madeBy: "person", now: NOW });
    await storage().passkeys.add({ passkey: aPasskey(person), now: NOW });
    await storage().secondFactors.set({
      ...key,
      sealedSecret: aHash(),
      step: 1,
      codes: ["a"],
      added: FROM_OWNER,
      now: NOW,
    });
    const undo = await aSentLink(storage(), aLink(person, "undo", { expiresAt: NOW + DAY }));
    await storage().sessions.create(aSession(person));
    const held = async () => ({
      links: (await storage().subjectLinks.ofPerson(key)).length,
      passkeys: (await storage().passkeys.list(key)).length,
      factor: (await storage().secondFactors.get(key)) !== undefined,
      undo: (await storage().mailLinks.find({ ...undo, purpose: "undo" })) !== undefined,
      sessions: (await storage().sessions.list({ ...key, now: NOW })).length,
      picture: (await storage().pictures.ofPerson(key)) !== undefined,
    });
    const before = await held();
    expect(before).toEqual({ links: 1, passkeys: 1, factor: true, undo: true, sessions: 1, picture: false });
    const check = (present: { readonly operator: readonly string[] }) => {
      if (present.operator.length > 0) throw new Error("an operator");
    };
    const admin = adminOf(storage(), "https://as.example", () => NOW);
    /** The person becomes an operator just before the first call of a verb of this group. */
    const late = (group: "secondFactors" | "pictures" | "subjectLinks", verb: string): AdminContext => {
      const port = storage()[group] as unknown as Record<string, (args: object) => Promise<unknown>>;
      const first = async (args: object) => {
        await become(["read"]);
        return port[verb]?.(args);
      };
      return { ...admin, storage: { ...storage(), [group]: { ...port, [verb]: first } } } as unknown as AdminContext;
    };
    const [{ link } = { link: "" }] = await storage().subjectLinks.ofPerson(key);
    const login = { id: person.personId };
    const red = { width: 9, height: 9, channels: 3, background: "red" } as const;
    const png = await sharp({ create: red }).png().toBuffer();
    const acts: ((context: (group: Parameters<typeof late>[0], verb: string) => AdminContext) => Promise<unknown>)[] = [
      (context) => resetSecondFactor(login, { passkeys: true }, context("secondFactors", "remove"), check),
      (context) => setUserPicture(login, null, context("pictures", "set"), check),
      (context) => setUserPicture(login, png, context("pictures", "set"), check),
      (context) => removeIdentity(login, link, context("subjectLinks", "unlink"), check),
    ];
    for (const act of acts) {
      await expect(act(late)).rejects.toThrow("an operator");
      expect(await held()).toEqual(before);
      await become([]);
    }
    for (const act of acts) await act(() => admin);
    expect(await held()).toEqual({ links: 0, passkeys: 0, factor: false, undo: false, sessions: 0, picture: true });
  });
});
