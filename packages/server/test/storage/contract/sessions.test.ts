import { expect, test } from "vitest";
import type { NewSession } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aHash, anId, aSession, aStoredPerson, DAY, HOUR, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("a session", (storage) => {
  const use = (session: NewSession, changes: { now?: number; secretHash?: Uint8Array; sessionId?: string } = {}) => {
    const now = changes.now ?? NOW + MINUTE;
    const { partition, sessionId, secretHash } = { ...session, ...changes };
    return storage().sessions.use({ partition, sessionId, secretHash, now, idleUntil: now + 12 * HOUR });
  };
  const made = async (changes: Partial<NewSession> = {}) => {
    const person = await aStoredPerson(storage());
    const session = aSession(person, changes);
    await storage().sessions.create(session);
    return { person, session };
  };

  test("with a wrong id or secret, or past an end → undefined", async () => {
    const { session } = await made();
    expect(await use(session, { sessionId: anId(session.partition) })).toBeUndefined();
    expect(await use(session, { secretHash: aHash() })).toBeUndefined();
    expect(await use(session, { now: session.idleUntil })).toBeUndefined();
    const short = await made({ idleUntil: NOW + 30 * DAY });
    expect(await use(short.session, { now: short.session.absoluteUntil })).toBeUndefined();
  });

  test("of a disabled person → undefined", async () => {
    const { session, person } = await made();
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(await use(session)).toBeUndefined();
  });

  test("of a person who has another password since they signed in → undefined", async () => {
    const person = await aStoredPerson(storage());
    const { partition, personId } = person;
    const ends = { mustChange: false, endGrants: true, keepSessionId: null };
    await storage().people.setPassword({ partition, personId, passwordHash: "new", ...ends, now: NOW + 1 });
    const late = aSession(person, { now: NOW + 2 });
    await storage().sessions.create(late);
    expect(await use(late)).toBeUndefined();
    const next = aSession({ ...person, passwordChangedAt: NOW + 1 });
    await storage().sessions.create(next);
    expect(await use(next)).toBeDefined();
    const without = await aStoredPerson(storage(), { passwordHash: null, passwordChangedAt: null });
    const session = aSession(without);
    await storage().sessions.create(session);
    expect(await use(session)).toBeDefined();
  });

  test("→ session and person, each with the time of its own beginning", async () => {
    const person = await aStoredPerson(storage(), { createdAt: NOW - DAY, updatedAt: NOW - DAY });
    const session = aSession(person);
    await storage().sessions.create(session);
    const { secretHash: _, now, replaces: __, passwordChangedAt: ___, device, ...rest } = session;
    expect(await use(session)).toEqual({
      session: { ...rest, createdAt: now, lastSeenAt: now, deviceId: device.freshId },
      person,
    });
  });

  test("used → idle moves every 5 minutes only, and never beyond the absolute end", async () => {
    const { session } = await made({ absoluteUntil: NOW + DAY });
    expect((await use(session, { now: NOW + 5 * MINUTE - 1 }))?.session).toMatchObject({
      lastSeenAt: NOW,
      idleUntil: NOW + 12 * HOUR,
    });
    expect((await use(session, { now: NOW + 5 * MINUTE }))?.session).toMatchObject({
      lastSeenAt: NOW + 5 * MINUTE,
      idleUntil: NOW + 5 * MINUTE + 12 * HOUR,
    });
    await use(session, { now: NOW + 12 * HOUR });
    expect((await use(session, { now: NOW + 20 * HOUR }))?.session.idleUntil).toBe(NOW + DAY);
  });

  test("ended → gone; ended again → false", async () => {
    const { session } = await made();
    expect(await storage().sessions.end(session)).toBe(true);
    expect(await storage().sessions.end(session)).toBe(false);
    expect(await use(session)).toBeUndefined();
  });

  test("replaced by a new sign-in → the old one is gone", async () => {
    const { session, person } = await made();
    const next = aSession(person, { replaces: session });
    await storage().sessions.create(next);
    expect(await use(session)).toBeUndefined();
    expect(await use(next)).toBeDefined();
  });

  test("all of a person's → listed last seen first, ended together, another's untouched", async () => {
    const { session, person } = await made();
    const later = aSession(person, { now: NOW + MINUTE });
    await storage().sessions.create(later);
    await storage().sessions.create(aSession(person, { idleUntil: NOW }));
    const stranger = await made();
    const listed = await storage().sessions.list({ ...person, now: NOW });
    expect(listed.map(({ sessionId }) => sessionId)).toEqual([later.sessionId, session.sessionId]);
    expect(await storage().people.get(person)).not.toHaveProperty("signedOutAt");
    expect(await storage().sessions.endAll({ ...person, now: NOW })).toBe(3);
    expect(await storage().sessions.endAll({ ...person, now: NOW + 5 })).toBe(0);
    // The time of the last one, also if there was no session.
    expect(await storage().people.get(person)).toMatchObject({ signedOutAt: NOW + 5 });
    expect(await use(stranger.session)).toBeDefined();
  });

  test("all but one ended → that one lives", async () => {
    const { session, person } = await made();
    await storage().sessions.create(aSession(person));
    expect(await storage().sessions.endAll({ ...person, keepSessionId: session.sessionId, now: NOW })).toBe(1);
    expect(await use(session)).toBeDefined();
  });
});

