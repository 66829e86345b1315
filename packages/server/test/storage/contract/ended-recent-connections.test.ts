import { expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import { marksOf } from "../../../src/owners/recovery/factor-fingerprints.ts";
import type { Removal, TakeBack } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, aLiveCompanyGrant, aStaffedCompany } from "../support/company-builders.ts";
import { aLink, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import {
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anId,
  aPasskey,
  aRedemption,
  DAY,
  expectIssued,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

const LATER = NOW + HOUR;
const SHOWN_AT = NOW + MINUTE;

onEveryBackend("connections that end because somebody else may have made them", (storage) => {
  /** The causes in the history of an owner, by app. */
  const causes = async ({ partition, ownerId }: Pick<NewGrant, "partition" | "ownerId">) => {
    const entries = await storage().history.list({ partition, ownerId, before: null, limit: 200 });
    const ended = entries.filter(({ kind }) => kind === "ended");
    return Object.fromEntries(ended.map(({ clientId, record }) => [clientId, record.cause]));
  };
  const recover = async (person: Person, changes: Partial<TakeBack> = {}) => {
    const key = await aSentLink(storage(), aLink(person, "recover", { expiresAt: LATER + DAY }));
    const seen = marksOf(await storage().passkeys.list(person), undefined);
    const taken = aTakeBack({ ...key, now: LATER }, { seen, shownAt: SHOWN_AT, ...changes });
    expect((await storage().recovery.recoverPassword(taken)).kind).toBe("done");
  };
  /** Connects an app of the person under the consent from before. Returns the grant. */
  const again = async (grant: NewGrant, now: number) => {
    expect((await storage().grants.issue({ grant, now })).kind).toBe("issued");
    expect((await storage().grants.redeem(aRedemption(grant))).kind).toBe("redeemed");
    return grant;
  };
  const lives = async (grant: NewGrant) => (await statusOf(storage(), grant))?.status === "active";
  /** A person without live grants of `client-1`, and with one of `client-2`, of which each gets another one since. */
  const inTwoApps = async (since: number) => {
    const { person, grant: gone } = await aLiveGrant(storage());
    const older = aGrant(person, { clientId: "client-2" });
    expectIssued(await storage().grants.approve(anApproval(older)));
    await storage().grants.redeem(aRedemption(older));
    const { partition, grantId, clientId } = gone;
    const saltHash = aHash(`refresh ${grantId}`);
    const outcome = await storage().grants.end({ partition, grantId, saltHash, clientId, now: NOW + SECOND });
    expect(outcome.kind).toBe("ended");
    const newer = [await again(aGrant(person), since), await again(aGrant(person, { clientId: "client-2" }), since)];
    return { person, older, newer };
  };

  test("a recovery, connected since the page was shown → a new password disconnected only the app that has nothing left", async () => {
    const { person, older, newer } = await inTwoApps(SHOWN_AT);
    await recover(person);
    expect(await Promise.all([older, ...newer].map(lives))).toEqual([true, false, false]);
    expect(await causes(older)).toEqual({ "client-1": "password", "client-2": "recent" });
  });

  test("a recovery, and an app was resumed after its decision was made → the app loses access; one that was resumed before the page keeps it", async () => {
    const { person, grant: resumed } = await aLiveGrant(storage());
    const kept = aGrant(person, { clientId: "client-2" });
    expectIssued(await storage().grants.approve(anApproval(kept)));
    await storage().grants.redeem(aRedemption(kept));
    const { partition, personId } = person;
    const pausing = ({ clientId }: NewGrant, paused: boolean, now: number) =>
      storage().consents.setPaused({ partition, ownerId: personId, clientId, paused, by: personId, now });
    for (const grant of [resumed, kept]) await pausing(grant, true, NOW + SECOND);
    await pausing(kept, false, NOW + 2 * SECOND);
    await pausing(resumed, false, SHOWN_AT);
    await recover(person);
    expect(await Promise.all([resumed, kept].map(lives))).toEqual([false, true]);
  });

  test("for a company → likewise; what another member has doesn't count", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const old = await aLiveCompanyGrant(storage(), company, member);
    await aLiveCompanyGrant(storage(), company, admin, { clientId: "client-2" });
    await again(aCompanyGrant(company, member), SHOWN_AT);
    await aLiveCompanyGrant(storage(), company, member, { clientId: "client-2" }, { now: SHOWN_AT });
    await recover(member);
    expect(await lives(old)).toBe(true);
    expect(await causes(old)).toEqual({ "client-1": "member_recent", "client-2": "member_password" });
  });

  test("ways to sign in are restored → nobody has a new password, so no entry says it", async () => {
    const { company, member: person } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const old = await aLiveCompanyGrant(storage(), company, person);
    const key = aPasskey(person);
    await storage().passkeys.add({ passkey: key, now: NOW });
    const restore = aLink(person, "restore", { about: anId(), expiresAt: NOW + 3 * DAY });
    const saltHash = aHash();
    const removal: Removal = {
      ...{ removalId: restore.about ?? "", passkeys: [key.credentialId], authenticator: false, codes: false },
      ...{ until: NOW + 3 * DAY, links: [{ link: restore, saltHash }] },
    };
    const own = aGrant(person);
    expectIssued(await storage().grants.approve(anApproval(own)));
    await recover(person, { removal, shownAt: LATER });
    await again(aGrant(person), LATER + 1);
    await again(aCompanyGrant(company, person), LATER + 1);
    await aLiveCompanyGrant(storage(), company, person, { clientId: "client-2" }, { now: LATER + 1 });
    const undo = { partition: restore.partition, linkId: restore.linkId, saltHash, now: LATER + HOUR };
    const outcome = await storage().recovery.restoreFactors({ ...undo, passwordHash: "x", device: null, mails: [] });
    expect(outcome.kind).toBe("done");
    const entries = await storage().history.list({
      ...{ partition: own.partition, ownerId: own.ownerId, before: null, limit: 1 },
    });
    expect(entries).toMatchObject([{ kind: "ended", at: LATER + HOUR, record: { cause: "recent" } }]);
    expect(await causes(old)).toEqual({ "client-1": "member_recent", "client-2": "member_recent" });
  });
});
