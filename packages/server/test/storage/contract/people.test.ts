import { expect, test } from "vitest";
import type { DetailChanges } from "../../../src/owners/storage.ts";
import { partitionOf } from "../../../src/storage/partition.ts";
import { updatePerson } from "../../../src/storage/people/people.ts";
import { getPerson } from "../../../src/storage/people/person-row.ts";
import { dropName, reserveName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { interrupted } from "../support/interleave.ts";
import {
  aGrant,
  aLiveGrant,
  anApproval,
  anId,
  aPerson,
  aRefresh,
  aSession,
  aStoredPerson,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

onEveryBackend("creating a person", (storage) => {
  const create = (person = aPerson(), now = NOW) => storage().people.create({ person, now });

  test("with a username that another has → taken, and the e-mail stays free", async () => {
    const first = await aStoredPerson(storage());
    const second = aPerson({ username: first.username });
    expect(await create(second)).toEqual({ kind: "taken", what: "username" });
    expect(await storage().people.get(second)).toBeUndefined();
    expect(await create(aPerson({ email: second.email }))).toEqual({ kind: "created" });
  });

  test("with an e-mail that another has → taken, and the username stays free", async () => {
    const first = await aStoredPerson(storage());
    const second = aPerson({ email: first.email });
    expect(await create(second)).toEqual({ kind: "taken", what: "email" });
    expect(await create(aPerson({ username: second.username }))).toEqual({ kind: "created" });
  });

  test("with another's e-mail as username → taken: both sign in", async () => {
    const first = await aStoredPerson(storage());
    expect(await create(aPerson({ username: first.email }))).toEqual({ kind: "taken", what: "username" });
  });

  test("→ found by id, username and e-mail, each field as it was", async () => {
    const person = aPerson({ operator: ["admin", "read"], mustChangePassword: true, name: null, passwordHash: null });
    expect(await create(person)).toEqual({ kind: "created" });
    expect(await storage().people.get(person)).toEqual(person);
    expect(await storage().people.findByName({ name: person.username })).toEqual(person);
    expect(await storage().people.findByName({ name: person.email })).toEqual(person);
    expect(await storage().people.findByName({ name: "nobody" })).toBeUndefined();
    expect(await storage().people.get({ ...person, personId: anId(person.partition) })).toBeUndefined();
  });

  test("twice, as after a crash → created both times, once in fact", async () => {
    const person = aPerson();
    expect(await create(person)).toEqual({ kind: "created" });
    expect(await create({ ...person, name: "Eve" })).toEqual({ kind: "created" });
    expect((await storage().people.get(person))?.name).toBe("Ada");
  });

  test("again, but with an e-mail that another has → taken, and the person keeps the names they had", async () => {
    const [first, person] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    expect(await create({ ...person, email: first.email })).toEqual({ kind: "taken", what: "email" });
    expect(await storage().people.findByName({ name: person.username })).toEqual(person);
    expect(await create(aPerson({ username: person.username }))).toEqual({ kind: "taken", what: "username" });
  });

  test("whose username is the e-mail → one name, twice", async () => {
    const person = aPerson();
    expect(await create({ ...person, username: person.email })).toEqual({ kind: "created" });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(person.personId);
  });

  test("that looks like another's username → taken, whoever came first", async () => {
    const plain = await aStoredPerson(storage());
    expect(await create(aPerson({ lookAlike: plain.username }))).toEqual({ kind: "taken", what: "username" });
    const alike = await aStoredPerson(storage(), { lookAlike: `like-${plain.username}` });
    expect(await create(aPerson({ username: `like-${plain.username}` }))).toEqual({ kind: "taken", what: "username" });
    expect(await create(aPerson({ lookAlike: `like-${plain.username}` }))).toEqual({ kind: "taken", what: "username" });
    expect(await storage().people.get(alike)).toEqual(alike);
  });

  test("found by the username that theirs looks like → nobody", async () => {
    const { lookAlike, username } = await aStoredPerson(storage(), { lookAlike: aPerson().username });
    expect(await storage().people.findByName({ name: lookAlike ?? "" })).toBeUndefined();
    expect((await storage().people.findByName({ name: username }))?.lookAlike).toBe(lookAlike);
  });

  test("refused for the e-mail, or deleted → what theirs looks like is free", async () => {
    const [first, alike] = [await aStoredPerson(storage()), aPerson().username];
    expect(await create(aPerson({ lookAlike: alike, email: first.email }))).toEqual({ kind: "taken", what: "email" });
    const person = await aStoredPerson(storage(), { lookAlike: alike });
    await storage().people.delete({ ...person, now: NOW });
    expect(await create(aPerson({ username: alike }))).toEqual({ kind: "created" });
  });

  test("with another e-mail since → what theirs looks like stays theirs", async () => {
    const person = await aStoredPerson(storage(), { lookAlike: aPerson().username });
    await storage().people.update({ ...person, changes: { email: aPerson().email }, now: NOW });
    expect(await create(aPerson({ username: person.lookAlike ?? "" }))).toEqual({ kind: "taken", what: "username" });
  });

  test("20 at once, a username and those that look like it → one is created", async () => {
    const username = aPerson().username;
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => create(aPerson(at % 2 === 0 ? { username } : { lookAlike: username }))),
    );
    expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(1);
  });

  test("20 at once with one username → one is created", async () => {
    const username = aPerson().username;
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => create(aPerson({ username }))));
    expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(1);
  });
});

