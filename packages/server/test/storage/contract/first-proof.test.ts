import { expect, test } from "vitest";
import { vouchedFrom } from "../../../src/owners/recovery/factor-trust.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aHash, anId, aPasskey, aSession, aStoredPerson, DAY, FROM_OWNER, HOUR, NOW } from "../support/builders.ts";
import { aLink, aSentLink } from "../support/mail.ts";

/** Somebody makes an account with an address of somebody else, and waits for them to prove it. */
onEveryBackend("the first proof of an account's address", (storage) => {
  async function unproved() {
    const person = await aStoredPerson(storage(), { emailVerifiedAt: null });
    const device = await storage().sessions.create(aSession(person));
    if (device === undefined) throw new Error("no session");
    const passkey = aPasskey(person, { added: FROM_OWNER });
    await storage().passkeys.add({ passkey, now: NOW });
    const codes = { step: 1, codes: ["a"], added: FROM_OWNER, now: NOW };
    await storage().secondFactors.set({ ...person, sealedSecret: aHash(), ...codes });
    const key = { partition: person.partition, personId: person.personId };
    const vouched = async () => [
      (await storage().passkeys.list(key))[0]?.added.vouchedFrom,
      (await storage().secondFactors.get(key))?.added.vouchedFrom,
      (await storage().secondFactors.get(key))?.codesAdded.vouchedFrom,
    ];
    const known = () => storage().knownDevices.get({ ...key, deviceId: device.deviceId });
    return { person, device, passkey, vouched, known };
  }
  const LATER = NOW + HOUR;
  const proves = async (
    person: Awaited<ReturnType<typeof unproved>>["person"],
    purpose: "verify" | "change",
    device: Awaited<ReturnType<typeof unproved>>["device"] | null,
  ) => {
    const address =
      purpose === "verify"
        ? person.email
        : `x${anId()
            .toLowerCase()
            .replaceAll(/[^a-z0-9]/g, "")}@example.com`;
    const sent = await aSentLink(storage(), aLink(person, purpose, { address, expiresAt: NOW + DAY }));
    const key = { ...sent, device, now: LATER };
    const { mailLinks } = storage();
    const outcome =
      purpose === "verify"
        ? await mailLinks.verifyEmail(key)
        : await mailLinks.changeEmail({ ...key, before: person.email, undo: null, mails: [] });
    expect(outcome.kind).toBe("done");
  };

  for (const purpose of ["verify", "change"] as const) {
    test(`by ${purpose}, in a browser that the account does not know → browsers and factors from before count for nothing`, async () => {
      const { person, passkey, vouched, known } = await unproved();
      await proves(person, purpose, null);
      expect(await vouched()).toEqual([null, null, null]);
      const device = await known();
      expect(device).toMatchObject({ first: false, firstSeenAt: LATER, appearedAt: NOW });
      // However long they wait, and use them.
      expect(vouchedFrom(device, passkey.createdAt, NOW + 100 * DAY)).toBeNull();
      expect(vouchedFrom(device, LATER + DAY, LATER + DAY)).toBeNull();
    });
  }

  test("with a copy of a cookie that is no more the device's → the same", async () => {
    const { person, device, vouched } = await unproved();
    await proves(person, "verify", { ...device, generation: device.generation + 1 });
    expect(await vouched()).toEqual([null, null, null]);
  });

  test("in a browser in which the account's person has signed in → all of it counts, but other browsers begin anew", async () => {
    const { person, device, vouched, known } = await unproved();
    const before = await vouched();
    const other = await storage().sessions.create(aSession(person));
    await proves(person, "verify", device);
    expect(await vouched()).toEqual(before);
    expect(await known()).toMatchObject({ first: true, firstSeenAt: NOW });
    const about = { partition: person.partition, personId: person.personId, deviceId: other?.deviceId ?? "" };
    expect(await storage().knownDevices.get(about)).toMatchObject({ first: false, firstSeenAt: LATER });
  });

  test("an address that was proved before → nothing begins anew", async () => {
    const { person, device, known } = await unproved();
    await proves(person, "verify", device);
    await proves(person, "verify", null);
    expect(await known()).toMatchObject({ first: true, firstSeenAt: NOW });
  });

  test("before anybody has signed in → the first browser counts only after a week, as with a password of somebody else", async () => {
    const person = await aStoredPerson(storage(), { emailVerifiedAt: null });
    await proves(person, "verify", null);
    const seen = await storage().sessions.create(aSession(person, { now: LATER + 1, authTime: LATER + 1 }));
    const about = { partition: person.partition, personId: person.personId, deviceId: seen?.deviceId ?? "" };
    expect(await storage().knownDevices.get(about)).toMatchObject({ first: true, handedOut: true });
  });
});
