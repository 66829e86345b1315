import { expect, test } from "vitest";
import type { AddedFrom, Passkey } from "../../../src/owners/factor-storage.ts";
import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import { STILL_OWN } from "../../../src/owners/recovery/factor-trust.ts";
import { REMOVAL_KEPT, type Removal } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { restoreFactors, writeRestore } from "../../../src/storage/factors/account-recovery.ts";
import { removedFactors } from "../../../src/storage/factors/removed-factors.ts";
import { holderOfName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { interrupted } from "../support/interleave.ts";
import { aLink, aMail, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import {
  aGrant,
  aHash,
  anApproval,
  anId,
  aPasskey,
  aRedemption,
  aSession,
  aStoredPerson,
  DAY,
  FROM_OWNER,
  FROM_STRANGER,
  HOUR,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

/** The time of the removal, and the time of its undo. */
const REMOVED = NOW + HOUR;
const UNDONE = NOW + DAY;

onEveryBackend("factors that a recovery removed", (storage, opened) => {
  const set = (person: Person, secret: string, added: AddedFrom, now = NOW) =>
    storage().secondFactors.set({
      ...{
        ...person,
        sealedSecret: new Uint8Array(aHash(secret)),
        step: 10,
        codes: [`${secret}1`, `${secret}2`],
        added,
        now,
      },
    });
  const add = async (person: Person, changes: Partial<Passkey> = {}) => {
    const passkey = aPasskey(person, { added: FROM_STRANGER, ...changes });
    expect(await storage().passkeys.add({ passkey, now: passkey.createdAt })).toBe("added");
    return passkey;
  };
  /** Recovers the account. Returns the arguments that undo the removal. */
  const remove = async (person: Person, what: Partial<Removal>, at = REMOVED) => {
    const removalId = anId(person.partition);
    const link = aLink(person, "restore", { expiresAt: at + REMOVAL_KEPT, about: removalId });
    const saltHash = aHash();
    const nothing = { passkeys: [], authenticator: false, codes: false };
    const removal = { ...nothing, ...what, removalId, until: at + REMOVAL_KEPT, links: [{ link, saltHash }] };
    const key = { ...(await aSentLink(storage(), aLink(person, "recover", { expiresAt: at + 1 }))), now: at };
    const seen = marksOf(await storage().passkeys.list(person), await storage().secondFactors.get(person));
    const outcome = await storage().recovery.recoverPassword(aTakeBack(key, { seen, removal }));
    expect(outcome.kind).toBe("done");
    const undo = {
      partition: link.partition,
      linkId: link.linkId,
      saltHash,
      passwordHash: "nobody's",
      device: null,
      mails: [],
      now: UNDONE,
    };
    return { removalId, link, undo };
  };
  const listed = async (person: Person, now = REMOVED) =>
    (await storage().recovery.removedFactors({ ...person, removalId: null, now })).map(({ kind, name }) => [
      kind,
      name,
    ]);
  const holder = async (credentialId: string) => {
    const engine = await engineAt(opened().url);
    const found = await engine.call(holderOfName, { kind: "passkey", value: credentialId });
    await engine.close();
    return found;
  };
  const taken = async (passkey: Passkey, of: Person) =>
    storage().passkeys.add({ passkey: aPasskey(of, { credentialId: passkey.credentialId }), now: REMOVED + 1 });

  test("a passkey → signs nobody in, its id is nobody else's and can't be added again, and it is listed", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const [evil, good] = [await add(person, { name: "Evil" }), await add(person, { name: "Good", added: FROM_OWNER })];
    await remove(person, { passkeys: [evil.credentialId, "nobody's"] });
    expect(await storage().passkeys.list(person)).toEqual([good]);
    expect(await storage().passkeys.find(evil)).toBeUndefined();
    expect(await storage().passkeys.use({ ...evil, counter: 9, backedUp: true, now: REMOVED })).toBe("unknown");
    expect([await taken(evil, other), await taken(evil, person)]).toEqual(["taken", "taken"]);
    expect((await holder(evil.credentialId))?.ownerId).toBe(person.personId);
    expect(await storage().recovery.removedFactors({ ...person, removalId: null, now: REMOVED })).toEqual([
      {
        ...{ kind: "passkey", name: "Evil", createdAt: NOW, added: FROM_STRANGER },
        ...{ removedAt: REMOVED, until: REMOVED + REMOVAL_KEPT },
      },
    ]);
    expect(await storage().recovery.removedFactors({ ...other, removalId: null, now: REMOVED })).toEqual([]);
  });

  test("undone by a link to the address that the account has left since → the link that gives this address back stays", async () => {
    const person = await aStoredPerson(storage());
    const { undo } = await remove(person, { passkeys: [(await add(person)).credentialId] });
    const theirs = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@example.com`;
    const change = await aSentLink(storage(), aLink(person, "change", { address: theirs, expiresAt: UNDONE }));
    const back = aLink(person, "undo", { expiresAt: UNDONE + DAY });
    const wayBack = { link: back, saltHash: aHash() };
    const args = { ...change, before: person.email, undo: wayBack, mails: [], now: REMOVED + 1 };
    expect((await storage().mailLinks.changeEmail(args)).kind).toBe("done");
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    const { linkId, saltHash } = { ...back, ...wayBack };
    const held = aTakeBack({ partition: person.partition, linkId, saltHash, now: UNDONE });
    const seen = marksOf(await storage().passkeys.list(person), undefined);
    expect((await storage().recovery.undoEmail({ ...held, seen })).kind).toBe("done");
    expect((await storage().people.get(person))?.email).toBe(person.email);
  });

  test("an authenticator → gone with its codes; one that was there before it → back with its own", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "theirs", FROM_STRANGER);
    await remove(person, { authenticator: true });
    expect(await storage().secondFactors.get(person)).toBeUndefined();
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "theirs1", now: REMOVED })).toBe(false);
    const other = await aStoredPerson(storage());
    await set(other, "mine", FROM_OWNER);
    await storage().secondFactors.use({ ...other, step: 30, now: NOW });
    await set(other, "theirs", FROM_STRANGER, NOW + 1);
    await remove(other, { authenticator: true });
    expect(await storage().secondFactors.get(other)).toMatchObject({
      ...{ sealedSecret: new Uint8Array(aHash("mine")), lastStep: 30, createdAt: NOW, added: FROM_OWNER, codesLeft: 2 },
      ...{ codesAdded: FROM_OWNER, earlier: null, earlierCodesLeft: 0 },
    });
    const use = (code: string) => storage().secondFactors.useRecoveryCode({ ...other, code, now: REMOVED });
    expect([await use("theirs1"), await use("mine1")]).toEqual([false, true]);
  });

  test("recovery codes alone → those of before are back, and the authenticator is as it was", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER);
    await storage().secondFactors.setRecoveryCodes({
      ...person,
      codes: ["x", "y"],
      added: FROM_STRANGER,
      now: NOW + 1,
    });
    await remove(person, { codes: true });
    expect(await storage().secondFactors.get(person)).toMatchObject({
      ...{ sealedSecret: new Uint8Array(aHash("mine")), codesLeft: 2, earlierCodesLeft: 0, codesAdded: FROM_OWNER },
    });
    const use = (code: string) => storage().secondFactors.useRecoveryCode({ ...person, code, now: REMOVED });
    expect([await use("x"), await use("mine1")]).toEqual([false, true]);
    expect(await listed(person)).toEqual([["codes", null]]);
  });

  test("undone with the browser of before → all come back and count as their owner's; sessions and the password of the recovery end", async () => {
    const person = await aStoredPerson(storage());
    const device = await storage().sessions.create(aSession(person));
    const passkey = await add(person, { counter: 7 });
    await set(person, "mine", FROM_STRANGER);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId], authenticator: true });
    await storage().sessions.create(aSession(person, { passwordChangedAt: REMOVED }));
    const mail = aMail(person.partition);
    const outcome = await storage().recovery.restoreFactors({ ...undo, device: device ?? null, mails: [mail] });
    expect(outcome).toMatchObject({ kind: "done", person: { passwordHash: "nobody's", passwordChangedAt: UNDONE } });
    const vouched = { ...FROM_STRANGER, vouchedFrom: UNDONE };
    expect(await storage().passkeys.find(passkey)).toMatchObject({ passkey: { ...passkey, added: vouched } });
    expect(await storage().secondFactors.get(person)).toMatchObject({
      ...{ sealedSecret: new Uint8Array(aHash("mine")), lastStep: 10, createdAt: NOW, added: vouched, codesLeft: 2 },
      codesAdded: vouched,
    });
    expect(await storage().secondFactors.useRecoveryCode({ ...person, code: "mine2", now: UNDONE })).toBe(true);
    expect(await storage().sessions.list({ ...person, now: UNDONE })).toEqual([]);
    expect([await listed(person), (await holder(passkey.credentialId))?.status]).toEqual([[], "active"]);
    const waiting = await storage().mail.claim({ now: UNDONE, limit: 1000, until: UNDONE + DAY });
    expect(waiting.map(({ mailId }) => mailId)).toContain(mail.mailId);
    expect(await storage().recovery.restoreFactors(undo)).toEqual({ kind: "unknown" });
  });

  test("undone with another browser, one that signed in later, an older copy of its cookie → nothing vouches for what comes back", async () => {
    for (const how of ["none", "later", "copy", "thrown out long ago"] as const) {
      const person = await aStoredPerson(storage());
      const first = await storage().sessions.create(aSession(person, { now: NOW - 30 * DAY }));
      const passkey = await add(person);
      if (how === "thrown out long ago") await storage().sessions.endAll({ ...person, now: UNDONE - STILL_OWN });
      const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
      const later = await storage().sessions.create(aSession(person, { passwordChangedAt: REMOVED, now: REMOVED + 1 }));
      const copy = first && { ...first, generation: first.generation + 1 };
      const device = { none: null, later, copy, "thrown out long ago": first }[how] ?? null;
      expect((await storage().recovery.restoreFactors({ ...undo, device })).kind).toBe("done");
      expect(await storage().passkeys.find(passkey), how).toMatchObject({ passkey: { added: { vouchedFrom: null } } });
    }
  });

  test("undone with the browser of before, of what was added after that was signed out → nothing vouches for it", async () => {
    const person = await aStoredPerson(storage());
    const device = (await storage().sessions.create(aSession(person))) ?? null;
    await storage().sessions.endAll({ ...person, now: NOW + 1 });
    const passkey = await add(person, { createdAt: NOW + 1 });
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    expect((await storage().recovery.restoreFactors({ ...undo, device })).kind).toBe("done");
    expect(await storage().passkeys.find(passkey)).toMatchObject({ passkey: { added: { vouchedFrom: null } } });
  });

  test("recovered with the browser of before → the link to undo an earlier removal has ended, and the browser keeps its age", async () => {
    const person = await aStoredPerson(storage());
    const device = (await storage().sessions.create(aSession(person))) ?? null;
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    const link = await aSentLink(storage(), aLink(person, "recover", { expiresAt: UNDONE }));
    const key = { ...link, now: REMOVED + 1 };
    expect((await storage().recovery.recoverPassword(aTakeBack(key, { device, seen: [] }))).kind).toBe("done");
    expect(await storage().recovery.restoreFactors(undo)).toEqual({ kind: "unknown" });
    const known = { ...person, deviceId: device?.deviceId ?? "" };
    expect(await storage().knownDevices.get(known)).toMatchObject({ endedAt: null, firstSeenAt: NOW, first: true });
  });

  test("all ways back end → no link holds that changes the account, nothing that was removed is left, and its id is free", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    const purposes = ["undo", "recover", "change", "verify"] as const;
    const links = await Promise.all(
      purposes.map(async (purpose) => ({
        ...(await aSentLink(storage(), aLink(person, purpose, { expiresAt: UNDONE }))),
        ...{ purpose, now: REMOVED },
      })),
    );
    await storage().recovery.endWaysBack({ ...person, now: REMOVED });
    expect(await storage().recovery.restoreFactors(undo)).toEqual({ kind: "unknown" });
    const left = await Promise.all(links.map((link) => storage().mailLinks.find(link)));
    expect(left.map((link) => link?.purpose)).toEqual([undefined, undefined, undefined, "verify"]);
    expect([await listed(person), await taken(passkey, other)]).toEqual([[], "added"]);
  });

  test("links of recovery and to a new address end → those that take something back stay, and others' links", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const { undo } = await remove(person, { passkeys: [(await add(person)).credentialId] });
    const sent = async (of: Person, purpose: "undo" | "recover" | "change" | "verify") => {
      const link = await aSentLink(storage(), aLink(of, purpose, { expiresAt: UNDONE }));
      return { ...link, purpose, now: REMOVED };
    };
    const ended = [await sent(person, "recover"), await sent(person, "change")];
    const stays = [await sent(person, "undo"), await sent(person, "verify"), await sent(other, "recover")];
    await storage().recovery.endLinks({ partition: person.partition, personId: person.personId });
    const found = (links: typeof ended) => Promise.all(links.map((link) => storage().mailLinks.find(link)));
    expect([await found(ended), (await found(stays)).every((link) => link !== undefined)]).toEqual([
      [undefined, undefined],
      true,
    ]);
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
  });

  test("undone where an earlier authenticator had come back → it is demanded beside the other", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER);
    await set(person, "new", FROM_STRANGER, NOW + 1);
    const { undo } = await remove(person, { authenticator: true });
    await storage().secondFactors.use({ ...person, step: 50, now: REMOVED + 1 });
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    expect(await storage().secondFactors.get(person)).toMatchObject({
      ...{
        sealedSecret: new Uint8Array(aHash("new")),
        added: { vouchedFrom: null },
        codesLeft: 2,
        earlierCodesLeft: 2,
      },
      earlier: { sealedSecret: new Uint8Array(aHash("mine")), lastStep: 50 },
    });
    const use = (code: string, earlier = false) =>
      storage().secondFactors.useRecoveryCode({ ...person, code, earlier, now: UNDONE });
    expect([await use("new1"), await use("mine1", true)]).toEqual([true, true]);
  });

  test("undone → factors and connections that were added since are gone, but for factors that a device vouches for", async () => {
    const person = await aStoredPerson(storage());
    const mine = await add(person);
    const { undo } = await remove(person, { passkeys: [mine.credentialId] });
    const theirs = await add(person, { createdAt: REMOVED + 1 });
    const known = await add(person, { createdAt: REMOVED + 1, added: { ...FROM_OWNER, vouchedFrom: REMOVED + 1 } });
    await set(person, "theirs", FROM_STRANGER, REMOVED + 2);
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant, { now: REMOVED + 3 }));
    await storage().grants.redeem(aRedemption(grant, { now: REMOVED + 4 }));
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    const left = (await storage().passkeys.list(person)).map(({ credentialId }) => credentialId);
    expect(left.sort()).toEqual([mine.credentialId, known.credentialId].sort());
    expect(await storage().secondFactors.get(person)).toBeUndefined();
    expect(await holder(theirs.credentialId)).toBeUndefined();
    expect((await statusOf(storage(), grant))?.status).toBe("revoked");
    expect((await holder(known.credentialId))?.status).toBe("active");
  });

  test("undone where an app of before got another scope, and a longer end for one → it keeps only what it had before", async () => {
    const person = await aStoredPerson(storage());
    const before = aGrant(person, { scopes: ["read", "write"] });
    await storage().grants.approve(anApproval(before, { duration: 90 * 86_400 }));
    await storage().grants.redeem(aRedemption(before));
    const { undo } = await remove(person, { passkeys: [(await add(person)).credentialId] });
    const since = aGrant(person, { scopes: ["read", "write", "delete"] });
    const durations = { write: "forever", delete: "forever" } as const;
    await storage().grants.approve(anApproval(since, { durations, duration: 90 * 86_400, now: REMOVED + 3 }));
    await storage().grants.redeem(aRedemption(since, { now: REMOVED + 4 }));
    const key = { partition: person.partition, ownerId: person.personId, clientId: before.clientId };
    const ends = async () =>
      (await storage().consents.find(key))?.scopes.map(({ name, expiresAt }) => `${name} ${expiresAt}`).sort();
    expect(await ends()).toEqual(["delete null", `read ${NOW + 90 * DAY}`, "write null"]);
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    expect(await ends()).toEqual([`read ${NOW + 90 * DAY}`]);
    expect((await statusOf(storage(), since))?.status).not.toBe("active");
    expect((await statusOf(storage(), before))?.status).toBe("active");
  });

  test("undone over codes that were made since → the removed codes are back", async () => {
    const person = await aStoredPerson(storage());
    await set(person, "mine", FROM_OWNER);
    await storage().secondFactors.setRecoveryCodes({ ...person, codes: ["x"], added: FROM_STRANGER, now: NOW + 1 });
    const { undo } = await remove(person, { codes: true });
    await storage().secondFactors.setRecoveryCodes({ ...person, codes: ["z"], added: FROM_STRANGER, now: REMOVED + 1 });
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    expect(await storage().secondFactors.get(person)).toMatchObject({
      codesLeft: 1,
      earlierCodesLeft: 2,
      earlier: null,
    });
    const use = (code: string) => storage().secondFactors.useRecoveryCode({ ...person, code, now: UNDONE });
    expect([await use("z"), await use("x")]).toEqual([false, true]);
  });

  test("undone over codes that took the place of the owner's since → those of the owner are back, as the owner's", async () => {
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    await set(person, "mine", FROM_OWNER);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    await storage().secondFactors.setRecoveryCodes({ ...person, codes: ["z"], added: FROM_STRANGER, now: REMOVED + 1 });
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
    expect(await storage().secondFactors.get(person)).toMatchObject({
      ...{ codesAt: NOW, codesAdded: FROM_OWNER, codesLeft: 2, earlierCodesLeft: 0 },
    });
    const use = (code: string) => storage().secondFactors.useRecoveryCode({ ...person, code, now: UNDONE });
    expect([await use("z"), await use("mine1")]).toEqual([false, true]);
  });

  test("too late → unknown; erased, and the ids are free", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    const over = REMOVED + REMOVAL_KEPT;
    expect(await listed(person, over - 1)).toHaveLength(1);
    expect(await storage().recovery.restoreFactors({ ...undo, now: over })).toEqual({ kind: "unknown" });
    expect(await storage().housekeeping.collect({ what: "removed_factors", now: over - 1, limit: 1000 })).toMatchObject(
      {
        removed: 0,
      },
    );
    expect(await listed(person)).toHaveLength(1);
    await storage().housekeeping.collect({ what: "removed_factors", now: over, limit: 1000 });
    expect(await listed(person)).toEqual([]);
    expect(await taken(passkey, other)).toBe("added");
  });

  test("another secret, another purpose, another removal's link → nothing of this one comes back", async () => {
    const person = await aStoredPerson(storage());
    const [one, two] = [await add(person), await add(person)];
    const first = await remove(person, { passkeys: [one.credentialId] });
    const second = await remove(person, { passkeys: [two.credentialId] }, REMOVED + 1);
    expect(await storage().recovery.restoreFactors({ ...first.undo, saltHash: aHash() })).toEqual({ kind: "unknown" });
    expect(await storage().mailLinks.find({ ...first.undo, purpose: "undo" })).toBeUndefined();
    expect((await storage().recovery.restoreFactors(second.undo)).kind).toBe("done");
    expect((await storage().passkeys.list(person)).map(({ credentialId }) => credentialId)).toEqual([two.credentialId]);
    expect((await storage().recovery.restoreFactors(first.undo)).kind).toBe("done");
    expect(await storage().passkeys.list(person)).toHaveLength(2);
  });

  test("another recovery, another address → the removal can still be undone", async () => {
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    await remove(person, {}, REMOVED + 1);
    const email = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@example.com`;
    const key = {
      ...(await aSentLink(storage(), aLink(person, "change", { address: email, expiresAt: UNDONE }))),
      now: REMOVED + 2,
    };
    const way = aLink(person, "undo", { expiresAt: UNDONE + DAY });
    expect(
      (
        await storage().mailLinks.changeEmail({
          ...key,
          before: person.email,
          undo: { link: way, saltHash: aHash() },
          mails: [],
        })
      ).kind,
    ).toBe("done");
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
  });

  test("undone ten times at once → once", async () => {
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => storage().recovery.restoreFactors(undo)));
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await storage().passkeys.list(person)).toHaveLength(1);
  });

  test("undone beside a passkey that is being added → that one is gone, and its id is free", async () => {
    const engine = await engineAt(opened().url);
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    let late: Passkey | undefined;
    const meanwhile = async () => {
      late = await add(person, { createdAt: REMOVED + 1 });
    };
    expect((await interrupted(engine, restoreFactors, undo, removedFactors, meanwhile)).kind).toBe("done");
    expect((await storage().passkeys.list(person)).map(({ credentialId }) => credentialId)).toEqual([
      passkey.credentialId,
    ]);
    expect(await holder(late?.credentialId ?? "")).toBeUndefined();
    await engine.close();
  });

  test("undone, and in a session of before a passkey is added → unknown", async () => {
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    const session = aSession(person, { passwordChangedAt: REMOVED });
    await storage().sessions.create(session);
    await storage().recovery.restoreFactors(undo);
    const late = { passkey: aPasskey(person), sessionId: session.sessionId, now: UNDONE + 1 };
    expect(await storage().passkeys.add(late)).toBe("unknown");
  });

  test("the person is deleted, before or while it is undone → nothing is left, and ids are free", async () => {
    const engine = await engineAt(opened().url);
    const [person, other, third] = [
      await aStoredPerson(storage()),
      await aStoredPerson(storage()),
      await aStoredPerson(storage()),
    ];
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    await storage().people.delete({ ...person, now: REMOVED });
    expect(await storage().recovery.restoreFactors(undo)).toEqual({ kind: "unknown" });
    expect([await listed(person), await taken(passkey, third)]).toEqual([[], "added"]);
    const second = await add(other);
    const way = await remove(other, { passkeys: [second.credentialId] });
    const gone = () => storage().people.delete({ ...other, now: UNDONE });
    expect(await interrupted(engine, restoreFactors, way.undo, removedFactors, gone)).toEqual({ kind: "unknown" });
    expect(await holder(second.credentialId)).toBeUndefined();
    const fourth = await aStoredPerson(storage());
    const last = await add(fourth);
    const back = await remove(fourth, { passkeys: [last.credentialId] });
    // The deletion happens after the transaction and before the ids are settled.
    await interrupted(engine, restoreFactors, back.undo, writeRestore, () =>
      storage().people.delete({ ...fourth, now: UNDONE }),
    );
    expect(await holder(last.credentialId)).toBeUndefined();
    await engine.close();
  });

  test("of a disabled person → unknown, and it can be undone once they are back", async () => {
    const person = await aStoredPerson(storage());
    const passkey = await add(person);
    const { undo } = await remove(person, { passkeys: [passkey.credentialId] });
    await storage().people.setStatus({ ...person, status: "disabled", now: REMOVED });
    expect(await storage().recovery.restoreFactors(undo)).toEqual({ kind: "unknown" });
    await storage().people.setStatus({ ...person, status: "active", now: REMOVED });
    expect((await storage().recovery.restoreFactors(undo)).kind).toBe("done");
  });
});