onEveryBackend("attempts", (storage) => {
  const attempt = (key: string, limit: number, window = HOUR) => ({ key, limit, window });
  const allowed = (...counted: string[]) => ({ kind: "allowed", level: 0, counted });
  const throttled = (until: number, ...full: string[]) => ({ kind: "throttled", until, level: 0, full });
  const count = (attempts: ReturnType<typeof attempt>[], now = NOW) => storage().attempts.count({ attempts, now });

  test("beyond a limit → throttled until the window ends, then allowed again", async () => {
    const key = anId();
    for (const _ of [1, 2, 3]) expect(await count([attempt(key, 3)])).toEqual(allowed(key));
    expect(await count([attempt(key, 3)], NOW + MINUTE)).toEqual(throttled(NOW + HOUR, key));
    expect(await count([attempt(key, 3)], NOW + HOUR)).toEqual(allowed(key));
    expect(await count([attempt(key, 3)], NOW + HOUR)).toEqual(allowed(key));
  });

  test("one key at its limit → nothing is counted under the others", async () => {
    const [full, other] = [anId(), anId()];
    await count([attempt(full, 1, MINUTE)]);
    for (const _ of [1, 2, 3, 4, 5]) {
      expect(await count([attempt(other, 2), attempt(full, 1)])).toEqual(throttled(NOW + MINUTE, full));
    }
    expect(await count([attempt(other, 2)])).toEqual(allowed(other));
    expect(await count([attempt(other, 2)])).toEqual(allowed(other));
    expect((await count([attempt(other, 2)])).kind).toBe("throttled");
  });

  test("two keys at their limits → throttled until the later end", async () => {
    const [a, b] = [anId(), anId()];
    await count([attempt(a, 1, MINUTE), attempt(b, 1, HOUR)]);
    expect(await count([attempt(a, 1), attempt(b, 1)])).toEqual(throttled(NOW + HOUR, a, b));
  });

  test("a ceiling that is full → refuses nobody, and narrows the limits", async () => {
    const [hour, day, own] = [anId(), anId(), anId()];
    const ceilings = [attempt(hour, 1), attempt(day, 2, DAY)];
    const narrowing = (key: string) => [{ ...attempt(key, 4), narrowed: [3, 2] }];
    const guess = (key: string, now = NOW) => storage().attempts.count({ attempts: narrowing(key), ceilings, now });
    expect(await guess(own)).toEqual({ kind: "allowed", level: 0, counted: [own, hour, day] });
    expect(await guess(own)).toEqual({ kind: "allowed", level: 1, counted: [own, day] });
    // The daily ceiling is reached, too, so its narrower limit of 2 applies, and this is the third attempt.
    expect(await guess(own)).toEqual({ kind: "throttled", until: NOW + HOUR, level: 2, full: [own] });
    const other = anId();
    expect(await guess(other)).toEqual({ kind: "allowed", level: 2, counted: [other] });
    // The hourly ceiling has ended; the daily ceiling has not.
    expect(await guess(own, NOW + HOUR)).toEqual({ kind: "allowed", level: 2, counted: [own, hour] });
    expect(await guess(own, NOW + DAY)).toEqual({ kind: "allowed", level: 0, counted: [own, hour, day] });
  });

  test("20 at once with a limit of 5 → 5 are allowed", async () => {
    const key = anId();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => count([attempt(key, 5)])));
    expect(outcomes.filter(({ kind }) => kind === "allowed")).toHaveLength(5);
  });

  test("a success → reset keys are empty, undone ones have one less", async () => {
    const [reset, undo] = [anId(), anId()];
    for (const _ of [1, 2]) await count([attempt(reset, 2), attempt(undo, 2)]);
    await storage().attempts.forgive({ reset: [reset], undo: [undo, anId()] });
    expect(await count([attempt(reset, 2), attempt(undo, 2)])).toEqual(allowed(reset, undo));
    expect(await count([attempt(reset, 2)])).toEqual(allowed(reset));
    expect((await count([attempt(undo, 2)])).kind).toBe("throttled");
  });
});
