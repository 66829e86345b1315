import { expect, test } from "vitest";
import type { AddedFrom } from "../../../src/owners/factor-storage.ts";
import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import { OWN_BROWSER_ONLY, type TakeBack } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLiveCompanyGrant, aStaffedCompany, aStoredCompany, join } from "../support/company-builders.ts";
import { aLink, aMail, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import {
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anId,
  aPasskey,
  aPerson,
  aRedemption,
  aSession,
  aStoredPerson,
  DAY,
  expectIssued,
  FROM_OWNER,
  FROM_STRANGER,
  HOUR,
  MINUTE,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const LATER = NOW + HOUR;

onEveryBackend("an account that is taken back", (storage) => {
  const linkTo = async (person: Person, purpose: "recover" | "undo" = "recover", address = person.email) => {
    const key = await aSentLink(storage(), aLink(person, purpose, { address, expiresAt: LATER + DAY }));
    return { ...key, now: LATER };
  };
  const seen = async (person: Person) =>
    marksOf(await storage().passkeys.list(person), await storage().secondFactors.get(person));
  const recover = async (person: Person, changes: Partial<TakeBack> = {}) =>
    storage().recovery.recoverPassword(aTakeBack(await linkTo(person), { seen: await seen(person), ...changes }));
  const authenticatorOf = (person: Person, added: AddedFrom) => ({
    ...{ ...person, sealedSecret: aHash(), step: 1, codes: [anId()], added },
  });
  const consents = async (person: Person) =>
    (await storage().consents.list({ partition: person.partition, ownerId: person.personId, now: LATER })).map(
      ({ consent }) => consent.clientId,
    );

  test("an app that is chosen → revoked with its grants; the others keep theirs", async () => {
    const { person, grant: evil } = await aLiveGrant(storage(), { clientId: "evil" });
    const good = aGrant(person, { clientId: "good" });
    expectIssued(await storage().grants.approve(anApproval(good)));
    await storage().grants.redeem(aRedemption(good));
    expect((await recover(person, { endApps: ["evil", "nobody's"] })).kind).toBe("done");
    expect((await statusOf(storage(), evil))?.status).toBe("revoked");
    expect((await statusOf(storage(), good))?.status).toBe("active");
    expect(await consents(person)).toEqual(["good"]);
    const [entry] = await storage().history.list({
      partition: person.partition,
      ownerId: person.personId,
      before: null,
      limit: 1,
    });
    expect(entry).toMatchObject({ kind: "revoked", clientId: "evil", record: { by: person.personId } });
  });

  test("connected after the page was shown, or not yet redeemed → ended, whatever was chosen", async () => {
    const { person, grant: old } = await aLiveGrant(storage(), { clientId: "old" });
    const unspent = aGrant(person, { clientId: "old" });
    expectIssued(await storage().grants.approve(anApproval(unspent)));
    const shownAt = NOW + MINUTE;
    const again = aGrant(person, { clientId: "old" });
    const fresh = aGrant(person, { clientId: "fresh" });
    for (const grant of [again, fresh]) {
      expectIssued(await storage().grants.approve(anApproval(grant, { now: shownAt })));
      await storage().grants.redeem(aRedemption(grant, { now: shownAt + 1 }));
    }
    await recover(person, { shownAt });
    const status = async (grant: typeof old) => (await statusOf(storage(), grant))?.status;
    expect([await status(old), await status(unspent), await status(again), await status(fresh)]).toEqual([
      ...["active", "owner_ended", "owner_ended", "revoked"],
    ]);
    expect(await consents(person)).toEqual(["old"]);
  });

  test("sessions end, and no browser is known any more: the next sign-in with it begins anew", async () => {
    const person = await aStoredPerson(storage());
    const seen = await storage().sessions.create(aSession(person));
    if (seen === undefined) throw new Error("no session");
    await recover(person);
    expect(await storage().sessions.list({ ...person, now: LATER })).toEqual([]);
    const key = { ...person, ...seen };
    expect(await storage().knownDevices.get(key)).toMatchObject({ bound: false, firstSeenAt: NOW, first: true });
    const again = { presented: seen, freshId: anId() };
    const at = LATER + 1;
    await storage().sessions.create(
      aSession(person, { device: again, passwordChangedAt: LATER, now: at, authTime: at }),
    );
    expect(await storage().knownDevices.get(key)).toMatchObject({ bound: true, firstSeenAt: at, first: false });
  });

  test("another factor is vouched for since the decision → changed; nothing was done, and the link holds", async () => {
    const person = await aStoredPerson(storage());
    const passkey = aPasskey(person, { added: FROM_STRANGER });
    await storage().passkeys.add({ passkey, now: NOW });
    await storage().sessions.create(aSession(person));
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => storage().passkeys.add({ passkey: aPasskey(person), now: NOW + 1 }),
      () => storage().passkeys.vouch({ ...passkey, from: NOW + 2 }),
      () => storage().secondFactors.set({ ...authenticatorOf(person, FROM_OWNER), now: NOW + 3 }),
      () => storage().secondFactors.setRecoveryCodes({ ...person, codes: ["b"], added: FROM_OWNER, now: NOW + 4 }),
    ];
    let before = await seen(person);
    for (const change of attempts) {
      await change();
      const key = await linkTo(person);
      const args = aTakeBack(key, { seen: before, mails: [aMail(person.partition)] });
      expect(await storage().recovery.recoverPassword(args)).toEqual({ kind: "changed" });
      const undo = await linkTo(
        person,
        "undo",
        `${anId()
          .toLowerCase()
          .replaceAll(/[^a-z0-9]/g, "")}@example.com`,
      );
      expect(await storage().recovery.undoEmail({ ...args, ...undo })).toEqual({ kind: "changed" });
      expect(await storage().mailLinks.find({ ...key, purpose: "recover" })).toBeDefined();
      before = await seen(person);
    }
    expect((await storage().people.get(person))?.passwordHash).toBe(person.passwordHash);
    expect(await storage().sessions.list({ ...person, now: LATER })).toHaveLength(1);
    expect((await recover(person)).kind).toBe("done");
  });

  test("unvouched factors that were added since the decision → removed with it; those of before stay, and the previous authenticator is back", async () => {
    const person = await aStoredPerson(storage());
    const [kept, late] = [aPasskey(person, { added: FROM_STRANGER }), aPasskey(person, { added: FROM_STRANGER })];
    await storage().passkeys.add({ passkey: kept, now: NOW });
    await storage().secondFactors.set({ ...authenticatorOf(person, FROM_OWNER), now: NOW });
    const before = await seen(person);
    await storage().passkeys.add({ passkey: late, now: NOW + 1 });
    await storage().secondFactors.set({ ...authenticatorOf(person, FROM_STRANGER), now: NOW + 2 });
    expect((await recover(person, { seen: before })).kind).toBe("done");
    expect((await storage().passkeys.list(person)).map(({ credentialId }) => credentialId)).toEqual([
      kept.credentialId,
    ]);
    expect(await storage().secondFactors.get(person)).toMatchObject({ createdAt: NOW, earlier: null });
  });

  test("unvouched recovery codes since the decision, or a factor that is gone → the earlier codes are back, and it is done", async () => {
    const person = await aStoredPerson(storage());
    const passkey = aPasskey(person, { added: FROM_STRANGER });
    await storage().passkeys.add({ passkey, now: NOW });
    await storage().secondFactors.set({ ...authenticatorOf(person, FROM_OWNER), codes: ["old"], now: NOW });
    const before = await seen(person);
    await storage().secondFactors.setRecoveryCodes({ ...person, codes: ["new"], added: FROM_STRANGER, now: NOW + 1 });
    await storage().passkeys.remove({ ...passkey, now: NOW + 2 });
    expect((await recover(person, { seen: before })).kind).toBe("done");
    const use = (code: string) => storage().secondFactors.useRecoveryCode({ ...person, code, now: LATER });
    expect([await use("new"), await use("old")]).toEqual([false, true]);
  });

  test("a link, while somebody adds passkeys all the time → done, and none of theirs is left", async () => {
    const person = await aStoredPerson(storage());
    const session = aSession(person);
    await storage().sessions.create(session);
    const before = await seen(person);
    const { sessionId } = session;
    const add = () =>
      storage().passkeys.add({ passkey: aPasskey(person, { added: FROM_STRANGER }), sessionId, now: LATER });
    const args = aTakeBack(await linkTo(person), { seen: before });
    const [outcome] = await Promise.all([
      storage().recovery.recoverPassword(args),
      ...Array.from({ length: 8 }, () => add()),
    ]);
    expect([outcome.kind, await storage().passkeys.list(person)]).toEqual(["done", []]);
  });

  test("used factors → still as the person saw them", async () => {
    const person = await aStoredPerson(storage());
    const passkey = aPasskey(person);
    await storage().passkeys.add({ passkey, now: NOW });
    await storage().secondFactors.set({
      ...person,
      sealedSecret: aHash(),
      step: 1,
      codes: ["a"],
      added: FROM_STRANGER,
      now: NOW,
    });
    const shown = await seen(person);
    await storage().passkeys.use({ ...passkey, counter: 9, backedUp: true, now: NOW + 1 });
    await storage().secondFactors.use({ ...person, step: 5, now: NOW + 1 });
    await storage().secondFactors.useRecoveryCode({ ...person, code: "a", now: NOW + 1 });
    expect((await recover(person, { seen: shown })).kind).toBe("done");
  });

  test("two links at once → one takes it back, the other is gone", async () => {
    const person = await aStoredPerson(storage());
    const links = await Promise.all(Array.from({ length: 10 }, () => linkTo(person)));
    const outcomes = await Promise.all(links.map((key) => storage().recovery.recoverPassword(aTakeBack(key))));
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "unknown")).toHaveLength(9);
  });

  test("in companies' names: chosen → ended; else kept, but for what old sign-ins do after the page was shown", async () => {
    const { company, member: person } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const other = await aStoredCompany(storage(), { defaultRule: "members" });
    await join(storage(), other, person);
    const ended = await aLiveCompanyGrant(storage(), company, person);
    const kept = await aLiveCompanyGrant(storage(), other, person);
    const shownAt = NOW + MINUTE;
    const late = await aLiveCompanyGrant(storage(), other, person, {}, { now: shownAt });
    await recover(person, { shownAt, endCompanies: [company.companyId] });
    const status = async (grant: typeof kept) => (await statusOf(storage(), grant))?.status;
    expect([await status(ended), await status(kept), await status(late)]).toEqual([
      ...["owner_ended", "active", "owner_ended"],
    ]);
    const [acting] = await storage().members.companiesOf({ ...person, clientId: null, now: LATER });
    expect(acting?.member.trustedFrom).toBe(LATER);
    // A consent from an old session that doesn't know about the recovery.
    const begun = aGrant(person, {
      partition: other.partition,
      ownerId: other.companyId,
      grantId: anId(other.partition),
    });
    expect((await storage().grants.approve(anApproval(begun, { trustedFrom: NOW, now: LATER + 1 }))).kind).toBe(
      "no_consent",
    );
  });

  test("another password, apps kept → in companies' names nothing ends, and old sessions finish nothing", async () => {
    const { company, member: person } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const grant = await aLiveCompanyGrant(storage(), company, person);
    const ends = { mustChange: false, endGrants: false, keepSessionId: null };
    await storage().people.setPassword({ ...person, passwordHash: "new", ...ends, now: LATER });
    expect((await statusOf(storage(), grant))?.status).toBe("active");
    const begun = aGrant(person, {
      partition: company.partition,
      ownerId: company.companyId,
      grantId: anId(company.partition),
    });
    expect((await storage().grants.approve(anApproval(begun, { trustedFrom: NOW, now: LATER + 1 }))).kind).toBe(
      "no_consent",
    );
  });

  test("an intruder recovers at the address that they gave the account → the link to the address before still takes it back", async () => {
    const person = await aStoredPerson(storage());
    const theirs = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@evil.example`;
    const way = aLink(person, "undo", { expiresAt: NOW + 7 * DAY });
    const wayHash = aHash();
    const change = aLink(person, "change", { address: theirs });
    const key = await aSentLink(storage(), change);
    const changed = { ...key, before: person.email, undo: { link: way, saltHash: wayHash }, mails: [] };
    expect((await storage().mailLinks.changeEmail(changed)).kind).toBe("done");
    expect(await storage().people.addresses({ ...person, now: LATER })).toEqual([
      { address: theirs, since: NOW, until: null },
      { address: person.email, since: null, until: NOW },
    ]);
    const recovered = await storage().recovery.recoverPassword(aTakeBack(await linkTo(person, "recover", theirs)));
    expect(recovered.kind).toBe("done");
    const back = { partition: way.partition, linkId: way.linkId, saltHash: wayHash, now: LATER + 1 };
    expect(await storage().mailLinks.find({ ...back, purpose: "undo" })).toBeDefined();
    const undone = await storage().recovery.undoEmail(aTakeBack(back));
    expect(undone).toMatchObject({ kind: "done", person: { email: person.email } });
    expect(await storage().people.addresses({ ...person, now: LATER + 1 })).toEqual([
      { address: person.email, since: 0, until: null },
      { address: theirs, since: NOW, until: LATER + 1 },
      { address: person.email, since: null, until: NOW },
    ]);
  });

  test("the owner recovers at the older address → a link to the intruder's address works in the owner's oldest browser alone", async () => {
    const person = await aStoredPerson(storage());
    const theirs = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@evil.example`;
    const move = async (email: string, at: number) =>
      storage().people.update({ ...person, changes: { email, emailVerifiedAt: at }, now: at });
    await move(theirs, NOW + 1);
    await move(person.email, NOW + 2);
    const key = await linkTo(person, "undo", theirs);
    expect((await recover(person)).kind).toBe("done");
    expect(await storage().mailLinks.find({ ...key, purpose: "undo" })).toMatchObject({ about: OWN_BROWSER_ONLY });
    expect((await storage().recovery.undoEmail(aTakeBack(key))).kind).toBe("unknown");
    expect(await storage().people.get(person)).toMatchObject({ email: person.email });
  });

  test("an address that an account left days ago for a younger one → nobody else's by a change or a new account, but by an operator or after a week", async () => {
    const [person, other] = [await aStoredPerson(storage()), await aStoredPerson(storage())];
    const change = async (whose: Person, address: string, now: number) => {
      const sent = await aSentLink(storage(), aLink(whose, "change", { address, expiresAt: now + HOUR }));
      return (await storage().mailLinks.changeEmail({ ...sent, before: whose.email, undo: null, mails: [], now })).kind;
    };
    const theirs = `x${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@evil.example`;
    expect(await change(person, theirs, NOW)).toBe("done");
    expect(await change(other, person.email, NOW + 6 * DAY)).toBe("taken");
    const made = aPerson({ email: person.email });
    expect(await storage().people.create({ person: made, now: NOW + 6 * DAY })).toEqual({
      kind: "taken",
      what: "email",
    });
    expect(await storage().people.findByName({ name: made.username })).toBeUndefined();
    expect(await change(other, person.email, NOW + 7 * DAY)).toBe("done");
    const late = aPerson({ email: other.email });
    expect((await storage().people.create({ person: late, now: NOW + 8 * DAY })).kind).toBe("taken");
    expect(await storage().people.create({ person: late, byOperator: true, now: NOW + 8 * DAY })).toEqual({
      kind: "created",
    });
  });

  test("an address that nobody vouched for → not among those of the account", async () => {
    const person = await aStoredPerson(storage(), { emailVerifiedAt: null });
    const email = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@example.com`;
    expect(await storage().people.addresses({ ...person, now: NOW })).toEqual([]);
    await storage().people.update({ ...person, changes: { email, emailVerifiedAt: NOW + 1 }, now: NOW + 1 });
    expect(await storage().people.addresses({ ...person, now: NOW + 1 })).toEqual([
      // The operator gave this address, so it counts as older than any other.
      { address: email, since: -(NOW + 1), until: null },
    ]);
  });

  test("an address of more than 30 days ago → not told, and collected; the person is deleted → all of them are", async () => {
    const person = await aStoredPerson(storage());
    const email = `${anId()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")}@example.com`;
    await storage().people.update({ ...person, changes: { email, emailVerifiedAt: NOW }, now: NOW });
    const told = async (now: number) =>
      (await storage().people.addresses({ ...person, now })).map(({ address }) => address);
    expect(await told(NOW + 30 * DAY - 1)).toEqual([email, person.email]);
    expect(await told(NOW + 30 * DAY)).toEqual([email]);
    const due = async () =>
      (await storage().housekeeping.backlog({ now: NOW + 30 * DAY, most: 100 }))["former_addresses"] ?? 0;
    expect(await due()).toBeGreaterThan(0);
    await storage().housekeeping.collect({ what: "former_addresses", now: NOW + 30 * DAY, limit: 1000 });
    expect(await due()).toBe(0);
    await storage().people.update({ ...person, changes: { email: person.email }, now: NOW + 1 });
    await storage().people.delete({ ...person, now: NOW + 2 });
    expect(await told(NOW + 2)).toEqual([]);
  });
});
