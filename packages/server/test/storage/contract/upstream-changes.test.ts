import { expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import type { UpstreamChanged } from "../../../src/owners/upstream-change-storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLiveCompanyGrant, aStaffedCompany, join } from "../support/company-builders.ts";
import {
  aGrant,
  anApproval,
  anId,
  aRedemption,
  aRefresh,
  aSession,
  aStoredPerson,
  DAY,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("changes at another system", (storage) => {
  const made = async () => {
    const person = await aStoredPerson(storage());
    const subject = { issuerId: `provider-${anId()}`, claim: "https://accounts.example.com", subject: anId() };
    const link = { subject, sole: false, madeBy: "operator", now: NOW } as const;
    await storage().subjectLinks.link({ ...link, partition: person.partition, personId: person.personId });
    const change = (changed: UpstreamChanged["change"], more: Partial<UpstreamChanged> = {}) =>
      storage().people.upstreamChanged({
        ...{ partition: person.partition, personId: person.personId, subject, change: changed },
        ...{ whenDisabled: "pause", name: "Example ID", wholePerson: false, now: NOW },
        ...more,
      });
    return { person, subject, change, key: { partition: person.partition, personId: person.personId } };
  };
  /** A grant of this person whose code was redeemed. */
  const aLiveGrantOf = async (person: Person) => {
    const grant = aGrant(person);
    await storage().grants.approve(anApproval(grant));
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("redeemed");
    return grant;
  };
  const statusOf = async ({ partition, personId }: Person) =>
    (await storage().people.get({ partition, personId }))?.status;
  const historyOf = async ({ partition, personId: ownerId }: Person) =>
    (await storage().history.list({ partition, ownerId, before: null, limit: 50 })).map(({ kind, record }) => [
      kind,
      record.clientName,
    ]);

  test("another identity, or one that was disconnected → unknown, and nothing changes", async () => {
    const { person, subject, change } = await made();
    for (const other of [
      { ...subject, subject: anId() },
      { ...subject, issuerId: "other" },
      { ...subject, claim: null },
    ])
      expect(await change("disabled", { subject: other })).toEqual({ kind: "unknown", sessionsEnded: 0 });
    await storage().subjectLinks.unlink({ subject, now: NOW });
    expect((await change("disabled")).kind).toBe("unknown");
    expect(await statusOf(person)).toBe("active");
  });

  test("keep → the sessions of that identity end, the account stays, and so do the grants", async () => {
    const { person, subject, change } = await made();
    const grant = await aLiveGrantOf(person);
    const there = aSession(person, { amr: ["fed"], upstream: { subject, sid: null } });
    const here = aSession(person);
    await storage().sessions.create(there);
    await storage().sessions.create(here);
    expect(await change("disabled", { whenDisabled: "keep" })).toEqual({ kind: "changed", sessionsEnded: 1 });
    expect(await storage().sessions.isOpen(here)).toBe(true);
    expect(await storage().sessions.isOpen(there)).toBe(false);
    expect(await change("deleted", { whenDisabled: "keep" })).toEqual({ kind: "unchanged", sessionsEnded: 0 });
    expect(await statusOf(person)).toBe("active");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
    expect(await historyOf(person)).toContainEqual(["signed_out", "Example ID"]);
  });

  test("signed out, of the whole person → every session ends; again → unchanged", async () => {
    const { person, change } = await made();
    await storage().sessions.create(aSession(person));
    expect(await change("signed_out", { wholePerson: true })).toEqual({ kind: "changed", sessionsEnded: 1 });
    expect(await change("signed_out", { wholePerson: true })).toEqual({ kind: "unchanged", sessionsEnded: 0 });
    expect(await statusOf(person)).toBe("active");
  });

  test("pause → no session, no new one, no refresh, no code; enabled → the same token and the same account", async () => {
    const { person, change, key } = await made();
    const grant = await aLiveGrantOf(person);
    const fresh = aGrant(person);
    await storage().grants.approve(anApproval(fresh));
    const session = aSession(person);
    await storage().sessions.create(session);
    expect(await change("disabled")).toEqual({ kind: "changed", sessionsEnded: 1 });
    expect(await statusOf(person)).toBe("disabled");
    expect(await storage().sessions.isOpen(session)).toBe(false);
    expect(await storage().sessions.create(aSession(person))).toBeUndefined();
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "paused" });
    expect(await storage().grants.refresh(aRefresh(grant, { rotate: false }))).toEqual({
      kind: "ended",
      status: "paused",
    });
    expect((await storage().grants.redeem(aRedemption(fresh))).kind).toBe("unknown");
    expect((await storage().grants.approve(anApproval(aGrant(person)))).kind).toBe("no_consent");
    const found = { partition: grant.partition, grantId: grant.grantId, saltHash: null };
    expect(await storage().grants.find(found)).toMatchObject({ status: "active", pausedAt: NOW });
    expect(await storage().people.disabledBy(key)).toMatchObject([{ change: "disabled", grants: "paused", at: NOW }]);

    expect(await change("disabled")).toEqual({ kind: "unchanged", sessionsEnded: 0 });
    expect(await change("enabled")).toEqual({ kind: "changed", sessionsEnded: 0 });
    expect(await change("enabled")).toEqual({ kind: "unchanged", sessionsEnded: 0 });
    expect(await statusOf(person)).toBe("active");
    expect(await storage().people.disabledBy(key)).toEqual([]);
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
    expect((await storage().grants.redeem(aRedemption(fresh))).kind).toBe("redeemed");
    const history = await historyOf(person);
    expect(history).toContainEqual(["disabled", "Example ID"]);
    expect(history).toContainEqual(["enabled", "Example ID"]);
  });

  test("end, or deleted → the grants end for good, also paused ones; enabled → the account alone comes back", async () => {
    for (const step of ["end", "deleted", "paused, then deleted"] as const) {
      const { person, change } = await made();
      const grant = await aLiveGrantOf(person);
      if (step === "paused, then deleted") await change("disabled");
      const outcome = await (step === "end" ? change("disabled", { whenDisabled: "end" }) : change("deleted"));
      expect(outcome.kind, step).toBe("changed");
      expect(await storage().grants.refresh(aRefresh(grant)), step).toEqual({ kind: "ended", status: "owner_ended" });
      expect((await change("enabled")).kind).toBe("changed");
      expect(await statusOf(person)).toBe("active");
      expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("ended");
    }
  });

  test("an operator disabled the person → another system neither enables nor pauses", async () => {
    const { person, change, key } = await made();
    await storage().people.setStatus({ ...key, status: "disabled", now: NOW });
    for (const one of ["enabled", "disabled", "deleted", "enabled"] as const)
      expect((await change(one)).kind).toBe("unchanged");
    expect(await statusOf(person)).toBe("disabled");
  });

  test("paused, then disabled by an operator → the grants end, and another system can't enable", async () => {
    const { person, change, key } = await made();
    const grant = await aLiveGrantOf(person);
    await change("disabled");
    await storage().people.setStatus({ ...key, status: "disabled", now: NOW });
    expect((await change("enabled")).kind).toBe("unchanged");
    expect(await statusOf(person)).toBe("disabled");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("ended");
  });

  test("paused, then enabled by an operator → active, and the grants go on", async () => {
    const { person, change, key } = await made();
    const grant = await aLiveGrantOf(person);
    await change("disabled");
    await storage().people.setStatus({ ...key, status: "active", now: NOW });
    expect((await change("enabled")).kind).toBe("unchanged");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
    expect(await historyOf(person)).toContainEqual(["enabled", null]);
  });

  test("two systems disable the person → active only when both have enabled them", async () => {
    const { person, change, key } = await made();
    const other = { issuerId: `other-${anId()}`, claim: null, subject: anId() };
    await storage().subjectLinks.link({ ...key, subject: other, sole: false, madeBy: "operator", now: NOW });
    const grant = await aLiveGrantOf(person);
    await change("disabled");
    expect((await change("disabled", { subject: other, name: "Other" })).kind).toBe("changed");
    expect((await change("enabled")).kind).toBe("changed");
    expect(await statusOf(person)).toBe("disabled");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("ended");
    expect((await change("enabled", { subject: other })).kind).toBe("changed");
    expect(await statusOf(person)).toBe("active");
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
  });

  test("a paused grant is revoked by its owner's record or its app → it doesn't come back", async () => {
    const { person, change, key } = await made();
    const [first, second] = [await aLiveGrantOf(person), await aLiveGrantOf(person)];
    await change("disabled");
    const { partition, clientId } = first;
    await storage().consents.revoke({ partition, ownerId: key.personId, clientId, revokedBy: "operator", now: NOW });
    const { refreshSaltHash: saltHash } = aRefresh(second);
    const ended = { partition, grantId: second.grantId, saltHash, clientId: second.clientId, now: NOW };
    await storage().grants.end(ended);
    await change("enabled");
    for (const grant of [first, second]) expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("ended");
  });

  test("ten disabled and ten enabled at once, with refreshes → account and grant agree at the end", async () => {
    const { person, change, key } = await made();
    const grant = await aLiveGrantOf(person);
    const keep = aRefresh(grant, { rotate: false });
    await Promise.all(
      Array.from({ length: 10 }, () => [change("disabled"), storage().grants.refresh(keep), change("enabled")]).flat(),
    );
    const active = (await statusOf(person)) === "active";
    const refreshed = await storage().grants.refresh({ ...keep, now: NOW + DAY });
    expect(refreshed.kind).toBe(active ? "kept" : "ended");
    await change("enabled");
    expect((await storage().people.disabledBy(key)).length).toBe(0);
    expect((await storage().grants.refresh({ ...keep, now: NOW + DAY })).kind).toBe("kept");
  });

  test("refreshed in parallel with pausing → a token that came out before is the last, and none is lost", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { person, change } = await made();
      const grant = await aLiveGrantOf(person);
      const [outcome] = await Promise.all([storage().grants.refresh(aRefresh(grant)), change("disabled")]);
      expect(["rotated", "ended"]).toContain(outcome.kind);
      const generation = outcome.kind === "rotated" ? 2 : 1;
      const next = aRefresh(grant, { generation });
      expect(await storage().grants.refresh(next)).toEqual({ kind: "ended", status: "paused" });
      await change("enabled");
      expect((await storage().grants.refresh(next)).kind).toBe("rotated");
    }
  });

  test("a member of a company, paused → their grants there wait, others go on; enabled → they go on, too; end → they end", async () => {
    const { person, change } = await made();
    const { company, member } = await aStaffedCompany(storage());
    await join(storage(), company, person, "admin");
    const [theirs, others] = [
      await aLiveCompanyGrant(storage(), company, person),
      await aLiveCompanyGrant(storage(), company, member, { clientId: "client-2" }, {}).catch(() => undefined),
    ];
    const keep = (grant: NewGrant) => storage().grants.refresh(aRefresh(grant, { rotate: false }));
    await change("disabled");
    expect(await keep(theirs)).toEqual({ kind: "ended", status: "paused" });
    if (others !== undefined) expect((await keep(others)).kind).toBe("kept");
    const app = { ...company, clientId: theirs.clientId, ceiling: null, limit: 9, now: NOW };
    const pausedFor = async () =>
      (await storage().companyApps.listActing(app)).map(({ personId, paused }) => [personId, paused]);
    expect(await pausedFor()).toEqual([[person.personId, true]]);
    await change("enabled");
    expect(await pausedFor()).toEqual([[person.personId, false]]);
    expect((await keep(theirs)).kind).toBe("kept");
    await change("disabled", { whenDisabled: "end" });
    expect(await keep(theirs)).toEqual({ kind: "ended", status: "owner_ended" });
  });
});
