import { expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aRedemption,
  DAY,
  MINUTE,
  NOW,
  SECOND,
} from "../support/record-builders.ts";

function grantKey(person: Person) {
  return { partition: person.partition, ownerId: person.personId, clientId: "client-1" };
}

onEveryBackend("listing consents", (storage) => {
  test("→ what stands now, with live grants and recent alarms; nothing revoked, expired or another's", async () => {
    const { person, grant } = await aLiveGrant(storage());
    await aLiveGrant(storage());
    const alarmed = aGrant(person);
    await storage().grants.issue({ grant: alarmed, now: NOW });
    await storage().grants.redeem(aRedemption(alarmed));
    await storage().grants.redeem(aRedemption(alarmed));
    const ended = aGrant(person);
    await storage().grants.issue({ grant: ended, now: NOW });
    await storage().grants.redeem(aRedemption(ended, { s256: "wrong" }));
    await storage().grants.approve(
      anApproval(aGrant(person, { clientId: "client-2" }), { duration: 60, now: NOW + SECOND }),
    );
    await storage().grants.approve(anApproval(aGrant(person, { clientId: "client-3" })));
    await storage().consents.revoke({ ...grantKey(person), clientId: "client-3", revokedBy: "x", now: NOW });

    const list = async (now: number) =>
      (await storage().consents.list({ ...grantKey(person), now })).map(({ consent, grants }) => [
        consent.clientId,
        grants.map((each) => [each.grantId, each.status]).sort(),
      ]);
    const both = [
      [grant.grantId, "active"],
      [alarmed.grantId, "replayed"],
    ].sort();
    expect((await list(NOW + 2 * SECOND)).map(([clientId]) => clientId)).toEqual(["client-2", "client-1"]);
    expect(await list(NOW + 2 * MINUTE)).toEqual([["client-1", both]]);
    expect(await list(NOW + 31 * DAY)).toEqual([["client-1", [[grant.grantId, "active"]]]]);
    expect(await list(NOW + 91 * DAY)).toEqual([["client-1", []]]);
  });

  test("for the operator: by owner, by client, all; a mistyped owner → none", async () => {
    const { person } = await anApprovedGrant(storage(), { clientId: "client-listed" });
    const { person: other } = await anApprovedGrant(storage(), { clientId: "client-listed" });
    const owners = async (ownerId: string | null, clientId: string | null, limit = 1000) =>
      (await storage().consents.listAll({ ownerId, clientId, limit })).map((consent) => consent.ownerId);
    expect(await owners("nobody", null)).toEqual([]);
    expect(await owners(person.personId, null)).toEqual([person.personId]);
    expect(await owners(person.personId, "client-2")).toEqual([]);
    expect((await owners(null, "client-listed")).sort()).toEqual([person.personId, other.personId].sort());
    expect(await owners(null, null, 1)).toHaveLength(1);
  });
});
