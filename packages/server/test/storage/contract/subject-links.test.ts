import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import type { ForeignSubject } from "../../../src/owners/subject-link-storage.ts";
import { untoldOfPerson } from "../../../src/storage/companies/membership-outbox.ts";
import { deletePerson } from "../../../src/storage/people/people.ts";
import {
  createLinkedPerson,
  eraseSubjectLink,
  eraseToldLink,
  insertSubjectLink,
  linkedPerson,
  linkSubject,
  unlinkSubject,
} from "../../../src/storage/people/subject-links.ts";
import { dropName, holderOfName, reserveName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { interrupted } from "../support/interleave.ts";
import { type Racers, startRacers } from "../support/racing-processes.ts";
import { anId, aPerson, aStoredPerson, aTrustedIssuer, HOUR, NOW } from "../support/record-builders.ts";

const random = () => randomBytes(6).toString("hex");

function aSubject(changes: Partial<ForeignSubject> = {}): ForeignSubject {
  return { issuerId: `idp-${random()}`, claim: null, subject: `s-${random()}`, ...changes };
}

/** The same owner with several usernames. */
function called(person: Person, ...usernames: readonly string[]): readonly Person[] {
  return usernames.map((username) => ({ ...person, username }));
}

onEveryBackend("linking a subject", (storage, opened) => {
  const link = (
    { partition, personId }: Pick<Person, "partition" | "personId">,
    subject: ForeignSubject,
    { sole = false, now = NOW } = {},
  ) => storage().subjectLinks.link({ partition, personId, subject, sole, madeBy: "operator", now });
  const found = async (subject: ForeignSubject) => (await storage().subjectLinks.findPerson({ subject }))?.personId;
  const unlink = (subject: ForeignSubject) => storage().subjectLinks.unlink({ subject, now: NOW });

  test("to nobody → unknown, and the subject stays free", async () => {
    const subject = aSubject();
    expect(await link(aPerson(), subject)).toEqual({ kind: "unknown" });
    expect(await found(subject)).toBeUndefined();
    expect(await link(await aStoredPerson(storage()), subject)).toEqual({ kind: "linked" });
  });

  test("that is another's → taken, and stays theirs", async () => {
    const [first, second, subject] = [await aStoredPerson(storage()), await aStoredPerson(storage()), aSubject()];
    await link(first, subject);
    expect(await link(second, subject)).toEqual({ kind: "taken" });
    expect(await link(second, subject, { now: NOW + 100 * HOUR })).toEqual({ kind: "taken" });
    expect(await found(subject)).toBe(first.personId);
  });

  test("as the only one, where the owner has another of that issuer → other; of another issuer → linked", async () => {
    const person = await aStoredPerson(storage());
    const first = aSubject();
    await link(person, first);
    const second = aSubject({ issuerId: first.issuerId });
    expect(await link(person, second, { sole: true })).toEqual({ kind: "other" });
    expect(await found(second)).toBeUndefined();
    expect(await link(await aStoredPerson(storage()), second)).toEqual({ kind: "linked" });
    expect(await link(person, aSubject({ subject: first.subject }), { sole: true })).toEqual({ kind: "linked" });
    expect(await link(person, first, { sole: true })).toEqual({ kind: "known" });
  });

  test("→ found, again → known; several subjects may be one owner", async () => {
    const person = await aStoredPerson(storage());
    const [one, two] = [aSubject(), aSubject()];
    expect(await link(person, one)).toEqual({ kind: "linked" });
    expect(await link(person, one)).toEqual({ kind: "known" });
    expect(await link(person, two)).toEqual({ kind: "linked" });
    expect(await storage().subjectLinks.findPerson({ subject: one })).toEqual(person);
    expect(await found(two)).toBe(person.personId);
  });

  test("what one person is known by → theirs alone, oldest first; nobody's → nothing", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const [one, two] = [aSubject({ claim: "mail" }), aSubject()];
    await link(person, two, { now: NOW + HOUR });
    await link(person, one);
    await link(other, aSubject());
    const subjects = await storage().subjectLinks.ofPerson(person);
    expect(subjects.map(({ issuerId, claim, subject }) => ({ issuerId, claim, subject }))).toEqual([one, two]);
    expect(await storage().subjectLinks.ofPerson(aPerson())).toEqual([]);
  });

  test("another issuer, another claim, another case, form, space or part of it → another subject", async () => {
    const subject = aSubject({ subject: "Zoë" });
    await link(await aStoredPerson(storage()), subject);
    const variants: Partial<ForeignSubject>[] = [
      ...["zoë", "ZOË", "Zoe\u0308", "Zoë ", " Zoë", "Zoë\0", "Zo", "Zoë\ud800", '","Zoë', ""].map((text) => ({
        subject: text,
      })),
      { claim: "oid" },
      { claim: "" },
      { issuerId: `${subject.issuerId}x` },
      { issuerId: random() },
    ];
    for (const variant of variants)
      expect(await found({ ...subject, ...variant }), JSON.stringify(variant)).toBeUndefined();
  });

  test("taken away → found no more, again → undefined, and free for another", async () => {
    const [first, second, subject] = [await aStoredPerson(storage()), await aStoredPerson(storage()), aSubject()];
    await link(first, subject);
    expect(await unlink(subject)).toBe(first.personId);
    expect(await unlink(subject)).toBeUndefined();
    expect(await found(subject)).toBeUndefined();
    expect(await link(second, subject)).toEqual({ kind: "linked" });
    expect(await found(subject)).toBe(second.personId);
  });

  test("taken away, and linked again at the same moment → found, and nobody else's", async () => {
    const engine = await engineAt(opened().url);
    const [first, second, subject] = [await aStoredPerson(storage()), await aStoredPerson(storage()), aSubject()];
    await link(first, subject);
    const again = async () => expect(await link(first, subject)).toEqual({ kind: "linked" });
    await interrupted(engine, unlinkSubject, { subject, now: NOW }, eraseToldLink, again);
    expect(await found(subject)).toBe(first.personId);
    expect(await link(second, subject)).toEqual({ kind: "taken" });
    expect(await storage().subjectLinks.ofPerson(second)).toEqual([]);
    await engine.close();
  });

  test("left behind by an owner, and linked to them again while another asks for it → theirs, and not the other's", async () => {
    const engine = await engineAt(opened().url);
    const [first, second, subject] = [await aStoredPerson(storage()), await aStoredPerson(storage()), aSubject()];
    await link(first, subject);
    // Simulates a process that stopped in the middle of unlinking.
    const [{ link: value = "" } = {}] = await storage().subjectLinks.ofPerson(first);
    await engine.call(eraseSubjectLink, { ...first, link: value });
    const again = async () => expect(await link(first, subject)).toEqual({ kind: "linked" });
    const args = { ...second, subject, sole: false, madeBy: "operator", now: NOW } as const;
    expect(await interrupted(engine, linkSubject, args, linkedPerson, again)).toEqual({ kind: "taken" });
    expect(await found(subject)).toBe(first.personId);
    expect(await storage().subjectLinks.ofPerson(second)).toEqual([]);
    await engine.close();
  });

  test("that was linked a moment ago, while it is taken away → no name is left of it", async () => {
    const engine = await engineAt(opened().url);
    const [person, subject] = [await aStoredPerson(storage()), aSubject()];
    await link(person, subject);
    const [{ link: value = "" } = {}] = await storage().subjectLinks.ofPerson(person);
    const args = { ...person, subject, sole: false, madeBy: "operator", now: NOW } as const;
    await interrupted(engine, linkSubject, args, insertSubjectLink, () => unlink(subject));
    expect(await engine.call(holderOfName, { kind: "subject", value })).toBeUndefined();
    await engine.close();
  });

  test("whose owner is deleted → dies with them, and is free at once", async () => {
    const [first, second, subject] = [await aStoredPerson(storage()), await aStoredPerson(storage()), aSubject()];
    await link(first, subject);
    await storage().people.delete({ ...first, now: NOW });
    expect(await found(subject)).toBeUndefined();
    expect(await storage().subjectLinks.list({ issuerId: subject.issuerId, limit: 9, after: null })).toEqual([]);
    expect(await link(second, subject)).toEqual({ kind: "linked" });
  });

  test("while its owner is deleted → it leads to nobody, and keeps nobody out", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [person, subject] = [await aStoredPerson(storage()), aSubject()];
      await Promise.all([link(person, subject), storage().people.delete({ ...person, now: NOW })]);
      expect(await found(subject)).toBeUndefined();
      expect(await link(await aStoredPerson(storage()), subject)).toEqual({ kind: "linked" });
    }
  });

  test("of an issuer → listed oldest first, page by page; deleted with the issuer, however many; others stay", async () => {
    const person = await aStoredPerson(storage());
    const issuer = aTrustedIssuer({ id: `idp-${random()}`, issuer: `https://${random()}.example` });
    const other = aSubject({ subject: "a" });
    await link(person, other);
    const subjects = Array.from({ length: 230 }, (_, at) => aSubject({ issuerId: issuer.id, subject: `s${at}` }));
    for (const [at, subject] of subjects.slice(0, 3).entries()) await link(person, subject, { now: NOW + at });
    for (const subject of subjects.slice(3)) await link(person, subject, { now: NOW + HOUR });
    const list = (limit: number, after: { createdAt: number; link: string } | null) =>
      storage().subjectLinks.list({ issuerId: issuer.id, limit, after });
    const first = await list(2, null);
    expect(first).toMatchObject([
      { ...subjects[0], ownerId: person.personId, partition: person.partition, madeBy: "operator", createdAt: NOW },
      { ...subjects[1], createdAt: NOW + 1 },
    ]);
    expect(await list(300, first[1] ?? null)).toHaveLength(228);
    await storage().issuers.put({ issuer, create: true });
    expect(await storage().issuers.delete({ issuer: issuer.issuer, now: NOW })).toBe(true);
    expect(await list(300, null)).toEqual([]);
    for (const subject of [subjects[0], subjects[229]]) expect(subject && (await found(subject))).toBeUndefined();
    expect(await found(other)).toBe(person.personId);
    expect(await storage().issuers.delete({ issuer: issuer.issuer, now: NOW })).toBe(false);
  });
});

