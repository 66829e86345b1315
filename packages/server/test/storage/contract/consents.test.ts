import { describe, expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Approve, Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aPerson,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

const FOREVER = { name: "read", expiresAt: null };

onEveryBackend("a code without a page", (storage) => {
  const issue = (grant: NewGrant, now = NOW) => storage().grants.issue({ grant, now });
  const consented = (approval: Partial<Omit<Approve, "grant">> = {}, changes: Partial<NewGrant> = {}) =>
    anApprovedGrant(storage(), changes, approval);

  test("for an owner who isn't there → no_consent", async () => {
    expect(await issue(aGrant(aPerson()))).toEqual({ kind: "no_consent" });
  });

  test("without a consent → no_consent, and no row", async () => {
    const grant = aGrant(await aStoredPerson(storage()));
    expect(await issue(grant)).toEqual({ kind: "no_consent" });
    expect(await statusOf(storage(), grant)).toBeUndefined();
  });

  test("with a consent to another client → no_consent", async () => {
    const { person } = await consented();
    expect(await issue(aGrant(person, { clientId: "client-2" }))).toEqual({ kind: "no_consent" });
  });

  test("with a revoked consent → no_consent", async () => {
    const { person, grant } = await consented();
    await storage().consents.revoke({ ...grant, revokedBy: person.personId, now: NOW });
    expect(await issue(aGrant(person))).toEqual({ kind: "no_consent" });
  });

  test("with a scope that isn't consented, or with none → no_consent", async () => {
    const { person } = await consented();
    expect(await issue(aGrant(person, { scopes: ["read", "write"] }))).toEqual({ kind: "no_consent" });
    expect(await issue(aGrant(person, { scopes: [] }))).toEqual({ kind: "no_consent" });
  });

  test("with less than 30 s left of a scope → no_consent; with 30 s → issued", async () => {
    const { person } = await consented({ duration: 60 });
    expect(await issue(aGrant(person), NOW + 30 * SECOND + 1)).toEqual({ kind: "no_consent" });
    expect((await issue(aGrant(person), NOW + 30 * SECOND)).kind).toBe("issued");
  });

  test("after a `once` → no_consent: it stands for nothing", async () => {
    const { person } = await consented({ duration: "once" });
    expect(await issue(aGrant(person))).toEqual({ kind: "no_consent" });
  });

  test("of a disabled owner → no_consent", async () => {
    const { person } = await consented();
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(await issue(aGrant(person))).toEqual({ kind: "no_consent" });
  });

  test("all right → issued with the consent's ends, and the consent counts it; the code was not redeemed, so nothing was used", async () => {
    const { person } = await consented({ duration: 3600 });
    const grant = aGrant(person);
    expect(await issue(grant, NOW + MINUTE)).toEqual({
      kind: "issued",
      scopes: [{ name: "read", expiresAt: NOW + HOUR }],
    });
    expect(await statusOf(storage(), grant)).toMatchObject({
      generation: 0,
      absoluteUntil: NOW + HOUR,
      createdAt: NOW + MINUTE,
    });
    expect(await storage().consents.find({ ...grant })).toMatchObject({
      uses: 2,
      lastUsedAt: null,
    });
  });

  test("the same again → repeated; once spent → spent; neither counts as a use", async () => {
    const { person } = await consented();
    const grant = aGrant(person);
    await issue(grant);
    expect(await issue(grant)).toEqual({ kind: "repeated", scopes: [FOREVER] });
    await storage().grants.redeem(aRedemption(grant));
    expect(await issue(grant)).toEqual({ kind: "spent" });
    expect(await storage().consents.find({ ...grant })).toMatchObject({ uses: 2 });
  });

  test("the same id, but another code, or the code expired → spent", async () => {
    const { person } = await consented();
    const grant = aGrant(person);
    await issue(grant);
    expect(await issue({ ...grant, codeSaltHash: aHash() })).toEqual({ kind: "spent" });
    expect(await issue(grant, grant.codeUntil)).toEqual({ kind: "spent" });
  });

  describe("born redeemed, without a code", () => {
    const codeless = (person: Person, changes: Partial<NewGrant> = {}) =>
      aGrant(person, {
        ...{ refreshable: false, codeSaltHash: new Uint8Array(), codeChallenge: null, codeChallengeMethod: null },
        ...{ accessUntil: NOW + 6 * MINUTE, ...changes },
      });

    test("→ at generation 1 from the first moment, used once, until its token has ended or its consent has", async () => {
      const { person } = await consented({ duration: 3600 });
      const grant = codeless(person);
      expect((await issue(grant)).kind).toBe("issued");
      const row = { generation: 1, uses: 1, lastUsedAt: NOW, refreshable: false, status: "active" };
      expect(await statusOf(storage(), grant)).toMatchObject({ ...row, absoluteUntil: NOW + 6 * MINUTE });
      const later = codeless(person, { accessUntil: NOW + 2 * HOUR });
      await issue(later);
      expect(await statusOf(storage(), later)).toMatchObject({ ...row, absoluteUntil: NOW + HOUR });
    });

    test("by a page → likewise; no code redeems it, and it refreshes nothing", async () => {
      const person = await aStoredPerson(storage());
      const grant = codeless(person);
      expect((await storage().grants.approve(anApproval(grant))).kind).toBe("issued");
      const redemption = aRedemption(grant, { codeSaltHash: aHash(), s256: null, plain: null });
      expect(await storage().grants.redeem(redemption)).toEqual({ kind: "unknown" });
      expect((await storage().grants.refresh(aRefresh(grant, { generation: 1 }))).kind).toBe("unknown");
    });

    test("the same again within its minute → repeated, once counted; later, or after the consent ended → spent, no_consent", async () => {
      const { person } = await consented();
      const grant = codeless(person);
      await issue(grant);
      expect((await issue(grant, NOW + MINUTE - 1)).kind).toBe("repeated");
      expect(await storage().consents.find({ ...grant })).toMatchObject({ uses: 2 });
      expect((await issue(grant, NOW + MINUTE)).kind).toBe("spent");
      await storage().consents.revoke({ ...grant, revokedBy: person.personId, now: NOW });
      expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
      expect((await issue(grant)).kind).toBe("no_consent");
    });

    test("on the owner's page while its token lives, and not longer", async () => {
      const { person } = await consented();
      await issue(codeless(person));
      const shown = async (now: number) =>
        (await storage().consents.list({ ...grantKey(person), now })).map(
          ({ grants }) => grants.filter(({ generation }) => generation === 1).length,
        );
      expect(await shown(NOW + 6 * MINUTE - 1)).toEqual([1]);
      expect(await shown(NOW + 6 * MINUTE)).toEqual([0]);
    });
  });

  test("the 51st live grant of an (owner, client) ends the one unused longest; other clients' don't count", async () => {
    const person = await aStoredPerson(storage());
    const grants: NewGrant[] = [];
    for (let at = 0; at < 50; at += 1) {
      const grant = aGrant(person);
      await storage().grants.approve(anApproval(grant, { now: NOW - HOUR + at }));
      grants.push(grant);
    }
    await storage().grants.approve(anApproval(aGrant(person, { clientId: "client-2" })));
    const [oldest, second] = grants;
    if (oldest === undefined || second === undefined) throw new Error("no grants");
    // The oldest grant was used again, so the second one is now the longest unused.
    await storage().grants.redeem(aRedemption(oldest));
    const newest = aGrant(person);
    expect((await issue(newest)).kind).toBe("issued");
    expect(await statusOf(storage(), second)).toMatchObject({ status: "superseded", endedAt: NOW });
    expect(await statusOf(storage(), oldest)).toMatchObject({ status: "active" });
    expect(await statusOf(storage(), newest)).toMatchObject({ status: "active" });
    const listed = await storage().consents.list({ ...grantKey(person), now: NOW });
    expect(listed.find(({ consent }) => consent.clientId === "client-1")?.grants).toHaveLength(50);
  });
});

function grantKey(person: Person) {
  return { partition: person.partition, ownerId: person.personId, clientId: "client-1" };
}

onEveryBackend("approving", (storage) => {
  const approve = (grant: NewGrant, changes: Partial<Omit<Approve, "grant">> = {}) =>
    storage().grants.approve(anApproval(grant, changes));

  test("by an owner who isn't there, or is disabled → no_consent, nothing recorded", async () => {
    expect(await approve(aGrant(aPerson()))).toEqual({ kind: "no_consent" });
    const person = await aStoredPerson(storage());
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(await approve(aGrant(person))).toEqual({ kind: "no_consent" });
    expect(await storage().consents.find(grantKey(person))).toBeUndefined();
  });

  test("no scope at all → no_consent", async () => {
    const person = await aStoredPerson(storage());
    expect(await approve(aGrant(person, { scopes: [] }))).toEqual({ kind: "no_consent" });
  });

  test("for the first time → the grant and a record of what was seen and decided", async () => {
    const person = await aStoredPerson(storage());
    const grant = aGrant(person, { scopes: ["read", "write"] });
    const expiresAt = NOW + HOUR;
    const scopes = [
      { name: "read", expiresAt },
      { name: "write", expiresAt },
    ];
    expect(await approve(grant, { duration: 3600, via: "browser" })).toEqual({ kind: "issued", scopes });
    expect(await storage().consents.find(grantKey(person))).toEqual({
      ...grantKey(person),
      status: "active",
      grantedBy: person.personId,
      via: "browser",
      scopes: scopes.map((scope) => ({ ...scope, grantedAt: NOW, decidedAt: NOW, hosts: ["https://app.example"] })),
      removed: [],
      declined: [],
      chosenAt: NOW,
      createdAt: NOW,
      updatedAt: NOW,
      expiresAt,
      lastUsedAt: null,
      lastUsedAddress: null,
      uses: 1,
      revokedAt: null,
      revokedBy: null,
      pausedAt: null,
      shown: { locale: "en", clientName: "Photo Printer", logo: null },
    });
    expect(await statusOf(storage(), grant)).toMatchObject({ scopes, absoluteUntil: expiresAt, generation: 0 });
  });

  test("twice by a double click → repeated, and the record is as the first click left it", async () => {
    const person = await aStoredPerson(storage());
    const grant = aGrant(person);
    await approve(grant);
    expect(await approve(grant, { duration: 60, declined: ["read"], now: NOW + SECOND })).toEqual({
      kind: "repeated",
      scopes: [FOREVER],
    });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ uses: 1, updatedAt: NOW, expiresAt: null });
    await storage().grants.redeem(aRedemption(grant));
    expect(await approve(grant)).toEqual({ kind: "spent" });
  });

  test("the same form, posted after the consent was revoked → spent, and it stays revoked", async () => {
    const { person, grant } = await anApprovedGrant(storage());
    await storage().consents.revoke({ ...grant, revokedBy: person.personId, now: NOW });
    expect(await approve(grant)).toEqual({ kind: "spent" });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({ status: "revoked" });
  });

  test("a further scope → the record holds both, the older grant only its own", async () => {
    const { person, grant } = await aLiveGrant(storage());
    await approve(aGrant(person, { scopes: ["write"] }), { duration: 3600 });
    expect((await storage().consents.find(grantKey(person)))?.scopes.map(({ name }) => name)).toEqual([
      "read",
      "write",
    ]);
    expect(await statusOf(storage(), grant)).toMatchObject({ scopes: [FOREVER] });
  });

  test("more, for shorter or for longer → what was granted before ends as before, in older grants and in the new one", async () => {
    const { person, grant } = await aLiveGrant(storage(), {}, { duration: 7 * 86_400 });
    for (const duration of [3600, 90 * 86_400, "forever"] as const) {
      const both = aGrant(person, { scopes: ["read", "write"] });
      const outcome = await approve(both, { duration });
      expect(outcome).toMatchObject({ kind: "issued", scopes: [{ name: "read", expiresAt: NOW + 7 * DAY }, {}] });
      expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: NOW + 7 * DAY, decidedAt: NOW });
      expect((await storage().consents.find(grantKey(person)))?.scopes).toMatchObject([
        { name: "read", expiresAt: NOW + 7 * DAY },
        // `write` keeps the end of its first consent.
        { name: "write", expiresAt: NOW + HOUR },
      ]);
    }
  });

  test("what was granted before, and something new for this once → a grant that goes on with what was there", async () => {
    const { person } = await aLiveGrant(storage(), {}, { duration: 7 * 86_400 });
    const both = aGrant(person, { scopes: ["read", "write"] });
    await approve(both, { duration: "once" });
    expect(await statusOf(storage(), both)).toMatchObject({ refreshable: true, absoluteUntil: NOW + 7 * DAY });
    expect((await storage().consents.find(grantKey(person)))?.scopes).toMatchObject([{ name: "read" }]);
  });

  test("another end for the same scope, shorter → older grants end sooner; longer → later", async () => {
    const { person, grant } = await aLiveGrant(storage(), {}, { duration: 7 * 86_400 });
    await approve(aGrant(person), { durations: { read: 3600 } });
    expect(await statusOf(storage(), grant)).toMatchObject({
      scopes: [{ name: "read", expiresAt: NOW + HOUR }],
      absoluteUntil: NOW + HOUR,
      idleUntil: NOW + HOUR,
    });
    await approve(aGrant(person), { durations: { read: 30 * 86_400 } });
    expect(await statusOf(storage(), grant)).toMatchObject({
      absoluteUntil: NOW + 30 * DAY,
      idleUntil: NOW + 30 * DAY,
    });
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + 10 * DAY }))).kind).toBe("rotated");
  });

  test("an extension doesn't lengthen a grant without refresh tokens", async () => {
    const { person, grant } = await aLiveGrant(storage(), { refreshable: false }, { duration: 3600 });
    const before = await statusOf(storage(), grant);
    await approve(aGrant(person), { durations: { read: "forever" } });
    expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: before?.absoluteUntil });
  });

  test("after a revocation → the record starts anew, old scopes gone", async () => {
    const { person, grant } = await anApprovedGrant(storage(), { scopes: ["read", "write"] });
    await storage().consents.revoke({ ...grant, revokedBy: person.personId, now: NOW + MINUTE });
    await approve(aGrant(person), { now: NOW + HOUR, duration: 3600 });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({
      status: "active",
      scopes: [{ name: "read", expiresAt: NOW + 2 * HOUR, grantedAt: NOW + HOUR }],
      createdAt: NOW + HOUR,
      uses: 1,
      revokedAt: null,
      revokedBy: null,
    });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
  });

  test("what is declined leaves the record and the live grants; a grant left with nothing ends", async () => {
    const { person, grant } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    const onlyWrite = aGrant(person, { scopes: ["write"] });
    await approve(onlyWrite);
    await approve(aGrant(person, { scopes: ["read"] }), { declined: ["write"], now: NOW + 2 * SECOND });
    expect((await storage().consents.find(grantKey(person)))?.scopes.map(({ name }) => name)).toEqual(["read"]);
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", scopes: [FOREVER] });
    expect(await statusOf(storage(), onlyWrite)).toMatchObject({
      status: "revoked",
      scopes: [],
      endedAt: NOW + 2 * SECOND,
    });
  });

  test("once → only this grant, without refresh tokens, to its end; the record says until when", async () => {
    const person = await aStoredPerson(storage());
    const grant = aGrant(person);
    const onceUntil = NOW + 11 * MINUTE;
    expect(await approve(grant, { duration: "once", onceUntil })).toEqual({
      kind: "issued",
      scopes: [{ name: "read", expiresAt: onceUntil }],
    });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({
      status: "active",
      scopes: [],
      expiresAt: onceUntil,
    });
    const outcome = await storage().grants.redeem(aRedemption(grant));
    expect(outcome).toMatchObject({
      kind: "redeemed",
      grant: { refreshable: false, absoluteUntil: NOW + 10 * MINUTE + SECOND },
    });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "not_refreshable" });
  });

  test("once, then revoked → the history names the scope, which was in the grant alone", async () => {
    const { person } = await aLiveGrant(storage(), {}, { duration: 3600 });
    const more = aGrant(person, { scopes: ["read", "write"] });
    await approve(more, { durations: { write: "once" }, duration: 3600 });
    await storage().grants.redeem(aRedemption(more));
    await storage().consents.revoke({ ...grantKey(person), revokedBy: person.personId, now: NOW + MINUTE });
    const { partition, personId: ownerId } = person;
    const [entry] = await storage().history.list({ partition, ownerId, before: null, limit: 1 });
    expect([entry?.kind, entry?.record.removed]).toEqual(["revoked", ["read", "write"]]);
  });

  test("once beside a standing consent → the standing scopes and other grants stay as they were", async () => {
    const { person, grant } = await aLiveGrant(storage(), {}, { duration: 3600 });
    await approve(aGrant(person), { duration: "once" });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({
      scopes: [{ name: "read", expiresAt: NOW + HOUR, grantedAt: NOW }],
      expiresAt: NOW + HOUR,
    });
    expect(await statusOf(storage(), grant)).toMatchObject({ absoluteUntil: NOW + HOUR });
  });
});

