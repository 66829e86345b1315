import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, aStaffedCompany } from "../support/company-builders.ts";
import { anApproval, DAY, NOW, statusOf } from "../support/record-builders.ts";

const ONE_DAY = 86_400;
const WEEK = 7 * ONE_DAY;
const here = { scopes: ["read"], redirectUri: "https://app.test/cb" };
const there = { scopes: ["read"], redirectUri: "https://other.test/cb" };

onEveryBackend("members' answers for a company at several hosts", (storage) => {
  const membersDecide = () => aStaffedCompany(storage(), { defaultRule: "members" });
  const allows = (grant: ReturnType<typeof aCompanyGrant>, seconds: number, now = NOW) => {
    const read = { read: seconds };
    const remembered = { declined: [], ends: { read: now + seconds * 1000 } };
    return storage().grants.approve(anApproval(grant, { duration: seconds, durations: read, remembered, now }));
  };
  const endOf = async (grant: ReturnType<typeof aCompanyGrant>) =>
    (await statusOf(storage(), grant))?.scopes.map(({ expiresAt }) => expiresAt);

  test("a week at another host than where somebody else chose a day → a week, also in the history; theirs stays a day", async () => {
    const { company, admin, member } = await membersDecide();
    const { partition, companyId: ownerId } = company;
    const first = aCompanyGrant(company, member, here);
    await allows(first, ONE_DAY);
    const second = aCompanyGrant(company, admin, there);
    const made = await allows(second, WEEK, NOW + 1);
    expect(made).toMatchObject({ kind: "issued", scopes: [{ name: "read", expiresAt: NOW + 1 + 7 * DAY }] });
    expect([await endOf(first), await endOf(second)]).toEqual([[NOW + DAY], [NOW + 1 + 7 * DAY]]);
    const [entry] = await storage().history.list({ partition, ownerId, before: null, limit: 1 });
    expect(entry?.record.scopes).toEqual([{ name: "read", expiresAt: NOW + 1 + 7 * DAY }]);
    const later = aCompanyGrant(company, member, here);
    await storage().grants.issue({ grant: later, now: NOW + 2 });
    expect(await endOf(later)).toEqual([NOW + DAY]);
  });
});
