import { expect, test } from "vitest";
import { NEVER } from "../../../src/oauth/model.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  aStaffedCompany,
  SHOWN,
} from "../support/company-builders.ts";
import { byHand } from "../support/raw-statements.ts";
import {
  aGrant,
  aLiveGrant,
  anApproval,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  expectIssued,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";

onEveryBackend("very many grants of one owner and app", (storage, opened) => {
  const kindsOf = async (owner: { readonly partition: number; readonly personId: string }) =>
    (
      await storage().history.list({
        ...{ partition: owner.partition, ownerId: owner.personId, before: null, limit: 500 },
      })
    ).map(({ kind }) => kind);

  test("51 have expired → the next one ends the oldest of them, and nobody is told of it", async () => {
    const person = await aStoredPerson(storage());
    const grants = Array.from({ length: 51 }, () => aGrant(person, { refreshable: false }));
    for (const [at, grant] of grants.entries()) {
      expectIssued(await storage().grants.approve(anApproval(grant, { now: NOW + at })));
      await storage().grants.redeem(aRedemption(grant, { now: NOW + SECOND + at }));
    }
    const again = aGrant(person);
    expectIssued(await storage().grants.issue({ grant: again, now: NOW + HOUR }));
    const statuses = await Promise.all(grants.map((grant) => statusOf(storage(), grant)));
    expect(statuses.map((grant) => grant?.status).slice(0, 3)).toEqual(["superseded", "superseded", "active"]);
    expect(statuses.filter((grant) => grant?.status === "active")).toHaveLength(49);
    expect((await statusOf(storage(), again))?.status).toBe("active");
    expect(await kindsOf(person)).not.toContain("ended");
  });

  test("expired ones and live ones → the live ones stay, however long ago they were used", async () => {
    const { person, grant: live } = await aLiveGrant(storage());
    for (let at = 0; at < 50; at += 1) {
      const short = aGrant(person, { refreshable: false, codeUntil: NOW + 5 * MINUTE });
      expectIssued(await storage().grants.approve(anApproval(short, { now: NOW + MINUTE + at })));
      await storage().grants.redeem(aRedemption(short, { now: NOW + MINUTE + SECOND + at }));
    }
    // Each of the fifty grants was active when the next one was made, so the limit ended the oldest grant.
    expect((await statusOf(storage(), live))?.status).toBe("superseded");
    const { person: other, grant: kept } = await aLiveGrant(storage());
    for (let at = 0; at < 49; at += 1) {
      const short = aGrant(other, { refreshable: false, codeUntil: NOW + 5 * MINUTE });
      expectIssued(await storage().grants.approve(anApproval(short, { now: NOW + MINUTE + at })));
      await storage().grants.redeem(aRedemption(short, { now: NOW + MINUTE + SECOND + at }));
    }
    for (let at = 0; at < 5; at += 1)
      expectIssued(await storage().grants.issue({ grant: aGrant(other), now: NOW + HOUR + at }));
    expect((await statusOf(storage(), kept))?.status).toBe("active");
  });

  const lastUse = async ({ partition, ownerId }: { readonly partition: number; readonly ownerId: string }) =>
    (await storage().consents.listAll({ ownerId, clientId: null, limit: 1 }))[0]?.lastUsedAt ?? `none in ${partition}`;

  /** Deletes the rows of the owner's grants, as housekeeping does right before it writes its own note. */
  const withoutEnded = ({ partition, ownerId }: { readonly partition: number; readonly ownerId: string }) =>
    byHand(opened().url, [
      "DELETE FROM grants WHERE partition = $1 AND owner_id = $2 AND ended_at IS NOT NULL",
      partition,
      ownerId,
    ]);

  test("a grant ends, in whatever way → the consent tells when the app last used it", async () => {
    const ends = [
      async ({ grant }: Awaited<ReturnType<typeof aLiveGrant>>) => {
        const { refreshSaltHash: saltHash } = aRefresh(grant);
        await storage().grants.end({ ...grant, saltHash, now: NOW + HOUR });
      },
      async ({ grant }: Awaited<ReturnType<typeof aLiveGrant>>) => {
        await storage().consents.revoke({ ...grant, revokedBy: "x", now: NOW + HOUR });
      },
      async ({ grant }: Awaited<ReturnType<typeof aLiveGrant>>) => {
        await storage().consents.narrow({ ...grant, remove: ["read"], by: "x", now: NOW + HOUR });
      },
      async ({ person }: Awaited<ReturnType<typeof aLiveGrant>>) => {
        await storage().people.setStatus({ ...person, status: "disabled", now: NOW + HOUR });
      },
      async ({ person }: Awaited<ReturnType<typeof aLiveGrant>>) => {
        for (let at = 0; at < 50; at += 1)
          expectIssued(
            await storage().grants.issue({
              grant: aGrant(person, { codeUntil: NOW + 2 * HOUR }),
              now: NOW + HOUR + at,
            }),
          );
      },
    ];
    for (const end of ends) {
      const made = await aLiveGrant(storage());
      await storage().grants.refresh(aRefresh(made.grant, { now: NOW + 10 * MINUTE }));
      await end(made);
      expect((await statusOf(storage(), made.grant))?.status, String(end)).not.toBe("active");
      await withoutEnded(made.grant);
      expect(await lastUse(made.grant), String(end)).toBe(NOW + 10 * MINUTE);
    }
  });

  test("a member's grant ends, in whatever way → the company's consent tells when the app last used it", async () => {
    type Company = Awaited<ReturnType<typeof aStaffedCompany>>;
    const clientId = "client-1";
    const keyOf = ({ company }: Company) => ({ partition: company.partition, companyId: company.companyId, clientId });
    const ends = [
      (made: Company) => storage().members.remove({ ...keyOf(made), person: made.member, by: null, now: NOW + HOUR }),
      (made: Company) =>
        storage().companyApps.setOptOut({
          ...{ ...keyOf(made), personId: made.member.personId, out: true, now: NOW + HOUR },
        }),
      (made: Company) =>
        storage().companyApps.setRule({
          ...{ ...keyOf(made), rule: null, members: "end" as const, shown: SHOWN, by: null, now: NOW + HOUR },
        }),
      (made: Company) => storage().companies.setStatus({ ...keyOf(made), status: "disabled", now: NOW + HOUR }),
    ];
    for (const end of ends) {
      const made = await aStaffedCompany(storage());
      await storage().companyApps.setRule({
        ...{ ...keyOf(made), rule: anAppRule(), shown: SHOWN, by: null, now: NOW },
      });
      const grant = aCompanyGrant(made.company, made.member);
      expectIssued(await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW }));
      await storage().grants.redeem(aRedemption(grant, { now: NOW + 30 * SECOND }));
      // An admin's grant that was used earlier doesn't hide the member's.
      await aLiveCompanyGrant(storage(), made.company, made.admin);
      await end(made);
      expect((await statusOf(storage(), grant))?.status, String(end)).not.toBe("active");
      await withoutEnded(grant);
      expect(await lastUse(grant), String(end)).toBe(NOW + 30 * SECOND);
    }
  });

  test("superseded → the row stays for as long as a token or a page can lead to it, and no longer", async () => {
    const { person, grant: old } = await aLiveGrant(storage());
    const unused = aGrant(person);
    expectIssued(await storage().grants.issue({ grant: unused, now: NOW }));
    const recent = aGrant(person, { codeUntil: NOW + 3 * DAY });
    expectIssued(await storage().grants.issue({ grant: recent, now: NOW + MINUTE }));
    await storage().grants.redeem(aRedemption(recent, { now: NOW + 3 * DAY - HOUR }));
    for (let at = 0; at < 52; at += 1)
      expectIssued(
        await storage().grants.issue({ grant: aGrant(person, { codeUntil: NOW + 9 * DAY }), now: NOW + 3 * DAY + at }),
      );
    for (const grant of [old, unused, recent]) expect((await statusOf(storage(), grant))?.status).toBe("superseded");
    const kept = async (now: number) => {
      await storage().housekeeping.collectGarbage({ now, limit: 1000 });
      return Promise.all([old, unused, recent].map(async (grant) => (await statusOf(storage(), grant)) !== undefined));
    };
    expect(await kept(NOW + 3 * DAY + MINUTE)).toEqual([false, false, true]);
    expect(await kept(NOW + 4 * DAY - SECOND)).toEqual([false, false, true]);
    expect(await kept(NOW + 4 * DAY + MINUTE)).toEqual([false, false, false]);
  });

  test("more ended grants than are read one by one → no token is said to end too early", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, personId: ownerId } = person;
    const made = Array.from({ length: 160 }, () =>
      aGrant(person, { audience: "https://api.example/short", codeUntil: NOW + HOUR }),
    );
    for (const [at, one] of made.entries()) {
      const now = NOW + MINUTE + at * SECOND;
      expectIssued(await storage().grants.issue({ grant: one, now }));
      await storage().grants.redeem(aRedemption(one, { now }));
    }
    expect((await statusOf(storage(), grant))?.status).toBe("superseded");
    const issues = await storage().consents.lastIssues({
      partition,
      ownerId,
      personId: null,
      since: NOW - DAY,
      restoredAt: 0,
    });
    const first = await statusOf(storage(), grant);
    const others = issues.find(({ audience }) => audience === null);
    // The first grant isn't in the part that was read. The entry for the rest ends no earlier than it did.
    expect(issues.find(({ audience }) => audience === grant.audience)).toBeUndefined();
    expect(others?.openUntil).toBeGreaterThanOrEqual(first?.endedAt ?? Number.NaN);
    expect(issues.find(({ audience }) => audience === "https://api.example/short")).toMatchObject({
      ...{ lastUsedAt: NOW + MINUTE + 159 * SECOND, openUntil: NEVER },
    });
  });
});