onEveryBackend("revoking a consent", (storage) => {
  test("that isn't there, or is revoked already → unknown", async () => {
    const { person, grant } = await anApprovedGrant(storage());
    const args = { ...grantKey(person), revokedBy: person.personId, now: NOW + 2 * SECOND };
    expect(await storage().consents.revoke({ ...args, clientId: "client-2" })).toEqual({ kind: "unknown" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
    await storage().consents.revoke(args);
    expect(await storage().consents.revoke(args)).toEqual({ kind: "unknown" });
  });

  test("→ every grant under it ends, codes too; other clients' and other owners' live on", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const code = aGrant(person);
    await storage().grants.issue({ grant: code, now: NOW });
    const elsewhere = aGrant(person, { clientId: "client-2" });
    await storage().grants.approve(anApproval(elsewhere));
    const stranger = await aLiveGrant(storage());
    const args = { ...grantKey(person), revokedBy: person.personId, now: NOW + 2 * SECOND };
    expect(await storage().consents.revoke(args)).toMatchObject({
      kind: "revoked",
      grantsEnded: 2,
      lastUsedAt: NOW + SECOND,
    });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({
      status: "revoked",
      revokedAt: NOW + 2 * SECOND,
      revokedBy: person.personId,
    });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "revoked" });
    expect(await storage().grants.redeem(aRedemption(code))).toEqual({ kind: "unknown" });
    expect(await statusOf(storage(), elsewhere)).toMatchObject({ status: "active" });
    expect(await statusOf(storage(), stranger.grant)).toMatchObject({ status: "active" });
  });
});

