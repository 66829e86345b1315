import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import {
  aHash,
  aLiveGrant,
  anApprovedGrant,
  anId,
  aRedemption,
  aRefresh,
  DAY,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

onEveryBackend("refreshing a grant", (storage) => {
  test.each([
    ["of a grant that doesn't exist", { grantId: anId(1) }],
    ["with another salt", { refreshSaltHash: aHash() }],
    ["of generation 0, which is a code's", { generation: 0 }],
  ])("%s → unknown, untouched", async (_, wrong) => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.refresh(aRefresh(grant, wrong))).toEqual({ kind: "unknown" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", generation: 1, uses: 1 });
  });

  test("before its code was redeemed → unknown", async () => {
    const { grant } = await anApprovedGrant(storage());
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "unknown" });
  });

  test("that gives no refresh tokens any more → not_refreshable", async () => {
    const { grant } = await aLiveGrant(storage(), { refreshable: false });
    for (const rotate of [true, false])
      expect(await storage().grants.refresh(aRefresh(grant, { rotate }))).toEqual({ kind: "not_refreshable" });
  });

  test.each([true, false])(
    "by another client (rotate: %s) → other_client, untouched, whatever the generation",
    async (rotate) => {
      const { grant } = await aLiveGrant(storage());
      await storage().grants.refresh(aRefresh(grant));
      await storage().grants.refresh(aRefresh(grant, { generation: 2 }));
      const outcome = await storage().grants.refresh(aRefresh(grant, { clientId: "client-2", rotate }));
      expect(outcome).toEqual({ kind: "other_client", clientId: "client-1" });
      expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", generation: 3 });
    },
  );

  test.each([true, false])("with a token newer than the row (rotate: %s) → ahead, untouched", async (rotate) => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.refresh(aRefresh(grant, { generation: 2, rotate }))).toEqual({ kind: "ahead" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", generation: 1 });
  });

  test("idle for too long → ended as expired, whatever the generation, and never theft", async () => {
    const { grant } = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(grant));
    await storage().grants.refresh(aRefresh(grant, { generation: 2 }));
    for (const generation of [1, 2, 3, 4]) {
      for (const rotate of [true, false]) {
        const late = aRefresh(grant, { generation, rotate, now: NOW + MINUTE + 90 * DAY });
        expect(await storage().grants.refresh(late)).toEqual({ kind: "ended", status: "expired" });
      }
    }
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", endedAt: null });
  });

  test("after its consent's end → ended as expired", async () => {
    const { grant } = await aLiveGrant(storage(), {}, { duration: 3600 });
    expect((await storage().grants.refresh(aRefresh(grant, { now: NOW + 3600 * SECOND - 1 }))).kind).toBe("rotated");
    const late = aRefresh(grant, { generation: 2, now: NOW + 3600 * SECOND });
    expect(await storage().grants.refresh(late)).toEqual({ kind: "ended", status: "expired" });
  });

  test("for several APIs with none named → needs_resource with the grant, untouched, whatever the generation", async () => {
    const { grant } = await anApprovedGrant(storage(), { audience: null });
    await storage().grants.redeem(aRedemption(grant, { resourceNamed: true }));
    await storage().grants.refresh(aRefresh(grant, { resourceNamed: true }));
    await storage().grants.refresh(aRefresh(grant, { generation: 2, resourceNamed: true }));
    for (const generation of [1, 2, 3, 4]) {
      for (const rotate of [true, false]) {
        const outcome = await storage().grants.refresh(aRefresh(grant, { generation, rotate }));
        expect(outcome).toMatchObject({ kind: "needs_resource", grant: { generation: 3, status: "active" } });
      }
    }
  });

  test("rotate: the live token → rotated, in use, idle from now", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.refresh(aRefresh(grant))).toMatchObject({
      kind: "rotated",
      grant: {
        generation: 2,
        rotatedAt: NOW + MINUTE,
        retries: 0,
        uses: 2,
        lastUsedAt: NOW + MINUTE,
        idleUntil: NOW + MINUTE + 90 * DAY,
      },
    });
  });

  test("rotate: idle never reaches beyond the consent", async () => {
    const { grant } = await aLiveGrant(storage(), {}, { duration: 3600 });
    expect(await storage().grants.refresh(aRefresh(grant))).toMatchObject({
      grant: { idleUntil: NOW + 3600 * SECOND },
    });
  });

  test("keep: the live token → kept, the same generation", async () => {
    const { grant } = await aLiveGrant(storage());
    const outcome = await storage().grants.refresh(aRefresh(grant, { rotate: false }));
    expect(outcome).toMatchObject({ kind: "kept", grant: { generation: 1, rotatedAt: null } });
  });

  test("keep: a use is recorded once a minute only", async () => {
    const { grant } = await aLiveGrant(storage());
    const at = async (now: number) => {
      await storage().grants.refresh(aRefresh(grant, { rotate: false, now }));
      return statusOf(storage(), grant);
    };
    const redeemedAt = NOW + SECOND;
    expect(await at(redeemedAt + MINUTE - 1)).toMatchObject({ lastUsedAt: redeemedAt, uses: 1 });
    expect(await at(redeemedAt + MINUTE)).toMatchObject({
      lastUsedAt: redeemedAt + MINUTE,
      uses: 2,
      idleUntil: redeemedAt + MINUTE + 90 * DAY,
    });
    expect(await at(redeemedAt + 2 * MINUTE - 1)).toMatchObject({ lastUsedAt: redeemedAt + MINUTE, uses: 2 });
  });

  test.each([true, false])(
    "the token before, within the window (rotate: %s) → retried, three times, then theft",
    async (rotate) => {
      const { grant } = await aLiveGrant(storage());
      await storage().grants.refresh(aRefresh(grant));
      const again = aRefresh(grant, { now: NOW + MINUTE + 30 * SECOND, rotate });
      for (const retries of [1, 2, 3]) {
        expect(await storage().grants.refresh(again)).toMatchObject({
          kind: "retried",
          grant: { generation: 2, retries },
        });
      }
      expect(await storage().grants.refresh(again)).toMatchObject({
        kind: "theft",
        grant: { status: "theft", generation: 2, endedAt: NOW + MINUTE + 30 * SECOND },
      });
      expect(await storage().grants.refresh(aRefresh(grant, { generation: 2 }))).toEqual({
        kind: "ended",
        status: "theft",
      });
    },
  );

  test.each([true, false])("the token before, a moment after the window (rotate: %s) → theft", async (rotate) => {
    const { grant } = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(grant));
    const late = aRefresh(grant, { now: NOW + MINUTE + 30 * SECOND + 1, rotate });
    expect((await storage().grants.refresh(late)).kind).toBe("theft");
  });

  test.each([true, false])("a token two steps behind, at once (rotate: %s) → theft", async (rotate) => {
    const { grant } = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(grant));
    await storage().grants.refresh(aRefresh(grant, { generation: 2 }));
    expect((await storage().grants.refresh(aRefresh(grant, { rotate }))).kind).toBe("theft");
  });

  test("the next rotation forgives the retries", async () => {
    const { grant } = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(grant));
    await storage().grants.refresh(aRefresh(grant));
    expect(await storage().grants.refresh(aRefresh(grant, { generation: 2 }))).toMatchObject({
      kind: "rotated",
      grant: { retries: 0 },
    });
    expect(await storage().grants.refresh(aRefresh(grant, { generation: 2 }))).toMatchObject({
      kind: "retried",
      grant: { retries: 1 },
    });
  });
});

