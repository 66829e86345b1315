import { expect, test } from "vitest";
import type { Company } from "../../../src/owners/company-storage.ts";
import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import type { TakeBack } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { writeRecovery } from "../../../src/storage/factors/account-recovery.ts";
import { writePassword } from "../../../src/storage/people/people.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  aStaffedCompany,
  aStoredCompany,
  join,
  SHOWN,
} from "../support/company-builders.ts";
import { aLink, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import { aHash, anId, aPasskey, DAY, HOUR, MINUTE, NOW } from "../support/record-builders.ts";

const LATER = NOW + HOUR;
const BOTH = ["read", "write"];

onEveryBackend("what a person answered for a company, after a new password", (storage, opened) => {
  const issue = async (company: Company, person: Person, scopes: readonly string[] = ["read"], clientId = "client-1") =>
    (await storage().grants.issue({ grant: aCompanyGrant(company, person, { clientId, scopes }), now: LATER + 1 }))
      .kind;
  const actingOf = ({ partition, companyId }: Company, { personId }: Person) =>
    storage().members.findActing({ partition, companyId, clientId: "client-1", personId });
  const linkTo = (person: Person) =>
    aSentLink(storage(), aLink(person, "recover", { expiresAt: LATER + DAY })).then((key) => ({ ...key, now: LATER }));
  const recover = async (person: Person, changes: Partial<TakeBack> = {}) =>
    storage().recovery.recoverPassword(aTakeBack(await linkTo(person), changes));
  const ends = (revokes: boolean) => ({ mustChange: false, endGrants: revokes, revokeConsents: revokes });
  const newPassword = ({ partition, personId }: Person, revokes: boolean) => ({
    ...{ partition, personId, passwordHash: "new", ...ends(revokes), keepSessionId: null, now: LATER },
  });

  test.each(["member", "admin"] as const)(
    "a recovery ends the access of the %s's apps for a company → the app needs a page again, for this person alone and in this company alone",
    async (role) => {
      const { company, ...staff } = await aStaffedCompany(storage(), { defaultRule: "members" });
      const [person, other] = role === "admin" ? [staff.admin, staff.member] : [staff.member, staff.admin];
      const elsewhere = await aStoredCompany(storage(), { defaultRule: "members" });
      await join(storage(), elsewhere, person);
      for (const where of [company, elsewhere]) await aLiveCompanyGrant(storage(), where, person, { scopes: BOTH });
      await aLiveCompanyGrant(storage(), company, other);
      expect(await issue(company, person)).toBe("issued");
      await recover(person, { endCompanies: [company.companyId] });
      expect(await issue(company, person)).toBe("no_consent");
      expect([await issue(company, other), await issue(elsewhere, person)]).toEqual(["issued", "issued"]);
      expect(await actingOf(company, person)).toMatchObject({ chosen: false, chosenAt: NOW, chosenEnds: {} });
    },
  );

  test("the person allows one permission again → the other one of the answer before needs a page, too", async () => {
    const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    await aLiveCompanyGrant(storage(), company, member, { scopes: BOTH });
    await recover(member, { endCompanies: [company.companyId] });
    await aLiveCompanyGrant(storage(), company, member, {}, { now: LATER + 1 });
    expect([await issue(company, member), await issue(company, member, BOTH)]).toEqual(["issued", "no_consent"]);
  });

  test("under an approval, with something left out → the approval stays, the person chooses again, and that stays left out", async () => {
    const { company, member, admin } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: BOTH }), shown: SHOWN, by: null, now: NOW };
    await storage().companyApps.setRule({ partition, companyId, ...rule });
    const answered = (person: Person, declined: readonly string[] = []) =>
      storage().grants.issue({
        ...{ grant: aCompanyGrant(company, person), answer: anAnswerOfMember(declined), now: NOW },
      });
    await answered(member, ["write"]);
    await answered(admin);
    await recover(member, { endCompanies: [companyId] });
    expect([await issue(company, member), await issue(company, admin)]).toEqual(["no_consent", "issued"]);
    expect(await storage().companyApps.listRules({ partition, companyId })).toHaveLength(1);
    expect(await actingOf(company, member)).toMatchObject({ chosen: false, declined: ["write"] });
  });

  test("a recovery that keeps them → only answers given since the page was shown are forgotten, of whatever app", async () => {
    const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const shownAt = NOW + MINUTE;
    for (const clientId of ["client-1", "client-2"]) await aLiveCompanyGrant(storage(), company, member, { clientId });
    await aLiveCompanyGrant(storage(), company, member, { scopes: BOTH }, { now: shownAt });
    await aLiveCompanyGrant(storage(), company, member, { clientId: "client-3" }, { now: shownAt + 1 });
    const { partition, companyId } = company;
    const { personId } = member;
    // Forgotten by the intruder: the permissions that they allowed must not come back with a later answer.
    await storage().companyApps.forgetChoice({ partition, companyId, clientId: "client-3", personId });
    await recover(member, { shownAt });
    expect(await issue(company, member)).toBe("no_consent");
    expect(await issue(company, member, ["read"], "client-2")).toBe("issued");
    await aLiveCompanyGrant(
      storage(),
      company,
      member,
      { clientId: "client-3", scopes: ["write"] },
      { now: LATER + 1 },
    );
    expect([
      await issue(company, member, ["write"], "client-3"),
      await issue(company, member, BOTH, "client-3"),
    ]).toEqual(["issued", "no_consent"]);
  });

  test.each(["told", "not told yet"] as const)(
    "a recovery, company %s of an operator's new password before → answers since the first sign of an intruder are forgotten, earlier ones are kept",
    async (told) => {
      const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      await aLiveCompanyGrant(storage(), company, member);
      await aLiveCompanyGrant(storage(), company, member, { clientId: "client-2" }, { now: NOW + MINUTE });
      if (told === "not told yet") {
        const engine = await engineAt(opened().url);
        await engine.call(writePassword, { ...newPassword(member, false), endGrants: true, now: NOW + 2 * MINUTE });
        await engine.close();
      }
      expect((await recover(member, { identitiesSince: NOW + 1 })).kind).toBe("done");
      expect([await issue(company, member), await issue(company, member, ["read"], "client-2")]).toEqual([
        ...["issued", "no_consent"],
      ]);
    },
  );

  test("changed with the access of all apps → answers forgotten; without → kept, but for those given at that moment", async () => {
    const { company, member, admin } = await aStaffedCompany(storage(), { defaultRule: "members" });
    for (const person of [member, admin]) await aLiveCompanyGrant(storage(), company, person);
    await aLiveCompanyGrant(storage(), company, admin, { clientId: "client-2" }, { now: LATER });
    for (const person of [member, admin]) await storage().people.setPassword(newPassword(person, person === member));
    expect([await issue(company, member), await issue(company, admin)]).toEqual(["no_consent", "issued"]);
    expect(await issue(company, admin, ["read"], "client-2")).toBe("no_consent");
  });

  test("an operator's password that ends access → grants end, answers are kept, as for the person's own apps", async () => {
    const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    await aLiveCompanyGrant(storage(), company, member);
    await storage().people.setPassword({ ...newPassword(member, false), endGrants: true });
    expect(await issue(company, member)).toBe("issued");
  });

  test.each(["recovery", "password"] as const)(
    "a %s that ends access, and another password before the company was told → forgotten all the same",
    async (first) => {
      const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      await aLiveCompanyGrant(storage(), company, member);
      const engine = await engineAt(opened().url);
      if (first === "password") await engine.call(writePassword, newPassword(member, true));
      else await engine.call(writeRecovery, aTakeBack(await linkTo(member), { endCompanies: [company.companyId] }));
      await engine.close();
      expect(await storage().people.setPassword({ ...newPassword(member, false), now: LATER + 1 })).toBe(true);
      expect(await issue(company, member)).toBe("no_consent");
    },
  );

  test("a removal of ways to sign in is undone → answers given since the removal are forgotten, earlier ones are kept", async () => {
    const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    for (const clientId of ["client-1", "client-2"]) await aLiveCompanyGrant(storage(), company, member, { clientId });
    const key = aPasskey(member);
    await storage().passkeys.add({ passkey: key, now: NOW });
    const restore = aLink(member, "restore", { about: anId(), expiresAt: NOW + 3 * DAY });
    const saltHash = aHash();
    const removal = {
      ...{ removalId: restore.about ?? "", passkeys: [key.credentialId], authenticator: false, codes: false },
      ...{ until: NOW + 3 * DAY, links: [{ link: restore, saltHash }] },
    };
    const seen = marksOf(await storage().passkeys.list(member), undefined);
    expect((await recover(member, { seen, removal })).kind).toBe("done");
    await aLiveCompanyGrant(storage(), company, member, { scopes: BOTH }, { now: LATER + 1 });
    await aLiveCompanyGrant(storage(), company, member, { clientId: "client-3" }, { now: LATER + 2 });
    const undo = { partition: restore.partition, linkId: restore.linkId, saltHash, now: LATER + HOUR };
    const done = { ...undo, passwordHash: "none", device: null, mails: [] };
    expect((await storage().recovery.restoreFactors(done)).kind).toBe("done");
    expect([
      await issue(company, member),
      await issue(company, member, ["read"], "client-2"),
      await issue(company, member, ["read"], "client-3"),
    ]).toEqual(["no_consent", "issued", "no_consent"]);
  });
});
