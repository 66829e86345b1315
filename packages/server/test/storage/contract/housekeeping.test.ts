import pino from "pino";
import { expect, test } from "vitest";
import { Housekeeping } from "../../../src/housekeeping.ts";
import type { Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { allBackends, backends } from "../support/backends.ts";
import { aLog } from "../support/log-of-events.ts";
import { byHand } from "../support/raw-statements.ts";
import {
  aClient,
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  anId,
  aPerson,
  aRedemption,
  aRefresh,
  aSession,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

/** Runs housekeeping at three times, the last of them `now`. */
async function collectUntil(storage: Storage, now: number): Promise<number> {
  let removed = 0;
  for (const at of [now - DAY, now - HOUR, now])
    removed += await storage.housekeeping.collectGarbage({ now: at, limit: 100 });
  return removed;
}

test.each(backends)("housekeeping of grants: $name", async (backend) => {
  const { storage, remove } = await backend.create();
  const gone = async (grant: Parameters<typeof statusOf>[1]) => (await statusOf(storage, grant)) === undefined;

  const unspent = await anApprovedGrant(storage);
  const used = await aLiveGrant(storage);
  const short = await aLiveGrant(storage, {}, { duration: 3600 });
  const revoked = await aLiveGrant(storage);
  await storage.consents.revoke({ ...revoked.grant, revokedBy: "x", now: NOW + MINUTE });
  const stolen = await aLiveGrant(storage);
  await storage.grants.redeem(aRedemption(stolen.grant, { now: NOW + MINUTE }));

  expect(await storage.housekeeping.collectGarbage({ now: NOW + HOUR, limit: 100 })).toBe(0);
  await collectUntil(storage, NOW + DAY);
  expect(await gone(unspent.grant)).toBe(false);
  await collectUntil(storage, NOW + DAY + 2 * HOUR);
  expect(await gone(unspent.grant)).toBe(true);
  expect([await gone(short.grant), await gone(revoked.grant)]).toEqual([true, false]);
  await collectUntil(storage, NOW + 2 * DAY + HOUR);
  expect(await gone(revoked.grant)).toBe(true);
  expect(await storage.grants.redeem(aRedemption(revoked.grant, { now: NOW + 2 * DAY }))).toEqual({ kind: "unknown" });
  expect(await gone(stolen.grant)).toBe(false);
  await collectUntil(storage, NOW + 30 * DAY + HOUR);
  expect(await gone(stolen.grant)).toBe(true);

  // A refreshed grant lives while it is used, and its consent keeps the time of the last use.
  const lastUse = NOW + 80 * DAY;
  expect((await storage.grants.refresh(aRefresh(used.grant, { now: lastUse }))).kind).toBe("rotated");
  await collectUntil(storage, lastUse + 90 * DAY);
  expect(await gone(used.grant)).toBe(false);
  await collectUntil(storage, lastUse + 92 * DAY);
  expect(await gone(used.grant)).toBe(true);
  expect(await storage.consents.find({ ...used.grant })).toMatchObject({ lastUsedAt: lastUse, status: "active" });
  await remove();
});

test.each(backends)("no more than the limit in a call, and the rest in the next: $name", async (backend) => {
  const { storage, remove } = await backend.create();
  const person = await aStoredPerson(storage);
  for (let at = 0; at < 25; at += 1) await storage.grants.approve(anApproval(aGrant(person)));
  await storage.sessions.create(aSession(person));
  const late = { now: NOW + 40 * DAY, limit: 10 };
  expect([
    await storage.housekeeping.collectGarbage(late),
    await storage.housekeeping.collectGarbage(late),
    await storage.housekeeping.collectGarbage(late),
    await storage.housekeeping.collectGarbage(late),
  ]).toEqual([10, 10, 6, 0]);
  await remove();
});

test.each(backends)(
  "a visit to many live grants removes none and comes to those behind them: $name",
  async (backend) => {
    const { storage, remove } = await backend.create();
    for (let at = 0; at < 12; at += 1) await aLiveGrant(storage);
    const { grant } = await anApprovedGrant(storage, { codeUntil: NOW + 2 * MINUTE });
    expect(await storage.housekeeping.collectGarbage({ now: NOW + 2 * DAY, limit: 5 })).toBe(1);
    expect(await statusOf(storage, grant)).toBeUndefined();
    await remove();
  },
);

test.each(backends)("housekeeping of sessions, attempts and deleted clients: $name", async (backend) => {
  const { storage, remove } = await backend.create();
  const person = await aStoredPerson(storage);
  await storage.sessions.create(aSession(person));
  await storage.attempts.count({ attempts: [{ key: anId(), limit: 1, window: HOUR }], now: NOW });
  const client = aClient();
  await storage.clients.put({ client, expect: 0 });
  await storage.clients.delete({ clientId: client.clientId, now: NOW });
  expect(await storage.housekeeping.collectGarbage({ now: NOW + HOUR - 1, limit: 100 })).toBe(0);
  expect(await storage.housekeeping.collectGarbage({ now: NOW + HOUR, limit: 100 })).toBe(1);
  expect(await storage.clients.changedSince({ version: 0 })).toEqual([client.clientId]);
  expect(await storage.housekeeping.collectGarbage({ now: NOW + DAY, limit: 100 })).toBe(1);
  expect(await storage.clients.changedSince({ version: 0 })).toEqual([]);
  expect(await storage.housekeeping.collectGarbage({ now: NOW + 14 * DAY, limit: 100 })).toBe(1);
  await remove();
});

test.each(backends)("names whose maker crashed: $name", async (backend) => {
  const { storage, url, remove } = await backend.create();
  const half = aPerson();
  const renamed = await aStoredPerson(storage);
  const kept = await aStoredPerson(storage);
  // One creation stopped after its reservations, another one before it activated them.
  const reserve = "UPDATE names SET status = 'reserved', reserved_at = $1 WHERE partition >= 0 AND owner_id = $2";
  await byHand(url, [reserve, NOW, kept.personId]);
  await storage.people.create({ person: half, now: NOW });
  await byHand(
    url,
    [reserve, NOW, half.personId],
    ["DELETE FROM people WHERE partition = $1 AND person_id = $2", half.partition, half.personId],
  );

  const rival = aPerson({ username: half.username });
  expect(await storage.people.create({ person: rival, now: NOW + HOUR })).toEqual({ kind: "taken", what: "username" });
  expect(await storage.housekeeping.collectGarbage({ now: NOW + HOUR, limit: 100 })).toBe(0);
  expect(await storage.people.create({ person: rival, now: NOW + HOUR + SECOND })).toEqual({ kind: "created" });
  expect(await storage.housekeeping.collectGarbage({ now: NOW + HOUR + SECOND, limit: 100 })).toBe(1);
  expect((await storage.people.findByName({ name: half.username }))?.personId).toBe(rival.personId);
  // A person keeps the reserved names that belong to them, for any age of the reservation.
  for (const person of [kept, renamed]) {
    expect(await storage.people.create({ person: aPerson({ email: person.email }), now: NOW + 2 * DAY })).toEqual({
      kind: "taken",
      what: "email",
    });
  }
  await remove();
});

test.each(backends)("subjects whose linker crashed: $name", async (backend) => {
  const { storage, url, remove } = await backend.create();
  const subjectOf = (subject: string) => ({ issuerId: "idp", claim: null, subject });
  const find = (subject: string) => storage.subjectLinks.findPerson({ subject: subjectOf(subject) });
  const make = (person: Person, subject: string) =>
    storage.subjectLinks.createPerson({ people: [person], subject: subjectOf(subject), now: NOW });
  const [early, late, half, unlinked] = [aPerson(), aPerson(), aPerson(), aPerson()];
  for (const [person, subject] of [[early, "early"] as const, [late, "late"] as const, [half, "half"] as const])
    expect((await make(person, subject)).kind).toBe("created");
  await make(unlinked, "unlinked");
  // Creations that stopped after the subject was reserved and before it was active. Also unlinkings that stopped
  // halfway, one of them of such a creation.
  const reserve = "UPDATE names SET status = 'reserved', reserved_at = $1 WHERE kind = 'subject' AND owner_id = $2";
  const unlink = "DELETE FROM subject_links WHERE owner_id = $1";
  await byHand(
    url,
    ...[early, late, half].map(({ personId }) => [reserve, NOW, personId] as const),
    ...[early, late, unlinked].map(({ personId }) => [unlink, personId] as const),
    ["DELETE FROM names WHERE kind = 'sign-in' AND owner_id = $1", early.personId],
    ["DELETE FROM people WHERE person_id = $1", early.personId],
  );

  // The next creation continues at once where an earlier one stopped.
  expect(await find("early")).toBeUndefined();
  expect(await make(aPerson(), "early")).toEqual({ kind: "begun", personId: early.personId });
  expect(await make(early, "early")).toEqual({ kind: "created", person: early });
  expect(await make(aPerson(), "half")).toEqual({ kind: "linked", person: half });
  // A person without a link was unlinked. They are not linked again, and don't count as a failed creation.
  expect(await make(aPerson(), "late")).toEqual({ kind: "begun", personId: late.personId });
  expect(await make(late, "late")).toEqual({ kind: "taken" });
  expect(await storage.people.get(late)).toEqual(late);
  expect(await find("half")).toEqual(half);
  expect(await storage.housekeeping.collectGarbage({ now: NOW + 2 * HOUR, limit: 100 })).toBe(0);
  for (const [subject, person] of Object.entries({ early, half })) expect(await find(subject)).toEqual(person);
  expect(await make(aPerson(), "unlinked")).toMatchObject({ kind: "created" });
  await remove();
});

test.each(allBackends)(
  "four at once on the same rows → each row goes once, none that counts: $name",
  async (backend) => {
    const { storage, remove } = await backend.create();
    const person = await aStoredPerson(storage);
    for (let at = 0; at < 120; at += 1) await storage.sessions.create(aSession(person));
    const live = aSession(person, { absoluteUntil: NOW + 60 * DAY, idleUntil: NOW + 60 * DAY });
    await storage.sessions.create(live);
    for (let at = 0; at < 40; at += 1)
      await storage.grants.approve(anApproval(aGrant(person, { clientId: `c-${at}` })));
    const { grant } = await aLiveGrant(storage);
    const now = NOW + 20 * DAY;
    expect(await storage.housekeeping.backlog({ now, most: 100 })).toMatchObject({
      sessions: 100,
      grants: 41,
      attempts: 0,
    });
    let removed = 0;
    for (let round = 0; round < 30; round += 1) {
      const swept = await Promise.all(
        (["sessions", "grants", "sessions", "grants"] as const).map((what) =>
          storage.housekeeping.collect({ what, now, limit: 7 }),
        ),
      );
      for (const each of swept) removed += each.removed;
    }
    expect(removed).toBe(160);
    expect(await storage.housekeeping.backlog({ now, most: 100 })).toMatchObject({ sessions: 0, grants: 0 });
    expect(await storage.sessions.list({ ...person, now })).toHaveLength(1);
    expect((await statusOf(storage, grant))?.status).toBe("active");
    await remove();
  },
);

test.each(allBackends)(
  "a lease: one of twenty has it, and prolongs it; others when it is over or given back: $name",
  async (backend) => {
    const { storage, remove } = await backend.create();
    const claim = (holder: string, now: number) =>
      storage.leases.claim({ name: "work", holder, until: now + MINUTE, now });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => claim(`node-${at}`, NOW)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    const holder = `node-${answers.indexOf(true)}`;
    expect(await claim("late", NOW + SECOND)).toBe(false);
    expect(await claim(holder, NOW + SECOND)).toBe(true);
    expect(await claim("late", NOW + MINUTE)).toBe(false);
    expect(await claim("late", NOW + MINUTE + SECOND)).toBe(true);
    await storage.leases.release({ name: "work", holder });
    expect(await claim(holder, NOW + MINUTE + 2 * SECOND)).toBe(false);
    await storage.leases.release({ name: "work", holder: "late" });
    expect(await claim(holder, NOW + MINUTE + 2 * SECOND)).toBe(true);
    await remove();
  },
);

test.each(backends)(
  "a lease that a process took a year ahead, before it died → nobody waits for it, and no command sees that server: $name",
  async (backend) => {
    const { storage, remove } = await backend.create();
    const ahead = NOW + 365 * DAY;
    const name = "server of next year";
    const holder = JSON.stringify({ host: "h", pid: 1, schema: 1, since: ahead });
    expect(await storage.leases.claim({ name, holder, until: ahead + MINUTE, now: ahead })).toBe(true);
    expect(await storage.leases.runningServers({ now: ahead })).toMatchObject([{ pid: 1 }]);
    expect(await storage.leases.runningServers({ now: NOW })).toEqual([]);
    expect(await storage.leases.claim({ name, holder: "next", until: NOW + MINUTE, now: NOW })).toBe(true);
    expect(await storage.leases.claim({ name, holder: "late", until: NOW + MINUTE, now: NOW })).toBe(false);
    await remove();
  },
);

test.each(backends)(
  "the clock jumps a year ahead → a running server deletes nothing; back → it goes on; ahead for an hour → it deletes: $name",
  async (backend) => {
    const { storage, remove } = await backend.create();
    const person = await aStoredPerson(storage);
    const session = aSession(person);
    await storage.sessions.create(session);
    let [now, monotonic] = [NOW, 0];
    const housekeeping = new Housekeeping({
      ...{ storage, log: pino({ level: "silent" }), alsoDue: async () => undefined },
      ...{ now: () => now, monotonic: () => monotonic },
    });
    const isOpen = () => storage.sessions.isOpen(session);
    await housekeeping.round();
    now += 365 * DAY;
    expect([await housekeeping.round(), await isOpen()]).toEqual([0, true]);
    now -= 365 * DAY;
    await housekeeping.round();
    expect(await isOpen()).toBe(true);
    now += 365 * DAY;
    await housekeeping.round();
    [now, monotonic] = [now + HOUR, HOUR];
    await housekeeping.round();
    expect(await isOpen()).toBe(false);
    await remove();
  },
);

test.each(backends)(
  "EV-08 the clock jumps a year ahead → no event is deleted that is kept for 90 days: $name",
  async ({ create }) => {
    await using log = await aLog(create, 90 * DAY);
    let isSteady = true;
    const sealer = log.sealer(
      log.secrets,
      () => undefined,
      () => isSteady,
    );
    await log.note();
    await sealer.round();
    isSteady = false;
    log.at.now += 365 * DAY;
    await log.note();
    await sealer.round();
    expect(await log.kinds()).toHaveLength(2);
    log.at.now -= 365 * DAY;
    await log.note();
    await sealer.round();
    isSteady = true;
    log.at.now += 91 * DAY;
    await log.note();
    await sealer.round();
    expect(await log.verify()).toMatchObject({ fault: null, dropped: { seq: expect.any(Number) } });
  },
);
