import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import {
  aDirectGrant,
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
} from "../support/record-builders.ts";

onEveryBackend("when an app was last used", (storage) => {
  type Key = { readonly partition: number; readonly ownerId: string; readonly clientId: string };

  /** The last use that the owner sees, and the one that the operator sees. */
  async function lastUse({ partition, ownerId, clientId }: Key, now = NOW) {
    const [shown] = await storage().consents.list({ partition, ownerId, now });
    const [told] = await storage().consents.listAll({ ownerId, clientId, limit: 1 });
    expect(told?.lastUsedAt).toBe(shown?.consent.lastUsedAt);
    return shown?.consent.lastUsedAt;
  }

  const introspected = ({ partition, grantId }: { partition: number; grantId: string }, now: number) =>
    storage().grants.recordIntrospection({ partition, grantId, now });

  test("allowed, or allowed again; a code without a page → never", async () => {
    const { person, grant } = await anApprovedGrant(storage());
    expect(await lastUse(grant)).toBe(null);
    await storage().grants.approve(anApproval(aGrant(person), { now: NOW + HOUR }));
    await storage().grants.issue({ grant: aGrant(person), now: NOW + HOUR });
    expect(await lastUse(grant)).toBe(null);
    expect(await storage().consents.find(grant)).toMatchObject({ lastUsedAt: null, uses: 3 });
  });

  test("the code redeemed, refreshed → then; another decision afterwards changes nothing", async () => {
    const { person, grant } = await aLiveGrant(storage());
    expect(await lastUse(grant)).toBe(NOW + SECOND);
    await storage().grants.refresh(aRefresh(grant, { now: NOW + 10 * MINUTE }));
    expect(await lastUse(grant)).toBe(NOW + 10 * MINUTE);
    await storage().grants.approve(anApproval(aGrant(person), { now: NOW + HOUR }));
    expect(await lastUse(grant)).toBe(NOW + 10 * MINUTE);
  });

  test("a token without a code → used at once", async () => {
    const person = await aStoredPerson(storage());
    const { grant } = aDirectGrant(person);
    await storage().grants.issueWithoutCode({ ...aDirectGrant(person), grant });
    expect(await lastUse(grant)).toBe(NOW);
  });

  test("the grant's last token has expired, or the app revoked it → still told", async () => {
    const { grant } = await aLiveGrant(storage(), { refreshable: false });
    expect(await lastUse(grant, NOW + 10 * HOUR)).toBe(NOW + SECOND);
    const other = await aLiveGrant(storage());
    const { partition, grantId, clientId } = other.grant;
    const saltHash = aRefresh(other.grant).refreshSaltHash;
    await storage().grants.end({ partition, grantId, saltHash, clientId, now: NOW + MINUTE });
    expect(await lastUse(other.grant)).toBe(NOW + SECOND);
  });

  test("an API asked about a token → then; again within a minute of any use → nothing is written", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await introspected(grant, NOW + 30 * SECOND)).toBe(false);
    expect(await introspected(grant, NOW + 2 * MINUTE)).toBe(true);
    expect(await lastUse(grant)).toBe(NOW + 2 * MINUTE);
    expect(await introspected(grant, NOW + 3 * MINUTE - 1)).toBe(false);
    expect(await introspected(grant, NOW + 3 * MINUTE)).toBe(true);
    expect(await lastUse(grant)).toBe(NOW + 3 * MINUTE);
    await storage().grants.refresh(aRefresh(grant, { now: NOW + 4 * MINUTE, rotate: false }));
    expect(await lastUse(grant)).toBe(NOW + 4 * MINUTE);
  });

  test("twenty processes at once → one of them writes", async () => {
    const { grant } = await aLiveGrant(storage());
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => introspected(grant, NOW + HOUR)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  test("introspected → a kept token's next refresh is recorded all the same, so it does not expire early", async () => {
    const { grant } = await aLiveGrant(storage());
    await introspected(grant, NOW + 10 * DAY);
    const at = NOW + 10 * DAY + SECOND;
    const { idleUntil } = aRefresh(grant, { rotate: false, now: at });
    expect(await storage().grants.refresh(aRefresh(grant, { rotate: false, now: at }))).toMatchObject({
      kind: "kept",
      grant: { idleUntil, lastUsedAt: at },
    });
  });

  test("revoked → the history says when it was used last; a grant that ended gets no record", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, ownerId, clientId } = grant;
    await introspected(grant, NOW + HOUR);
    const args = { partition, ownerId, clientId, revokedBy: ownerId, now: NOW + 2 * HOUR };
    expect(await storage().consents.revoke(args)).toMatchObject({ kind: "revoked", lastUsedAt: NOW + HOUR });
    expect(await introspected(grant, NOW + 3 * HOUR)).toBe(false);
    const again = aGrant(person);
    await storage().grants.approve(anApproval(again, { now: NOW + 4 * HOUR }));
    expect(await storage().consents.revoke({ ...args, now: NOW + 5 * HOUR })).toMatchObject({ lastUsedAt: null });
  });

  test("revoked and allowed again → never used since, also after the old grants are deleted", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, ownerId, clientId } = grant;
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW + HOUR });
    const again = aGrant(person);
    await storage().grants.approve(anApproval(again, { now: NOW + 2 * HOUR }));
    expect(await lastUse(again)).toBe(null);
    await storage().housekeeping.collectGarbage({ now: NOW + 10 * DAY, limit: 1000 });
    expect(await lastUse(again)).toBe(null);
  });

  test("its grants are deleted, or end with a new password → the consent keeps the time of an introspection", async () => {
    const { grant } = await aLiveGrant(storage(), { refreshable: false });
    await introspected(grant, NOW + 5 * MINUTE);
    await storage().housekeeping.collectGarbage({ now: NOW + 10 * DAY, limit: 1000 });
    expect(await lastUse(grant)).toBe(NOW + 5 * MINUTE);
    const other = await aLiveGrant(storage());
    await introspected(other.grant, NOW + 5 * MINUTE);
    await storage().people.setStatus({ ...other.person, status: "disabled", now: NOW + HOUR });
    expect(await storage().consents.find(other.grant)).toMatchObject({ lastUsedAt: NOW + 5 * MINUTE });
  });

  test("an owner's list of connections → each with the last time that an API asked", async () => {
    const { grant } = await aLiveGrant(storage());
    const { partition, ownerId } = grant;
    const list = async () => (await storage().consents.list({ partition, ownerId, now: NOW }))[0]?.grants;
    expect(await list()).toMatchObject([{ lastUsedAt: NOW + SECOND, introspectedAt: null }]);
    await introspected(grant, NOW + HOUR);
    expect(await list()).toMatchObject([{ lastUsedAt: NOW + SECOND, introspectedAt: NOW + HOUR }]);
  });

  test("redeemed while the owner allows again → the use stays", async () => {
    const { person, grant } = await anApprovedGrant(storage());
    await Promise.all([
      storage().grants.redeem(aRedemption(grant)),
      storage().grants.approve(anApproval(aGrant(person), { now: NOW + SECOND })),
    ]);
    expect(await lastUse(grant)).toBe(NOW + SECOND);
  });
});
