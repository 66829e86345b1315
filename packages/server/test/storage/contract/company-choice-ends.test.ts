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
    expect((await storage().grants.issue({ grant: answered, endsBy: NOW + DAY, answer, now: NOW })).kind).toBe(
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
});
