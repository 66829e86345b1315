import { expect, test } from "vitest";
import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { partitionOf } from "../../../src/storage/partition.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLink, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import { aGrant, anApproval, anId, aSession, aStoredPerson, DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("logout notices", (storage) => {
  const claim = (now = NOW, limit = 100) => storage().logoutNotices.claim({ now, limit, until: now + MINUTE });
  /** Takes every notice that is due, so that tests don't get each other's. */
  const drain = async () => {
    for (const one of await claim(NOW + 1000 * DAY)) await storage().logoutNotices.remove(one);
  };
  const aSessionOf = async (person: Person) => {
    const session = aSession(person);
    await storage().sessions.create(session);
    return session;
  };
  /** The person signs in to a client that wants to be told. */
  const signInTo = async (clientId: string, person: Person, sid: string, grant = {}) => {
    const toldOfLogout = true;
    await storage().grants.approve(anApproval(aGrant(person, { clientId, sid, toldOfLogout, ...grant })));
  };
  const made = async () => {
    await drain();
    const person = await aStoredPerson(storage());
    const session = await aSessionOf(person);
    await signInTo("client-1", person, session.sessionId);
    return { person, session, key: { partition: person.partition, personId: person.personId } };
  };
  const due = async (now = NOW) => (await claim(now)).map(({ sid, clientId }) => [sid, clientId]);

  test("the session lives → nothing is due; it ends → each of its clients once, with the person and the time", async () => {
    const { person, session } = await made();
    await signInTo("client-1", person, session.sessionId);
    await signInTo("client-2", person, session.sessionId);
    await signInTo("client-3", person, session.sessionId, { toldOfLogout: false });
    expect(await claim()).toEqual([]);
    expect(await storage().sessions.end({ ...session, now: NOW + 1 })).toBe(true);
    const notices = await claim(NOW + 1);
    const common = { partition: person.partition, sid: session.sessionId, personId: person.personId };
    expect([...notices].sort((a, b) => a.clientId.localeCompare(b.clientId))).toEqual(
      ["client-1", "client-2"].map((clientId) => ({ ...common, clientId, endedAt: NOW + 1, tries: 1 })),
    );
  });

  test.each<[string, (made_: Awaited<ReturnType<typeof made>>) => Promise<unknown>]>([
    ["all sessions end", ({ key }) => storage().sessions.endAll({ ...key, now: NOW })],
    [
      "it is ended from another browser",
      async ({ key, person, session }) => {
        const { sessionId } = await aSessionOf(person);
        await storage().sessions.endOne({ ...key, ends: session.sessionId, sessionId, now: NOW });
      },
    ],
    ["the operator ends it", ({ session }) => storage().sessions.revoke({ ...session, now: NOW })],
    ["the person is disabled", ({ key }) => storage().people.setStatus({ ...key, status: "disabled", now: NOW })],
    ["the person is deleted", ({ key }) => storage().people.delete({ ...key, now: NOW })],
    [
      "there is a new password",
      ({ key }) =>
        storage().people.setPassword({
          ...{ ...key, passwordHash: "new", mustChange: false, endGrants: false, keepSessionId: null, now: NOW },
        }),
    ],
    [
      "the account is taken back by mail",
      async ({ person }) => {
        const key = await aSentLink(storage(), aLink(person, "recover", { expiresAt: NOW + DAY }));
        const seen = marksOf([], undefined);
        const done = await storage().recovery.recoverPassword(aTakeBack({ ...key, now: NOW }, { seen }));
        expect(done.kind).toBe("done");
      },
    ],
  ])("LO-15 %s → due", async (_, end) => {
    const before = await made();
    await end(before);
    expect(await due()).toEqual([[before.session.sessionId, "client-1"]]);
  });

  test("all other sessions end → only those are due", async () => {
    const { person, session, key } = await made();
    const { sessionId } = await aSessionOf(person);
    await signInTo("client-2", person, sessionId);
    await storage().sessions.endAll({ ...key, sessionId, keepSessionId: sessionId, now: NOW });
    expect(await due()).toEqual([[session.sessionId, "client-1"]]);
  });

  test("the same person signs in again → nothing is due until the new session ends, and the sid stays", async () => {
    const { person, session } = await made();
    const replaces = { partition: session.partition, sessionId: session.sessionId };
    const next = { ...aSession(person), replaces };
    await storage().sessions.create(next);
    expect(await claim()).toEqual([]);
    await storage().sessions.end({ ...next, now: NOW });
    expect(await due()).toEqual([[session.sessionId, "client-1"]]);
  });

  test("another person signs in, in the same browser → due", async () => {
    const { session } = await made();
    const other = await aStoredPerson(storage());
    const replaces = { partition: session.partition, sessionId: session.sessionId };
    await storage().sessions.create({ ...aSession(other), replaces });
    expect(await due()).toEqual([[session.sessionId, "client-1"]]);
  });

  test("the session has ended before the answer is stored → due at once", async () => {
    const { person, session } = await made();
    await storage().sessions.end({ ...session, now: NOW });
    await drain();
    const sid = anId(person.partition);
    expect(partitionOf(sid)).toBe(person.partition);
    await signInTo("client-2", person, sid);
    expect(await due()).toEqual([[sid, "client-2"]]);
  });

  test("claimed → nobody else's until the claim runs out; removed → never again; postponed → later", async () => {
    const { session } = await made();
    await storage().sessions.end({ ...session, now: NOW });
    const [notice] = await claim();
    if (notice === undefined) throw new Error("nothing is due");
    expect(await claim(NOW + MINUTE - 1)).toEqual([]);
    expect(await claim(NOW + MINUTE)).toEqual([{ ...notice, tries: 2 }]);
    expect(await storage().logoutNotices.postpone({ ...notice, at: NOW })).toBe(false);
    expect(await storage().logoutNotices.postpone({ ...notice, tries: 2, at: NOW + DAY })).toBe(true);
    expect(await claim(NOW + DAY - 1)).toEqual([]);
    expect(await claim(NOW + DAY)).toHaveLength(1);
    expect(await storage().logoutNotices.remove(notice)).toBe(true);
    expect(await storage().logoutNotices.remove(notice)).toBe(false);
  });

  test("twenty callers at once → one has it", async () => {
    const { session } = await made();
    await storage().sessions.end({ ...session, now: NOW });
    const claimed = await Promise.all(Array.from({ length: 20 }, () => claim()));
    expect(claimed.flat()).toHaveLength(1);
  });

  test("housekeeping → deletes notices of sessions that have expired, and none that is due", async () => {
    const { session } = await made();
    const other = await made();
    await storage().sessions.end({ ...other.session, now: NOW });
    const sweep = { what: "logout_notices", limit: 1000 } as const;
    await storage().housekeeping.collect({ ...sweep, now: NOW + 16 * DAY });
    await storage().sessions.end({ ...session, now: NOW });
    expect(await due()).toEqual([[other.session.sessionId, "client-1"]]);
  });
});
