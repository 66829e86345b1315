import { expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
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

onEveryBackend("redeeming a code", (storage) => {
  const untouched = async (grant: NewGrant) =>
    expect(await statusOf(storage(), grant)).toMatchObject({
      status: "active",
      generation: 0,
      uses: 0,
      lastUsedAt: null,
    });

  test("of a grant that doesn't exist → unknown", async () => {
    const { grant } = await anApprovedGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { grantId: anId(grant.partition) }))).toEqual({
      kind: "unknown",
    });
  });

  test("with another salt → unknown, untouched", async () => {
    const { grant } = await anApprovedGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { codeSaltHash: aHash() }))).toEqual({ kind: "unknown" });
    await untouched(grant);
  });

  test("in another partition → unknown, untouched", async () => {
    const { grant } = await anApprovedGrant(storage());
    const outcome = await storage().grants.redeem(aRedemption(grant, { partition: (grant.partition + 1) % 1024 }));
    expect(outcome).toEqual({ kind: "unknown" });
    await untouched(grant);
  });

  test("by another client → unknown, untouched", async () => {
    const { grant } = await anApprovedGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { clientId: "client-2" }))).toEqual({ kind: "unknown" });
    await untouched(grant);
  });

  test("at the moment of its end → unknown", async () => {
    const { grant } = await anApprovedGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { now: grant.codeUntil }))).toEqual({ kind: "unknown" });
    expect((await storage().grants.redeem(aRedemption(grant, { now: grant.codeUntil - 1 }))).kind).toBe("redeemed");
  });

  test("after its scopes have ended, though the code has not → unknown", async () => {
    const { grant } = await anApprovedGrant(storage(), {}, { duration: 40 });
    expect(await storage().grants.redeem(aRedemption(grant, { now: NOW + 40 * SECOND }))).toEqual({ kind: "unknown" });
  });

  test.each([
    ["another redirect_uri", { redirectUri: "https://app.example/callback/" }],
    ["a wrong verifier", { s256: "other", plain: "other" }],
    ["no verifier", { s256: null, plain: null }],
    ["a verifier that equals the challenge itself", { s256: "x", plain: "challenge" }],
  ])("with %s → burned, and no second try", async (_, wrong) => {
    const { grant } = await anApprovedGrant(storage());
    const outcome = await storage().grants.redeem(aRedemption(grant, wrong));
    expect(outcome).toMatchObject({
      kind: "burned",
      grant: { status: "burned", generation: 0, endedAt: NOW + SECOND, redirectUri: grant.redirectUri, uses: 0 },
    });
    expect(await storage().grants.redeem(aRedemption(grant))).toEqual({ kind: "unknown" });
  });

  test("with a verifier where there was no challenge → burned", async () => {
    const { grant } = await anApprovedGrant(storage(), { codeChallenge: null, codeChallengeMethod: null });
    expect((await storage().grants.redeem(aRedemption(grant, { s256: "x", plain: "y" }))).kind).toBe("burned");
  });

  test("with neither challenge nor verifier → redeemed", async () => {
    const { grant } = await anApprovedGrant(storage(), { codeChallenge: null, codeChallengeMethod: null });
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("redeemed");
  });

  test("plain: compared with the verifier itself, not with its hash", async () => {
    const plain = { codeChallenge: "the verifier", codeChallengeMethod: "plain" } as const;
    const wrong = await anApprovedGrant(storage(), plain);
    expect((await storage().grants.redeem(aRedemption(wrong.grant, { s256: "the verifier", plain: "x" }))).kind).toBe(
      "burned",
    );
    const right = await anApprovedGrant(storage(), plain);
    expect((await storage().grants.redeem(aRedemption(right.grant, { s256: "x" }))).kind).toBe("redeemed");
  });

  test("for several APIs with none named → needs_resource, untouched; named → redeemed", async () => {
    const { grant } = await anApprovedGrant(storage(), { audience: null });
    expect(await storage().grants.redeem(aRedemption(grant))).toEqual({ kind: "needs_resource" });
    expect(await storage().grants.redeem(aRedemption(grant, { s256: "wrong" }))).toEqual({ kind: "needs_resource" });
    await untouched(grant);
    expect((await storage().grants.redeem(aRedemption(grant, { resourceNamed: true }))).kind).toBe("redeemed");
  });

  test("all right → redeemed: generation 1, in use, idle from now", async () => {
    const { grant, person } = await anApprovedGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant))).toEqual({
      kind: "redeemed",
      grant: {
        partition: grant.partition,
        grantId: grant.grantId,
        clientId: "client-1",
        ownerId: person.personId,
        personId: person.personId,
        status: "active",
        generation: 1,
        refreshable: true,
        redirectUri: grant.redirectUri,
        codeChallenge: "challenge",
        codeChallengeMethod: "S256",
        scopes: [{ name: "read", expiresAt: null }],
        audience: "https://api.example",
        authTime: NOW,
        acr: null,
        amr: ["pwd"],
        pausedAt: null,
        createdAt: NOW,
        decidedAt: NOW,
        codeUntil: NOW + MINUTE,
        rotatedAt: null,
        retries: 0,
        lastUsedAt: NOW + SECOND,
        uses: 1,
        idleUntil: NOW + SECOND + 90 * DAY,
        absoluteUntil: Number.MAX_SAFE_INTEGER,
        endedAt: null,
        wholeUsedAt: null,
        usedFrom: null,
        nonce: null,
        claims: null,
        sid: null,
      },
    });
  });

  test("refreshable under a consent that ends sooner → idle no longer than that", async () => {
    const { grant } = await anApprovedGrant(storage(), {}, { duration: 3600 });
    const outcome = await storage().grants.redeem(aRedemption(grant));
    expect(outcome).toMatchObject({ grant: { idleUntil: NOW + 3600 * SECOND, absoluteUntil: NOW + 3600 * SECOND } });
  });

  test("not refreshable → ends with its access token, or with its consent if that is sooner", async () => {
    const long = await anApprovedGrant(storage(), { refreshable: false });
    expect(await storage().grants.redeem(aRedemption(long.grant))).toMatchObject({
      grant: { absoluteUntil: NOW + SECOND + 10 * MINUTE, idleUntil: NOW + SECOND + 10 * MINUTE },
    });
    const short = await anApprovedGrant(storage(), { refreshable: false }, { duration: 120 });
    expect(await storage().grants.redeem(aRedemption(short.grant))).toMatchObject({
      grant: { absoluteUntil: NOW + 2 * MINUTE },
    });
  });

  test.each([
    ["another redirect_uri", { redirectUri: "https://evil.example/" }],
    ["a wrong verifier", { s256: "other", plain: "other" }],
    ["no verifier", { s256: null, plain: null }],
  ])("again, with %s → replay_invalid, the grant lives on", async (_, wrong) => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, wrong))).toEqual({ kind: "replay_invalid" });
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
  });

  test("again, by another client → unknown, the grant lives on", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { clientId: "client-2" }))).toEqual({ kind: "unknown" });
    expect((await storage().grants.refresh(aRefresh(grant))).kind).toBe("rotated");
  });

  test("again, all right → replayed, and the refresh token is dead", async () => {
    const { grant } = await aLiveGrant(storage());
    const outcome = await storage().grants.redeem(aRedemption(grant, { now: NOW + 5 * SECOND }));
    expect(outcome).toMatchObject({
      kind: "replayed",
      grant: { status: "replayed", generation: 1, endedAt: NOW + 5 * SECOND },
    });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "replayed" });
    expect(await storage().grants.redeem(aRedemption(grant))).toEqual({ kind: "unknown" });
  });

  test("again, long after the code's own end and after refreshes → replayed all the same", async () => {
    const { grant } = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(grant));
    expect((await storage().grants.redeem(aRedemption(grant, { now: NOW + DAY }))).kind).toBe("replayed");
  });

  test("again, with several APIs and none named → replayed: a thief's request need not be well-formed", async () => {
    const { grant } = await anApprovedGrant(storage(), { audience: null });
    await storage().grants.redeem(aRedemption(grant, { resourceNamed: true }));
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("replayed");
  });

  test("again, when the grant had expired → unknown: nothing is left to protect, and no alarm", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().grants.redeem(aRedemption(grant, { now: NOW + 91 * DAY }))).toEqual({ kind: "unknown" });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active", endedAt: null });
  });

  test("of an ended grant → unknown", async () => {
    const { grant } = await anApprovedGrant(storage());
    await storage().consents.revoke({ ...grant, revokedBy: grant.ownerId, now: NOW });
    expect(await storage().grants.redeem(aRedemption(grant))).toEqual({ kind: "unknown" });
  });
});