onEveryBackend("listing people", (storage) => {
  test("→ oldest first, page by page; after one who is gone, nothing", async () => {
    const people = [];
    for (const age of [3, 1, 2]) people.push(await aStoredPerson(storage(), { createdAt: NOW - age * HOUR }));
    const ids = async (limit: number, after: string | null) =>
      (await storage().people.list({ limit, after })).map(({ personId }) => personId);
    const [first, third, second] = people.map(({ personId }) => personId);
    expect(await ids(10, null)).toEqual([first, second, third]);
    expect(await ids(2, null)).toEqual([first, second]);
    expect(await ids(2, second ?? "")).toEqual([third]);
    expect(await ids(2, anId())).toEqual([]);
  });
});

onEveryBackend("changing a person", (storage, opened) => {
  const update = (person: { partition: number; personId: string }, changes: object) =>
    storage().people.update({ partition: person.partition, personId: person.personId, changes, now: NOW + HOUR });

  test("who isn't there → unknown", async () => {
    expect(await update(aPerson(), { name: "Eve" })).toEqual({ kind: "unknown" });
  });

  test("to an e-mail that another has → taken, and all is as before", async () => {
    const other = await aStoredPerson(storage());
    const person = await aStoredPerson(storage());
    expect(await update(person, { email: other.email, name: "Eve" })).toEqual({ kind: "taken" });
    expect(await storage().people.findByName({ name: person.email })).toEqual(person);
  });

  test("→ only what was named; the old e-mail is free again", async () => {
    const person = await aStoredPerson(storage());
    const email = aPerson().email;
    const changes = { email, emailVerifiedAt: null, name: null, operator: ["read"], mustChangePassword: true };
    expect(await update(person, changes)).toEqual({ kind: "updated" });
    expect(await storage().people.findByName({ name: email })).toEqual({
      ...person,
      ...changes,
      updatedAt: NOW + HOUR,
    });
    expect(await storage().people.findByName({ name: person.email })).toBeUndefined();
    expect(await storage().people.create({ person: aPerson({ email: person.email }), now: NOW })).toEqual({
      kind: "created",
    });
    expect(await storage().people.create({ person: aPerson({ email }), now: NOW + 24 * HOUR })).toEqual({
      kind: "taken",
      what: "email",
    });
  });

  test("details → only the named ones; another phone number is unverified unless the change says otherwise", async () => {
    const person = await aStoredPerson(storage(), { details: { nickname: "Ada", phoneNumber: "+4930123456" } });
    const details = async (changes: DetailChanges) => {
      expect(await update(person, { details: changes })).toEqual({ kind: "updated" });
      return (await storage().people.get(person))?.details;
    };
    const nickname = "Ada";
    expect((await storage().people.get(person))?.details).toEqual({ nickname, phoneNumber: "+4930123456" });
    const proved = { nickname, phoneNumber: "+4930123456", phoneVerified: true };
    expect(await details({ phoneVerified: true })).toEqual(proved);
    expect(await details({ phoneNumber: "+4930123456", country: "Ö" })).toEqual({ ...proved, country: "Ö" });
    await update(person, { name: "Eve" });
    expect(await details({ country: null })).toEqual(proved);
    expect(await details({ phoneNumber: "+4930123457" })).toEqual({ nickname, phoneNumber: "+4930123457" });
    expect(await details({ phoneNumber: "+4930123458", phoneVerified: true })).toMatchObject({ phoneVerified: true });
    expect(await details({ phoneVerified: false })).toEqual({ nickname, phoneNumber: "+4930123458" });
    expect(await details({ nickname: null, phoneNumber: null, phoneVerified: true })).toBeNull();
  });

  test("to another e-mail → unverified unless it says otherwise; what else changes says nothing of the e-mail", async () => {
    const person = await aStoredPerson(storage());
    const verified = async () => (await storage().people.get(person))?.emailVerifiedAt;
    await update(person, { name: "Eve", email: person.email });
    expect(await verified()).toBe(NOW);
    await update(person, { email: aPerson().email });
    expect(await verified()).toBeNull();
    await update(person, { email: aPerson().email, emailVerifiedAt: NOW + HOUR });
    expect(await verified()).toBe(NOW + HOUR);
    await update(person, { emailVerifiedAt: null });
    expect(await verified()).toBeNull();
  });

  test("away from an e-mail that is also the username → that name stays", async () => {
    const email = aPerson().email;
    const person = await aStoredPerson(storage(), { username: email, email });
    expect(await update(person, { email: aPerson().email })).toEqual({ kind: "updated" });
    expect((await storage().people.findByName({ name: email }))?.personId).toBe(person.personId);
    expect(await update(person, { email })).toEqual({ kind: "updated" });
    expect((await storage().people.findByName({ name: email }))?.email).toBe(email);
  });

  test("their name, while a role is taken from them, the e-mail is verified and the password has to be another → all of it", async () => {
    const engine = await engineAt(opened().url);
    const person = await aStoredPerson(storage(), { operator: ["admin"], emailVerifiedAt: null });
    const { partition, personId } = person;
    const other = { operator: [], emailVerifiedAt: NOW, mustChangePassword: true };
    const args = { partition, personId, changes: { name: "Eve" }, now: NOW + HOUR };
    await interrupted(engine, updatePerson, args, getPerson, () => update(person, other));
    expect(await storage().people.get(person)).toEqual({ ...person, ...other, name: "Eve", updatedAt: NOW + HOUR });
    await engine.close();
  });

  test("by 10 at once to different e-mails, 10 times → one of them holds, the others and those of before are free", async () => {
    const person = await aStoredPerson(storage());
    const emails = [person.email];
    for (let round = 0; round < 10; round++) {
      const next = Array.from({ length: 10 }, () => aPerson().email);
      await Promise.all(next.map((email) => update(person, { email })));
      emails.push(...next);
    }
    const held = (await storage().people.get(person))?.email ?? "";
    expect((await storage().people.findByName({ name: held }))?.personId).toBe(person.personId);
    const free = emails.filter((email) => email !== held);
    const created = await Promise.all(
      free.map((email) => storage().people.create({ person: aPerson({ email }), now: NOW + 2 * MINUTE })),
    );
    expect(created.filter(({ kind }) => kind !== "created")).toEqual([]);
  });

  test("to an e-mail that another change of theirs let go of, and another took → taken, they keep theirs", async () => {
    const engine = await engineAt(opened().url);
    const [person, other] = [await aStoredPerson(storage()), aPerson()];
    const { partition, personId } = person;
    const taken = async () => {
      await engine.call(dropName, { value: other.email, ownerId: personId, now: NOW });
      expect(await storage().people.create({ person: other, now: NOW })).toEqual({ kind: "created" });
    };
    const args = { partition, personId, changes: { email: other.email }, now: NOW + HOUR };
    expect(await interrupted(engine, updatePerson, args, reserveName, taken)).toEqual({ kind: "taken" });
    expect(await storage().people.get(person)).toEqual({ ...person, updatedAt: NOW + HOUR });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(personId);
    expect(await storage().people.findByName({ name: other.email })).toEqual(other);
    await engine.close();
  });

  test("by 10 at once to one e-mail, 20 times → it is theirs and nobody else's", async () => {
    const person = await aStoredPerson(storage());
    for (let round = 0; round < 20; round++) {
      const email = aPerson().email;
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => update(person, { email })));
      expect(outcomes).toEqual(Array.from({ length: 10 }, () => ({ kind: "updated" })));
      expect((await storage().people.findByName({ name: email }))?.personId).toBe(person.personId);
      expect((await storage().people.create({ person: aPerson({ email }), now: NOW })).kind).toBe("taken");
    }
  });

  test("while they are deleted, 20 times → both e-mails are free", async () => {
    for (let round = 0; round < 20; round++) {
      const person = await aStoredPerson(storage());
      const email = aPerson().email;
      await Promise.all([update(person, { email }), storage().people.delete({ ...person, now: NOW })]);
      for (const name of [person.email, email])
        expect(await storage().people.create({ person: aPerson({ email: name }), now: NOW })).toEqual({
          kind: "created",
        });
    }
  });
});