onEveryBackend("finding and ending a grant", (storage) => {
  test("found by its code's salt, its refresh tokens' salt, or by id alone; by no other", async () => {
    const { grant } = await aLiveGrant(storage());
    const { partition, grantId } = grant;
    const by = async (saltHash: Uint8Array | null) =>
      (await storage().grants.find({ partition, grantId, saltHash }))?.grantId;
    expect(await by(aHash())).toBeUndefined();
    expect(await storage().grants.find({ partition, grantId: anId(partition), saltHash: null })).toBeUndefined();
    expect(await by(null)).toBe(grantId);
    expect(await by(grant.codeSaltHash)).toBe(grantId);
    expect(await by(aHash(`refresh ${grantId}`))).toBe(grantId);
  });

  test("ending by the wrong salt or id → unknown; by another client → other_client, untouched", async () => {
    const { grant } = await aLiveGrant(storage());
    const { partition, grantId, clientId } = grant;
    const right = { partition, grantId, clientId, saltHash: aHash(`refresh ${grantId}`), now: NOW + MINUTE };
    expect(await storage().grants.end({ ...right, saltHash: grant.codeSaltHash })).toEqual({ kind: "unknown" });
    expect(await storage().grants.end({ ...right, grantId: anId(partition) })).toEqual({ kind: "unknown" });
    expect(await storage().grants.end({ ...right, clientId: "client-2" })).toEqual({ kind: "other_client" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
    expect(await storage().grants.end(right)).toEqual({ kind: "ended" });
    expect(await storage().grants.end(right)).toEqual({ kind: "already_ended" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "client_revoked", endedAt: NOW + MINUTE });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "client_revoked" });
  });

  test("ending leaves the consent and the owner's other grants alone", async () => {
    const { grant } = await aLiveGrant(storage());
    const { partition, grantId, clientId, ownerId } = grant;
    const other = { ...grant, grantId: anId(partition), codeSaltHash: aHash() };
    await storage().grants.issue({ grant: other, now: NOW });
    await storage().grants.end({ partition, grantId, clientId, saltHash: aHash(`refresh ${grantId}`), now: NOW });
    expect(await storage().consents.find({ partition, ownerId, clientId })).toMatchObject({ status: "active" });
    expect((await storage().grants.redeem(aRedemption(other))).kind).toBe("redeemed");
  });
});
