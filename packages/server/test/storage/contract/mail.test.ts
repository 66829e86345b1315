import { expect, test } from "vitest";
import { collect } from "../../../src/storage/operator/housekeeping.ts";
import { duePeople } from "../../../src/storage/people/scheduled-account-deletion.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { aStaffedCompany } from "../support/company-builders.ts";
import { interrupted } from "../support/interleave.ts";
import { aMail } from "../support/mail-builders.ts";
import { aGrant, anApproval, anId, aPerson, aStoredPerson, DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("the outbox", (storage) => {
  /** Takes every message that is due, so that tests don't get each other's messages. */
  const drain = async (now = NOW) => {
    for (;;) {
      const claimed = await storage().mail.claim({ now, limit: 100, until: now + 10_000 * DAY });
      if (claimed.length === 0) return;
      for (const one of claimed)
        await storage().mail.settle({ ...one, outcome: { kind: "dead", fault: "of another test" } });
    }
  };
  const claim = (now = NOW, limit = 10) => storage().mail.claim({ now, limit, until: now + 5 * MINUTE });

  test("nothing due → nothing; due later → nothing before, and it then", async () => {
    await drain();
    expect(await claim()).toEqual([]);
    const mail = aMail(7);
    await storage().mail.post({ mails: [mail], now: NOW + MINUTE });
    expect(await claim()).toEqual([]);
    expect(await claim(NOW + MINUTE)).toEqual([{ ...mail, tries: 1 }]);
  });

  test("taken on → nobody else's until the claim runs out, then another's, as the second try", async () => {
    await drain(NOW + DAY);
    const mail = aMail(8);
    await storage().mail.post({ mails: [mail], now: NOW });
    expect(await claim()).toHaveLength(1);
    expect(await claim(NOW + 5 * MINUTE - 1)).toEqual([]);
    expect(await claim(NOW + 5 * MINUTE)).toEqual([{ ...mail, tries: 2 }]);
    expect(await storage().mail.settle({ ...mail, tries: 1, outcome: { kind: "sent" } })).toBe(false);
    expect(await storage().mail.settle({ ...mail, tries: 2, outcome: { kind: "sent" } })).toBe(true);
  });

  test("twenty callers at once → each message has one", async () => {
    await drain(NOW + DAY);
    const mails = Array.from({ length: 10 }, () => aMail(9));
    await storage().mail.post({ mails, now: NOW });
    const claimed = (await Promise.all(Array.from({ length: 20 }, () => claim(NOW, 100)))).flat();
    expect(claimed.map(({ mailId }) => mailId).sort()).toEqual(mails.map(({ mailId }) => mailId).sort());
  });

  test("sent → never due again, though its cause is told again", async () => {
    await drain(NOW + DAY);
    const mail = aMail(10);
    await storage().mail.post({ mails: [mail], now: NOW });
    const [claimed] = await claim();
    await storage().mail.settle({ ...mail, tries: claimed?.tries ?? 0, outcome: { kind: "sent" } });
    await storage().mail.post({ mails: [mail], now: NOW });
    expect(await claim(NOW + DAY)).toEqual([]);
  });

  test("to be tried again → due at that time, with what it says; given up → never", async () => {
    await drain(NOW + DAY);
    const mail = aMail(11);
    await storage().mail.post({ mails: [mail], now: NOW });
    await claim();
    await storage().mail.settle({
      ...mail,
      tries: 1,
      outcome: { kind: "again", at: NOW + MINUTE, fault: "ECONNECTION" },
    });
    expect(await claim(NOW + MINUTE - 1)).toEqual([]);
    expect(await claim(NOW + MINUTE)).toEqual([{ ...mail, tries: 2 }]);
    await storage().mail.settle({ ...mail, tries: 2, outcome: { kind: "dead", fault: "550" } });
    expect(await claim(NOW + DAY)).toEqual([]);
  });

  test("with a password, a session, an approval of deletion → there if that is done, and not if it isn't", async () => {
    await drain(NOW + DAY);
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const mails = Array.from({ length: 5 }, () => aMail(partition));
    const [password, nobody, session, deletion, none] = mails.map((mail) => [mail]);
    const change = { passwordHash: "x", mustChange: false, endGrants: false, keepSessionId: null, now: NOW };
    await storage().people.setPassword({ partition, personId, ...change, mails: password ?? [] });
    await storage().people.setPassword({ partition, personId: anId(partition), ...change, mails: nobody ?? [] });
    await storage().sessions.create({
      ...{ partition, personId, sessionId: anId(partition), authTime: NOW, acr: null, amr: ["pwd"], now: NOW },
      ...{ idleUntil: NOW + DAY, absoluteUntil: NOW + DAY, userAgent: null, address: null, replaces: null },
      ...{ secretHash: new Uint8Array(32), passwordChangedAt: NOW, language: "de", mails: session ?? [] },
      device: { presented: null, freshId: anId(partition) },
    });
    const at = NOW + 14 * DAY;
    const key = { keepSessionId: null, now: NOW };
    expect(await storage().people.setDeletion({ partition, personId, at, ...key, mails: deletion ?? [] })).toBe(true);
    expect(
      await storage().people.setDeletion({ partition, personId: anId(partition), at, ...key, mails: none ?? [] }),
    ).toBe(false);
    const ids = (await claim()).map(({ mailId }) => mailId).sort();
    expect(ids).toEqual([password, session, deletion].map((one) => one?.[0]?.mailId).sort());
    expect(await storage().people.get(person)).toMatchObject({ language: "de", deleteAt: at });
  });

  test("old ones → collected, what waits is not", async () => {
    await drain(NOW + DAY);
    const [sent, waiting] = [aMail(12), aMail(12)];
    await storage().mail.post({ mails: [sent], now: NOW });
    await claim();
    await storage().mail.settle({ ...sent, tries: 1, outcome: { kind: "sent" } });
    await storage().mail.post({ mails: [waiting], now: NOW });
    await storage().housekeeping.collectGarbage({ now: NOW + 31 * DAY, limit: 10_000 });
    await storage().mail.post({ mails: [sent], now: NOW });
    expect((await claim(NOW + 31 * DAY)).map(({ mailId }) => mailId).sort()).toEqual(
      [sent.mailId, waiting.mailId].sort(),
    );
  });
});

onEveryBackend("an account that is to go", (storage, opened) => {
  test("its sessions but one and its grants end now, it goes when it is time, with its names", async () => {
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant));
    await storage().people.setDeletion({
      partition,
      personId,
      at: NOW + DAY,
      keepSessionId: null,
      mails: [],
      now: NOW,
    });
    expect((await storage().grants.find({ ...grant, saltHash: grant.codeSaltHash }))?.status).toBe("revoked");
    await storage().housekeeping.collectGarbage({ now: NOW + DAY - 1, limit: 10_000 });
    expect(await storage().people.get(person)).toMatchObject({ deleteAt: NOW + DAY });
    await storage().housekeeping.collectGarbage({ now: NOW + DAY, limit: 10_000 });
    expect(await storage().people.get(person)).toBeUndefined();
    expect(await storage().people.findByName({ name: person.email })).toBeUndefined();
  });

  test("kept after all → it stays", async () => {
    const person = await aStoredPerson(storage());
    const key = { partition: person.partition, personId: person.personId, keepSessionId: null, mails: [], now: NOW };
    await storage().people.setDeletion({ ...key, at: NOW + DAY });
    await storage().people.setDeletion({ ...key, at: null });
    await storage().housekeeping.collectGarbage({ now: NOW + 2 * DAY, limit: 10_000 });
    expect(await storage().people.get(person)).toMatchObject({ deleteAt: null });
  });

  test("kept after all, or for longer, when its turn has come already → it stays with its names, or for as long as that", async () => {
    const engine = await engineAt(opened().url);
    for (const at of [null, NOW + 14 * DAY]) {
      const person = await aStoredPerson(storage());
      const key = { partition: person.partition, personId: person.personId, keepSessionId: null, mails: [], now: NOW };
      await storage().people.setDeletion({ ...key, at: NOW + DAY });
      const sweep = { what: "people", now: NOW + DAY, limit: 10_000 } as const;
      await interrupted(engine, collect, sweep, duePeople, () => storage().people.setDeletion({ ...key, at }));
      expect(await storage().people.get(person)).toMatchObject({ deleteAt: at });
      for (const name of [person.username, person.email])
        expect((await storage().people.findByName({ name }))?.personId).toBe(person.personId);
      await storage().housekeeping.collectGarbage({ now: NOW + 2 * DAY, limit: 10_000 });
      const another = aPerson({ email: person.email });
      expect((await storage().people.create({ person: another, now: NOW + 3 * DAY })).kind).toBe("taken");
    }
    await engine.close();
  });

  test("for longer, while it is put off for a company's sake → as long as its person said", async () => {
    const engine = await engineAt(opened().url);
    const { admin } = await aStaffedCompany(storage());
    const key = { partition: admin.partition, personId: admin.personId, keepSessionId: null, mails: [], now: NOW };
    await storage().people.setDeletion({ ...key, at: NOW + DAY });
    const sweep = { what: "people", now: NOW + DAY, limit: 10_000 } as const;
    const longer = () => storage().people.setDeletion({ ...key, at: NOW + 14 * DAY });
    await interrupted(engine, collect, sweep, duePeople, longer);
    expect(await storage().people.get(admin)).toMatchObject({ deleteAt: NOW + 14 * DAY });
    await engine.close();
  });
});
