import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { hashPassword, needsRehash, requireHashRoom, verifyPassword } from "../../src/crypto/password-hashing.ts";
import type { OwnerPasswordAsked } from "../../src/oauth/ports.ts";
import { ownerByPassword } from "../../src/owners/password-grant-owner.ts";
import type { Person } from "../../src/owners/storage.ts";
import type { Storage } from "../../src/storage/open.ts";
import { people } from "../../src/storage/people/index.ts";
import { onEveryBackend } from "../storage/support/backends.ts";
import {
  aHash,
  anApprovedGrant,
  aPerson,
  aScope,
  aStoredPerson,
  FROM_OWNER,
  NOW,
} from "../storage/support/record-builders.ts";

const PASSWORD = "correct horse battery staple";

/** Names of the storage's verbs in the order in which they are called. */
function recorded(storage: Storage): { readonly storage: Storage; readonly calls: string[] } {
  const calls: string[] = [];
  const recordedUnder = <T extends object>(path: string, recordedPart: T): T =>
    new Proxy(recordedPart, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return recordedUnder(`${path}${String(name)}.`, member);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) => {
          calls.push(`${path}${String(name)}`);
          return Reflect.apply(member, target, args);
        };
      },
    });
  return { storage: recordedUnder("", storage), calls };
}

onEveryBackend("a password that a client hands over", (storage) => {
  let serial = 0;
  const owner = async (changes: Partial<Person> = {}) => {
    const passwordHash = await hashPassword(PASSWORD);
    const { partition, personId } = aPerson();
    return aStoredPerson(storage(), { partition, personId, passwordHash, ...changes });
  };

  /** What becomes of it, and which verbs were called before the answer and after it. */
  const ask = async (changes: Partial<OwnerPasswordAsked>) => {
    serial += 1;
    const { storage: recording, calls } = recorded(storage());
    const hashed: string[] = [];
    const context = {
      storage: recording,
      verifyPassword: (...args: Parameters<typeof verifyPassword>) => {
        hashed.push(args[0]);
        return verifyPassword(...args);
      },
      ...{ hashPassword, needsRehash, requireHashRoom, longest: 1024 },
      attemptKey: (...parts: readonly string[]) => JSON.stringify(parts),
      alarm: () => undefined,
      afterwards: (work: () => Promise<void>) => void setImmediate(() => void work()),
      originOf: (address: string) => ({ network: address, provider: address, allocation: address }),
      now: () => NOW,
      ...{ signInPolicy: null, event: () => undefined },
    };
    const asked = {
      ...{ username: "nobody", password: PASSWORD, address: `network ${serial}`, clientId: "client-1" },
      ...{ scopes: [aScope({ name: "read" })], ...changes },
    };
    const outcome = await ownerByPassword(asked, context);
    const before = calls.toSorted();
    await turn();
    await turn();
    const after = calls.slice(before.length);
    return { outcome, before, after, hashes: hashed.length };
  };

  const refusals: Readonly<Record<string, () => Promise<Partial<OwnerPasswordAsked>>>> = {
    unknown: async () => ({ username: `nobody-${serial}` }),
    "not a name": async () => ({ username: "no\u0000body at all" }),
    password: async () => ({ username: (await owner()).username, password: "wrong" }),
    disabled: async () => ({ username: (await owner({ status: "disabled" })).username }),
    no_password: async () => ({ username: (await owner({ passwordHash: null })).username }),
    "must change the password": async () => ({ username: (await owner({ mustChangePassword: true })).username }),
    "second factor": async () => {
      const person = await owner();
      await storage().secondFactors.set({
        ...person,
        sealedSecret: aHash(),
        step: 1,
        codes: ["a"],
        added: FROM_OWNER,
        now: NOW,
      });
      return { username: person.username };
    },
    "consent taken back": async () => {
      const { person, grant } = await anApprovedGrant(storage());
      const passwordHash = await hashPassword(PASSWORD);
      const ends = { mustChange: false, endGrants: false, keepSessionId: null };
      await storage().people.setPassword({ ...person, passwordHash, ...ends, now: NOW });
      await storage().consents.revoke({ ...grant, revokedBy: person.personId, now: NOW });
      return { username: person.username, clientId: grant.clientId };
    },
    "too long": async () => ({ username: (await owner()).username, password: "é".repeat(513) }),
    "a name longer than any": async () => ({ username: "a".repeat(255) }),
  };

  test("each refusal → the same calls of the storage, and one hash", async () => {
    const works = new Map<string, unknown>();
    for (const [cause, make] of Object.entries(refusals)) {
      const { outcome, before, hashes } = await ask(await make());
      expect([cause, outcome.kind]).toEqual([cause, "refused"]);
      works.set(cause, [before, hashes]);
    }
    const same = ["attempts.count", "consents.find", "people.findByName", "secondFactors.get"];
    for (const [cause, work] of works) expect([cause, work]).toEqual([cause, [same, 1]]);
  });

  test("each refusal → the reason in the log; the counter is given back where the password was right", async () => {
    for (const [cause, make] of Object.entries(refusals)) {
      const { outcome, after } = await ask(await make());
      if (outcome.kind !== "refused") throw new Error(`${cause}: ${outcome.kind}`);
      const reason = { "not a name": "unknown", "a name longer than any": "too long" }[cause] ?? cause;
      expect(outcome.reason).toBe(reason);
      const right = ["must change the password", "second factor", "consent taken back"].includes(cause);
      expect([cause, after]).toEqual([cause, right ? ["attempts.forgive"] : []]);
    }
  });

  test("all right → the owner", async () => {
    const person = await owner();
    const { outcome } = await ask({ username: person.email });
    expect(outcome).toMatchObject({ kind: "owner", owner: { ownerId: person.personId, trustedFrom: NOW } });
  });

  test("a name that nobody has → as many reads as one that somebody has", async () => {
    const person = await owner();
    const reads = async (name: string) => {
      const verb = people.findByName;
      if (verb.kind !== "steps") throw new Error("it is several reads");
      const counted: unknown[] = [];
      await verb.body(
        async (one, args) => {
          counted.push(one);
          const found = "ownerId" in Object(args) ? undefined : await lookUp(one === counted[0], name);
          return found as never;
        },
        { name },
      );
      return counted;
    };
    const lookUp = async (first: boolean, name: string) => {
      const known = await storage().people.findByName({ name });
      return first ? known && { ownerId: known.personId, status: "active" } : known;
    };
    expect(await reads("nobody-of-that-name")).toEqual(await reads(person.username));
    expect(await reads(person.email)).toHaveLength(2);
  });
});
