import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  aStaffedCompany,
  SHOWN,
} from "../support/company-builders.ts";
import { anApproval, DAY, HOUR, NOW, statusOf } from "../support/record-builders.ts";

onEveryBackend("the time that a member chose for a company", (storage) => {
  test("a member's answer with an end → later grants without a page end then; after it there are none", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule(), shown: SHOWN, by: null, now: NOW };
    await storage().companyApps.setRule({ partition, companyId, ...rule });
    const answered = aCompanyGrant(company, member, { scopes: ["read"] });
    const answer = anAnswerOfMember();
    expect((await storage().grants.issue({ grant: answered, ends: { read: NOW + DAY }, answer, now: NOW })).kind).toBe(
      "issued",
    );
    const later = async (now: number) => {
      const grant = aCompanyGrant(company, member, { scopes: ["read"] });
      const { kind } = await storage().grants.issue({ grant, now });
      return [kind, (await statusOf(storage(), grant))?.absoluteUntil];
    };
    expect(await later(NOW + HOUR)).toEqual(["issued", NOW + DAY]);
    expect(await later(NOW + DAY - 1)).toEqual(["no_consent", undefined]);
    const again = aCompanyGrant(company, member, { scopes: ["read"] });
    await storage().grants.issue({ grant: again, answer, now: NOW + DAY });
    expect(await later(NOW + 2 * DAY)).toEqual(["issued", NOW + 365 * DAY]);
  });

  test("ends by scope → each holds for its scope, also after an answer about another one; an unanswered one ends with the first", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: ["read", "write", "share"] }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const issue = async (scopes: readonly string[], more: object = {}, now = NOW) => {
      const grant = aCompanyGrant(company, member, { scopes });
      const { kind } = await storage().grants.issue({ grant, now, ...more });
      return kind === "issued" ? (await statusOf(storage(), grant))?.scopes.map(({ expiresAt }) => expiresAt) : kind;
    };
    const answer = anAnswerOfMember();
    const ends = { read: NOW + HOUR, write: NOW + 7 * DAY };
    expect(await issue(["read", "write"], { ends, answer })).toEqual([NOW + HOUR, NOW + 7 * DAY]);
    expect(await issue(["write", "read"])).toEqual([NOW + 7 * DAY, NOW + HOUR]);
    expect(await issue(["share"])).toEqual([NOW + HOUR]);
    expect(await issue(["share"], { ends: { share: NOW + 30 * DAY }, answer })).toEqual([NOW + 30 * DAY]);
    expect(await issue(["read", "write", "share"])).toEqual([NOW + HOUR, NOW + 7 * DAY, NOW + 30 * DAY]);
    const later = NOW + 2 * HOUR;
    expect(await issue(["read", "write"], {}, later)).toBe("no_consent");
    expect(await issue(["write"], {}, later)).toEqual([NOW + 7 * DAY]);
  });

  test("scopes that the member has not answered about, by the company's consent → no grant without a page, by an approval → one", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const { partition, companyId } = company;
    const { personId } = member;
    const key = { partition, companyId, clientId: "client-1" };
    const issue = async (scopes: readonly string[], person = member) =>
      (await storage().grants.issue({ grant: aCompanyGrant(company, person, { scopes }), now: NOW })).kind;
    const both = ["read", "write"];
    await storage().grants.approve(anApproval(aCompanyGrant(company, member, { scopes: ["read"] })));
    await storage().grants.approve(anApproval(aCompanyGrant(company, admin, { scopes: both })));
    expect([await issue(["read"]), await issue(both), await issue(["write"])]).toEqual([
      "issued",
      "no_consent",
      "no_consent",
    ]);
    expect(await issue(both, admin)).toBe("issued");
    const change = { ...key, shown: SHOWN, by: null, now: NOW };
    await storage().companyApps.setRule({ ...change, rule: anAppRule({ scopes: both }) });
    expect(await issue(both)).toBe("issued");
    await storage().companyApps.setRule({
      ...change,
      rule: { ...anAppRule({ scopes: both }), selected: [admin.personId] },
    });
    expect([await issue(["read"]), await issue(both, admin)]).toEqual(["no_consent", "issued"]);
    await storage().companyApps.setRule({ ...change, rule: null });
    expect([await issue(["read"]), await issue(both)]).toEqual(["issued", "no_consent"]);
    await storage().companyApps.forgetChoice({ ...key, personId });
    expect(await issue(["read"])).toBe("no_consent");
  });

  test("what the member left out, then an answer about something else → still left out, also by an approval", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: ["read", "write", "share"] }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const issue = async (scopes: readonly string[], more: object = {}) =>
      (await storage().grants.issue({ grant: aCompanyGrant(company, member, { scopes }), now: NOW, ...more })).kind;
    expect(await issue(["read"], { answer: anAnswerOfMember(["write"]) })).toBe("issued");
    expect(await issue(["share"], { answer: anAnswerOfMember() })).toBe("issued");
    expect([await issue(["read", "share"]), await issue(["write"])]).toEqual(["issued", "no_consent"]);
    expect(await issue(["write"], { answer: anAnswerOfMember() })).toBe("issued");
    expect(await issue(["read", "write", "share"])).toBe("issued");
  });

  test("an answer under an approval → the member's older grants follow it at once, others' and kept scopes stay", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const scopes = ["read", "write", "share"];
    const rule = { clientId: "client-1", rule: anAppRule({ scopes }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const others = await aLiveCompanyGrant(storage(), company, admin, { scopes });
    const older = aCompanyGrant(company, member, { scopes });
    const first = { grant: older, ends: { read: NOW + 7 * DAY, share: NOW + DAY }, answer: anAnswerOfMember() };
    expect((await storage().grants.issue({ ...first, now: NOW })).kind).toBe("issued");
    const grant = aCompanyGrant(company, member, { scopes: ["read", "share"] });
    const answer = { ...anAnswerOfMember(["write"]), newEnds: ["read"], moved: ["read"] };
    const ends = { read: NOW + HOUR, share: NOW + 2 * DAY };
    expect((await storage().grants.issue({ grant, ends, answer, now: NOW + 1 })).kind).toBe("issued");
    const after = [
      { name: "read", expiresAt: NOW + HOUR },
      { name: "share", expiresAt: NOW + DAY },
    ];
    expect(await statusOf(storage(), older)).toMatchObject({ scopes: after, absoluteUntil: NOW + DAY, decidedAt: NOW });
    expect((await statusOf(storage(), others))?.scopes.map(({ name }) => name)).toEqual(scopes);
  });

  test("what an answer was for once about → no grant without a page; it shortens nothing else, and chooses no company", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: ["read", "write", "share"] }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const issue = async (scopes: readonly string[], more: object = {}) => {
      const grant = aCompanyGrant(company, member, { scopes });
      const { kind } = await storage().grants.issue({ grant, now: NOW, ...more });
      return kind === "issued" ? (await statusOf(storage(), grant))?.scopes.map(({ expiresAt }) => expiresAt) : kind;
    };
    const minutes = { write: NOW + 660_000 };
    const forOnce = { ...anAnswerOfMember(), chosen: false, once: ["write"] };
    expect(await issue(["write"], { ends: minutes, answer: forOnce })).toEqual([minutes.write]);
    expect(await issue(["read"])).toBe("no_consent");
    const answer = { ...anAnswerOfMember(), once: ["write"] };
    const ends = { ...minutes, read: NOW + DAY };
    expect(await issue(["read", "write"], { ends, answer })).toEqual([NOW + DAY, minutes.write]);
    expect([await issue(["write"]), await issue(["share"])]).toEqual(["no_consent", [NOW + DAY]]);
    // An answer that is for once alone keeps to the company that was chosen before.
    const onceMore = { ...anAnswerOfMember(), chosen: false, once: ["share"] };
    await issue(["share"], { ends: { share: NOW + 660_000 }, answer: onceMore });
    expect([await issue(["share"]), await issue(["read"])]).toEqual(["no_consent", [NOW + DAY]]);
  });

  test("left out, but not among what older grants lose → they keep it, and later connections don't get it", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: ["read", "write"] }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const older = aCompanyGrant(company, member, { scopes: ["read", "write"] });
    await storage().grants.issue({ grant: older, answer: anAnswerOfMember(), now: NOW });
    const grant = aCompanyGrant(company, member, { scopes: ["read"] });
    const answer = { ...anAnswerOfMember(["write"]), lost: [] };
    await storage().grants.issue({ grant, answer, now: NOW });
    expect((await statusOf(storage(), older))?.scopes.map(({ name }) => name)).toEqual(["read", "write"]);
    const next = aCompanyGrant(company, member, { scopes: ["write"] });
    expect((await storage().grants.issue({ grant: next, now: NOW })).kind).toBe("no_consent");
  });

  test("the company's consent covers less than an approval → a connection adds what it uses, until the approval ends", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const endsAt = NOW + 30 * DAY;
    const hosts = ["https://app.example", "https://other.example"];
    const rule = anAppRule({ scopes: ["read", "write", "share"], endsAt, hosts });
    await storage().companyApps.setRule({
      ...{ partition, companyId, clientId: "client-1", rule },
      ...{ shown: SHOWN, by: null, now: NOW },
    });
    const key = { partition, ownerId: companyId, clientId: "client-1" };
    const change = { ...key, by: "somebody", now: NOW };
    await storage().consents.narrow({ ...change, remove: ["write", "share"] });
    await storage().consents.changeEnd({ ...change, end: NOW + DAY, ceiling: null });
    const both = { scopes: ["read", "write"] };
    const given = { answer: anAnswerOfMember(), now: NOW + 1 };
    const issued = await storage().grants.issue({ grant: aCompanyGrant(company, member, both), ...given });
    const scopes = both.scopes.map((name) => ({ name, expiresAt: endsAt }));
    expect(issued).toEqual({ kind: "issued", scopes });
    const consent = await storage().consents.find(key);
    expect(consent).toMatchObject({ expiresAt: endsAt, removed: ["share"] });
    expect(consent?.scopes.map(({ name, expiresAt, hosts: at }) => ({ name, expiresAt, at }))).toEqual(
      scopes.map((scope) => ({ ...scope, at: hosts })),
    );
    // Beyond the rule, nothing is added.
    await storage().companyApps.setRule({
      ...{ partition, companyId, clientId: "client-1", rule: { ...rule, scopes: ["read"] } },
      ...{ shown: SHOWN, by: null, now: NOW + 2 },
    });
    const beyond = await storage().grants.issue({ grant: aCompanyGrant(company, member, both), ...given });
    expect(beyond).toEqual({ kind: "no_consent" });
  });

  test("a member asks for the deletion of their account → their earlier choices are forgotten, also if they keep it", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const { personId } = member;
    const rule = { clientId: "client-1", rule: anAppRule(), shown: SHOWN, by: null, now: NOW };
    await storage().companyApps.setRule({ partition, companyId, ...rule });
    const key = { partition, companyId, clientId: "client-1", personId };
    const choose = (now: number) =>
      storage().grants.issue({ grant: aCompanyGrant(company, member), answer: anAnswerOfMember(["write"]), now });
    await choose(NOW);
    const plan = (at: number | null, now: number) =>
      storage().people.setDeletion({ ...member, at, keepSessionId: null, mails: [], now });
    await plan(NOW + 14 * DAY, NOW + 1);
    expect(await storage().members.findActing(key)).toMatchObject({ chosen: false, declined: ["write"] });
    await plan(null, NOW + 2);
    expect(await storage().companyApps.listChoices({ partition, companyId, personId })).toEqual([]);
    await choose(NOW + 3);
    expect(await storage().members.findActing(key)).toMatchObject({ chosen: true });
  });
});
