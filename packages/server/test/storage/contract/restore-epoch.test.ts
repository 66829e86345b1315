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
  aSession,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("a new epoch", (storage) => {
  const at = NOW + HOUR;

  test("no grant of before goes on, no session, no consent; what is made after it does", async () => {
    const live = await aLiveGrant(storage());
    const spentBefore = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(spentBefore.grant));
    const unspent = await anApprovedGrant(storage());
    const session = aSession(live.person);
    await storage().sessions.create(session);
    expect((await storage().state()).epoch).toBeNull();

    const ended = await storage().endAllBefore({ now: at, keepConsents: false });
    expect(ended).toEqual({ grants: 3, consents: 3, sessions: 1 });
    expect(await storage().state()).toEqual({
      epoch: { at, count: 1, done: true },
      inspection: false,
      importing: false,
    });

    expect(await storage().grants.refresh(aRefresh(live.grant, { now: at }))).toEqual({ kind: "ahead" });
    // No alarm: nobody stole it.
    expect(await storage().grants.refresh(aRefresh(spentBefore.grant, { now: at }))).toEqual({ kind: "ahead" });
    expect(await storage().grants.redeem(aRedemption(unspent.grant, { now: NOW + MINUTE / 2 }))).toEqual({
      kind: "unknown",
    });
    expect(await storage().sessions.use({ ...session, now: at, idleUntil: at + HOUR })).toBeUndefined();
    expect(await storage().grants.issueWithoutCode(aDirectGrant(live.person))).toEqual({ kind: "blocked" });
    expect(await storage().consents.list({ ...live.grant, now: at })).toEqual([]);
    expect((await storage().history.list({ ...live.grant, before: null, limit: 9 }))[0]).toMatchObject({
      kind: "revoked",
      at,
      record: { by: "server", removed: ["read"] },
    });

    const again = aGrant(live.person, { codeUntil: at + MINUTE });
    expect((await storage().grants.approve(anApproval(again, { now: at }))).kind).toBe("issued");
    expect((await storage().grants.redeem(aRedemption(again, { now: at }))).kind).toBe("redeemed");
  });

  test("a second one, consents kept → ends what was made since, leaves the consent", async () => {
    const { grant } = await aLiveGrant(storage());
    expect(await storage().endAllBefore({ now: at + HOUR, keepConsents: true })).toMatchObject({ consents: 0 });
    expect((await storage().state()).epoch).toEqual({ at: at + HOUR, count: 2, done: true });
    expect(await storage().grants.refresh(aRefresh(grant, { now: at + HOUR }))).toEqual({ kind: "ahead" });
    expect((await storage().consents.find({ ...grant }))?.status).toBe("active");
  });
});
