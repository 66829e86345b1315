import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { OWN_BROWSER_ONLY } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLink, aMail, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import { aHash, anId, aStoredPerson, DAY, HOUR, NOW } from "../support/record-builders.ts";

const anAddress = () => `${randomBytes(8).toString("hex")}@example.com`;

onEveryBackend("an address that an account has left", (storage) => {
  const linkTo = async (person: Person, purpose: "change" | "undo", address: string, now: number) => {
    const key = await aSentLink(storage(), aLink(person, purpose, { address, expiresAt: NOW + 30 * DAY }));
    return { ...key, now };
  };
  /** Changes the address by a link to the new one. */
  const moves = async (person: Person, before: string, to: string, now: number) => {
    const key = await linkTo(person, "change", to, now);
    const moved = await storage().mailLinks.changeEmail({ ...key, before, undo: null, mails: [] });
    expect(moved.kind).toBe("done");
  };
  const undoes = async (person: Person, address: string, now: number) =>
    storage().recovery.undoEmail(aTakeBack(await linkTo(person, "undo", address, now)));
  const owed = (address: string, now: number) => storage().people.owedTo({ address, limit: 5, now });
  /** Asks for a link at a former address, with its message. Returns the outcome. */
  const asked = async (person: Person, address: string, now: number) => {
    const link = aLink(person, "undo", { address, expiresAt: NOW + 30 * DAY });
    const saltHash = aHash();
    const mails = [aMail(person.partition)];
    await storage().mailLinks.create({ link, saltHash, owed: true, mails, now });
    return () => storage().mailLinks.find({ ...link, saltHash, now });
  };
  /** An intruder changes the account's address twice. */
  const movedTwice = async () => {
    const person = await aStoredPerson(storage());
    const [first, second] = [anAddress(), anAddress()];
    await moves(person, person.email, first, NOW + HOUR);
    await moves(person, first, second, NOW + 2 * HOUR);
    return { person, first };
  };

  test("twice within the week → the account is there once, with the time of the last leaving", async () => {
    const person = await aStoredPerson(storage());
    const [other, next] = [anAddress(), anAddress()];
    await moves(person, person.email, other, NOW + HOUR);
    await moves(person, other, person.email, NOW + 2 * HOUR);
    await moves(person, person.email, next, NOW + 2 * DAY);
    const found = await owed(person.email, NOW + 3 * DAY);
    expect(found.map(({ person: one, until }) => [one.personId, until])).toEqual([[person.personId, NOW + 2 * DAY]]);
    expect(await owed(other, NOW + 3 * DAY)).toEqual([]);
    expect(await owed(person.email, NOW + 9 * DAY)).toEqual([]);
  });

  test("asked for there → the link and its message; after the account went back to an older address, neither", async () => {
    const { person, first } = await movedTwice();
    const before = await asked(person, first, NOW + 3 * HOUR);
    expect(await before()).toMatchObject({ address: first, about: null });
    expect((await undoes(person, person.email, NOW + 4 * HOUR)).kind).toBe("done");
    expect(await before()).toMatchObject({ about: OWN_BROWSER_ONLY });
    const after = await asked(person, first, NOW + 5 * HOUR);
    expect(await after()).toBeUndefined();
    await moves(person, person.email, anAddress(), NOW + 6 * HOUR);
    expect(await (await asked(person, first, NOW + 7 * HOUR))()).toBeUndefined();
  });

  for (const act of ["a new password", "a reset of all factors"] as const) {
    const ends = ({ partition, personId }: Person, now: number) =>
      act === "a new password"
        ? storage().people.setPassword({
            ...{ partition, personId, passwordHash: "another", mustChange: false, endGrants: false },
            ...{ endWaysBack: true, keepSessionId: null, now },
          })
        : storage().recovery.endWaysBack({ partition, personId, now });

    test(`the operator ends the ways back by ${act} → no other link, and the news still; left once more → owed again`, async () => {
      const person = await aStoredPerson(storage());
      const other = await aStoredPerson(storage());
      const next = anAddress();
      for (const one of [person, other]) await moves(one, one.email, one === person ? next : anAddress(), NOW + HOUR);
      // The clock of the operator's machine is behind.
      await ends(person, NOW + 1);
      expect(await owed(person.email, NOW + 2 * HOUR)).toEqual([]);
      expect(await (await asked(person, person.email, NOW + 2 * HOUR))()).toBeUndefined();
      const told = await storage().people.addresses({ ...person, now: NOW + 2 * HOUR });
      expect(told.map(({ address, until }) => [address, until])).toEqual([
        [next, null],
        [person.email, NOW + HOUR],
      ]);
      expect(await owed(other.email, NOW + 2 * HOUR)).toHaveLength(1);
      await moves(person, next, person.email, NOW + 3 * HOUR);
      await moves(person, person.email, anAddress(), NOW + 4 * HOUR);
      expect(await owed(person.email, NOW + 5 * HOUR)).toHaveLength(1);
      expect(await (await asked(person, person.email, NOW + 5 * HOUR))()).toBeDefined();
    });

    test(`asked for at the moment when the operator ends the ways back by ${act}, 10 rounds → no link`, async () => {
      for (let round = 0; round < 10; round += 1) {
        const { person, first } = await movedTwice();
        const [find] = await Promise.all([asked(person, first, NOW + 3 * HOUR), ends(person, NOW + 3 * HOUR)]);
        expect(await find()).toBeUndefined();
      }
    });
  }

  test("the operator gives the present address once more → it holds: links have ended, and no former address is owed one", async () => {
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const update = (changes: { readonly email?: string; readonly name?: string }, now: number) =>
      storage().people.update({ partition, personId, changes, now });
    const present = anAddress();
    await moves(person, person.email, present, NOW + HOUR);
    const find = await asked(person, person.email, NOW + 2 * HOUR);
    await update({ name: "Another" }, NOW + 3 * HOUR);
    expect(await find()).toBeDefined();
    await update({ email: present }, NOW + 3 * HOUR);
    expect(await find()).toBeUndefined();
    expect(await owed(person.email, NOW + 4 * HOUR)).toEqual([]);
    expect(await (await asked(person, person.email, NOW + 4 * HOUR))()).toBeUndefined();
    // An intruder changes the address back to the former one. The operator's address can still take the account back.
    await moves(person, present, person.email, NOW + 5 * HOUR);
    expect(await owed(present, NOW + 6 * HOUR)).toHaveLength(1);
    expect((await undoes(person, present, NOW + 6 * HOUR)).kind).toBe("done");
  });

  test("asked for at the moment when the owner goes back, 10 rounds → no link that works in every browser", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { person, first } = await movedTwice();
      const [find] = await Promise.all([
        asked(person, first, NOW + 3 * HOUR),
        undoes(person, person.email, NOW + 3 * HOUR),
      ]);
      expect((await find())?.about).not.toBe(null);
    }
  });

  test("the operator gives it back → identities that came by their first use since end; older ones, and the operator's, stay", async () => {
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const identity = async (madeBy: "first use" | "operator", now: number) => {
      const subject = { issuerId: `idp-${anId()}`, claim: null, subject: `s-${anId()}` };
      await storage().subjectLinks.link({ partition, personId, subject, sole: false, madeBy, now });
      return async () => (await storage().subjectLinks.findPerson({ subject })) !== undefined;
    };
    const early = await identity("first use", NOW);
    const theirs = anAddress();
    await moves(person, person.email, theirs, NOW + HOUR);
    const late = await identity("first use", NOW + 2 * HOUR);
    const given = await identity("operator", NOW + 2 * HOUR);
    const operator = (email: string, now: number) =>
      storage().people.update({ partition, personId, changes: { email, emailVerifiedAt: now }, now });
    expect(await operator(person.email, NOW + 3 * HOUR)).toEqual({ kind: "updated" });
    expect([await early(), await late(), await given()]).toEqual([true, false, true]);
    // Setting the current address again, or an address that the account never had, ends no identity.
    expect(await operator(person.email, NOW + 4 * HOUR)).toEqual({ kind: "updated" });
    expect(await operator(anAddress(), NOW + 4 * HOUR)).toEqual({ kind: "updated" });
    expect(await early()).toBe(true);
  });
});