onEveryBackend("making an owner of a subject", (storage, opened) => {
  let racers: Racers | undefined;
  beforeAll(async () => {
    racers = await startRacers(3);
  });
  afterAll(async () => {
    await racers?.close();
  });
  const make = (people: readonly Person[], subject: ForeignSubject, now = NOW) =>
    storage().subjectLinks.createPerson({ people, subject, now });

  test("whose address is another's → taken; no name is kept, nobody is made", async () => {
    const other = await aStoredPerson(storage());
    const [person, subject] = [aPerson({ email: other.email }), aSubject()];
    expect(await make([person], subject)).toEqual({ kind: "taken" });
    expect(await storage().people.get(person)).toBeUndefined();
    expect(await storage().people.findByName({ name: other.email })).toEqual(other);
    expect((await make([aPerson({ username: person.username })], subject)).kind).toBe("created");
  });

  test("whose names are all others' → taken; the next that is free → theirs", async () => {
    const [other, person, subject] = [await aStoredPerson(storage()), aPerson(), aSubject()];
    expect(await make(called(person, other.username), subject)).toEqual({ kind: "taken" });
    const free = `free-${random()}`;
    expect(await make(called(person, other.username, free), subject)).toEqual({
      kind: "created",
      person: { ...person, username: free },
    });
    expect((await storage().subjectLinks.findPerson({ subject }))?.username).toBe(free);
  });

  test("that is linked already → its owner, and nobody is made", async () => {
    const [person, subject, second] = [await aStoredPerson(storage()), aSubject(), aPerson()];
    await storage().subjectLinks.link({ ...person, subject, sole: false, madeBy: "operator", now: NOW });
    expect(await make([second], subject)).toEqual({ kind: "linked", person });
    expect(await storage().people.get(second)).toBeUndefined();
  });

  test("deleted and seen again → another owner with another id", async () => {
    const [first, subject] = [aPerson(), aSubject()];
    await make([first], subject);
    await storage().people.delete({ ...first, now: NOW });
    const again = aPerson({ username: first.username, email: first.email });
    expect(await make([again], subject)).toEqual({ kind: "created", person: again });
  });

  /** Repeats as callers do, with the id from the answer. */
  async function settled(subject: ForeignSubject, username: string): Promise<string> {
    let personId = anId();
    for (;;) {
      const outcome = await make(called(aPerson({ personId, email: `${username}@x.example` }), username), subject);
      if (outcome.kind === "taken") throw new Error("taken");
      if (outcome.kind !== "begun") return outcome.person.personId;
      personId = outcome.personId;
    }
  }

  test("unlinked from another while it is looked for → an owner of its own; the other gets no names", async () => {
    const engine = await engineAt(opened().url);
    const [other, person, subject] = [await aStoredPerson(storage()), aPerson(), aSubject()];
    await storage().subjectLinks.link({ ...other, subject, sole: false, madeBy: "operator", now: NOW });
    const args = { people: [person], subject, now: NOW };
    const unlink = () => storage().subjectLinks.unlink({ subject, now: NOW });
    // The verb reads the holder twice. Between the two reads, the link is removed.
    const outcome = await interrupted(engine, createLinkedPerson, args, holderOfName, unlink, 2);
    expect(outcome).toEqual({ kind: "begun", personId: person.personId });
    expect(await make([person], subject)).toEqual({ kind: "created", person });
    expect(await storage().people.get(other)).toEqual(other);
    await engine.close();
  });

  test("gone on with under another name, which is let go meanwhile → the owner that the first made stays", async () => {
    const engine = await engineAt(opened().url);
    const [person, subject] = [aPerson(), aSubject()];
    const other = { ...person, username: `other-${random()}` };
    const first = async () => {
      expect(await make([person], subject)).toEqual({ kind: "created", person });
      await engine.call(dropName, { value: other.username, ownerId: person.personId, now: NOW });
    };
    const args = { people: [other], subject, now: NOW };
    // At this point, the subject, the username and the address are reserved.
    const outcome = await interrupted(engine, createLinkedPerson, args, reserveName, first, 3);
    expect(outcome).toEqual({ kind: "created", person });
    expect(await storage().subjectLinks.findPerson({ subject })).toEqual(person);
    const free = aPerson({ username: other.username });
    expect((await storage().people.create({ person: free, now: NOW })).kind).toBe("created");
    await engine.close();
  });

  test("erased as too late, and made again by another who goes on → has its names and its subject", async () => {
    const engine = await engineAt(opened().url);
    const [person, subject] = [aPerson(), aSubject()];
    await make([person], subject);
    const again = async () => expect(await make([person], subject)).toEqual({ kind: "created", person });
    await interrupted(engine, deletePerson, { ...person, now: NOW }, untoldOfPerson, again);
    expect(await storage().subjectLinks.findPerson({ subject })).toEqual(person);
    for (const name of [person.username, person.email])
      expect(await storage().people.findByName({ name })).toEqual(person);
    await engine.close();
  });

  test("20 first uses at once, 5 rounds → one owner and one link", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [subject, username] = [aSubject(), `first-${random()}`];
      const ids = await Promise.all(Array.from({ length: 20 }, () => settled(subject, username)));
      expect(new Set(ids).size).toBe(1);
      const links = await storage().subjectLinks.list({ issuerId: subject.issuerId, limit: 9, after: null });
      expect(links).toMatchObject([{ ...subject, ownerId: ids[0], madeBy: "first use" }]);
      expect((await storage().people.findByName({ name: username }))?.personId).toBe(ids[0]);
    }
  });

  test("20 first uses at once in three processes → one owner and one link, and no stranger has the name", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [subject, username] = [aSubject(), `first-${random()}`];
      const people = Array.from({ length: 20 }, () => aPerson({ username, email: `${username}@x.example` }));
      const calls = people.map((person) => ({
        verb: "subjectLinks.createPerson" as const,
        args: { people: [person], subject, now: NOW },
      }));
      if (racers === undefined) throw new Error("no processes");
      const kinds = await racers.race(
        [0, 1, 2].map((share) => calls.filter((_, at) => at % 3 === share)),
        opened().url,
      );
      expect(kinds.filter((kind) => kind === "created")).toHaveLength(1);
      expect(kinds).not.toContain("taken");
      const made = await Promise.all(people.map((person) => storage().people.get(person)));
      expect(made.filter((person) => person !== undefined)).toHaveLength(1);
      expect(await storage().subjectLinks.list({ issuerId: subject.issuerId, limit: 9, after: null })).toHaveLength(1);
    }
  });

  test("20 owners want one subject at once → one has it", async () => {
    const subject = aSubject();
    const people = await Promise.all(Array.from({ length: 20 }, () => aStoredPerson(storage())));
    const outcomes = await Promise.all(
      people.map((person) =>
        storage().subjectLinks.link({ ...person, subject, sole: false, madeBy: "operator", now: NOW }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === "linked")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(19);
  });

  test("20 subjects of an issuer want to be one owner's only one at once → one is", async () => {
    const [person, issuerId] = [await aStoredPerson(storage()), `idp-${random()}`];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        storage().subjectLinks.link({
          ...person,
          ...{ subject: aSubject({ issuerId }), sole: true, madeBy: "first use", now: NOW },
        }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === "linked")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "other")).toHaveLength(19);
  });
});
