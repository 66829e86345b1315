import { expect, test } from "vitest";
import type { MailLink, MailLinkPurpose } from "../../../src/owners/mail/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { undoEmail } from "../../../src/storage/factors/account-recovery.ts";
import { changeEmail } from "../../../src/storage/mail/mail-links.ts";
import { getPerson } from "../../../src/storage/people/person-row.ts";
import { dropName, reserveName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { aStaffedCompany, join } from "../support/company-builders.ts";
import { interrupted } from "../support/interleave.ts";
import { aLink, aMail, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import {
  aGrant,
  aHash,
  anApproval,
  anId,
  aPerson,
  aSession,
  aStoredPerson,
  DAY,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("a link in a message", (storage, opened) => {
  const sent = async (purpose: MailLinkPurpose, changes: Partial<MailLink> = {}, person?: Person) => {
    const one = person ?? (await aStoredPerson(storage()));
    const link = aLink(one, purpose, changes);
    return { person: one, link, key: await aSentLink(storage(), link) };
  };
  type Key = Awaited<ReturnType<typeof sent>>["key"];
  const recover = (key: Key, mails = [aMail(key.partition)]) =>
    storage().recovery.recoverPassword(aTakeBack(key, { mails }));
  const change = (key: Key, person: Person, before = person.email) => {
    const undo = aLink(person, "undo", { address: before, expiresAt: NOW + 7 * DAY });
    const undoSaltHash = aHash();
    const args = { ...key, before, undo: { link: undo, saltHash: undoSaltHash }, mails: [] };
    return {
      args,
      undo: { partition: undo.partition, linkId: undo.linkId, saltHash: undoSaltHash, now: NOW },
      outcome: () => storage().mailLinks.changeEmail(args),
    };
  };
  const emailOf = async (person: Person) => (await storage().people.get(person))?.email ?? "";
  /** Changes the address by a link to the new one. */
  const moved = async (person: Person, before: string, email: string) => {
    const { key } = await sent("change", { address: email }, person);
    expect((await change(key, person, before).outcome()).kind).toBe("done");
  };
  const anAddress = () =>
    `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@example.com`;

  test.each(["recover", "sign-up", "verify", "change", "undo"] as const)(
    "for %s: with another secret, too late, for another purpose → none; else it is found, and taken once",
    async (purpose) => {
      const { link, key } = await sent(purpose);
      const other = purpose === "verify" ? "recover" : "verify";
      for (const wrong of [
        { ...key, purpose, saltHash: aHash() },
        { ...key, purpose, now: link.expiresAt },
        { ...key, purpose: other } as const,
        { ...key, purpose, linkId: anId(key.partition) },
      ]) {
        expect(await storage().mailLinks.find(wrong)).toBeUndefined();
        expect(await storage().mailLinks.take(wrong)).toBeUndefined();
      }
      expect(await storage().mailLinks.find({ ...key, purpose })).toEqual(link);
      expect(await storage().mailLinks.take({ ...key, purpose })).toEqual(link);
      expect(await storage().mailLinks.take({ ...key, purpose })).toBeUndefined();
    },
  );

  test("to recover → password, sessions, grants, other links; the second time unknown", async () => {
    const { person, key } = await sent("recover");
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant));
    await storage().sessions.create(aSession(person));
    const other = await sent("change", {}, person);
    expect(await recover(key)).toMatchObject({
      kind: "done",
      person: { passwordHash: "new", mustChangePassword: false },
    });
    // The grant was made in the same millisecond as the link, so the page showed it to nobody.
    expect((await storage().grants.find({ ...grant, saltHash: grant.codeSaltHash }))?.status).toBe("revoked");
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
    expect(await storage().mailLinks.find({ ...other.key, purpose: "change" })).toBeUndefined();
    expect(await recover(key)).toEqual({ kind: "unknown" });
    // The page of the link can say that it was used.
    expect(await storage().mailLinks.find({ ...key, purpose: "used" })).toMatchObject({ purpose: "used" });
  });

  test("to recover, in companies' names → those grants end, too", async () => {
    const { company } = await aStaffedCompany(storage());
    const { person, key } = await sent("recover");
    await join(storage(), company, person, "member");
    const owner = { partition: company.partition, ownerId: company.companyId, grantId: anId(company.partition) };
    const grant = aGrant(person, owner);
    await storage().grants.approve(anApproval(grant));
    await recover(key);
    expect((await storage().grants.find({ ...grant, saltHash: grant.codeSaltHash }))?.status).not.toBe("active");
  });

  test.each([
    ["disabled", (person: Person) => storage().people.setStatus({ ...person, status: "disabled", now: NOW })],
    ["removed", (person: Person) => storage().people.delete({ ...person, now: NOW })],
    [
      "at another address now",
      (person: Person) => storage().people.update({ ...person, changes: { email: anAddress() }, now: NOW }),
    ],
  ])("of a person who is %s → unknown, whatever it is for", async (_, what) => {
    for (const purpose of ["recover", "verify"] as const) {
      const { person, key } = await sent(purpose);
      await what(person);
      const outcome = purpose === "recover" ? recover(key) : storage().mailLinks.verifyEmail(key);
      expect(await outcome).toEqual({ kind: "unknown" });
      expect((await storage().people.get(person))?.passwordHash).not.toBe("new");
    }
  });

  test("to recover, twenty times at once → done once", async () => {
    const { key } = await sent("recover");
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => recover(key)));
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
  });

  test("to verify → verified, once", async () => {
    const person = await aStoredPerson(storage(), { emailVerifiedAt: null });
    const { key } = await sent("verify", {}, person);
    expect(await storage().mailLinks.verifyEmail(key)).toMatchObject({
      kind: "done",
      person: { emailVerifiedAt: NOW },
    });
    expect(await storage().mailLinks.verifyEmail(key)).toEqual({ kind: "unknown" });
  });

  test("to change: another's address → taken, and nothing is changed; from another address than thought → unknown", async () => {
    const other = await aStoredPerson(storage());
    const { person, key } = await sent("change", { address: other.email });
    expect(await change(key, person).outcome()).toEqual({ kind: "taken" });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(person.personId);
    expect((await storage().people.findByName({ name: other.email }))?.personId).toBe(other.personId);
    const second = await sent("change", { address: anAddress() });
    expect(await change(second.key, second.person, "old@example.com").outcome()).toEqual({ kind: "unknown" });
    expect((await storage().people.findByName({ name: second.person.email }))?.personId).toBe(second.person.personId);
  });

  test("to change → the address, both names, the verification; links to the old mailbox end, but not the way back", async () => {
    const address = anAddress();
    const { person, key } = await sent("change", { address });
    const recovery = await sent("recover", {}, person);
    const { undo, outcome } = change(key, person);
    expect(await outcome()).toMatchObject({ kind: "done", person: { email: address, emailVerifiedAt: NOW } });
    expect((await storage().people.findByName({ name: address }))?.personId).toBe(person.personId);
    expect(await storage().people.findByName({ name: person.email })).toBeUndefined();
    expect(await recover(recovery.key)).toEqual({ kind: "unknown" });
    expect(await outcome()).toEqual({ kind: "unknown" });
    const undone = await storage().recovery.undoEmail(aTakeBack(undo));
    expect(undone).toMatchObject({ kind: "done", person: { email: person.email, passwordHash: "new" } });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(person.personId);
    expect(await storage().people.findByName({ name: address })).toBeUndefined();
    expect(await storage().recovery.undoEmail(aTakeBack(undo, { passwordHash: "again" }))).toEqual({ kind: "unknown" });
  });

  test("to undo → sessions and grants end, a deletion is off; taken by another meanwhile → taken", async () => {
    const { person, key } = await sent("change", { address: anAddress() });
    const { undo, outcome } = change(key, person);
    await outcome();
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant));
    await storage().sessions.create(aSession(person));
    const other = await aStoredPerson(storage(), { email: person.email });
    expect(await storage().recovery.undoEmail(aTakeBack(undo))).toEqual({ kind: "taken" });
    await storage().people.delete({ ...other, now: NOW });
    await storage().people.setDeletion({ ...person, at: NOW + DAY, keepSessionId: null, mails: [], now: NOW });
    expect(await storage().recovery.undoEmail(aTakeBack(undo))).toMatchObject({
      kind: "done",
      person: { deleteAt: null },
    });
    expect((await storage().grants.find({ ...grant, saltHash: grant.codeSaltHash }))?.status).toBe("revoked");
    expect(await storage().sessions.list({ ...person, now: NOW })).toEqual([]);
  });

  test("to change: an address that was let go of, and another took → taken, they keep theirs, verified as it was", async () => {
    const engine = await engineAt(opened().url);
    const other = aPerson();
    const { person, key } = await sent("change", { address: other.email });
    const taken = async () => {
      await engine.call(dropName, { value: other.email, ownerId: person.personId, now: NOW });
      expect(await storage().people.create({ person: other, now: NOW })).toEqual({ kind: "created" });
    };
    const { args } = change(key, person);
    expect(await interrupted(engine, changeEmail, args, reserveName, taken)).toEqual({ kind: "taken" });
    expect(await storage().people.get(person)).toEqual({ ...person, updatedAt: NOW });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(person.personId);
    expect(await storage().people.findByName({ name: other.email })).toEqual(other);
    await engine.close();
  });

  test("to undo, while the account is given yet another address → done, and that address is free", async () => {
    const engine = await engineAt(opened().url);
    const { person, key } = await sent("undo");
    const { personId } = person;
    const first = anAddress();
    await moved(person, person.email, first);
    const last = anAddress();
    const args = aTakeBack(key);
    const outcome = await interrupted(engine, undoEmail, args, getPerson, () => moved(person, first, last));
    expect(outcome).toMatchObject({ kind: "done", person: { email: person.email, passwordHash: "new" } });
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(personId);
    expect((await storage().people.create({ person: aPerson({ email: last }), now: NOW })).kind).toBe("created");
    expect((await storage().recovery.undoEmail(args)).kind).toBe("unknown");
    await engine.close();
  });

  test("to undo, where the account has the address again, or an older one → unknown", async () => {
    const { person, key } = await sent("undo");
    expect((await storage().recovery.undoEmail(aTakeBack(key))).kind).toBe("unknown");
    const theirs = anAddress();
    const { key: toTheirs } = await sent("change", { address: theirs }, person);
    const away = change(toTheirs, person);
    await away.outcome();
    const { key: toAnother } = await sent("change", { address: anAddress() }, person);
    const { undo: ofTheirs, outcome } = change(toAnother, person, theirs);
    await outcome();
    await moved(person, await emailOf(person), person.email);
    expect((await storage().recovery.undoEmail(aTakeBack(ofTheirs))).kind).toBe("unknown");
    expect(await emailOf(person)).toBe(person.email);
  });

  test("to change, back to an older address → no link takes that back, whoever made one", async () => {
    const { person, key } = await sent("change", { address: anAddress() });
    const { outcome, undo } = change(key, person);
    await outcome();
    const theirs = await emailOf(person);
    const { key: back } = await sent("change", {}, person);
    const again = change(back, person, theirs);
    expect((await again.outcome()).kind).toBe("done");
    expect(await storage().mailLinks.find({ ...again.undo, purpose: "undo" })).toBeUndefined();
    expect(await storage().mailLinks.find({ ...undo, purpose: "undo" })).toBeUndefined();
    expect(await storage().people.addresses({ ...person, now: NOW })).toMatchObject([
      { address: person.email, since: 0 },
      ...[{ address: theirs }, { address: person.email }],
    ]);
  });

  test("to undo, ten times at once → done once", async () => {
    const { person, key } = await sent("undo");
    const { personId } = person;
    await moved(person, person.email, anAddress());
    const undo = () => storage().recovery.undoEmail(aTakeBack(key));
    const outcomes = await Promise.all(Array.from({ length: 10 }, undo));
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect((await storage().people.findByName({ name: person.email }))?.personId).toBe(personId);
  });

  test("another password → the link to another address holds no more, those to recover, to prove and to undo do; the operator's → only the one to prove does", async () => {
    const person = await aStoredPerson(storage());
    const of = async (purpose: MailLinkPurpose) => ({ ...(await sent(purpose, {}, person)).key, purpose });
    const [changing, recovering, verifying, undoing] = [
      await of("change"),
      await of("recover"),
      await of("verify"),
      await of("undo"),
    ];
    const { partition, personId } = person;
    const ends = { mustChange: false, endGrants: false, keepSessionId: null };
    await storage().people.setPassword({ partition, personId, passwordHash: "new", ...ends, now: NOW });
    expect(await storage().mailLinks.find(changing)).toBeUndefined();
    for (const kept of [recovering, verifying, undoing]) expect(await storage().mailLinks.find(kept)).toBeDefined();
    const byOperator = { ...ends, endWaysBack: true, now: NOW + 1 };
    await storage().people.setPassword({ partition, personId, passwordHash: "operator's", ...byOperator });
    for (const gone of [recovering, undoing]) expect(await storage().mailLinks.find(gone)).toBeUndefined();
    expect(await storage().mailLinks.find(verifying)).toBeDefined();
  });

  test("to change, ten times at once, 10 rounds → done once, and the address is theirs and nobody else's", async () => {
    let person = await aStoredPerson(storage());
    for (let round = 0; round < 10; round++) {
      const address = anAddress();
      const { key } = await sent("change", { address }, person);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => change(key, person).outcome()));
      expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
      const held = await storage().people.findByName({ name: address });
      expect(held?.personId).toBe(person.personId);
      const create = (email: string) =>
        storage().people.create({ person: aPerson({ email }), byOperator: true, now: NOW });
      expect((await create(address)).kind).toBe("taken");
      expect((await create(person.email)).kind).toBe("created");
      if (held) person = held;
    }
  });

  test("asked for with a password that was changed meanwhile → there is none, and no message", async () => {
    const { person, key } = await sent("recover");
    const [link, mail] = [aLink(person, "change", { address: anAddress() }), aMail(person.partition)];
    const args = { link, saltHash: aHash(), mails: [mail], now: NOW + 1 };
    expect((await recover({ ...key, now: NOW + 1 })).kind).toBe("done");
    await storage().mailLinks.create({ ...args, passwordChangedAt: person.passwordChangedAt });
    const found = () => storage().mailLinks.find({ ...args, ...link, purpose: "change" });
    expect(await found()).toBeUndefined();
    const waiting = await storage().mail.claim({ now: NOW + 1, limit: 1000, until: NOW + DAY });
    expect(waiting.map(({ mailId }) => mailId)).not.toContain(mail.mailId);
    await storage().mailLinks.create({ ...args, passwordChangedAt: NOW + 1 });
    expect(await found()).toEqual(link);
  });

  test("to change, twenty people want one address at once → one has it", async () => {
    const address = anAddress();
    const all = await Promise.all(Array.from({ length: 20 }, () => sent("change", { address })));
    const outcomes = await Promise.all(all.map(({ key, person }) => change(key, person).outcome()));
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    const holder = await storage().people.findByName({ name: address });
    expect(all.map(({ person }) => person.personId)).toContain(holder?.personId);
  });

  test("of the past → collected; after a restore → gone", async () => {
    const { key } = await sent("verify");
    await storage().housekeeping.collectGarbage({ now: NOW + 16 * MINUTE, limit: 10_000 });
    expect(await storage().mailLinks.find({ ...key, purpose: "verify" })).toBeUndefined();
    const kept = await sent("verify");
    await storage().endAllBefore({ now: NOW, keepConsents: true });
    expect(await storage().mailLinks.find({ ...kept.key, purpose: "verify" })).toBeUndefined();
  });

  test("the only admin of a company → named; with another admin, or as a member → not", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    expect(await storage().people.soleAdminOf(admin)).toEqual([{ name: company.name, slug: company.slug }]);
    expect(await storage().people.soleAdminOf(member)).toEqual([]);
    await storage().people.setDeletion({ ...admin, at: NOW + MINUTE, keepSessionId: null, mails: [], now: NOW });
    await storage().housekeeping.collectGarbage({ now: NOW + MINUTE, limit: 10_000 });
    expect(await storage().people.get(admin)).toMatchObject({ deleteAt: NOW + MINUTE + DAY });
    await join(storage(), company, member, "admin");
    expect(await storage().people.soleAdminOf(admin)).toEqual([]);
  });
});
