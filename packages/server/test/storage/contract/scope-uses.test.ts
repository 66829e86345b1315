import { expect, test } from "vitest";
import { NEVER } from "../../../src/oauth/model.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aGrant, aLiveGrant, anApproval, aRefresh, MINUTE, NOW, SECOND, statusOf } from "../support/record-builders.ts";

onEveryBackend("what an app used", (storage) => {
  const network = "203.0.113.0/24";

  test("redeemed, refreshed for less → not for all of it; where from is known", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await statusOf(storage(), grant)).toMatchObject({ wholeUsedAt: null, usedFrom: null });
    await storage().grants.refresh(aRefresh(grant, { rotate: false, now: NOW + 6 * MINUTE, network }));
    expect(await statusOf(storage(), grant)).toMatchObject({ wholeUsedAt: null, usedFrom: network });
  });

  test("a kept token, for all, a moment after one for less → written all the same; then not for a minute", async () => {
    const { grant } = await aLiveGrant(storage());
    const refresh = (now: number, whole: boolean) =>
      storage().grants.refresh(aRefresh(grant, { rotate: false, now, whole, network }));
    await refresh(NOW + 6 * MINUTE, false);
    await refresh(NOW + 6 * MINUTE + SECOND, true);
    expect(await statusOf(storage(), grant)).toMatchObject({ wholeUsedAt: NOW + 6 * MINUTE + SECOND });
    await refresh(NOW + 7 * MINUTE, true);
    await refresh(NOW + 7 * MINUTE, false);
    expect(await statusOf(storage(), grant)).toMatchObject({
      wholeUsedAt: NOW + 6 * MINUTE + SECOND,
      lastUsedAt: NOW + 6 * MINUTE + SECOND,
    });
    await refresh(NOW + 13 * MINUTE, true);
    expect(await statusOf(storage(), grant)).toMatchObject({ wholeUsedAt: NOW + 13 * MINUTE });
  });

  test("a retry, or a theft → no use", async () => {
    const { grant } = await aLiveGrant(storage());
    const refresh = (now: number, from: string) =>
      storage().grants.refresh(aRefresh(grant, { now, whole: true, network: from }));
    expect((await refresh(NOW + MINUTE, network)).kind).toBe("rotated");
    expect((await refresh(NOW + MINUTE + 5000, "198.51.100.0/24")).kind).toBe("retried");
    expect((await refresh(NOW + 10 * MINUTE, "198.51.100.0/24")).kind).toBe("theft");
    expect(await statusOf(storage(), grant)).toMatchObject({ wholeUsedAt: NOW + MINUTE, usedFrom: network });
  });

  test("last issues → by app, API and kind of grant; ended ones too, those of before and other owners' not; of one person alone", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, ownerId, clientId } = grant;
    const issues = (since: number, personId: string | null = null) =>
      storage().consents.lastIssues({ partition, ownerId, personId, since, restoredAt: 0 });
    expect(await issues(NOW + 1000)).toEqual([]);
    const { refreshable, audience } = grant;
    const made = { clientId, audience, refreshable };
    expect(await issues(NOW)).toEqual([{ ...made, lastUsedAt: NOW + 1000, openUntil: NEVER }]);
    await storage().grants.refresh(aRefresh(grant, { now: NOW + MINUTE, network }));
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW + 2 * MINUTE });
    expect(await issues(NOW)).toEqual([{ ...made, lastUsedAt: NOW + MINUTE, openUntil: NOW + 2 * MINUTE }]);
    expect([await issues(NOW, person.personId), await issues(NOW, ownerId.replace(/.$/, "_"))]).toMatchObject([
      [{ lastUsedAt: NOW + MINUTE }],
      [],
    ]);
    expect(await storage().consents.find({ partition, ownerId, clientId })).toMatchObject({
      status: "active",
      lastUsedAt: NOW + MINUTE,
    });
    const other = await aLiveGrant(storage());
    expect(
      await storage().consents.lastIssues({ ...other.grant, personId: null, since: NOW - 1, restoredAt: 0 }),
    ).toHaveLength(1);
  });

  test("single scopes → the last time of each, of this owner alone; gone with the consent, and with the owner", async () => {
    const { person, grant } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    const { partition, ownerId, clientId } = grant;
    const record = (scopes: string[], now: number) =>
      storage().scopeUses.record({ partition, ownerId, clientId, scopes, now });
    const list = () => storage().scopeUses.list({ partition, ownerId });
    await record(["read", "write"], NOW);
    await record(["read"], NOW + MINUTE);
    expect([...(await list())].sort((a, b) => a.lastUsedAt - b.lastUsedAt)).toEqual([
      { clientId, scope: "write", lastUsedAt: NOW },
      { clientId, scope: "read", lastUsedAt: NOW + MINUTE },
    ]);
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    expect(await list()).toEqual([]);
    await storage().grants.approve(anApproval(aGrant(person, { clientId })));
    await record(["read"], NOW);
    await storage().people.delete({ ...person, now: NOW });
    expect(await list()).toEqual([]);
  });

  test("noted behind the consent's end, or the owner's → not noted", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, ownerId, clientId } = grant;
    const list = () => storage().scopeUses.list({ partition, ownerId });
    const record = () => storage().scopeUses.record({ partition, ownerId, clientId, scopes: ["read"], now: NOW });
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    await record();
    await storage().grants.approve(anApproval(aGrant(person, { clientId })));
    expect(await list()).toEqual([]);
    await storage().people.delete({ ...person, now: NOW });
    await record();
    expect(await list()).toEqual([]);
  });

  test("noted twenty times while the owner is deleted, ten rounds → nothing is left", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { person, grant } = await aLiveGrant(storage());
      const { partition, ownerId, clientId } = grant;
      const record = () => storage().scopeUses.record({ partition, ownerId, clientId, scopes: ["read"], now: NOW });
      const calls = Array.from({ length: 20 }, record);
      await Promise.all([...calls, storage().people.delete({ ...person, now: NOW })]);
      expect(await storage().scopeUses.list({ partition, ownerId })).toEqual([]);
    }
  });
});