onEveryBackend("narrowing a consent", (storage) => {
  const narrow = (person: Person, remove: readonly string[]) =>
    storage().consents.narrow({ ...grantKey(person), remove, by: person.personId, now: NOW + 2 * SECOND });

  test("that isn't there → unknown", async () => {
    expect(await narrow(await aStoredPerson(storage()), ["read"])).toEqual({ kind: "unknown" });
  });

  test("by a scope it doesn't have → narrowed, as before", async () => {
    const { person, grant } = await aLiveGrant(storage());
    expect(await narrow(person, ["write"])).toMatchObject({ kind: "narrowed", left: 1 });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", scopes: [FOREVER] });
  });

  test("by one of two scopes → the grant lives on with less, one that had only this ends", async () => {
    const { person, grant } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    const onlyWrite = aGrant(person, { scopes: ["write"] });
    await storage().grants.issue({ grant: onlyWrite, now: NOW });
    expect(await narrow(person, ["write"])).toMatchObject({ kind: "narrowed", left: 1 });
    expect(await storage().grants.refresh(aRefresh(grant))).toMatchObject({
      kind: "rotated",
      grant: { scopes: [FOREVER] },
    });
    expect(await statusOf(storage(), onlyWrite)).toMatchObject({ status: "revoked" });
    expect(await storage().grants.issue({ grant: aGrant(person, { scopes: ["write"] }), now: NOW })).toEqual({
      kind: "no_consent",
    });
  });

  test("by everything → revoked, grants and all", async () => {
    const { person, grant } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    expect(await narrow(person, ["read", "write"])).toMatchObject({ kind: "revoked" });
    expect(await storage().consents.find(grantKey(person))).toMatchObject({
      status: "revoked",
      revokedBy: person.personId,
    });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
  });

  test("of what a `once` alone holds → that grant ends, too", async () => {
    const { person, grant } = await anApprovedGrant(storage(), {}, { duration: "once" });
    expect(await narrow(person, ["read"])).toMatchObject({ kind: "revoked" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
  });
});
