import { expect, test } from "vitest";
import { NOTHING_ENDED } from "../../../src/storage/end-all-after-restore.ts";
import { onEveryBackend } from "../support/backends.ts";
import { anInvitation, aStoredCompany } from "../support/company-builders.ts";
import { aLink, aSentLink } from "../support/mail-builders.ts";
import {
  aDirectGrant,
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aRedemption,
  aRefresh,
  aSession,
  aStoredPerson,
  FROM_OWNER,
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
    expect(ended).toEqual({ ...NOTHING_ENDED, grants: 3, consents: 3, sessions: 1 });
    expect(await storage().state()).toEqual({
      epoch: { at, count: 1, done: true },
      inspection: false,
      importing: false,
    });

    expect(await storage().grants.refresh(aRefresh(live.grant, { now: at }))).toEqual({ kind: "ahead" });
    // No theft is reported, because the restored database can't know the later tokens.
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

  test("invitations, links in messages and recovery codes → counted if they still worked, and none works any more", async () => {
    const person = await aStoredPerson(storage());
    const company = await aStoredCompany(storage());
    for (const expiresAt of [at - MINUTE, at + HOUR]) {
      const addressee = `${expiresAt}@example.com`;
      const invitation = anInvitation(company, { expiresAt, addressee });
      await storage().invitations.create({ invitation, saltHash: aHash(), by: null, now: NOW });
    }
    await aSentLink(storage(), aLink(person, "recover", { expiresAt: at - MINUTE }));
    const link = await aSentLink(storage(), aLink(person, "recover", { expiresAt: at + HOUR }));
    const used = await aSentLink(storage(), aLink(person, "verify", { expiresAt: at + HOUR }));
    await storage().mailLinks.take({ ...used, purpose: "verify" });
    const codes = { codes: ["x", "y"], added: FROM_OWNER };
    await storage().secondFactors.set({ ...person, sealedSecret: aHash(), step: 1, ...codes, now: NOW });
    expect(await storage().endAllBefore({ now: at, keepConsents: false })).toMatchObject({
      ...{ invitations: 1, links: 1, codes: 2 },
    });
    expect(await storage().mailLinks.find({ ...link, purpose: "recover", now: at })).toBeUndefined();
  });
});
