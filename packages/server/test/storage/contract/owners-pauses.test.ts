import { expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLiveCompanyGrant, aStaffedCompany } from "../support/company-builders.ts";
import { aDevice, aDeviceRedemption, anAnswer } from "../support/device-builders.ts";
import {
  aDirectGrant,
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  anId,
  aRedemption,
  aRefresh,
  aSession,
  DAY,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
} from "../support/record-builders.ts";

onEveryBackend("an owner pauses an app and lets it go on", (storage) => {
  const pausing =
    ({ partition, ownerId, clientId }: NewGrant) =>
    (
      paused: boolean,
      more: { readonly now?: number; readonly sessionId?: string; readonly clientId?: string; ceiling?: number } = {},
    ) =>
      storage().consents.setPaused({
        partition,
        ownerId,
        clientId,
        paused,
        by: ownerId,
        now: NOW + 2 * MINUTE,
        ...more,
      });
  const made = async (changes: Partial<NewGrant> = {}) => {
    const { person, grant } = await aLiveGrant(storage(), changes);
    return { person, grant, setPaused: pausing(grant) };
  };
  const consentOf = ({ partition, ownerId, clientId }: NewGrant) =>
    storage().consents.find({ partition, ownerId, clientId });
  const grantOf = ({ partition, grantId }: NewGrant) => storage().grants.find({ partition, grantId, saltHash: null });
  const kindsOf = async ({ partition, ownerId }: Pick<NewGrant, "partition" | "ownerId">) =>
    (await storage().history.list({ partition, ownerId, before: null, limit: 50 })).map(({ kind }) => kind);
  const resumedOf = async ({ partition, ownerId }: Pick<NewGrant, "partition" | "ownerId">) => {
    const all = await storage().history.list({ partition, ownerId, before: null, limit: 50 });
    const { scopes = [], expiresAt, removed, paused: still } = all.find(({ kind }) => kind === "resumed")?.record ?? {};
    const ends = scopes.map(({ name, expiresAt: end }) => [name, end] as const).toSorted();
    return { ends, expiresAt, removed, still };
  };
  const paused = { kind: "ended", status: "paused" };

  test("no such app, a revoked one, one that has ended, a session that is over → unknown, and nothing is written", async () => {
    const { grant, setPaused } = await made();
    expect(await setPaused(true, { clientId: "another" })).toEqual({ kind: "unknown" });
    expect(await setPaused(true, { sessionId: "over" })).toEqual({ kind: "unknown" });
    expect((await consentOf(grant))?.pausedAt).toBeNull();
    const short = await aLiveGrant(storage(), {}, { duration: 3600 });
    expect(await pausing(short.grant)(true, { now: NOW + HOUR })).toEqual({ kind: "unknown" });
    const { partition, ownerId, clientId } = grant;
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    expect(await setPaused(true)).toEqual({ kind: "unknown" });
    expect(await setPaused(false)).toEqual({ kind: "unknown" });
    expect(await kindsOf(grant)).not.toContain("paused");
  });

  test("in a session of theirs, twice → one entry, and the time of the first; the same for going on", async () => {
    const { person, grant, setPaused } = await made();
    const { sessionId } = aSession(person);
    await storage().sessions.create(aSession(person, { sessionId }));
    const [first, second] = await Promise.all([
      setPaused(true, { sessionId }),
      setPaused(true, { sessionId, now: NOW + HOUR }),
    ]);
    expect([first.kind, second.kind].sort()).toEqual(["changed", "unchanged"]);
    const again = await setPaused(true, { now: NOW + DAY });
    expect(again).toEqual({ kind: "unchanged" });
    expect((await consentOf(grant))?.pausedAt).toBeLessThanOrEqual(NOW + HOUR);
    expect((await setPaused(false, { now: NOW + DAY })).kind).toBe("changed");
    expect((await setPaused(false, { now: NOW + DAY })).kind).toBe("unchanged");
    expect(await kindsOf(grant)).toEqual(["resumed", "paused", "allowed"]);
    expect((await consentOf(grant))?.pausedAt).toBeNull();
  });

  test("the apps that were resumed since then → only those, of this owner, each with its last time", async () => {
    const { person, grant, setPaused } = await made();
    const { partition, ownerId } = grant;
    const since = (at: number, owner = ownerId) =>
      storage().history.resumedSince({ partition, ownerId: owner, since: at });
    expect(await since(0)).toEqual([]);
    for (const at of [NOW + HOUR, NOW + DAY]) {
      await setPaused(true, { now: at - MINUTE });
      expect((await setPaused(false, { now: at })).kind).toBe("changed");
    }
    const other = aGrant(person, { clientId: "client-2" });
    await storage().grants.approve(anApproval(other));
    await pausing(other)(true, { now: NOW + DAY });
    const resumed = (wasPaused: boolean) => [{ clientId: grant.clientId, at: NOW + DAY, wasPaused }];
    expect(await Promise.all([0, NOW + DAY - MINUTE, NOW + DAY, NOW + DAY + 1].map((at) => since(at)))).toEqual([
      ...[resumed(false), resumed(false), resumed(true), []],
    ]);
    expect(await since(0, anId(partition))).toEqual([]);
  });

  test("paused → the refresh is refused and nothing is spent; going on → the same refresh token works", async () => {
    const { grant, setPaused } = await made();
    const before = await consentOf(grant);
    await setPaused(true);
    for (const rotate of [true, false])
      expect(await storage().grants.refresh(aRefresh(grant, { rotate }))).toEqual(paused);
    expect(await grantOf(grant)).toMatchObject({ status: "active", generation: 1, pausedAt: NOW + 2 * MINUTE });
    await setPaused(false);
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + 3 * MINUTE }))).kind).toBe("rotated");
    // Nothing of what the owner decided has changed.
    expect(await consentOf(grant)).toEqual(before);
  });

  test("paused after a lost response → the repeated refresh still works afterwards, and is no theft", async () => {
    const { grant, setPaused } = await made();
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + MINUTE }))).kind).toBe("rotated");
    await setPaused(true, { now: NOW + MINUTE + 5 * SECOND });
    expect(await storage().grants.refresh(aRefresh(grant, { now: NOW + MINUTE + 10 * SECOND }))).toEqual(paused);
    await setPaused(false, { now: NOW + 5 * DAY });
    const late = { now: NOW + 5 * DAY + 20 * SECOND };
    expect((await storage().grants.refresh(aRefresh(grant, late))).kind).toBe("retried");
    // The time for it goes on where it stood.
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + 5 * DAY + 40 * SECOND }))).kind).toBe("theft");
  });

  test("paused → a code isn't redeemed and isn't burned; going on in time → it is redeemed", async () => {
    const { grant } = await anApprovedGrant(storage());
    const setPaused = pausing(grant);
    await setPaused(true, { now: NOW });
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("unknown");
    await setPaused(false, { now: NOW });
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("redeemed");
  });

  test("paused → no other app, no other owner is paused", async () => {
    const { person, grant, setPaused } = await made();
    const other = aGrant(person, { clientId: "client-2" });
    await storage().grants.approve(anApproval(other));
    await storage().grants.redeem(aRedemption(other));
    const stranger = await aLiveGrant(storage());
    await setPaused(true);
    expect((await storage().grants.refresh(aRefresh(other))).kind).toBe("rotated");
    expect((await storage().grants.refresh(aRefresh(stranger.grant))).kind).toBe("rotated");
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual(paused);
  });

  test("paused → no way makes a new grant without a page that says so", async () => {
    const { person, grant, setPaused } = await made();
    await setPaused(true);
    const next = () => aGrant(person);
    expect(await storage().grants.issue({ grant: next(), now: NOW + HOUR })).toEqual({ kind: "no_consent" });
    expect(await storage().grants.approve(anApproval(next()))).toEqual({ kind: "no_consent" });
    expect(await storage().grants.approve(anApproval(next(), { via: "first party" }))).toEqual({ kind: "no_consent" });
    const direct = aDirectGrant(person);
    expect(await storage().grants.issueWithoutCode({ ...direct, now: NOW + HOUR })).toEqual({
      kind: "blocked",
      by: "paused",
    });
    expect(await kindsOf(grant)).toEqual(["paused", "allowed"]);
    expect((await consentOf(grant))?.pausedAt).not.toBeNull();
  });

  test("a page that says so → the app goes on with all its grants, and two entries tell of it", async () => {
    const { person, grant, setPaused } = await made();
    await setPaused(true);
    const next = aGrant(person, { codeUntil: NOW + 2 * HOUR });
    const answer = { resumes: true, now: NOW + HOUR } as const;
    expect((await storage().grants.approve(anApproval(next, answer))).kind).toBe("issued");
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + HOUR }))).kind).toBe("rotated");
    expect((await consentOf(grant))?.pausedAt).toBeNull();
    expect(await kindsOf(grant)).toEqual(expect.arrayContaining(["resumed", "allowed", "paused", "allowed"]));
    // A double click.
    expect((await storage().grants.approve(anApproval(next, answer))).kind).toBe("repeated");
    expect(await kindsOf(grant)).toHaveLength(4);
  });

  test("resumed with the button → the entry names all that came back with its end, and not what has ended", async () => {
    const { person, grant, setPaused } = await made({ scopes: ["read", "write"] });
    const short = aGrant(person, { scopes: ["share"] });
    await storage().grants.approve(anApproval(short, { duration: 3600 }));
    await storage().grants.redeem(aRedemption(short));
    const once = aGrant(person, { scopes: ["delete"] });
    const onceUntil = NOW + 10 * MINUTE;
    await storage().grants.approve(anApproval(once, { duration: "once", onceUntil }));
    await storage().grants.redeem(aRedemption(once, { accessUntil: onceUntil }));
    await setPaused(true);
    await setPaused(false, { now: NOW + 5 * MINUTE });
    const [read, write] = (await consentOf(grant))?.scopes ?? [];
    const lasting = [
      ["read", read?.expiresAt],
      ["share", NOW + HOUR],
      ["write", write?.expiresAt],
    ];
    const first = await resumedOf(grant);
    expect(first).toEqual({
      ...{ ends: [["delete", onceUntil], ...lasting], expiresAt: read?.expiresAt, removed: [], still: undefined },
    });
    await setPaused(true, { now: NOW + HOUR });
    await setPaused(false, { now: NOW + 2 * HOUR, ceiling: DAY });
    expect(await resumedOf(grant)).toMatchObject({
      ends: [
        ["read", NOW + DAY],
        ["write", NOW + DAY],
      ],
      expiresAt: NOW + DAY,
    });
  });

  test("resumed by an answer for less → the entry names what nobody asked for, too, and nothing that was left out", async () => {
    const { person, grant, setPaused } = await made({ scopes: ["read", "write", "share"] });
    await setPaused(true);
    const next = aGrant(person, { scopes: ["read", "more"], codeUntil: NOW + 2 * HOUR });
    const answer = anApproval(next, { declined: ["write"], resumes: true, now: NOW + HOUR });
    expect((await storage().grants.approve(answer)).kind).toBe("issued");
    const { ends } = await resumedOf(grant);
    expect(ends.map(([name]) => name)).toEqual(["more", "read", "share"]);
  });

  test("revoked while paused → it is over; allowed again → it isn't paused", async () => {
    const { person, grant, setPaused } = await made();
    await setPaused(true);
    const { partition, ownerId, clientId } = grant;
    const revoked = await storage().consents.revoke({
      partition,
      ownerId,
      clientId,
      revokedBy: ownerId,
      now: NOW + DAY,
    });
    expect(revoked).toMatchObject({ kind: "revoked", grantsEnded: 1 });
    expect(await setPaused(false)).toEqual({ kind: "unknown" });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "revoked" });
    const again = aGrant(person);
    expect((await storage().grants.approve(anApproval(again, { now: NOW + DAY }))).kind).toBe("issued");
    expect((await consentOf(grant))?.pausedAt).toBeNull();
  });

  test("another system disables and enables the person → the owner's pause stays, and the other way round", async () => {
    const { person, grant, setPaused } = await made();
    const subject = {
      issuerId: `provider-${grant.grantId}`,
      claim: "https://accounts.example.com",
      subject: grant.grantId,
    };
    const key = { partition: person.partition, personId: person.personId };
    await storage().subjectLinks.link({ ...key, subject, sole: false, madeBy: "operator", now: NOW });
    const elsewhere = (change: "disabled" | "enabled") =>
      storage().people.upstreamChanged({
        ...{ ...key, subject, change, whenDisabled: "pause", name: "Example ID", wholePerson: false, now: NOW },
      });
    await setPaused(true);
    await elsewhere("disabled");
    await elsewhere("enabled");
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual(paused);
    await elsewhere("disabled");
    await setPaused(false);
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual(paused);
    await elsewhere("enabled");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
  });

  test("a device that was allowed before the pause → no grant; recorded on an old page → nothing goes on", async () => {
    const { person, grant, setPaused } = await made();
    const request = aDevice({ clientId: grant.clientId });
    const answer = anAnswer(request, person);
    await storage().deviceRequests.create(request);
    const claim = { ...answer, before: null };
    await storage().deviceRequests.claim(claim);
    expect(await storage().deviceRequests.approve(answer)).toBe("decided");
    await setPaused(true);
    const redemption = aDeviceRedemption(request, answer.approval);
    expect((await storage().deviceRequests.redeem(redemption)).kind).toBe("blocked");
    const second = aDevice({ clientId: grant.clientId });
    const old = anAnswer(second, person);
    await storage().deviceRequests.create(second);
    await storage().deviceRequests.claim({ ...old, before: null });
    expect(await storage().deviceRequests.approve(old)).toBe("no_consent");
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual(paused);
    expect(await storage().deviceRequests.approve({ ...old, resumes: true })).toBe("decided");
    expect((await resumedOf(grant)).ends.map(([name]) => name)).toEqual(grant.scopes.toSorted());
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
  });

  test("an exchange through the app or by it → refused while either is paused", async () => {
    const { person, grant, setPaused } = await made();
    const agent = aGrant(person, { clientId: "agent" });
    await storage().grants.approve(anApproval(agent));
    const { partition, ownerId, personId, grantId, clientId } = grant;
    const exchange = () =>
      storage().delegations.record({
        ...{ partition, ownerId, personId, grantId, clientId, clientName: "A", actorName: "B", actorId: "agent" },
        ...{ askerId: "agent", scopes: [], byConsent: [], impersonation: false, usedFrom: null, now: NOW + HOUR },
      });
    await setPaused(true);
    expect(await exchange()).toBe("ended");
    await setPaused(false);
    await pausing(agent)(true);
    expect(await exchange()).toBe("blocked");
    await pausing(agent)(false);
    expect(await exchange()).toBe("recorded");
  });

  test("refreshed in parallel with the pause → a token that came out before is the last, and none is lost", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { grant, setPaused } = await made();
      const [outcome] = await Promise.all([storage().grants.refresh(aRefresh(grant)), setPaused(true)]);
      expect(["rotated", "ended"]).toContain(outcome.kind);
      const next = aRefresh(grant, { generation: outcome.kind === "rotated" ? 2 : 1, now: NOW + 3 * MINUTE });
      expect(await storage().grants.refresh(next)).toEqual(paused);
      await setPaused(false, { now: NOW + 3 * MINUTE });
      expect((await storage().grants.refresh(next)).kind).toBe("rotated");
    }
  });

  test("connected in parallel with the pause → the new grant is paused, too, or isn't made", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { person, setPaused } = await made();
      const next = aGrant(person);
      const [outcome] = await Promise.all([
        storage().grants.issue({ grant: next, now: NOW }),
        setPaused(true, { now: NOW }),
      ]);
      expect(["issued", "no_consent"]).toContain(outcome.kind);
      expect((await storage().grants.redeem(aRedemption(next))).kind).toBe("unknown");
    }
  });

  test("for a company: an admin pauses for all, no member does or undoes it", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    const key = { partition: company.partition, companyId: company.companyId, clientId: grant.clientId };
    const set = (by: Person | null, isPaused: boolean) =>
      storage().companyApps.setPaused({ ...key, by: by?.personId ?? null, paused: isPaused, now: NOW + MINUTE });
    expect(await set(member, true)).toEqual({ kind: "not_admin" });
    expect((await storage().grants.refresh(aRefresh(grant, { rotate: false }))).kind).toBe("kept");
    expect((await set(admin, true)).kind).toBe("changed");
    expect(await storage().grants.refresh(aRefresh(grant, { rotate: false }))).toEqual(paused);
    expect(await set(member, false)).toEqual({ kind: "not_admin" });
    const ofMember = aGrant(member, {
      partition: company.partition,
      ownerId: company.companyId,
      grantId: anId(company.partition),
    });
    const answer = anApproval(ofMember, { resumes: true });
    expect((await storage().grants.approve(answer)).kind).toBe("no_consent");
    expect(await storage().grants.refresh(aRefresh(grant, { rotate: false }))).toEqual(paused);
    expect((await set(admin, false)).kind).toBe("changed");
    expect((await storage().grants.refresh(aRefresh(grant, { rotate: false }))).kind).toBe("kept");
    expect(await kindsOf(grant)).toEqual(expect.arrayContaining(["paused", "resumed"]));
    expect((await resumedOf(grant)).ends.map(([name]) => name)).toEqual(grant.scopes.toSorted());
  });

  test("for a company, by an admin's answer for a device → the entry names what the device gets with its next poll", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    const { partition, companyId: ownerId } = company;
    const key = { partition, companyId: ownerId, clientId: grant.clientId, by: admin.personId };
    const { refreshSaltHash: saltHash } = aRefresh(grant);
    expect((await storage().grants.end({ ...grant, saltHash, now: NOW })).kind).toBe("ended");
    expect((await storage().companyApps.setPaused({ ...key, paused: true, now: NOW })).kind).toBe("changed");
    const request = aDevice({ clientId: grant.clientId });
    const answer = anAnswer(request, admin, {
      approval: { partition, ownerId, grantId: anId(partition) },
      resumes: true,
    });
    await storage().deviceRequests.create(request);
    await storage().deviceRequests.claim({ ...answer, before: null });
    expect(await storage().deviceRequests.approve(answer)).toBe("decided");
    expect((await resumedOf(grant)).ends.map(([name]) => name)).toEqual([...answer.approval.scopes]);
    const redeemed = await storage().deviceRequests.redeem(aDeviceRedemption(request, answer.approval));
    expect(redeemed.kind).toBe("issued");
  });
});

