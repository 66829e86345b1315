import { expect, test } from "vitest";
import { MOST_PASSKEYS } from "../../../src/owners/factor-storage.ts";
import type { StoredMail } from "../../../src/owners/mail/storage.ts";
import { addPasskey, insertPasskey, removePasskey } from "../../../src/storage/factors/passkeys.ts";
import { deletePerson, erasePerson } from "../../../src/storage/people/people.ts";
import { holderOfName, unreserveName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { interrupted } from "../support/interleave.ts";
import { aMail } from "../support/mail-builders.ts";
import { aHash, aPasskey, aStoredPerson, DAY, FROM_OWNER, HOUR, NOW } from "../support/record-builders.ts";

const added = FROM_OWNER;
const twenty = Array.from({ length: 20 });
const count = (outcomes: readonly unknown[], wanted: unknown) => outcomes.filter((one) => one === wanted).length;

onEveryBackend("passkeys", (storage, opened) => {
  const added = async (changes: Parameters<typeof aPasskey>[1] = {}) => {
    const person = await aStoredPerson(storage());
    const passkey = aPasskey(person, changes);
    expect(await storage().passkeys.add({ passkey, now: NOW })).toBe("added");
    return { person, passkey };
  };
  const use = (passkey: ReturnType<typeof aPasskey>, counter: number) =>
    storage().passkeys.use({ ...passkey, counter, backedUp: true, now: NOW + HOUR });

  test("of nobody, or of a disabled person → unknown, and its id stays free", async () => {
    const person = await aStoredPerson(storage());
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    const passkey = aPasskey(person);
    expect(await storage().passkeys.add({ passkey, now: NOW })).toBe("unknown");
    expect(await storage().passkeys.find(passkey)).toBeUndefined();
    const other = await aStoredPerson(storage());
    const theirs = { ...passkey, partition: other.partition, personId: other.personId };
    expect(await storage().passkeys.add({ passkey: theirs, now: NOW })).toBe("added");
  });

  test("registered by another, or a second time → taken, and the first stays as it was", async () => {
    const { passkey, person } = await added();
    const other = await aStoredPerson(storage());
    const stolen = aPasskey(other, { credentialId: passkey.credentialId });
    expect(await storage().passkeys.add({ passkey: stolen, now: NOW + 2 * HOUR })).toBe("taken");
    expect(await storage().passkeys.add({ passkey: { ...passkey, name: "x" }, now: NOW + 2 * HOUR })).toBe("taken");
    expect(await storage().passkeys.find(passkey)).toEqual({ passkey, person });
    expect(await storage().passkeys.list(other)).toEqual([]);
  });

  test("one id by 20 people at once → one has it", async () => {
    const people = await Promise.all(twenty.map(() => aStoredPerson(storage())));
    const { credentialId } = aPasskey(people[0] ?? (await aStoredPerson(storage())));
    const outcomes = await Promise.all(
      people.map((person) => storage().passkeys.add({ passkey: aPasskey(person, { credentialId }), now: NOW })),
    );
    expect(count(outcomes, "added")).toBe(1);
    const found = await storage().passkeys.find({ credentialId });
    expect(found?.person.personId).toBe(people[outcomes.indexOf("added")]?.personId);
  });

  test("one more than there may be, also all at once → full", async () => {
    const person = await aStoredPerson(storage());
    const outcomes = await Promise.all(
      Array.from({ length: MOST_PASSKEYS + 5 }, () => storage().passkeys.add({ passkey: aPasskey(person), now: NOW })),
    );
    expect(count(outcomes, "added")).toBe(MOST_PASSKEYS);
    expect(count(outcomes, "full")).toBe(5);
    expect(await storage().passkeys.list(person)).toHaveLength(MOST_PASSKEYS);
  });

  test("used with a count that is the same or lower → stale, and nothing is written", async () => {
    const { passkey } = await added({ counter: 7 });
    expect(await use(passkey, 7)).toBe("stale");
    expect(await use(passkey, 6)).toBe("stale");
    expect(await use(passkey, 0)).toBe("stale");
    expect(await storage().passkeys.list(passkey)).toEqual([passkey]);
  });

  test("used by somebody who hasn't it → unknown", async () => {
    const { passkey } = await added();
    const other = await aStoredPerson(storage());
    expect(await use({ ...passkey, personId: other.personId, partition: other.partition }, 9)).toBe("unknown");
  });

  test("used with a higher count → used, with when and whether it is backed up", async () => {
    const { passkey } = await added({ counter: 7 });
    expect(await use(passkey, 8)).toBe("used");
    expect(await storage().passkeys.list(passkey)).toEqual([
      { ...passkey, counter: 8, backedUp: true, lastUsedAt: NOW + HOUR },
    ]);
  });

  test("one that keeps no count → used each time; once it counts, it has to go on", async () => {
    const { passkey } = await added({ counter: 0 });
    expect(await use(passkey, 0)).toBe("used");
    expect(await use(passkey, 0)).toBe("used");
    expect(await use(passkey, 1)).toBe("used");
    expect(await use(passkey, 0)).toBe("stale");
  });

  test("20 uses with one count at once → one", async () => {
    const { passkey } = await added({ counter: 1 });
    const outcomes = await Promise.all(twenty.map(() => use(passkey, 2)));
    expect([count(outcomes, "used"), count(outcomes, "stale")]).toEqual([1, 19]);
  });

  test("removed by another, or one that isn't there → unknown, and it stays", async () => {
    const { passkey } = await added();
    const other = await aStoredPerson(storage());
    const now = NOW + HOUR;
    expect(await storage().passkeys.remove({ ...passkey, ...other, now })).toBe("unknown");
    expect(await storage().passkeys.remove({ ...passkey, credentialId: "x", now })).toBe("unknown");
    expect(await storage().passkeys.list(passkey)).toHaveLength(1);
  });

  test("the last one of somebody without a password → last, and it still signs in", async () => {
    const person = await aStoredPerson(storage(), { passwordHash: null });
    const [one, two] = [aPasskey(person), aPasskey(person)];
    for (const passkey of [one, two]) await storage().passkeys.add({ passkey, now: NOW });
    const outcomes = await Promise.all([one, two].map((each) => storage().passkeys.remove({ ...each, now: NOW })));
    expect(outcomes.toSorted()).toEqual(["last", "removed"]);
    const [left] = await storage().passkeys.list(person);
    expect(await storage().passkeys.find({ credentialId: left?.credentialId ?? "" })).toMatchObject({ person });
    await storage().housekeeping.collectGarbage({ now: NOW + DAY, limit: 1000 });
    expect(await storage().passkeys.find({ credentialId: left?.credentialId ?? "" })).toMatchObject({ person });
  });

  test("added twice at once → added once, and it signs in", async () => {
    const engine = await engineAt(opened().url);
    for (const passwordHash of ["a hash", null]) {
      const person = await aStoredPerson(storage(), { passwordHash });
      const passkey = aPasskey(person);
      const args = { passkey, now: NOW };
      const again = async () => expect(await storage().passkeys.add(args)).toBe("taken");
      expect(await interrupted(engine, addPasskey, args, insertPasskey, again)).toBe("added");
      expect(await storage().passkeys.find(passkey)).toEqual({ passkey, person });
    }
    await engine.close();
  });

  test("added again while it is removed, as the last one of somebody without a password → it still signs in", async () => {
    const engine = await engineAt(opened().url);
    const person = await aStoredPerson(storage(), { passwordHash: null });
    const passkey = aPasskey(person);
    await storage().passkeys.add({ passkey, now: NOW });
    const again = async () => expect(await storage().passkeys.add({ passkey, now: NOW })).toBe("taken");
    const args = { ...passkey, now: NOW };
    expect(await interrupted(engine, removePasskey, args, unreserveName, again)).toBe("last");
    expect(await storage().passkeys.find(passkey)).toEqual({ passkey, person });
    await engine.close();
  });

  test("removed by two, for one of whom it is the last → gone, and its id is free for another", async () => {
    const engine = await engineAt(opened().url);
    const person = await aStoredPerson(storage(), { passwordHash: null });
    const passkey = aPasskey(person);
    await storage().passkeys.add({ passkey, now: NOW });
    const other = async () => {
      expect(await storage().passkeys.remove({ ...passkey, now: NOW })).toBe("last");
      await storage().passkeys.add({ passkey: aPasskey(person), now: NOW });
    };
    const args = { ...passkey, now: NOW };
    expect(await interrupted(engine, removePasskey, args, unreserveName, other)).toBe("removed");
    const { partition, personId } = await aStoredPerson(storage());
    const theirs = { ...passkey, partition, personId };
    expect(await storage().passkeys.add({ passkey: theirs, now: NOW })).toBe("added");
    await engine.close();
  });

  test("removed → gone, and its id is free", async () => {
    const { passkey } = await added();
    expect(await storage().passkeys.remove({ ...passkey, now: NOW })).toBe("removed");
    expect(await storage().passkeys.remove({ ...passkey, now: NOW })).toBe("unknown");
    expect(await storage().passkeys.find(passkey)).toBeUndefined();
    expect(await storage().passkeys.add({ passkey, now: NOW })).toBe("added");
  });

  test("of a person whose deletion was cut short → the id is collected", async () => {
    const engine = await engineAt(opened().url);
    const { passkey, person } = await added();
    const cut = () => Promise.reject(new Error("the process ended"));
    await expect(interrupted(engine, deletePerson, { ...person, now: NOW }, erasePerson, cut)).rejects.toThrow("ended");
    await storage().housekeeping.collectGarbage({ now: NOW + 2 * HOUR, limit: 10_000 });
    expect(await engine.call(holderOfName, { kind: "passkey", value: passkey.credentialId })).toBeUndefined();
    await engine.close();
  });

  test("of a person who is deleted → gone, ids are free", async () => {
    const { passkey, person } = await added();
    await storage().secondFactors.set({
      ...person,
      sealedSecret: aHash(),
      step: 1,
      codes: ["a"],
      added: FROM_OWNER,
      now: NOW,
    });
    await storage().people.delete({ ...person, now: NOW });
    expect(await storage().passkeys.find(passkey)).toBeUndefined();
    expect(await storage().secondFactors.get(person)).toBeUndefined();
    const other = await aStoredPerson(storage());
    const again = aPasskey(other, { credentialId: passkey.credentialId });
    expect(await storage().passkeys.add({ passkey: again, now: NOW })).toBe("added");
  });
});

onEveryBackend("a second factor", (storage) => {
  const codes = ["a", "b", "c"];
  const set = async (step = 10) => {
    const person = await aStoredPerson(storage());
    const sealedSecret = new Uint8Array(aHash());
    expect(await storage().secondFactors.set({ ...person, sealedSecret, step, codes, added, now: NOW })).toBe(true);
    return { ...person, sealedSecret };
  };

  test("of nobody, or of a disabled person → false", async () => {
    const person = await aStoredPerson(storage());
    expect(await storage().secondFactors.get(person)).toBeUndefined();
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(
      await storage().secondFactors.set({ ...person, sealedSecret: aHash(), step: 1, codes, added, now: NOW }),
    ).toBe(false);
    expect(await storage().secondFactors.get(person)).toBeUndefined();
  });

  test("set → as it was given, with its codes; set again → the old one and its codes are gone", async () => {
    const person = await set();
    expect(await storage().secondFactors.get(person)).toEqual({
      ...{ sealedSecret: person.sealedSecret, lastStep: 10, createdAt: NOW, lastUsedAt: null, codesLeft: 3, added },
      ...{ codesAt: NOW, codesAdded: added, earlier: null, earlierCodesLeft: 0 },
    });
    const sealedSecret = new Uint8Array(aHash("another"));
    await storage().secondFactors.set({ ...person, sealedSecret, step: 5, codes: ["d"], added, now: NOW + HOUR });
    expect(await storage().secondFactors.get(person)).toEqual({
      ...{ sealedSecret, lastStep: 5, createdAt: NOW + HOUR, lastUsedAt: null, codesLeft: 1, added },
      ...{ codesAt: NOW + HOUR, codesAdded: added, earlier: null, earlierCodesLeft: 0 },
    });
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW })).toBe(false);
  });

  test("a step that was accepted, or one before it → false; a later one → true, and it is noted", async () => {
    const person = await set(10);
    const use = (step: number) => storage().secondFactors.use({ ...person, step, now: NOW + HOUR });
    expect(await use(10)).toBe(false);
    expect(await use(9)).toBe(false);
    expect(await use(12)).toBe(true);
    expect(await use(11)).toBe(false);
    expect(await storage().secondFactors.get(person)).toMatchObject({ lastStep: 12, lastUsedAt: NOW + HOUR });
  });

  test("one step, 20 times at once → once", async () => {
    const person = await set(10);
    const outcomes = await Promise.all(
      twenty.map(() => storage().secondFactors.use({ ...person, step: 11, now: NOW })),
    );
    expect(count(outcomes, true)).toBe(1);
  });

  test("a recovery code of another, or a wrong one → false; the right one → once", async () => {
    const person = await set();
    const other = await set();
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "x", now: NOW })).toBe(false);
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW })).toBe(true);
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW })).toBe(false);
    expect((await storage().secondFactors.get(person))?.codesLeft).toBe(2);
    expect((await storage().secondFactors.get(other))?.codesLeft).toBe(3);
  });

  test("one recovery code, 20 times at once → once", async () => {
    const person = await set();
    const outcomes = await Promise.all(
      twenty.map(() => storage().secondFactors.useRecoveryCode({ ...person, code: "b", now: NOW })),
    );
    expect(count(outcomes, true)).toBe(1);
  });

  test("new recovery codes without a second factor → none; in place of others than those that are left → none; of those → set once", async () => {
    const person = await aStoredPerson(storage());
    expect(await storage().secondFactors.setRecoveryCodes({ ...person, codes, added, now: NOW })).toBe("ended");
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW })).toBe(false);
    const other = await set();
    const at = { ...other, codes: ["x", "y"], added, now: NOW + 1 };
    expect(await storage().secondFactors.setRecoveryCodes({ ...at, replaces: NOW - 1 })).toBe("newer");
    expect((await storage().secondFactors.get(other))?.codesLeft).toBe(codes.length);
    expect(await storage().secondFactors.setRecoveryCodes({ ...at, replaces: NOW })).toBe("set");
    expect(await storage().secondFactors.setRecoveryCodes({ ...at, codes: ["z"], replaces: NOW })).toBe("newer");
    expect(await storage().secondFactors.useRecoveryCode({ ...other, code: "a", now: NOW })).toBe(false);
    expect(await storage().secondFactors.useRecoveryCode({ ...other, code: "x", now: NOW })).toBe(true);
  });

  test("removed → gone with its codes; removed again → false", async () => {
    const person = await set();
    expect(await storage().secondFactors.remove({ ...person, now: NOW })).toBe(true);
    expect(await storage().secondFactors.get(person)).toBeUndefined();
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW })).toBe(false);
    expect(await storage().secondFactors.use({ ...person, step: 99, now: NOW })).toBe(false);
    expect(await storage().secondFactors.remove({ ...person, now: NOW })).toBe(false);
  });

  test("news of a change → in the outbox with it, and not where nothing changed", async () => {
    const person = await aStoredPerson(storage());
    const { partition } = person;
    const waiting = async (mail: StoredMail) =>
      (await storage().mail.claim({ now: NOW + DAY, limit: 1000, until: NOW + DAY + 1 })).some(
        ({ mailId }) => mailId === mail.mailId,
      );
    const told = async (change: (mails: readonly StoredMail[]) => Promise<unknown>) => {
      const mail = aMail(partition);
      const outcome = await change([mail]);
      return [outcome, await waiting(mail)];
    };
    const passkey = aPasskey(person);
    const at = { ...person, added, now: NOW };
    const codes = ["a", "b"];
    const set = { ...at, sealedSecret: aHash(), step: 1, codes };
    const run = storage();
    expect(await told((mails) => run.secondFactors.setRecoveryCodes({ ...at, codes, mails }))).toEqual([
      "ended",
      false,
    ]);
    expect(await told((mails) => run.secondFactors.useRecoveryCode({ ...at, code: "a", mails }))).toEqual([
      false,
      false,
    ]);
    expect(await told((mails) => run.secondFactors.remove({ ...at, mails }))).toEqual([false, false]);
    expect(await told((mails) => run.passkeys.remove({ ...passkey, now: NOW, mails }))).toEqual(["unknown", false]);
    expect(await told((mails) => run.passkeys.add({ passkey, now: NOW, mails }))).toEqual(["added", true]);
    expect(await told((mails) => run.passkeys.add({ passkey, now: NOW, mails }))).toEqual(["taken", false]);
    expect(await told((mails) => run.secondFactors.set({ ...set, mails }))).toEqual([true, true]);
    expect(await told((mails) => run.secondFactors.setRecoveryCodes({ ...at, codes, mails }))).toEqual(["set", true]);
    expect(await told((mails) => run.secondFactors.useRecoveryCode({ ...at, code: "a", mails }))).toEqual([true, true]);
    expect(await told((mails) => run.secondFactors.useRecoveryCode({ ...at, code: "a", mails }))).toEqual([
      false,
      false,
    ]);
    expect(await told((mails) => run.secondFactors.remove({ ...at, mails }))).toEqual([true, true]);
    expect(await told((mails) => run.passkeys.remove({ ...passkey, now: NOW, mails }))).toEqual(["removed", true]);
  });
});