onEveryBackend("a person's password", (storage) => {
  const args = (person: { partition: number; personId: string }, changes = {}) => ({
    partition: person.partition,
    personId: person.personId,
    passwordHash: "new",
    mustChange: false,
    endGrants: false,
    keepSessionId: null,
    now: NOW + HOUR,
    ...changes,
  });

  test("of nobody → false", async () => {
    expect(await storage().people.setPassword(args(aPerson()))).toBe(false);
  });

  test("by the person, who has another one since → false, and all is as it was", async () => {
    const person = await aStoredPerson(storage());
    const known = { replacing: person.passwordChangedAt };
    expect(await storage().people.setPassword(args(person, known))).toBe(true);
    expect(await storage().people.setPassword(args(person, { ...known, passwordHash: "a thief's" }))).toBe(false);
    expect(await storage().people.get(person)).toMatchObject({ passwordHash: "new" });
    expect(await storage().people.setPassword(args(person, { replacing: NOW + HOUR }))).toBe(true);
  });

  test("set → sessions but the kept one end; grants live on", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const [kept, other] = [aSession(person), aSession(person)];
    await storage().sessions.create(kept);
    await storage().sessions.create(other);
    expect(await storage().people.setPassword(args(person, { keepSessionId: kept.sessionId, mustChange: true }))).toBe(
      true,
    );
    const sessions = await storage().sessions.list({ ...person, now: NOW });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([kept.sessionId]);
    expect(await storage().people.get(person)).toMatchObject({
      passwordHash: "new",
      passwordChangedAt: NOW + HOUR,
      mustChangePassword: true,
    });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
  });

  test("set with endGrants → all sessions and grants end", async () => {
    const { person, grant } = await aLiveGrant(storage());
    await storage().sessions.create(aSession(person));
    await storage().people.setPassword(args(person, { endGrants: true }));
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "owner_ended" });
  });

  test("set with revokeConsents → the consents end, too; without, they stay", async () => {
    for (const revokeConsents of [true, false]) {
      const { person } = await aLiveGrant(storage());
      await storage().people.setPassword(args(person, { endGrants: true, revokeConsents }));
      const { partition, personId: ownerId } = person;
      const left = await storage().consents.list({ partition, ownerId, now: NOW + HOUR });
      expect(left.length).toBe(revokeConsents ? 0 : 1);
    }
  });

  test("hashed better, kept elsewhere, or here again → only if it is still the same", async () => {
    const person = await aStoredPerson(storage(), { passwordHash: "old" });
    await storage().people.rehashPassword({ ...person, from: "another", to: "x" });
    expect((await storage().people.get(person))?.passwordHash).toBe("old");
    await storage().people.rehashPassword({ ...person, from: "old", to: "better" });
    expect(await storage().people.get(person)).toEqual({ ...person, passwordHash: "better" });
    await storage().people.rehashPassword({ ...person, from: null, to: "x" });
    await storage().people.rehashPassword({ ...person, from: "better", to: null });
    expect(await storage().people.get(person)).toEqual({ ...person, passwordHash: null });
    await storage().people.rehashPassword({ ...person, from: null, to: "back" });
    expect(await storage().people.get(person)).toEqual({ ...person, passwordHash: "back" });
  });
});