onEveryBackend("which APIs an app used", (storage) => {
  const api = "https://api.example";

  test("within a minute → written once; later → again; a grant that has ended, or a revoked consent → not at all", async () => {
    const { grant } = await anApprovedGrant(storage(), { audience: null });
    const { partition, ownerId, grantId, clientId } = grant;
    const record = (now: number, more: { readonly grantId?: string } = {}) =>
      storage().apiUses.record({ partition, grantId, api, now, ...more });
    const list = () => storage().apiUses.list({ partition, ownerId });
    await record(NOW, { grantId: "none" });
    const single = await anApprovedGrant(storage(), { audience: api });
    await record(NOW, { grantId: single.grant.grantId });
    expect(await storage().apiUses.list({ partition: single.grant.partition, ownerId: single.grant.ownerId })).toEqual(
      [],
    );
    expect(await list()).toEqual([]);
    await record(NOW);
    await record(NOW + 30 * SECOND);
    expect(await list()).toEqual([{ clientId, api, lastUsedAt: NOW }]);
    await record(NOW + MINUTE);
    expect(await list()).toEqual([{ clientId, api, lastUsedAt: NOW + MINUTE }]);
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW + HOUR });
    expect(await list()).toEqual([]);
    await record(NOW + DAY);
    expect(await list()).toEqual([]);
  });

  test("the person is deleted → the records go with them", async () => {
    const { person, grant } = await anApprovedGrant(storage(), { audience: null });
    const { partition, ownerId, grantId } = grant;
    await storage().apiUses.record({ partition, grantId, api, now: NOW });
    await storage().people.delete({ partition, personId: person.personId, now: NOW });
    expect(await storage().apiUses.list({ partition, ownerId })).toEqual([]);
  });
});
