import { expect, test } from "vitest";
import { hashPassword, needsRehash, verifyPassword } from "../../src/crypto/password-hashing.ts";
import type { HashRequester } from "../../src/owners/password-hash-requester.ts";
import type { PresentedDevice } from "../../src/owners/recognize-known-device.ts";
import { signIn } from "../../src/owners/sign-in.ts";
import type { Person } from "../../src/owners/storage.ts";
import { onEveryBackend } from "../storage/support/backends.ts";
import { anId, aPerson, aSession, aStoredPerson, NOW } from "../storage/support/record-builders.ts";

const PASSWORD = "correct horse battery staple";

onEveryBackend("the queue of hashes at a sign-in", (storage) => {
  const owner = async () => {
    const { partition, personId } = aPerson();
    return aStoredPerson(storage(), { partition, personId, passwordHash: await hashPassword(PASSWORD) });
  };

  /** The device cookie of a browser that the person has signed in with. */
  const deviceOf = async (person: Person): Promise<PresentedDevice> => {
    const seen = await storage().sessions.create(aSession(person));
    if (seen === undefined) throw new Error("the session was not made");
    const { partition, personId } = person;
    return { partition, personId, deviceId: seen.deviceId, generation: seen.generation };
  };

  /** For whom the password is hashed. */
  const asked = async (username: string, device: PresentedDevice | undefined): Promise<HashRequester> => {
    const asked: HashRequester[] = [];
    const context = {
      storage: storage(),
      verifyPassword: (...args: Parameters<typeof verifyPassword>) => {
        if (args[2] !== undefined) asked.push(args[2]);
        return verifyPassword(...args);
      },
      requireHashRoom: (whose: HashRequester) => void asked.push(whose),
      ...{ hashPassword, needsRehash },
      attemptKey: (...parts: readonly string[]) => JSON.stringify(parts),
      alarm: () => undefined,
      afterwards: (work: () => Promise<void>) => void work(),
      now: () => NOW,
    };
    const from = { network: anId(), provider: anId(), allocation: anId() };
    await signIn({ username, password: PASSWORD, ...from, device }, context);
    const [room, hashed] = asked;
    expect(hashed).toEqual(room);
    if (room === undefined) throw new Error("nothing was hashed");
    return room;
  };

  test("another person's device cookie, no cookie, a name that nobody has → a stranger, by the name as typed", async () => {
    const [person, other] = [await owner(), await owner()];
    const device = await deviceOf(other);
    const nobody = `nobody-${anId().toLowerCase()}`;
    expect(await asked(person.username, device)).toMatchObject({ known: false, account: person.username });
    expect(await asked(person.username, undefined)).toMatchObject({ known: false, account: person.username });
    expect(await asked(nobody, device)).toMatchObject({ known: false, account: nobody });
  });

  test("the person's own → a known device, by the person", async () => {
    const person = await owner();
    const device = await deviceOf(person);
    expect(await asked(person.username, device)).toMatchObject({ known: true, account: person.personId });
  });
});
