import { expect, test } from "vitest";
import { partitionOf } from "../../../src/storage/partition.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aSignInProvider, aStoredPerson, NOW } from "../support/record-builders.ts";

const most = 50;

onEveryBackend("sign-in providers", (storage) => {
  const list = () => storage().signInProviders.list();
  const version = async () => (await storage().catalog.versions()).providers;

  test("that aren't there → can't be changed or deleted, and nothing counts as a change", async () => {
    const before = await version();
    const provider = aSignInProvider();
    expect(await storage().signInProviders.put({ provider, create: false, most })).toBe("unknown");
    expect(await storage().signInProviders.delete({ id: provider.id, now: NOW })).toBe(false);
    expect(await list()).not.toContainEqual(provider);
    expect(await version()).toBe(before);
  });

  test("another one with the same issuer and client id → taken, at creation and at a change", async () => {
    const [first, second] = [aSignInProvider(), aSignInProvider()];
    await storage().signInProviders.put({ provider: first, create: true, most });
    await storage().signInProviders.put({ provider: second, create: true, most });
    const same = { issuer: first.issuer, clientId: first.clientId };
    const before = await version();
    for (const [provider, create] of [
      [aSignInProvider(same), true],
      [{ ...second, ...same }, false],
    ] as const) {
      expect(await storage().signInProviders.put({ provider, create, most })).toBe("taken");
    }
    expect(await list()).toContainEqual(second);
    expect(await version()).toBe(before);
    const elsewhere = aSignInProvider({ ...same, issuer: "https://other.example" });
    expect(await storage().signInProviders.put({ provider: elsewhere, create: true, most })).toBe("stored");
  });

  test("20 with the same issuer and client id at once → one is stored", async () => {
    const { issuer, clientId } = aSignInProvider();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        storage().signInProviders.put({ provider: aSignInProvider({ issuer, clientId }), create: true, most }),
      ),
    );
    expect(outcomes.filter((one) => one === "stored")).toHaveLength(1);
    expect(outcomes.filter((one) => one === "taken")).toHaveLength(19);
  });

  test("20 at once where there is room for two → two are stored; the present ones can be changed", async () => {
    const before = (await list()).length;
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        storage().signInProviders.put({ provider: aSignInProvider(), create: true, most: before + 2 }),
      ),
    );
    expect(outcomes.filter((one) => one === "stored")).toHaveLength(2);
    expect(outcomes.filter((one) => one === "full")).toHaveLength(18);
    const provider = (await list()).at(-1);
    if (provider === undefined) throw new Error("none is stored");
    const changed = { ...provider, name: "Changed" };
    expect(await storage().signInProviders.put({ provider: changed, create: false, most: 1 })).toBe("stored");
  });

  test("stored → read as they were, in the order of their creation; each change raises the version", async () => {
    const before = await version();
    const later = aSignInProvider({ createdAt: NOW + 2 });
    const earlier = aSignInProvider({
      createdAt: NOW + 1,
      sealedSecret: "c2VhbGVk",
      emailDomains: ["example.com"],
      trustEmail: true,
      createPeople: false,
      status: "disabled",
    });
    for (const provider of [later, earlier]) await storage().signInProviders.put({ provider, create: true, most });
    expect((await list()).slice(-2)).toEqual([earlier, later]);
    const changed = { ...earlier, name: "New", sealedSecret: null };
    await storage().signInProviders.put({ provider: changed, create: false, most });
    expect((await list()).slice(-2)).toEqual([changed, later]);
    expect(await storage().signInProviders.delete({ id: later.id, now: NOW })).toBe(true);
    expect((await list()).at(-1)).toEqual(changed);
    expect(await version()).toBe(before + 4);
  });

  test("deleted → no subject of it leads to a person any more; another provider's do", async () => {
    const [deleted, kept] = [aSignInProvider(), aSignInProvider()];
    const person = await aStoredPerson(storage());
    const subjects = [deleted, kept].map(({ id, issuer }) => ({
      issuerId: id,
      claim: issuer,
      subject: "248289761001",
    }));
    for (const provider of [deleted, kept]) await storage().signInProviders.put({ provider, create: true, most });
    for (const subject of subjects) {
      await storage().subjectLinks.link({
        ...{ partition: partitionOf(person.personId), personId: person.personId, subject, sole: false },
        ...{ madeBy: "first use", now: NOW },
      });
    }
    expect(await storage().signInProviders.delete({ id: deleted.id, now: NOW })).toBe(true);
    const found = await Promise.all(subjects.map((subject) => storage().subjectLinks.findPerson({ subject })));
    expect(found.map((one) => one?.personId)).toEqual([undefined, person.personId]);
    const after = await storage().subjectLinks.list({ issuerId: deleted.id, limit: 10, after: null });
    expect(after).toEqual([]);
    expect(await storage().signInProviders.delete({ id: deleted.id, now: NOW })).toBe(false);
  });
});
