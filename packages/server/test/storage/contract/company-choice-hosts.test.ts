import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, anAnswerOfMember, anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
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

  const kindOf = async (grant: ReturnType<typeof aCompanyGrant>, now = NOW + 5) =>
    (await storage().grants.issue({ grant, now })).kind;

  test("allowed at one host, and another host that only somebody else allowed → no grant without a page, until the member answers there", async () => {
    const { company, admin, member } = await membersDecide();
    await allows(aCompanyGrant(company, member, here), WEEK);
    await allows(aCompanyGrant(company, admin, there), WEEK);
    expect(await kindOf(aCompanyGrant(company, member, there))).toBe("no_consent");
    expect(await kindOf(aCompanyGrant(company, admin, here))).toBe("no_consent");
    expect(await kindOf(aCompanyGrant(company, member, here))).toBe("issued");
    await allows(aCompanyGrant(company, member, there), WEEK);
    expect(await kindOf(aCompanyGrant(company, member, there))).toBe("issued");
    expect(await kindOf(aCompanyGrant(company, member, here))).toBe("issued");
  });

  test("another end at the new host → the old one keeps its end; once there → a page there alone", async () => {
    const { company, member } = await membersDecide();
    await allows(aCompanyGrant(company, member, here), ONE_DAY);
    await allows(aCompanyGrant(company, member, there), WEEK);
    const ends = async (at: typeof here) => {
      const grant = aCompanyGrant(company, member, at);
      await storage().grants.issue({ grant, now: NOW + 5 });
      return endOf(grant);
    };
    expect([await ends(here), await ends(there)]).toEqual([[NOW + DAY], [NOW + 7 * DAY]]);
    const third = { ...here, redirectUri: "https://third.test/cb" };
    const once = { declined: [], ends: { read: NOW + 660_000 }, once: ["read"] };
    const grant = aCompanyGrant(company, member, third);
    await storage().grants.approve(
      anApproval(grant, { duration: "once", remembered: once, durations: { read: "once" } }),
    );
    expect([await ends(third), await ends(here), await ends(there)]).toEqual([undefined, [NOW + DAY], [NOW + 7 * DAY]]);
  });

  test("a permission allowed at one host, another one at two → each at its own hosts, also under a second answer", async () => {
    const { company, admin, member } = await membersDecide();
    const both = ["read", "write"];
    await storage().grants.approve(anApproval(aCompanyGrant(company, member, { ...here, scopes: both })));
    await storage().grants.approve(anApproval(aCompanyGrant(company, member, there)));
    await storage().grants.approve(anApproval(aCompanyGrant(company, admin, { ...there, scopes: both })));
    const at = (place: typeof here, scopes: readonly string[]) =>
      kindOf(aCompanyGrant(company, member, { ...place, scopes }));
    expect([await at(here, both), await at(there, ["read"]), await at(there, both)]).toEqual([
      "issued",
      "issued",
      "no_consent",
    ]);
  });

  test("an approval for two hosts → no page at either; withdrawn → a page where the member never answered", async () => {
    const { company, member } = await membersDecide();
    const { partition, companyId } = company;
    const change = { partition, companyId, clientId: "client-1", shown: SHOWN, by: null, now: NOW };
    const hosts = ["https://app.test", "https://other.test"];
    await storage().companyApps.setRule({ ...change, rule: anAppRule({ hosts }) });
    const answered = { grant: aCompanyGrant(company, member, here), answer: anAnswerOfMember(), now: NOW };
    expect((await storage().grants.issue(answered)).kind).toBe("issued");
    expect(await kindOf(aCompanyGrant(company, member, there))).toBe("issued");
    await storage().companyApps.setRule({ ...change, rule: null });
    expect(await kindOf(aCompanyGrant(company, member, there))).toBe("no_consent");
    expect(await kindOf(aCompanyGrant(company, member, here))).toBe("issued");
  });

  test("a device → the first answer in a browser is still needed; an answer for a host keeps for devices", async () => {
    const { company, admin, member } = await membersDecide();
    const device = { scopes: ["read"], redirectUri: "" };
    await storage().grants.approve(anApproval(aCompanyGrant(company, member, device)));
    await storage().grants.approve(anApproval(aCompanyGrant(company, admin, here)));
    expect([
      await kindOf(aCompanyGrant(company, member, here)),
      await kindOf(aCompanyGrant(company, member, device)),
      await kindOf(aCompanyGrant(company, admin, device)),
    ]).toEqual(["no_consent", "issued", "issued"]);
  });
});
