import { expect, test } from "vitest";
import type { AddedFrom } from "../../../src/owners/factor-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aHash,
  anId,
  aPasskey,
  aSession,
  aStoredPerson,
  FROM_OWNER,
  FROM_STRANGER,
  HOUR,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("what vouches for factors", (storage) => {
  const bytes = (text: string) => new Uint8Array(aHash(text));
  const set = (person: Person, secret: string, added: AddedFrom, at: number, codes = [`${secret}1`, `${secret}2`]) =>
    storage().secondFactors.set({
      ...{
        partition: person.partition,
        personId: person.personId,
        sealedSecret: bytes(secret),
        step: 10,
        codes,
        added,
      },
      now: at,
    });
  const factorOf = (person: Person) => storage().secondFactors.get(person);
  const useCode = (person: Person, code: string, earlier = false) =>
    storage().secondFactors.useRecoveryCode({ ...person, code, earlier, now: NOW + 9 * HOUR });

  test("nothing vouches for the new authenticator → the one before is kept, and signs nobody in", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER, NOW);
    await storage().secondFactors.use({ ...person, step: 20, now: NOW + 1 });
    await set(person, "theirs", FROM_STRANGER, NOW + HOUR);
    expect(await factorOf(person)).toMatchObject({
      ...{ sealedSecret: bytes("theirs"), lastStep: 10, createdAt: NOW + HOUR, added: FROM_STRANGER, codesLeft: 2 },
      earlier: { sealedSecret: bytes("mine"), lastStep: 20, createdAt: NOW, lastUsedAt: NOW + 1, added: FROM_OWNER },
      earlierCodesLeft: 2,
    });
    expect([await useCode(person, "mine1"), await useCode(person, "theirs1", true)]).toEqual([false, false]);
    expect([await useCode(person, "theirs1"), await useCode(person, "mine1", true)]).toEqual([true, true]);
    expect(await useCode(person, "mine1", true)).toBe(false);
  });

  test("a third one that nothing vouches for → the vouched one is still kept, and not the second", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER, NOW);
    await set(person, "second", FROM_STRANGER, NOW + 1);
    await set(person, "third", FROM_STRANGER, NOW + 2);
    expect(await factorOf(person)).toMatchObject({
      earlier: { sealedSecret: bytes("mine") },
      codesLeft: 2,
      earlierCodesLeft: 2,
    });
    expect(await useCode(person, "second1", true)).toBe(false);
  });

  test("one that something vouches for → nothing is kept of the one before", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER, NOW);
    await set(person, "theirs", FROM_STRANGER, NOW + 1);
    await set(person, "next", FROM_OWNER, NOW + 2);
    expect(await factorOf(person)).toMatchObject({ earlier: null, earlierCodesLeft: 0 });
    await set(person, "strange", { ...FROM_STRANGER, vouchedFrom: NOW + HOUR }, NOW + 3);
    expect(await factorOf(person)).toMatchObject({ earlier: { sealedSecret: bytes("next") } });
  });

  test("vouched for by its use → the one before is erased, and so are its codes", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER, NOW);
    await set(person, "new", FROM_STRANGER, NOW + 1);
    const vouch = (from: number, now: number) =>
      storage().secondFactors.vouch({ ...person, what: "authenticator", createdAt: NOW + 1, from, now });
    await vouch(NOW + HOUR, NOW + 2);
    expect(await factorOf(person)).toMatchObject({ added: { vouchedFrom: NOW + HOUR }, earlier: { createdAt: NOW } });
    await vouch(NOW + 3, NOW + 3);
    expect(await factorOf(person)).toMatchObject({
      ...{ added: { ...FROM_STRANGER, vouchedFrom: NOW + 3 }, codesAdded: { vouchedFrom: NOW + 3 } },
      ...{ earlier: null, earlierCodesLeft: 0 },
    });
    await vouch(NOW + 9, NOW + 9);
    expect(await factorOf(person)).toMatchObject({ added: { vouchedFrom: NOW + 3 } });
  });

  test("new recovery codes that nothing vouches for → those of before are kept; vouched for → erased", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId };
    await set(person, "mine", FROM_OWNER, NOW);
    await storage().secondFactors.setRecoveryCodes({ ...key, codes: ["x"], added: FROM_STRANGER, now: NOW + 1 });
    await storage().secondFactors.setRecoveryCodes({ ...key, codes: ["y"], added: FROM_STRANGER, now: NOW + 2 });
    expect(await factorOf(person)).toMatchObject({
      ...{ added: FROM_OWNER, codesAt: NOW + 2, codesAdded: FROM_STRANGER, codesLeft: 1, earlierCodesLeft: 2 },
    });
    expect([await useCode(person, "x"), await useCode(person, "x", true)]).toEqual([false, false]);
    const has = (code: string) => storage().secondFactors.hasRecoveryCode({ ...key, code });
    expect([await has("x"), await has("y"), await has("y"), await has("mine1")]).toEqual([false, true, true, false]);
    await storage().secondFactors.vouch({ ...key, what: "codes", createdAt: NOW + 2, from: NOW + 3, now: NOW + 3 });
    expect(await factorOf(person)).toMatchObject({ codesLeft: 1, earlierCodesLeft: 0 });
    expect(await useCode(person, "mine1", true)).toBe(false);
  });

  test("another one took the place of the one that was used → nothing vouches for it", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId };
    await set(person, "mine", FROM_OWNER, NOW);
    await storage().secondFactors.setRecoveryCodes({ ...key, codes: ["x"], added: FROM_STRANGER, now: NOW + 1 });
    await set(person, "theirs", FROM_STRANGER, NOW + 2);
    for (const [what, createdAt] of [
      ["authenticator", NOW],
      ["codes", NOW + 1],
    ] as const)
      await storage().secondFactors.vouch({ ...key, what, createdAt, from: NOW + 3, now: NOW + 3 });
    expect(await factorOf(person)).toMatchObject({
      ...{ added: FROM_STRANGER, codesAdded: FROM_STRANGER, earlier: { createdAt: NOW }, earlierCodesLeft: 2 },
    });
  });

  test("a code of the authenticator before, twenty times at once → accepted once; where there is none → never", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId };
    const use = (step: number) => storage().secondFactors.useEarlier({ ...key, step });
    expect(await use(11)).toBe(false);
    await set(person, "mine", FROM_OWNER, NOW);
    expect(await use(11)).toBe(false);
    await set(person, "theirs", FROM_STRANGER, NOW + 1);
    expect(await use(10)).toBe(false);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => use(11)));
    expect(outcomes.filter((one) => one)).toHaveLength(1);
    expect((await factorOf(person))?.lastStep).toBe(10);
  });

  test("removed → earlier ones go with it", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER, NOW);
    await set(person, "theirs", FROM_STRANGER, NOW + 1);
    expect(await storage().secondFactors.remove({ ...person, now: NOW + 2 })).toBe(true);
    expect(await factorOf(person)).toBeUndefined();
    await set(person, "fresh", FROM_STRANGER, NOW + 3);
    expect(await factorOf(person)).toMatchObject({ earlier: null, earlierCodesLeft: 0 });
  });

  test("a passkey is vouched for → from the soonest time that was said", async () => {
    const person = await aStoredPerson(storage());
    const passkey = aPasskey(person, { added: FROM_STRANGER });
    await storage().passkeys.add({ passkey, now: NOW });
    const vouched = async (from: number) => {
      await storage().passkeys.vouch({ ...passkey, from });
      return (await storage().passkeys.list(person)).map(({ added }) => added.vouchedFrom);
    };
    expect(await vouched(NOW + HOUR)).toEqual([NOW + HOUR]);
    expect(await vouched(NOW + 2 * HOUR)).toEqual([NOW + HOUR]);
    expect(await vouched(NOW + 1)).toEqual([NOW + 1]);
  });

  test("asked for in a session that has ended meanwhile, or in another person's → nothing changes", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const key = { partition: person.partition, personId: person.personId };
    const passkey = aPasskey(person);
    await storage().passkeys.add({ passkey, now: NOW });
    await set(person, "mine", FROM_OWNER, NOW);
    const [session, theirs] = [aSession(person), aSession(other)];
    await storage().sessions.create(session);
    await storage().sessions.create(theirs);
    const before = [await storage().passkeys.list(person), await factorOf(person)];
    await storage().sessions.endAll({ ...key, now: NOW });
    for (const sessionId of [session.sessionId, theirs.sessionId, anId(person.partition)]) {
      const at = { ...key, sessionId, now: NOW + 1 };
      const codes = { codes: ["z"], added: FROM_OWNER };
      expect(await storage().passkeys.add({ passkey: aPasskey(person), sessionId, now: NOW + 1 })).toBe("unknown");
      expect(await storage().passkeys.remove({ ...passkey, sessionId, now: NOW + 1 })).toBe("unknown");
      expect(await storage().secondFactors.set({ ...at, ...codes, sealedSecret: bytes("z"), step: 1 })).toBe(false);
      expect(await storage().secondFactors.setRecoveryCodes({ ...at, ...codes })).toBe("ended");
      expect(await storage().secondFactors.remove(at)).toBe(false);
    }
    expect([await storage().passkeys.list(person), await factorOf(person)]).toEqual(before);
    const again = aSession(person);
    await storage().sessions.create(again);
    expect(await storage().secondFactors.remove({ ...key, sessionId: again.sessionId, now: NOW + 2 })).toBe(true);
  });
});
