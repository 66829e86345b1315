import { describe, expect, test } from "vitest";
import { ownerChoices } from "../../../src/owners/authorization/person-or-company.ts";
import type { HistoryEntry, Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAppRule,
  aStaffedCompany,
  SHOWN,
  type Staffed,
} from "../support/company-builders.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  anId,
  aRedemption,
  aScope,
  aSession,
  aStoredPerson,
  DAY,
  expectIssued,
  HOUR,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

const THEN = NOW + 30 * SECOND;

onEveryBackend("other reasons for the end of a grant are in the history", (storage) => {
  const told = async (ownerId: string, partition: number) =>
    (await storage().history.list({ partition, ownerId, before: null, limit: 200 })).filter(
      ({ kind }) => kind === "ended",
    );
  const toldTo = ({ partition, personId }: Person) => told(personId, partition);
  const causes = (entries: readonly HistoryEntry[]) => entries.map(({ record }) => record.cause);
  const setPassword = (person: Person, endGrants: boolean, now = THEN) =>
    storage().people.setPassword({
      ...person,
      passwordHash: "x",
      mustChange: false,
      endGrants,
      keepSessionId: null,
      now,
    });

  describe("a new password", () => {
    test("without an active grant → no entry", async () => {
      const { person } = await aLiveGrant(storage());
      await setPassword(person, false);
      const idle = await aLiveGrant(storage());
      await setPassword(idle.person, true, NOW + 400 * 24 * HOUR);
      await setPassword(await aStoredPerson(storage()), true);
      expect([await toldTo(person), await toldTo(idle.person)]).toEqual([[], []]);
    });

    test("→ one entry for each app, for any number of grants", async () => {
      const { person } = await aLiveGrant(storage());
      const second = aGrant(person);
      await storage().grants.issue({ grant: second, now: NOW });
      await storage().grants.redeem(aRedemption(second));
      const other = aGrant(person, { clientId: "client-2" });
      expectIssued(await storage().grants.approve(anApproval(other)));
      await setPassword(person, true);
      const entries = await toldTo(person);
      expect(entries.map(({ clientId }) => clientId).sort()).toEqual(["client-1", "client-2"]);
      expect(entries[0]).toMatchObject({
        at: THEN,
        record: { clientName: "Photo Printer", by: person.personId, cause: "password", scopes: [], removed: [] },
      });
    });
  });

  test("a consent in a session that the password ended after the page was loaded → refused; in a newer session → issued", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const { person } = await aLiveGrant(storage());
    await aLiveCompanyGrant(storage(), company, admin);
    for (const one of [person, admin]) await setPassword(one, true);
    const answer = async (trustedFrom: number) => {
      const kinds: string[] = [];
      for (const grant of [aGrant(person), aCompanyGrant(company, admin)]) {
        kinds.push((await storage().grants.issue({ grant, trustedFrom, now: THEN + SECOND })).kind);
        const other = { ...grant, grantId: anId(grant.partition) };
        kinds.push((await storage().grants.approve(anApproval(other, { trustedFrom, now: THEN + SECOND }))).kind);
      }
      return kinds;
    };
    expect(await answer(NOW)).toEqual(Array.from({ length: 4 }, () => "no_consent"));
    expect(await answer(THEN)).toEqual(Array.from({ length: 4 }, () => "issued"));
  });

  test("a session loaded before the new password, companies loaded after it → the person can't act for any of them", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    await setPassword(admin, true);
    const asked = { client: { clientId: "client-1" }, scopes: [aScope()], redirectUri: null, ceiling: null };
    const owners = async (person: Person) =>
      (await ownerChoices(person, asked, storage(), THEN)).map(({ ownerId }) => ownerId);
    expect(await owners(admin)).toEqual([admin.personId]);
    expect(await owners({ ...admin, passwordChangedAt: THEN })).toEqual([admin.personId, company.companyId]);
  });

  test("a disabled account → an entry; disabled again → no further entry; an account with a planned deletion → its consents are revoked", async () => {
    const { person } = await aLiveGrant(storage());
    for (const now of [THEN, THEN + 1]) await storage().people.setStatus({ ...person, status: "disabled", now });
    const entries = await toldTo(person);
    expect([causes(entries), entries[0]?.record.by]).toEqual([["account"], "operator"]);
    const leaving = await aLiveGrant(storage());
    await storage().people.setDeletion({
      ...leaving.person,
      at: THEN + HOUR,
      keepSessionId: null,
      mails: [],
      now: THEN,
    });
    const { personId: ownerId, partition } = leaving.person;
    const [last] = await storage().history.list({ partition, ownerId, before: null, limit: 1 });
    expect([last?.kind, last?.record.by]).toEqual(["revoked", ownerId]);
    expect(await storage().consents.list({ partition, ownerId, now: THEN })).toEqual([]);
  });

  test("a deleted account → its history is deleted", async () => {
    const { person } = await aLiveGrant(storage());
    await storage().people.delete({ ...person, now: THEN });
    expect(await toldTo(person)).toEqual([]);
  });

  test("a client is disabled, enabled, disabled, deleted → its owners get one entry for each time that ended access", async () => {
    const clientId = anId();
    const client = aClient({ clientId, name: "Photo Printer", updatedAt: THEN });
    await storage().clients.put({ client, expect: null });
    const one = await aLiveGrant(storage(), { clientId });
    const two = await anApprovedGrant(storage(), { clientId });
    const bystander = await aLiveGrant(storage());
    const put = (status: "active" | "disabled", updatedAt: number) =>
      storage().clients.put({ client: { ...client, status, updatedAt }, expect: null });
    await put("disabled", THEN);
    await put("disabled", THEN);
    const [entry] = await toldTo(one.person);
    expect(entry).toMatchObject({ at: THEN, clientId, record: { by: "operator", clientName: "Photo Printer" } });
    expect(causes(await toldTo(two.person))).toEqual(["app"]);
    await put("active", THEN + 1);
    const again = aGrant(one.person, { clientId });
    await storage().grants.issue({ grant: again, now: THEN + 2 });
    await storage().clients.delete({ clientId, now: THEN + 3 });
    expect(await statusOf(storage(), again)).toMatchObject({ status: "client_ended" });
    const entries = await toldTo(one.person);
    expect(entries.map(({ at }) => at)).toEqual([THEN + 3, THEN]);
    expect(new Set(entries.map(({ entryId }) => entryId)).size).toBe(2);
    const { personId: ownerId } = one.person;
    expect(await storage().history.get({ ownerId, entryId: entry?.entryId ?? "" })).toEqual(entry);
    expect([await toldTo(two.person), await toldTo(bystander.person)].map(causes)).toEqual([["app"], []]);
  });

  test("the 51st grant ends the oldest → an entry that names it; short access without a refresh token → no entry", async () => {
    const { person, grant } = await anApprovedGrant(storage(), {}, { now: NOW - 100 });
    for (let at = 0; at < 50; at += 1) await storage().grants.issue({ grant: aGrant(person), now: NOW + at });
    const entries = await toldTo(person);
    expect(causes(entries)).toEqual(["crowded"]);
    expect(entries[0]?.record).toMatchObject({ by: "server", grantId: grant.grantId });
    const program = await aStoredPerson(storage());
    for (let at = 0; at < 52; at += 1) {
      const direct = aDirectGrant(program);
      await storage().grants.issueWithoutCode({ ...direct, grant: { ...direct.grant, refreshable: false } });
    }
    expect(await toldTo(program)).toEqual([]);
  });

  describe("in a company", () => {
    const staffed = async () => {
      const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      await aLiveCompanyGrant(storage(), company, member);
      await aLiveCompanyGrant(storage(), company, admin);
      return { company, admin, member, told: () => told(company.companyId, company.partition) };
    };

    test("a member leaves, asks for the deletion of their account, or is deleted → each its own cause", async () => {
      for (const [cause, change] of [
        [
          "member_left",
          ({ company, member }: Staffed) =>
            storage().members.remove({ ...company, person: member, by: member.personId, now: THEN }),
        ],
        [
          "member_leaving",
          ({ member }: Staffed) =>
            storage().people.setDeletion({ ...member, at: THEN + DAY, keepSessionId: null, mails: [], now: THEN }),
        ],
        ["member_deleted", ({ member }: Staffed) => storage().people.delete({ ...member, now: THEN })],
      ] as const) {
        const { told, ...at } = await staffed();
        await change(at);
        expect((await told()).map(({ record }) => [record.cause, record.personId])).toEqual([
          [cause, at.member.personId],
        ]);
      }
    });

    test("a member is removed → the company's history names the member and the admin; the person's own history has no entry", async () => {
      const { company, admin, member, told } = await staffed();
      await storage().members.remove({ ...company, person: member, by: admin.personId, now: THEN });
      const entries = await told();
      expect(causes(entries)).toEqual(["member_removed"]);
      expect(entries[0]?.record).toMatchObject({ by: admin.personId, personId: member.personId });
      expect(await toldTo(member)).toEqual([]);
    });

    test("a member is disabled, or gets another password → an entry", async () => {
      for (const [cause, change] of [
        [
          "member_disabled",
          (member: Person) => storage().people.setStatus({ ...member, status: "disabled", now: THEN }),
        ],
        ["member_password", (member: Person) => setPassword(member, true)],
      ] as const) {
        const { member, told } = await staffed();
        await change(member);
        expect((await told()).map(({ record }) => [record.cause, record.personId])).toEqual([[cause, member.personId]]);
      }
    });

    test("a member stops an app for themselves → an entry", async () => {
      const { company, member, told } = await staffed();
      const rule = { ...company, clientId: "client-1", by: null, shown: SHOWN, now: NOW };
      await storage().companyApps.setRule({ ...rule, rule: anAppRule() });
      await storage().companyApps.setOptOut({
        ...company,
        clientId: "client-1",
        personId: member.personId,
        out: true,
        now: THEN,
      });
      expect(causes(await told())).toEqual(["stopped"]);
    });

    test("the company is disabled → an entry; it is deleted → its history is deleted", async () => {
      const { company, told } = await staffed();
      await storage().companies.setStatus({ ...company, status: "disabled", now: THEN });
      expect(causes(await told())).toEqual(["company"]);
      await storage().companies.delete({ ...company, now: THEN });
      expect(await told()).toEqual([]);
    });
  });
});