onEveryBackend("disabling and deleting a person", (storage) => {
  test("nobody → false", async () => {
    expect(await storage().people.setStatus({ ...aPerson(), status: "disabled", now: NOW })).toBe(false);
    expect(await storage().people.delete({ ...aPerson(), now: NOW })).toBe(false);
  });

  test("disabled → sessions and grants end; enabled again, they stay ended and a new consent page works", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const session = aSession(person);
    await storage().sessions.create(session);
    expect(await storage().people.setStatus({ ...person, status: "disabled", now: NOW + SECOND })).toBe(true);
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "owner_ended" });
    expect(await storage().people.setStatus({ ...person, status: "active", now: NOW + MINUTE })).toBe(true);
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "owner_ended" });
    expect((await storage().grants.approve(anApproval(aGrant(person)))).kind).toBe("issued");
  });

  test("a sign-in that was under way → no session", async () => {
    const person = await aStoredPerson(storage());
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    await storage().sessions.create(aSession(person));
    await storage().people.setStatus({ ...person, status: "active", now: NOW });
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
  });

  test("deleted → gone, names free, consents gone, grants ended", async () => {
    const { person, grant } = await aLiveGrant(storage());
    await storage().sessions.create(aSession(person));
    expect(await storage().people.delete({ ...person, now: NOW + SECOND })).toBe(true);
    expect(await storage().people.get(person)).toBeUndefined();
    expect(await storage().people.findByName({ name: person.username })).toBeUndefined();
    expect(await storage().consents.find({ ...grant })).toBeUndefined();
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended", endedAt: NOW + SECOND });
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
    const again = aPerson({ username: person.username, email: person.email });
    expect(await storage().people.create({ person: again, now: NOW })).toEqual({ kind: "created" });
  });
});

test("an owner's id names its partition; what is no such id names none", () => {
  expect(partitionOf(anId(0))).toBe(0);
  expect(partitionOf(anId(1023))).toBe(1023);
  for (const text of ["", "alice", anId(5).slice(1), `${anId(5)}A`, anId(1024), "!".repeat(22)])
    expect(partitionOf(text)).toBe(-1);
});
