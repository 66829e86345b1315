import { expect, test } from "vitest";
import type { NewSession, Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aGrant, anApproval, anId, aSession, aStoredPerson, DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("sessions that began at a provider", (storage) => {
  const claim = "https://accounts.example.com";
  const aSubject = () => ({ issuerId: "provider", claim, subject: anId() });
  const begin = async (person: Person, changes: Partial<NewSession>) => {
    const session = aSession(person, { amr: ["fed"], ...changes });
    await storage().sessions.create(session);
    return session;
  };
  const isOpen = ({ partition, sessionId }: NewSession) => storage().sessions.isOpen({ partition, sessionId });
  const end = (subject: object | null, sid: string | null) =>
    storage().sessions.endUpstream({
      name: "Example ID",
      subject: subject as ReturnType<typeof aSubject> | null,
      sid: sid === null ? null : { issuerId: "provider", claim, subject: sid },
      now: NOW,
    });

  test("another subject, issuer or provider, or nothing named → nothing ends", async () => {
    const person = await aStoredPerson(storage());
    const subject = aSubject();
    const session = await begin(person, { upstream: { subject, sid: "s" } });
    for (const other of [
      aSubject(),
      { ...subject, issuerId: "other" },
      { ...subject, claim: `${claim}/` },
      { ...subject, subject: subject.subject.toUpperCase() },
    ])
      expect(await end(other, null)).toEqual([]);
    expect(await end(null, "S")).toEqual([]);
    expect(await end(null, null)).toEqual([]);
    expect(await end(subject, "other")).toEqual([]);
    expect(await isOpen(session)).toBe(true);
  });

  test("a subject → all sessions of that identity, of every person, and none by password", async () => {
    const [person, former] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const subject = aSubject();
    const there = [
      await begin(person, { upstream: { subject, sid: "one" } }),
      await begin(person, { upstream: { subject, sid: null } }),
      await begin(former, { upstream: { subject, sid: null } }),
    ];
    const here = await begin(person, { amr: ["pwd"] });
    const outcome = await end(subject, null);
    expect(new Set(outcome)).toEqual(
      new Set([
        { personId: person.personId, ended: 2 },
        { personId: former.personId, ended: 1 },
      ]),
    );
    expect(await Promise.all([...there, here].map(isOpen))).toEqual([false, false, false, true]);
    expect(await end(subject, null)).toEqual([]);
  });

  test("a session there, with its subject or without → its sessions here, and those whose session there is unknown", async () => {
    const person = await aStoredPerson(storage());
    const subject = aSubject();
    const [sid, other] = [anId(), anId()];
    const [one, two, three] = [
      await begin(person, { upstream: { subject, sid } }),
      await begin(person, { upstream: { subject, sid: other } }),
      await begin(person, { upstream: { subject, sid: null } }),
    ];
    expect(await end(null, sid)).toEqual([{ personId: person.personId, ended: 1 }]);
    expect(await Promise.all([one, two, three].map(isOpen))).toEqual([false, true, true]);
    expect(await end(subject, other)).toEqual([{ personId: person.personId, ended: 2 }]);
    expect(await Promise.all([two, three].map(isOpen))).toEqual([false, false]);
  });

  test("replaced by a session that still rests on the sign-in there → that one ends; by a password → it stays", async () => {
    const person = await aStoredPerson(storage());
    const subject = aSubject();
    const [first, second] = [
      await begin(person, { upstream: { subject, sid: "a" } }),
      await begin(person, { upstream: { subject, sid: "b" } }),
    ];
    const stronger = await begin(person, { amr: ["fed", "otp", "mfa"], replaces: first });
    const byPassword = await begin(person, { amr: ["pwd"], replaces: second });
    expect(await end(subject, "a")).toEqual([{ personId: person.personId, ended: 1 }]);
    expect(await Promise.all([stronger, byPassword].map(isOpen))).toEqual([false, true]);
    expect(await end(subject, null)).toEqual([]);
    expect(await isOpen(byPassword)).toBe(true);
  });

  test("it replaces a session of somebody else → it rests on nothing there", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const subject = aSubject();
    const theirs = await begin(other, { upstream: { subject, sid: null } });
    const session = await begin(person, { replaces: theirs });
    expect(await end(subject, null)).toEqual([]);
    expect(await isOpen(session)).toBe(true);
  });

  test("it ends → the apps that wait for it are told", async () => {
    const person = await aStoredPerson(storage());
    const subject = aSubject();
    const { sessionId } = await begin(person, { upstream: { subject, sid: null } });
    const clientId = anId();
    await storage().grants.approve(anApproval(aGrant(person, { clientId, sid: sessionId, toldOfLogout: true })));
    await end(subject, null);
    const due = await storage().logoutNotices.claim({ now: NOW + DAY, limit: 1000, until: NOW + DAY + MINUTE });
    expect(due.filter((one) => one.clientId === clientId).map(({ sid }) => sid)).toEqual([sessionId]);
  });

  test("ten callers at once → each session is counted once", async () => {
    const person = await aStoredPerson(storage());
    const subject = aSubject();
    for (let n = 0; n < 4; n += 1) await begin(person, { upstream: { subject, sid: `s${n}` } });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => end(subject, null)));
    expect(outcomes.flat().reduce((sum, { ended }) => sum + ended, 0)).toBe(4);
  });

  test("the person and an operator end the same sessions at the same moment → all have ended, and nobody fails", async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await aStoredPerson(storage());
      const { partition, personId } = person;
      const subject = aSubject();
      const clientId = anId();
      for (let n = 0; n < 3; n += 1) {
        const { sessionId } = await begin(person, { upstream: { subject, sid: `s${n}` } });
        await storage().grants.approve(anApproval(aGrant(person, { clientId, sid: sessionId, toldOfLogout: true })));
      }
      await Promise.all([
        end(subject, null),
        storage().sessions.endAll({ partition, personId, now: NOW }),
        storage().people.setStatus({ partition, personId, status: "disabled", now: NOW }),
        end(subject, "s1"),
      ]);
      expect(await storage().sessions.list({ partition, personId, now: NOW })).toEqual([]);
    }
  });
});