onEveryBackend("counts before a client or an owner is deleted", (storage) => {
  const none = { consents: 0, grants: 0, sessions: 0, members: 0, companies: 0 };
  const ofClient = (clientId: string, now: number, most = 10) =>
    storage().consents.countOfClient({ clientId, now, most });

  test("ended or expired records → not counted; an unknown id → zero; more than `most` → `most`", async () => {
    const clientId = "client-counted";
    const person = await aStoredPerson(storage());
    const ofOwner = (now: number, most = 10) =>
      storage().consents.countOfOwner({ ...person, ownerId: person.personId, now, most });
    expect([await ofOwner(NOW), await ofClient(clientId, NOW)]).toEqual([
      none,
      { consents: 0, grants: 0, approvals: 0, connections: 0 },
    ]);
    for (let times = 0; times < 3; times += 1) {
      const grant = aGrant(person, { clientId });
      await storage().grants.approve(anApproval(grant));
      await storage().grants.redeem(aRedemption(grant));
      // A second use of the code ends the grant.
      if (times === 0) await storage().grants.redeem(aRedemption(grant));
    }
    await anApprovedGrant(storage(), { clientId });
    await storage().sessions.create(aSession(person));
    expect(await ofOwner(NOW + SECOND)).toEqual({ ...none, consents: 1, grants: 2, sessions: 1 });
    expect(await ofClient(clientId, NOW + SECOND)).toEqual({ consents: 2, grants: 3, approvals: 0, connections: 0 });
    expect(await ofClient(clientId, NOW + SECOND, 1)).toEqual({ consents: 1, grants: 1, approvals: 0, connections: 0 });
    expect(await ofOwner(NOW + SECOND, 1)).toMatchObject({ grants: 1 });
    // The code has expired after one minute, and the unused session has ended. Refresh tokens are still valid.
    expect(await ofClient(clientId, NOW + HOUR)).toEqual({ consents: 2, grants: 2, approvals: 0, connections: 0 });
    expect(await ofOwner(NOW + DAY)).toEqual({ ...none, consents: 1, grants: 2 });
    const short = await anApprovedGrant(storage(), { clientId: "client-short" }, { duration: 3600 });
    const ofShort = (now: number) =>
      storage().consents.countOfOwner({ ...short.person, ownerId: short.person.personId, now, most: 10 });
    expect([(await ofShort(NOW)).consents, (await ofShort(NOW + HOUR)).consents]).toEqual([1, 0]);
    expect([
      (await ofClient("client-short", NOW)).consents,
      (await ofClient("client-short", NOW + HOUR)).consents,
    ]).toEqual([1, 0]);
  });

  test("what names a scope → active consents and approvals; not a revoked, an expired, or a longer name", async () => {
    const read = `scope-${anId()}`;
    const count = (name: string, now: number, most = 10) => storage().consents.countOfScope({ name, now, most });
    const scopes = [read];
    expect(await count(read, NOW)).toEqual({ consents: 0, approvals: 0 });
    const { grant } = await anApprovedGrant(storage(), { scopes });
    await anApprovedGrant(storage(), { scopes });
    const { company, admin } = await aStaffedCompany(storage());
    const rule = { ...company, clientId: "client-1", by: admin.personId, shown: SHOWN, now: NOW };
    await storage().companyApps.setRule({ ...rule, rule: anAppRule({ scopes: [read], endsAt: NOW + DAY }) });
    const all = await count(read, NOW);
    expect(all).toMatchObject({ approvals: 1 });
    // The approval is also the company's consent.
    expect(all.consents).toBe(3);
    expect(await count(read, NOW, 1)).toEqual({ consents: 1, approvals: 1 });
    expect(await count(read.slice(0, -1), NOW)).toEqual({ consents: 0, approvals: 0 });
    const { partition, ownerId, clientId } = grant;
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    expect((await count(read, NOW)).consents).toBe(2);
    expect((await count(read, NOW + 2 * DAY)).approvals).toBe(0);
    const selected = [admin.personId];
    await storage().companyApps.setRule({
      ...rule,
      rule: { ...anAppRule({ scopes: [read], endsAt: NOW + DAY }), selected },
    });
    expect(await count(read, NOW)).toMatchObject({ approvals: 1 });
  });

  test("a company → its members and the consents in its name; a member → their company", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    await aLiveCompanyGrant(storage(), company, admin);
    const now = NOW + SECOND;
    const ofCompany = await storage().consents.countOfOwner({ ...company, ownerId: company.companyId, now, most: 10 });
    expect(ofCompany).toEqual({ grants: 1, consents: 1, sessions: 0, members: 2, companies: 0 });
    const ofAdmin = await storage().consents.countOfOwner({ ...admin, ownerId: admin.personId, now, most: 10 });
    expect(ofAdmin).toMatchObject({ companies: 1, members: 0 });
  });
});
