import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, anAnswerOfMember, anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
import { DAY, HOUR, NOW, statusOf } from "../support/record-builders.ts";

onEveryBackend("the time that a member chose for a company", (storage) => {
  test("a member's answer with an end → later grants without a page end then; after it there are none", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule(), shown: SHOWN, by: null, now: NOW };
    await storage().companyApps.setRule({ partition, companyId, ...rule });
    const answered = aCompanyGrant(company, member, { scopes: ["read"] });
    const answer = anAnswerOfMember();
    expect((await storage().grants.issue({ grant: answered, ends: { read: NOW + DAY }, answer, now: NOW })).kind).toBe(
      "issued",
    );
    const later = async (now: number) => {
      const grant = aCompanyGrant(company, member, { scopes: ["read"] });
      const { kind } = await storage().grants.issue({ grant, now });
      return [kind, (await statusOf(storage(), grant))?.absoluteUntil];
    };
    expect(await later(NOW + HOUR)).toEqual(["issued", NOW + DAY]);
    expect(await later(NOW + DAY - 1)).toEqual(["no_consent", undefined]);
    const again = aCompanyGrant(company, member, { scopes: ["read"] });
    await storage().grants.issue({ grant: again, answer, now: NOW + DAY });
    expect(await later(NOW + 2 * DAY)).toEqual(["issued", NOW + 365 * DAY]);
  });

  test("ends by scope → each holds for its scope, also after an answer about another one; an unanswered one ends with the first", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = { clientId: "client-1", rule: anAppRule({ scopes: ["read", "write", "share"] }), shown: SHOWN };
    await storage().companyApps.setRule({ partition, companyId, ...rule, by: null, now: NOW });
    const issue = async (scopes: readonly string[], more: object = {}, now = NOW) => {
      const grant = aCompanyGrant(company, member, { scopes });
      const { kind } = await storage().grants.issue({ grant, now, ...more });
      return kind === "issued" ? (await statusOf(storage(), grant))?.scopes.map(({ expiresAt }) => expiresAt) : kind;
    };
    const answer = anAnswerOfMember();
    const ends = { read: NOW + HOUR, write: NOW + 7 * DAY };
    expect(await issue(["read", "write"], { ends, answer })).toEqual([NOW + HOUR, NOW + 7 * DAY]);
    expect(await issue(["write", "read"])).toEqual([NOW + 7 * DAY, NOW + HOUR]);
    expect(await issue(["share"])).toEqual([NOW + HOUR]);
    expect(await issue(["share"], { ends: { share: NOW + 30 * DAY }, answer })).toEqual([NOW + 30 * DAY]);
    expect(await issue(["read", "write", "share"])).toEqual([NOW + HOUR, NOW + 7 * DAY, NOW + 30 * DAY]);
    const later = NOW + 2 * HOUR;
    expect(await issue(["read", "write"], {}, later)).toBe("no_consent");
    expect(await issue(["write"], {}, later)).toEqual([NOW + 7 * DAY]);
  });
});
