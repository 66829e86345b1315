/** A person removes an identity of theirs: a way in always remains. */

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import type { ForeignSubject } from "../../../src/owners/subject-link-storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aPasskey, aSession, aStoredPerson, HOUR, NOW } from "../support/record-builders.ts";

const at = (issuerId: string, claim: string | null = `https://${issuerId}.example`) => ({ issuerId, claim });

onEveryBackend("removing an own identity", (storage) => {
  /** A person without a password, with an identity at each of these providers. */
  async function known(...providers: readonly Pick<ForeignSubject, "issuerId" | "claim">[]) {
    const person = await aStoredPerson(storage(), { passwordHash: null, passwordChangedAt: null });
    const session = aSession(person);
    await storage().sessions.create(session);
    for (const [index, provider] of providers.entries()) {
      const subject = { ...provider, subject: `s-${randomBytes(6).toString("hex")}` };
      const args = { ...person, subject, sole: false, madeBy: "person", now: NOW + index } as const;
      expect(await storage().subjectLinks.link(args)).toEqual({ kind: "linked" });
    }
    const [one, other] = (await storage().subjectLinks.ofPerson(person)).map(({ link }) => link);
    return { person, sessionId: session.sessionId, one: one ?? "", other: other ?? "" };
  }
  const remove = (
    { partition, personId }: Person,
    link: string,
    sessionId: string,
    waysIn: readonly Pick<ForeignSubject, "issuerId" | "claim">[],
  ) => storage().subjectLinks.remove({ partition, personId, link, sessionId, waysIn, now: NOW + HOUR });
  const left = async (person: Person) => (await storage().subjectLinks.ofPerson(person)).length;

  test("the only one, without a password and a passkey → last", async () => {
    const { person, one, sessionId } = await known(at("a"));
    expect(await remove(person, one, sessionId, [at("a"), at("b")])).toBe("last");
    expect(await left(person)).toBe(1);
  });

  test("the other one's provider is disabled, or has another issuer by now → last", async () => {
    const { person, one, sessionId } = await known(at("a"), at("b"));
    expect(await remove(person, one, sessionId, [])).toBe("last");
    expect(await remove(person, one, sessionId, [at("a")])).toBe("last");
    expect(await remove(person, one, sessionId, [at("a"), at("b", "https://new.example")])).toBe("last");
    expect(await left(person)).toBe(2);
  });

  test("the other one is of a trusted issuer, where nobody signs in → last", async () => {
    const { person, one, sessionId } = await known(at("a"), at("trusted", null));
    expect(await remove(person, one, sessionId, [at("a")])).toBe("last");
  });

  test("somebody else has an identity at an active provider → still last", async () => {
    await known(at("b"));
    const { person, one, sessionId } = await known(at("a"));
    expect(await remove(person, one, sessionId, [at("a"), at("b")])).toBe("last");
  });

  test("the session has ended → unknown, and nothing is removed", async () => {
    const { person, one, sessionId } = await known(at("a"), at("b"));
    await storage().sessions.endAll({ ...person, now: NOW });
    expect(await remove(person, one, sessionId, [at("a"), at("b")])).toBe("unknown");
    expect(await left(person)).toBe(2);
  });

  test("another identity at an active provider remains → removed; then that one is the last", async () => {
    const { person, one, other, sessionId } = await known(at("a"), at("b"));
    expect(await remove(person, one, sessionId, [at("b")])).toBe("removed");
    expect(await remove(person, one, sessionId, [at("b")])).toBe("unknown");
    expect(await remove(person, other, sessionId, [at("b")])).toBe("last");
    expect(await left(person)).toBe(1);
  });

  test("a passkey remains → removed", async () => {
    const { person, one, sessionId } = await known(at("a"));
    expect(await storage().passkeys.add({ passkey: aPasskey(person), now: NOW })).toBe("added");
    expect(await remove(person, one, sessionId, [])).toBe("removed");
  });

  test("the only passkey, and no identity at an active provider remains → last; one remains → removed", async () => {
    const { person, one } = await known(at("a"));
    const passkey = aPasskey(person);
    await storage().passkeys.add({ passkey, now: NOW });
    const waysIn = [at("a", "https://new.example"), at("b")];
    expect(await storage().passkeys.remove({ ...passkey, now: NOW })).toBe("last");
    expect(await storage().passkeys.remove({ ...passkey, waysIn, now: NOW })).toBe("last");
    expect(await storage().passkeys.remove({ ...passkey, waysIn: [at("a")], now: NOW })).toBe("removed");
    expect((await storage().subjectLinks.ofPerson(person)).map(({ link }) => link)).toEqual([one]);
  });

  test("the only passkey and the only identity at once, 10 rounds → one is removed, and one stays", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { person, one, sessionId } = await known(at("a"));
      const passkey = aPasskey(person);
      await storage().passkeys.add({ passkey, now: NOW });
      const outcomes = await Promise.all([
        storage().passkeys.remove({ ...passkey, waysIn: [at("a")], now: NOW }),
        remove(person, one, sessionId, [at("a")]),
      ]);
      expect(outcomes.sort()).toEqual(["last", "removed"]);
    }
  });

  test("both of two at once, 10 rounds → one is removed, and one stays", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { person, one, other, sessionId } = await known(at("a"), at("b"));
      const active = [at("a"), at("b")];
      const outcomes = await Promise.all([one, other].map((link) => remove(person, link, sessionId, active)));
      expect(outcomes.sort()).toEqual(["last", "removed"]);
      expect(await left(person)).toBe(1);
    }
  });
});
