import { describe, expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Approve, Person } from "../../../src/owners/storage.ts";
import { backends, onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, anAnswerOfMember, anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
import { aDeviceRedemption, anApprovedDevice } from "../support/device-builders.ts";
import { byHand } from "../support/raw-statements.ts";
import {
  aDirectGrant,
  aGrant,
  aLiveGrant,
  anApproval,
  aRefresh,
  DAY,
  expectIssued,
  HOUR,
  MINUTE,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const CEILING = HOUR;

onEveryBackend("a ceiling over how long answers hold", (storage) => {
  const keyOf = ({ partition, personId }: Person) => ({ partition, ownerId: personId, clientId: "client-1" });
  const scopesOf = async (person: Person) => (await storage().consents.find(keyOf(person)))?.scopes ?? [];
  const live = (changes: Partial<NewGrant> = {}, approval: Partial<Omit<Approve, "grant">> = {}) =>
    aLiveGrant(storage(), changes, approval);
  /** A refresh under the ceiling at this time. */
  const refresh = (grant: NewGrant, now: number, generation = 1) =>
    storage().grants.refresh(
      aRefresh(grant, { generation, now, decidedAfter: now - CEILING, idleUntil: now + 30 * DAY, retryFrom: now }),
    );

  test("until revoked, allowed under it → ends with it, record and grant", async () => {
    const { person, grant } = await live({ ceiling: CEILING });
    expect(await scopesOf(person)).toMatchObject([{ expiresAt: NOW + CEILING, decidedAt: NOW }]);
    expect(await storage().consents.find(keyOf(person))).toMatchObject({ expiresAt: NOW + CEILING });
    expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: NOW + CEILING, decidedAt: NOW });
  });

  test("a shorter time, or once → as chosen", async () => {
    const { person } = await live({ ceiling: CEILING }, { duration: 60 });
    expect(await scopesOf(person)).toMatchObject([{ expiresAt: NOW + MINUTE }]);
    const once = await live({ ceiling: CEILING }, { duration: "once" });
    expect(await statusOf(storage(), once.grant)).toMatchObject({ refreshable: false });
  });

  test("until revoked, from before it → refreshed up to the ceiling; then expired, and nothing is written", async () => {
    const { grant } = await live();
    expect((await refresh(grant, NOW + CEILING - 1)).kind).toBe("rotated");
    expect(await refresh(grant, NOW + CEILING, 2)).toEqual({ kind: "ended", status: "expired" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", generation: 2 });
    expect((await storage().grants.refresh(aRefresh(grant, { generation: 2, now: NOW + CEILING }))).kind).toBe(
      "rotated",
    );
  });

  test("over by it → a spent token of it is no theft", async () => {
    const { grant } = await live();
    await refresh(grant, NOW + MINUTE);
    await refresh(grant, NOW + 2 * MINUTE, 2);
    expect(await refresh(grant, NOW + CEILING + 1, 1)).toEqual({ kind: "ended", status: "expired" });
  });

  test("kept tokens that are only looked at → likewise", async () => {
    const { grant } = await live();
    const kept = (now: number) =>
      storage().grants.refresh(aRefresh(grant, { rotate: false, now, decidedAfter: now - CEILING }));
    for (const now of [NOW + MINUTE, NOW + MINUTE + 1]) expect((await kept(now)).kind).toBe("kept");
    expect((await kept(NOW + CEILING - 2)).kind).toBe("kept");
    expect(await kept(NOW + CEILING)).toEqual({ kind: "ended", status: "expired" });
  });

  test("without a page → the grant ends with the consent that it is made under, and counts from that answer", async () => {
    const { person } = await live();
    const at = NOW + 40 * MINUTE;
    const again = aGrant(person, { ceiling: CEILING, codeUntil: at + MINUTE });
    const issued = await storage().grants.issue({ grant: again, now: at });
    expect(issued).toMatchObject({ kind: "issued", scopes: [{ expiresAt: NOW + CEILING }] });
    expect(await statusOf(storage(), again)).toMatchObject({ absoluteUntil: NOW + CEILING, decidedAt: NOW });
    const late = aGrant(person, { ceiling: CEILING });
    expect(await storage().grants.issue({ grant: late, now: NOW + CEILING })).toEqual({
      kind: "no_consent",
    });
  });

  test("allowed again → as before; with another end, or its end changed → counted from then, for the live grants, too", async () => {
    const { person, grant } = await live();
    const at = NOW + 50 * MINUTE;
    const second = aGrant(person, { ceiling: CEILING, codeUntil: at + MINUTE });
    expectIssued(await storage().grants.approve(anApproval(second, { now: at })));
    expect(await statusOf(storage(), second)).toMatchObject({ absoluteUntil: NOW + CEILING, decidedAt: NOW });
    const third = aGrant(person, { ceiling: CEILING, codeUntil: at + MINUTE });
    expectIssued(await storage().grants.approve(anApproval(third, { durations: { read: "forever" }, now: at })));
    expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: at + CEILING, decidedAt: at });
    const changed = await storage().consents.changeEnd({
      ...{ ...keyOf(person), end: null, ceiling: CEILING, by: person.personId, now: at + 1 },
    });
    expect(changed.kind).toBe("changed");
    expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: at + 1 + CEILING, decidedAt: at + 1 });
  });

  test("over by it, allowed again → what was over stays over", async () => {
    const { person, grant } = await live();
    const at = NOW + CEILING + 1;
    const second = aGrant(person, { ceiling: CEILING, codeUntil: at + MINUTE });
    expectIssued(await storage().grants.approve(anApproval(second, { now: at })));
    expect(await statusOf(storage(), grant)).toMatchObject({ decidedAt: NOW });
    expect(await refresh(grant, at + 1)).toEqual({ kind: "ended", status: "expired" });
    expect(await scopesOf(person)).toMatchObject([{ grantedAt: at, decidedAt: at }]);
  });

  test("another scope allowed → what stood is cut to its own answer; less taken → nothing counts anew", async () => {
    const { person } = await live({ scopes: ["read"] });
    const at = NOW + 20 * MINUTE;
    const second = aGrant(person, { scopes: ["write"], ceiling: CEILING, codeUntil: at + MINUTE });
    expectIssued(await storage().grants.approve(anApproval(second, { now: at })));
    const stood = [
      { name: "read", expiresAt: NOW + CEILING, decidedAt: NOW },
      { name: "write", expiresAt: at + CEILING, decidedAt: at },
    ];
    expect(await scopesOf(person)).toMatchObject(stood);
    await storage().consents.narrow({ ...keyOf(person), remove: ["write"], by: person.personId, now: at + MINUTE });
    expect(await scopesOf(person)).toMatchObject(stood.slice(0, 1));
    // The first grant is from before the ceiling, and has no end.
    const history = await storage().history.list({ ...keyOf(person), before: null, limit: 1 });
    expect(history[0]?.record).toMatchObject({ scopes: [{ name: "read", expiresAt: null }], expiresAt: null });
  });

  test("a device → ends with the answer, however late it polls", async () => {
    const { device, person, answer } = await anApprovedDevice(storage());
    const at = answer.now + MINUTE;
    const redemption = aDeviceRedemption(device, answer.approval, { ceiling: CEILING, now: at });
    const outcome = await storage().deviceRequests.redeem(redemption);
    expect(outcome).toMatchObject({
      grant: { absoluteUntil: answer.now + CEILING, decidedAt: answer.now, ownerId: person.personId },
    });
  });

  test("a password → ends as its caller says, and beside an older answer no later than that", async () => {
    const { person } = await live();
    const at = NOW + 10 * MINUTE;
    const direct = aDirectGrant(person, { now: at, consentUntil: at + CEILING }, { ceiling: CEILING });
    expect(await storage().grants.issueWithoutCode(direct)).toMatchObject({ grant: { absoluteUntil: NOW + CEILING } });
  });

  test("a company's approval from before → members are asked once it is over by the ceiling; what a member adds makes nothing longer", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: "client-1" };
    const rule = anAppRule({ endsAt: null });
    await storage().companyApps.setRule({ ...key, rule, shown: SHOWN, by: admin.personId, now: NOW });
    const issue = async (now: number) => {
      const grant = aCompanyGrant(company, member, { ceiling: CEILING });
      return (await storage().grants.issue({ grant, answer: anAnswerOfMember(), now })).kind;
    };
    expect([await issue(NOW + CEILING - MINUTE), await issue(NOW + CEILING)]).toEqual(["issued", "no_consent"]);
    const wish = { ...key, personId: member.personId, scopes: ["read"], reason: "Again", ceiling: CEILING };
    expect(await storage().companyApps.askApproval({ ...wish, now: NOW + CEILING - MINUTE })).toEqual({
      kind: "needless",
    });
    expect(await storage().companyApps.askApproval({ ...wish, now: NOW + CEILING })).toEqual({ kind: "asked" });
  });

  test("a member's answer beside what stands until revoked → the company's consent ends no later than it would", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    expectIssued(await storage().grants.approve(anApproval(aCompanyGrant(company, admin))));
    const at = NOW + 10 * MINUTE;
    const theirs = aCompanyGrant(company, member, { ceiling: CEILING, codeUntil: at + MINUTE });
    expectIssued(await storage().grants.approve(anApproval(theirs, { duration: 60, now: at })));
    const { partition, companyId: ownerId } = company;
    const consent = await storage().consents.find({ partition, ownerId, clientId: "client-1" });
    expect(consent?.scopes).toMatchObject([{ expiresAt: NOW + CEILING }]);
  });
});

describe.each(backends)("on $name", (backend) => {
  test("rows of a version that knows no ceilings → count from when they were made", async () => {
    const { storage, url, remove } = await backend.create();
    const { grant, person } = await aLiveGrant(storage);
    await byHand(url, ["UPDATE grants SET decided_at = NULL WHERE owner_id = $1", person.personId]);
    const at = (now: number) => storage.grants.refresh(aRefresh(grant, { now, decidedAfter: now - CEILING }));
    expect(await at(NOW + CEILING)).toEqual({ kind: "ended", status: "expired" });
    expect((await at(NOW + CEILING - 1)).kind).toBe("rotated");
    await remove();
  });
});
